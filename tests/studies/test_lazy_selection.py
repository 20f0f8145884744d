"""Lazy selection: the protocol against the estimators, sums against plain ones."""

import functools

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from data_sets import folder_of
from sklazy import (
    EntropyDiscretizer,
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    lazy_advantage,
)
from sklazy.cli.folds import class_folds, plain_folds
from sklazy_studies.document import Table
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import load_set
from sklazy_studies.harness.significance import (
    indistinct_groups,
    mean_ranks,
    paired_t,
    tally,
)
from sklazy_studies.lazy_selection import paper
from sklazy_studies.lazy_selection import run as protocol
from sklazy_studies.lazy_selection.deviations import count_deviations
from sklazy_studies.lazy_selection.report import best_strategies, make_document
from sklazy_studies.lazy_selection.results import curve, gather

ESTIMATORS = {
    "1-NN": functools.partial(LazyKNeighborsClassifier.paper, n_neighbors=1),
    "3-NN": functools.partial(LazyKNeighborsClassifier.paper, n_neighbors=3),
    "5-NN": functools.partial(LazyKNeighborsClassifier.paper, n_neighbors=5),
    "naive Bayes": LazyNBClassifier.paper,
}


@pytest.mark.parametrize("name", ["heart-h", "labor"])
def test_honest_folds_are_those_of_the_estimators(name):
    known = find_known(name)
    data = load_set(known, folder_of(name))
    found = protocol.run_fold(known, data, "honest", 3)
    testing = class_folds(data.classes.data, 10, protocol.SEED) == 3
    train, test = data.table.take(~testing), data.table.take(testing)
    truth = np.array(data.classes.cells())
    assert found["n"] == testing.sum()
    for host, make in ESTIMATORS.items():
        for strategy, shares in (("lazy", (1, 5)), ("eager", (0, 8)), ("none", (0,))):
            for i in shares:
                model = make(n_attributes=protocol.SHARES[i], selection=strategy)
                labels = model.fit(train, truth[~testing]).predict(test)
                right = int((labels == truth[testing]).sum())
                told = found["right"][strategy][host]
                assert (told if strategy == "none" else told[i]) == right


def test_the_papers_folds_know_the_cuts_of_all_rows():
    known = find_known("wine")
    data = load_set(known, folder_of("wine"))
    found = protocol.run_fold(known, data, "paper", 0)
    truth = np.array(data.classes.cells())
    cutter = EntropyDiscretizer().set_output(transform="pandas")
    bins = cutter.fit_transform(data.table.to_pandas(), truth).astype("category")
    testing = class_folds(data.classes.data, 10, protocol.SEED) == 0
    model = LazyKNeighborsClassifier.paper(n_neighbors=1, n_attributes=0.2)
    model.fit(bins[~testing], truth[~testing])
    right = int((model.predict(bins[testing]) == truth[testing]).sum())
    assert found["right"]["lazy"]["1-NN"][1] == right


@pytest.mark.parametrize("name", ["heart-h", "labor"])
def test_advantage_is_that_of_the_library(name):
    known = find_known(name)
    data = load_set(known, folder_of(name))
    found = protocol.measure_advantage(known, data)
    plain = lazy_advantage(data.table, data.classes.cells())
    assert found["v"] == pytest.approx(list(plain.highest.values()))
    equal = lazy_advantage(data.table, data.classes.cells(), weighting="unweighted")
    assert found["v_unweighted"] == pytest.approx(list(equal.highest.values()))


def test_attributes_that_are_not_informative_are_removed():
    from sklazy.tables import as_table, as_target

    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], 50)
    rows = [
        [label + rng.normal(0, 0.1), rng.normal(), "a", str(label)] for label in classes
    ]
    table = as_table(rows)
    assert protocol.informative(table, as_target(classes, "nominal")) == ["x0", "x3"]


def test_the_forty_sets_are_forty():
    assert len(set(protocol.UCI)) == 40
    sizes = [find_known(name).n_attributes for name in protocol.UCI]
    assert min(sizes) == 8
    assert max(sizes) == 69


