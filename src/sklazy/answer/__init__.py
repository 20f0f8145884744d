"""The flow, top to bottom: the one room that knows the order of the steps."""

from sklazy.answer.recipe import RANKED, STRATEGIES, Recipe
from sklazy.answer.result import Answer, Choice, Evidence, ModelUse, Vicinity

__all__ = [
    "RANKED",
    "STRATEGIES",
    "Answer",
    "Choice",
    "Evidence",
    "ModelUse",
    "Recipe",
    "Vicinity",
]
