"""Law 8 elsewhere: joined models, mapped files and a cluster change no answer."""

import pandas as pd
import pytest
from sklearn.base import clone

import sklazy
from discovery import one_keeper_of_each
from lawful import quiet
from places import divided, keeper_of, partitions, with_a_cluster
from random_tables import random_problem
from same_answers import check_table, found, found_without

pytestmark = [*quiet, *with_a_cluster]

N_CHUNK = 50
IN_FILES = "mapped", "stored"


@pytest.mark.parametrize("place", ["parts", *IN_FILES, "cluster"], indirect=True)
def test_a_place_has_several_parts_and_searches_leave_them_there(place):
    problem = random_problem(0)
    X, y = problem.rows.X, problem.rows.y
    model = place(sklazy.LazyKNeighborsClassifier(3).fit(X, y), divided(X, y))
    model.predict(problem.queries)
    cases = keeper_of(model).cases_
    assert sum(size > 0 for size in cases.sizes) > 1
    assert "joined" not in cases._state._derived


@pytest.mark.parametrize("place", ["joined", *IN_FILES, "cluster"], indirect=True)
@pytest.mark.parametrize("seed", range(7))
def test_places_change_no_answer_of_random_tables(seed, place):
    check_table(seed, place)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["joined", *IN_FILES], indirect=True)
@pytest.mark.parametrize("chunk", range(1000 // N_CHUNK))
def test_places_change_no_answer_of_a_thousand_tables(chunk, place):
    for seed in range(chunk * N_CHUNK, (chunk + 1) * N_CHUNK):
        check_table(seed, place)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["cluster"], indirect=True)
@pytest.mark.parametrize("chunk", range(4))
def test_a_cluster_changes_no_answer_of_two_hundred_tables(chunk, place):
    for seed in range(chunk * N_CHUNK, (chunk + 1) * N_CHUNK):
        check_table(seed, place)


@pytest.mark.parametrize("place", [*IN_FILES, "cluster"], indirect=True)
@one_keeper_of_each
def test_places_change_no_answer_of_one_of_each(setting, place):
    X = pd.DataFrame([[i % 5, i % 3, i % 7] for i in range(56)], columns=list("abc"))
    X, y, queries = X * 1.0, (X["a"] > 2).astype(int).to_numpy(), X[:3] + 0.5
    one = clone(setting.model).fit(X[:50], y[:50])
    other = place(one, divided(X[:50], y[:50]))
    for each in (one, other):
        each.partial_fit(X[50:], y[50:]).forget([3, 30, 51])
    assert found(one, queries) == found(other, queries)
    assert found_without(one, [0, 40]) == found_without(other, [0, 40])


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_advantage_counted_on_a_cluster_is_that_of_one_table(seed):
    from sklazy import dask as sd

    rows = random_problem(seed).rows
    one = sklazy.lazy_advantage(rows.X, rows.y)
    other = sd.lazy_advantage(
        partitions(rows.X, rows), partitions(rows.y, rows), timeout=60
    )
    assert one.to_dict() == other.to_dict()
