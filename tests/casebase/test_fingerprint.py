"""Digests of rows by buckets: what a change costs, and against a plain twin."""

import hashlib
from unittest import mock

import numpy as np
import pytest

from sklazy.casebase import CaseBase, fingerprint
from sklazy.casebase.fingerprint import hash_buckets
from sklazy.tables import as_table, as_target


def make(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, 4)).astype(str)
    return as_table(X), as_target(rng.integers(0, 3, n_rows), "nominal")


def test_a_bucket_is_hashed_row_by_row_in_the_order_of_their_hashes():
    hashes = np.array([5 << 52 | 9, 7 << 52, 5 << 52 | 2], np.uint64)
    words = np.array([[1, 2], [3, 4], [5, 6]], np.uint64)

    def plain(*cells):
        content = b"".join(cell.to_bytes(8, "little") for cell in cells)
        return hashlib.sha256(content).digest()

    assert dict(hash_buckets(hashes, words)) == {5: plain(5, 6, 1, 2), 7: plain(3, 4)}
    assert not list(hash_buckets(hashes[:0], words[:0]))


@pytest.mark.parametrize("through_snapshots", [False, True])
def test_a_change_hashes_the_buckets_of_its_rows_alone(through_snapshots):
    cases = CaseBase(*make(300))

    def digest():
        if not through_snapshots:
            return cases.digest()
        with cases.snapshot() as state:
            return state.digest()

    digest()
    with mock.patch.object(
        fingerprint, "hash_buckets", side_effect=hash_buckets
    ) as hashed:
        cases.forget([17])
        digest()
        added = cases.add(*make(1, seed=3))
        digest()
        touched = sum(
            len(np.unique(c.args[0] >> np.uint64(52))) for c in hashed.mock_calls
        )
    assert 1 <= touched <= 2
    cases.forget(added)
    rest = cases.to_table()
    fresh = CaseBase(
        rest,
        as_target(
            [cases.class_labels[c] for c in cases.cases.classes[:299]], "nominal"
        ),
    )
    assert digest() == fresh.digest()


def test_a_digest_that_a_snapshot_has_found_follows_the_rows():
    table, target = make(30)
    cases = CaseBase(table, target)
    with cases.snapshot() as state:
        state.digest()
    cases.forget([4])
    rest = [i for i in range(30) if i != 4]
    assert cases.digest() == CaseBase(table.take(rest), target.take(rest)).digest()


def test_many_rows_are_hashed_some_buckets_at_a_time(monkeypatch):
    digest = CaseBase(*make(200)).digest()
    monkeypatch.setattr(fingerprint, "_MOST_CELLS", 20)
    assert CaseBase(*make(200)).digest() == digest


def test_rows_of_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(
        "sklazy.casebase.coder.content_hashes",
        lambda columns: np.zeros(len(next(iter(columns))), np.uint64),
    )
    table, target = make(40)
    order = np.random.default_rng(1).permutation(40)
    turned = table.take(order.tolist()), target.take(order)
    whole, other = CaseBase(table, target), CaseBase(*turned)
    assert whole.digest() == other.digest()
    assert whole.digest() != CaseBase(*make(40, seed=5)).digest()


def test_equal_rows_are_sorted_by_their_ids():
    table, target = as_table([["a"]] * 4), as_target(["u"] * 4, "nominal")
    for ids in ([3, 1, 7, 2], ["c", "a", "d", "b"]):
        cases = CaseBase(table, target, ids=ids)
        assert cases.ids[cases.sort_by_content()].tolist() == sorted(ids)
