"""One search of attribute sets: its blocks, its phases, and the target as numbers."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.estimators.search.candidates import FilterData, drawing_weights
from sklazy.racing.field import Evaluated
from sklazy.racing.masks import SetNeighborhood
from sklazy.racing.racsam import (
    Block,
    Racsam,
    Rows,
    SearchResult,
    SearchStep,
    SetLosses,
)
from sklazy.report.progress import Progress
from sklazy.tables import as_target
from sklazy.tables.labels import indicators


def refuse_empty(
    losses: SetLosses, known: int, masks: list[int], test: Rows, training: Rows
) -> Evaluated:
    """The losses of sets; those fail that have no attribute to learn from."""
    fine = [mask for mask in masks if mask & known]
    evaluated = iter(losses(fine, test, training) if fine else [])
    empty = BadInputError("all columns of the set are set aside.")
    return [next(evaluated) if mask & known else empty for mask in masks]


class RowBlocks(Sequence[Block]):
    """Blocks of a single test row, with all other rows to train on."""

    def __init__(self, n_rows: int) -> None:
        self.rows = np.arange(n_rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - slices are not used
        others = np.concatenate([self.rows[:place], self.rows[place + 1 :]])
        return self.rows[place : place + 1], others


class TestRowBlocks(Sequence[Block]):
    """Blocks of a single row of a test set, with a separate set to train on."""

    __test__ = False  # no test of pytest's

    def __init__(self, test: Rows, training: Rows) -> None:
        self.test, self.training = test, training

    def __len__(self) -> int:
        return len(self.test)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - slices are not used
        return self.test[place : place + 1], self.training


def make_row_blocks(
    n_rows: int, test_size: int | float | None, rng: np.random.Generator
) -> Sequence[Block]:
    """Return a block for each row, or for each of some rows drawn to test on."""
    if test_size is None:
        return RowBlocks(n_rows)
    is_count = isinstance(test_size, Integral)
    n_test = int(test_size) if is_count else round(test_size * n_rows)
    # A local model needs two rows.
    if not 1 <= n_test <= n_rows - 2:
        raise BadInputError(
            f"test_size={test_size!r} of {n_rows} rows; expected a number of rows, or "
            "a share in (0, 1), that leaves a row to test and two to train on, or None "
            "to test every row."
        )
    order = rng.permutation(n_rows)
    return TestRowBlocks(np.sort(order[:n_test]), np.sort(order[n_test:]))


def run_search(
    search: Racsam, method: str, start: list[int], data: FilterData
) -> SearchResult:
    """Explore from the start, then confirm the winners on all rows if asked to."""
    rules = search.rules
    with Progress("searching", rules.max_candidates, noun="candidates") as progress:

        def show(step: SearchStep) -> None:
            new = len(search.assessed) - progress.done
            progress.advance(new, f"{step.phase}: best loss {step.best_loss:.4g}")

        search.on_step = show
        if method == "schemata":
            start = search.search_schemata(data.n_attributes)
        neighbors = SetNeighborhood(drawing_weights(data), rules.max_new, search.rng)
        winners = search.explore(start, neighbors)
        if rules.last_race:
            winners = search.confirm(winners, neighbors)
        return search.result(winners)


def target_numbers(y: object) -> NDArray[np.float64]:
    """Targets of shape (n_rows, n_targets)."""
    target = as_target(y, "numeric")
    return target[:, None] if target.ndim == 1 else target


def target_indicators(y: object) -> NDArray[np.float64]:
    """Indicators of the classes, of shape (n_rows, n_classes)."""
    target = as_target(y, "nominal").occurring()
    return indicators(target.data, len(target.categories))
