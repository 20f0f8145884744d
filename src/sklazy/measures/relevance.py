"""Relevance of a value, and of its attribute, to the class.

A measure is one function: the figure of every value, **lower is better**. All else
follows from it. The attribute's figure is the mean over its values, weighted by their
rows; the lazy figure of a value is the lower of its own and its attribute's (the `min`
rule of lazy attribute selection); and the eager figure is the attribute's turned round.

With ``p`` the class distribution of all rows that know attribute j, ``q`` that of
the rows with value i of it, ``n`` the former's number, ``H`` entropy and ``S``
the entropy of the attribute's own values:

=====================  =========================================  ==================
measure                figure of the value                        eager figure
=====================  =========================================  ==================
entropy                ``H(q)``                                   ``Ent(D) - mean``
gini                   ``sum q (1 - q)``                          ``Gini(D) - mean``
information_gain       ``-(H(p) - H(q))``                         ``-mean``
gain_ratio             ``-(H(p) - H(q)) / S``                     ``-mean``
symmetric_uncertainty  ``-2 (H(p) - H(q)) / (H(p) + S)``          ``-mean``
chi_square             ``-n sum_c (q_c - p_c)^2 / p_c``           ``-mean``
=====================  =========================================  ==================

Only ``entropy`` is the paper's; the other value figures are this library's choice. Each
is the value's part in the attribute's statistic, scaled so that the parts average to
the whole: the eager figures are the usual information gain, gain ratio, symmetric
uncertainty and Pearson chi-square, and "the value is more relevant than its attribute"
means the same under every measure.

References
----------
R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
attribute selection: choosing attributes at classification time. Intelligent Data
Analysis 15(5), 2011.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sklazy.errors import BadInputError
from sklazy.measures.contingency import (
    Counts,
    CountTable,
    Floats,
    Ints,
    ratios,
    raw_entropy,
    raw_gini,
    round_figures,
    sorted_sum,
)


@dataclass(frozen=True)
class Measure:
    """A measure of relevance, by the figure it gives to a value.

    Parameters
    ----------
    name : str
    of_values : function of a `CountTable`
        Figures of all values, shape (n_values_total,), lower is better, finite.
    of_classes : function of class counts, optional
        The figure of the class without any attribute: the eager figure is how
        far the attribute gets below it. Without one the eager figure is the
        attribute's with its sign changed.
    """

    name: str
    of_values: Callable[[CountTable], Floats]
    of_classes: Callable[[ArrayLike], Floats] | None = None

    def values(self, table: CountTable) -> Floats:
        """Score of each value, lower is better; +inf where no row has it."""
        return np.where(table.sizes > 0, round_figures(self.of_values(table)), np.inf)

    def attributes(self, table: CountTable) -> Floats:
        """Score of each attribute, lower is better; +inf where no row knows it."""
        means = table.average_values(self.of_values(table))
        return np.where(table.totals > 0, round_figures(means), np.inf)

    def relevance(self, table: CountTable, class_counts: ArrayLike) -> Floats:
        """Eager figure of each attribute, higher is better; -inf if none knows it."""
        whole = self.of_classes(class_counts) if self.of_classes else 0.0
        return round_figures(whole - self.attributes(table))


def _gain_of_values(table: CountTable) -> Floats:
    return np.asarray(table.class_entropy[table.owner] - table.value_entropy)


def _gain_over(table: CountTable, scale: Floats) -> Floats:
    """The values' gains over a figure of the attribute; a scale of 0 gives 0."""
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    return _gain_of_values(table) * inverse[table.owner]


def _chi_square_of_values(table: CountTable) -> Floats:
    # q - p as one fraction: the numerator is exact, and ties are.
    rows, all_rows = table.sizes[:, None], table.totals[table.owner, None]
    classes = table.class_counts[table.owner]
    apart = ratios(table.counts * all_rows - rows * classes, rows * all_rows)
    return table.totals[table.owner] * sorted_sum(ratios(apart**2 * all_rows, classes))


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("entropy", lambda table: table.value_entropy, raw_entropy),
        Measure("gini", lambda table: raw_gini(table.counts), raw_gini),
        Measure("information_gain", lambda table: -_gain_of_values(table)),
        Measure("gain_ratio", lambda table: -_gain_over(table, table.split_entropy)),
        Measure(
            "symmetric_uncertainty",
            lambda table: (
                -2.0 * _gain_over(table, table.class_entropy + table.split_entropy)
            ),
        ),
        Measure("chi_square", lambda table: -_chi_square_of_values(table)),
    )
}
"""Every measure by name: to add one, add its function here."""


