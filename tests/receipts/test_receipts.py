"""Receipts: sealed, checked when read, shown without harm, replayed."""

import copy
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from made_receipts import (
    HOSTILE,
    SCALARS,
    at,
    hostile_receipt,
    knn_receipt,
    leaves,
    model_receipt,
    nb_receipt,
    replaced,
)
from sklazy.errors import ReceiptError
from sklazy.receipts import Receipt, Receipts, sealed, verify

MADE = [knn_receipt, nb_receipt, model_receipt]

# The seal itself, and what is said of the batch: asked alone, a query is another.
NOT_REPLAYED = {("seal",), ("model", "n_models_in_batch")}


@pytest.mark.parametrize("make", MADE)
def test_a_receipt_survives_dict_and_json(make):
    content = make()
    receipt = Receipt.from_dict(content)
    assert receipt.to_dict() == content
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert json.loads(receipt.to_json()) == content
    many = Receipts([receipt, receipt])
    assert Receipts.from_dict(many.to_dict()) == many
    assert Receipts.from_json(many.to_json()) == many


def test_the_dict_handed_out_is_a_copy():
    receipt = Receipt.from_dict(knn_receipt())
    receipt.to_dict()["neighbors"]["listed"].clear()
    assert receipt.to_dict() == knn_receipt()


def test_the_dict_taken_in_is_copied():
    content = knn_receipt()
    receipt = Receipt.from_dict(content)
    content["votes"].clear()
    assert receipt.to_dict() == knn_receipt()


def test_receipts_are_a_sequence():
    first, second = (Receipt.from_dict(make()) for make in MADE[:2])
    many = Receipts([first, second])
    assert len(many) == 2
    assert many[0] == first
    assert list(many[1:]) == [second]
    assert second in many
    assert first.answer == "good"
    assert first.probability == 0.75
    assert first.attributes == ["color", "size"]


def _same(one, other):
    """Equal as data: numbers by value, True is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


@given(st.data())
def test_any_edited_leaf_is_refused(data):
    content = data.draw(st.sampled_from(MADE))()
    path = data.draw(st.sampled_from(leaves(content)))
    new = data.draw(SCALARS)
    assume(not _same(at(content, path), new))
    with pytest.raises(ReceiptError):
        Receipt.from_dict(replaced(content, path, new))


@given(st.data())
def test_an_edited_receipt_with_a_new_seal_does_not_replay(data):
    content = data.draw(st.sampled_from(MADE))()
    path = data.draw(st.sampled_from(leaves(content)))
    new = data.draw(SCALARS)
    assume(not _same(at(content, path), new) and path not in NOT_REPLAYED)
    edited = _sealed_again(replaced(content, path, new))
    with pytest.raises(ReceiptError):
        verify(edited, lambda table: [Receipt.from_dict(content)], "d" * 64)


def _sealed_again(content):
    """With a fitting seal, if there is one: NaN cannot be sealed."""
    try:
        return sealed(content)
    except ValueError:
        return content


@given(st.data())
def test_a_missing_or_further_key_is_refused(data):
    content = data.draw(st.sampled_from(MADE))()
    edited = copy.deepcopy(content)
    records = [edited, edited["cases"], edited["selection"], edited["votes"][0]]
    spot = data.draw(st.sampled_from(records))
    if data.draw(st.booleans()):
        gone = sorted(set(spot) - {"neighbors", "likelihoods", "model", "seal"})
        del spot[data.draw(st.sampled_from(gone))]
    else:
        spot["further"] = data.draw(SCALARS)
    with pytest.raises(ReceiptError):
        Receipt.from_dict(_sealed_again(edited))


@given(
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_anything_else_is_refused(value):
    for given_value in (value, {"schema": value}, {**knn_receipt(), "query": value}):
        with pytest.raises(ReceiptError):
            Receipt.from_dict(given_value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("votes", 0, "probability"), float("nan"), "finite"),
        (("votes", 0, "probability"), 1.5, "from 0 to 1"),
        (("cases", "n_rows"), True, "whole number"),
        (("cases", "n_rows"), -1, "whole number"),
        (("selection", "strategy"), "magic", "one of"),
        (("schema",), "sklazy-receipt/99", "reads 'sklazy-receipt/1'"),
        (("answer",), "perhaps", "contradicts itself"),
        (("query", 0, "name"), "other", "contradicts itself"),
        (("settings", "n_neighbors"), 10**400, "finite"),
        (("query",), "abc", "a list"),
        (("cases",), [], "a dict"),
        (("neighbors", "listed"), [{}] * 26, "at most 25"),
    ],
)
def test_the_message_says_what_is_wrong(path, value, message):
    with pytest.raises(ReceiptError, match=message):
        Receipt.from_dict(replaced(knn_receipt(), path, value))


def test_settings_without_end_are_refused():
    content = knn_receipt()
    content["settings"]["loop"] = content["settings"]
    with pytest.raises(ReceiptError, match="too deeply"):
        Receipt.from_dict(content)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "nul", b"\xff\xfe\x00"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ReceiptError):
        Receipt.from_json(text)


def test_whole_numbers_may_lose_their_point_on_the_way():
    """Some tools write 1.0 as 1; that is no edit."""
    content = knn_receipt()
    assert isinstance(content["neighbors"]["distance_of_last"], float)
    content["neighbors"]["distance_of_last"] = 1
    assert verify(content, lambda table: [Receipt.from_dict(knn_receipt())], "d" * 64)


def test_verify_asks_again_with_the_receipts_own_row():
    asked = []

    def explain(table):
        asked.append([column.cells() for column in table])
        return [Receipt.from_dict(knn_receipt())]

    assert verify(knn_receipt(), explain, "d" * 64) is True
    assert asked == [[["red"], [2.5], [None]]]


def test_verify_says_why_it_refuses():
    def explain(table):
        return [Receipt.from_dict(knn_receipt())]

    with pytest.raises(ReceiptError, match="other cases"):
        verify(knn_receipt(), explain, "e" * 64)
    with pytest.raises(ReceiptError, match="edited"):
        verify({**knn_receipt(), "sklazy": "9"}, explain, "d" * 64)
    other = sealed({**knn_receipt(), "sklazy": "9"})
    with pytest.raises(ReceiptError, match="Verify it with sklazy 9"):
        verify(other, explain, "d" * 64)
    other = sealed(replaced(knn_receipt(), ("neighbors", "listed", 0, "id"), 7))
    with pytest.raises(ReceiptError, match=r"neighbors.listed\[0\].id is 7 in the"):
        verify(other, explain, "d" * 64)


@given(st.sampled_from(HOSTILE), st.sampled_from(HOSTILE))
def test_hostile_names_survive_and_are_sealed(name, label):
    content = hostile_receipt(name, label)
    receipt = Receipt.from_dict(content)
    assert Receipt.from_json(receipt.to_json()).to_dict() == content
