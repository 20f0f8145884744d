"""SubsetSelector: eager selection of a set of attributes."""

from typing import Literal, Self

import numpy as np

from sklazy.estimators.filters.columns import ColumnSelector
from sklazy.estimators.inputs import CodedTable, code_rows
from sklazy.estimators.parameters import (
    Discretization,
    Missing,
    check_choice,
    check_columns,
    check_count,
    check_fraction,
)
from sklazy.measures import (
    CfsMerit,
    Consistency,
    Evaluator,
    ScoredSet,
    best_first,
    greedy,
)


class SubsetSelector(ColumnSelector):
    """Keep the set of attributes that a search finds best together.

    Correlation-based selection (CFS) looks for attributes that correlate with the class
    but not with each other; consistency looks for few attributes such that rows with
    equal values have the same class. Columns may be numeric (cut into MDL bins first)
    or nominal, and cells may be missing.

    Parameters
    ----------
    method : {"cfs", "consistency"}, default="cfs"
    search : {"best-first", "greedy"}, default="best-first"
        Both start empty and add one attribute at a time. Best-first goes back to the
        best sets seen so far when the last step gained nothing.
    max_stale : int, default=5
        How many expansions in a row may gain nothing before best-first stops.
    missing : {"omit", "spread"}, default="omit"
        For CFS: ignore rows where one of two attributes is missing in their counts, or
        spread them in proportion, as Weka does. For consistency a missing cell is a
        value of its own.
    zero_correlation : float, default=0.0
        For CFS: the correlation assumed of two attributes that have none (below 1e-6).
        Weka uses 1, which makes independent attributes redundant.
    discretization : {"fayyad", "kononenko"}, default="fayyad"
        The MDL criterion for cuts of numeric columns, see `EntropyDiscretizer`.
    better_encoding : bool, default=False
        Whether a cut costs log2 of the number of candidates, as in Weka.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are nominal: by dtype, or by names, indices or a mask.

    Attributes
    ----------
    support_ : bool array of shape (n_features,)
        At least one column is kept: if no set is better than none, the best single one
        (the first of equals).
    merit_ : float
        How good the set is.
    n_attributes_ : int
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where X has names.

    See Also
    --------
    AttributeRanker : Looks at one attribute at a time.

    References
    ----------
    M. A. Hall: Correlation-based feature selection for machine learning. PhD thesis,
    University of Waikato, 1999.

    H. Liu, R. Setiono: A probabilistic approach to feature selection: a filter
    solution. ICML 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklazy import SubsetSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector(method="cfs").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    def __init__(
        self,
        method: Literal["cfs", "consistency"] = "cfs",
        search: Literal["best-first", "greedy"] = "best-first",
        max_stale: int = 5,
        *,
        missing: Missing = "omit",
        zero_correlation: float = 0.0,
        discretization: Discretization = "fayyad",
        better_encoding: bool = False,
        categorical_features: object = "from_dtype",
    ) -> None:
        self.method = method
        self.search = search
        self.max_stale = max_stale
        self.missing = missing
        self.zero_correlation = zero_correlation
        self.discretization = discretization
        self.better_encoding = better_encoding
        self.categorical_features = categorical_features

    @classmethod
    def weka(
        cls,
        method: Literal["cfs", "consistency"] = "cfs",
        search: Literal["best-first", "greedy"] = "best-first",
    ) -> Self:
        """A selector with the sets of Weka's CfsSubsetEval, ConsistencySubsetEval.

        Without CFS's final step that adds locally predictive attributes (Weka's
        option -L).

        Parameters
        ----------
        method, search
            As for the class.

        Examples
        --------
        >>> from sklazy import SubsetSelector
        >>> SubsetSelector.weka()
        SubsetSelector(better_encoding=True, missing='spread', zero_correlation=1.0)
        """
        return cls(
            method,
            search,
            missing="spread",
            zero_correlation=1.0,
            better_encoding=True,
        )

    def fit(self, X: object, y: object) -> Self:
        """Search for the set of columns of X that predicts y best.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Class labels.

        Returns
        -------
        self : SubsetSelector
        """
        self._check_parameters()
        coded = code_rows(
            X, y, self.categorical_features, self.discretization, self.better_encoding
        )
        evaluator = self._evaluator(coded)
        chosen = self._search(evaluator)
        if not chosen.subset:
            merits = evaluator.with_one_more(())
            best = int(np.argmax(merits))
            chosen = ScoredSet((best,), float(merits[best]))
        check_columns(self, X, reset=True)
        self.support_ = np.isin(np.arange(evaluator.n_attributes), chosen.subset)
        self.merit_ = chosen.merit
        self.n_attributes_ = len(chosen.subset)
        return self

    def _check_parameters(self) -> None:
        check_choice("method", self.method, ("cfs", "consistency"))
        check_choice("search", self.search, ("best-first", "greedy"))
        check_choice("missing", self.missing, ("omit", "spread"))
        check_count("max_stale", self.max_stale)
        check_fraction("zero_correlation", self.zero_correlation)

    def _evaluator(self, coded: CodedTable) -> Evaluator:
        arguments = coded.codes, coded.offsets, coded.classes, coded.n_classes
        if self.method == "consistency":
            return Consistency(*arguments)
        return CfsMerit(*arguments, self.missing, self.zero_correlation)

    def _search(self, evaluator: Evaluator) -> ScoredSet:
        if self.search == "greedy":
            return greedy(evaluator)
        return best_first(evaluator, int(self.max_stale))
