"""Lazy Bayesian rules: naive Bayes where some of the query's values hold."""

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.estimators.classifiers import BaseLazyClassifier
from sklazy.estimators.parameters import (
    Discretization,
    check_count,
    check_fraction,
    check_positive,
)
from sklazy.methods.bayes_rules.learner import BayesRulesLearner
from sklazy.methods.bayes_rules.model import RuleSettings


class LazyBayesRulesClassifier(BaseLazyClassifier):
    """Naive Bayes on the cases that match a rule, grown for each query.

    Naive Bayes errs where attributes depend on each other. For each query a rule is
    grown from its values: the value that leaves the fewest errors is added if naive
    Bayes on the matching cases makes significantly fewer errors on them than before.
    Errors are counted by leave-one-out. The other attributes then decide; without a
    rule the answer is that of naive Bayes.

    Parameters
    ----------
    alpha : float, default=1.0
        Laplace smoothing: added to every count of classes and of values by class.
    min_support : int, default=30
        Least number of cases that match the rule.
    significance : float, default=0.05
        Level of the one-sided sign test on the cases newly right and newly wrong.
    discretization : {"fayyad", "kononenko"}
        Stopping rule of the cuts. Numbers are counted by their bins.
    cuts : {"exact", "frozen"}
        Whether cuts are updated with every row added or forgotten, or stay as first
        computed until `refresh`.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
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
    LazyNBClassifier : Naive Bayes on the attributes that matter for the query.

    Notes
    -----
    Missing values, and values that no row has, are left out of the product and of
    rules. Ties between values go by the order of columns. Ties between classes go to
    the more frequent one, then to the first.

    With ``min_support=1`` and no missing cells, answers equal those of Weka 3.6.14's
    LBR, which counts a missing cell as the first value of its attribute.

    References
    ----------
    Z. Zheng, G. I. Webb: Lazy learning of Bayesian rules. Machine Learning 41(1), 2000.

    Examples
    --------
    >>> from sklazy import LazyBayesRulesClassifier
    >>> X = [["above", "red"], ["above", "blue"], ["below", "red"], ["below", "blue"]]
    >>> y = ["sweet", "sour", "sour", "sweet"]
    >>> model = LazyBayesRulesClassifier().fit(X * 20, y * 20)
    >>> model.predict(X)
    array(['sweet', 'sour', 'sour', 'sweet'], dtype='<U5')
    >>> [step["attribute"] for step in model.explain(X[:1])[0]["conditions"]]
    ['x0']

    Above, red is sweet; below, blue is. Naive Bayes alone would learn neither.
    """

    _poor_score = True  # numbers that the cuts leave whole count for nothing

    def __init__(
        self,
        alpha: float = 1.0,
        min_support: int = 30,
        significance: float = 0.05,
        *,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.min_support = min_support
        self.significance = significance
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.window = window
        self.n_jobs = n_jobs

    def _learner(self) -> BayesRulesLearner:
        self._check_parameters()
        settings = float(self.alpha), int(self.min_support), float(self.significance)
        return BayesRulesLearner(RuleSettings(*settings))

    def _check_parameters(self) -> None:
        without = "without it a value that a class lacks would rule the class out"
        check_positive("alpha", self.alpha, without)
        check_count("min_support", self.min_support)
        check_fraction("significance", self.significance)
