"""The lazy decision tree."""

from model_settings.setting import checked
from sklazy import LazyDecisionTreeClassifier

TREES = {
    LazyDecisionTreeClassifier: [checked(LazyDecisionTreeClassifier(), "the defaults")],
}
