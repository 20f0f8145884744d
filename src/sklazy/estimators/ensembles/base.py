"""The base of lazy ensembles: parameters, seeds, the answers of members."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.incoming import Target
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.classifiers import BaseLazyClassifier, WeightedClassifier
from sklazy.estimators.ensembles.member_kinds import (
    Kinds,
    check_kinds,
    describe_kinds,
    make_kinds,
)
from sklazy.estimators.parameters import (
    MOST_MADE,
    check_choice,
    check_count,
    check_fraction,
    check_positive,
    find_seed,
)
from sklazy.estimators.regressors import BaseLazyRegressor, WeightedRegressor
from sklazy.methods.ensembles.combining import COMBINATIONS
from sklazy.methods.ensembles.learner import EnsembleLearner
from sklazy.methods.ensembles.members import BagMember, RandomTreeMember, TreeMember
from sklazy.methods.paths.bags import FEWEST_DRAWS
from sklazy.methods.paths.model import PathRules, RegressionRules


class LazyEnsemble(LazyEstimator):
    """An estimator that makes an ensemble for each query; see the subclasses."""

    n_estimators: int
    beta: float
    n_neighbors: int | None
    max_features: int | float | str | None
    combine: Any
    share_bags: bool
    min_branch_weight: float
    penalize_nominal_splits: bool
    random_state: object
    n_jobs: int | None
    seed_: int

    splits: str = "best"
    max_samples: int | float | str | None = None

    _fitted = {"seed_": int}  # noqa: RUF012
    _tree_features: ClassVar[float | None] = None
    """Value of `max_features="auto"` for trees of best splits."""

    _kinds: ClassVar[Kinds | None] = None
    """The kinds that `estimators` may list; None where all members are trees."""

    def _members(self) -> tuple[BagMember, ...]:
        if self._kinds is not None:
            return make_kinds(self)
        if self.splits == "random":
            return (RandomTreeMember(self._tried()),)
        return (TreeMember(self._rules(), bool(self.share_bags)),)

    def _rules(self) -> PathRules | RegressionRules:
        """How trees of best splits split."""
        raise NotImplementedError

    def _learner(self) -> EnsembleLearner:
        self._check_parameters()
        return EnsembleLearner(
            target=self.target,
            members=self._members(),
            n_estimators=int(self.n_estimators),
            beta=float(self.beta),
            n_neighbors=self._n_near(),
            combine=str(self.combine),
            share_bags=bool(self.share_bags),
            max_samples=self._most_draws(),
            seed=self.seed_,
        )

    # --- state ------------------------------------------------------------------------

    def _find_fitted(self, y: object) -> dict[str, Any]:
        return {"seed_": find_seed(self.random_state, default=0)}

    def _resolved(self) -> dict[str, object]:
        kinds = {} if self._kinds is None else {"estimators": describe_kinds(self)}
        return {"random_state": self.seed_, **kinds}

    # --- checks -----------------------------------------------------------------------

    def _inspected(self) -> int:
        """The attributes that a node looks at; 0 stands for all."""
        return self._count_features(self._tree_features)

    def _tried(self) -> int:
        """The attributes of which a node tries a drawn split; 0 stands for all."""
        return self._count_features("sqrt")

    def _count_features(self, auto: float | str | None) -> int:
        chosen = auto if _is_auto(self.max_features) else self.max_features
        return count_features(chosen, self._n_attributes)

    def _n_near(self) -> int | None:
        """Count the neighbors put into each bag; None lets beta decide."""
        if self.n_neighbors is None:
            return 0 if self.splits == "random" else None
        return int(self.n_neighbors)

    def _most_draws(self) -> float | str | None:
        """Find the most draws of a bag; None for as many as there are rows."""
        if self.splits == "random" and self.max_samples == "auto":
            return _RANDOM_DRAWS
        return self.max_samples

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators, most=MOST_MADE)
        check_choice("combine", self.combine, COMBINATIONS[self.target.kind])
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)
        check_fraction("beta", self.beta)
        weight = "the weight that two branches of a split must hold"
        check_positive("min_branch_weight", self.min_branch_weight, weight)
        check_choice("splits", self.splits, ("best", "random"))
        check_samples(self.max_samples)
        if self._kinds is not None:
            check_kinds(self)

    def _check_size(self, n_attributes: int, n_rows: int | None) -> None:
        if not _is_auto(self.max_features):
            count_features(self.max_features, n_attributes)
        n_near = 0 if self.n_neighbors is None else self.n_neighbors
        if n_rows is not None and n_near > n_rows:
            raise BadInputError(
                f"n_neighbors={self.n_neighbors!r} is more than the number of rows "
                f"(n_samples={n_rows}); give fewer, or None to let beta decide."
            )


class EnsembleClassifier(LazyEnsemble, BaseLazyClassifier):
    """A classifier that makes an ensemble for each query; see the subclasses."""

    _tree_features = 0.35

    fit = WeightedClassifier.fit  # type: ignore[assignment]
    partial_fit = WeightedClassifier.partial_fit  # type: ignore[assignment]

    c45_min_side: bool
    penalize_numeric_splits: bool
    split_at_values: bool

    def member_votes(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class each member votes for, as `diversity_measures` takes it.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        labels : array of shape (n_queries, n_estimators)
        """
        (labels,) = self._answer(X, "votes")
        return labels

    def _rules(self) -> PathRules:
        """How trees split."""
        return PathRules(
            min_branch_weight=float(self.min_branch_weight),
            c45_min_side=bool(self.c45_min_side),
            penalize_numeric_splits=bool(self.penalize_numeric_splits),
            penalize_nominal_splits=bool(self.penalize_nominal_splits),
            split_at_values=bool(self.split_at_values),
            inspect=self._inspected(),
        )


