"""The front door: every public name and where it is, imported at first use."""

from sklazy import errors as errors
from sklazy.estimators import EntropyDiscretizer
from sklazy.estimators.advice.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.advice.advice import Advice, advise
from sklazy.estimators.association import LazyAssociativeClassifier
from sklazy.estimators.audit.audit import Audit, audit
from sklazy.estimators.bayes_rules import LazyBayesRulesClassifier
from sklazy.estimators.blends.blend import (
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyClassifier,
    LazyRegressor,
)
from sklazy.estimators.case_values import CaseValues, case_values
from sklazy.estimators.changes import AnswerChange, AnswerChanges
from sklazy.estimators.contributions import Contributions
from sklazy.estimators.curves import AnswerCurve
from sklazy.estimators.ensembles.bagging import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
)
from sklazy.estimators.ensembles.stacking import (
    LazyStackingClassifier,
    LazyStackingRegressor,
)
from sklazy.estimators.erasure.certificate import Certificate, check_certificate
from sklazy.estimators.erasure.erase import erase
from sklazy.estimators.explaining import explain
from sklazy.estimators.filters.ranker import AttributeRanker
from sklazy.estimators.filters.subset import SubsetSelector
from sklazy.estimators.imputing.imputer import FilledCell, LazyImputer
from sklazy.estimators.influence import Influence
from sklazy.estimators.joining import join
from sklazy.estimators.kernel_models import LazyKernelClassifier, LazyKernelRegressor
from sklazy.estimators.linear_models import LazyLogisticClassifier, LazyRidgeRegressor
from sklazy.estimators.loading import compact, load
from sklazy.estimators.local_models.classifier import LazyLearningClassifier
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.pls import LazyPLSRegressor
from sklazy.estimators.prequential import Prequential, prequential
from sklazy.estimators.search.race_search import RaceSearchCV
from sklazy.estimators.search.race_selector import RaceFeatureSelector
from sklazy.estimators.search.raced_regressor import RacedRegressor
from sklazy.estimators.selection.any_model import LazySelectionClassifier
from sklazy.estimators.selection.bayes import LazyNBClassifier
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.estimators.selection.number_neighbors import LazyKNeighborsRegressor
from sklazy.estimators.storing import store
from sklazy.estimators.trees import LazyDecisionTreeClassifier
from sklazy.estimators.warming import warm
from sklazy.measures import diversity_measures
from sklazy.racing import RaceResult, RaceStep, race
from sklazy.receipts import Receipt, Receipts
from sklazy.tables import Source, Table, read_table

__version__: str

__all__ = [
    "Advice",
    "AnswerChange",
    "AnswerChanges",
    "AnswerCurve",
    "AttributeRanker",
    "Audit",
    "CaseValues",
    "Certificate",
    "Contributions",
    "EntropyDiscretizer",
    "FilledCell",
    "Influence",
    "LazyAdvantage",
    "LazyAssociativeClassifier",
    "LazyBaggingClassifier",
    "LazyBaggingRegressor",
    "LazyBayesRulesClassifier",
    "LazyBlendClassifier",
    "LazyBlendRegressor",
    "LazyClassifier",
    "LazyDecisionTreeClassifier",
    "LazyImputer",
    "LazyKNeighborsClassifier",
    "LazyKNeighborsRegressor",
    "LazyKernelClassifier",
    "LazyKernelRegressor",
    "LazyLearningClassifier",
    "LazyLearningRegressor",
    "LazyLogisticClassifier",
    "LazyNBClassifier",
    "LazyPLSRegressor",
    "LazyRegressor",
    "LazyRidgeRegressor",
    "LazySelectionClassifier",
    "LazyStackingClassifier",
    "LazyStackingRegressor",
    "Prequential",
    "RaceFeatureSelector",
    "RaceResult",
    "RaceSearchCV",
    "RaceStep",
    "RacedRegressor",
    "Receipt",
    "Receipts",
    "Source",
    "SubsetSelector",
    "Table",
    "__version__",
    "advise",
    "audit",
    "case_values",
    "check_certificate",
    "compact",
    "diversity_measures",
    "erase",
    "errors",
    "explain",
    "join",
    "lazy_advantage",
    "load",
    "prequential",
    "race",
    "read_table",
    "store",
    "warm",
]
