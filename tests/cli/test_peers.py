"""The models of scikit-learn that the experiments compare with."""

import numpy as np
import pandas as pd
import pytest

from sklazy.cli.methods import PEER_CLASSIFIERS, PEER_REGRESSORS

PEERS = [
    pytest.param(make, id=f"{kind}-{name}")
    for kind, makers in (("classes", PEER_CLASSIFIERS), ("numbers", PEER_REGRESSORS))
    for name, make in makers.items()
]
TAKES_GAPS = [p for p in PEERS if p.values[0](0).categories]


def table_with_gaps(seed=0):
    """Columns of which two are missing throughout, and what is to be learned."""
    values = np.random.default_rng(seed).normal(size=40)
    columns = {
        "size": values,
        "number": np.full(40, np.nan),
        "word": pd.Series([None] * 40, dtype=object),
        "kind": ["x", "y"] * 20,
    }
    return pd.DataFrame(columns), (values > 0).astype(int)


@pytest.mark.parametrize("make", PEERS)
def test_a_column_may_be_missing_throughout_a_fold(make):
    X, y = table_with_gaps()
    assert np.isfinite(make(0).fit(X, y).predict(X)).all()


@pytest.mark.parametrize("make", TAKES_GAPS)
def test_a_column_that_was_missing_throughout_says_nothing(make):
    X, y = table_with_gaps()
    model = make(0).fit(X, y)
    known = X.assign(number=1.0, word="new")
    assert model.predict(known).tolist() == model.predict(X).tolist()
    less = make(0).fit(X[["size", "kind"]], y).predict(X[["size", "kind"]])
    assert model.predict(X).tolist() == less.tolist()
