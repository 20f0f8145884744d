"""Sets of attributes as bit masks: bit j of an int stands for attribute j."""

import functools
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.errors import BadInputError


@functools.lru_cache(maxsize=65536)
def members(mask: int) -> tuple[int, ...]:
    """Return the attributes of a set, ascending.

    >>> members(0b1011)
    (0, 1, 3)
    """
    packed = np.frombuffer(mask.to_bytes(mask.bit_length() // 8 + 1, "little"), "u1")
    return tuple(np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist())


def mask_of(attributes: Iterable[int]) -> int:
    """Return the set of these attributes.

    >>> mask_of([3, 0, 1]) == 0b1011
    True
    """
    mask = 0
    for attribute in attributes:
        mask |= 1 << int(attribute)
    return mask


def support_of(mask: int, n_attributes: int) -> NDArray[np.bool_]:
    """Return the set as a boolean array of shape (n_attributes,)."""
    support = np.zeros(n_attributes, dtype=bool)
    support[list(members(mask))] = True
    return support


def read_mask(given: ArrayLike, n_attributes: int) -> int:
    """Return a set given as booleans, one per attribute, or as column numbers."""
    array = np.asarray(given)
    if array.dtype == bool and array.shape == (n_attributes,):
        return mask_of(np.flatnonzero(array).tolist())
    numbers = array.ravel()
    whole = numbers.dtype.kind in "iu" and numbers.size > 0
    if not whole or numbers.min() < 0 or numbers.max() >= n_attributes:
        raise BadInputError(
            f"start has {given!r}; expected a set of the {n_attributes} attributes: "
            "column numbers, or one boolean per attribute."
        )
    return mask_of(numbers.tolist())
