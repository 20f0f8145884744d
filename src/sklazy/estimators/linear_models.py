"""Linear models of all cases that leave rows out for free."""

from sklazy.casebase.moments import Length
from sklazy.estimators.classifiers import ApproximateClassifier
from sklazy.estimators.regressors import ApproximateRegressor
from sklazy.methods.linear_models.learner import LinearLearner


class LazyLogisticClassifier(ApproximateClassifier):
    """Logistic regression, one class against the rest, with free leave-one-out.

    The ridge is chosen from 0.1, 1, 5 and 25 by the leave-one-out log loss. The model
    is fitted at the first query after rows were added or forgotten.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    class_weight : {None, "balanced"} or dict, optional
        Weight of each class, times that of the row: a dict by label, 1 for classes that
        it does not name, or such that all classes weigh alike, which follows rows that
        are added and forgotten. Counts from `fit` on.
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
    LazyClassifier : This model among others.

    Notes
    -----
    Numbers are scaled to variance 1 and clipped at four standard deviations from their
    mean; a missing one is the mean. A category is an indicator divided by the root of
    one half; a missing or unseen one is zero in all. Nominal attributes of more than 50
    categories are not used. Beyond 200 columns the model sees the 200 directions in
    which the rows (at most 1000 of them) vary most.

    An approximate left-out answer keeps scales, categories and the ridge, and takes one
    Newton step from the coefficients of all rows to those of the others. The score of
    row i is ``x_i'b - h_i (y_i - m_i) / (1 - h_i v_i)``, where m_i is its probability,
    v_i the variance of that and h_i the row's leverage.

    Weights of rows multiply their part in means, scales and the fit. Whole weights
    count as copies: to choose the ridge one of them is left out, of other weights the
    whole row. Every change of rows costs a fit at the next query.

    References
    ----------
    K. R. Rad, A. Maleki: A scalable estimate of the out-of-sample prediction error via
    approximate leave-one-out cross-validation. Journal of the Royal Statistical Society
    B 82, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import LazyLogisticClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyLogisticClassifier().fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> round(float((model.loo_predict() == y[::2]).mean()), 2)
    0.94
    """

    def __init__(
        self,
        *,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        half_life: Length | None = None,
        class_weight: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.window = window
        self.half_life = half_life
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _learner(self) -> LinearLearner:
        return LinearLearner(self.target)


class LazyRidgeRegressor(ApproximateRegressor):
    """Ridge regression with exact and free leave-one-out (PRESS).

    The ridge is chosen from 0.01, 1, 10, 100 and 1000 by the leave-one-out squared
    error. The model is fitted at the first query after rows were added or forgotten.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    n_jobs : int, optional
        Number of threads. Default: all cores.

    Attributes
    ----------
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyRegressor : This model among others.
    LazyLearningRegressor : Lines of the query's neighbors.

    Notes
    -----
    Columns are those of `LazyLogisticClassifier`, but up to 1000 of them. An
    approximate left-out answer keeps scales, categories and the ridge; given these it
    is exact. Weights of rows count as in `LazyLogisticClassifier`.

    References
    ----------
    D. M. Allen: The relationship between variable selection and data augmentation and a
    method for prediction. Technometrics 16, 1974.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyRidgeRegressor
    >>> X = np.arange(12.0)[:, None]
    >>> model = LazyRidgeRegressor().fit(X, 3 * X[:, 0] + 1)
    >>> model.predict([[2.0], [5.5]]).round(1)
    array([ 7. , 17.5])
    """

    def __init__(
        self,
        *,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        half_life: Length | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.window = window
        self.half_life = half_life
        self.n_jobs = n_jobs

    def _learner(self) -> LinearLearner:
        return LinearLearner(self.target)
