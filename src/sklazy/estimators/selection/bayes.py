"""Naive Bayes on the attributes that matter for the query."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, Self

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import Discretization, Measure, Selection
from sklazy.estimators.selection.base import SelectingClassifier
from sklazy.methods.selection.bayes import BayesHost

_MOST_ALPHA = 1e290  # added to every count, it must leave sums finite


class LazyNBClassifier(SelectingClassifier):
    """Naive Bayes on the attributes chosen for each query.

    Parameters
    ----------
    n_attributes : int, float, "auto", "local" or "vote", default="auto"
        How many attributes a query uses; see `LazyKNeighborsClassifier`.
    selection : {"lazy", "eager", "none", "lazy-cfs", "lazy-consistency", "lazy-hip"}
        How attributes are chosen; see `LazyKNeighborsClassifier`.
    measure : str, default="entropy"
        Measure of how informative a value is.
    alpha : float, default=1.0
        Laplace smoothing: added to every count of classes and of values by class.
    discretize : bool, default=True
        Whether to count numbers by their bins. Otherwise they are taken as normal
        within each class, with the mean and variance of the class after `alpha` rows
        spread like all rows are added to it. So a class of few rows leans on the whole
        column.
    discount_rare_values : bool, default=True
        Whether one case of each value is counted as if spread over the classes like all
        cases, which makes a value seen once uninformative. The paper counts values as
        they are, which makes a row's serial number the best attribute.
    discretization : {"fayyad", "kononenko"}
        Stopping rule (MDL criterion) of the cuts.
    cuts : {"exact", "frozen"}
        Whether cuts are updated with every row added or forgotten, or stay as first
        computed until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal. Default: those of categories, text and bools. A
        mapping sets the kind of single columns, for example ``{"day": "day-first"}``.
    min_support : int, default=1
        With "lazy-consistency", least number of rows that share the chosen values.
    max_loo_rows : int, default=1000
        With "auto", the most training rows to try.
    n_local_neighbors : int, default=20
        With "local", the number of rows in a neighborhood.
    hierarchy : mapping of columns to their parents, optional
        With "lazy-hip", by name or position, for example ``{"dog": ["mammal"]}``.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    refresh_every : int or float in (0, 1), default=1
        How many rows may come or go until cuts and the number of attributes are found
        anew: so many, or this share of the rows. Until then those of earlier rows
        serve, and `digest` and receipts state how old they are. `forget` and `refresh`
        have them found anew at once. Read by `fit`.
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

    Notes
    -----
    The defaults were the most accurate on one half of 47 data sets
    (``docs/defaults.md``). `paper` has the published settings.

    Of attributes with equal scores the one with the better score as a whole comes
    first, then the first column; a value that is missing or that no row has counts as
    the attribute as a whole; a fraction of the attributes is rounded half up. The
    paper has none of these rules.

    Missing values, and values that no row has, are left out of the product. Sample
    weights count in priors and likelihoods; cuts and the choice of attributes count
    each row once.

    References
    ----------
    R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
    attribute selection: choosing attributes at classification time. Intelligent Data
    Analysis 15(5), 2011.

    Examples
    --------
    >>> from sklazy import LazyNBClassifier
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "mild"], ["rain", "cool"]]
    >>> model = LazyNBClassifier(n_attributes=1).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([["rain", "hot"], ["sun", "cool"]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        n_attributes: int | float | str = "auto",
        selection: Selection = "lazy",
        measure: Measure = "entropy",
        alpha: float = 1.0,
        discretize: bool = True,
        *,
        discount_rare_values: bool = True,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        min_support: int = 1,
        max_loo_rows: int = 1000,
        n_local_neighbors: int = 20,
        hierarchy: Mapping[Any, Any] | None = None,
        window: Length | None = None,
        refresh_every: float = 1,
        half_life: Length | None = None,
        class_weight: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_attributes = n_attributes
        self.selection = selection
        self.measure = measure
        self.alpha = alpha
        self.discretize = discretize
        self.discount_rare_values = discount_rare_values
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.min_support = min_support
        self.max_loo_rows = max_loo_rows
        self.n_local_neighbors = n_local_neighbors
        self.hierarchy = hierarchy
        self.window = window
        self.refresh_every = refresh_every
        self.half_life = half_life
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings: 30 %, plain counts.

        The paper tries 10 to 90 percent of the attributes; 30 percent is our choice.

        Parameters
        ----------
        **settings
            Other parameters, such as `n_attributes`.

        Examples
        --------
        >>> LazyNBClassifier.paper().n_attributes
        0.3
        """
        published: dict[str, Any] = {"n_attributes": 0.3, "discount_rare_values": False}
        return cls(**{**published, **settings})

    def _host(self) -> BayesHost:
        return BayesHost(float(self.alpha), bool(self.discretize))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.alpha, Real) or not 0 < self.alpha <= _MOST_ALPHA:
            raise BadInputError(
                f"alpha={self.alpha!r}; expected a number above 0 and at most "
                f"{_MOST_ALPHA:g}. Without it a value that a class lacks would rule "
                "the class out."
            )
