"""Sets of attributes as bit masks, and their neighbors: one more, less, or another.

Bit j of an int stands for attribute j.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence

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


def read_mask(subset: ArrayLike, n_attributes: int) -> int:
    """Return a set given as booleans, one per attribute, or as column numbers."""
    array = np.asarray(subset)
    if array.dtype == bool and array.shape == (n_attributes,):
        return mask_of(np.flatnonzero(array).tolist())
    numbers = array.ravel()
    whole = numbers.dtype.kind in "iu" and numbers.size > 0
    if not whole or numbers.min() < 0 or numbers.max() >= n_attributes:
        raise BadInputError(
            f"start has {subset!r}; expected a set of the {n_attributes} attributes: "
            "column numbers, or one boolean per attribute."
        )
    return mask_of(numbers.tolist())


class SetNeighborhood:
    """Draws neighbors of attribute sets in portions, each neighbor of a set once.

    Sets with one attribute more or less come first; when those of all winners have
    been drawn, the best one's sets with one attribute exchanged.

    Parameters
    ----------
    weights : float64 array of shape (n_attributes,)
        Where there are more neighbors than `max_new`, they are drawn with
        probabilities in proportion to the weight of the attribute added; all that
        drop an attribute have the largest weight.
    max_new : int
        The largest portion.
    rng : numpy Generator
    """

    def __init__(
        self, weights: NDArray[np.float64], max_new: int, rng: np.random.Generator
    ) -> None:
        self.weights, self.max_new, self.rng = weights, max_new, rng
        self._flips: dict[int, dict[int, None]] = {}
        self._swaps: dict[int, Iterator[int]] = {}

    def draw(self, winners: Sequence[int]) -> list[int]:
        """Return new neighbors of the winners (best first); none if all were drawn."""
        waiting = [(w, j) for w in winners for j in self._unused_flips(w)]
        if not waiting:
            return self._some_swaps(winners[0])
        drawn: dict[int, None] = {}
        for i in self._draw_places(waiting):
            winner, attribute = waiting[i]
            del self._flips[winner][attribute]
            drawn[winner ^ (1 << attribute)] = None
        return [mask for mask in drawn if mask and mask not in winners]

    def around(self, mask: int) -> list[int]:
        """Return the sets with one attribute less, and those with a heavy one more."""
        inside = members(mask)
        order = np.argsort(-self.weights, kind="stable").tolist()
        outside = [j for j in order if not mask >> j & 1][: self.max_new]
        flips = [mask ^ (1 << j) for j in (*inside, *outside)]
        return [flip for flip in flips if flip]

    def _draw_places(self, waiting: list[tuple[int, int]]) -> list[int]:
        if len(waiting) <= self.max_new:
            return list(range(len(waiting)))
        drops = np.array([winner >> j & 1 for winner, j in waiting], dtype=bool)
        attributes = np.array([j for _, j in waiting])
        weights = np.where(drops, self.weights.max(), self.weights[attributes])
        drawn = self.rng.choice(
            len(waiting), self.max_new, replace=False, p=weights / weights.sum()
        )
        return sorted(drawn.tolist())

    def _unused_flips(self, mask: int) -> dict[int, None]:
        if mask not in self._flips:
            self._flips[mask] = dict.fromkeys(range(len(self.weights)))
        return self._flips[mask]

    def _some_swaps(self, mask: int) -> list[int]:
        if mask not in self._swaps:
            self._swaps[mask] = self._exchange(mask)
        swaps = []
        for swapped in self._swaps[mask]:
            swaps.append(swapped)
            if len(swaps) == self.max_new:
                break
        return swaps

    def _exchange(self, mask: int) -> Iterator[int]:
        """Yield the sets with one attribute exchanged, in a random order."""
        inside = members(mask)
        outside = [j for j in range(len(self.weights)) if not mask >> j & 1]
        for pair in self.rng.permutation(len(inside) * len(outside)):
            dropped, added = divmod(int(pair), len(outside))
            yield mask ^ (1 << inside[dropped]) ^ (1 << outside[added])
