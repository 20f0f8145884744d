"""Lazy associative classification: rules mined for the query alone."""

from typing import Literal

import numpy as np

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.errors import BadInputError
from sklazy.estimators.classifiers import BaseLazyClassifier
from sklazy.estimators.parameters import (
    Discretization,
    check_choice,
    check_count,
    check_fraction,
)
from sklazy.methods.association.learner import AssociationLearner

WEIGHTS = ("equal", "support")


class LazyAssociativeClassifier(BaseLazyClassifier):
    """Classify by association rules that are mined from the query's own values.

    An ordinary associative classifier mines rules in advance: too many in all, and
    often too few for one query. This one mines them when a query arrives, from its
    values alone: every set of at most `max_length` values, with each class that occurs
    with it often (`min_support`) and reliably (`min_confidence`). The score of a class
    is the mean confidence of its rules. Probabilities are scores divided by their sum.

    Parameters
    ----------
    min_support : int or float, default=0.01
        Least number of cases with a rule's values and class, or a fraction of all
        cases.
    min_confidence : float, default=0.5
        Least share of the class among the cases with the values.
    max_length : int, default=2
        Most values in a rule. All sets are tried: 60 attributes have 1830 sets of up to
        two values, and 36 050 of up to three.
    rule_weights : {"equal", "support"}
        Whether the rules of a class count equally in its mean, or by their number of
        cases.
    discretization : {"fayyad", "kononenko"}
        Stopping rule of the cuts. Numbers are compared by their bins.
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
    LazyDecisionTreeClassifier : One set of the query's values, grown step by step.

    Notes
    -----
    Missing values, and values that no case has, are in no rule. If no rule passes the
    limits, the answer is the share of each class among all cases, and the receipt
    reports that. Ties go to the more frequent class, then to the first.

    References
    ----------
    A. Veloso, W. Meira Jr., M. J. Zaki: Lazy associative classification. Proceedings
    of the Sixth International Conference on Data Mining (ICDM), 2006.

    Examples
    --------
    >>> from sklazy import LazyAssociativeClassifier
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "mild"], ["rain", "cool"]]
    >>> model = LazyAssociativeClassifier().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([["rain", "mild"], ["sun", "mild"]])
    array(['yes', 'no'], dtype='<U3')
    >>> rule = model.explain([["sun", "mild"]])[0]["rules"]["listed"][0]
    >>> rule["values"][0]["value"], rule["class"], rule["support"], rule["covered"]
    ('sun', 'no', 2, 2)
    """

    _poor_score = True  # numbers that the cuts leave whole count for nothing

    def __init__(
        self,
        min_support: int | float = 0.01,
        min_confidence: float = 0.5,
        max_length: int = 2,
        rule_weights: Literal["equal", "support"] = "equal",
        *,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.rule_weights = rule_weights
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.window = window
        self.n_jobs = n_jobs

    def _learner(self) -> AssociationLearner:
        self._check_parameters()
        counted = isinstance(self.min_support, int | np.integer)
        return AssociationLearner(
            int(self.min_support) if counted else float(self.min_support),
            float(self.min_confidence),
            int(self.max_length),
            self.rule_weights == "support",
            self.n_jobs,
        )

    def _check_parameters(self) -> None:
        if isinstance(self.min_support, int | np.integer):
            check_count("min_support", self.min_support)
        else:
            check_fraction("min_support", self.min_support)
            if self.min_support == 0:
                raise BadInputError(
                    "min_support=0.0 would allow rules that no case supports; give a "
                    "number of cases of at least 1, or a fraction in (0, 1]."
                )
        check_fraction("min_confidence", self.min_confidence)
        check_count("max_length", self.max_length)
        check_choice("rule_weights", self.rule_weights, WEIGHTS)
