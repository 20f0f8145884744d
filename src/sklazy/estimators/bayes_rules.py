"""Lazy Bayesian rules: naive Bayes where some of the query's values hold."""

from sklazy.answer.bayes_rules import BayesRulesLearner
from sklazy.casebase.base import Cuts
from sklazy.estimators.binned import BinnedClassifier
from sklazy.estimators.options import Discretization
from sklazy.estimators.parameters import check_count, check_fraction, check_positive
from sklazy.local.bayes_rules import RuleSettings


class LazyBayesRulesClassifier(BinnedClassifier):
    """Naive Bayes among the cases that share the values which spoil it elsewhere.

    Naive Bayes errs where attributes depend on each other. For each query a rule is
    grown: of its values the one is added that leaves the fewest errors, if naive Bayes
    among the cases that have it makes significantly fewer errors on them than before.
    Errors are counted by leaving each case out. Under the rule the other attributes
    decide; without one the answer is that of naive Bayes.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to every count, of classes and of values by class: Laplace's rule.
    min_support : int, default=30
        Cases that must have all values of the rule.
    significance : float, default=0.05
        The level of the one-sided sign test on the cases that were put right and wrong.
    discretization : {"fayyad", "kononenko"}
        The stop rule of the cuts: numbers are counted by their bins.
    cuts : {"exact", "frozen"}
        Whether cuts follow every row that comes and goes, or stay as first found
        until `refresh`.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal; by default those of categories, text and bools.
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
    LazyNBClassifier : Naive Bayes on the attributes that matter for the query.

    Notes
    -----
    Missing values, in rows and in queries, and values that no row has are left out of
    the product and are in no rule. Values that leave equally many errors are settled
    by the order of columns. A tie of classes goes to the larger one, then to the first.

    With ``min_support=1`` and without missing cells the answers are those of Weka
    3.6.14's LBR, which counts a missing cell as the first value of its attribute.

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
    >>> [step["attribute"] for step in model.explain(X[:1])[0]["antecedent"]]
    ['x0']

    Above, red is sweet; below, blue is: naive Bayes alone would know neither.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        min_support: int = 30,
        significance: float = 0.05,
        *,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.min_support = min_support
        self.significance = significance
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
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
