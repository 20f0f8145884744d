"""Write an estimator to a file, or to a folder of files."""

from pathlib import Path
from typing import TYPE_CHECKING

from sklazy.estimators.parameters import check_count
from sklazy.estimators.state import describe_model
from sklazy.storage.folders import write_folder
from sklazy.storage.stored import write_cases

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator


def save_model(
    model: "LazyEstimator", path: str | Path, n_parts: int | None = None
) -> None:
    """Write a fitted estimator; see `LazyEstimator.save`."""
    cases = model.cases_.current()  # a file has no choices of earlier rows
    if n_parts is None:
        write_cases(path, describe_model(model), cases)
        return
    check_count("n_parts", n_parts, 1)
    write_folder(path, describe_model(model), cases, n_parts)
