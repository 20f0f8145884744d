"""The protocol of RACSAM: the problem, the peers and the errors."""

import functools

import numpy as np
import pytest
from scipy import stats
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from fake_results import fake_found
from sklazy.cli.folds import plain_folds
from sklazy.cli.methods import PEER_CLASSIFIERS, PEER_REGRESSORS
from sklazy.estimators.encoded import EncodedModel
from sklazy.tables import as_table
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import load_set
from sklazy_studies.racsam import paper
from sklazy_studies.racsam import problem as racsam_problem
from sklazy_studies.racsam import run as racsam
from sklazy_studies.racsam.errors import (
    gather_errors,
    paired_over_rows,
    significantly_better,
)
from sklazy_studies.racsam.r_svm import LinearSvm, RSvm
from sklazy_studies.racsam.r_tree import RTree
from sklazy_studies.racsam.report import make_document


def test_the_problem_has_ten_inputs_and_noise_of_one():
    X, y = racsam_problem.draw_problem(20, 20_000, seed=1)
    clean = sum(
        10 * np.sin(np.pi * X[:, b] * X[:, b + 1])
        + 20 * (X[:, b + 2] - 0.5) ** 2
        + 10 * X[:, b + 3]
        + 5 * X[:, b + 4]
        for b in (0, 5)
    )
    assert (y - clean).std() == pytest.approx(1.0, abs=0.03)
    assert abs(np.corrcoef(y, X[:, 15])[0, 1]) < 0.03
    assert X.min() >= 0
    assert X.max() <= 1


@pytest.mark.parametrize(("variant", "n_training"), [("text", 60), ("ours", 119)])
def test_a_short_race_reports_itself(monkeypatch, variant, n_training):
    monkeypatch.setattr(racsam_problem, "N_ROWS", 120)
    run = functools.partial(
        racsam_problem.run_racsam, variant, 12, "gram-schmidt", seed=0
    )
    found = run(max_candidates=30)
    assert found["n_candidates"] >= 30
    assert found["n_predictions"] == pytest.approx(
        found["n_test"] * found["n_candidates"]
    )
    assert 0.3 * n_training <= found["n_training"] <= n_training
    assert found["n_until"] is None or found["n_until"] <= found["n_candidates"]
    assert found["success"] or not found["first"]
    assert found == run(max_candidates=30)
    phases = {race[0] for race in found["races"]}
    assert phases == ({"explore"} if variant == "text" else {"explore", "confirm"})


@pytest.mark.parametrize("variant", ["text", "ours"])
def test_forward_selection_stops_where_nothing_gains(monkeypatch, variant):
    monkeypatch.setattr(racsam_problem, "N_TRAINING", 60)
    monkeypatch.setattr(racsam_problem, "N_TEST", 40)
    found = racsam_problem.run_forward(variant, 11, seed=0)
    chosen = found["chosen"]
    X, y = racsam_problem.draw_problem(11, 100, 0)
    training = np.arange(100) < 60
    reached = racsam_problem._error(variant, X[:, chosen], y, training)
    for j in set(range(11)) - set(chosen):
        more = racsam_problem._error(variant, X[:, [*chosen, j]], y, training)
        assert more >= reached - 1e-9
    assert found["success"] == (chosen == list(range(10)))


@pytest.mark.parametrize("within", [False, True])
def test_r_trees_stop_at_a_hundredth_of_the_deviance(within):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    y = np.sin(6 * X[:, 0]) + rng.normal(0, 0.2, 300)
    model = RTree(within=within).fit(X, y)
    grown = DecisionTreeRegressor(
        min_samples_split=10, min_samples_leaf=5, random_state=0
    ).fit(X, y)
    nodes = grown.tree_
    deviance = nodes.impurity * nodes.n_node_samples

    def splits(node):
        left, right = nodes.children_left[node], nodes.children_right[node]
        if left < 0:
            return False
        gain = deviance[node] - (0 if within else deviance[left] + deviance[right])
        return gain >= 0.01 * deviance[0]

    def walk(row):
        node = 0
        while splits(node):
            left = np.float32(row[nodes.feature[node]]) <= nodes.threshold[node]
            node = nodes.children_left[node] if left else nodes.children_right[node]
        return nodes.value[node, 0, 0]

    assert model.predict(X) == pytest.approx([walk(row) for row in X])
    assert 2 < model.n_leaves_ < grown.get_n_leaves()
    assert RTree(min_deviance=0.0).fit(X, y).predict(X) == pytest.approx(
        grown.predict(X)
    )


