"""Names of rows in partitions: ids that are given, an index, or numbers."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from sklazy.casebase.incoming import as_ids
from sklazy.casebase.rows import Ids
from sklazy.errors import BadInputError

Naming = Literal["given", "index", "numbers"]
"""Where ids come from."""

Labels = range | Ids
"""The names of a partition's rows; a range takes no memory."""


class Names(NamedTuple):
    """Summary of a partition's ids."""

    is_text: bool
    lowest: Any
    highest: Any
    counted: range | None  # None if they do not count up one by one
    is_range: bool  # whether a frame numbers its rows, whatever their content


def index_of(X: Any) -> Labels | None:  # noqa: ANN401
    """Row names from the index of a pandas frame; None if it cannot name them."""
    is_pandas = type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")
    if not is_pandas or not X.index.is_unique:
        return None
    if hasattr(X.index, "step"):
        return range(X.index.start, X.index.stop, X.index.step)
    try:
        return as_ids(X.index.tolist())
    except BadInputError:
        return None


def describe_names(labels: Labels) -> Names:
    """Summarize the ids of at least one row."""
    if isinstance(labels, range):
        return Names(False, min(labels), max(labels), labels, True)
    is_text, first = labels.dtype == object, labels[0]
    counted = None
    if not is_text and (np.diff(labels) == 1).all():
        counted = range(int(first), int(first) + len(labels))
    return Names(is_text, labels.min(), labels.max(), counted, False)


def check_given_ids(names: Sequence[Names], fetch: Callable[[], list[Ids]]) -> None:
    """Refuse ids that two rows have, or that are text here and numbers there.

    There are names for each partition with rows; `fetch` brings all ids, where they
    must be looked at.
    """
    if len({part.is_text for part in names}) > 1:
        raise BadInputError(
            "ids are text in some partitions and numbers in others; use one kind."
        )
    repeated = _find_repeated(names, fetch)
    if repeated:
        raise BadInputError(
            f"ids={repeated[:5]} name rows of several partitions; give every row an id "
            "of its own."
        )


def is_named_by_index(
    names: Sequence[Names | None], fetch: Callable[[], list[Ids]]
) -> bool:
    """Whether the index gives rows their ids, as that of one frame of all would.

    It does where it is of integers or of strings, all different, and does not just
    number the rows.
    """
    known = [part for part in names if part is not None]
    if len(known) < len(names) or len({part.is_text for part in known}) > 1:
        return False
    return not _only_counts(known) and not _find_repeated(known, fetch)


def _only_counts(names: Sequence[Names]) -> bool:
    """Whether ids are 0, 1, ... or one range."""
    counted = [part.counted for part in names if part.counted is not None]
    if len(counted) < len(names):
        return False
    follow = all(a.stop == b.start for a, b in itertools.pairwise(counted))
    is_one = follow and len({span.step for span in counted}) == 1
    are_ranges = all(part.is_range for part in names)
    return is_one and (are_ranges or (counted[0].start, counted[0].step) == (0, 1))


def _find_repeated(
    names: Sequence[Names], fetch: Callable[[], list[Ids]]
) -> list[int] | list[str]:
    """Ids of several rows; they are compared where partitions are not one by one."""
    spans = sorted((part.lowest, part.highest) for part in names)
    if all(a[1] < b[0] for a, b in itertools.pairwise(spans)):
        return []
    values, counts = np.unique(np.concatenate(fetch()), return_counts=True)
    repeated: list[int] | list[str] = values[counts > 1].tolist()
    return repeated
