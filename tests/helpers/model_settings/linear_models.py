"""Linear models of all cases."""

from model_settings.setting import checked
from sklazy import LazyLogisticClassifier, LazyRidgeRegressor

LINEAR_MODELS = {
    LazyLogisticClassifier: [checked(LazyLogisticClassifier(), "the defaults")],
    LazyRidgeRegressor: [checked(LazyRidgeRegressor(), "the defaults")],
}