def test_a_constant_target_is_one_leaf():
    model = RTree().fit(np.arange(30.0)[:, None], np.ones(30))
    assert model.n_leaves_ == 1
    assert model.predict(np.zeros((2, 1))).tolist() == [1.0, 1.0]


def test_a_fold_of_a_peer_is_what_the_peer_says(data_folder):
    known = find_known("triazines")
    data = load_set(known, data_folder)
    setting = {"part": "peer", "method": "tree"}
    found = racsam.run_fold(data, 2, setting)
    testing = plain_folds(186, 5, racsam.SEED) == 2
    model = EncodedModel(RTree()).fit(data.table.take(~testing), data.numbers[~testing])
    errors = np.abs(model.predict(data.table.take(testing)) - data.numbers[testing])
    assert racsam.unpack(found["errors"]["tree"]) == pytest.approx(errors, rel=1e-6)


def test_a_race_gives_three_predictions():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(90, 4))
    y = 3 * X[:, 0] + rng.normal(0, 0.1, 90)
    train, test = as_table(X[:60]), as_table(X[60:])
    for variant in racsam.RACED:
        told, found = racsam.run_race(variant, train, y[:60], test, 15)
        alone = {"lazy, all inputs"} if variant == "ours" else set()
        assert set(found) == {f"LL-RAC1, {variant}", f"LL-RAC2, {variant}"} | alone
        assert all(p.shape == (30,) for p in found.values())
        assert np.abs(found[f"LL-RAC1, {variant}"] - y[60:]).mean() < 0.3
        assert "x0" in told["best"]


def test_a_linear_svm_is_that_of_libsvm():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 3)) * [1.0, 100.0, 0.01]
    y = 4 * X[:, 0] - 0.01 * X[:, 1] + rng.normal(0, 0.1, 80)
    plain = make_pipeline(StandardScaler(), SVR(kernel="linear", tol=1e-6))
    scaled = TransformedTargetRegressor(plain, transformer=StandardScaler())
    expected = scaled.fit(X, y).predict(X)
    with_constant = np.column_stack([X, np.full(80, 0.1)])
    assert LinearSvm().fit(with_constant, y).predict(with_constant) == pytest.approx(
        expected,
        abs=0.05,  # R divides by n - 1
    )


def test_r_svm_scales_unless_a_column_is_constant():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 3)) * [1.0, 100.0, 0.01]
    y = X[:, 0] + 5
    plain = make_pipeline(StandardScaler(), SVR())
    scaled = TransformedTargetRegressor(plain, transformer=StandardScaler())
    # R divides by n - 1, scikit-learn by n.
    assert RSvm().fit(X, y).predict(X) == pytest.approx(
        scaled.fit(X, y).predict(X), rel=0.02
    )
    X[:, 1] = 7.0
    raw = SVR(gamma=1 / 3).fit(X, y)
    assert RSvm().fit(X, y).predict(X) == pytest.approx(raw.predict(X))


@pytest.mark.parametrize(
    ("name", "n"), [("svm, scaled", 80), ("gradient-boosting", 11_000)]
)
def test_rivals_that_mind_the_target_s_scale_have_it_scaled(name, n):
    # Boosting stops early by an absolute tolerance, if it has over 10000 rows.
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 2))
    y = 1e-4 * (X[:, 0] + rng.normal(0, 0.05, n))
    model = racsam._peer(name).fit(X, y)
    assert np.abs(model.predict(X) - y).mean() < 0.5 * y.std()


@pytest.mark.parametrize("name", sorted(PEER_CLASSIFIERS))
def test_peers_take_tables_as_they_are(name):
    rows = [[1.0, "a"], [None, "b"], [3.0, None], [4.0, "b"]] * 20
    labels = ["x", "y", "x", "y"] * 20
    model = PEER_CLASSIFIERS[name](0).fit(rows, labels)
    said = model.predict([[2.5, "b"], [None, "never seen"], [None, None]])
    assert set(said) <= {"x", "y"}
    if name != "guess":
        assert said[0] == "y"


