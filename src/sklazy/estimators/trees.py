"""The lazy decision tree: a path of tests that the query itself chooses."""

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.estimators.classifiers import BaseLazyClassifier
from sklazy.estimators.parameters import Discretization
from sklazy.methods.trees.learner import TreeLearner


class LazyDecisionTreeClassifier(BaseLazyClassifier):
    """A decision tree that grows only the query's branch, by the best tests for it.

    Each step tests the value of the query that is most informative about the class of
    the cases that still match it, with all classes weighted equally. The matching cases
    remain. When they are of one class, or no test is informative, the answer is their
    majority. Missing values of the query are never tested.

    Parameters
    ----------
    discretization : {"fayyad", "kononenko"}
        Stopping rule of the cuts. Numbers are tested by their bins.
    cuts : {"exact", "frozen"}
        Whether cuts are updated with every row added or forgotten, or stay as first
        computed until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal. Default: those of categories, text and bools. A
        mapping sets the kind of single columns, for example ``{"day": "day-first"}``.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    n_jobs : int, optional
        Number of threads. Default: all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBaggingClassifier : Paths through ordinary trees, one per bag.

    Notes
    -----
    Ties between tests go to the one with more matching cases, then by the order of
    columns. Ties between classes go to the more frequent one, then to the first.

    References
    ----------
    J. H. Friedman, R. Kohavi, Y. Yun: Lazy decision trees. Proceedings of the
    Thirteenth National Conference on Artificial Intelligence (AAAI), 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import LazyDecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyDecisionTreeClassifier().fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> len(model.explain(X[1:2])[0]["steps"])
    2
    """

    _poor_score = True  # numbers that the cuts leave whole count for nothing

    def __init__(
        self,
        *,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.window = window
        self.n_jobs = n_jobs

    def _learner(self) -> TreeLearner:
        return TreeLearner()
