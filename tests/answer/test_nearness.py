"""The nearest case of each class, against measuring every case."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.answer.batch import Batch, batch_of_cases
from sklazy.answer.uncertainty import nearness
from sklazy.casebase import CaseBase
from sklazy.tables import as_table, as_target


def make_batch(seed, n_rows, *, left_out):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, 2)).round(1)
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    numbers[0, 0] = 1e300 if rng.random() < 0.3 else 0.0
    frame = pd.DataFrame(numbers, columns=["p", "q"])
    labels = rng.choice(["a", "b"], n_rows).astype(object)
    frame["kind"] = pd.Series(np.where(rng.random(n_rows) < 0.2, None, labels))
    y = rng.choice(["x", "y", "z"], n_rows)
    base = CaseBase(as_table(frame), as_target(y.tolist(), "nominal"))
    rows = rng.permutation(n_rows)[:5]
    if left_out:
        return batch_of_cases(base, rows)
    return Batch(base, base.cases, base.encode(as_table(frame).take(rows.tolist())))


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.booleans())
def test_the_nearest_of_each_class(seed, n_rows, left_out):
    batch = make_batch(seed, n_rows, left_out=left_out)
    classes = batch.cases.classes[:n_rows]
    expected = []
    for squares in nearness.measure_squares(batch):
        by_class = [squares[classes == c].min() for c in range(batch.n_classes)]
        expected.append(nearness._compare(np.array(by_class)))
    assert np.array_equal(nearness.class_shares(batch), expected)


@pytest.mark.parametrize("at_once", [1, 1500, 10**9])
def test_blocks_of_rows_and_parts_of_queries_change_nothing(at_once, monkeypatch):
    batch = make_batch(0, 2500, left_out=True)  # more than two blocks of rows
    expected = nearness.class_shares(batch)
    monkeypatch.setattr(nearness, "_AT_ONCE", at_once)
    monkeypatch.setattr(nearness, "_MEASURED", at_once)
    assert np.array_equal(nearness.class_shares(batch), expected)
    classes = batch.cases.classes[:2500]
    for query, squares in enumerate(nearness.measure_squares(batch)):
        by_class = [squares[classes == c].min() for c in range(batch.n_classes)]
        assert (expected[query] == nearness._compare(np.array(by_class))).all()