class EnsembleRegressor(LazyEnsemble, BaseLazyRegressor):
    """A regressor that makes an ensemble for each query; see the subclasses."""

    _tree_features = 0.5

    fit = WeightedRegressor.fit  # type: ignore[assignment]
    partial_fit = WeightedRegressor.partial_fit  # type: ignore[assignment]

    def member_values(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return what each member predicts.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        values : float64 array of shape (n_queries, n_estimators)
        """
        (values,) = self._answer(X, "member_values")
        return values

    def _rules(self) -> RegressionRules:
        """How trees split."""
        return RegressionRules(
            min_branch_weight=float(self.min_branch_weight),
            penalize_nominal_splits=bool(self.penalize_nominal_splits),
            inspect=self._inspected(),
        )

    def _target(self, y: object) -> Target:
        target = super()._target(y)
        _check_size(target)
        return target


_RANDOM_DRAWS = 4000  # of random paths: more change little
_LARGEST = 1e140  # sums of the squares of so many rows as memory holds are finite


def _check_size(target: Target) -> None:
    largest = np.abs(np.asarray(target)).max(initial=0.0)
    if largest > _LARGEST:
        raise BadInputError(
            f"y holds numbers as large as {largest:g}, whose squares overflow; "
            f"expected at most {_LARGEST:g}. Divide y by a constant."
        )


def check_samples(max_samples: object) -> None:
    """Refuse a number of draws that no bag can have."""
    if max_samples is None or (isinstance(max_samples, str) and max_samples == "auto"):
        return
    fits = False
    if isinstance(max_samples, float | np.floating):
        fits = 0 < float(max_samples) <= 1
    elif isinstance(max_samples, int | np.integer):
        fits = int(max_samples) >= FEWEST_DRAWS  # nor is True a number of draws
    if not fits:
        raise BadInputError(
            f"max_samples={max_samples!r}; expected a number of draws for each bag, at "
            f"least {FEWEST_DRAWS}, a fraction of the rows in (0, 1], 'auto', or None "
            "for as many draws as rows."
        )


def count_features(max_features: object, n_features: int) -> int:
    """The attributes looked at in a node; 0 stands for all.

    Examples
    --------
    >>> [count_features(m, 10) for m in (None, 3, 0.5, "sqrt", "log2")]
    [0, 3, 5, 3, 3]
    """
    if max_features is None:
        return 0
    if isinstance(max_features, str) and max_features in _BY_NAME:
        return max(1, int(_BY_NAME[max_features](n_features)))
    if isinstance(max_features, bool):
        pass
    elif isinstance(max_features, int | np.integer) and 1 <= max_features <= n_features:
        return int(max_features)
    elif isinstance(max_features, float | np.floating) and 0 < max_features <= 1:
        return max(1, int(max_features * n_features))
    raise BadInputError(
        f"max_features={max_features!r}; expected a count of 1 to {n_features}, a "
        "fraction in (0, 1], 'sqrt', 'log2', 'auto', or None for all."
    )


def _is_auto(max_features: object) -> bool:
    return isinstance(max_features, str) and max_features == "auto"


_BY_NAME = {"sqrt": np.sqrt, "log2": np.log2}
