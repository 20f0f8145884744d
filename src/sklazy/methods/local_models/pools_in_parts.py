"""Cases of equal inputs among parts: what those of all parts add up to.

Sums are exact until all parts are in, so that they are those of one place to the last
bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.canonical import Words, content_hashes
from sklazy.casebase.parted_head import PartedHead
from sklazy.casebase.sums import ExactSums, add_sums, sum_exactly
from sklazy.flow import LocalCases, Pools, Queries
from sklazy.methods.local_models.alike import (
    Bools,
    Summary,
    average,
    fill_pools,
    split_by_cells,
    start_pools,
    weigh_squares,
)
from sklazy.methods.local_models.placed_parts import LocalFrame, place_part
from sklazy.neighbors.copies import input_words, number_equal_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class AlikeSums(NamedTuple):
    """Sums over the cases of some inputs.

    Attributes
    ----------
    sizes : int64 array of shape (n_inputs,)
        How many there are.
    weights : ExactSums of n_inputs cells
    targets : ExactSums of n_inputs * n_targets cells
        Times the weights.
    lowest, highest : float64 arrays of shape (n_inputs, n_targets)
        The ends of the targets; infinite where there is no case.
    """

    sizes: Ints
    weights: ExactSums
    targets: ExactSums
    lowest: Floats
    highest: Floats


class _Inputs(NamedTuple):
    """The different inputs of the cases of a part, by their hashes.

    Attributes
    ----------
    words : uint64 array of shape (n_inputs, n_columns)
    hashes : uint64 array of shape (n_inputs,), ascending
    order, ends : int64 arrays
        The cases, inputs by inputs, and where those of each end.
    """

    words: NDArray[np.uint64]
    hashes: Words
    order: Ints
    ends: Ints


class WantedInputs(NamedTuple):
    """Inputs that cases may have, as far as a query sees them.

    Attributes
    ----------
    frame : LocalFrame
    known : bool array of shape (n_attributes,)
        The attributes that are compared.
    words : uint64 array of shape (n_inputs, n_known)
        Different inputs.
    """

    frame: LocalFrame
    known: Bools
    words: Words


def pool_parts(
    base: PartedHead,
    frame: LocalFrame,
    queries: Queries,
    tied: Bools,
    cases: LocalCases,
    owners: Ints,
    places: Ints,
) -> Pools:
    """Let neighbors stand for all cases alike, in whatever part these are.

    Parameters
    ----------
    base : PartedHead
    frame : LocalFrame
    queries : Queries
    tied : bool array of shape (n_queries,)
        Whether cases near to a query are equally far.
    cases : LocalCases
        The neighbors of the first query, then those of the second, ...
    owners, places : int64 arrays of shape (n_queries, n_nearest)
        The part of each neighbor, and where it stands among the cases of the part.
    """
    pools = start_pools(cases, np.arange(places.size).reshape(places.shape))
    for chosen, known in split_by_cells(base.cases, queries, tied):
        words = _read_words(base, frame, known, owners[chosen], places[chosen])
        different, groups = np.unique(words, axis=0, return_inverse=True)
        wanted = WantedInputs(frame, known, different)
        sums = base.ask(sum_alike, wanted)
        sizes = np.sum([alike.sizes for alike in sums], axis=0)
        groups = groups.reshape(len(chosen), -1)
        if (sizes > 1).any():
            summaries = _summarize(base, wanted, sums)
            many = sizes[groups] > 1
            fill_pools(pools, chosen, groups, many, summaries.__getitem__)
    return pools


def _read_words(
    base: PartedHead, frame: LocalFrame, known: Bools, owners: Ints, places: Ints
) -> Words:
    """Fetch the inputs of cases as words, (n_cases, n_known)."""
    here = [np.flatnonzero(owners.ravel() == p) for p in range(len(base.sizes))]
    chosen = [(frame, known, places.ravel()[numbers]) for numbers in here]
    told = base.ask_each(read_inputs, chosen)
    words = np.empty((places.size, told[0].shape[1]), np.uint64)
    for numbers, inputs in zip(here, told, strict=True):
        words[numbers] = inputs
    return words


def _summarize(
    base: PartedHead, wanted: WantedInputs, sums: list[AlikeSums]
) -> list[Summary]:
    """Put together what parts have found, and ask for deviations from the means."""
    sizes = np.sum([alike.sizes for alike in sums], axis=0)
    totals = add_sums(alike.weights for alike in sums).rounded()
    shape = sums[0].lowest.shape
    means = average(
        add_sums(alike.targets for alike in sums).rounded().reshape(shape),
        totals[:, None],
        np.min([alike.lowest for alike in sums], axis=0),
        np.max([alike.highest for alike in sums], axis=0),
    )
    squares = add_sums(base.ask(sum_deviations, wanted, means)).rounded()
    spreads = squares.reshape(shape) / totals[:, None]
    weights = totals / sizes
    columns = sizes.tolist(), weights.tolist(), means, spreads
    return [Summary(*alike) for alike in zip(*columns, strict=True)]


def read_inputs(part: CaseBase, request: tuple[LocalFrame, Bools, Ints]) -> Words:
    """Return the inputs of some cases of a part as words, (n_cases, n_known)."""
    frame, known, chosen = request
    return _write_words(part, place_part(part, frame).rows[chosen], known)


def sum_alike(part: CaseBase, wanted: WantedInputs) -> AlikeSums:
    """Add up a part's cases of each of some inputs."""
    n_inputs, n_targets = len(wanted.words), len(wanted.frame.target_units)
    cases, inputs = _find_cases(part, wanted)
    targets, weights = _read(place_part(part, wanted.frame).cases, cases)
    lowest = np.full((n_inputs, n_targets), np.inf)
    highest = -lowest
    np.minimum.at(lowest, inputs, targets)
    np.maximum.at(highest, inputs, targets)
    return AlikeSums(
        np.bincount(inputs, minlength=n_inputs),
        sum_exactly(weights, inputs, n_inputs),
        _sum_targets(weights[:, None] * targets, inputs, n_inputs),
        lowest,
        highest,
    )


