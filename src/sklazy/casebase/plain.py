"""Schemas as plain data and back, and case bases as format 1 of files has them."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.coder import Coder
from sklazy.casebase.files import SENSELESS
from sklazy.casebase.moments import NO_TIMES, Clock, Times, as_length, as_times
from sklazy.casebase.rows import CLASSES
from sklazy.casebase.schema import Attribute, Schema
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.errors import BadFileError, BadInputError
from sklazy.tables import Column, Kind, Label, Table
from sklazy.tables.origins import Origin
from sklazy.tables.reading import Reading

Arrays = dict[str, NDArray[Any]]


def describe_schema(schema: Schema, coder: Coder) -> dict[str, Any]:
    """What the columns and labels are, as JSON."""
    vocabularies = coder.vocabularies
    return {
        "attributes": [
            (a.name, a.kind, *_labels(vocabularies.get(j)))
            for j, a in enumerate(schema.attributes)
        ],
        "named": schema.named,
        "targets": schema.targets,
        "origins": [(o.name, o.kind, _plain_reading(o)) for o in schema.origins],
        "classes": _labels(vocabularies.get(CLASSES)),
        "indexed": schema.indexed,
        "clock": schema.clock,
    }


def from_plain(header: dict[str, Any], arrays: Arrays, path: object) -> CaseBase:
    """Put a case base together again from rows and settings; the rest is derived."""
    try:
        cases = CaseBase(
            _table(header, arrays),
            _target(header, arrays),
            weights=arrays["weights"],
            times=read_times(header, arrays),
            ids=arrays["ids"] if header["ids"] is None else header["ids"],
            criterion=header["criterion"],
            cuts=header["cuts"],
            schema=read_schema(header),
        )
        if header["settled"]:
            n_numeric = len(cases.rows.numbers)
            cases.settle_cuts([arrays[f"cuts{i}"] for i in range(n_numeric)])
        cases.next_id = max(cases.next_id, int(header["next_id"]))
    except SENSELESS as error:
        raise BadFileError(f"the file contradicts itself ({error}).", path) from error
    return cases


def read_times(header: dict[str, Any], arrays: Arrays) -> Times:
    """The times of rows, and how weights fade by them."""
    length = read_half_life(header, has_times="times" in arrays)
    times = as_times(arrays["times"]) if "times" in arrays else NO_TIMES
    return replace(times, clock=header.get("clock", ""), half_life=length)


def read_half_life(header: dict[str, Any], *, has_times: bool) -> float | None:
    """The age at which rows count half, once it is known what it is measured by."""
    clock, half_life = header.get("clock", ""), header.get("half_life")
    if clock not in get_args(Clock) or bool(clock) != has_times:
        raise BadInputError(f"the clock is {clock!r}")
    return None if half_life is None else as_length(half_life, clock, "half_life")


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


def read_schema(header: dict[str, Any]) -> Schema:
    """What `describe_schema` described."""
    labels, n_declared = header["classes"]
    return Schema(
        tuple(
            _attribute(name, kind, tuple(labels[:n_declared]))
            for name, kind, labels, n_declared in header["attributes"]
        ),
        header["named"],
        tuple(labels[:n_declared]),
        tuple(map(str, header.get("targets", ()))),
        tuple(_origin(*origin) for origin in header.get("origins", ())),
        bool(header.get("indexed")),
        header.get("clock", ""),
    )


def _attribute(name: str, kind: Kind, declared: tuple[Label, ...]) -> Attribute:
    if not isinstance(name, str) or kind not in get_args(Kind):
        raise BadInputError(f"column {name!r} is {kind!r}")
    return Attribute(name, kind, declared)


def _table(header: dict[str, Any], arrays: Arrays) -> Table:
    numbers, codes = iter(arrays["numbers"]), iter(arrays["codes"])
    columns = []
    for name, kind, labels, _ in header["attributes"]:
        _attribute(name, kind, ())
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
