"""Receipts: sealed, checked when read, replayed, whatever their kind."""

import copy
import json
import pickle
import re

import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from made_receipts import (
    ANYTHING,
    FITTED,
    HOSTILE,
    MADE,
    SCALARS,
    WRITTEN,
    at,
    branches,
    hostile,
    knn_receipt,
    leaves,
    model_of,
    nb_receipt,
    receipt_of,
    removed,
    replaced,
)
from sklazy import LazyKNeighborsClassifier
from sklazy.errors import ReceiptError
from sklazy.receipts import Receipt, Receipts, sealed, verify
from sklazy.receipts.families import FAMILIES, FAMILIES_BY_ANSWER

every_kind = pytest.mark.parametrize("make", MADE)
every_model = pytest.mark.parametrize("name", FITTED)

# The seal itself, and what is said of the batch: asked alone, a query is another.
NOT_REPLAYED = {("seal",), ("model", "n_models_in_batch")}

OPEN = {"settings", "values", "coefficients"}  # any keys will do


@every_kind
def test_a_receipt_survives_dict_and_json(make):
    content = make()
    receipt = Receipt.from_dict(content)
    assert receipt.to_dict() == content
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert json.loads(receipt.to_json()) == content
    many = Receipts([receipt, receipt])
    assert Receipts.from_dict(many.to_dict()) == many
    assert Receipts.from_json(many.to_json()) == many


def test_families_are_found_by_kind_and_by_answer():
    for kind, family in FAMILIES.items():
        assert family.kind == kind
        assert FAMILIES_BY_ANSWER[family.answer] is family
    assert dict(FAMILIES_BY_ANSWER).keys() == {one.answer for one in FAMILIES.values()}
    assert len(FAMILIES_BY_ANSWER) == len(FAMILIES)
    member = type("Answer", (), {"__module__": FAMILIES["trees"].answer.__module__})
    assert FAMILIES_BY_ANSWER.get(member) is FAMILIES_BY_ANSWER.get(int) is None
    assert "forests" not in FAMILIES


def test_every_kind_of_receipt_is_tried():
    assert {make()["kind"] for make in MADE} == {
        *("selection", "ensembles", "trees", "local_models", "kernel_models"),
        *("linear_models", "blends", "bayes_rules", "association", "pls"),
        "number_selection",
    }


@every_kind
def test_all_receipts_have_the_same_head(make):
    content = make()
    head = ["schema", "kind", "sklazy", "estimator", "settings", "cases", "query"]
    assert list(content)[:8] == [*head, "novelty"]
    assert list(content)[-1] == "seal"
    assert content["schema"] == "sklazy-receipt/3"
    classes = "class_counts" in content["cases"]
    assert classes == ("votes" in content) == ("probability" in content)
    assert len(content["cases"]["digest"]) == 64


@every_model
def test_receipts_of_models_replay(name):
    content = receipt_of(name)
    assert model_of(name).verify(content) is True
    assert model_of(name).verify(Receipt.from_dict(content)) is True


@every_kind
def test_every_field_is_checked(make):
    """Nothing may be a dict of ours; no key may be missing, none be added."""
    content = make()
    for path in leaves(content):
        if "settings" not in path and path[0] != "seal":
            edited = replaced(content, path, {"no": ["such", 1]})
            with pytest.raises(ReceiptError):
                Receipt.from_dict(sealed(edited))
    for path in branches(content):
        key, inside = path[-1], at(content, path)
        is_named = isinstance(key, str) and not OPEN & set(path[:-1])
        if is_named and not _may_lack(content, path):
            with pytest.raises(ReceiptError):
                Receipt.from_dict(sealed(removed(content, path)))
        if isinstance(inside, dict) and not OPEN & set(path):
            edited = replaced(content, path, {**inside, "further": 1})
            with pytest.raises(ReceiptError):
                Receipt.from_dict(sealed(edited))
    with pytest.raises(ReceiptError, match="edited"):
        Receipt.from_dict(removed(content, ("seal",)))


def _may_lack(content, path):
    """Parts of some hosts alone; ends of numbers; the seal, which is put on again."""
    if path[2:3] == ("receipt",) and len(path) > 3:  # a member of a blend
        return _may_lack(at(content, path[:3]), path[3:])
    optional = {"neighbors", "likelihoods", "model"}
    if content["kind"] == "selection" and path[0] in optional:
        return len(path) == 1
    return path == ("seal",) or ("outside_range" in path and path[-1] in {"min", "max"})


few = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@few
@given(st.data())
def test_malformed_is_refused_and_a_lie_does_not_replay(data):
    """Whatever is changed anywhere and sealed anew: a ReceiptError, nothing else."""
    name = data.draw(st.sampled_from(list(FITTED)))
    content = receipt_of(name)
    path = data.draw(st.sampled_from(branches(content)))
    if data.draw(st.booleans()):
        edited = removed(content, path)
    else:
        new = data.draw(
            ANYTHING | st.sampled_from([at(content, p) for p in leaves(content)])
        )
        edited = replaced(content, path, new)
    assume(not _same(edited, content) and path not in NOT_REPLAYED)
    with pytest.raises(ReceiptError):
        model_of(name).verify(edited)
    with pytest.raises(ReceiptError):
        model_of(name).verify(_sealed_again(edited))