def sum_deviations(part: CaseBase, wanted: WantedInputs, means: Floats) -> ExactSums:
    """Add up squared deviations from the means, times weights, of a part's cases."""
    cases, inputs = _find_cases(part, wanted)
    targets, weights = _read(place_part(part, wanted.frame).cases, cases)
    squares = weigh_squares(targets, weights, means[inputs])
    return _sum_targets(squares, inputs, len(wanted.words))


def _sum_targets(values: Floats, inputs: Ints, n_inputs: int) -> ExactSums:
    """Add up numbers of shape (n_cases, n_targets) by input and target."""
    n_targets = values.shape[1]
    cells = inputs[:, None] * n_targets + np.arange(n_targets)
    return sum_exactly(values.ravel(), cells.ravel(), n_inputs * n_targets)


def _read(cases: LocalCases, chosen: Ints) -> tuple[Floats, Floats]:
    """Return targets and weights of cases."""
    weights = cases.weights[chosen] if len(cases.weights) else np.ones(len(chosen))
    return cases.targets[chosen], weights


def _find_cases(part: CaseBase, wanted: WantedInputs) -> tuple[Ints, Ints]:
    """Find the cases of a part that have some inputs, and which of these."""
    known = _inputs_of(part, wanted)
    hashes = content_hashes(wanted.words.T)
    starts = np.searchsorted(known.hashes, hashes, "left")
    ends = np.searchsorted(known.hashes, hashes, "right")
    matches = np.full(len(hashes), -1, np.int64)
    for step in range(int((ends - starts).max(initial=0))):  # hashes may be equal
        places = np.minimum(starts + step, len(known.hashes) - 1)
        same = (known.words[places] == wanted.words).all(axis=1)
        same &= starts + step < ends
        matches[same] = places[same]
    inputs = np.flatnonzero(matches >= 0)
    firsts = np.append(0, known.ends[:-1])[matches[inputs]]
    sizes = known.ends[matches[inputs]] - firsts
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return known.order[np.repeat(firsts, sizes) + within], np.repeat(inputs, sizes)


def _inputs_of(part: CaseBase, wanted: WantedInputs) -> _Inputs:
    """Return the inputs of a part's cases; those of whole rows are kept."""
    frame, known, _ = wanted
    if not known.all():
        return _list_inputs(part, frame, known)
    key = "inputs", frame.key
    return part.derive(key, lambda: _list_inputs(part, frame, known))


def _list_inputs(part: CaseBase, frame: LocalFrame, known: Bools) -> _Inputs:
    """List the different inputs of a part's cases."""
    rows = place_part(part, frame).rows
    groups = number_equal_rows(part.cases, known)[rows]
    _, firsts, groups = np.unique(groups, return_index=True, return_inverse=True)
    words = _write_words(part, rows[firsts], known)
    hashes = content_hashes(words.T)
    order = np.argsort(hashes, kind="stable")
    ranks = np.argsort(order)[groups]  # of the inputs of each case, by hash
    return _Inputs(
        words[order],
        hashes[order],
        np.argsort(ranks, kind="stable"),
        np.cumsum(np.bincount(ranks, minlength=len(order))),
    )


def _write_words(part: CaseBase, rows: Ints, known: Bools) -> Words:
    """Write inputs as words; a column of zeros stands for none."""
    columns = input_words(part.cases, rows, known)
    return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 1), np.uint64)
