"""Lazy Bayesian rules: values of the query that make naive Bayes right more often."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from sklazy.flow import Cases, Selected
from sklazy.kernels.bayes_rules import (
    CountedCases,
    count_subset,
    judge_all,
    try_values,
)
from sklazy.kernels.bits import sets_in_parts
from sklazy.methods.naive_bayes.model import (
    Likelihoods,
    add_likelihoods,
    estimate_likelihoods,
)

Bits = NDArray[np.uint64]
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

_NONE = np.iinfo(np.int64).min


class RuleSettings(NamedTuple):
    """When a value of the query joins its rule.

    Attributes
    ----------
    alpha : float
        Added to every count.
    min_support : int
        Cases that must have all values of the rule.
    significance : float
        The level of the sign test.
    """

    alpha: float
    min_support: int
    significance: float

    @property
    def least_wrong(self) -> int:
        """With fewer cases judged wrongly no improvement can be significant."""
        if self.significance <= 0.0:
            return int(np.iinfo(np.int64).max)
        return 1 + int(np.floor(-np.log2(self.significance)))


class Subset(NamedTuple):
    """The cases that have the values of an antecedent.

    Attributes
    ----------
    antecedent : tuple of int
        Attributes, in the order of their choice.
    inside : uint64 array of shape (n_words,)
    wrong : uint64 array of shape (n_words,)
        Those that naive Bayes on the others of the subset has wrong.
    figures : tuple of pairs of int
        For each attribute how many cases it put right, and how many wrong.
    """

    antecedent: tuple[int, ...]
    inside: Bits
    wrong: Bits
    figures: tuple[tuple[int, int], ...]


class Ruled(NamedTuple):
    """The rules of some queries.

    Attributes
    ----------
    antecedents : int64 array of shape (n_queries, n_attributes)
        Attributes in the order of their choice, filled up with -1.
    figures : int64 array of shape (n_queries, n_attributes, 2)
        For each of them the cases that it put right, and wrong; filled up with -1.
    votes : float64 array of shape (n_queries, n_classes)
        log P(class, query) of naive Bayes among the cases that have the values.
    """

    antecedents: Ints
    figures: Ints
    votes: NDArray[np.float64]


def judge_cases(cases: Cases, alpha: float) -> Subset:
    """All cases, and those that naive Bayes on the others has wrong."""
    everyone = _to_bits(np.ones(cases.n_rows, bool), cases)
    wrong = np.zeros_like(everyone)
    used = np.ones(len(cases.codes), bool)
    judge_all(_counted(cases, cases.value_bits), used, alpha, everyone, wrong)
    return Subset((), everyone, wrong, ())


def find_rules(
    cases: Cases, codes: Codes, start: Subset, settings: RuleSettings
) -> Ruled:
    """Grow the rule of each query, and let naive Bayes vote among who has its values.

    Queries with the same rule share the work.

    Parameters
    ----------
    cases : Cases
        With classes.
    codes : int32 array of shape (n_queries, n_attributes)
    start : Subset
        The result of `judge_cases`.
    settings : RuleSettings

    References
    ----------
    Zheng, Z., Webb, G. I.: Lazy learning of Bayesian rules. Machine Learning 41 (2000).
    """
    n_queries, n_attributes = codes.shape
    ruled = Ruled(
        np.full((n_queries, n_attributes), -1, np.int64),
        np.full((n_queries, n_attributes, 2), -1, np.int64),
        np.empty((n_queries, cases.class_counts.size)),
    )
    for first, last, bits, set_of_value in sets_in_parts(cases, codes, 0, n_queries):
        sets = _sets_of_cells(cases, set_of_value)
        growing = [(np.arange(first, last), start)]
        while growing:
            queries, subset = growing.pop()
            chosen = _choose(cases, bits, sets, codes[queries], subset, settings)
            growing += _extend(cases, bits, sets, queries, subset, chosen)
            _conclude(cases, codes, queries[chosen.cells < 0], subset, settings, ruled)
    return ruled


def fit_subset(
    cases: Cases, inside: Bits, antecedent: tuple[int, ...], alpha: float
) -> tuple[Likelihoods, Ints]:
    """Naive Bayes of a subset, and the attributes that it uses."""
    used = np.ones(len(cases.codes), bool)
    used[list(antecedent)] = False
    counts = np.empty(cases.counts.shape, np.int64)
    class_counts = np.empty(cases.class_counts.size, np.int64)
    count_subset(_counted(cases, cases.value_bits), used, inside, counts, class_counts)
    fitted = estimate_likelihoods(counts, class_counts, cases.offsets, alpha)
    return fitted, np.flatnonzero(used)


def select_cases(cases: Cases, query: Codes, antecedent: tuple[int, ...]) -> Bits:
    """The cases that have the query's values of some attributes, as a bit set."""
    inside = np.ones(cases.n_rows, bool)
    for j in antecedent:
        inside &= cases.codes[j, : cases.n_rows] == query[j]
    return _to_bits(inside, cases)


def sign_test(righted: Ints, spoiled: Ints) -> NDArray[np.float64]:
    """The chance of so few or fewer cases put wrong, were it as likely as right.

    Examples
    --------
    >>> sign_test(np.array([5, 1]), np.array([0, 1])).tolist()
    [0.03125, 0.75]
    """
    return np.asarray(bdtr(spoiled, righted + spoiled, 0.5))