def _same(one, other):
    """Equal as data: numbers by value, True is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_same(a, b) for a, b in pairs)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _sealed_again(content):
    """With a fitting seal, if there is one: NaN cannot be sealed."""
    try:
        return sealed(content)
    except ValueError:
        return content


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
    content = data.draw(st.sampled_from(WRITTEN))()
    path = data.draw(st.sampled_from(leaves(content)))
    new = data.draw(SCALARS)
    assume(not _same(at(content, path), new) and path not in NOT_REPLAYED)
    edited = _sealed_again(replaced(content, path, new))
    with pytest.raises(ReceiptError):
        verify(edited, lambda table, wanted: [Receipt.from_dict(content)], "d" * 64)


@given(ANYTHING)
def test_anything_else_is_refused(value):
    for given_value in (value, {"schema": value}, {**knn_receipt(), "query": value}):
        with pytest.raises(ReceiptError):
            Receipt.from_dict(given_value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("votes", 0, "probability"), 1.5, "from 0 to 1"),
        (("cases", "n_rows"), True, "whole number"),
        (("cases", "n_rows"), -1, "whole number"),
        (("cases", "n_rows"), 10**30, "whole number"),
        (("selection", "strategy"), "magic", "one of"),
        (
            ("schema",),
            "sklazy-receipt/2",
            "reads 'sklazy-receipt/3'. Make a new receipt",
        ),
        (("kind",), "trees", "lacks"),
        (("kind",), "magic", "one of"),
        (("answer",), "perhaps", "contradicts itself"),
        (("query", 0, "name"), "other", "contradicts itself"),
        (("votes", 0, "label"), "other", "contradicts itself"),
        (("settings", "n_neighbors"), 10**400, "finite"),
        (("query",), "abc", "a list"),
        (("cases",), [], "a dict"),
        (("neighbors", "listed"), [{}] * 26, "at most 25"),
    ],
)
def test_the_message_says_what_is_wrong(path, value, message):
    with pytest.raises(ReceiptError, match=message):
        Receipt.from_dict(sealed(replaced(knn_receipt(), path, value)))


def test_what_json_cannot_hold_is_refused():
    content = replaced(knn_receipt(), ("votes", 0, "probability"), float("nan"))
    with pytest.raises(ReceiptError, match="JSON cannot represent"):
        Receipt.from_dict(content)
    with pytest.raises(ReceiptError, match="JSON cannot represent"):
        Receipt.from_dict(replaced(knn_receipt(), ("answer",), object()))
    endless = knn_receipt()
    endless["settings"]["loop"] = endless["settings"]
    with pytest.raises(ReceiptError, match="JSON cannot represent"):
        Receipt.from_dict(endless)


def test_settings_may_not_be_nested_too_deeply():
    content = knn_receipt()
    for _ in range(20):
        content["settings"] = {"deeper": content["settings"]}
    with pytest.raises(ReceiptError, match="too deeply"):
        Receipt.from_dict(sealed(content))


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("stacking", ("members", 0, "vote"), "perhaps"),
        ("stacking", ("members", 0, "probabilities"), [1.0]),
        ("stacking", ("members", 3, "evidence", "intercepts"), []),
        ("stacking", ("distance", 0, "name"), "other"),
        ("stacking of numbers", ("members"), []),
        ("stacking of numbers", ("answer"), [1.0]),
        ("tree", ("steps", 0, "remaining_per_class"), [1]),
        ("tree", ("steps", 0, "attribute"), "other"),
        ("local models", ("targets", 0, "name"), "other"),
        ("local models", ("answer"), [1.0, 2.0]),
        ("two targets", ("answer"), 1.0),
        ("local classes", ("targets"), []),
    ],
)
def test_parts_that_do_not_fit_are_refused(name, path, value):
    path = (path,) if isinstance(path, str) else path
    content = replaced(receipt_of(name), path, value)
    with pytest.raises(ReceiptError, match="contradicts itself"):
        Receipt.from_dict(sealed(content))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "nul", b"\xff\xfe\x00"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ReceiptError):
        Receipt.from_json(text)


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
    first, second = (Receipt.from_dict(make()) for make in WRITTEN[:2])
    many = Receipts([first, second])
    assert len(many) == 2
    assert many[0] == first
    assert list(many[1:]) == [second]
    assert second in many
    assert hash(many[:1]) == hash(Receipts([first]))
    assert first.answer == "good"
    assert first.probability == 0.75
    assert first.query == {"color": "red", "size": 2.5, "shape": None}
    assert first["neighbors"]["k"] == 3


def test_what_is_printed_is_short():
    first, second = (Receipt.from_dict(make()) for make in WRITTEN[:2])
    kind = "kind='selection'"
    assert repr(first) == f"Receipt(answer='good', probability=0.750, {kind})"
    many = Receipts([first, second] * 100)
    assert repr(many) == "Receipts(200 receipts of LazyKNeighborsClassifier)"
    number = Receipt.from_dict(receipt_of("local models"))
    assert number.probability is None
    assert repr(number) == f"Receipt(answer={number.answer!r}, kind='local_models')"


def test_whole_numbers_may_lose_their_point_on_the_way():
    """Some tools write 1.0 as 1; that is no edit."""
    content = knn_receipt()
    assert isinstance(content["neighbors"]["distance_of_last"], float)
    content["neighbors"]["distance_of_last"] = 1
    assert verify(
        content, lambda table, wanted: [Receipt.from_dict(knn_receipt())], "d" * 64
    )


def test_verify_asks_again_with_the_receipts_own_row():
    asked = []

    def explain(table, wanted):
        asked.append([column.cells() for column in table])
        return [Receipt.from_dict(knn_receipt())]

    assert verify(knn_receipt(), explain, "d" * 64) is True
    assert asked == [[["red"], [2.5], [None]]]


def test_verify_says_why_it_refuses():
    def explain(table, wanted):
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
    other = sealed(replaced(knn_receipt(), ("cases", "target"), "price"))
    with pytest.raises(ReceiptError, match="their target has another name"):
        verify(other, explain, "d" * 64)


def test_a_setting_that_is_none_may_not_be_left_out():
    path = ("settings", "attribute_weights")
    content = receipt_of("local models")
    assert at(content, path) is None
    with pytest.raises(ReceiptError, match="is absent in the receipt, but None"):
        model_of("local models").verify(sealed(removed(content, path)))


def test_another_kind_of_model_does_not_vouch_for_a_receipt():
    with pytest.raises(ReceiptError, match="does not replay: kind is 'trees'"):
        model_of("stacking").verify(receipt_of("tree"))


@given(st.sampled_from(HOSTILE), st.sampled_from(HOSTILE))
def test_hostile_names_survive_and_are_sealed(name, label):
    content = hostile(
        {**knn_receipt(), "likelihoods": nb_receipt()["likelihoods"]}, name, label
    )
    receipt = Receipt.from_dict(content)
    assert Receipt.from_json(receipt.to_json()).to_dict() == content


def test_the_name_of_the_target_is_its_own():
    assert receipt_of("knn")["cases"]["target"] == "quality"
    (target,) = receipt_of("local models")["cases"]["targets"]
    assert target["name"] == "price"
    assert target["min"] <= target["mean"] <= target["max"]
    names = [target["name"] for target in receipt_of("two targets")["targets"]]
    assert names == ["price", "tax"]


def test_made_receipts_are_not_shared():
    """A test that changes one must not change another's."""
    content = MADE[-1]()
    copied = copy.deepcopy(content)
    content["targets"].clear()
    assert MADE[-1]() == copied


