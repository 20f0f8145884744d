"""Classifiers that see numbers by their bins alone."""

from sklearn.utils import Tags

from sklazy.estimators.targets import UnweightedClassifier


class BinnedClassifier(UnweightedClassifier):
    """A classifier to which a number is the bin that the cuts put it in."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Numbers that the cuts leave whole tell nothing.
        tags.classifier_tags.poor_score = True
        return tags
