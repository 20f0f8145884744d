"""Kernel models in several settings."""

from model_settings.setting import Setting, checked
from sklazy import LazyKernelClassifier, LazyKernelRegressor

OTHER_LANDMARKS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "beyond max_rows, landmarks are drawn among rows, whatever these weigh"
    )
}

NO_WEIGHTS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_classifiers_one_label_sample_weights",
        "check_class_weight_classifiers",
    ),
    "systems of each query's nearest rows take no weights",
)

KERNEL_MODELS = {
    LazyKernelClassifier: [
        checked(LazyKernelClassifier(), "the defaults"),
        checked(
            LazyKernelClassifier(
                max_rows=5, n_landmarks=0, n_neighbors=7, max_loo_rows=20, n_jobs=2
            ),
            "the nearest cases of each query, in threads",
            NO_WEIGHTS,
        ),
        checked(
            LazyKernelClassifier(max_rows=5, n_landmarks=6, max_loo_rows=20),
            "few landmarks",
            fails=OTHER_LANDMARKS,
        ),
        Setting(
            LazyKernelClassifier(max_loo_rows=4), "settings chosen on few of the cases"
        ),
        Setting(
            LazyKernelClassifier(max_rows=5, n_landmarks=6, max_loo_rows=3),
            "landmarks and ranks of 15 cases that are drawn",
        ),
    ],
    LazyKernelRegressor: [
        checked(LazyKernelRegressor(), "the defaults"),
        checked(
            LazyKernelRegressor(
                max_rows=5, n_landmarks=0, n_neighbors=9, max_loo_rows=20
            ),
            "the nearest cases of each query",
            NO_WEIGHTS,
        ),
        checked(
            LazyKernelRegressor(max_rows=3, n_landmarks=7, max_loo_rows=20),
            "few landmarks",
            fails=OTHER_LANDMARKS,
        ),
        Setting(
            LazyKernelRegressor(max_rows=0, n_landmarks=0, n_neighbors=2),
            "two cases each",
        ),
        Setting(
            LazyKernelRegressor(max_rows=3, n_landmarks=7, max_loo_rows=3),
            "landmarks and ranks of 15 cases that are drawn",
        ),
    ],
}
