"""A case base from the arrays of a file, which stay where they are.

Nothing is derived anew. What arrays index with is checked to lie where it must, unless
they stay in the file: that would read all of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.bins import Bins, Ranges
from sklazy.casebase.coder import Coder
from sklazy.casebase.cuts import criterion_code
from sklazy.casebase.fingerprint import Buckets
from sklazy.casebase.holding import PartsHere, concatenate_rows
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part
from sklazy.casebase.rows import CLASSES, NO_ROWS, CodedRows, Ids, Rows
from sklazy.casebase.schema import Schema
from sklazy.casebase.tallies import MOST_BIT_VALUES, CellTallies
from sklazy.errors import BadInputError
from sklazy.storage.outline import (
    Arrays,
    arrays_of_segment,
    read_half_life,
    read_schema,
    segment_shapes,
)
from sklazy.storage.packed import STEP, PackedRows, Packing
from sklazy.storage.stored_ids import Runs
from sklazy.tables import canonical

Floats = NDArray[np.float64]

_OF_TALLIES = ("counts", "class_counts", "value_bits", "class_bits")
_FEW_CELLS = 1 << 20  # that are unpacked at once


class Opened:
    """The description of the rows in a file, and the arrays of each segment.

    Attributes
    ----------
    segments : list of dict, arrays by name
    sizes : list of int, the rows of each
    runs : list of Runs, their numbers
    """

    def __init__(self, header: dict[str, Any], arrays: Arrays) -> None:
        self.header, self.arrays = header, arrays
        self.schema = read_schema(header)
        self.n_segments = int(header["segments"])
        if not 1 <= self.n_segments == len(arrays["sizes"]):
            raise BadInputError(f"{self.n_segments} segments")
        self.bins = _bins(header, arrays, len(self.schema.positions("numeric")))
        numbers = range(self.n_segments)
        self.segments = [arrays_of_segment(arrays, number) for number in numbers]
        self.sizes = arrays["sizes"].tolist()
        self.coders = [
            _coder(self.schema, header, segment) for segment in self.segments
        ]
        self.widths = np.array(self.coders[0].widths(self.bins.cuts), np.int64)
        has_times = len(self.segments[0]["times"]) > 0
        self.half_life = read_half_life(header, has_times=has_times)
        for segment, n_rows in zip(self.segments, self.sizes, strict=True):
            self._check_shapes(segment, n_rows)
        lengths = arrays["n_runs"].tolist()
        self.runs = [
            _runs(segment["runs"], n_runs, n_rows)
            for segment, n_runs, n_rows in zip(
                self.segments, lengths, self.sizes, strict=True
            )
        ]

    # --- what it becomes --------------------------------------------------------------

    def whole(self) -> CaseBase:
        """The only segment as a case base."""
        cases = object.__new__(CaseBase)
        self._fill(cases, 0)
        cases.bins = self.bins
        if cases.n_rows * len(cases.names) <= _FEW_CELLS:
            cases.rows.unpack()
        return cases

    def parted(
        self, added: Sequence[CodedRows], next_id: int = 0, *, mapped: bool = True
    ) -> PartedBase:
        """The segments as parts of one case base, and a part for further rows."""
        head = self.head(next_id)
        parts = [self.part(number, number) for number in range(self.n_segments)]
        further = self._further(head, added)
        looked_at = parts if self.header["ids"] == "numbers" or not mapped else []
        _check_added(further.ids, [part.rows for part in looked_at])
        parts.append(Part.of(head, further, len(parts)))
        return PartedBase(head, PartsHere(parts), [*self.sizes, len(further)])

    def _further(self, head: CaseBase, added: Sequence[CodedRows]) -> CodedRows:
        """The rows that were added, in the codes of the others."""
        none = head.rows.take(NO_ROWS)
        for batch in added:
            _check_like(batch, none)
            self._check_further(batch)
        rows = concatenate_rows([none, *added])
        rows.arrival = np.arange(len(rows))
        for i, j in enumerate(head.coder.numeric):
            rows.codes[j] = head.bins.code(i, rows.numbers[i])
        return rows

    def head(self, next_id: int) -> CaseBase:
        """A case base without rows, of these labels and cuts."""
        head, n_targets = object.__new__(CaseBase), len(self.segments[0]["targets"])
        head._start_empty(self.schema, self.bins, n_targets, self.half_life)
        head.coder = self.coders[0].twin()
        head.next_id = max(int(self.header["next_id"]), next_id)
        return head

    def part(self, segment: int, number: int) -> Part:
        """A segment as a part with some number."""
        part = object.__new__(Part)
        self._fill(part, segment)
        for vocabulary in part.coder.vocabularies.values():
            vocabulary.pinned = True
        part.bins = Bins(len(self.bins.cuts), self.bins.criterion, frozen=True)
        part.bins.restore(self.bins.cuts)
        part.start_alone(number, self.bins.cuts, part.ranges.edges)
        return part

    def _fill(self, base: CaseBase, number: int) -> None:
        """Give a base the rows of a segment."""
        arrays = self.segments[number]
        base.schema, base.half_life = self.schema, self.half_life
        base.coder, base.buckets = self.coders[number], Buckets()
        base.tallies = self._tallies(arrays)
        base.ranges = Ranges(len(base.coder.numeric))
        base.ranges.edges = arrays["edges"].copy()
        packing = Packing(
            base.tallies.starts, self.widths, arrays["value_bits"], arrays["codes"]
        )
        base.rows = PackedRows(arrays, self.sizes[number], packing, self.runs[number])
        base.next_id = int(self.header["next_id"])
        base._start_sharing()

    def _tallies(self, arrays: dict[str, NDArray[Any]]) -> CellTallies:
        widths, tallies = self.widths, CellTallies(len(self.widths))
        kept = np.where(widths <= MOST_BIT_VALUES, widths, 0)
        tallies.offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        tallies.starts = np.where(widths > MOST_BIT_VALUES, -1, np.cumsum(kept) - kept)
        for name in _OF_TALLIES:
            setattr(tallies, name, arrays[name])
        tallies.stale[:] = False
        return tallies

    # --- what is refused --------------------------------------------------------------

    def _check_shapes(self, arrays: dict[str, NDArray[Any]], n_rows: int) -> None:
        """Refuse arrays of other types and shapes than labels and cuts call for."""
        room = arrays["classes"].shape[-1]
        shapes = segment_shapes(self.coders[0], self.widths, room)
        n_targets, n_times = len(arrays["targets"]), len(arrays["times"])
        named = self.header["ids"]
        shapes["targets"] = "<f8", (n_targets, room)
        shapes["times"] = "<f8", (n_times, room)
        shapes["own_weights"] = "<f8", (min(len(arrays["own_weights"]), 1), room)
        shapes["runs"] = "<i8", (len(arrays["runs"]), 2)
        shapes["ids"] = "<i8", (room * (named == "given"),)
        shapes["texts"] = "|u1", (room, arrays["texts"].shape[-1] * (named == "text"))
        for name, (kind, shape) in shapes.items():
            array = arrays[name]
            if array.shape != shape or array.dtype != np.dtype(kind):
                raise BadInputError(
                    f"{name} has {array.dtype} in {array.shape}, not {shape}"
                )
        if (arrays["texts"].shape[-1] > 0) != (named == "text"):
            raise BadInputError(f"ids are {named!r}")
        if bool(n_targets) == self.coders[0].has_classes:
            raise BadInputError(f"{n_targets} targets")
        if not 0 <= n_rows <= room or sum(self.sizes) < 1:
            raise BadInputError(f"{n_rows} rows")

    def _check_further(self, rows: CodedRows) -> None:
        """Refuse added rows with codes that point nowhere, or senseless numbers."""
        if (rows.ids.dtype == object) != (self.header["ids"] == "text"):
            raise BadInputError(f"ids are {self.header['ids']!r}")
        for j, vocabulary in self.coders[0].vocabularies.items():
            codes = rows.classes if j == CLASSES else rows.codes[j]
            least = 0 if j == CLASSES else -1
            if (codes < least).any() or (codes >= len(vocabulary)).any():
                raise BadInputError("codes without a label")
        _check_floats(rows.numbers, rows.targets, rows.weights, rows.times)

    def check_cells(self) -> None:
        """Refuse codes, classes and places that point nowhere, and infinite numbers."""
        for arrays, n_rows in zip(self.segments, self.sizes, strict=True):
            _check_sets(arrays, n_rows)
            wide = self.widths[self.widths > MOST_BIT_VALUES]
            codes = arrays["codes"][:, :n_rows]
            if (codes < -1).any() or (codes >= wide[:, None]).any():
                raise BadInputError("codes without a label")
            _check_classes(arrays, n_rows, self.coders[0].n_classes)
            floats = ("numbers", "targets", "own_weights", "times")
            _check_floats(*(arrays[name] for name in floats))
        self._check_counts()
        _check_named(self.segments, self.sizes, self.runs)

    def _check_counts(self) -> None:
        """Refuse counts of labels and values that are not those of the rows."""
        for number, coder in enumerate(self.coders):
            arrays, n_rows = self.segments[number], self.sizes[number]
            by_attribute = _count_values(arrays, self.widths, n_rows)
            labels = [by_attribute[j] for j in coder.nominal]
            if coder.n_classes:
                classes = _count_codes(arrays["classes"], coder.n_classes, n_rows)
                labels.append(classes)
                by_value = np.array_equal(
                    np.concatenate(by_attribute), arrays["counts"].sum(1)
                )
                if not by_value or not np.array_equal(classes, arrays["class_counts"]):
                    raise BadInputError("rows are not counted")
            stored = [v.counts for v in coder.vocabularies.values()]
            if not all(map(np.array_equal, labels, stored)):
                raise BadInputError("labels are not counted")


def _count_values(
    arrays: dict[str, NDArray[Any]], widths: NDArray[np.int64], n_rows: int
) -> list[NDArray[np.int64]]:
    """The rows of each value, attribute by attribute."""
    wide, place, counts = iter(arrays["codes"]), 0, []
    for width in widths.tolist():
        if width > MOST_BIT_VALUES:
            counts.append(_count_codes(next(wide), width, n_rows))
            continue
        sets = arrays["value_bits"][place : place + width]
        counts.append(np.array([np.bitwise_count(s).sum() for s in sets], np.int64))
        place += width
    return counts


def _count_codes(codes: NDArray[Any], n_codes: int, n_rows: int) -> NDArray[np.int64]:
    """The rows of each code; missing ones have none."""
    counts = np.zeros(n_codes + 1, np.int64)
    for first in range(0, n_rows, STEP):
        some = codes[first : min(first + STEP, n_rows)]
        counts += np.bincount(some.astype(np.int64) + 1, minlength=n_codes + 1)
    return counts[1:]


def _check_sets(arrays: dict[str, NDArray[Any]], n_rows: int) -> None:
    """Refuse bits behind the last row."""
    for name in ("value_bits", "class_bits"):
        words = arrays[name][:, n_rows >> 6 :].copy()
        words[:, :1] >>= np.uint64(n_rows & 63)
        if words.any():
            raise BadInputError("bit sets of other rows")
    if arrays["value_bits"][-1].any():
        raise BadInputError("a set that must be empty")


def _check_classes(
    arrays: dict[str, NDArray[Any]], n_rows: int, n_classes: int
) -> None:
    classes = arrays["classes"][:n_rows]
    if n_rows and (classes.min() < 0 or classes.max() >= max(n_classes, 1)):
        raise BadInputError("classes without a label")


def _check_floats(
    numbers: Floats, targets: Floats, weights: Floats, times: Floats
) -> None:
    """Refuse numbers that are infinite, and weights below 0."""
    if any(np.isinf(n).any() for n in (numbers, targets, weights, times)):
        raise BadInputError("numbers are infinite")
    if np.isnan(targets).any() or np.isnan(times).any() or not (weights >= 0).all():
        raise BadInputError("targets, weights or times make no sense")


def _check_like(rows: CodedRows, like: CodedRows) -> None:
    """Refuse added rows of other types and shapes than the others."""
    for name, other in vars(like).items():
        array = getattr(rows, name)
        kinds = "iO" if name == "ids" else other.dtype.kind
        if array.dtype.kind not in kinds or array.shape != (
            *other.shape[:-1],
            len(rows),
        ):
            raise BadInputError(f"{name} has {array.dtype} in {array.shape}")


def _check_named(
    segments: Sequence[dict[str, NDArray[Any]]],
    sizes: Sequence[int],
    runs: Sequence[Runs],
) -> None:
    """Refuse ids and numbers of arrival that two rows have."""
    sorted_runs = [segment.in_order() for segment in runs if segment.n_rows]
    firsts = np.concatenate([segment.firsts for segment in sorted_runs])
    lasts = np.concatenate([segment.lasts() for segment in sorted_runs])
    if (firsts < 0).any() or (firsts[1:] <= lasts[:-1]).any():
        raise BadInputError("rows did not arrive one by one")
    for name in ("ids", "texts"):
        parts = [segment[name][:n] for segment, n in zip(segments, sizes, strict=True)]
        names = np.concatenate(parts)
        if names.size and len(np.unique(names, axis=0)) != sum(sizes):
            raise BadInputError("ids that two rows have")


def _check_added(ids: Ids, others: Sequence[Rows]) -> None:
    """Refuse ids of added rows that two of them have, or one of other rows."""
    is_twice = len(set(ids.tolist())) < len(ids)
    if is_twice or any(len(rows.places_of(ids)) for rows in others if len(ids)):
        raise BadInputError("ids that two rows have")


def _coder(schema: Schema, header: dict[str, Any], arrays: dict[str, Any]) -> Coder:
    coder, place = Coder(schema, has_classes=bool(header["has_classes"])), 0
    labels = {j: entry[2] for j, entry in enumerate(header["attributes"])}
    labels[CLASSES] = header["classes"][0]
    for j, vocabulary in coder.vocabularies.items():
        known = labels[j]
        free = known[vocabulary.declared :]
        is_known = known[: vocabulary.declared] == vocabulary.labels
        repeated = len({*known}) != len(known) or any(l != l for l in known)
        if not is_known or repeated or list(canonical(free)) != free:
            raise BadInputError(f"labels {known[:5]} are not in order")
        counts = arrays["labels"][place : place + len(known)]
        if len(counts) < len(known) or (counts < 0).any():
            raise BadInputError("labels are not counted")
        vocabulary.restore((known, counts.copy()))
        place += len(known)
    return coder


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


def _runs(array: NDArray[np.int64], n_runs: int, n_rows: int) -> Runs:
    """The runs that a file has, places from 0 on and rising."""
    if not min(n_rows, 1) <= n_runs <= len(array):
        raise BadInputError(f"{n_runs} runs")
    starts, firsts = array[:n_runs].T.copy()
    if starts[:1].any() or (np.diff(starts) < 1).any() or (starts >= n_rows).any():
        raise BadInputError("runs are not in order")
    return Runs(starts, firsts, n_rows)
