"""AttributeRanker: eager attribute selection, the best by rank."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from sklazy.estimators.filters.columns import ColumnSelector
from sklazy.estimators.inputs import code_rows
from sklazy.estimators.parameters import (
    Discretization,
    Measure,
    Missing,
    check_choice,
    check_columns,
)
from sklazy.measures import CountTable, find_measure, how_many


class AttributeRanker(ColumnSelector):
    """Keep the attributes that are most informative about the class, one by one.

    The eager counterpart of lazy attribute selection. Columns may be numeric (cut into
    MDL bins first) or nominal, and cells may be missing.

    Parameters
    ----------
    measure : str, default="entropy"
        ``"entropy"`` ranks by the class entropy that remains when the attribute is
        known (information gain ranking, the eager side of the paper). Others:
        ``"information_gain"``, ``"gain_ratio"``, ``"symmetric_uncertainty"``,
        ``"chi_square"``, ``"gini"``. `sklazy.measures.relevance` has the formulas.
    n_attributes : int or float, default=0.3
        A count, or a fraction f of the n columns: ``max(1, floor(f * n + 0.5))``.
    missing : {"omit", "spread"}, default="omit"
        Ignore rows where an attribute is missing in its counts, or spread them over its
        values in proportion to their frequency, as Weka does.
    discretization : {"fayyad", "kononenko"}, default="fayyad"
        The MDL criterion for cuts of numeric columns, see `EntropyDiscretizer`.
    better_encoding : bool, default=False
        Whether a cut costs log2 of the number of candidates, as in Weka's rankers.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are nominal: by dtype, or by names, indices or a mask.

    Attributes
    ----------
    scores_ : float64 array of shape (n_features,)
        Higher is better. With ``"entropy"`` and ``"gini"``, how much the attribute
        reduces the impurity of the class over all rows; with the others, the statistic
        of that name over the rows where the attribute is known. -inf if the attribute
        is missing in every row.
    ranking_ : int64 array of shape (n_features,)
        The place of each column, 1 is best. Ties go to the earlier column.
    support_ : bool array of shape (n_features,)
    n_attributes_ : int
        How many columns are kept.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where X has names.

    See Also
    --------
    SubsetSelector : Looks at sets of attributes.

    References
    ----------
    R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
    attribute selection: choosing attributes at classification time. Intelligent Data
    Analysis 15(5), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import AttributeRanker
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ranker = AttributeRanker(n_attributes=3).fit(X, y)
    >>> ranker.get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']
    >>> ranker.transform(X).shape
    (178, 3)
    """

    def __init__(
        self,
        measure: Measure = "entropy",
        n_attributes: int | float = 0.3,
        *,
        missing: Missing = "omit",
        discretization: Discretization = "fayyad",
        better_encoding: bool = False,
        categorical_features: object = "from_dtype",
    ) -> None:
        self.measure = measure
        self.n_attributes = n_attributes
        self.missing = missing
        self.discretization = discretization
        self.better_encoding = better_encoding
        self.categorical_features = categorical_features

    @classmethod
    def weka(
        cls, measure: Measure = "entropy", n_attributes: int | float = 0.3
    ) -> Self:
        """A ranker with the figures of Weka's InfoGain, GainRatio, SymmetricalUncert.

        Parameters
        ----------
        measure, n_attributes
            As for the class.

        Examples
        --------
        >>> from sklazy import AttributeRanker
        >>> AttributeRanker.weka("gain_ratio")
        AttributeRanker(better_encoding=True, measure='gain_ratio', missing='spread')
        """
        return cls(measure, n_attributes, missing="spread", better_encoding=True)

    def fit(self, X: object, y: object) -> Self:
        """Rank the columns of X by how informative they are about y.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Class labels.

        Returns
        -------
        self : AttributeRanker
        """
        measure = find_measure(self.measure)
        check_choice("missing", self.missing, ("omit", "spread"))
        coded = code_rows(
            X, y, self.categorical_features, self.discretization, self.better_encoding
        )
        n_kept = how_many(self.n_attributes, len(coded.names))
        table = CountTable(coded.counts(self.missing), coded.offsets)
        scores = measure.relevance(table, np.bincount(coded.classes))
        check_columns(self, X, reset=True)
        return self._rank(scores, n_kept)

    def _rank(self, scores: NDArray[np.float64], n_kept: int) -> Self:
        """Keep the columns of the highest scores."""
        order = np.argsort(-scores, kind="stable")
        self.scores_ = scores
        self.ranking_ = np.empty(len(order), dtype=np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.support_ = self.ranking_ <= n_kept
        self.n_attributes_ = n_kept
        return self
