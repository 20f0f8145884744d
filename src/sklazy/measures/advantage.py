"""Will lazy selection pay? V: how far values differ from their attributes."""

import numpy as np

from sklazy.measures.contingency import Counts, CountTable, Floats, Ints, per, settle


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
        return settle(table.average_values(apart))
    present = (table.sizes > 0).astype(np.int64)
    return settle(per(table.sum_values(present * apart), table.sum_values(present)))
