"""Count tables and the sums and entropies that every measure is made of.

A sum here never depends on the order of classes or categories: its terms are sorted
first. Finished figures are rounded to a grid of 12 decimals, so that figures which
are equal in mathematics tie exactly although they were summed up differently (but for
the rare one, at most 1 in 10 000, that lies on the edge between two grid points).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.errors import BadInputError
from sklazy.forking import cached_property

Counts = NDArray[Any]  # int64, or float64 where missing cells were spread
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_CELLS = 2**26
"""Of a table of counts: 512 MiB, and four times that while figures are made of it."""

_DECIMALS = 12
_LARGE = 16.0


def check_countable(
    widths: Sequence[int], n_classes: int, names: Sequence[str]
) -> None:
    """Refuse more counts of values by class than memory is likely to hold.

    Parameters
    ----------
    widths : sequence of int
        How many values each attribute has.
    n_classes : int
    names : sequence of str
        Names of the attributes.
    """
    n_cells = sum(widths) * n_classes
    if n_cells > MOST_CELLS:
        widest = max(range(len(widths)), key=widths.__getitem__)
        raise BadInputError(
            f"counts of {sum(widths)} values by {n_classes} classes would take "
            f"{n_cells / 2**27:.0f} GiB; column {names[widest]!r} has {widths[widest]} "
            "values. Drop columns that are hardly more than row numbers, or merge rare "
            "labels or classes."
        )


def round_figures(figures: ArrayLike) -> Floats:
    """Figures on a grid coarse enough to swallow rounding errors.

    Equal to ``round(x, 12)`` below 16; a larger figure keeps 12 decimals of its
    binary mantissa.
    """
    numbers = np.asarray(figures, dtype=np.float64)
    large = np.isfinite(numbers) & (np.abs(numbers) >= _LARGE)
    exponent = np.where(large, np.frexp(numbers)[1], 0)
    rounded = np.round(np.ldexp(numbers, -exponent), _DECIMALS)
    return np.ldexp(rounded, exponent) + 0.0  # -0.0 becomes 0.0


def sorted_sum(terms: Floats) -> Floats:
    """Sums along the last axis that do not depend on the order of its terms."""
    ordered = np.ascontiguousarray(np.sort(terms, axis=-1))
    return np.asarray(ordered.sum(axis=-1))


def shares(counts: ArrayLike) -> Floats:
    """Each count over its row's sum; a row without counts has shares of zero."""
    numbers = np.asarray(counts)
    return ratios(numbers, sorted_sum(numbers)[..., None])


def ratios(parts: Counts, wholes: Counts) -> Floats:
    """``parts / wholes``; where the whole is zero so are its parts, and stay it."""
    return np.asarray(parts / np.where(wholes > 0, wholes, 1))


def _surprise(parts: Floats) -> Floats:
    """``-p log2 p``, zero at zero."""
    return -parts * np.log2(np.where(parts > 0, parts, 1.0))


def entropy(counts: ArrayLike) -> Floats:
    """Entropy, in bits, of the distributions that lie along the last axis.

    A pure row, and one without counts, has entropy 0.

    Examples
    --------
    >>> from sklazy.measures import entropy
    >>> entropy([[9, 5], [4, 0], [0, 0]])
    array([0.94028596, 0. , 0. ])
    """
    return round_figures(raw_entropy(counts))


def raw_entropy(counts: ArrayLike) -> Floats:
    """`entropy` before it is rounded, for use inside further formulas."""
    return sorted_sum(_surprise(shares(counts)))


def raw_gini(counts: ArrayLike) -> Floats:
    """Gini impurity ``sum p (1 - p)`` of the distributions along the last axis."""
    parts = shares(counts)
    return sorted_sum(parts * (1.0 - parts))