def test_folds_are_stratified_and_even():
    classes = np.repeat([0, 1, 2], [50, 13, 3])
    folds = class_folds(classes, 10, seed=5)
    for label in range(3):
        sizes = np.bincount(folds[classes == label], minlength=10)
        assert np.ptp(sizes) <= 1
    assert np.ptp(np.bincount(folds)) <= 1
    assert not np.array_equal(folds, class_folds(classes, 10, seed=6))
    assert np.ptp(np.bincount(plain_folds(17, 5, 0))) <= 1
    # scikit-learn's own folds are as even, class by class.
    splits = StratifiedKFold(3, shuffle=True, random_state=0).split(classes, classes)
    theirs = sorted(np.bincount(classes[test]).tolist() for _, test in splits)
    ours = class_folds(classes, 3, seed=0)
    ours = sorted(np.bincount(classes[ours == fold]).tolist() for fold in range(3))
    assert np.sum(theirs, axis=0).tolist() == np.sum(ours, axis=0).tolist()


def test_paired_t_is_scipys():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(4, 10)), rng.normal(0.3, size=(4, 10))
    assert paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b, axis=1).pvalue)


def test_equal_differences_of_folds_are_no_accident_of_rounding():
    n = np.array([7, 9, 11])
    assert paired_t((n + 1) / n, 1 / n + 1) == 1.0
    assert paired_t([0.1 + 0.2, 1.3], [0.2, 1.2]) == 0.0


def fake_results(rng, names, protocols=("honest",)):
    """Units with results drawn at random."""
    found = {}
    for name in names:
        unit = protocol._unit("", name, 1.0, part="advantage")
        values = np.sort(rng.random(9))[::-1]
        both = dict.fromkeys(("v", "v_unweighted"), values.tolist())
        found[unit] = {**both, "n_attributes": 13}
        for which in protocols:
            for fold in range(10):
                unit = protocol._unit(
                    "", name, 1.0, part="fold", protocol=which, fold=fold
                )
                right = {
                    strategy: {
                        host: rng.integers(10, 18, 9).tolist() for host in ESTIMATORS
                    }
                    for strategy in ("lazy", "eager")
                }
                right["none"] = {host: int(rng.integers(10, 18)) for host in ESTIMATORS}
                found[unit] = {"n": 18, "n_attributes": 13, "right": right}
    return found


def test_totals_are_those_of_plain_loops():
    names = ["wine", "labor", "zoo"]
    found = fake_results(np.random.default_rng(2), names)
    run = gather(found, names, "honest")
    folds = {
        (unit.setting["set"], unit.setting["fold"]): result["right"]
        for unit, result in found.items()
        if unit.setting["part"] == "fold"
    }
    for h, host in enumerate(ESTIMATORS):
        better = worse = sure = best_lazy = 0
        for name in names:
            sums = {}
            for x in range(9):
                lazy, eager = (
                    [folds[name, f][strategy][host][x] for f in range(10)]
                    for strategy in ("lazy", "eager")
                )
                better += sum(lazy) > sum(eager)
                worse += sum(lazy) < sum(eager)
                p = stats.ttest_rel(lazy, eager).pvalue
                sure += bool(sum(lazy) > sum(eager) and p < 0.05)
                sums[x] = sum(lazy), sum(eager)
            none = sum(folds[name, f]["none"][host] for f in range(10))
            top_lazy = max(lazy for lazy, _ in sums.values())
            top_eager = max(eager for _, eager in sums.values())
            best_lazy += top_lazy >= max(top_eager, none)
        total = run.tally(h)
        assert (total.better, total.worse, total.significantly_better) == (
            better,
            worse,
            sure,
        )
        assert total.n == 27
        assert run.best_counts(h)["lazy"] == best_lazy


