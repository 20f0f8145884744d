"""Lazy learning for scikit-learn: learning that waits for the question."""

from sklazy.tables import Table, read_table

__version__ = "0.1.0"

__all__ = ["Table", "__version__", "read_table"]
from sklazy.racing import RaceResult, RaceStep, race

__version__ = "0.1.0"

__all__ = ["RaceResult", "RaceStep", "__version__", "race"]
from sklazy.estimators import EntropyDiscretizer
from sklazy.estimators.advantage import lazy_advantage
from sklazy.estimators.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.ranker import AttributeRanker
from sklazy.estimators.subset import SubsetSelector
from sklazy.racing import RaceResult, RaceStep, race
from sklazy.tables import Table, read_table

__version__ = "0.1.0"

__all__ = ["EntropyDiscretizer", "Table", "__version__"]
__all__ = [
    "AttributeRanker",
    "LazyAdvantage",
    "RaceResult",
    "RaceStep",
    "SubsetSelector",
    "Table",
    "__version__",
    "lazy_advantage",
    "race",
    "read_table",
]
