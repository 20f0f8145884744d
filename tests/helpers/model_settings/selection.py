"""Lazy attribute selection in several settings."""

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from model_settings.setting import Setting, checked
from sklazy import (
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazySelectionClassifier,
)

ROWS_ONCE = {
    "check_sample_weight_equivalence_on_dense_data": (
        "cuts, ranges and the choice of attributes look at rows, each once: the stop "
        "rule of the cuts is a code length in rows"
    )
}

SELECTION = {
    LazyKNeighborsClassifier: [
        checked(LazyKNeighborsClassifier(), "the defaults", ROWS_ONCE),
        checked(LazyKNeighborsClassifier.paper(), "the published settings", ROWS_ONCE),
        checked(
            LazyKNeighborsClassifier(3, 1.0, weights="uniform", ties="all"),
            "all attributes, distances of numbers",
            ROWS_ONCE,
        ),
        checked(
            LazyKNeighborsClassifier(1, "vote", "eager", "gini", discretize=True),
            "a vote over eager sets",
            ROWS_ONCE,
        ),
        checked(
            LazyKNeighborsClassifier(selection="none", discretize=True, n_jobs=2),
            "plain k-NN on bins, in threads",
            ROWS_ONCE,
        ),
        Setting(
            LazyKNeighborsClassifier(3, 0.3, discretize=True),
            "ties among few share, votes by agreement",
        ),
        Setting(
            LazyKNeighborsClassifier.paper(n_neighbors=3), "all ties among few vote"
        ),
        Setting(
            LazyKNeighborsClassifier(
                1, 1, measure="gini", discretize=True, weights="uniform"
            ),
            "one of each, shared",
        ),
        Setting(
            LazyKNeighborsClassifier(2, 0.5, weights="uniform"),
            "half, of numbers, shared",
        ),
        Setting(
            LazyKNeighborsClassifier(
                3, 2, "eager", "chi_square", discretize=True, ties="all"
            ),
            "the same attributes for all",
        ),
        Setting(LazyKNeighborsClassifier(4, selection="none"), "plain k-NN on numbers"),
        Setting(
            LazyKNeighborsClassifier(3, selection="lazy-cfs", discretize=True),
            "sets by CFS",
        ),
        Setting(
            LazyKNeighborsClassifier(
                3, selection="lazy-consistency", discretize=True, min_support=2
            ),
            "sets by conjunctions",
        ),
        Setting(
            LazyKNeighborsClassifier(2, "auto", discretize=True, max_loo_rows=8),
            "a number for all",
        ),
        Setting(
            LazyKNeighborsClassifier(2, "local", discretize=True, n_local_neighbors=4),
            "a number for each query",
        ),
        Setting(
            LazyKNeighborsClassifier(2, "local", n_local_neighbors=4),
            "a number for each query, by distances of numbers",
        ),
        Setting(
            LazyKNeighborsClassifier(
                1, "vote", measure="gain_ratio", discretize=True, weights="uniform"
            ),
            "a vote",
        ),
        Setting(LazyKNeighborsClassifier(3, "vote"), "of numbers"),
    ],
    LazyNBClassifier: [
        checked(LazyNBClassifier(), "the defaults", ROWS_ONCE),
        Setting(LazyNBClassifier.paper(), "the published settings"),
        checked(
            LazyNBClassifier("auto", discretize=False), "normal densities", ROWS_ONCE
        ),
        checked(
            LazyNBClassifier("local", measure="chi_square"),
            "a number of attributes for each query",
            ROWS_ONCE,
        ),
        checked(
            LazyNBClassifier(selection="lazy-consistency", cuts="frozen"),
            "sets by conjunctions, cuts of the first fit",
            ROWS_ONCE,
        ),
        Setting(LazyNBClassifier(2, "eager", alpha=0.1), "the same for all"),
        Setting(LazyNBClassifier(selection="none", discretize=False), "plain Bayes"),
        Setting(LazyNBClassifier(0.5, discretize=False, alpha=0.3), "half, of numbers"),
        Setting(LazyNBClassifier("auto", max_loo_rows=8), "a number for all"),
        Setting(
            LazyNBClassifier("local", n_local_neighbors=4, discretize=False),
            "of numbers",
        ),
        Setting(
            LazyNBClassifier("vote", discretization="kononenko"), "other cuts, a vote"
        ),
        Setting(LazyNBClassifier(selection="lazy-cfs"), "sets by CFS"),
        Setting(LazyNBClassifier(selection="lazy-consistency"), "sets, exact cuts"),
    ],
    LazySelectionClassifier: [
        checked(LazySelectionClassifier(), "the defaults", ROWS_ONCE),
        Setting(
            LazySelectionClassifier.paper(estimator=DecisionTreeClassifier()),
            "the published settings",
        ),
        checked(
            LazySelectionClassifier(LogisticRegression(), 0.5, selection="eager"),
            "one model, numbers and indicators",
            ROWS_ONCE,
            exempt="its model rounds one query and many differently",
        ),
        checked(
            LazySelectionClassifier(GaussianNB(), selection="none"),
            "the host alone: weights are repetitions",
            exempt="its model divides by the variance, which a constant has not",
        ),
        Setting(
            LazySelectionClassifier(LazyNBClassifier(selection="none"), 0.5),
            "a host that takes the table",
        ),
        Setting(
            LazySelectionClassifier(DecisionTreeClassifier(max_depth=2), 1),
            "few sets, shared models",
        ),
        Setting(
            LazySelectionClassifier(
                DecisionTreeClassifier(max_depth=2), "vote", cache_size=2
            ),
            "more models than are kept",
        ),
    ],
}
