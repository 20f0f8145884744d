"""Lazy learning for scikit-learn: learning that waits for the question."""

from sklazy.combine import diversity_measures
from sklazy.estimators import EntropyDiscretizer
from sklazy.estimators.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.advice import Advice, advise
from sklazy.estimators.lazy_bagging import LazyBaggingClassifier
from sklazy.estimators.lazy_bagging_regressor import LazyBaggingRegressor
from sklazy.estimators.lazy_bayes import LazyNBClassifier
from sklazy.estimators.lazy_decision_tree import LazyDecisionTreeClassifier
from sklazy.estimators.lazy_learning_classifier import LazyLearningClassifier
from sklazy.estimators.lazy_neighbors import LazyKNeighborsClassifier
from sklazy.estimators.lazy_regressor import LazyLearningRegressor
from sklazy.estimators.lazy_selection import LazySelectionClassifier
from sklazy.estimators.lazy_stacking import LazyStackingClassifier
from sklazy.estimators.lazy_stacking_regressor import LazyStackingRegressor
from sklazy.estimators.loading import load
from sklazy.estimators.race_search import RaceSearchCV
from sklazy.estimators.race_selector import RaceFeatureSelector
from sklazy.estimators.raced_regressor import RacedRegressor
from sklazy.estimators.ranker import AttributeRanker
from sklazy.estimators.subset import SubsetSelector
from sklazy.racing import RaceResult, RaceStep, race
from sklazy.receipts import Receipt, Receipts
from sklazy.receipts.ensemble import EnsembleReceipt
from sklazy.receipts.lazy_tree import TreeReceipt
from sklazy.receipts.number_ensemble import NumberReceipt
from sklazy.tables import Table, read_table

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "AttributeRanker",
    "EnsembleReceipt",
    "EntropyDiscretizer",
    "LazyAdvantage",
    "LazyBaggingClassifier",
    "LazyBaggingRegressor",
    "LazyDecisionTreeClassifier",
    "LazyKNeighborsClassifier",
    "LazyLearningClassifier",
    "LazyLearningRegressor",
    "LazyNBClassifier",
    "LazySelectionClassifier",
    "LazyStackingClassifier",
    "LazyStackingRegressor",
    "NumberReceipt",
    "RaceFeatureSelector",
    "RaceResult",
    "RaceSearchCV",
    "RaceStep",
    "RacedRegressor",
    "Receipt",
    "Receipts",
    "SubsetSelector",
    "Table",
    "TreeReceipt",
    "__version__",
    "advise",
    "diversity_measures",
    "lazy_advantage",
    "load",
    "race",
    "read_table",
]
