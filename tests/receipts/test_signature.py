"""A signature says who issued a receipt; with a key nothing else is accepted."""

import hashlib
import hmac
import json

import pytest

from made_receipts import FITTED, QUERY, branches, model_of, receipt_of, removed
from sklazy.errors import BadInputError, ReceiptError
from sklazy.receipts import Receipt, Receipts, sealed

KEY, OTHER = b"k" * 32, b"o" * 32


@pytest.fixture(params=["knn", "stacking", "tree", "two targets"])
def name(request):
    assert request.param in FITTED
    return request.param


def test_a_signed_receipt_is_verified_with_its_key(name):
    model, receipt = model_of(name), Receipt.from_dict(receipt_of(name))
    signed = receipt.signed(KEY)
    assert list(signed.content)[-1] == "signature"
    assert signed.seal == receipt.seal
    assert signed.check_signature(KEY) is True
    for form in (signed, signed.to_dict(), Receipt.from_json(signed.to_json())):
        assert model.verify(form, key=KEY)
        assert model.verify(form), "without a key the signature does not matter"
    assert signed.signed(KEY) == signed
    assert signed["signature"] in signed.to_html()


def test_another_key_or_none_is_refused(name):
    model, receipt = model_of(name), Receipt.from_dict(receipt_of(name))
    with pytest.raises(ReceiptError, match="has no signature"):
        model.verify(receipt, key=KEY)
    with pytest.raises(ReceiptError, match="not that of this key"):
        model.verify(receipt.signed(OTHER), key=KEY)
    stripped = removed(receipt.signed(KEY).to_dict(), ("signature",))
    with pytest.raises(ReceiptError, match="has no signature"):
        model.verify(stripped, key=KEY)
    with pytest.raises(ReceiptError, match="has no signature"):
        receipt.check_signature(KEY)


def test_a_signature_does_not_move_to_other_content(name):
    """Not even to content that replays: that of another receipt of the model."""
    model = model_of(name)
    first = QUERY.astype({"size": float})
    one, other = (
        model.explain(query)[0].signed(KEY).to_dict()
        for query in (first, first.assign(size=1.25))
    )
    moved = {**other, "signature": one["signature"]}
    assert model.verify(moved)
    with pytest.raises(ReceiptError, match="not that of this key"):
        model.verify(moved, key=KEY)
    for path in branches(one)[::7]:
        edited = removed(one, path)
        forged = {**sealed(edited), "signature": one["signature"]}
        if path[0] not in {"seal", "signature"}:
            with pytest.raises(ReceiptError):
                model.verify(forged, key=KEY)


@pytest.mark.parametrize("signature", [None, "", "00", "G" * 64, 5, ["a"], "é" * 64])
def test_a_malformed_signature_is_refused_with_and_without_key(signature):
    content = {**receipt_of("tree"), "signature": signature}
    for key in (None, KEY):
        with pytest.raises(ReceiptError, match=r"receipt\.signature must be"):
            model_of("tree").verify(content, key=key)


@pytest.mark.parametrize("key", ["k" * 32, b"", b"short", 5, bytearray(32)])
def test_a_key_that_is_none_is_refused_and_not_shown(key):
    receipt = Receipt.from_dict(receipt_of("tree"))
    for ask in (receipt.signed, receipt.check_signature):
        with pytest.raises(BadInputError, match="key must be bytes") as raised:
            ask(key)
        assert "kkkk" not in str(raised.value)
    with pytest.raises(BadInputError, match="key must be bytes"):
        model_of("tree").verify(receipt.signed(KEY), key=key)


def test_the_signature_is_what_the_documents_say():
    """HMAC-SHA256 over canonical JSON, seal included, by the standard library alone."""
    content = Receipt.from_dict(receipt_of("tree")).signed(KEY).to_dict()
    signature = content.pop("signature")
    text = json.dumps(
        json.loads(json.dumps(content), parse_float=_whole),
        sort_keys=True,
        separators=(",", ":"),
    )
    assert signature == hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()


def _whole(text):
    value = float(text)
    return int(value) if value.is_integer() else value


def test_a_batch_is_signed_at_once():
    receipts = Receipts([Receipt.from_dict(receipt_of("tree"))] * 2).signed(KEY)
    assert isinstance(receipts, Receipts)
    assert all(receipt.check_signature(KEY) for receipt in receipts)
    assert Receipts.from_json(receipts.to_json()) == receipts
