"""Races for attributes and hyperparameters in several settings."""

from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from model_settings.setting import checked
from sklazy import (
    LazyLearningClassifier,
    RacedRegressor,
    RaceFeatureSelector,
    RaceSearchCV,
)

AS_IN_GRID_SEARCH = {
    "check_requires_y_none": "as in GridSearchCV: the splitter is the first to miss y, "
    "in its own words"
}
OTHERS_GO_ON = {
    "check_estimators_nan_inf": "a set with a column that the estimator refuses is out "
    "of the race; the others go on"
}
TINY_RACE = {"max_candidates": 8, "n_start": 4, "max_blocks": 8, "max_confirm": 10}
TINY_SEARCH = {"cv": 2, "first_test": 2, "error_score": "raise"}

SEARCH = {
    RaceSearchCV: [
        checked(
            RaceSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, **TINY_SEARCH),
            "numbers",
            AS_IN_GRID_SEARCH,
        ),
        checked(
            RaceSearchCV(
                Ridge(),
                {"alpha": [0.1, 0.3, 1.0, 3.0, 9.0]},
                n_iter=3,
                n_rounds=2,
                random_state=0,
                **TINY_SEARCH,
            ),
            "numbers",
            AS_IN_GRID_SEARCH,
        ),
        checked(
            RaceSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, **TINY_SEARCH),
            "classes",
            AS_IN_GRID_SEARCH,
        ),
        checked(
            RaceSearchCV(
                make_pipeline(StandardScaler(), LogisticRegression()),
                {"logisticregression__C": [0.1, 0.3, 1.0, 3.0, 10.0]},
                n_iter=4,
                test="t-holm",
                random_state=0,
                **{**TINY_SEARCH, "cv": 3},
            ),
            "a pipeline, candidates drawn at random",
            AS_IN_GRID_SEARCH,
        ),
        checked(
            RaceSearchCV(
                DecisionTreeRegressor(random_state=0),
                {"max_depth": [1, 2, 3]},
                test="friedman-paper",
                min_effect=0.01,
                **{**TINY_SEARCH, "cv": 3},
            ),
            "another test, differences too small to matter",
            AS_IN_GRID_SEARCH,
        ),
    ],
    RaceFeatureSelector: [
        checked(RaceFeatureSelector(random_state=0, **TINY_RACE), "numbers"),
        checked(
            RaceFeatureSelector(
                LazyLearningClassifier(),
                search="schemata",
                scoring="neg_log_loss",
                random_state=0,
                **TINY_RACE,
            ),
            "classes, schemata",
        ),
        checked(
            RaceFeatureSelector(
                LinearRegression(), start="random", cv=3, random_state=0, **TINY_RACE
            ),
            "an estimator of scikit-learn's, on folds",
            OTHERS_GO_ON,
        ),
    ],
    RacedRegressor: [
        checked(
            RacedRegressor(RaceFeatureSelector(random_state=0, **TINY_RACE)),
            "the mean of the winners",
        ),
        checked(
            RacedRegressor(
                RaceFeatureSelector(start="pearson", random_state=0, **TINY_RACE),
                combine="best",
            ),
            "the best set alone",
        ),
    ],
}
