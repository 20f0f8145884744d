"""Law 8: places change nothing. However rows are divided, all is the same."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discovery import keeps_cases, one_keeper_of_each, settings_of
from lawful import fitted, left_out, quiet, says, splits, truth
from sklazy.casebase.parted import PartedBase

pytestmark = quiet

two = settings(max_examples=2, suppress_health_check=list(HealthCheck), deadline=None)
BY_LEVELS = ("LazyKNeighbors", "LazyNB", "LazyLearning")
searchers = pytest.mark.parametrize(
    "setting",
    settings_of(
        lambda s: keeps_cases(s) and type(s.model).__name__.startswith(BY_LEVELS)
    ),
)


def cut(model, owners, n_parts):
    """The same model, its cases in parts."""
    twin = copy.copy(model)
    twin.cases_ = PartedBase.cut(model.cases_, owners, n_parts)
    return twin


def everything(model, queries):
    """All that a model says, receipts and digest included."""
    receipts = [receipt.to_dict() for receipt in model.explain(queries.frame)]
    return model.digest(), says(model, queries), receipts, model.ids_.tolist()


def check(setting, cases, queries, random):
    """Compare a model with itself in parts, through additions and erasures."""
    n_parts, n_rows = random.randint(1, 5), len(cases.rows)
    first = max(setting.min_rows, n_rows - 3)
    one = fitted(setting.model, cases.take(range(first)))
    owners = sorted(random.choices(range(n_parts), k=first))
    other = cut(one, owners, n_parts)
    assert everything(one, queries) == everything(other, queries)
    rest = cases.take(range(first, n_rows))
    gone = random.sample(range(n_rows), min(random.randint(0, 3), n_rows - 2))
    for model in (one, other):
        if len(rest.rows) and hasattr(model, "partial_fit"):
            model.partial_fit(rest.frame, truth(model, rest))
        gone = [i for i in gone if i in model.ids_.tolist()]
        if len(gone) < len(model.ids_) - setting.min_rows:
            model.forget(gone)
    assert everything(one, queries) == everything(other, queries)
    rows = [0, len(one.ids_) - 1]
    assert left_out(one, rows).tobytes() == left_out(other, rows).tobytes()


@searchers
@two
@given(st.data(), st.randoms(use_true_random=False))
def test_parts_change_no_answer_of_a_search(setting, data, random):
    check(setting, *data.draw(splits(setting, more=2)), random)


@one_keeper_of_each
@settings(two, max_examples=1)
@given(st.data(), st.randoms(use_true_random=False))
def test_parts_change_no_answer(setting, data, random):
    check(setting, *data.draw(splits(setting, more=2)), random)


@pytest.mark.slow
@searchers
@settings(two, max_examples=300)
@given(st.data(), st.randoms(use_true_random=False))
def test_parts_change_no_answer_of_many_tables(setting, data, random):
    check(setting, *data.draw(splits(setting, more=2)), random)
