"""Lazy attribute selection for numbers in several settings."""

from model_settings.selection import ROWS_ONCE
from model_settings.setting import Setting, checked
from sklazy import LazyKNeighborsRegressor

NUMBER_SELECTION = {
    LazyKNeighborsRegressor: [
        checked(LazyKNeighborsRegressor(), "the defaults", ROWS_ONCE),
        checked(LazyKNeighborsRegressor.paper(), "as published for classes", ROWS_ONCE),
        Setting(
            LazyKNeighborsRegressor(3, 2, "eager", "variance", weights="uniform"),
            "the same attributes for all, by variance",
        ),
        Setting(LazyKNeighborsRegressor(4, selection="none"), "plain k-NN"),
        Setting(
            LazyKNeighborsRegressor(2, "auto", discretize=True, max_loo_rows=8),
            "a number for all, on bins",
        ),
        Setting(
            LazyKNeighborsRegressor(2, "local", n_local_neighbors=4),
            "a number for each query",
        ),
        Setting(
            LazyKNeighborsRegressor(1, "vote", measure="variance", discretize=True),
            "the mean of all numbers, on bins",
        ),
    ],
}
