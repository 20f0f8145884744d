"""The lazy decision tree: a path of tests that the query itself chooses."""

from sklazy.answer.trees import TreeLearner
from sklazy.casebase.base import Cuts
from sklazy.estimators.binned import BinnedClassifier
from sklazy.estimators.options import Discretization


class LazyDecisionTreeClassifier(BinnedClassifier):
    """A tree that grows the branch of the query alone, by the best test for it.

    At each step the query tests one of its own values: the most informative one about
    the class of the cases that still agree with it, with the classes weighed alike.
    The cases that agree remain; when they are of one class, or no test is
    informative, the majority is the answer. A value that is missing in the query is
    never tested.

    Parameters
    ----------
    discretization : {"fayyad", "kononenko"}
        The stop rule of the cuts: numbers are tested by their bins.
    cuts : {"exact", "frozen"}
        Whether cuts follow every row that comes and goes, or stay as first found
        until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal; by default those of categories, text and bools. A
        mapping says what single columns are, for example ``{"day": "day-first"}``.
    n_jobs : int, optional
        Threads; by default all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBaggingClassifier : Paths through ordinary trees, one per bag.

    Notes
    -----
    Tests that gain alike are settled by the number of cases that agree, then by the
    order of columns. A tie of classes goes to the larger one, then to the first.

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

    def __init__(
        self,
        *,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def _learner(self) -> TreeLearner:
        return TreeLearner()
