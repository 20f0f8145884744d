"""A case base as it is kept in a file: rows and all that was derived from them.

Nothing is derived anew when it is loaded, so that arrays can stay in the file. What
arrays index with is checked to lie where it must, unless they stay in the file: that
would read all of it.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.bins import Bins
from sklazy.casebase.buckets import Buckets
from sklazy.casebase.coder import Coder
from sklazy.casebase.cuts import criterion_code
from sklazy.casebase.files import SENSELESS, map_file, read_file, write_file
from sklazy.casebase.incoming import as_ids
from sklazy.casebase.kinds import rebuilt
from sklazy.casebase.plain import (
    Arrays,
    describe_schema,
    from_plain,
    read_half_life,
    read_schema,
)
from sklazy.casebase.ranges import Ranges
from sklazy.casebase.rows import CLASSES, Rows, narrowest
from sklazy.casebase.schema import Schema
from sklazy.casebase.tallies import MOST_BIT_VALUES, Tallies
from sklazy.errors import BadFileError, BadInputError
from sklazy.kernels.bits import words_for
from sklazy.tables import canonical

_OF_ROWS = ("numbers", "codes", "classes", "targets", "own_weights", "times", "arrival")
_CODES = ("|i1", "<i2", "<i4", "<i8")
_TYPES = {
    **dict.fromkeys(_OF_ROWS, ("<f8",)),
    **dict.fromkeys(("codes", "classes", "arrival"), _CODES),
    **dict.fromkeys(("counts", "class_counts", "labels"), ("<i8",)),
    **dict.fromkeys(("value_bits", "class_bits"), ("<u8",)),
    "edges": ("<f8",),
}
_OF_TALLIES = ("counts", "class_counts", "value_bits", "class_bits")


def save_cases(cases: CaseBase, path: str | Path) -> None:
    """Write a case base to a file, all or nothing."""
    header, arrays = to_stored(cases)
    write_file(path, {"content": "casebase", **header}, arrays)


def load_cases(path: str | Path, *, mapped: bool = False) -> CaseBase:
    """Read a case base; a file that is anything else is refused."""
    header, arrays = map_file(path) if mapped else read_file(path)
    if header.pop("content", None) != "casebase":
        raise BadFileError("the file holds something else than a case base.", path)
    return from_stored(header, arrays, path, mapped=mapped)


def to_stored(cases: CaseBase) -> tuple[dict[str, Any], Arrays]:
    """Take a case base apart into JSON and arrays of their own."""
    with cases._lock:  # as it is now, whatever others do to it meanwhile
        whole = _as_if_new(cases.joined())
        state = {**whole.__getstate__(), "next_id": cases.next_id}
    rows, tallies, bins, coder = (
        state[n] for n in ("rows", "tallies", "bins", "coder")
    )
    header = {
        **describe_schema(state["schema"], coder),
        "half_life": state["half_life"],
        "has_classes": coder.has_classes,
        "criterion": bins.criterion,
        "cuts": "frozen" if bins.frozen else "exact",
        "found": bins.current,
        "ids": rows.ids.tolist() if rows.has_text_ids else None,
        "next_id": state["next_id"],
        "n_rows": rows.n_rows,
    }
    counts = [vocabulary.counts for vocabulary in coder.holders()]
    arrays: Arrays = {
        **{name: getattr(rows, name) for name in _OF_ROWS},
        **{name: getattr(tallies, name) for name in _OF_TALLIES},
        "ids": rows.ids if rows.keeps_numbers else np.zeros(0, np.int64),
        "labels": np.concatenate([np.zeros(0, np.int64), *counts]),
        "edges": state["ranges"].edges,
    }
    return header, arrays | {f"cuts{i}": cuts for i, cuts in enumerate(bins.cuts)}


def _as_if_new(cases: CaseBase) -> CaseBase:
    """The rows in the order of a new base: that of others tells what was erased."""
    every = np.arange(cases.n_rows)
    return cases if np.array_equal(cases.order, every) else rebuilt(cases, every)


def from_stored(
    header: dict[str, Any], arrays: Arrays, path: object, *, mapped: bool = False
) -> CaseBase:
    """Put a case base together again; one of format 1 is derived anew."""
    if "n_rows" not in header:
        return from_plain(header, arrays, path)
    try:
        return _put_together(header, arrays, mapped=mapped)
    except SENSELESS as error:
        raise BadFileError(f"the file contradicts itself ({error}).", path) from error


def _put_together(header: dict[str, Any], arrays: Arrays, *, mapped: bool) -> CaseBase:
    schema = read_schema(header)
    cases = CaseBase.__new__(CaseBase)
    cases.schema, cases.coder = schema, _coder(schema, header, arrays)
    cases.half_life = read_half_life(header, has_times=len(arrays["times"]) > 0)
    cases.rows = _rows(cases.coder, header, arrays)
    cases.bins = _bins(header, arrays, len(cases.coder.numeric))
    cases.tallies = _tallies(cases, arrays)
    cases.ranges = Ranges(len(cases.coder.numeric))
    cases.ranges.edges = _of_shape(arrays, "edges", cases.ranges.edges.shape)
    cases.buckets, cases.next_id = Buckets(), int(header["next_id"])
    cases._start_sharing()
    if not mapped:
        _check_cells(cases)
    return cases


def _coder(schema: Schema, header: dict[str, Any], arrays: Arrays) -> Coder:
    coder, place = Coder(schema, has_classes=bool(header["has_classes"])), 0
    labels = {j: entry[2] for j, entry in enumerate(header["attributes"])}
    labels[CLASSES] = header["classes"][0]
    for j, vocabulary in coder.vocabularies.items():
        own = labels[j]
        free = own[vocabulary.declared :]
        known = own[: vocabulary.declared] == vocabulary.labels
        if not known or len({*own}) != len(own) or list(canonical(free)) != free:
            raise BadInputError(f"labels {own[:5]} are not in order")
        counts = arrays["labels"][place : place + len(own)]
        if len(counts) < len(own) or (counts < 0).any():
            raise BadInputError("labels are not counted")
        vocabulary.restore((own, counts.copy()))
        place += len(own)
    return coder


def _rows(coder: Coder, header: dict[str, Any], arrays: Arrays) -> Rows:
    n_rows, n_numeric = int(header["n_rows"]), len(coder.numeric)
    n_attributes = len(coder.schema.attributes)
    rows = Rows(n_numeric, n_attributes, len(arrays["targets"]), len(arrays["times"]))
    if n_rows < 1 or bool(len(arrays["targets"])) == coder.has_classes:
        raise BadInputError(f"{n_rows} rows, {len(arrays['targets'])} targets")
    for name in _OF_ROWS:
        lead = getattr(rows, name).shape[:-1]
        if name == "own_weights":
            lead = (min(len(arrays[name]), 1),)
        setattr(rows, name, _of_shape(arrays, name, (*lead, n_rows)))
    rows.origin = np.zeros((min(n_numeric, 1), n_rows), narrowest(n_rows))
    rows.origin[:] = -1
    rows.hashes = np.zeros((0, n_rows), np.uint64)
    rows.n_rows = n_rows
    rows.name(_ids(header["ids"], arrays["ids"], n_rows))
    return rows


def _ids(texts: Any, numbers: NDArray[Any], n_rows: int) -> NDArray[Any] | None:  # noqa: ANN401 - of a file
    """The ids that a file has; None for numbers of arrival."""
    if texts is None and not len(numbers):
        return None
    ids = as_ids(numbers if texts is None else texts)
    if len(ids) != n_rows or len(np.unique(ids)) != n_rows:
        raise BadInputError(f"{len(ids)} ids for {n_rows} rows")
    return ids


def _bins(header: dict[str, Any], arrays: Arrays, n_numeric: int) -> Bins:
    if header["cuts"] not in ("exact", "frozen"):
        raise BadInputError(f"cuts are {header['cuts']!r}")
    criterion_code(header["criterion"])
    bins = Bins(n_numeric, header["criterion"], frozen=header["cuts"] == "frozen")
    bins.cuts = [arrays[f"cuts{i}"].copy() for i in range(n_numeric)]
    if any(c.ndim != 1 or not (np.diff(c) > 0).all() for c in bins.cuts):
        raise BadInputError("cuts are not in order")
    bins.current = bool(header["found"])
    return bins


def _tallies(cases: CaseBase, arrays: Arrays) -> Tallies:
    """Counts and bit sets, of the shapes that labels and cuts call for."""
    widths = np.array(cases.coder.widths(cases.bins.cuts), np.int64)
    n_classes, n_words = cases.coder.n_classes, words_for(cases.n_rows)
    tallies = Tallies(len(widths))
    kept = np.where(widths <= MOST_BIT_VALUES, widths, 0)
    tallies.offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    tallies.starts = np.where(widths > MOST_BIT_VALUES, -1, np.cumsum(kept) - kept)
    shapes = [
        (int(widths.sum()), n_classes),
        (n_classes,),
        (int(kept.sum()) + 1, n_words),
        (n_classes, n_words),
    ]
    for name, shape in zip(_OF_TALLIES, shapes, strict=True):
        setattr(tallies, name, _of_shape(arrays, name, shape))
    tallies.stale[:] = False
    return tallies


def _of_shape(arrays: Arrays, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of a file, if it has the shape and the type that it must have."""
    array = arrays[name]
    if array.shape != shape or array.dtype.str not in _TYPES[name]:
        raise BadInputError(f"{name} has {array.dtype} in {array.shape}, not {shape}")
    return array


def _check_cells(cases: CaseBase) -> None:
    """Refuse codes, classes and places that point nowhere, and infinite numbers."""
    rows, live = cases.rows, cases.rows.live()
    widths = np.diff(cases.tallies.offsets)
    lows, highs = live.codes.min(axis=1), live.codes.max(axis=1)
    if (lows < -1).any() or (highs >= np.maximum(widths, 1)).any():
        raise BadInputError("codes without a label")
    most = max(cases.coder.n_classes, 1)
    if live.classes.min() < 0 or live.classes.max() >= most:
        raise BadInputError("classes without a label")
    if live.arrival.min() < 0 or (np.bincount(live.arrival) != 1).any():
        raise BadInputError("rows did not arrive one by one")
    numbers = (live.targets, rows.own_weights, live.times, live.numbers)
    if any(np.isinf(n).any() for n in numbers) or np.isnan(live.targets).any():
        raise BadInputError("numbers are infinite or missing")
    if not (rows.own_weights >= 0).all() or np.isnan(live.times).any():
        raise BadInputError("weights or times make no sense")
