"""Law 1: the order of the training rows changes no answer."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from discovery import every_keeper, one_keeper_of_each
from lawful import few, fitted, quiet, says, splits

pytestmark = quiet


@every_keeper
@few
@given(st.data(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(setting, data, random):
    cases, queries = data.draw(splits(setting))
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    one, other = fitted(setting.model, cases), fitted(setting.model, cases.take(order))
    assert one.digest() == other.digest()
    assert says(one, queries) == says(other, queries)


@every_keeper
@few
@given(st.data(), st.randoms(use_true_random=False))
def test_rows_are_left_out_in_order_of_arrival(setting, data, random):
    cases, _ = data.draw(splits(setting, more=1))
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    one, other = fitted(setting.model, cases), fitted(setting.model, cases.take(order))
    rows = [0, len(order) - 1]
    found = other.loo_predict(rows=rows).tolist()
    assert found == one.loo_predict(rows=[order[row] for row in rows]).tolist()


@one_keeper_of_each
def test_all_rows_are_left_out_in_order_of_arrival(setting):
    X = np.array([[0.0], [5.0], [1.0], [6.0], [0.5], [5.5]] * 3)
    model = clone(setting.model).fit(X, (X[:, 0] > 3).astype(int), ids=range(9, 27))
    found = model.loo_predict()
    assert np.round(found).tolist() == (X[:, 0] > 3).astype(int).tolist()
    assert model.loo_predict(rows=[1, 0, -1]).tolist() == found[[1, 0, -1]].tolist()
