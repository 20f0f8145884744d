"""The base of the regressor and the classifier of local models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import AnyLearner, leave_groups_out, prepare
from sklazy.answer.device import check_device
from sklazy.casebase import CaseBase
from sklazy.casebase.moments import Length
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.inputs import places_of
from sklazy.estimators.parameters import Metric
from sklazy.methods.local_models.data import LocalData, LocalSettings
from sklazy.methods.local_models.learner import LocalModelLearner
from sklazy.methods.local_models.plans import NBest, Spans
from sklazy.tables import Table

_SCALES: dict[object, Literal["std", "range", "none"]] = {
    True: "std",
    "std": "std",
    "range": "range",
    False: "none",
}


class LocalModelEstimator(LazyEstimator):
    """Keeps cases and answers queries by local models; see the subclasses."""

    _can_approximate = True
    _fewest_rows = 2
    _fitted = {"_is_flat": bool}  # noqa: RUF012

    def __init__(
        self,
        degrees: str | int | Sequence[int] = "auto",
        n_neighbors: Spans = "auto",
        n_best: NBest = "auto",
        metric: Metric = "euclidean",
        ridge: float = 0.1,
        scale: bool | Literal["std", "range"] = True,
        attribute_weights: ArrayLike | None = None,
        max_categories: int = 10,
        categorical_features: object = "from_dtype",
        compat: Literal["r"] | None = None,
        window: Length | None = None,
        half_life: Length | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.degrees = degrees
        self.n_neighbors = n_neighbors
        self.n_best = n_best
        self.metric = metric
        self.ridge = ridge
        self.scale = scale
        self.attribute_weights = attribute_weights
        self.max_categories = max_categories
        self.categorical_features = categorical_features
        self.compat = compat
        self.window = window
        self.half_life = half_life
        self.n_jobs = n_jobs
        self.device = device

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the settings of the authors' program, R's `lazy`.

        Lines on 3 to 5 neighbors per coefficient, only the best one, and unscaled
        numbers.

        Parameters
        ----------
        **settings
            Other parameters, such as `degrees`.

        Examples
        --------
        >>> from sklazy import LazyLearningRegressor
        >>> LazyLearningRegressor.paper(n_best=5).metric
        'manhattan'
        """
        published: dict[str, Any] = {
            "degrees": 1,
            "n_neighbors": 1.0,
            "n_best": 1,
            "metric": "manhattan",
            "ridge": 1e-6,
            "scale": False,
            "compat": "r",
        }
        return cls(**{**published, **settings})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.compat is None
        tags.input_tags.categorical = self.compat is None
        tags.input_tags.string = self.compat is None
        return tags

    # --- state ------------------------------------------------------------------------

    def _find_fitted(self, y: object) -> dict[str, Any]:
        return {"_is_flat": np.asarray(y).ndim == 1}

    def _check_cases(self, cases: CaseBase) -> None:
        with cases.snapshot() as state:
            prepare(self._learner(), state)

    # --- answers ----------------------------------------------------------------------

    def _learner(self) -> LocalModelLearner:
        return LocalModelLearner(self._settings(), self.target, device=self.device)

    def _explaining(self, learner: AnyLearner) -> LocalModelLearner:
        return replace(cast(LocalModelLearner, learner), curves=True)

    def _left_out_of(
        self,
        groups: ArrayLike | None,
        rows: ArrayLike | None,
        approximate: bool,
        *outputs: str,
    ) -> tuple[NDArray[Any], ...]:
        """Answer for training rows, each with its group left out."""
        check_is_fitted(self)
        learner = replace(self._learner(), approximate=approximate)
        with self.cases_.snapshot() as cases:
            if groups is None:
                return self._left_out_by(cases, learner, rows, *outputs)
            labels = _groups_of_rows(groups, cases)
            if approximate:
                learner = replace(learner, groups=labels)
                return self._left_out_by(cases, learner, rows, *outputs)
            places = places_of(cases, rows)
            answers = leave_groups_out(
                learner, cases, places, labels, outputs, self.n_jobs
            )
            return self._decode(outputs, answers, cases)

    def _prepared(self) -> LocalData:
        """The cases made ready, again after a change."""
        with self.cases_.snapshot() as cases:
            return prepare(self._learner(), cases)

    # --- checks ---------------------------------------------------------------------

    def _settings(self) -> LocalSettings:
        """The parameters, once they are known to make sense."""
        check_device(self.device)
        if self.compat not in (None, "r"):
            raise BadInputError(f"compat={self.compat!r}; expected None or 'r'.")
        if not isinstance(self.scale, str | bool) or self.scale not in _SCALES:
            raise BadInputError(
                f"scale={self.scale!r}; expected True, False, 'std' or 'range'."
            )
        weights = self.attribute_weights
        return LocalSettings(
            self.degrees,
            self.n_neighbors,
            self.n_best,
            self.metric,
            self.ridge,
            _SCALES[self.scale],
            None if weights is None else np.asarray(weights),
            self.max_categories,
            self.compat == "r",
        )

    @property
    def _reads_arrays(self) -> bool:  # type: ignore[override]
        return self.compat is None

    def _check_table(self, table: Table) -> None:
        if self.compat == "r":
            _check_plain(table)


def _groups_of_rows(groups: ArrayLike, cases: CaseBase) -> NDArray[np.int64]:
    """The groups' numbers, given in order of arrival, as the rows lie."""
    labels = np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64)
    by_arrival = np.argsort(cases.arrival)
    if labels.shape != by_arrival.shape:
        raise BadInputError(
            f"groups has shape {labels.shape}; expected one label for each of the "
            f"{len(by_arrival)} cases."
        )
    of_row = np.empty_like(labels)
    of_row[by_arrival] = labels
    return of_row


def _check_plain(table: Table) -> None:
    """Refuse what R's lazy cannot take."""
    for column in table:
        if column.kind == "nominal" or column.missing.any():
            raise BadInputError(
                f"column {column.name!r} is not all numbers (Input X contains NaN or "
                "words), which R's lazy cannot take; use LazyLearningRegressor() "
                "without compat."
            )