@pytest.mark.parametrize("name", sorted(PEER_REGRESSORS))
def test_peers_of_numbers_take_tables_too(name):
    rng = np.random.default_rng(0)
    rows = [[float(x), "ab"[i % 2]] for i, x in enumerate(rng.uniform(size=60))]
    target = np.array([row[0] + (row[1] == "b") for row in rows])
    model = PEER_REGRESSORS[name](0).fit(rows, target)
    error = np.abs(model.predict(rows) - target).mean()
    assert np.isfinite(model.predict([[None, None]])).all()
    assert error < (0.2 if name != "guess" else 1.0)


def test_errors_are_gathered_fold_after_fold():
    found = fake_found(np.random.default_rng(0), ["pol", "triazines"])
    errors = gather_errors(found, ["pol", "triazines", "wisconsin"])
    assert list(errors) == ["pol", "triazines"]
    own = [
        racsam.unpack(result["errors"]["svm"])
        for unit, result in sorted(
            found.items(), key=lambda item: item[0].setting.get("fold", 0)
        )
        if unit.setting.get("set") == "pol" and "svm" in result["errors"]
    ]
    assert errors["pol"]["svm"] == pytest.approx(np.concatenate(own))


def test_tests_over_rows_are_scipys():
    rng = np.random.default_rng(1)
    a, b = rng.random(50), rng.random(50) + 0.1
    assert paired_over_rows(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert paired_over_rows(a, a) == 1.0


def test_better_is_lower_and_beyond_chance():
    rng = np.random.default_rng(4)
    low = rng.random(400)
    errors = {
        "apart": {"a": low, "b": low + 0.3 + 0.1 * rng.random(400)},
        "chance": {"a": low, "b": rng.permutation(low) + 1e-4},
    }
    assert significantly_better(errors, "a", "b") == ["apart"]
    assert significantly_better(errors, "b", "a") == []


def test_the_report_has_both_tables():
    names = ["pol", "triazines", "wisconsin", "house_16H"]
    found = fake_found(np.random.default_rng(2), names)
    document = make_document(found, names, [("command", "x")])
    tables = {table.name: table for table in document.tables}
    recovery = {tuple(row[:2]): row for row in tables["recovery"].rows}
    assert recovery["20", "RACSAM, text, random"][3:5] == ["75", "50"]
    assert recovery["50", "forward selection, ours"][3] == "25"
    errors = tables["errors"].rows
    assert errors[1][:4] == ["", "paper", "3.12", "3.13"]
    mean = gather_errors(found, names)["pol"]["LL-RAC1, text"].mean()
    assert float(errors[0][2]) == pytest.approx(mean, rel=0.01)
    apart = float(errors[2][2].rstrip(" %").replace("\N{MINUS SIGN}", "-"))
    assert apart == pytest.approx(100 * (mean / 3.12 - 1), abs=0.51)
    assert errors[-2][2] == "17000"  # the paper's Census is in units of 100 000
    far = {(row[0], row[1]) for row in tables["deviations"].rows}
    assert ("pol", "svm") in far  # 0.5 against 26.5
    assert {figure.name for figure in document.figures} == {"races", "ratios", "ranks"}
    assert "in 3 of 4 runs at 50 inputs" in " ".join(document.lead)


def test_a_report_without_data_sets_has_table_1():
    found = fake_found(np.random.default_rng(3), [])
    document = make_document(found, [], [])
    assert [table.name for table in document.tables] == ["recovery"]


def test_units_are_as_many_as_the_protocol_says(data_folder):
    units = racsam.make_units(racsam.SETS, data_folder, quick=False)
    races = [unit for unit in units if unit.setting["part"] == "race"]
    cells = 2 * 2 * 3 + 5  # inputs, variants, starts; what was tried
    assert len(races) == cells * racsam.N_RUNS
    folds = [unit for unit in units if unit.setting["part"] == "raced"]
    assert len(folds) == 7 * 5 * 3
    assert len(set(units)) == len(units)
    assert set(paper.ERRORS) == set(racsam.SETS)
