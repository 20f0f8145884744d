"""The flow, top to bottom: the one room that knows the order of the steps."""

from sklazy.answer.bayes import BayesHost
from sklazy.answer.leaving import Left, each_without, leave_each_out, leave_one_out
from sklazy.answer.nearest import NearestHost
from sklazy.answer.question import Asked, Host, Question
from sklazy.answer.recipe import RANKED, STRATEGIES, Recipe
from sklazy.answer.result import Answer, Choice, Evidence, ModelUse, Vicinity
from sklazy.answer.steps import answer, choose, estimate_cost

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
