"""What the laws have in common: tables, fits, and all that a model says."""

import contextlib
import inspect
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.base import clone, is_regressor

from sklazy.answer import batches
from strategies import mixed_problems, split_problems

few = settings(max_examples=6, suppress_health_check=list(HealthCheck), deadline=None)
fewer = settings(few, max_examples=3)

# Few rows and constants make some models complain, which is no matter of a law.
quiet = [
    pytest.mark.filterwarnings("ignore:.*rows are taken at most"),
    pytest.mark.filterwarnings("ignore:.*could not be fitted or used on some bags"),
    pytest.mark.filterwarnings("ignore:a member is left out of the blend"),
    pytest.mark.filterwarnings("ignore:cuts='frozen'. the rows are forgotten"),
    pytest.mark.filterwarnings("ignore:.*predict_proba gives rows that sum to"),
]

METHODS = (
    "predict",
    "predict_proba",
    "novelty",
    "unlike",
    "select_attributes",
    "member_votes",
    "member_values",
)


def splits(setting, more=0, max_rows=24):
    """Random cases and queries: missing cells, ties, constants, unseen labels.

    There are `more` rows than the fewest that the estimator can be fitted to.
    """
    least = setting.min_rows + more
    return split_problems(
        min_rows=least, max_rows=max(least, max_rows), max_queries=5, telling=True
    )


def wholes(setting, more=0, max_rows=18):
    """Random cases without queries."""
    least = setting.min_rows + more
    return mixed_problems(
        min_rows=least, max_rows=max(least, max_rows), max_columns=4, telling=True
    )


def truth(model, problem):
    """What a model is to learn: classes or numbers."""
    return problem.targets if is_regressor(model) else problem.classes


def fitted(model, problem, *arguments, **parameters):
    """A copy of a model, fitted to a problem; no more attributes than there are."""
    model = clone(model).set_params(**parameters)
    if isinstance(getattr(model, "n_attributes", None), int):
        model.set_params(n_attributes=min(model.n_attributes, len(problem.kinds)))
    return model.fit(problem.frame, truth(model, problem), *arguments)


def with_exact_cuts(model):
    """A model whose cuts, if it has any, follow the rows."""
    return clone(model).set_params(
        **{"cuts": "exact"} if hasattr(model, "cuts") else {}
    )


def answers(model, problem):
    """Everything a model says about the rows of a problem, an array by method."""
    said = {m: getattr(model, m)(problem.frame) for m in METHODS if hasattr(model, m)}
    if hasattr(model, "classes_"):
        said["classes_"] = np.broadcast_to(
            model.classes_, (len(problem.rows), len(model.classes_))
        )
    return said


def left_out(model, rows=None, method="loo_predict"):
    """What a model says of rows left out, as if each had been forgotten."""
    ask = getattr(model, method)
    exact = "approximate" in inspect.signature(ask).parameters
    return ask(rows, **{"approximate": False} if exact else {})


def exactly(said):
    """Answers such that equal means identical, bit for bit."""
    return {
        name: found.tobytes() if found.dtype.kind == "f" else found.tolist()
        for name, found in said.items()
    }


def says(model, problem):
    """Everything a model says, to be compared bit for bit."""
    return exactly(answers(model, problem))


@contextlib.contextmanager
def smallest_slices():
    """Threads for the smallest jobs, and slices of one query."""

    def one_by_one(n_queries, effort, n_jobs):
        if effort.fewest > 1000:  # a batch that must stay whole
            return [(0, n_queries)]
        return [(query, query + 1) for query in range(n_queries)] or [(0, 0)]

    with (
        mock.patch.object(batches, "WORTH_WORKERS", 0.0),
        mock.patch.object(batches, "_cut", one_by_one),
    ):
        yield
