"""scikit-learn's own checks, in several settings."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from sklazy import LazyLearningClassifier, LazyLearningRegressor

# A weight says how much a case is worth to its local model; it neither takes up nor
# frees a place among the k nearest, so a weight of 2 is not a case given twice.
NOT_REPETITION = {
    "check_sample_weight_equivalence_on_dense_data": (
        "weights are no repetitions where neighbors are counted"
    ),
}

SETTINGS = [
    LazyLearningRegressor(),
    LazyLearningRegressor(degrees=(0, 1, 2), n_neighbors=(3, 8), n_best=1, n_jobs=1),
    LazyLearningRegressor(metric="manhattan", scale="range", n_best=(2, 1, 0)),
    LazyLearningRegressor.r_lazy(con_id_par=1, lin_id_par=(4, 9), cmb_par=3),
    LazyLearningClassifier(),
    LazyLearningClassifier(degrees=0, n_neighbors=5, n_best=1),
    LazyLearningClassifier(degrees=1, n_neighbors=(3, 5), scale=False),
]


@parametrize_with_checks(
    SETTINGS, expected_failed_checks=lambda estimator: NOT_REPETITION
)
def test_check(estimator, check):
    check(estimator)
