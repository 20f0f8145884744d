"""Lazy bagging and stacking in several settings."""

from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from model_settings.setting import Setting, checked
from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyStackingClassifier,
    LazyStackingRegressor,
)

# Copies lie elsewhere in the order of rows than a row with a weight, so other rows are
# drawn; how many follow from both is tested by the shares.
NOT_DRAWN_ALIKE = {
    "check_sample_weight_equivalence_on_dense_data": (
        "bags of copies draw other rows than bags of a row that weighs as much"
    )
}

ENSEMBLES = {
    LazyBaggingClassifier: [
        checked(LazyBaggingClassifier(), "the defaults", fails=NOT_DRAWN_ALIKE),
        checked(
            LazyBaggingClassifier(3, 0.5, max_features=1, combine="accuracy", n_jobs=1),
            "many neighbors, random attributes, weighted votes",
            fails=NOT_DRAWN_ALIKE,
        ),
        checked(
            LazyBaggingClassifier(
                5, n_neighbors=2, combine="probability", share_bags=True
            ),
            "bags that queries share",
            min_rows=2,
            fails=NOT_DRAWN_ALIKE,
        ),
        checked(
            LazyBaggingClassifier(
                5,
                min_branch_weight=1,
                c45_min_side=False,
                split_at_values=False,
                n_jobs=2,
            ),
            "other rules of trees, in threads",
            fails=NOT_DRAWN_ALIKE,
        ),
        checked(
            LazyBaggingClassifier(5, splits="random", n_jobs=1),
            "random splits",
            fails=NOT_DRAWN_ALIKE,
        ),
        Setting(LazyBaggingClassifier(5), "few members"),
        Setting(LazyBaggingClassifier(3, max_samples=0.6), "bags of fewer draws"),
        Setting(
            LazyBaggingClassifier(
                3,
                splits="random",
                max_features=1,
                share_bags=True,
                combine="vote",
                max_samples=5,
            ),
            "random splits of small shared bags, one attribute at a time",
        ),
        Setting(
            LazyBaggingClassifier(
                3, splits="random", n_neighbors=2, combine="accuracy", random_state=5
            ),
            "random splits of bags with neighbors, weighted votes",
            min_rows=2,
        ),
        Setting(
            LazyBaggingClassifier(4, 0.5, max_features=1, random_state=3), "a seed"
        ),
        Setting(
            LazyBaggingClassifier(4, combine="stacked", n_jobs=1),
            "weights learned near the row",
        ),
        Setting(
            LazyBaggingClassifier(4, combine="knora-e", n_jobs=1),
            "members that are right near the row",
        ),
        Setting(
            LazyBaggingClassifier(
                3, n_neighbors=2, combine="accuracy", min_branch_weight=1
            ),
            "small leaves, weighted votes",
            min_rows=2,
        ),
        Setting(
            LazyBaggingClassifier(
                3, combine="probability", share_bags=True, penalize_numeric_splits=False
            ),
            "gains as they are",
        ),
        Setting(
            LazyBaggingClassifier(3, beta=0.2, share_bags=True, c45_min_side=False),
            "nearly all rows are neighbors",
        ),
    ],
    LazyStackingClassifier: [
        checked(LazyStackingClassifier(), "the defaults", fails=NOT_DRAWN_ALIKE),
        checked(
            LazyStackingClassifier(n_estimators=5, combine="accuracy", share_bags=True),
            "weighted votes on shared bags",
            fails=NOT_DRAWN_ALIKE,
        ),
        checked(
            LazyStackingClassifier([GaussianNB(), "bayes"], 2, combine="probability"),
            "a member of scikit-learn's",
            fails=NOT_DRAWN_ALIKE,
        ),
        Setting(LazyStackingClassifier(n_estimators=5), "few members"),
        Setting(
            LazyStackingClassifier(["random_tree", "rule"], 4, beta=0.7),
            "random trees beside a rule",
        ),
        Setting(LazyStackingClassifier.paper(), "as published"),
        Setting(
            LazyStackingClassifier(
                n_estimators=6, beta=0.5, combine="accuracy", alpha=0.3
            ),
            "many neighbors, weighted votes",
        ),
        Setting(
            LazyStackingClassifier(
                ["linear", ("near", "neighbors"), "rule"],
                4,
                n_neighbors=2,
                combine="probability",
                share_bags=True,
                member_neighbors=2,
                ridge=0.1,
            ),
            "named members without trees",
            min_rows=2,
        ),
        Setting(
            LazyStackingClassifier(
                [("leaves", DecisionTreeClassifier(max_depth=3)), "tree"],
                2,
                combine="accuracy",
            ),
            "trees of scikit-learn's and ours",
        ),
    ],
    LazyBaggingRegressor: [
        checked(LazyBaggingRegressor(), "the defaults", fails=NOT_DRAWN_ALIKE),
        checked(
            LazyBaggingRegressor(3, 0.5, max_features=1, combine="median", n_jobs=1),
            "random attributes, the median",
            fails=NOT_DRAWN_ALIKE,
        ),
        checked(
            LazyBaggingRegressor(5, splits="random"),
            "random splits",
            fails=NOT_DRAWN_ALIKE,
        ),
        Setting(
            LazyBaggingRegressor(3, splits="random", max_samples=4),
            "random splits of small bags",
        ),
        Setting(LazyBaggingRegressor(4), "few members"),
        Setting(
            LazyBaggingRegressor(
                3, splits="random", n_neighbors=2, combine="error", max_features=1
            ),
            "random splits of bags with neighbors, weighted members",
            min_rows=2,
        ),
        Setting(
            LazyBaggingRegressor(
                3, 0.5, max_features=1, combine="median", random_state=3
            ),
            "a seed",
        ),
        Setting(
            LazyBaggingRegressor(
                3, n_neighbors=2, combine="error", min_branch_weight=1
            ),
            "small leaves, weighted members",
            min_rows=2,
        ),
    ],
    LazyStackingRegressor: [
        checked(LazyStackingRegressor(), "the defaults", fails=NOT_DRAWN_ALIKE),
        checked(
            LazyStackingRegressor(n_estimators=4, combine="error", n_neighbors=1),
            "one neighbor, weighted members",
            fails=NOT_DRAWN_ALIKE,
        ),
        Setting(
            LazyStackingRegressor(["random_tree", ("drawn", "random_tree"), "linear"]),
            "random trees beside lines",
        ),
        Setting(
            LazyStackingRegressor(n_estimators=5, beta=0.5, combine="error", ridge=0.1),
            "many neighbors, weighted members",
        ),
        Setting(
            LazyStackingRegressor(
                [("leaves", DecisionTreeRegressor(max_depth=3)), "neighbors"],
                3,
                member_neighbors=2,
            ),
            "a member of scikit-learn's",
        ),
    ],
}
