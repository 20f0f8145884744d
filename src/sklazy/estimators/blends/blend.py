"""Blends: the accurate ones, of members that count by what they said left out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import prepare
from sklazy.answer.blends import BlendLearner
from sklazy.backends.device import check_device
from sklazy.casebase import CaseBase
from sklazy.estimators.approximate import (
    ApproximateClassifier,
    ApproximateEstimator,
    ApproximateRegressor,
)
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.blends.members import (
    DEFAULT_CLASSIFIERS,
    DEFAULT_REGRESSORS,
    Named,
    check_members,
    explain_members,
    make_members,
    name_members,
    place,
)
from sklazy.estimators.parameters import check_count


class LazyBlend(ApproximateEstimator):
    """An estimator whose members count by leave-one-out; see the subclasses."""

    _can_be_member = False

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        default_members: bool = True,
        max_loo_rows: int = 300,
        categorical_features: object = "from_dtype",
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.estimators = estimators
        self.default_members = default_members
        self.max_loo_rows = max_loo_rows
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.device = device

    @property
    def weights_(self) -> dict[str, float]:
        """What each member counts, by name; those that cannot answer are left out."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            ready = prepare(self._current_learner(cases), cases)
            return dict(zip(ready.names, ready.weights.tolist(), strict=True))

    def _learner(self) -> BlendLearner:
        self._check_parameters()
        named = [(name, place(member, self.device)) for name, member in self._named()]
        members = make_members(named, self._n_attributes)
        return BlendLearner(self.target, members, int(self.max_loo_rows))

    def _explainer(self, cases: CaseBase) -> BlendLearner:
        learner = cast(BlendLearner, self._current_learner(cases))
        named, n_features = self._named(), self._n_attributes
        members = explain_members(learner.members, named, n_features)
        return replace(learner, members=members, ask_all=True)

    def _named(self) -> list[Named]:
        kinds = {"nominal": DEFAULT_CLASSIFIERS, "numeric": DEFAULT_REGRESSORS}
        default = kinds[self.target.kind] if self.default_members else ()
        return name_members(self.estimators, default)

    def _check_parameters(self) -> None:
        check_count("max_loo_rows", self.max_loo_rows)
        check_device(self.device)
        expected = "classifier" if self.target.kind == "nominal" else "regressor"
        check_members(self._named(), expected)

    def _reported_settings(self) -> dict[str, Any]:
        plain = clone(self).set_params(estimators=None)
        members = [f"{n}: {' '.join(repr(e).split())}" for n, e in self._named()]
        return {**LazyEstimator._reported_settings(plain), "estimators": members}


class LazyBlendClassifier(LazyBlend, ApproximateClassifier):
    """Several kinds of classifiers, weighed by what they said of rows left out.

    Every member is asked for the class of training rows that it has not seen. Its
    probabilities are raised to the power that fits these answers best, and then the
    weights are found under which the mixture of all members makes the rows' classes
    most likely.

    Parameters
    ----------
    estimators : list of estimators, or of pairs of a name and an estimator, optional
        Further members: classifiers of this library, or of scikit-learn.
    default_members : bool, default=True
        Whether the default members are among them: 100 random paths
        (`LazyBaggingClassifier`), a kernel model (`LazyKernelClassifier`) and a
        logistic regression (`LazyLogisticClassifier`).
    max_loo_rows : int, default=300
        How many rows are left out to find powers and weights, drawn by their content.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal; by default those of categories, text and bools.
    n_jobs : int, optional
        Threads; by default all cores.
    device : {None, "cuda", "cuda:1", ..., "cuda:all"}
        Where those members are asked that can be asked on a GPU.

    Attributes
    ----------
    weights_ : dict of str to float
        What each member counts; their sum is 1.
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyStackingClassifier : Members built on bags around each query.

    Notes
    -----
    Members are made ready, asked about rows left out and weighed when the first
    question is asked after rows came or went; until the next change that is kept.
    There are no sample weights, since not all members take them.

    The weights are those of ``max sum_i log sum_m w_m p_im + 5/M sum_m log w_m``, found
    by EM, where p_im is what member m says of the class of the left-out row i, kept off
    zero by 0.001 over the number of classes.

    A classifier of scikit-learn is fitted to all rows, and once more without each of
    five folds, by which its left-out answers are found. It sees the columns as in
    `LazyStackingClassifier`. A query gets the same answer in every batch if the model
    itself gives it.

    A member that cannot be fitted, or whose left-out answers are not finite, does not
    count, and a warning names it; if none is left, the question is refused. A member
    that fails on a query later is named in the error.

    Approximate left-out answers keep powers and weights, and are the members' own:
    folds of scikit-learn's models, and whatever a lazy member has.

    References
    ----------
    M. J. van der Laan, E. C. Polley, A. E. Hubbard: Super learner. Statistical
    Applications in Genetics and Molecular Biology 6, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklazy import LazyBlendClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyBlendClassifier().fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> more = LazyBlendClassifier([("bayes", GaussianNB())]).fit(X[::2], y[::2])
    >>> sum(more.weights_.values())
    1.0
    """


class LazyBlendRegressor(LazyBlend, ApproximateRegressor):
    """Several kinds of regressors, weighed by what they said of rows left out.

    Every member is asked for the number of training rows that it has not seen; the
    weights are those, none negative and with sum 1, whose mean of the members errs
    least on these rows (least squares).

    Parameters
    ----------
    estimators : list of estimators, or of pairs of a name and an estimator, optional
        Further members: regressors of this library, or of scikit-learn.
    default_members : bool, default=True
        Whether the default members are among them: 100 random paths
        (`LazyBaggingRegressor`), a kernel model (`LazyKernelRegressor`), a ridge line
        (`LazyRidgeRegressor`) and local lines (`LazyLearningRegressor`).
    max_loo_rows : int, default=300
        How many rows are left out to find weights, drawn by their content.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal; by default those of categories, text and bools.
    n_jobs : int, optional
        Threads; by default all cores.
    device : {None, "cuda", "cuda:1", ..., "cuda:all"}
        Where those members are asked that can be asked on a GPU.

    Attributes
    ----------
    weights_ : dict of str to float
        What each member counts; their sum is 1.
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBlendClassifier : The same for classes, with all that is said there.

    Notes
    -----
    Members that fail, left-out answers and sample weights are as in
    `LazyBlendClassifier`.

    References
    ----------
    L. Breiman: Stacked regressions. Machine Learning 24, 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyBlendRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyBlendRegressor().fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(2)
    array([ 0.99, -0.75])
    >>> list(model.weights_)
    ['paths', 'kernel', 'line', 'local']
    """
