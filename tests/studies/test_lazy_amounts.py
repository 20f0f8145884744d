"""The number of attributes: the protocol against the estimators, sums against plain."""

import numpy as np
import pytest

from data_sets import folder_of
from sklazy.cli.folds import class_folds
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import load_set
from sklazy_studies.harness.unit import Unit
from sklazy_studies.lazy_amounts import run as amounts
from sklazy_studies.lazy_amounts.report import BEST, gather, make_document
from sklazy_studies.lazy_selection.run import HOSTS, SEED


@pytest.mark.parametrize("host", ["3-NN", "naive Bayes"])
def test_a_fold_is_what_the_estimators_answer(host):
    data = load_set(find_known("labor"), folder_of("labor"))
    found = amounts.run_fold(data, HOSTS[host], 4)
    testing = class_folds(data.classes.data, 10, SEED) == 4
    truth = np.array(data.classes.cells())
    assert found["n"] == testing.sum()
    for way, setting in amounts.WAYS.items():
        model = HOSTS[host](**setting).fit(data.table.take(~testing), truth[~testing])
        labels = model.predict(data.table.take(testing))
        assert found["right"][way] == (labels == truth[testing]).sum(), way
        if way in found["used"]:
            mask = model.select_attributes(data.table.take(testing))
            assert found["used"][way] == pytest.approx(mask.mean())
    assert set(found["used"]) == {"wrapper", "eager wrapper"}


def fake_results(rng, names, folds=10):
    return {
        Unit("lazy-amounts", 1, "", {"set": name, "host": host, "fold": fold}): {
            "n": 20,
            "right": {way: int(rng.integers(5, 20)) for way in amounts.WAYS},
            "used": {"wrapper": 0.5, "eager wrapper": 0.25},
        }
        for name in names
        for host in HOSTS
        for fold in range(folds)
    }


def test_tables_are_sums_of_the_folds():
    results = fake_results(np.random.default_rng(0), ["wine", "labor", "glass"])
    run = gather(results, ["wine", "labor", "glass", "zoo"])
    assert run.sets == ["wine", "labor", "glass"]
    plain = sum(
        result["right"]["vote"]
        for unit, result in results.items()
        if unit.setting["set"] == "labor" and unit.setting["host"] == "5-NN"
    )
    assert run.accuracy("5-NN", "vote")[1] == pytest.approx(plain / 2)
    fixed = [run.accuracy("5-NN", way)[1] for way in amounts.FIXED]
    assert run.accuracy("5-NN", BEST)[1] == max(fixed)
    assert len(amounts.FIXED) == 9
    document = make_document(results, run.sets, [])
    tables = {table.name: table for table in document.tables}
    assert {"means", "duels", "sets-1-nn", "sets-naive-bayes"} <= set(tables)
    for row in tables["duels"].rows:
        assert sum(int(cell) for cell in row[2:5]) == 3
    assert "no figure of the article" in document.lead[0]


def test_sets_that_lack_folds_are_left_out():
    results = fake_results(np.random.default_rng(0), ["wine"], folds=9)
    document = make_document(results, ["wine"], [])
    assert document.tables == []


def test_units_are_as_many_as_the_protocol_says(data_folder):
    units = amounts.make_units(["wine", "labor"], data_folder)
    assert len(units) == len(set(units)) == 2 * 4 * 10
