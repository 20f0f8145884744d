"""A small part of an experiment, run again and compared with what was recorded."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sklazy.errors import BadInputError
from sklazy_studies.harness.unit import Plain, Unit

_CLOSE = 1e-9  # processors may differ in the last digits of a sum
_TIMES = "seconds"  # figures of that name are times


def check_file(out: Path, name: str) -> Path:
    """The file of the recorded part, beside the tables of the experiment."""
    return out / name / "check.json"


def to_check(results: Mapping[Unit, Plain], wanted: Sequence[Unit], code: str) -> str:
    """The recorded part as JSON: the digest of the code, settings and results."""
    units = [
        {"setting": dict(unit.setting), "result": results[unit]}
        for unit in wanted
        if unit in results
    ]
    return json.dumps({"code": code, "units": units}, indent=1) + "\n"


def find_changes(
    path: Path, units: Sequence[Unit], work: Callable[[Unit], Plain]
) -> list[str]:
    """Run the recorded units again; a line for each figure that is another now.

    Parameters
    ----------
    path : path
        Written by `to_check`.
    units : sequence of Unit
        All units of the experiment, among which the recorded ones are found.
    work : callable
        From a unit to its result.
    """
    by_setting = {_text(unit.setting): unit for unit in units}
    changes = []
    for record in _read(path):
        unit = by_setting.get(_text(record["setting"]))
        if unit is None:
            changes.append(f"{record['setting']}: there is no such unit any more")
            continue
        result = json.loads(json.dumps(work(unit)))
        lines = _differences(record["result"], result)
        changes += [f"{unit}: {line}" for line in lines]
    return changes


def _read(path: Path) -> list[Plain]:
    if not path.is_file():
        raise BadInputError(
            f"{path} is not there: nothing was recorded to compare with. Run the "
            "experiment without --check first, with the same -o."
        )
    return json.loads(path.read_text())["units"]


def _text(setting: Mapping[str, Any]) -> str:
    return json.dumps(dict(setting), sort_keys=True)


def _differences(before: Any, now: Any, place: str = "") -> list[str]:  # noqa: ANN401
    """Where two results differ, each as a line."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [key for key in {**before, **now} if not key.startswith(_TIMES)]
        pairs = [(key, before.get(key), now.get(key)) for key in keys]
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        both = zip(before, now, strict=True)
        pairs = [(str(i), one, other) for i, (one, other) in enumerate(both)]
    elif _is_same(before, now):
        return []
    else:
        return [f"{place} was {_short(before)} and is {_short(now)}"]
    lines = [_differences(one, other, f"{place}/{key}") for key, one, other in pairs]
    return [line for some in lines for line in some]


def _is_same(before: object, now: object) -> bool:
    if isinstance(before, float) and isinstance(now, int | float):
        both_nan = math.isnan(before) and math.isnan(now)
        return both_nan or math.isclose(before, now, rel_tol=_CLOSE, abs_tol=1e-12)
    return before == now


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