def find_measure(name: str) -> Measure:
    """The measure of that name."""
    if not isinstance(name, str) or name not in MEASURES:
        raise BadInputError(
            f"measure={name!r} is not known; give one of {sorted(MEASURES)}."
        )
    return MEASURES[name]


def value_scores(counts: Counts, offsets: Ints, measure: str = "entropy") -> Floats:
    """Score of each value by itself, lower is better.

    Parameters
    ----------
    counts : array of shape (n_values_total, n_classes)
    offsets : int64 array of shape (n_attributes + 1,)
    measure : str
        A name in `MEASURES`.

    Returns
    -------
    float64 array of shape (n_values_total,)
        Settled, so that equal figures tie; +inf for a value that no row has.
    """
    return find_measure(measure).values(CountTable(counts, offsets))


def attribute_scores(counts: Counts, offsets: Ints, measure: str = "entropy") -> Floats:
    """Score of each attribute, the weighted mean over its values, lower is better.

    Takes what `value_scores` takes and returns shape (n_attributes,); +inf for
    an attribute that no row knows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures import attribute_scores
    >>> counts = np.array([[2, 2], [4, 0], [3, 3], [3, 3]])
    >>> attribute_scores(counts, np.array([0, 2, 4]))
    array([0.5, 1. ])
    """
    return find_measure(measure).attributes(CountTable(counts, offsets))


def lazy_scores(counts: Counts, offsets: Ints, measure: str = "entropy") -> Floats:
    """Score of each value of a query: its own or its attribute's, whichever is lower.

    With ``measure="entropy"`` this is LazyEnt of the paper. A value that no row has
    falls back on its attribute.

    Takes what `value_scores` takes and returns shape (n_values_total,).

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures import lazy_scores
    >>> lazy_scores(np.array([[2, 2], [4, 0], [0, 0]]), np.array([0, 3]))
    array([0.5, 0. , 0.5])
    """
    table, rule = CountTable(counts, offsets), find_measure(measure)
    return np.minimum(rule.values(table), rule.attributes(table)[table.owner])


def eager_scores(counts: Counts, offsets: Ints, measure: str) -> Floats:
    """Statistic of each attribute, higher is better; 0 where no row knows it.

    Information gain (in bits), gain ratio, symmetric uncertainty or Pearson's
    chi-square without continuity correction, over the rows that know the attribute.

    Parameters
    ----------
    counts : array of shape (n_values_total, n_classes)
    offsets : int64 array of shape (n_attributes + 1,)
    measure : str
        A name in `MEASURES` whose eager figure is ``-mean``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures import eager_scores
    >>> counts = np.array([[2, 0], [0, 2], [1, 1], [1, 1]])
    >>> eager_scores(counts, np.array([0, 2, 4]), "information_gain")
    array([1., 0.])
    """
    scores = attribute_scores(counts, offsets, measure)
    return np.where(np.isinf(scores), 0.0, 0.0 - scores)


def v_by_attribute(counts: Counts, offsets: Ints, weighted: bool = True) -> Floats:
    """V(D, A_j): how far the values' entropies lie from their attribute's own.

    ``sum_i |D_ji| / |D| * | Ent(D, A_j) - Ent(D, A_j, a_ji) |``, over the values
    that some row has. The formula is lost in our copy of the paper; this reading
    comes closest to the paper's counts.

    Parameters
    ----------
    counts : array of shape (n_values_total, n_classes)
    offsets : int64 array of shape (n_attributes + 1,)
    weighted : bool
        Whether values weigh by their rows; otherwise all weigh the same.

    Returns
    -------
    float64 array of shape (n_attributes,), 0 where no row knows the attribute

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.measures import v_by_attribute
    >>> v_by_attribute(np.array([[2, 2], [4, 0], [3, 3], [3, 3]]), np.array([0, 2, 4]))
    array([0.5, 0. ])
    """
    table = CountTable(counts, offsets)
    means = table.average_values(table.value_entropy)
    apart = np.abs(means[table.owner] - table.value_entropy)
    if weighted:
        return round_figures(table.average_values(apart))
    present = (table.sizes > 0).astype(np.int64)
    return round_figures(
        ratios(table.sum_values(present * apart), table.sum_values(present))
    )
