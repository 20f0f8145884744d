"""What all lazy ensembles share: memory, parameters, seeds."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.ensembles.bagged import EnsembleRecipe
from sklazy.answer.ensembles.members import Member
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import GivenIds
from sklazy.errors import BadInputError
from sklazy.estimators.filters.coding import check_choice
from sklazy.estimators.selection.base import check_count
from sklazy.estimators.settings import to_settings
from sklazy.estimators.unweighted import Unweighted
from sklazy.local.bags import beta_neighbors
from sklazy.receipts.plain import PlainReceipt, ReceiptList, verify_plain
from sklazy.tables import Table


class LazyEnsemble(Unweighted):
    """An estimator that makes an ensemble for each query; see the subclasses."""

    combinations: ClassVar[tuple[str, ...]]
    receipt_kind: ClassVar[type[PlainReceipt]]

    n_estimators: int
    beta: float
    n_neighbors: int | None
    max_features: int | float | str | None
    combine: Any
    min_weight: float
    random_state: object
    n_jobs: int | None
    seed_: int

    def explain(self, X: ArrayLike) -> ReceiptList[Any]:
        """Answer each query with a receipt: neighbors, bags, members, what they say.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        receipts : ReceiptList
            One a query, each with `to_dict`, `to_json`, `to_html` and a text: what
            every member says, and the path through the tree, or the likelihoods,
            cases, terms or rule that this rests on; how far members differ.
        """
        check_is_fitted(self)
        return self._receipts(self._asked(X))

    def verify(self, receipt: PlainReceipt | Mapping[str, Any]) -> bool:
        """Ask again what a receipt answers, and tell that it is genuine.

        A receipt that was edited, that is of other cases or that says anything else
        than the cases do is refused with a `ReceiptError`.

        Parameters
        ----------
        receipt : receipt, or what its `to_dict` gave
        """
        check_is_fitted(self)
        return verify_plain(self.receipt_kind, receipt, self._receipts, self.digest())

    # --- state ------------------------------------------------------------------------

    def _keep(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        classes: ArrayLike | None,
    ) -> Self:
        seed = find_seed(self.random_state)
        super()._keep(X, y, sample_weight, ids, classes)
        self.seed_ = seed
        return self

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "seed": self.seed_}

    def _saved_settings(self) -> dict[str, Any]:
        if isinstance(self.random_state, int | np.integer | None):
            return super()._saved_settings()
        # A generator is no data: the seed that it gave stands for it.
        return to_settings(clone(self).set_params(random_state=self.seed_))

    def _restore(self, cases: CaseBase, state: dict[str, Any]) -> None:
        super()._restore(cases, state)
        self.seed_ = int(state["seed"])

    def _settled(self) -> dict[str, Any]:
        return {"random_state": self.seed_}

    # --- answers ----------------------------------------------------------------------

    def _receipts(self, table: Table) -> ReceiptList[Any]:
        raise NotImplementedError

    def _recipe(self) -> EnsembleRecipe[Any]:
        """The parameters, once they are known to make sense."""
        self._check_parameters()
        n_near = self.n_neighbors
        return EnsembleRecipe(
            members=self._members(),
            n_estimators=int(self.n_estimators),
            beta=float(self.beta),
            n_neighbors=None if n_near is None else int(n_near),
            combine=self.combine,
            share_bags=bool(getattr(self, "share_bags", False)),
            seed=self.seed_,
            n_jobs=self.n_jobs,
        )

    def _members(self) -> tuple[Member[Any], ...]:
        """The kinds of members, in turn."""
        raise NotImplementedError

    def _inspected(self) -> int:
        """The attributes that a node looks at."""
        return count_features(self.max_features, self.n_features_in_)

    # --- the door ---------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        check_choice("combine", self.combine, self.combinations)
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)
        if not isinstance(self.beta, Real):
            raise BadInputError(f"beta={self.beta!r} is no number from 0 to 1.")
        beta_neighbors(2, float(self.beta))
        weight = "the weight that two branches of a split must hold"
        check_positive("min_weight", self.min_weight, weight)

    def _check_table(self, table: Table) -> None:
        count_features(self.max_features, len(table.columns))
        if self.n_neighbors is not None and self.n_neighbors > len(table):
            raise BadInputError(
                f"n_neighbors={self.n_neighbors!r} is more than the rows there are "
                f"(n_samples={len(table)}); give fewer, or None to let beta decide."
            )


def check_positive(name: str, value: object, meaning: str) -> None:
    """Refuse what is no finite number above 0."""
    fine = isinstance(value, Real) and not isinstance(value, bool)
    if not fine or not 0 < value < np.inf:  # type: ignore[operator]
        raise BadInputError(f"{name}={value!r}; expected a number above 0: {meaning}.")


def find_seed(random_state: object) -> int:
    """The number that bags are drawn by; None counts as 0."""
    if random_state is None:
        return 0
    generator = check_random_state(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))


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
        "fraction in (0, 1], 'sqrt', 'log2', or None for all."
    )


_BY_NAME = {"sqrt": np.sqrt, "log2": np.log2}
