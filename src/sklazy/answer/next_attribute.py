"""The attribute a query should measure next, and how its answer may change."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batches import answer_queries
from sklazy.answer.learner import AnyLearner
from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import bin_codes, interval_labels
from sklazy.flow import MISSING, Queries
from sklazy.measures import round_figures
from sklazy.measures.magnitudes import find_unit
from sklazy.measures.next_attribute import (
    Gains,
    gain_of_classes,
    gain_of_numbers,
    to_cells,
    usual_shares,
    weigh_alike,
)
from sklazy.tables import Label

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_QUARTERS = np.array([0.25, 0.5, 0.75])
_MOST_OUTCOMES = 12


class Coded(NamedTuple):
    """Cases in canonical order, every attribute with few values.

    Attributes
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    sizes : int64 array of shape (n_attributes,)
    cuts : list of float64 arrays
        Of numeric attributes: those of the classes, or quartiles.
    weights : float64 array of shape (n_rows,)
    cells : int64 array of shape (n_attributes, n_rows)
        Values, and classes where these are predicted.
    usual : list of float64 arrays of shape (n_values, n_classes)
        Shares of values in classes; none where numbers are predicted.
    """

    codes: NDArray[np.int32]
    sizes: Ints
    cuts: list[Floats]
    weights: Floats
    cells: Ints
    usual: list[Floats]


class Outcome(NamedTuple):
    """A value that might be measured, and what the answer would be then."""

    value: Label
    chance: float
    answer: Any
    probability: float | None


class Next(NamedTuple):
    """The attribute that a query should measure next.

    Attributes
    ----------
    attribute : int
        -1 where no missing attribute is informative, or none is missing.
    missing : int64 array of shape (n_missing,)
    gains : float64 array of shape (n_missing,)
    answer, probability
        As it stands; the probability is None for numbers.
    outcomes : list of Outcome
        Of the attribute.
    """

    attribute: int
    missing: Ints
    gains: Floats
    answer: Any
    probability: float | None
    outcomes: list[Outcome]


def code_cases(base: CaseBase) -> Coded:
    """The cases as gains are measured on them, made once for a state of the base."""
    return base.derive(code_cases, lambda: _code_cases(base))


def _code_cases(base: CaseBase) -> Coded:
    return _code_classes(base) if base.class_labels else _code_numbers(base)


def _code_classes(base: CaseBase) -> Coded:
    cases, order, n_classes = base.cases, base.order, base.cases.class_counts.size
    codes, classes = cases.codes[:, order], cases.classes[order]
    sizes, weights = np.diff(cases.offsets), cases.weights[order]
    usual = [
        usual_shares(column, size, classes, n_classes, weights)
        for column, size in zip(codes, sizes.tolist(), strict=True)
    ]
    cells = to_cells(codes, classes, n_classes)
    return Coded(codes, sizes, base.cuts, weights, cells, usual)


def _code_numbers(base: CaseBase) -> Coded:
    """Where no classes cut the numbers, quartiles do."""
    cases, order, cuts = base.cases, base.order, list(base.cuts)
    codes = cases.codes[:, order].copy()
    for j in np.flatnonzero(cases.numeric >= 0).tolist():
        numbers = cases.numbers[cases.numeric[j], order]
        known = np.sort(numbers[~np.isnan(numbers)])
        if len(known):
            cuts[j] = np.unique(known[(_QUARTERS * len(known)).astype(int)])
        codes[j] = bin_codes(numbers, cuts[j])
    sizes = np.array([column.max(initial=-1) + 1 for column in codes], np.int64)
    cells = codes.astype(np.int64) + 1
    return Coded(codes, sizes, cuts, cases.weights[order], cells, [])


def code_query(base: CaseBase, queries: Queries, query: int) -> NDArray[np.int32]:
    """A query in the codes of `code_cases`."""
    codes = queries.codes[query].copy()
    if not base.class_labels:
        for j in np.flatnonzero(base.cases.numeric >= 0).tolist():
            value = queries.values[query, j : j + 1]
            codes[j] = bin_codes(value, code_cases(base).cuts[j])[0]
    return codes


def measure_gains(
    base: CaseBase,
    queries: Queries,
    query: int,
    shares: Floats | None,
    candidates: Ints,
) -> Gains:
    """Expected gains of measuring attributes of a query.

    Parameters
    ----------
    base : CaseBase
    queries : Queries
    query : int
        Which of them.
    shares : float64 array of shape (n_classes,), or None
        How probable the classes are as it stands; None where numbers are predicted.
    candidates : int64 array of attributes
    """
    coded = code_cases(base)
    alike = weigh_alike(coded.codes, code_query(base, queries, query), coded.weights)
    if shares is not None:
        soft = _soften(shares, base)
        return gain_of_classes(coded.cells, coded.usual, alike, soft, candidates)
    targets = base.cases.targets[:, base.order]
    units = np.array([[find_unit(target)] for target in targets])
    return gain_of_numbers(coded.cells, coded.sizes, alike, targets * units, candidates)


def _soften(shares: Floats, base: CaseBase) -> Floats:
    """Shares with one case's worth of doubt: what is certain could never be changed."""
    counts, n_rows = base.cases.class_counts, base.n_rows
    soft: Floats = (n_rows * shares + counts / n_rows) / (n_rows + 1)
    return soft


def choose(gains: Floats, costs: Floats) -> int:
    """The place of the largest gain per cost, the first of several; -1 if all are 0."""
    rates = round_figures(gains / costs)
    best = int(rates.argmax()) if len(rates) else -1
    return best if best >= 0 and rates[best] > 0 else -1


