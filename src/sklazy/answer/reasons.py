"""Contributions of features to answers, by a learner's formula or by asking.

A feature is one of the user's columns; a date is one feature, whatever parts of it are
learned from. A cell that is missing contributes 0: it is part of where the sum starts,
as what is answered to a row of which nothing else is known.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.batches import answer_queries
from sklazy.answer.learner import Answer, AnyLearner, prepare
from sklazy.answer.leave_one_out import without_rows
from sklazy.casebase import CaseBase
from sklazy.errors import DataWarning
from sklazy.flow import MISSING, Queries
from sklazy.measures.blending import temper_probabilities
from sklazy.measures.shapley import MOST_ASKED, plan_subsets, share_subsets
from sklazy.report.progress import track
from sklazy.tables import Table
from sklazy.tables.origins import expanded_names

OUTPUTS = {"nominal": "probabilities", "numeric": "values"}
"""Attribute of an answer that features contribute to, by the kind of the target."""

Ask = Callable[[Queries], Floats]
"""From queries to their outputs, (n_queries, n_outputs)."""

_MOST_CELLS = 4_000_000  # of queries that are put at once


class FeatureMap(NamedTuple):
    """The user's columns, and which of them each attribute comes from.

    Attributes
    ----------
    names : list of str
        Of the features.
    of_attribute : int64 array of shape (n_attributes,)
        The feature of each attribute.
    """

    names: list[str]
    of_attribute: Ints

    def add_up(self, columns: Floats) -> Floats:
        """Sums over the attributes of each feature, of (n_attributes, ...)."""
        sums = np.zeros((len(self.names), *columns.shape[1:]))
        np.add.at(sums, self.of_attribute, columns)
        return sums


class Wish(NamedTuple):
    """What contributions are wanted.

    Attributes
    ----------
    outputs : int64 array of shape (n_queries,)
        The output of each query that features contribute to: a class by its code, or
        the number of a target.
    features : FeatureMap
    power : float, optional
        That probabilities are tempered with, in a blend.
    table : Table, optional
        The queries as they came, for other cases to code.
    """

    outputs: Ints
    features: FeatureMap
    power: float | None = None
    table: Table | None = None

    def part(self, query: int) -> "Wish":
        """The wish of one query."""
        return self._replace(outputs=self.outputs[query : query + 1])


class Shares(NamedTuple):
    """Contributions of features to answers.

    Attributes
    ----------
    values : float64 array of shape (n_queries, n_features)
    base : float64 array of shape (n_queries,)
        The output without any of them: values add up to the answer less this.
    answer : float64 array of shape (n_queries,)
    errors : float64 array of shape (n_queries, n_features)
        Standard errors of values that were sampled; else 0.
    """

    values: Floats
    base: Floats
    answer: Floats
    errors: Floats


def map_features(base: CaseBase) -> FeatureMap:
    """Find the feature that each attribute of a base comes from."""
    return base.derive(map_features, lambda: _map_features(base))


def _map_features(base: CaseBase) -> FeatureMap:
    schema = base.schema
    if not schema.origins:
        return FeatureMap(list(schema.names), np.arange(len(schema.names)))
    parts = expanded_names(schema.origins)
    of_attribute = np.repeat(np.arange(len(parts)), [len(names) for names in parts])
    return FeatureMap(list(schema.user_names), of_attribute)


def find_known(base: CaseBase, queries: Queries) -> NDArray[np.bool_]:
    """Which cells of queries are not missing, (n_queries, n_attributes)."""
    is_number = base.cases.numeric >= 0
    known = np.where(is_number, ~np.isnan(queries.values), queries.codes != MISSING)
    return np.asarray(known)


def pick_outputs(answer: Answer, wish: Wish) -> Floats:
    """The outputs that features contribute to, (n_queries,)."""
    figures = getattr(
        answer, OUTPUTS["nominal" if answer.base.class_labels else "numeric"]
    )
    if wish.power is not None:
        figures = temper_probabilities(figures, np.array(wish.power))
    return np.asarray(figures[np.arange(len(figures)), wish.outputs])


def ask_learner(
    learner: AnyLearner, batch: Batch, wish: Wish, n_jobs: int | None = None
) -> Shares:
    """Contributions by asking a learner again and again; see `ask_contributions`."""
    output = OUTPUTS[learner.target.kind]

    def ask(queries: Queries) -> Floats:
        (found,) = answer_queries(
            learner, batch.base, queries, (output,), n_jobs=n_jobs
        )
        return np.asarray(found)

    return ask_contributions(ask, batch, wish)


def ask_contributions(
    ask: Ask, batch: Batch, wish: Wish, n_asked: int = MOST_ASKED
) -> Shares:
    """Shapley values by asking again with features made missing.

    Up to `n_asked` subsets of the features in use are all asked; of more, those of
    orders drawn in antithetic pairs, the same for every query with as many in use.
    Features whose cells all cases have, too, stay as they are.
    """
    n_queries, n_features = len(batch), len(wish.features.names)
    values, errors = np.zeros((2, n_queries, n_features))
    base, answer = np.zeros((2, n_queries))
    known, shared = find_known(batch.base, batch.queries), _find_shared(batch)
    for query in range(n_queries):
        here = np.unique(wish.features.of_attribute[known[query] & ~shared[query]])
        output, plan = int(wish.outputs[query]), plan_subsets(len(here), n_asked)
        keeps = np.ones((len(plan.masks), n_features), np.bool_)
        keeps[:, here] = plan.masks
        found = _ask_masked(ask, batch.queries, query, keeps, wish)[:, output]
        values[query, here], errors[query, here] = share_subsets(plan, found)
        base[query], answer[query] = found[0], found[-1]
    return Shares(values, base, answer, errors)


def _find_shared(batch: Batch) -> NDArray[np.bool_]:
    """Which cells of queries all cases have, too, (n_queries, n_attributes)."""
    base, queries = batch.base, batch.queries
    low, high = base.derive(_find_ends, lambda: _join_ends(base))
    codes = np.where(queries.codes == MISSING, np.nan, queries.codes)
    cells = np.where(base.cases.numeric >= 0, queries.values, codes)
    return np.asarray((low == cells) & (high == cells))


def _join_ends(base: CaseBase) -> Floats:
    lows, highs = zip(*base.ask(_find_ends), strict=True)
    return np.array([np.min(lows, axis=0), np.max(highs, axis=0)])


def _find_ends(part: CaseBase) -> tuple[Floats, Floats]:
    """The least and the greatest number or code of each attribute; nan if one lacks."""
    ends = np.full((2, len(part.cases.numeric)), [[np.inf], [-np.inf]])
    for j, at in enumerate(part.cases.numeric.tolist() if part.n_rows else ()):
        cells = part.cases.numbers[at] if at >= 0 else part.cases.codes[j]
        live = cells[: part.n_rows]
        ends[:, j] = live.min(), live.max()
    return ends[0], ends[1]


def _ask_masked(
    ask: Ask, queries: Queries, query: int, keeps: NDArray[np.bool_], wish: Wish
) -> Floats:
    """Outputs of a query with the features of each mask alone."""
    cells = keeps[:, wish.features.of_attribute]
    step = max(1, _MOST_CELLS // max(cells.shape[1], 1))
    parts = [
        ask(_hide(queries, query, cells[first : first + step]))
        for first in range(0, len(cells), step)
    ]
    outputs = np.concatenate(parts)
    if wish.power is None:
        return outputs
    return temper_probabilities(outputs, np.array(wish.power))


def ask_with_few(
    learner: AnyLearner, batch: Batch, wish: Wish, keeps: NDArray[np.bool_]
) -> Floats:
    """Outputs of the only query with some features known, the others missing.

    Parameters
    ----------
    learner : Learner
    batch : Batch of one query
    wish : Wish
    keeps : bool array of shape (n_subsets, n_features)

    Returns
    -------
    outputs : float64 array of shape (n_subsets, n_outputs)
    """
    output = OUTPUTS[learner.target.kind]

    def ask(queries: Queries) -> Floats:
        return answer_queries(learner, batch.base, queries, (output,), n_jobs=1)[0]

    return _ask_masked(ask, batch.queries, 0, keeps, wish)


def _hide(queries: Queries, query: int, cells: NDArray[np.bool_]) -> Queries:
    """Copies of a query, each with some of its cells."""
    codes = np.where(cells, queries.codes[query], np.int32(MISSING))
    return Queries(codes, np.where(cells, queries.values[query], np.nan))


def forget_blocks(
    learner: AnyLearner, batch: Batch, wish: Wish, blocks: Sequence[Ints]
) -> Floats:
    """Outputs of queries when each block of cases is forgotten, (n_queries, n_blocks).

    Equal to forgetting the block and asking: all that is derived from the cases is
    found anew.
    """
    base, outputs = batch.base.joined(), np.empty((len(batch), len(blocks)))
    name = OUTPUTS[learner.target.kind]
    assert wish.table is not None, "other cases may code queries differently"
    for i, block in enumerate(track(list(blocks), "leaving out")):
        others = without_rows(base, block)
        queries = others.encode(wish.table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # what was warned of is known
            ready = prepare(learner, others)
        answer = learner.answer(ready, Batch(others, others.cases, queries))
        figures = learner.target.recode(name, getattr(answer, name), others, base)
        if wish.power is not None:
            figures = temper_probabilities(figures, np.array(wish.power))
        outputs[:, i] = figures[np.arange(len(batch)), wish.outputs]
    return outputs


def add_shares(parts: list[tuple[float, Shares]]) -> Shares:
    """The weighted sum of contributions to the same outputs; errors add in squares."""
    values = sum(weight * share.values for weight, share in parts)
    base = sum(weight * share.base for weight, share in parts)
    answer = sum(weight * share.answer for weight, share in parts)
    squares = sum((weight * share.errors) ** 2 for weight, share in parts)
    return Shares(
        np.asarray(values), np.asarray(base), np.asarray(answer), np.sqrt(squares)
    )
