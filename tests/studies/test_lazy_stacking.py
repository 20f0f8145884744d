"""The protocol of lazy stacking: folds, baselines and results."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.neighbors import KNeighborsClassifier

from data_sets import folder_of
from sklazy.casebase import CaseBase
from sklazy.methods.ensembles.data import ClassData
from sklazy.methods.paths.bags import beta_neighbors
from sklazy.tables import as_table, as_target
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set
from sklazy_studies.harness.unit import Unit
from sklazy_studies.lazy_stacking import paper
from sklazy_studies.lazy_stacking import run as protocol
from sklazy_studies.lazy_stacking.baselines import (
    predict_by_bagging,
    predict_by_neighbors,
    predict_by_tree,
)
from sklazy_studies.lazy_stacking.c45 import C45, bound
from sklazy_studies.lazy_stacking.report import make_document
from sklazy_studies.lazy_stacking.results import MEASURES, gather, mean_difference


@pytest.fixture(scope="module")
def wine():
    return load_set(find_known("wine"), data_folder())


def test_every_row_is_tested_once_in_a_repetition(wine):
    rows, labels = [], []
    for (train, classes), (test, truth) in protocol.split(wine, 3):
        assert len(train) + len(test) == 178
        assert len(classes.data) == len(train)
        rows.append(test.columns[0].data)
        labels.append(truth.data)
    found = sorted(zip(*map(np.concatenate, (rows, labels)), strict=True))
    assert found == sorted(
        zip(wine.table.columns[0].data, wine.classes.data, strict=True)
    )


def test_repetitions_have_folds_of_their_own(wine):
    first, second = (next(protocol.split(wine, r))[1][0] for r in (0, 1))
    assert not np.array_equal(first.columns[0].data, second.columns[0].data)


@pytest.mark.parametrize("method", protocol.METHODS)
def test_every_method_is_far_better_than_chance(wine, method):
    found = protocol.run_folds(wine, method, 0)
    assert sum(found["n"]) == 178
    assert sum(found["right"]) > 0.85 * 178
    has_members = method == "bagging" or method.startswith("lazy")
    assert ("diversity" in found) == has_members
    later = protocol.predict(method, *next(protocol.split(wine, 3))[:1], wine.table, 3)
    assert later.votes is None or method == "bagging"
    if has_members:
        assert set(found["diversity"]) == set(MEASURES)
        assert 0 <= found["diversity"]["disagreement"] <= 1


def data_of(X, y):
    base = CaseBase(as_table(X), as_target(y, "nominal"))
    return ClassData(base), base


def test_neighbors_are_scikit_learns_on_scaled_columns():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 3)), rng.integers(0, 3, 300)
    X[0], X[1] = 0.0, 1.0  # the range of every column is 1
    queries = rng.random((80, 3))
    data, base = data_of(X, y)
    found = predict_by_neighbors(data, base.encode(as_table(queries)), 0).decisions
    peer = KNeighborsClassifier(beta_neighbors(300)).fit(X, y)
    shares = peer.predict_proba(queries)
    top = np.sort(shares, axis=1)
    clear = top[:, -1] > top[:, -2] + 1e-9  # ties are ours
    assert clear.sum() > 50
    assert found[clear].tolist() == peer.predict(queries[clear]).tolist()


def test_a_tree_keeps_what_it_has_seen():
    rng = np.random.default_rng(1)
    X = rng.random((120, 2))
    y = (X[:, 0] > 0.5).astype(int) + 2 * (X[:, 1] > 0.5)
    data, base = data_of(X, y)
    queries = base.encode(as_table(X))
    assert (predict_by_tree(data, queries, 0).decisions == y).mean() > 0.97


def test_bagging_is_the_majority_of_its_trees():
    rng = np.random.default_rng(2)
    X, y = rng.random((100, 3)), rng.integers(0, 2, 100)
    data, base = data_of(X, y)
    found = predict_by_bagging(data, base.encode(as_table(rng.random((60, 3)))), 5)
    assert found.votes.shape == (60, 10)
    ones = found.votes.sum(axis=1)
    assert (found.decisions[ones > 5] == 1).all()
    assert (found.decisions[ones < 5] == 0).all()
    assert len(np.unique(found.votes, axis=1).T) > 1


def test_a_class_that_a_fold_lacks_keeps_its_code():
    table = as_table([[float(i % 7)] for i in range(30)])
    target = replace(as_target(["a", "b", "c"] * 10, "nominal"), declared=True)
    kept = np.flatnonzero(np.array(["a", "b", "c"] * 10) != "a")
    train = table.take(kept), target.take(kept)
    for method in protocol.METHODS:
        found = protocol.predict(method, train, table, 0).decisions
        assert set(found.tolist()) <= {1, 2}, method


def test_units_are_as_many_as_the_protocol_says(data_folder):
    units = protocol.make_units(protocol.SETS, data_folder, quick=False)
    assert len(units) == len(set(units)) == 13 * 10 * len(protocol.METHODS)
    quick = protocol.make_units(protocol.QUICK, data_folder, quick=True)
    assert set(quick) < set(units)  # what a quick run did is not done again


def fake_found(names, n_repetitions=10, seed=0):
    rng = np.random.default_rng(seed)
    found = {}
    for name in names:
        for method in protocol.METHODS:
            for repetition in range(n_repetitions):
                setting = {"set": name, "method": method, "repetition": repetition}
                result = {"n": [20] * 5, "right": rng.integers(10, 19, 5).tolist()}
                if method == "bagging" or method.startswith("lazy"):
                    result["diversity"] = dict.fromkeys(MEASURES, rng.random())
                found[Unit("lazy-stacking", 1, "", setting)] = result
    return found


def test_accuracies_and_tests_are_those_of_plain_loops():
    names = ["labor", "glass"]
    found = fake_found(names)
    run = gather(found, names)

    def accuracies(name, method):
        return [
            100 * sum(result["right"]) / 100
            for unit, result in found.items()
            if (unit.setting["set"], unit.setting["method"]) == (name, method)
        ]

    for i, name in enumerate(names):
        one, other = accuracies(name, "lazy stacking"), accuracies(name, "C4.5")
        assert run.of("lazy stacking")[i].tolist() == one
        sure = stats.ttest_rel(one, other).pvalue < 0.05
        better = bool(sure and np.mean(one) > np.mean(other))
        assert run.significantly_better("lazy stacking", "C4.5")[i] == better
    n, mean, distance = mean_difference(run, "bagging")
    gaps = [
        np.mean(accuracies(name, "bagging")) - paper.ACCURACIES[name][2]
        for name in names
    ]
    assert (n, mean) == (2, pytest.approx(np.mean(gaps)))
    assert distance == pytest.approx(np.mean(np.abs(gaps)))


def test_sets_that_are_not_complete_are_left_out():
    found = fake_found(["labor", "glass"], 2)
    (of_paper,) = [
        unit
        for unit in found
        if unit.setting == {"set": "glass", "method": "C4.5", "repetition": 1}
    ]
    lacking = {unit: x for unit, x in found.items() if unit is not of_paper}
    assert gather(lacking, ["labor", "glass"]).sets == ["labor"]
    del found[list(found)[-1]]  # not of the paper
    run = gather(found, ["labor", "glass"])
    assert run.sets == ["labor", "glass"]
    assert run.n_run[1].tolist() == [2] * (len(run.methods) - 1) + [1]
    assert np.isfinite(run.means).all()
    assert gather({}, ["labor"]).sets == []


def test_the_report_has_the_papers_figures_beside_ours():
    names = ["labor", "glass", "sonar", "lymph"]
    document = make_document(fake_found(names), names, [("command", "x")])
    tables = {table.name: table for table in document.tables}
    rows = tables["accuracies"].rows
    assert rows[1][2:7] == ["84.45", "78.95", "84.04", "86.64", "90.56"]
    ours = float(rows[0][2].split(" ±")[0])
    apart = float(rows[2][2].replace("\N{MINUS SIGN}", "-"))
    assert apart == pytest.approx(ours - 84.45, abs=0.011)
    assert rows[-2][2:7] == ["", "", "", "80.41", "85.01"]  # lymph, table 3 alone
    tests = {row[0]: row for row in tables["stacking-against-bagging"].rows}
    assert tests["sonar"][5:] == ["+4.61", "<0.001"]
    assert tests["labor"][6] == "0.018"
    assert {figure.name for figure in document.figures} == {
        "diagram",
        "accuracy-by-set",
        "diversity",
        "ranks",
    }
    assert len(tables["diversity"].rows) == 4
    assert tables["means"].header[1:4] == [
        "3 sets of table 2",
        "1 set ours were chosen on",
        "3 sets not looked at",
    ]
    run = gather(fake_found(names), names)
    mean = run.of("k-NN")[:3].mean()  # without lymph
    assert f"over 3 sets, 10 times five folds: k-NN {mean:.2f}" in document.lead[1]


def test_a_report_on_one_repetition_or_nothing():
    document = make_document(fake_found(["labor"], 1), ["labor"], [])
    tables = {table.name: table for table in document.tables}
    assert "±0.0" in tables["accuracies"].rows[0][2]
    assert make_document({}, [], []).parts == []


def test_the_papers_own_figures_agree_with_each_other():
    twelve = [row for name, row in paper.ACCURACIES.items() if name != "lymph"]
    for name, mean in paper.MEANS.items():
        own = [row[paper.METHODS.index(name)] for row in twelve]
        assert np.mean(own) == pytest.approx(mean, abs=0.01)
    assert set(paper.ACCURACIES) == set(protocol.SETS)


@pytest.mark.parametrize(
    ("counts", "share"),
    [([6, 0], 0.206), ([0, 9], 0.143), ([1, 0], 0.75)],
)
def test_bounds_of_errors_are_quinlans(counts, share):
    """C4.5, programs for machine learning, section 4.2: U(0, 6), U(0, 9), U(0, 1)."""
    found = bound(np.array(counts, float)) / sum(counts)
    assert found == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("name", ["labor", "glass"])
def test_pruning_makes_trees_smaller(name):
    data = load_set(find_known(name), folder_of(name))
    sizes = {}
    for pruned in (False, True):
        tree = C45(pruned).fit(data.table, data.classes.data, 7)
        sizes[pruned] = len(leaves(tree.root))
        total = sum(leaf.counts.sum() for leaf in leaves(tree.root))
        assert total == pytest.approx(len(data.classes.data))
        right = (tree.predict(data.table) == data.classes.data).mean()
        assert right > (0.8 if pruned else 0.9)
    assert 1 < sizes[True] < sizes[False]


def leaves(node):
    below = [leaf for branch in node.branches for leaf in leaves(branch)]
    return below if node.branches else [node]