def suggest_next(
    learner: AnyLearner,
    base: CaseBase,
    queries: Queries,
    missing: NDArray[np.bool_],
    costs: Floats,
    n_jobs: int | None = None,
) -> list[Next]:
    """Suggest the attribute each query should measure next, by its learner's answers.

    Parameters
    ----------
    learner : Learner
    base : CaseBase
    queries : Queries
    missing : bool array of shape (n_queries, n_attributes)
        Which cells may be measured.
    costs : float64 array of shape (n_attributes,)
    n_jobs : int, optional
    """
    stands = answer(learner, base, queries, n_jobs)
    chosen = [
        _choose_for(base, queries, query, stands, np.flatnonzero(cells), costs)
        for query, cells in enumerate(missing)
    ]
    filled, owners = _fill(base, queries, chosen)
    if not owners:
        return [
            _next(stands, query, *choice, []) for query, choice in enumerate(chosen)
        ]
    after = answer(learner, base, filled, n_jobs)
    outcomes: list[list[Outcome]] = [[] for _ in chosen]
    for i, (query, value, chance) in enumerate(owners):
        outcomes[query].append(Outcome(value, chance, *after.of(i)))
    rows = zip(chosen, outcomes, strict=True)
    return [
        _next(stands, i, *choice, listed) for i, (choice, listed) in enumerate(rows)
    ]


class Stands(NamedTuple):
    """Answers as they stand.

    Attributes
    ----------
    values : array of shape (n_queries,) or (n_queries, n_targets)
        Labels or numbers.
    shares : float64 array of shape (n_queries, n_classes), or None
    sure : float64 array of shape (n_queries,), or None
        The probability of the label.
    """

    values: NDArray[Any]
    shares: Floats | None
    sure: Floats | None

    def of(self, query: int) -> tuple[Any, float | None]:
        """The answer of one query, and its probability."""
        value = self.values[query].tolist()
        if self.sure is not None:
            return value, float(self.sure[query])
        return value[0] if len(value) == 1 else value, None


def answer(
    learner: AnyLearner, base: CaseBase, queries: Queries, n_jobs: int | None
) -> Stands:
    """Answers of any learner."""
    if not base.class_labels:
        (values,) = answer_queries(learner, base, queries, ["values"], n_jobs=n_jobs)
        return Stands(values, None, None)
    outputs = ["decisions", "probabilities"]
    codes, shares = answer_queries(learner, base, queries, outputs, n_jobs=n_jobs)
    sure = shares[np.arange(len(codes)), codes]
    return Stands(learner.target.decode("decisions", codes, base), shares, sure)


Choice = tuple[int, Ints, Gains]


def _choose_for(
    base: CaseBase,
    queries: Queries,
    query: int,
    stands: Stands,
    candidates: Ints,
    costs: Floats,
) -> Choice:
    shares = None if stands.shares is None else stands.shares[query]
    gains = measure_gains(base, queries, query, shares, candidates)
    return choose(gains.gains, costs[candidates]), candidates, gains


def _next(
    stands: Stands,
    query: int,
    place: int,
    candidates: Ints,
    gains: Gains,
    outcomes: list[Outcome],
) -> Next:
    attribute = int(candidates[place]) if place >= 0 else -1
    return Next(attribute, candidates, gains.gains, *stands.of(query), outcomes)


def _fill(
    base: CaseBase, queries: Queries, chosen: list[Choice]
) -> tuple[Queries, list[tuple[int, Label, float]]]:
    """Queries with each value of their attribute filled in, and whose they are."""
    codes, values, owners = [], [], []
    for query, (place, candidates, gains) in enumerate(chosen):
        if place < 0:
            continue
        j, chances = int(candidates[place]), gains.chances[place]
        for value, chance, code, number in _possible(base, j, chances):
            codes.append(queries.codes[query].copy())
            values.append(queries.values[query].copy())
            codes[-1][j], values[-1][j] = code, number
            owners.append((query, value, chance))
    shape = (-1, queries.codes.shape[1])
    return (
        Queries(
            np.array(codes, np.int32).reshape(shape), np.array(values).reshape(shape)
        ),
        owners,
    )


def _possible(
    base: CaseBase, j: int, chances: Floats
) -> Iterator[tuple[Label, float, int, float]]:
    """The most probable values of an attribute: in words, how probable, coded."""
    most = np.sort(np.argsort(-chances, kind="stable")[:_MOST_OUTCOMES]).tolist()
    if base.cases.numeric[j] < 0:
        labels = base.categories(j)
        for v in most:
            yield labels[v], float(chances[v]), v, np.nan
        return
    names = interval_labels(code_cases(base).cuts[j])
    typical = _typical_numbers(base, j)
    for v in most:
        if not np.isnan(typical[v]):
            code = int(bin_codes(typical[v : v + 1], base.cuts[j])[0])
            yield names[v], float(chances[v]), code, float(typical[v])


def _typical_numbers(base: CaseBase, j: int) -> Floats:
    """The median number of each bin; NaN for one without cases."""
    coded, row = code_cases(base), int(base.cases.numeric[j])
    numbers, bins = base.cases.numbers[row, base.order], coded.codes[j]
    typical = np.full(int(coded.sizes[j]), np.nan)
    for v in np.unique(bins[bins >= 0]).tolist():
        within = np.sort(numbers[bins == v])
        typical[v] = within[(len(within) - 1) // 2]  # a number that a case has
    return typical


def hide(queries: Queries, known: NDArray[np.bool_]) -> Queries:
    """Queries of which some cells only are known."""
    codes = np.where(known, queries.codes, MISSING).astype(np.int32)
    return Queries(codes, np.where(known, queries.values, np.nan))


def find_missing(queries: Queries) -> NDArray[np.bool_]:
    """Which cells have no value; one that no case has is a value all the same."""
    return (queries.codes == MISSING) & np.isnan(queries.values)
