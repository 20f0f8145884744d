"""SubsetSelector: Weka's sets, large columns, bad input."""

import numpy as np
import pandas as pd
import pytest

from sklazy import SubsetSelector, measures
from sklazy.errors import BadInputError
from sklazy.measures import pairs
from weka_sets import SETS, read_outputs, weka_part


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("part", ["all", "train"])
@pytest.mark.parametrize(
    ("method", "search", "weka", "program", "tolerance"),
    [
        # Weka keeps correlations in single precision.
        ("cfs", "best-first", "cfs_bestfirst", 0, 1e-6),
        ("cfs", "greedy", "cfs_greedy", 0, 1e-6),
        ("consistency", "best-first", "consistency_bestfirst", 1, 1e-9),
    ],
)
def test_sets_equal_weka_s(method, search, weka, program, tolerance, part, name):
    theirs = read_outputs(name)[program][f"{weka}_{part}"]
    X, y = weka_part(name, part)
    selector = SubsetSelector.weka(method, search).fit(X, y)
    assert selector.get_feature_names_out().tolist() == theirs["selected"]
    assert abs(selector.merit_ - theirs["merit"]) < tolerance


def test_weka_s_rule_for_zero_correlations_matters():
    # Two independent attributes that tell the class together.
    X = [[a, b] for a in "uv" for b in "pqr" for _ in range(4)]
    y = ["uv".index(a) + "pqr".index(b) for a, b in X]
    assert SubsetSelector(zero_correlation=0.0).fit(X, y).n_attributes_ == 2
    assert SubsetSelector(zero_correlation=1.0).fit(X, y).n_attributes_ == 1


def test_at_least_one_column_is_kept():
    X = [["u", "p"], ["u", "q"], ["u", "p"], ["u", "q"]]
    for method in ("cfs", "consistency"):
        for search in ("best-first", "greedy"):
            selector = SubsetSelector(method, search).fit(X, [0, 0, 1, 1])
            assert selector.get_support().tolist() == [True, False]
            assert selector.transform(X).tolist() == [["u"]] * 4


def test_consistency_takes_few_attributes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.integers(0, 2, 200).astype(bool) for j in range(8)})
    y = X["c2"] ^ X["c5"]
    selector = SubsetSelector("consistency").fit(X, y)
    assert selector.merit_ == 1.0
    assert {"c2", "c5"} <= set(selector.get_feature_names_out())


def test_columns_of_many_distinct_strings():
    n = 3000
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    X = pd.DataFrame(
        {
            # Categories are ranked; plain strings like these would be set aside.
            "id": pd.Categorical([f"r{i}" for i in range(n)]),
            "code": pd.Categorical([f"s{i}" for i in rng.permutation(n)]),
            "good": np.where(rng.random(n) < 0.9, y, 1 - y).astype(bool),
        }
    )
    selector = SubsetSelector().fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["good"]
    X.loc[0, "id"] = None
    with pytest.raises(BadInputError, match="give missing='omit'"):
        SubsetSelector(missing="spread").fit(X, y)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_large_tables_are_counted_in_parts(missing, monkeypatch):
    from coded import make_coded

    table = make_coded(np.random.default_rng(2), 60, [2, 9, 3, 12, 1, 4], 3, 1, missing)
    whole = measures.correlate_columns(table.codes, table.offsets, table.codes[3], 12)
    for most_cells in (1, 40, 110, 150):
        monkeypatch.setattr(pairs, "_MOST_CELLS", most_cells)
        parts = measures.correlate_columns(
            table.codes, table.offsets, table.codes[3], 12
        )
        assert np.array_equal(parts, whole)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "relief"}, "method='relief' is not known; give one of"),
        ({"search": "random"}, "search='random' is not known; give one of"),
        ({"missing": "drop"}, "missing='drop' is not known; give one of"),
        ({"max_stale": 0}, "max_stale=0; expected a whole number of at least 1"),
        ({"max_stale": 1.5}, "max_stale=1.5; expected a whole number"),
        ({"zero_correlation": 2}, "zero_correlation=2; expected a number in"),
        ({"zero_correlation": "high"}, "zero_correlation='high'; expected a number in"),
        ({"discretization": "mdl"}, "discretization='mdl' is not known"),
        ({"discretization": ["fayyad"]}, r"discretization=\['fayyad'\] is not known"),
        ({"method": ["cfs"]}, r"method=\['cfs'\] is not known"),
    ],
)
def test_bad_parameters_are_explained_and_change_nothing(parameters, message):
    X, y = [[1.0, 2.0], [2.0, 1.0]], [0, 1]
    selector = SubsetSelector(**parameters)
    with pytest.raises(BadInputError, match=message):
        selector.fit(X, y)
    assert not [name for name in vars(selector) if name.endswith("_")]
