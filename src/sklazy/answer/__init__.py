"""The flow, top to bottom: the one room that knows the order of the steps."""

from sklazy.answer.batch import Batch
from sklazy.answer.batches import NotPlainError, answer_queries, check_finite
from sklazy.answer.learner import Answer, AnyLearner, Effort, Learner, prepare
from sklazy.answer.leave_one_out import leave_groups_out, leave_one_out
from sklazy.answer.past import answer_from_past, n_earlier
from sklazy.answer.slices import use_backend
from sklazy.answer.target import CLASSES, NUMBERS, Target

__all__ = [
    "CLASSES",
    "NUMBERS",
    "Answer",
    "AnyLearner",
    "Batch",
    "Effort",
    "Learner",
    "NotPlainError",
    "Target",
    "answer_from_past",
    "answer_queries",
    "check_finite",
    "leave_groups_out",
    "leave_one_out",
    "n_earlier",
    "prepare",
    "use_backend",
]
