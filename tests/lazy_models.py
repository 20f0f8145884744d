"""The classifiers whose laws are tested, in many settings: add yours to the list."""

from sklearn.tree import DecisionTreeClassifier

from sklazy import (
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazySelectionClassifier,
)

NEIGHBORS = [
    LazyKNeighborsClassifier(3),
    LazyKNeighborsClassifier(1, 1, measure="gini"),
    LazyKNeighborsClassifier(2, 0.5, discretize=False),
    LazyKNeighborsClassifier(3, 2, selection="eager", measure="chi_square"),
    LazyKNeighborsClassifier(4, selection="none", discretize=False),
    LazyKNeighborsClassifier(3, selection="lazy-cfs"),
    LazyKNeighborsClassifier(3, selection="lazy-consistency", min_support=2),
    LazyKNeighborsClassifier(2, "auto", n_auto=8),
    LazyKNeighborsClassifier(2, "local", n_local=4),
    LazyKNeighborsClassifier(2, "local", n_local=4, discretize=False),
    LazyKNeighborsClassifier(1, "vote", measure="gain_ratio"),
    LazyKNeighborsClassifier(3, "vote", discretize=False),
]

BAYES = [
    LazyNBClassifier(),
    LazyNBClassifier(2, "eager", alpha=0.1),
    LazyNBClassifier(selection="none", discretize=False),
    LazyNBClassifier(0.5, discretize=False, alpha=0.3),
    LazyNBClassifier("auto", n_auto=8),
    LazyNBClassifier("local", n_local=4, discretize=False),
    LazyNBClassifier("vote", criterion="kononenko"),
    LazyNBClassifier(selection="lazy-cfs"),
    LazyNBClassifier(selection="lazy-consistency"),
]

MODELS = [
    LazySelectionClassifier(DecisionTreeClassifier(max_depth=2), 1),
    LazySelectionClassifier(DecisionTreeClassifier(max_depth=2), "vote", cache_size=2),
]

CLASSIFIERS = [*NEIGHBORS, *BAYES, *MODELS]


def name_of(model):
    """A short name that differs for every model of the lists."""
    return str(model).replace(" ", "").replace("\n", "").replace("Classifier", "")
