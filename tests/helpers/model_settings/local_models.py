"""Local models in several settings."""

from model_settings.setting import Setting, checked
from sklazy import LazyLearningClassifier, LazyLearningRegressor, LazyPLSRegressor

# A weight says how much a case is worth to its local model; it neither takes up nor
# frees a place among the k nearest, so a weight of 2 is not a case given twice.
NOT_REPETITION = {
    "check_sample_weight_equivalence_on_dense_data": (
        "weights are no repetitions where neighbors are counted"
    )
}

# Weights count among a query's neighbors, all of which may be of the light class.
AMONG_NEIGHBORS = NOT_REPETITION | {
    "check_class_weight_classifiers": "neighbors are found without weights"
}

LOCAL_MODELS = {
    LazyLearningRegressor: [
        checked(LazyLearningRegressor(), "the defaults", NOT_REPETITION, min_rows=3),
        checked(
            LazyLearningRegressor(
                degrees=(0, 1, 2), n_neighbors=(3, 8), n_best=1, n_jobs=1
            ),
            "parabolas, the best model alone",
            NOT_REPETITION,
            min_rows=4,
        ),
        checked(
            LazyLearningRegressor(metric="manhattan", scale="range", n_best=(2, 1, 0)),
            "another distance, models of each degree",
            NOT_REPETITION,
            min_rows=3,
        ),
        checked(
            LazyLearningRegressor.r_lazy(con_id_par=1, lin_id_par=(4, 9), cmb_par=3),
            "as in R",
            NOT_REPETITION,
            exempt="R takes neither words nor missing cells, and breaks ties by row",
        ),
        Setting(
            LazyLearningRegressor(n_neighbors=(2, 5), n_best=3),
            "several models combined",
            min_rows=3,
        ),
        Setting(
            LazyLearningRegressor((0, 2), (2, 6), 2, scale=False, max_categories=2),
            "numbers as they are, parabolas",
            min_rows=3,
        ),
    ],
    LazyPLSRegressor: [
        checked(LazyPLSRegressor(), "the defaults", NOT_REPETITION, min_rows=2),
        checked(
            LazyPLSRegressor(
                2, 6, metric="mahalanobis", n_scores=2, localization=1.0, scale=True
            ),
            "two components, scaled, near by principal scores",
            NOT_REPETITION,
            min_rows=3,
        ),
        Setting(
            LazyPLSRegressor(
                (1, 3), 7, "best", "correlation", localization=0.0, n_jobs=1
            ),
            "the best of three, equal weights, near by correlation",
            min_rows=3,
        ),
    ],
    LazyLearningClassifier: [
        checked(LazyLearningClassifier(), "the defaults", AMONG_NEIGHBORS, min_rows=2),
        checked(
            LazyLearningClassifier(degrees=0, n_neighbors=5, n_best=1),
            "constants: shares of five",
            NOT_REPETITION,
            min_rows=6,
        ),
        checked(
            LazyLearningClassifier(degrees=1, n_neighbors=(3, 5), scale=False),
            "lines, numbers as they are",
            AMONG_NEIGHBORS,
            min_rows=4,
        ),
    ],
}
