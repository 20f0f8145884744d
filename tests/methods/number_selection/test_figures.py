"""The figures of receipts of lazy selection for numbers are those of the slow twin."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.number_selection import LazyNumbers
from sklazy import LazyKNeighborsRegressor
from strategies import split_problems

some = settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)

SETTINGS = st.fixed_dictionaries(
    {
        "n_neighbors": st.integers(1, 4),
        "n_attributes": st.sampled_from([1, 0.5, "vote"]),
        "selection": st.sampled_from(["lazy", "eager", "none"]),
        "measure": st.sampled_from(["rank_variance", "variance"]),
        "discretize": st.booleans(),
        "weights": st.sampled_from(["uniform", "distance"]),
        "ties": st.sampled_from(["share", "all"]),
        "discount_rare_values": st.booleans(),
    }
)


@some
@given(split_problems(max_rows=25, max_queries=2, telling=True), SETTINGS)
def test_every_figure_is_that_of_the_twin(split, how):
    cases, queries = split
    twin = LazyNumbers(cases.rows, cases.kinds, cases.targets.tolist(), how)
    model = LazyKNeighborsRegressor(**how).fit(cases.frame, cases.targets)
    everything = list(range(len(cases.rows)))
    for row, receipt in zip(
        queries.rows, model.explain(queries.frame, reasons=False), strict=True
    ):
        told = receipt.to_dict()
        check_attributes(twin, row, told["selection"]["attributes"], everything)
        order = twin.order(row, everything)
        used = [item["used"] for item in told["selection"]["attributes"]]
        assert [order.index(j) < sum(used) for j in range(len(used))] == used
        check_neighbors(twin, row, order[: sum(used)], told, everything)
        assert told["answer"] == pytest.approx(twin.predict(row), rel=1e-9, abs=1e-9)


def check_attributes(twin, row, told, everything):
    for j, item in enumerate(told):
        code = twin.code(j, row[j])
        lazy, whole = twin.figures(j, code, everything)
        unknown = whole == float("inf")
        assert item["attribute_score"] == (None if unknown else pytest.approx(whole))
        assert item["lazy_score"] == (None if unknown else pytest.approx(lazy))
        same = [i for i in everything if code >= 0 and twin.codes[j][i] == code]
        assert item["n_same_value"] == (None if code == -1 else len(same))
        assert (item["value_score"] is None) == (not same)


def check_neighbors(twin, row, used, told, everything):
    found, squares = told["neighbors"], twin.squares(row, used, everything)
    last = sorted(squares.values())[min(found["k"], len(everything)) - 1]
    within = [i for i in everything if squares[i] <= last]
    assert found["n_voting"] == len(within)
    assert found["n_tied"] == sum(squares[i] == last for i in within)
    assert found["distance_of_last"] == pytest.approx(last**0.5)
    targets = [twin.targets[i] for i in within]
    assert (found["min"], found["max"]) == (min(targets), max(targets))
    for case in found["listed"]:
        assert case["target"] == twin.targets[case["id"]]
        assert case["distance"] == pytest.approx(squares[case["id"]] ** 0.5)
    if found["n_voting"] == len(found["listed"]):
        total = sum(case["share"] * case["target"] for case in found["listed"])
        assert total == pytest.approx(twin.mean(row, used, everything), abs=1e-9)
    if told["answers_by_n_attributes"]:
        means = [twin.mean(row, used[: r + 1], everything) for r in range(len(row))]
        assert told["answers_by_n_attributes"] == pytest.approx(means, abs=1e-9)