@dataclass(frozen=True, eq=False)
class CountTable:
    """How often each value of each attribute goes with each class.

    Parameters
    ----------
    counts : int64 or float64 array of shape (n_values_total, n_classes)
    offsets : int64 array of shape (n_attributes + 1,)
        The values of attribute j are the rows ``offsets[j] .. offsets[j + 1] - 1``.
    """

    counts: Counts
    offsets: Ints

    def __post_init__(self) -> None:
        counts, offsets = np.asarray(self.counts), np.asarray(self.offsets)
        if counts.ndim != 2 or offsets.ndim != 1 or len(offsets) == 0:
            raise BadInputError(
                f"counts of shape {counts.shape} and offsets of shape {offsets.shape} "
                "make no table; give (n_values, n_classes) and (n_attributes + 1,)."
            )
        if (
            offsets[0] != 0
            or offsets[-1] != len(counts)
            or (np.diff(offsets) < 0).any()
        ):
            raise BadInputError(
                f"offsets must rise from 0 to the {len(counts)} rows of counts; got "
                f"{offsets.tolist()}."
            )
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "offsets", offsets)

    @property
    def n_attributes(self) -> int:
        """How many attributes the table has."""
        return len(self.offsets) - 1

    @cached_property
    def owner(self) -> Ints:
        """The attribute of each value, shape (n_values_total,)."""
        return np.repeat(np.arange(self.n_attributes), np.diff(self.offsets))

    @cached_property
    def sizes(self) -> Counts:
        """Rows that have each value, shape (n_values_total,)."""
        return sorted_sum(self.counts)

    @cached_property
    def totals(self) -> Floats:
        """Rows counted for each attribute, shape (n_attributes,)."""
        return self.sum_values(self.sizes)

    @cached_property
    def class_counts(self) -> Floats:
        """Class counts of each attribute's own rows, (n_attributes, n_classes)."""
        sums = [self.sum_values(column) for column in self.counts.T]
        return np.ascontiguousarray(np.reshape(sums, (-1, self.n_attributes)).T)

    @cached_property
    def frequencies(self) -> Floats:
        """Share of its attribute's rows that each value has, (n_values_total,)."""
        return ratios(self.sizes, self.totals[self.owner])

    @cached_property
    def class_entropy(self) -> Floats:
        """Entropy of the class over each attribute's own rows, (n_attributes,)."""
        return raw_entropy(self.class_counts)

    @cached_property
    def value_entropy(self) -> Floats:
        """Entropy of the class given each value, (n_values_total,)."""
        return raw_entropy(self.counts)

    @cached_property
    def split_entropy(self) -> Floats:
        """Entropy of each attribute's own values, (n_attributes,)."""
        return self.sum_values(_surprise(self.frequencies))

    def sum_values(self, terms: Counts) -> Floats:
        """Sums over each attribute's values, whatever the values' order."""
        if terms.dtype.kind in "iu":  # exact in any order
            running = np.concatenate([[0], np.cumsum(terms)])
            return np.diff(running[self.offsets]).astype(np.float64)
        order = np.lexsort((terms, self.owner))
        sums = np.bincount(self.owner, terms[order], minlength=self.n_attributes)
        return np.asarray(sums, dtype=np.float64)

    def average_values(self, figures: Floats) -> Floats:
        """Mean over each attribute's values, weighted by their rows.

        An attribute without any counted row gets 0.
        """
        return ratios(self.sum_values(self.sizes * figures), self.totals)


def spread_missing(
    counts: Counts,
    offsets: Ints,
    lost_values: Counts,
    lost_classes: Counts | None = None,
    lost_both: Counts | None = None,
) -> Floats:
    """Counts with the rows of missing cells dealt out in proportion to the known.

    A row whose value is missing goes to the values of its class's row in proportion
    to how frequent they are over all rows that know the value, as Weka's rankers do
    it; a missing class likewise over the classes; a row that misses both over the
    cells. An attribute that no row knows stays without counts.

    Parameters
    ----------
    counts : int64 array of shape (n_values_total, n_classes)
        Rows that know both.
    offsets : int64 array of shape (n_attributes + 1,)
    lost_values : int64 array of shape (n_attributes, n_classes)
        Rows of each class that miss the attribute.
    lost_classes : int64 array of shape (n_values_total,), optional
        Rows of each value that miss the class.
    lost_both : int64 array of shape (n_attributes,), optional
        Rows that miss both.
    """
    table = CountTable(counts, offsets)
    owner = table.owner
    by_value = table.sizes + (0 if lost_classes is None else lost_classes)
    known = table.sum_values(by_value)[owner]
    spread = counts + ratios(by_value, known)[:, None] * lost_values[owner]
    if lost_classes is not None:
        by_class = shares(table.class_counts + lost_values)[owner]
        spread = spread + lost_classes[:, None] * by_class
    if lost_both is not None:
        spread = spread + counts * ratios(lost_both, table.totals)[owner, None]
    return np.asarray(spread, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DiscountedTable(CountTable):
    """Discounted counts; how many rows have a value, or a class, stays.

    Parameters
    ----------
    counts, offsets
        As in `CountTable`.
    original : CountTable
        The counts before.
    """

    original: CountTable

    @cached_property
    def sizes(self) -> Counts:
        """Rows that have each value, shape (n_values_total,)."""
        return self.original.sizes

    @cached_property
    def class_counts(self) -> Floats:
        """Class counts of each attribute's own rows, (n_attributes, n_classes)."""
        return self.original.class_counts


def discount_rare_values(table: CountTable) -> DiscountedTable:
    """Replace one case of every value by one that is spread like all cases.

    The classes of a value's cases are counted on those very cases, so that a value
    which a single case has looks sure of its class. Left out in turn, the cases of a
    value see on average ``counts (n - 1) / n`` of their own kind; one case spread over
    the classes like all cases that know the attribute takes the place of the one left
    out: ``n_c - n_c / n + p_c``.

    These counts add up to n as before. A value seen once has the shares of all cases,
    an attribute that names the rows is exactly as relevant as a constant, and frequent
    values hardly change.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[1, 0], [0, 1], [4, 0], [2, 4]])
    >>> table = CountTable(counts, np.array([0, 2, 4]))
    >>> discount_rare_values(table).counts.round(2).tolist()
    [[0.5, 0.5], [0.5, 0.5], [3.6, 0.4], [2.27, 3.73]]
    """
    sizes = np.asarray(table.sizes)[:, None]
    totals = table.totals[table.owner, None]
    classes = table.class_counts[table.owner]
    # One fraction, rounded once: its numerator is a whole number.
    parts = table.counts * (sizes - 1) * totals + classes * sizes
    return DiscountedTable(ratios(parts, sizes * totals), table.offsets, table)
