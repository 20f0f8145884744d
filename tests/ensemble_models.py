"""The lazy ensembles whose laws are tested, in many settings."""

from sklazy import LazyBaggingClassifier

BAGGING = [
    LazyBaggingClassifier(5),
    LazyBaggingClassifier(4, 0.5, max_features=1, random_state=3),
    LazyBaggingClassifier(3, n_neighbors=2, combine="accuracy", min_weight=1),
    LazyBaggingClassifier(3, combine="probability", share_bags=True, correct=False),
    LazyBaggingClassifier(3, beta=0.2, share_bags=True, min_share=False),
]

CLASSIFIERS = [*BAGGING]


def name_of(model):
    """A short name that differs for every model of the lists."""
    return str(model).replace(" ", "").replace("\n", "").replace("Classifier", "")
