"""What all lazy ensembles share: parameters, seeds, what members answer."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from sklazy.answer.ensembles.combining import COMBINATIONS
from sklazy.answer.ensembles.learner import EnsembleLearner
from sklazy.answer.ensembles.members import Member
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import Target
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.parameters import (
    check_choice,
    check_count,
    check_fraction,
    check_positive,
    find_seed,
)
from sklazy.estimators.settings import to_settings
from sklazy.estimators.targets import UnweightedClassifier, UnweightedRegressor
from sklazy.local.paths import PathRules, RegressionRules
from sklazy.tables import Table


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

    _tree_features: ClassVar[float | None] = None
    """What `max_features="auto"` is for trees of best splits."""

    def _members(self) -> tuple[Member, ...]:
        """The kinds of members, in turn."""
        raise NotImplementedError

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
            combine=self._combination(),
            share_bags=bool(self.share_bags),
            max_samples=self._most_draws(),
            seed=self.seed_,
        )

    # --- state ------------------------------------------------------------------------

    def _kept_beside(self, y: object) -> dict[str, Any]:
        return {"seed_": find_seed(self.random_state, default=0)}

    def _start(self, n_features: int) -> None:
        super()._start(n_features)
        self.seed_ = find_seed(self.random_state, default=0)

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "seed": self.seed_}

    def _restore(self, cases: CaseBase, state: dict[str, Any]) -> None:
        super()._restore(cases, state)
        self.seed_ = int(state["seed"])

    def _saved_settings(self) -> dict[str, Any]:
        if isinstance(self.random_state, int | np.integer | None):
            return super()._saved_settings()
        # A generator cannot be written down: the seed that it gave stands for it.
        return to_settings(clone(self).set_params(random_state=self.seed_))

    def _reported_settings(self) -> dict[str, Any]:
        settled = clone(self).set_params(random_state=self.seed_)
        settled.combine = self._combination()
        return LazyEstimator._reported_settings(settled)

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
        """The neighbors put into each bag; None lets beta decide."""
        return None if self.n_neighbors is None else int(self.n_neighbors)

    def _most_draws(self) -> float | str | None:
        """The most draws of a bag; None for as many as there are rows."""
        return None

    def _combination(self) -> str:
        """How members' answers become one."""
        return str(self.combine)

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        check_choice("combine", self.combine, self._combinations())
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)
        check_fraction("beta", self.beta)
        weight = "the weight that two branches of a split must hold"
        check_positive("min_branch_weight", self.min_branch_weight, weight)

    def _combinations(self) -> tuple[str, ...]:
        """What `combine` may be."""
        return COMBINATIONS[self.target.kind]

    def _check_table(self, table: Table) -> None:
        if not _is_auto(self.max_features):
            count_features(self.max_features, len(table.columns))

    def _check_count(self, n_rows: int) -> None:
        if self.n_neighbors is not None and self.n_neighbors > n_rows:
            raise BadInputError(
                f"n_neighbors={self.n_neighbors!r} is more than the rows there are "
                f"(n_samples={n_rows}); give fewer, or None to let beta decide."
            )


class EnsembleClassifier(LazyEnsemble, UnweightedClassifier):
    """A classifier that makes an ensemble for each query; see the subclasses."""

    _tree_features = 0.35

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


class EnsembleRegressor(LazyEnsemble, UnweightedRegressor):
    """A regressor that makes an ensemble for each query; see the subclasses."""

    _tree_features = 0.5

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


_LARGEST = 1e140  # sums of the squares of so many rows as memory holds are finite


def _check_size(target: Target) -> None:
    largest = np.abs(np.asarray(target)).max(initial=0.0)
    if largest > _LARGEST:
        raise BadInputError(
            f"y holds numbers as large as {largest:g}, the squares of which no float "
            f"holds; expected at most {_LARGEST:g}. Divide y by a constant."
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