def test_the_curve_counts_cases_of_high_v():
    names = ["wine", "labor", "zoo"]
    run = gather(fake_results(np.random.default_rng(3), names), names, "honest")
    thresholds = np.array([0.0, 0.5, 2.0])
    shares = curve(run, 0, thresholds, sure=False)
    lazy, eager = run.lazy[0].sum(axis=-1), run.eager[0].sum(axis=-1)
    high = run.v >= 0.5
    assert shares[0] == pytest.approx((lazy > eager).mean())
    assert shares[1] == pytest.approx((lazy > eager)[high].mean())
    assert np.isnan(shares[2])


def test_sets_that_are_not_complete_are_left_out():
    found = fake_results(np.random.default_rng(4), ["wine", "labor"])
    last = [unit for unit in found if unit.setting["set"] == "labor"][-1]
    del found[last]
    assert gather(found, ["wine", "labor"], "honest").sets == ["wine"]
    assert gather(found, ["wine", "labor"], "paper") is None


def test_the_report_has_the_papers_figures_beside_ours():
    names = ["wine", "heart-h", "vowel", "letter", "labor", "zoo", "arcene"]
    found = fake_results(np.random.default_rng(5), names, protocol.PROTOCOLS)
    document = make_document(found, names, protocol.PROTOCOLS, [("command", "x")])
    tables = {table.name: table for table in document.tables}
    totals = {tuple(row[:2]): row[2:] for row in tables["totals"].rows}
    assert totals["1-NN", "paper"][:3] == ["220 (61 %)", "87", "53"]
    run = gather(found, names[:-1], "honest")
    ours = run.tally(3)
    assert totals["naive Bayes", "ours, honest"][1:3] == [
        str(ours.worse),
        str(ours.ties),
    ]
    assert [row[0] for row in tables["large-honest"].rows] == ["arcene (13)"] * 4
    assert {figure.name for figure in document.figures} == {
        "v-curve",
        "difference",
        "accuracy-by-set",
        "ranks",
    }
    claims = [row[0] for row in tables["claims"].rows]
    assert any("vowel" in claim for claim in claims)
    assert sum("letter" in claim for claim in claims) == 1
    assert {len(row) for row in tables["claims"].rows} == {3}


def test_as_many_sets_as_the_papers_are_compared_in_counts():
    names = list(protocol.UCI)
    found = fake_results(np.random.default_rng(7), names)
    document = make_document(found, names, ["honest"], [])
    tables = {table.name: table for table in document.tables}
    rows = {tuple(row[:2]): row[2:] for row in tables["totals"].rows}
    ours = gather(found, names, "honest").tally(0)
    apart = [int(x.replace("\N{MINUS SIGN}", "-")) for x in rows["1-NN", "difference"]]
    assert apart == [a - b for a, b in zip(ours, (220, 87, 53, 87, 7), strict=True)]
    assert ("3-NN", "difference") not in rows  # the paper has no figure
    best = {tuple(row[:2]): row[2:] for row in tables["best-of-nine"].rows}
    ours = int(best["3-NN", "ours, honest"][0])
    told = best["3-NN", "difference"][0].replace("\N{MINUS SIGN}", "-")
    assert int(told) == ours - 29


def test_the_best_strategy_of_a_set_is_that_of_its_best_host():
    found = fake_results(np.random.default_rng(8), ["arcene", "dexter"])
    run = gather(found, ["arcene", "dexter"], "honest")
    run.lazy[1, 0, 2] = 18  # 3-NN, arcene, 30 %, every fold
    run.none[3, 1] = run.eager[0, 1, 8] = 18
    assert best_strategies(run) == ["arcene lazy", "dexter eager and all attributes"]


def test_a_report_on_one_set_alone():
    found = fake_results(np.random.default_rng(6), ["wine"])
    document = make_document(found, ["wine"], ["honest"], [])
    assert isinstance(document.tables[0], Table)
    found = fake_results(np.random.default_rng(6), ["arcene"])
    document = make_document(found, ["arcene"], ["honest"], [])
    names = [table.name for table in document.tables]
    assert names == ["large-honest", "large-sums", "large-sets"]


