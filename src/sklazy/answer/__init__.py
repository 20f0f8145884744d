"""The flow, top to bottom: the one room that knows the order of the steps."""

from sklazy.answer.leave_one_out import (
    Left,
    each_without,
    leave_each_out,
    leave_one_out,
)
from sklazy.answer.selection.bayes import BayesHost
from sklazy.answer.selection.learner import answer, choose, estimate_cost
from sklazy.answer.selection.nearest import NearestHost
from sklazy.answer.selection.question import Asked, Host, Question
from sklazy.answer.selection.recipe import RANKED, STRATEGIES, Recipe
from sklazy.answer.selection.result import Answer, Choice, Evidence, ModelUse, Vicinity

__all__ = [
    "RANKED",
    "STRATEGIES",
    "Answer",
    "Asked",
    "BayesHost",
    "Choice",
    "Evidence",
    "Host",
    "Left",
    "ModelUse",
    "NearestHost",
    "Question",
    "Recipe",
    "Vicinity",
    "answer",
    "choose",
    "each_without",
    "estimate_cost",
    "leave_each_out",
    "leave_one_out",
]
