"""Lazy associative classification: rules mined for the query alone."""

from typing import Literal

import numpy as np

from sklazy.answer.association import AssociationLearner
from sklazy.casebase.base import Cuts
from sklazy.errors import BadInputError
from sklazy.estimators.binned import BinnedClassifier
from sklazy.estimators.options import Discretization
from sklazy.estimators.parameters import check_choice, check_count, check_fraction

WEIGHTS = ("equal", "support")


class LazyAssociativeClassifier(BinnedClassifier):
    """Rules "these values, hence this class" whose values are all the query's own.

    An associative classifier mines rules beforehand, far too many or too few for what
    is asked. This one mines them when it is asked, from the values of the query alone:
    every set of at most `max_length` of them, with every class that goes with it often
    (`min_support`) and reliably (`min_confidence`). The score of a class is the mean
    confidence of its rules; scores, made to sum to 1, are the probabilities.

    Parameters
    ----------
    min_support : int or float, default=0.01
        How many cases must have a rule's values and its class: a number, or a
        fraction of all cases.
    min_confidence : float, default=0.5
        The least share of the class among the cases that have the values.
    max_length : int, default=2
        Values in a rule, at most. All sets are tried: of 60 attributes there are 1830
        of up to two values, and 36 050 of up to three.
    rule_weights : {"equal", "support"}
        Whether all rules of a class count alike in its mean, or each by its cases.
    discretization : {"fayyad", "kononenko"}
        The stop rule of the cuts: numbers are compared by their bins.
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
    LazyDecisionTreeClassifier : One set of the query's values, grown step by step.

    Notes
    -----
    A value that is missing, or that no case has, is in no rule. Where no rule is
    supported and reliable enough the classes' shares of all cases answer, and the
    receipt says so. A tie of classes goes to the larger one, then to the first.

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
        n_jobs: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.rule_weights = rule_weights
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
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
                    "min_support=0.0 would let rules count that no case has; give a "
                    "number of cases of at least 1, or a fraction in (0, 1]."
                )
        check_fraction("min_confidence", self.min_confidence)
        check_count("max_length", self.max_length)
        check_choice("rule_weights", self.rule_weights, WEIGHTS)