def test_the_papers_own_figures_agree_with_each_other():
    for found in paper.TALLIES.values():
        assert found.n == 360
    assert paper.CURVE[0][1:] == (220, 360)


def test_ranks_and_groups():
    scores = [[0.9, 0.8, 0.7], [0.9, 0.8, 0.8]]
    assert mean_ranks(scores).tolist() == [1.0, 2.25, 2.75]
    assert indistinct_groups([1.0, 5.0], 1.0) == []
    assert indistinct_groups([1.0, 1.5, 2.0], 3.0) == [(0, 1, 2)]
    assert tally([1], [1], [0.0]).significantly_better == 0


def test_the_papers_own_tables_are_in_the_report():
    names = ["wine", "vowel", "labor"]
    found = fake_results(np.random.default_rng(5), names, ("honest", "paper"))
    unit = protocol._unit("", "autos", 1.0, part="cost")
    found[unit] = {"seconds_selecting": 1e-5, "seconds_answering": 2e-4}
    document = make_document(found, names, ("honest", "paper"), [])
    tables = {table.name: table for table in document.tables}
    run = gather(found, names, "paper")
    wine = tables["table-3-wine"].rows
    assert wine[1][0] == "20 % (3)"
    assert float(wine[1][2]) == pytest.approx(run.accuracy(run.lazy[0])[0, 1], abs=5e-3)
    assert float(wine[1][1]) == pytest.approx(
        run.accuracy(run.eager[0])[0, 1], abs=5e-3
    )
    assert wine[-1][0] == "100 % (13)"
    assert "table-5-vowel" in tables
    assert tables["cost"].rows == [["autos", "0.010", "0.200", "0.08", "1.7"]]
    assert tables["sets"].rows[2] == ["labor", "16", "2", "57"]
    curves = {tuple(row[:2]): row for row in tables["curves"].rows}
    honest = gather(found, names, "honest")
    tally = honest.tally(0, honest.v >= 0.2)
    expected = 100 * tally.significantly_better / tally.n
    assert curves["1-NN", "better beyond chance"][4] == f"{expected:.1f} %"
    assert "best-accuracy-paper" in tables


def test_counts_of_the_paper_are_compared_by_the_spread_over_sets():
    names = [f"set {i}" for i in range(40)]
    run = gather(fake_results(np.random.default_rng(3), names), names, "honest")
    far = {(one.set, one.method): one for one in count_deviations(run)}
    assert len(far) == 2 * 5 + 4 * 2
    lazy = far["1-NN", "lazy"]
    by_set = [run.tally_set(0, i).better for i in range(40)]
    assert lazy.theirs == 220
    assert lazy.ours == sum(by_set) == run.tally(0).better
    assert lazy.error == pytest.approx(np.sqrt(80) * np.std(by_set, ddof=1))
    assert far["5-NN", "best, eager"].ours == run.best_counts(2)["eager"]


def test_the_toy_example_of_the_text():
    """Its table is lost; its words: 'Only value 4 is not indicative of a unique class
    value' of X, and 'a strong correlation between the value 4 of attribute Y and the
    class value B'."""
    rows = [("1", "1", "A"), ("1", "2", "A"), ("2", "1", "B"), ("2", "2", "B")]
    rows += [("3", "3", "A"), ("3", "1", "A"), ("4", "2", "A"), ("4", "3", "A")]
    rows += [("4", "4", "B"), ("4", "4", "B"), ("2", "4", "B"), ("1", "3", "A")]
    X, y = [row[:2] for row in rows], [row[2] for row in rows]
    asked = [("4", "4"), ("1", "1"), ("2", "3")]
    for selection, used in (("eager", [0, 0, 0]), ("lazy", [1, 0, 0])):
        model = LazyNBClassifier.paper(n_attributes=1, selection=selection).fit(X, y)
        assert model.select_attributes(asked).argmax(axis=1).tolist() == used
    assert model.predict(asked).tolist() == ["B", "A", "B"]
