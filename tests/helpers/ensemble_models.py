"""Ensembles and trees in the settings of `model_settings`, as plain lists."""

from sklearn.base import is_regressor

from discovery import name_of
from lawful import few, fitted
from model_settings.ensembles import ENSEMBLES
from model_settings.trees import TREES
from strategies import split_problems

__all__ = ["CLASSIFIERS", "REGRESSORS", "few", "fitted", "name_of", "split"]

split = split_problems(min_rows=2, max_rows=24, max_queries=5, telling=True)

MODELS = [s.model for found in (ENSEMBLES | TREES).values() for s in found]
CLASSIFIERS = [model for model in MODELS if not is_regressor(model)]
REGRESSORS = [model for model in MODELS if is_regressor(model)]
