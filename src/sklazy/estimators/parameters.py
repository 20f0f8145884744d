"""Parameters of estimators: their choices as types, and checks that several share."""

from numbers import Real
from typing import Any, Literal, TypeVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sklazy.errors import BadInputError, suggest
from sklazy.tables import Table
from sklazy.tables.advice import add_missing, drop_columns
from sklazy.tables.frames import column_names

Discretization = Literal["fayyad", "kononenko"]
Selection = Literal["lazy", "eager", "none", "lazy-cfs", "lazy-consistency", "lazy-hip"]
Measure = Literal[
    "entropy",
    "gini",
    "information_gain",
    "gain_ratio",
    "symmetric_uncertainty",
    "chi_square",
]
Splits = Literal["best", "random"]
CombineVotes = Literal[
    "vote", "accuracy", "knora-e", "knora-u", "stacked", "probability"
]
CombineNumbers = Literal["mean", "median", "error"]
Missing = Literal["omit", "spread"]
Metric = Literal["euclidean", "manhattan"]
Test = Literal[
    "friedman",
    "friedman-paper",
    "hoeffding",
    "brace",
    "t",
    "t-holm",
    "t-bonferroni",
]


Default = TypeVar("Default", int, None)

MOST_MADE = 1_000_000
"""Most members, paths or sets: all that a parameter names are made."""

_MOST_COUNTED = int(np.iinfo(np.int64).max)  # kernels count by these
_MOST = 1e290  # a parameter that is added to every count must leave sums finite


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of its choices."""
    if not isinstance(value, str) or value not in choices:
        raise BadInputError(f"{name}={value!r} is not known; give one of {choices}.")


def check_count(
    name: str,
    value: object,
    least: int = 1,
    most: int = _MOST_COUNTED,
    other: str = "",
) -> None:
    """Refuse anything but a whole number from `least` to `most`.

    `other` is what the caller has accepted already.
    """
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:  # type: ignore[operator]
        expected = f"of at least {least}"
        if is_whole and value >= least:  # type: ignore[operator]
            expected = f"from {least} to {most}"
        either = f", or {other}" if other else ""
        raise BadInputError(
            f"{name}={value!r}; expected a whole number {expected}{either}."
        )


def check_positive(name: str, value: object, meaning: str) -> None:
    """Refuse anything but a number above 0 whose sums are finite, too."""
    if not _is_number(value) or not 0 < value <= _MOST:  # type: ignore[operator]
        raise BadInputError(
            f"{name}={value!r}; expected a number above 0 and at most {_MOST:g}: "
            f"{meaning}."
        )


def check_not_negative(name: str, value: object) -> None:
    """Refuse anything but a number of at least 0."""
    if not _is_number(value) or not value >= 0:  # type: ignore[operator]
        raise BadInputError(f"{name}={value!r}; expected a number of at least 0.")


def check_fraction(name: str, value: object) -> None:
    """Refuse anything but a number in [0, 1]."""
    if not _is_number(value) or not 0 <= value <= 1:  # type: ignore[operator]
        raise BadInputError(f"{name}={value!r}; expected a number in [0, 1].")


def check_share(name: str, value: object) -> None:
    """Refuse anything but a number above 0 and below 1."""
    if not _is_number(value) or not 0 < value < 1:  # type: ignore[operator]
        is_percent = _is_number(value) and 1 < value < 100  # type: ignore[operator]
        way = f", {value / 100:g} for {value} %" if is_percent else ""  # type: ignore[operator]
        raise BadInputError(
            f"{name}={value!r}; expected a number above 0 and below 1{way}."
        )


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def advise_columns(estimator: Any, X: Any) -> str:  # noqa: ANN401
    """Advise on columns of a frame beside those that were learned."""
    names = column_names(X)
    known = set(getattr(estimator, "feature_names_in_", names))
    lacking = [str(name) for name in getattr(estimator, "feature_names_in_", ())]
    lacking = [name for name in lacking if name not in names]
    if lacking:
        others = [name for name in names if name not in known]
        alike = suggest(lacking[0], others).strip() if others else ""
        way = "Rename the columns, or add those that are not known: "
        return f"{alike} {way}{add_missing(X, lacking[0])}.".lstrip()
    if not known < set(names):
        return ""
    left = [name for name in names if name not in (*known, *spare_columns(estimator))]
    way = f"Leave these columns out: {drop_columns(X, left)}."
    if not hasattr(X, "set_index"):
        return way
    return f"{way} One that names rows may be the index, as X.set_index({left[0]!r})."


def spare_columns(estimator: Any) -> tuple[str, ...]:  # noqa: ANN401
    """The columns of ids, times and targets, which queries may have, too."""
    schema = getattr(getattr(estimator, "cases_", None), "schema", None)
    if schema is None:
        return ()
    return (schema.id_column, schema.time_column, *schema.targets)


def check_columns(estimator: Any, X: object, *, reset: bool) -> None:  # noqa: ANN401
    """Record (`reset`) or compare the number and the names of the columns.

    As scikit-learn does for frames and arrays; it does not know tables.
    """
    if not (isinstance(X, Table) and X.named):
        validate_data(estimator, X, skip_check_array=True, reset=reset)
    elif reset:
        estimator.n_features_in_ = len(X.columns)
        estimator.feature_names_in_ = np.array(X.names, dtype=object)
    elif X.names != list(getattr(estimator, "feature_names_in_", X.names)):
        raise BadInputError(
            "The feature names should match those that were passed during fit: "
            f"expected {estimator.feature_names_in_.tolist()}, got {X.names}. Rename "
            "or select columns."
        )
    elif len(X.columns) != estimator.n_features_in_:
        raise BadInputError(
            f"X has {len(X.columns)} features, but {type(estimator).__name__} is "
            f"expecting {estimator.n_features_in_} features as input."
        )


def find_seed(random_state: object, default: Default) -> int | Default:
    """Return the seed that `random_state` stands for, `default` for None.

    Examples
    --------
    >>> find_seed(7, 0), find_seed(None, 0), find_seed(None, None)
    (7, 0, None)
    >>> find_seed(np.random.RandomState(0), 0)
    209652396
    """
    if random_state is None:
        return default
    try:
        generator = check_random_state(random_state)
    except ValueError as error:
        raise BadInputError(
            f"random_state={random_state!r}; expected a whole number from 0 to "
            f"{2**32 - 1}, a RandomState, or None."
        ) from error
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))
