"""A case base as plain data, and back: rows and settings, the rest is derived."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.files import SENSELESS, read_file, write_file
from sklazy.casebase.moments import NO_TIMES, Clock, Times, as_length, as_times
from sklazy.casebase.rows import CLASSES, CodedRows
from sklazy.casebase.schema import Attribute, Schema
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.errors import BadFileError, BadInputError
from sklazy.tables import Column, Kind, Table
from sklazy.tables.origins import Origin
from sklazy.tables.reading import Reading

Arrays = dict[str, NDArray[Any]]


def save_cases(cases: CaseBase, path: str | Path) -> None:
    """Write a case base to a file, all or nothing."""
    header, arrays = to_plain(cases)
    write_file(path, {"content": "casebase", **header}, arrays)


def load_cases(path: str | Path) -> CaseBase:
    """Read a case base; a file that is anything else is refused."""
    header, arrays = read_file(path)
    if header.pop("content", None) != "casebase":
        raise BadFileError("the file holds something else than a case base.", path)
    return from_plain(header, arrays, path)


def to_plain(cases: CaseBase) -> tuple[dict[str, Any], Arrays]:
    """Take a case base apart into JSON and arrays of their own."""
    with cases._lock:  # as it is now, whatever others do to it meanwhile
        # In order of arrival, so that no numbers need to be written for it.
        return _taken_apart(cases, cases.rows.take(np.argsort(cases.arrival)))


def _taken_apart(cases: CaseBase, rows: CodedRows) -> tuple[dict[str, Any], Arrays]:
    vocabularies = cases.coder.vocabularies
    text_ids = rows.ids.dtype == object
    header = {
        "attributes": [
            (a.name, a.kind, *_labels(vocabularies.get(j)))
            for j, a in enumerate(cases.schema.attributes)
        ],
        "named": cases.schema.named,
        "targets": cases.schema.targets,
        "origins": [(o.name, o.kind, _plain_reading(o)) for o in cases.schema.origins],
        "classes": _labels(vocabularies.get(CLASSES)),
        "indexed": cases.schema.indexed,
        "clock": cases.schema.clock,
        "half_life": cases.half_life,
        "has_classes": cases.coder.has_classes,
        "criterion": cases.bins.criterion,
        "cuts": "frozen" if cases.bins.frozen else "exact",
        "settled": cases.bins.frozen and cases.bins.current,
        "ids": rows.ids.tolist() if text_ids else None,
        "next_id": cases.next_id,
    }
    arrays: Arrays = {
        "numbers": rows.numbers,
        "codes": rows.codes[cases.coder.nominal],
        "classes": rows.classes,
        "targets": rows.targets,
        "weights": rows.weights,
        **({"times": rows.times[0]} if len(rows.times) else {}),
        "ids": np.zeros(0, np.int64) if text_ids else rows.ids,
    }
    frozen = cases.bins.cuts if header["settled"] else []
    return header, arrays | {f"cuts{i}": cuts for i, cuts in enumerate(frozen)}


def from_plain(header: dict[str, Any], arrays: Arrays, path: object) -> CaseBase:
    """Put a case base together again from what `to_plain` made."""
    try:
        cases = CaseBase(
            _table(header, arrays),
            _target(header, arrays),
            weights=arrays["weights"],
            times=_times(header, arrays),
            ids=arrays["ids"] if header["ids"] is None else header["ids"],
            criterion=header["criterion"],
            cuts=header["cuts"],
            schema=_schema(header),
        )
        if header["settled"]:
            n_numeric = len(cases.rows.numbers)
            cases.settle_cuts([arrays[f"cuts{i}"] for i in range(n_numeric)])
        cases.next_id = max(cases.next_id, int(header["next_id"]))
    except SENSELESS as error:
        raise BadFileError(f"the file contradicts itself ({error}).", path) from error
    return cases


def _times(header: dict[str, Any], arrays: Arrays) -> Times:
    clock, half_life = header.get("clock", ""), header.get("half_life")
    if clock not in get_args(Clock) or bool(clock) != ("times" in arrays):
        raise BadInputError(f"the clock is {clock!r}")
    times = as_times(arrays["times"]) if clock else NO_TIMES
    length = None if half_life is None else as_length(half_life, clock, "half_life")
    return replace(times, clock=clock, half_life=length)


def _labels(vocabulary: Vocabulary | None) -> tuple[list[Any], int]:
    """The labels and how many of them are declared."""
    return ([], 0) if vocabulary is None else (vocabulary.labels, vocabulary.declared)


def _plain_reading(origin: Origin) -> list[str]:
    reading = origin.reading
    return [] if reading is None else [reading.style, reading.form, reading.unit]


def _origin(name: str, kind: Kind, reading: list[str]) -> Origin:
    if kind not in get_args(Kind) or not all(isinstance(r, str) for r in reading):
        raise BadInputError(f"column {name!r} came from {kind!r}, read as {reading}")
    return Origin(str(name), kind, Reading(*reading) if reading else None)  # type: ignore[arg-type]


def _schema(header: dict[str, Any]) -> Schema:
    labels, n_declared = header["classes"]
    return Schema(
        tuple(
            Attribute(name, kind, tuple(labels[:n_declared]))
            for name, kind, labels, n_declared in header["attributes"]
        ),
        header["named"],
        tuple(labels[:n_declared]),
        tuple(map(str, header.get("targets", ()))),
        tuple(_origin(*origin) for origin in header.get("origins", ())),
        bool(header.get("indexed")),
        header.get("clock", ""),
    )


def _table(header: dict[str, Any], arrays: Arrays) -> Table:
    numbers, codes = iter(arrays["numbers"]), iter(arrays["codes"])
    columns = []
    for name, kind, labels, _ in header["attributes"]:
        if not isinstance(name, str) or kind not in get_args(Kind):
            raise BadInputError(f"column {name!r} is {kind!r}")
        if kind == "numeric":
            columns.append(Column(name, kind, next(numbers)))
        else:
            columns.append(_nominal(name, next(codes), labels))
    return Table(tuple(columns))


def _nominal(name: str, codes: NDArray[np.int32], labels: list[Any]) -> Column:
    """A nominal column; codes that point nowhere are refused."""
    if len(codes) and not -1 <= codes.min() <= codes.max() < len(labels):
        raise BadInputError(f"column {name!r} has codes without a label")
    return Column(name, "nominal", codes, tuple(labels))


def _target(header: dict[str, Any], arrays: Arrays) -> Column | NDArray[np.float64]:
    if not header["has_classes"]:
        return np.ascontiguousarray(arrays["targets"].T)
    return _nominal("target", arrays["classes"], header["classes"][0])
