"""Eager filters and cuts in several settings."""

from model_settings.setting import checked
from sklazy import (
    AttributeRanker,
    EntropyDiscretizer,
    LazyImputer,
    LazyKNeighborsRegressor,
    SubsetSelector,
)

# These checks compare outputs as numbers, and with this setting they are words; that
# the words stand for the codes is tested with the discretizer.
WORDS = dict.fromkeys(
    (
        "check_estimators_pickle",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_pipeline_consistency",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
    ),
    "compares words as if they were numbers",
)

_MODELS = "it keeps cases for each column; the models of columns are held to the laws"

FILTERS = {
    LazyImputer: [
        checked(LazyImputer(), "the defaults", exempt=_MODELS),
        checked(
            LazyImputer(
                regressor=[LazyKNeighborsRegressor(3), LazyKNeighborsRegressor(1)]
            ),
            "chosen by left-out answers",
            exempt=_MODELS,
        ),
    ],
    EntropyDiscretizer: [
        checked(EntropyDiscretizer(), "the defaults"),
        checked(EntropyDiscretizer("kononenko", better_encoding=True), "other cuts"),
        checked(EntropyDiscretizer(encode="intervals"), "words", WORDS),
        checked(EntropyDiscretizer(n_jobs=2), "threads"),
    ],
    AttributeRanker: [
        checked(AttributeRanker(), "the defaults"),
        checked(AttributeRanker("gain_ratio", n_attributes=1), "the best one"),
        checked(
            AttributeRanker("chi_square", n_attributes=1.0, discretization="kononenko"),
            "all of them, by other cuts",
        ),
        checked(AttributeRanker.weka("symmetric_uncertainty"), "as in Weka"),
    ],
    SubsetSelector: [
        checked(SubsetSelector(), "the defaults"),
        checked(SubsetSelector("consistency", max_stale=2), "consistency"),
        checked(
            SubsetSelector("cfs", "greedy", discretization="kononenko"),
            "the greedy search, by other cuts",
        ),
        checked(SubsetSelector.weka(), "as in Weka"),
    ],
}
