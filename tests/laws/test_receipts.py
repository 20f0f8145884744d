"""Law 5: a receipt says what was answered and replays; an edited one is refused."""

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone

from discovery import every_keeper, one_keeper_of_each
from lawful import few, fewer, fitted, quiet, splits, truth
from made_receipts import at, leaves, replaced
from sklazy.errors import ReceiptError
from sklazy.receipts import sealed

pytestmark = quiet

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
OTHERS = st.none() | st.booleans() | st.integers() | NUMBERS | st.text()


def is_said_of_the_query(path):
    """Whether a forged seal does not help.

    The number of models is that of the batch, and a receipt with another query is that
    of another query: where labels that no case has are answered alike it is genuine.
    """
    return path[0] not in {"query", "seal"} and path[-1] != "n_models_in_batch"


@every_keeper
@few
@given(st.data())
def test_receipts_replay(setting, data):
    cases, queries = data.draw(splits(setting))
    model = fitted(setting.model, cases)
    receipts = model.explain(queries.frame)
    assert [r.answer for r in receipts] == model.predict(queries.frame).tolist()
    for receipt in receipts:
        assert model.verify(receipt) is True
        assert type(receipt).from_json(receipt.to_json()) == receipt
    written = receipts[0].to_json()
    assert model.verify(json.loads(written)) is True
    assert model.verify(type(receipts[0]).from_json(written)) is True


@every_keeper
@few
@given(st.data())
def test_whatever_is_edited_is_refused(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=12))
    model = fitted(setting.model, cases)
    content = model.explain(queries.frame)[0].to_dict()
    path = data.draw(st.sampled_from(leaves(content)))
    old, new = at(content, path), data.draw(OTHERS)
    assume(not (old == new and isinstance(old, bool) == isinstance(new, bool)))
    edited = replaced(content, path, new)
    with pytest.raises(ReceiptError):
        model.verify(edited)
    if is_said_of_the_query(path):
        with pytest.raises(ReceiptError):
            model.verify(sealed(edited))


@one_keeper_of_each
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_cannot_hold_is_refused(setting, number):
    model = clone(setting.model).fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    content = model.explain([[2.5]])[0].to_dict()
    with pytest.raises(ReceiptError):
        model.verify({**content, "answer": number})


@every_keeper
@fewer
@given(st.data())
def test_other_cases_do_not_vouch_for_a_receipt(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=12))
    model = fitted(setting.model, cases)
    receipt = model.explain(queries.frame)[0]
    one = cases.take([0])
    model.partial_fit(one.frame, truth(model, one))
    with pytest.raises(ReceiptError, match="other cases"):
        model.verify(receipt)
    model.forget([len(cases.rows)])
    assert model.verify(receipt)