def receipts_of_named_rows(*rows, index=("w", "x", "y", "z")):
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}, index=index)
    model = LazyKNeighborsClassifier(1).fit(X, [0, 0, 1, 1])
    return model, model.explain(X.loc[list(rows)])


def test_receipts_are_headed_by_the_ids_of_rows():
    _, receipts = receipts_of_named_rows("z", "w")
    assert [receipt.row for receipt in receipts] == ["z", "w"]
    for text in (receipts.to_text(), receipts.to_markdown(), receipts.to_html()):
        assert re.search(r"\bz\b", text)
    key = b"sixteen bytes it"
    for one in (
        receipts[1:],
        receipts[1],
        receipts.signed(key)[1],
        pickle.loads(pickle.dumps(receipts[1])),
        Receipt.from_json(receipts[1].to_json()),
    ):
        assert one.to_text().startswith("w\n\nAnswer: 0")
        assert one.to_markdown().startswith("w\n")
        for page in (one.to_html(), one._repr_html_()):
            assert re.search(r">\s*w\s*<", page)


def test_a_number_is_shown_as_the_row_that_it_is():
    _, (receipt,) = receipts_of_named_rows(30, index=[10, 20, 30, 40])
    assert receipt.to_dict()["row"] == 30
    assert receipt.to_text().startswith("Row 30\n\nAnswer: 1")


def test_rows_without_ids_head_no_receipt():
    _, (receipt,) = receipts_of_named_rows(1, index=range(4))
    assert receipt.row is None
    assert "row" not in receipt.to_dict()
    assert receipt.to_text().startswith("Answer: 0")


def test_the_id_of_a_row_is_sealed_and_not_replayed():
    model, (receipt,) = receipts_of_named_rows("w")
    other = receipt.of_row("another")
    assert model.verify(receipt)
    assert model.verify(other)
    assert other.to_text().startswith("another\n\nAnswer: 0")
    assert other != receipt
    with pytest.raises(ReceiptError, match="was edited"):
        Receipt.from_dict({**receipt.to_dict(), "row": "another"})
    with pytest.raises(ReceiptError, match="no signature"):
        receipt.signed(b"sixteen bytes it").of_row("v").check_signature(
            b"sixteen bytes it"
        )
