"""The lazy ensembles whose laws are tested, in many settings."""

from sklearn.tree import DecisionTreeClassifier

from sklazy import LazyBaggingClassifier, LazyStackingClassifier

BAGGING = [
    LazyBaggingClassifier(5),
    LazyBaggingClassifier(4, 0.5, max_features=1, random_state=3),
    LazyBaggingClassifier(3, n_neighbors=2, combine="accuracy", min_weight=1),
    LazyBaggingClassifier(3, combine="probability", share_bags=True, correct=False),
    LazyBaggingClassifier(3, beta=0.2, share_bags=True, min_share=False),
]

STACKING = [
    LazyStackingClassifier(),
    LazyStackingClassifier(n_estimators=6, beta=0.5, combine="accuracy", alpha=0.3),
    LazyStackingClassifier(
        ["linear", ("near", "neighbors"), "rule"],
        4,
        n_neighbors=2,
        combine="probability",
        share_bags=True,
        member_neighbors=2,
        ridge=0.1,
    ),
    LazyStackingClassifier(
        [("leaves", DecisionTreeClassifier(max_depth=3)), "tree"], 3, combine="accuracy"
    ),
]

CLASSIFIERS = [*BAGGING, *STACKING]


def name_of(model):
    """A short name that differs for every model of the lists."""
    return str(model).replace(" ", "").replace("\n", "").replace("Classifier", "")
