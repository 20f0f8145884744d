"""Blends: the accurate ones, of members weighted by their left-out predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, cast

from sklearn.utils.validation import check_is_fitted

from sklazy.answer import AnyLearner, prepare
from sklazy.answer.device import check_device
from sklazy.casebase.moments import Length
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.blends.members import (
    DEFAULT_CLASSIFIERS,
    DEFAULT_REGRESSORS,
    FITTED_AS_A_WHOLE,
    FOR_FEW,
    FOR_MANY,
    Named,
    check_members,
    draw_for,
    explain_members,
    make_members,
    name_members,
    put_on_device,
    set_member_parameters,
)
from sklazy.estimators.blends.sklearn_members import describe_estimator
from sklazy.estimators.classifiers import ApproximateClassifier
from sklazy.estimators.parameters import check_count
from sklazy.estimators.regressors import ApproximateRegressor
from sklazy.methods.blends.learner import MORE_LEFT_OUT, BlendLearner


class LazyBlend(LazyEstimator):
    """An estimator whose members count by leave-one-out; see the subclasses."""

    _can_be_member = False

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        default_members: bool = True,
        max_loo_rows: int = 300,
        member_parameters: Mapping[str, Any] | None = None,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        refresh_every: float = 1,
        half_life: Length | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.estimators = estimators
        self.default_members = default_members
        self.max_loo_rows = max_loo_rows
        self.member_parameters = member_parameters
        self.categorical_features = categorical_features
        self.window = window
        self.refresh_every = refresh_every
        self.half_life = half_life
        self.n_jobs = n_jobs
        self.device = device

    @property
    def weights_(self) -> dict[str, float]:
        """Weight of each member, by name; those that cannot answer are left out."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            ready = prepare(self._current_learner(cases), cases)
            return dict(zip(ready.names, ready.weights.tolist(), strict=True))

    def _learner(self) -> BlendLearner:
        self._check_parameters()
        named = [
            (name, put_on_device(member, self.device)) for name, member in self._named()
        ]
        defaults, trees = self.default_members, FOR_MANY[self.target.kind][0]
        is_fixed = f"{trees}__max_iter" in (self.member_parameters or {})
        grown = trees if defaults and not is_fixed else ""
        n_left = int(self.max_loo_rows)
        n_judged = n_left * MORE_LEFT_OUT
        members = make_members(named, self._n_attributes, grown, n_judged)
        members = draw_for(members, FITTED_AS_A_WHOLE if defaults else ())
        return BlendLearner(
            self.target,
            members,
            n_left,
            of_few_rows=FOR_FEW if defaults else (),
            of_many_rows=(trees,) if defaults else (),
            grows=not self.estimators,
            kept_by=tuple(describe_estimator(*each) for each in self._named()),
        )

    def _explaining(self, learner: AnyLearner) -> BlendLearner:
        blend, named = cast(BlendLearner, learner), self._named()
        members = explain_members(blend.members, named, self._n_attributes)
        return replace(blend, members=members, ask_all=True)

    def _named(self) -> list[Named]:
        kinds = {"nominal": DEFAULT_CLASSIFIERS, "numeric": DEFAULT_REGRESSORS}
        default: tuple[Named, ...] = ()
        if self.default_members:
            default = (*kinds[self.target.kind], FOR_MANY[self.target.kind])
        named = name_members(self.estimators, default)
        return set_member_parameters(named, self.member_parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, and those of members as ``name__parameter``.

        Parameters
        ----------
        deep : bool, default True
            Whether to include the parameters of members.

        Examples
        --------
        >>> from sklazy import LazyClassifier
        >>> LazyClassifier().get_params()["paths__n_estimators"]
        30
        """
        parameters: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return parameters
        try:
            named = self._named()
        except (ValueError, TypeError):  # `fit` refuses them
            return parameters
        nested = {
            f"{name}__{parameter}": value
            for name, member in named
            for parameter, value in member.get_params().items()
        }
        return {**parameters, **nested}

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401 - of any member
        """Set parameters; those of members as ``name__parameter``.

        Parameters
        ----------
        **params : dict
            Values by the names of `get_params`.

        Examples
        --------
        >>> from sklazy import LazyClassifier
        >>> LazyClassifier().set_params(paths__n_estimators=50).member_parameters
        {'paths__n_estimators': 50}
        """
        nested = {name: value for name, value in params.items() if "__" in name}
        super().set_params(**{k: v for k, v in params.items() if k not in nested})
        if nested:
            changed = {**(self.member_parameters or {}), **nested}
            set_member_parameters(self._named(), changed)  # refuses what is none
            self.member_parameters = changed
        return self

    def _check_parameters(self) -> None:
        check_count("max_loo_rows", self.max_loo_rows)
        check_device(self.device)
        expected = "classifier" if self.target.kind == "nominal" else "regressor"
        check_members(self._named(), expected)

    def _resolved(self) -> dict[str, object]:
        members = [f"{n}: {' '.join(repr(e).split())}" for n, e in self._named()]
        return {"estimators": members}


class LazyClassifier(LazyBlend, ApproximateClassifier):
    """Predict classes by several kinds of models, weighted by left-out predictions.

    The most accurate classifier of this library, and the one to try first. It is a
    blend, and is importable as ``LazyBlendClassifier``, too.

    Each member predicts training rows that are left out. Its probabilities are raised
    to the power that fits these rows best. Then weights are chosen under which the
    mixture of all members makes the classes of the rows most likely.

    Parameters
    ----------
    estimators : list of estimators, or of pairs of a name and an estimator, optional
        Additional members: classifiers of this library or of scikit-learn.
    default_members : bool, default=True
        Whether to include the default members: 30 random paths
        (`LazyBaggingClassifier`), a kernel model (`LazyKernelClassifier`) and a
        logistic regression (`LazyLogisticClassifier`). Beyond 2000 rows boosted trees
        (`HistGradientBoostingClassifier`) take the place of the paths; left-out
        predictions decide how many.
    max_loo_rows : int, default=300
        Most rows that are left out to find powers and weights, drawn by their content;
        ten times as many beyond 2000 rows, if `estimators` has none.
    member_parameters : dict of str, optional
        Parameters of members, as ``{"paths__n_estimators": 50}``; `set_params` and grid
        searches take them by these names, too.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    refresh_every : int or float in (0, 1), default=1
        How many rows may come or go until weights of members, settings of kernel
        models and boosted trees are found anew: so many, or this share of the rows.
        Until then those of earlier rows serve, and `digest` and receipts state how old
        they are. `forget` and `refresh` have them found anew at once. Read by `fit`.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    class_weight : {None, "balanced"} or dict, optional
        Weight of each class, times that of the row: a dict by label, 1 for classes that
        it does not name, or such that all classes weigh alike, which follows rows that
        are added and forgotten. Counts from `fit` on.
    n_jobs : int, optional
        Number of threads. Default: all cores.
    device : {None, "cuda", "cuda:1", ..., "cuda:all"}
        Device for the members that can use a GPU.

    Attributes
    ----------
    weights_ : dict of str to float
        Weight of each member; their sum is 1.
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyStackingClassifier : Members built on bags around each query.

    Notes
    -----
    Members are prepared and weighted at the first query after rows were added or
    forgotten; this is kept until the next change. Weights of rows (`sample_weight`,
    `half_life`) count in all members and in the likelihood by which these are weighted.
    A member of scikit-learn whose `fit` takes no weights is left out with a warning.

    The weights maximize ``sum_i log sum_m w_m p_im + 5/M sum_m log w_m`` by EM. Here
    p_im is member m's probability of the class of the left-out row i, kept away from
    zero by 0.001 over the number of classes.

    A scikit-learn classifier is fitted to all rows, and once more without each of five
    folds for its left-out answers. It sees columns as in `LazyStackingClassifier`. A
    query gets the same answer in every batch if the model itself behaves so. Boosted
    trees (`HistGradientBoosting...`) see categories as such; of a column with more than
    255 the most frequent ones. After rows were added or forgotten, models are fitted
    again before they answer; boosted trees later, where `refresh_every` says so. Beyond
    45 000 rows boosted trees and the logistic regression learn from a fair draw of
    45 000, and stay as long as no row of the draw comes or goes.

    A member that cannot be fitted, or whose left-out answers are not finite, is left
    out with a warning. If none remains, predicting raises an error. If a member fails
    on a later query, the error names it.

    Approximate left-out answers keep powers and weights and use those of the members:
    folds for scikit-learn's models, whatever a lazy member offers otherwise.

    References
    ----------
    M. J. van der Laan, E. C. Polley, A. E. Hubbard: Super learner. Statistical
    Applications in Genetics and Molecular Biology 6, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklazy import LazyClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyClassifier().fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> more = LazyClassifier([("bayes", GaussianNB())]).fit(X[::2], y[::2])
    >>> sum(more.weights_.values())
    1.0
    """

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        default_members: bool = True,
        max_loo_rows: int = 300,
        member_parameters: Mapping[str, Any] | None = None,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        refresh_every: float = 1,
        half_life: Length | None = None,
        class_weight: object = None,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        super().__init__(
            estimators,
            default_members=default_members,
            max_loo_rows=max_loo_rows,
            member_parameters=member_parameters,
            categorical_features=categorical_features,
            window=window,
            refresh_every=refresh_every,
            half_life=half_life,
            n_jobs=n_jobs,
            device=device,
        )
        self.class_weight = class_weight


class LazyRegressor(LazyBlend, ApproximateRegressor):
    """Predict numbers by several kinds of models, weighted by left-out predictions.

    The most accurate regressor of this library, and the one to try first. It is a
    blend, and is importable as ``LazyBlendRegressor``, too.

    Each member predicts training rows that are left out. The weights, none negative and
    with sum 1, minimize the squared error of the weighted mean on these rows.

    Parameters
    ----------
    estimators : list of estimators, or of pairs of a name and an estimator, optional
        Additional members: regressors of this library or of scikit-learn.
    default_members : bool, default=True
        Whether to include the default members: 30 random paths
        (`LazyBaggingRegressor`), a kernel model (`LazyKernelRegressor`), a ridge
        regression (`LazyRidgeRegressor`) and local lines (`LazyLearningRegressor`).
        Beyond 2000 rows boosted trees (`HistGradientBoostingRegressor`) of the errors
        of the ridge regression take the place of paths and local lines; left-out
        predictions decide how many.
    max_loo_rows : int, default=300
        Most rows that are left out to find weights, drawn by their content; ten times
        as many beyond 2000 rows, if `estimators` has none.
    member_parameters : dict of str, optional
        As for `LazyClassifier`.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    refresh_every : int or float in (0, 1), default=1
        As for `LazyClassifier`.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    n_jobs : int, optional
        Number of threads. Default: all cores.
    device : {None, "cuda", "cuda:1", ..., "cuda:all"}
        Device for the members that can use a GPU.

    Attributes
    ----------
    weights_ : dict of str to float
        Weight of each member; their sum is 1.
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyClassifier : The same for classes, with further notes.

    Notes
    -----
    Members that fail, left-out answers, weights of rows and the draw of very many rows
    are as in `LazyClassifier`.

    References
    ----------
    L. Breiman: Stacked regressions. Machine Learning 24, 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyRegressor().fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(2)
    array([ 0.99, -0.75])
    >>> list(model.weights_)
    ['paths', 'kernel', 'line', 'local']
    """


LazyBlendClassifier = LazyClassifier
LazyBlendRegressor = LazyRegressor
