"""k nearest neighbors on the attributes that matter for the query."""

from sklazy.answer.selection.nearest import NearestHost
from sklazy.backends.device import check_device
from sklazy.casebase.base import Cuts
from sklazy.estimators.selection.base import SelectingClassifier


class LazyKNeighborsClassifier(SelectingClassifier):
    """Nearest neighbors that choose the attributes for each query by itself.

    The attributes whose value in the query, or which as a whole, say most about the
    class are used for this query and disregarded for others. All cases tied with
    the k-th nearest vote, too, so that answers do not depend on the order of rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many cases vote; with sample weights, how much weight does.
    n_attributes : int, float, "auto", "local" or "vote", default=0.3
        How many attributes a query uses: a count or a fraction; the number with the
        best leave-one-out accuracy over the training rows ("auto") or over the
        query's own neighborhood ("local"), the smallest of equally good ones; or
        every number casts a vote for its answer ("vote").
    selection : {"lazy", "eager", "none", "lazy-cfs", "lazy-consistency"}
        How attributes are chosen: by their values in the query, alike for all
        queries, or not at all; "lazy-cfs" and "lazy-consistency" choose a set that
        belongs together, of a size of its own.
    measure : str, default="entropy"
        How informative a value is: "entropy" (the paper's), "gini",
        "gain_ratio", "chi_square", "information_gain" or "symmetric_uncertainty".
    discretize : bool, default=True
        Compare numbers by their bins; else by their difference in terms of the range
        (HEOM). Attributes are selected by their bins either way.
    discretization : {"fayyad", "kononenko"}
        The stop rule of the cuts.
    cuts : {"exact", "frozen"}
        Whether cuts follow every row that comes and goes, or stay as first found
        until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal; by default those of categories, text and bools. A
        mapping says what single columns are, for example ``{"day": "day-first"}``.
    min_support : int, default=1
        With "lazy-consistency", rows that must share the chosen values.
    max_loo_rows : int, default=1000
        With "auto", training rows tried at most: a sample that depends on nothing
        but the rows.
    n_local_neighbors : int, default=20
        With "local", how many rows make a neighborhood.
    n_jobs : int, optional
        Threads; by default all cores.
    device : {None, "cuda", "cuda:1", ...}
        Where cases are searched: the CPU, or a GPU, which pays for batches of queries
        against many cases. It changes no answer; see docs/gpu.md.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Notes
    -----
    Probabilities are Weka's: a class starts with 1 / n_rows, each vote adds 1. Ties
    of votes go to the class with more rows, then to the first.

    Sample weights count in the votes: a row of weight w votes like w rows. Cuts,
    ranges and the choice of attributes look at rows, each once.

    References
    ----------
    R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
    attribute selection: choosing attributes at classification time. Intelligent Data
    Analysis 15(5), 2011.

    D. W. Aha, D. Kibler, M. K. Albert: Instance-based learning algorithms. Machine
    Learning 6, 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import LazyKNeighborsClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyKNeighborsClassifier(n_attributes=4).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.96
    >>> model.select_attributes(X[1:3]).sum(axis=1)
    array([4, 4])
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        n_attributes: int | float | str = 0.3,
        selection: str = "lazy",
        measure: str = "entropy",
        discretize: bool = True,
        *,
        discretization: str = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        min_support: int = 1,
        max_loo_rows: int = 1000,
        n_local_neighbors: int = 20,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_attributes = n_attributes
        self.selection = selection
        self.measure = measure
        self.discretize = discretize
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.min_support = min_support
        self.max_loo_rows = max_loo_rows
        self.n_local_neighbors = n_local_neighbors
        self.n_jobs = n_jobs
        self.device = device

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_device(self.device)

    def _host(self) -> NearestHost:
        return NearestHost(int(self.n_neighbors), bool(self.discretize), self.device)
