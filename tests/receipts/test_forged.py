"""Receipts that were edited anywhere and sealed anew: refused, always in one way."""

import contextlib
import copy
import functools
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from made_receipts import ANYTHING, FITTED, at, branches, model_of, receipt_of
from sklazy.errors import ReceiptError
from sklazy.receipts import Receipt, sealed
from sklazy.receipts.replay import first_difference

# A query of 1e308 is too large for some models of scikit-learn, which is said.
pytestmark = pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")

many = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)

ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e308,
        -1e308,
        5e-324,
        2**63,
        2**1023,
        10**400,
        10**5000,
        float("nan"),
        float("inf"),
        "",
        "\ud800",
        "y" * 10_000,
        [],
        {},
        [[]],
        [None],
        {"": None},
        (1, 2),
        {1, 2},
        b"bytes",
        {3: 4},
        {3: 4, "a": 5},
        object(),
        1j,
    ]
)
VALUES = ODD | ANYTHING
KEYS = st.sampled_from(["", "id", "name", "seal", "error", "label"]) | st.text()


def nested(levels):
    inside = None
    for _ in range(levels):
        inside = [inside]
    return inside


def edits(content):
    """Functions that change a content in one place, whatever stands there."""
    paths = branches(content)
    holders = [(), *(p for p in paths if isinstance(at(content, p), dict | list))]
    return st.one_of(
        st.builds(lambda path: lambda c: _delete(c, path), st.sampled_from(paths)),
        st.builds(
            lambda path, value: lambda c: _put(c, path, value),
            st.sampled_from(paths),
            VALUES,
        ),
        st.builds(
            lambda path, key, value: lambda c: _add(c, path, key, value),
            st.sampled_from(holders),
            KEYS,
            VALUES,
        ),
        st.builds(lambda path: lambda c: _retype(c, path), st.sampled_from(paths)),
        st.builds(
            lambda path, levels: lambda c: _put(c, path, nested(levels)),
            st.sampled_from(paths),
            st.sampled_from([1, 11, 12, 13, 200, 5000]),
        ),
        st.builds(
            lambda path, other: lambda c: _put(c, path, at(c, other)),
            st.sampled_from(paths),
            st.sampled_from(paths),
        ),
    )


def _delete(content, path):
    del at(content, path[:-1])[path[-1]]


def _put(content, path, value):
    at(content, path[:-1])[path[-1]] = value


def _add(content, path, key, value):
    holder = at(content, path)
    if isinstance(holder, dict):
        holder[key] = value
    else:
        holder.insert(len(holder) // 2, value)


def _retype(content, path):
    """A string of a number, a number of a bool, a list of a dict, and the like."""
    old = at(content, path)
    if isinstance(old, dict):
        new = [[key, value] for key, value in old.items()]
    elif isinstance(old, list):
        new = {str(i): item for i, item in enumerate(old)}
    elif isinstance(old, str):
        new = [old]
    else:
        new = int(old) if isinstance(old, bool) else str(old)
    _put(content, path, new)


def is_equal(one, other):
    """Whether nothing was changed, but for the seal."""
    plain = [{k: v for k, v in c.items() if k != "seal"} for c in (one, other)]
    try:
        return first_difference(*plain) is None
    except RecursionError:
        return False


def is_another_receipt(one, other):
    """Whether the query alone was changed: it may be the receipt of another query."""
    plain = [
        {k: v for k, v in c.items() if k not in {"seal", "query", "selection"}}
        for c in (one, other)
    ]
    return one["query"] != other.get("query") and is_equal(*plain)


@functools.cache
def kept(name):
    """The receipt of a model; whoever edits it works on a copy."""
    return receipt_of(name)


@pytest.mark.parametrize("name", FITTED)
@many
@given(data=st.data())
def test_every_edit_of_every_kind_is_refused(name, data):
    content = kept(name)
    edited = copy.deepcopy(content)
    data.draw(edits(edited))(edited)
    model = model_of(name)
    if edited.get("seal") != content["seal"] or not is_equal(content, edited):
        with pytest.raises(ReceiptError):
            model.verify(edited)
    try:
        forged = sealed(edited)
    except (TypeError, ValueError, RecursionError):
        event("cannot be sealed")
        return
    if is_equal(content, edited):
        # Equal numbers may be written in another way: a count of 0.0 is refused.
        rewritten = json.dumps(forged) != json.dumps(sealed(content))
        with (
            contextlib.suppress(ReceiptError) if rewritten else contextlib.nullcontext()
        ):
            assert model.verify(forged)
    elif is_another_receipt(content, edited):
        event("another query")
        with contextlib.suppress(ReceiptError):
            model.verify(forged)
    else:
        with pytest.raises(ReceiptError):
            model.verify(forged)


@pytest.mark.parametrize("name", FITTED)
def test_keys_of_none_can_be_neither_added_nor_removed(name):
    content = kept(name)
    for path in [(), *branches(content)]:
        if isinstance(at(content, path), dict):
            edited = copy.deepcopy(content)
            at(edited, path)["never heard of"] = None
            with pytest.raises(ReceiptError):
                model_of(name).verify(sealed(edited))
        elif path and at(content, path) is None and isinstance(path[-1], str):
            edited = copy.deepcopy(content)
            _delete(edited, path)
            with pytest.raises(ReceiptError):
                model_of(name).verify(sealed(edited))


@pytest.mark.parametrize("value", [10**5000, np.zeros(3), [[]], None, 1j], ids=type)
@pytest.mark.parametrize("key", ["schema", "kind", "seal", "signature", "cases"])
def test_strange_values_at_the_top_are_refused(key, value):
    with pytest.raises(ReceiptError):
        model_of("tree").verify({**kept("tree"), key: value})


def test_a_key_that_comes_twice_is_refused():
    """Programs differ in which of the two they read."""
    text = Receipt.from_dict(kept("tree")).to_json()
    twice = text.replace('{\n  "schema"', '{\n  "answer": "bad",\n  "schema"', 1)
    assert twice != text
    assert json.loads(twice) == json.loads(text)
    with pytest.raises(ReceiptError, match="occurs twice"):
        Receipt.from_json(twice)


@pytest.mark.parametrize(
    "value", [2**63, 2**1023, 1e308, -1e308, 5e-324, True, "", "\ud800", "2.5", "red"]
)
@pytest.mark.parametrize("name", FITTED)
def test_the_receipt_of_a_strange_query_is_refused_or_replays(name, value):
    for i in range(3):
        edited = copy.deepcopy(kept(name))
        edited["query"][i] |= {"value": value, "known": "yes"}
        with contextlib.suppress(ReceiptError):
            assert model_of(name).verify(sealed(edited))
