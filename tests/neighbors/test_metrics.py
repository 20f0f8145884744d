"""A metric added as CONTRIBUTING describes it: every search agrees, or declines."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sklazy.kernels.columns import METRICS, Metric, metric_of, to_distances

RECORDS = """
METRICS["cubic"] = Metric(7, "cubic", norm=3)
METRICS["rooted"] = Metric(8, "rooted")
"""
LINES = """
    if metric == 7:
        return abs(difference) ** 3
    if metric == 8:
        return abs(difference) ** 0.5
    return abs(difference)
"""


def add_metrics():
    """Load `kernels/columns.py` with two metrics more, before a kernel imports it."""
    name = "sklazy.kernels.columns"
    spec = importlib.util.find_spec(name)
    source = Path(spec.origin).read_text()
    with_lines = source.replace("\n    return abs(difference)\n", LINES)
    assert with_lines != source
    module = importlib.util.module_from_spec(spec)
    exec(compile(with_lines + RECORDS, spec.origin, "exec"), module.__dict__)
    sys.modules[name] = module


def make_columns(name):
    from sklazy.flow import Columns
    from sklazy.kernels.columns import METRICS

    rng = np.random.default_rng(0)
    values = np.round(rng.standard_normal((3, 300)), 1)  # ties
    kinds, weights = np.zeros(3, np.int64), np.array([0.3, 1.0, 7.0])
    columns = Columns(values, kinds, weights, np.ones(3), METRICS[name].code)
    return columns, rng.standard_normal((60, 3))


def check_tree(name, has_tree):
    from sklazy.neighbors import TreeSearch, find_nearest, nearest

    nearest.FEWEST_ROWS, nearest.WORTH_BUILDING = 1, 0
    columns, queries = make_columns(name)
    search = TreeSearch(columns)
    near = search.find(queries, 5)
    assert (search._tree is not None) == has_tree
    every = find_nearest(columns, queries, 5)
    assert np.array_equal(near.rows, every.rows)
    assert np.array_equal(near.distances, every.distances)


def check_device(name):
    from emulated import EmulatedDevice
    from sklazy.errors import BadInputError
    from sklazy.neighbors.cuda.nearest import put_placed

    with pytest.raises(BadInputError, match=f"metric='{name}' is not available on a"):
        put_placed(EmulatedDevice(), make_columns(name)[0])


@pytest.mark.parametrize(
    "check", ["check_tree('cubic', True)", "check_tree('rooted', False)"]
)
def test_a_new_metric_has_the_same_neighbors_with_a_tree(check):
    run_with_metrics(check)


@pytest.mark.parametrize("name", ["cubic", "rooted"])
def test_a_device_declines_a_metric_that_it_does_not_have(name):
    run_with_metrics(f"check_device({name!r})")


def run_with_metrics(check):
    """Run a check where the metrics are known; kernels run as Python."""
    tests = Path(__file__).parents[1]
    code = (
        f"import sys; sys.path[:0] = [{str(tests / 'neighbors')!r}, "
        f"{str(tests / 'helpers')!r}]\n"
        f"import test_metrics\ntest_metrics.add_metrics()\ntest_metrics.{check}\n"
    )
    run = [sys.executable, "-c", code]
    subprocess.run(run, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)


def test_each_metric_has_a_code():
    codes = [metric.code for metric in METRICS.values()]
    assert len(set(codes)) == len(codes)
    assert [metric_of(code) for code in codes] == list(METRICS.values())


def test_sums_become_distances_by_the_norm(monkeypatch):
    monkeypatch.setitem(METRICS, "cubic", Metric(7, "cubic", norm=3))
    monkeypatch.setitem(METRICS, "rooted", Metric(8, "rooted"))
    sums = np.array([0.0, 64.0])
    expected = {"euclidean": 8.0, "manhattan": 64.0, "cubic": 4.0, "rooted": 64.0}
    for name, distance in expected.items():
        assert to_distances(sums, METRICS[name].code)[1] == pytest.approx(distance)
