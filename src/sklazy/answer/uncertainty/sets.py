"""Where every class of a query ranks among the cases: what sets are made of."""

import copy
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.batches import answer_queries
from sklazy.answer.learner import AnyLearner
from sklazy.answer.leave_one_out import at_once, check_leaves_some, each_without
from sklazy.answer.uncertainty.nearness import measure_squares
from sklazy.answer.uncertainty.scores import (
    draw_scored_cases,
    score_cases,
    score_queries,
)
from sklazy.casebase import CaseBase
from sklazy.errors import DataWarning
from sklazy.flow import Queries
from sklazy.measures.conformal import (
    Ranks,
    rank_among,
    rank_by_weight,
    weigh_by_nearness,
)
from sklazy.report.progress import track
from sklazy.tables import Column, Table

Ints = NDArray[np.int64]


class ConformalQueries(NamedTuple):
    """Queries, and which cases their outcomes are compared with.

    Attributes
    ----------
    table : Table
    groups : int64 array of shape (n_queries,)
    row_groups : int64 array of shape (n_rows,)
        The group of every case, by place.
    by_class : bool
        Whether a class is compared with the cases of this class alone.
    """

    table: Table
    groups: Ints
    row_groups: Ints
    by_class: bool = False

    def row_kinds(self, base: CaseBase) -> Ints:
        """The kind of every case, by place."""
        if not self.by_class:
            return self.row_groups
        classes = base.cases.classes[: base.n_rows]
        return self.row_groups * base.cases.class_counts.size + classes

    def kinds(self, base: CaseBase) -> Ints:
        """The kind of every class of each query, (n_queries, n_classes)."""
        n_classes = base.cases.class_counts.size
        groups = np.repeat(self.groups[:, None], n_classes, axis=1)
        return groups * n_classes + np.arange(n_classes) if self.by_class else groups


def rank_by_jackknife(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    n_jobs: int | None = None,
) -> Ranks:
    """Rank classes by scores of all cases among the cases' own, each left out."""
    kinds, rows, scores, query_scores = _scores(learner, base, queried, n_jobs)
    return rank_among(scores, kinds[rows], query_scores, queried.kinds(base))


def rank_by_nearness(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    n_jobs: int | None = None,
) -> Ranks:
    """The same, cases counted by how near they are to the query."""
    _, rows, scores, query_scores = _scores(learner, base, queried, n_jobs)
    batch = Batch(base, base.cases, base.encode(queried.table))
    ranked = [
        rank_by_weight(scores, weigh_by_nearness(squares[rows]), of_query)
        for of_query, squares in zip(query_scores, measure_squares(batch), strict=True)
    ]
    return _stack(ranked, query_scores.shape)


def _scores(
    learner: AnyLearner, base: CaseBase, queried: ConformalQueries, n_jobs: int | None
) -> tuple[Ints, Ints, Floats, Floats]:
    """Kinds of all cases, the cases left out, their scores, and the queries' own."""
    check_leaves_some(base)
    kinds, quick = queried.row_kinds(base), at_once(learner, base)
    rows = draw_scored_cases(base, kinds)
    scores = score_cases(quick, base, rows, n_jobs)
    queries = base.encode(queried.table)
    return kinds, rows, scores, score_queries(learner, base, queries, n_jobs)


def rank_by_full(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    n_jobs: int | None = None,
) -> Ranks:
    """Rank classes by adding the query with each of them, all cases then left out.

    Cuts of numbers, unless frozen, are those of all cases and the query, whichever is
    left out: they treat all alike, and that is all that the promise needs.
    """
    others, labels = copy.deepcopy(base.current()), base.class_labels
    others.freeze()
    shape = len(queried.table), len(labels)
    ranked = []
    for query in track(range(shape[0]), "adding"):
        one, group = queried.table.take([query]), int(queried.groups[query])
        for code in range(len(labels)):
            label = Column("target", "nominal", np.array([code]), tuple(labels))
            (added,) = others.add(one, label).tolist()
            if not base.bins.frozen:
                others.refresh()
            every, quick = np.arange(others.n_rows), at_once(learner, others)
            scores = score_cases(quick, others, every, n_jobs)
            ranked.append(_rank_added(others, added, scores, queried, base, group))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # frozen cuts: as meant
                others.forget([added])
    return _stack(ranked, shape)


def _rank_added(
    others: CaseBase,
    added: object,
    scores: Floats,
    queried: ConformalQueries,
    base: CaseBase,
    group: int,
) -> Ranks:
    """Where the score of an added case lies among those of its kind."""
    ids, n_classes = others.ids.tolist(), others.cases.class_counts.size
    place = ids.index(added)
    groups = dict(zip(base.ids.tolist(), queried.row_groups.tolist(), strict=True))
    kinds = np.array([groups.get(name, group) for name in ids])
    if queried.by_class:
        kinds = kinds * n_classes + others.cases.classes[: others.n_rows]
    rest = np.arange(len(ids)) != place
    own_score, own_kind = scores[[place]], kinds[[place]]
    return rank_among(scores[rest], kinds[rest], own_score, own_kind)


def rank_by_left_out(
    learner: AnyLearner,
    base: CaseBase,
    queried: ConformalQueries,
    n_jobs: int | None = None,
    *,
    widest: bool = False,
) -> Ranks:
    """Rank classes by scores of models that left a case out, among that case's own.

    Parameters
    ----------
    learner, base, queried, n_jobs
    widest : bool
        Whether the lowest score of all models counts (minmax), not each model's own
        (jackknife+).
    """
    check_leaves_some(base)
    kinds, asked_kinds = queried.row_kinds(base), queried.kinds(base)
    rows = draw_scored_cases(base, kinds)
    scores, below = np.empty(len(rows)), np.zeros(asked_kinds.shape)
    totals, least = np.zeros(asked_kinds.shape), np.full(asked_kinds.shape, np.inf)
    pairs = each_without(base, rows, learner.target)
    for i, (others, query) in enumerate(pairs):
        queries = others.encode(queried.table)
        of_row, of_queries = (
            1.0 - _probabilities(learner, others, base, some, n_jobs)
            for some in (query, queries)
        )
        scores[i] = of_row[0, base.cases.classes[rows[i]]]
        alike = asked_kinds == kinds[rows[i]]
        below += alike & (scores[i] < of_queries)
        totals += alike
        least = np.minimum(least, of_queries)
    if widest:
        return rank_among(scores, kinds[rows], least, asked_kinds)
    return Ranks(below, totals)


def _probabilities(
    learner: AnyLearner,
    others: CaseBase,
    base: CaseBase,
    queries: Queries,
    n_jobs: int | None,
) -> Floats:
    """Class probabilities from some of the cases, a column for every class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # what was warned of is known
        (shares,) = answer_queries(
            learner, others, queries, ["probabilities"], n_jobs=n_jobs
        )
    return learner.target.recode("probabilities", shares, others, base)


def _stack(ranked: list[Ranks], shape: tuple[int, int]) -> Ranks:
    """The ranks of single queries or classes, one after the other, as one."""
    below, totals = map(np.concatenate, zip(*ranked, strict=True))
    return Ranks(below.reshape(shape), totals.reshape(shape))
