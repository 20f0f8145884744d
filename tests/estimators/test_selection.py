"""The lazy classifiers from a table to the class, against the slow ones."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
from sklazy import LazyKNeighborsClassifier, LazyNBClassifier
from strategies import split_problems

few = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
problems = split_problems(max_rows=20, max_columns=4, telling=True)
amounts = st.sampled_from([1, 0.5, 1.0, "auto", "local", "vote"])
SETS = ["lazy-cfs", "lazy-consistency"]
strategies = st.sampled_from(["lazy", "lazy", "lazy", "eager", "none", *SETS])
measures = st.sampled_from(["entropy", "entropy", "gini", "chi_square", "gain_ratio"])


def compare(model, twin, queries):
    frame = queries.frame
    mask, found = model.select_attributes(frame), model.predict(frame)
    shares = model.predict_proba(frame)
    places = np.empty(len(twin.rows), int)
    places[model.cases_.arrival[model.cases_.order]] = np.arange(len(twin.rows))
    for i, query in enumerate(queries.rows):
        used, votes, decision = twin.answer(query, places)
        assert np.flatnonzero(mask[i]).tolist() == sorted(used)
        assert found[i] == twin.labels[decision]
        yield shares[i], votes


@few
@given(problems, strategies, measures, amounts, st.integers(1, 4), st.booleans())
def test_nearest_neighbors_step_by_step(
    problems, selection, measure, amount, k, discretize
):
    cases, queries = problems
    measure = "entropy" if selection == "lazy-cfs" else measure
    model = LazyKNeighborsClassifier(k, amount, selection, measure, discretize)
    model.set_params(n_local=4).fit(cases.frame, cases.classes)
    twin = naive.LazyHost(
        cases.rows,
        cases.kinds,
        cases.classes.tolist(),
        {
            "host": "knn",
            "k": k,
            "n_attributes": amount,
            "n_local": 4,
            "selection": selection,
            "measure": measure,
            "discretize": discretize,
        },
    )
    for shares, votes in compare(model, twin, queries):
        if amount == "vote" and selection in ("lazy", "eager"):
            expected = np.array(votes) / sum(votes)
        else:
            expected = naive.ibk_probabilities(votes, len(cases.rows))
        assert shares == pytest.approx(expected, abs=1e-12)


@few
@given(
    problems, strategies, measures, amounts, st.sampled_from([1.0, 0.2]), st.booleans()
)
def test_naive_bayes_step_by_step(
    problems, selection, measure, amount, alpha, discretize
):
    cases, queries = problems
    measure = "entropy" if selection == "lazy-cfs" else measure
    model = LazyNBClassifier(amount, selection, measure, alpha, discretize)
    model.set_params(n_local=4).fit(cases.frame, cases.classes)
    twin = naive.LazyHost(
        cases.rows,
        cases.kinds,
        cases.classes.tolist(),
        {
            "host": "bayes",
            "alpha": alpha,
            "n_attributes": amount,
            "n_local": 4,
            "selection": selection,
            "measure": measure,
            "discretize": discretize,
        },
    )
    for shares, votes in compare(model, twin, queries):
        if amount == "vote" and selection in ("lazy", "eager"):
            expected = np.array(votes) / sum(votes)
        else:
            joint = [math.exp(vote - max(votes)) for vote in votes]
            expected = np.array(joint) / sum(joint)
        assert shares == pytest.approx(expected, abs=1e-9)
