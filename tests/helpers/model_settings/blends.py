"""Blends of several kinds of members."""

from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from model_settings.setting import Setting, checked
from sklazy import (
    LazyBaggingClassifier,
    LazyClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyLogisticClassifier,
    LazyNBClassifier,
    LazyRegressor,
    LazyRidgeRegressor,
)

OTHER_MEMBERS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "bags and folds of copies hold other rows than those of a row that weighs as "
        "much"
    )
}

BLENDS = {
    LazyClassifier: [
        checked(LazyClassifier(), "the defaults", fails=OTHER_MEMBERS),
        checked(
            LazyClassifier(
                [
                    ("line", LazyLogisticClassifier()),
                    LazyNBClassifier(),
                    ("tree", DecisionTreeClassifier(max_depth=3)),
                ],
                default_members=False,
            ),
            "members that are given, one of scikit-learn's",
            fails=OTHER_MEMBERS,
        ),
        Setting(
            LazyClassifier(
                [
                    LazyLogisticClassifier(),
                    HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2),
                ],
                default_members=False,
            ),
            "boosted trees",
        ),
        Setting(
            LazyClassifier(
                [LazyBaggingClassifier(3), LazyKNeighborsClassifier(3)],
                default_members=False,
                max_loo_rows=4,
                n_jobs=1,
            ),
            "few rows left out",
        ),
    ],
    LazyRegressor: [
        checked(LazyRegressor(), "the defaults", min_rows=4),
        Setting(
            LazyRegressor(
                [
                    ("line", LazyRidgeRegressor()),
                    ("local", LazyLearningRegressor(n_neighbors=(2, 5))),
                    ("tree", DecisionTreeRegressor(max_depth=3)),
                ],
                default_members=False,
                max_loo_rows=5,
            ),
            "members that are given, few rows left out",
            min_rows=4,
        ),
        Setting(
            LazyRegressor(
                [
                    LazyRidgeRegressor(),
                    HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=2),
                ],
                default_members=False,
            ),
            "boosted trees",
            min_rows=4,
        ),
    ],
}