class _Chosen(NamedTuple):
    """The value that joins the rule of each query.

    Attributes
    ----------
    cells : int64 array of shape (n_queries,)
        Where the value is counted, -1 if there is none.
    tried : int64 array of shape (n_tried,)
        All values that were tried, in order.
    figures : int64 array of shape (n_tried, 2)
    again : uint64 array of shape (n_tried, n_words)
    """

    cells: Ints
    tried: Ints
    figures: Ints
    again: Bits


def _choose(
    cases: Cases,
    bits: Bits,
    sets: Ints,
    codes: Codes,
    subset: Subset,
    settings: RuleSettings,
) -> _Chosen:
    """The value of each query that leaves the fewest errors, if it is significant.

    Cases outside stay as they were, so that the fewest errors are left by the value
    that puts most cases right, less those that it puts wrong.
    """
    used = np.ones(len(cases.codes), bool)
    used[list(subset.antecedent)] = False
    cells = np.where((codes >= 0) & used, cases.offsets[:-1] + codes, -1)
    tried = np.unique(cells[cells >= 0])
    figures = np.empty((tried.size, 2), np.int64)
    again = np.empty((tried.size, len(subset.inside)), np.uint64)
    try_values(
        _counted(cases, bits),
        used,
        settings.alpha,
        subset.inside,
        subset.wrong,
        sets[tried],
        _attributes_of(cases, tried),
        settings.min_support,
        settings.least_wrong,
        figures,
        again,
    )
    # Values that were not tried changed nothing: their chance is 1.
    righted, spoiled = np.maximum(figures, 0).T
    significant = sign_test(righted, spoiled) < settings.significance
    worth = np.full(cases.offsets[-1] + 1, _NONE)
    worth[tried[significant]] = (righted - spoiled)[significant]
    best = worth[cells].argmax(axis=1)[:, None]
    best_cells = np.take_along_axis(cells, best, axis=1)[:, 0]
    return _Chosen(
        np.where(worth[best_cells] > _NONE, best_cells, -1), tried, figures, again
    )


def _extend(
    cases: Cases, bits: Bits, sets: Ints, queries: Ints, subset: Subset, chosen: _Chosen
) -> Iterator[tuple[Ints, Subset]]:
    """The queries whose rule goes on, by the value that joins it."""
    for cell in np.unique(chosen.cells[chosen.cells >= 0]).tolist():
        place = int(np.searchsorted(chosen.tried, cell))
        (attribute,) = _attributes_of(cases, np.array([cell])).tolist()
        righted, spoiled = chosen.figures[place].tolist()
        yield (
            queries[chosen.cells == cell],
            Subset(
                (*subset.antecedent, attribute),
                subset.inside & bits[sets[cell]],
                chosen.again[place].copy(),
                (*subset.figures, (righted, spoiled)),
            ),
        )


def _conclude(
    cases: Cases,
    codes: Codes,
    queries: Ints,
    subset: Subset,
    settings: RuleSettings,
    ruled: Ruled,
) -> None:
    """Write down the rule of queries that no further value joins, and its votes."""
    if not queries.size:
        return
    depth = len(subset.antecedent)
    ruled.antecedents[queries, :depth] = subset.antecedent
    if depth:
        ruled.figures[queries, :depth] = subset.figures
    fitted, used = fit_subset(cases, subset.inside, subset.antecedent, settings.alpha)
    votes = np.empty((queries.size, ruled.votes.shape[1]))
    selected = select_same(used, queries.size)
    add_likelihoods(fitted, codes[queries], selected, votes, 0, queries.size)
    ruled.votes[queries] = votes


def select_same(attributes: Ints, n_queries: int) -> Selected:
    """The same attributes for all queries."""
    chosen = np.tile(attributes.astype(np.int32), (n_queries, 1))
    return Selected(chosen, np.full(n_queries, attributes.size, np.int32))


def _counted(cases: Cases, bits: Bits) -> CountedCases:
    """Input of the counting kernels, with these bit sets of values."""
    rest = cases.class_bits, cases.codes.whole, cases.classes.whole
    return CountedCases(bits, cases.starts, cases.offsets, *rest)


def _sets_of_cells(cases: Cases, set_of_value: Ints) -> Ints:
    """The bit set of each value, by where it is counted."""
    widths = np.diff(cases.offsets)
    kept = np.repeat(cases.starts - cases.offsets[:-1], widths)
    sets = kept + np.arange(cases.offsets[-1])
    if not set_of_value.size:
        return sets
    return np.where(np.repeat(cases.starts < 0, widths), set_of_value, sets)


def _attributes_of(cases: Cases, cells: Ints) -> Ints:
    return np.searchsorted(cases.offsets, cells, side="right") - 1


def _to_bits(rows: NDArray[np.bool_], cases: Cases) -> Bits:
    """A mask of rows as a bit set."""
    n_words = cases.class_bits.shape[1]
    padded = np.zeros(n_words * 8, np.uint8)
    packed = np.packbits(rows, bitorder="little")
    padded[: packed.size] = packed
    return padded.view("<u8").astype(np.uint64)
