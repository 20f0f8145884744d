"""Saved estimators come back."""

from pathlib import Path

import numpy as np

from sklazy.casebase.files import read_file
from sklazy.casebase.plain import from_plain
from sklazy.errors import BadFileError, BadInputError
from sklazy.estimators.memory import Remembering, check_known
from sklazy.estimators.settings import from_settings


def load(path: str | Path) -> Remembering:
    """Read an estimator that `save` wrote.

    A truncated or altered file, one of a newer format, or one that is anything else
    is refused with the reason; nothing in a file is ever executed.
    """
    header, arrays = read_file(path)
    if header.pop("content", None) != "estimator":
        raise BadFileError("the file holds something else than an estimator.", path)
    try:
        kind = check_known(header.pop("estimator", None))
        estimator = kind(**from_settings(header.pop("settings", {})))
    except (BadInputError, TypeError, AttributeError) as error:
        raise BadFileError(
            f"the estimator is not known here ({error}).", path
        ) from error
    estimator.cases_ = from_plain(header, arrays, path)
    estimator.n_features_in_ = len(estimator.cases_.names)
    if estimator.cases_.schema.named:
        estimator.feature_names_in_ = np.array(estimator.cases_.names, dtype=object)
    return estimator
