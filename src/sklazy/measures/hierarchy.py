"""Attributes in a hierarchy: those whose value follows from another one's."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError

Mask = NDArray[np.bool_]


def find_ancestors(
    parents: Mapping[Hashable, Sequence[Hashable]], names: Sequence[Hashable]
) -> Mask:
    """All ancestors of each attribute.

    Parameters
    ----------
    parents : mapping of attribute to its parents
        By name, or by position.
    names : sequence
        Of all attributes.

    Returns
    -------
    bool array of shape (n_attributes, n_attributes)
        Whether the attribute of the column is an ancestor of that of the row.

    Examples
    --------
    >>> find_ancestors({"dog": ["mammal"], "mammal": ["animal"]},
    ...                ["animal", "dog", "mammal"]).astype(int)
    array([[0, 0, 0],
           [1, 0, 1],
           [1, 0, 0]])
    """
    places = {name: i for i, name in enumerate(names)}
    reached = np.zeros((len(names), len(names)), np.float32)
    for child, its_parents in parents.items():
        for parent in its_parents:
            reached[_place(child, places), _place(parent, places)] = 1
    while True:
        farther = np.minimum(reached + reached @ reached, 1)
        if np.array_equal(farther, reached):
            break
        reached = farther
    ancestors = reached > 0
    if ancestors.diagonal().any():
        name = names[int(ancestors.diagonal().argmax())]
        raise BadInputError(
            f"hierarchy has a cycle: {name!r} is an ancestor of itself; expected "
            "parents that are more general than their children."
        )
    return ancestors


def _place(name: Hashable, places: Mapping[Hashable, int]) -> int:
    if name in places:
        return places[name]
    if isinstance(name, int | np.integer) and 0 <= name < len(places):
        return int(name)
    raise BadInputError(
        f"hierarchy names {name!r}, which is not a column; expected names among "
        f"{list(places)[:5]}..., or positions of columns."
    )


def find_redundant(states: NDArray[np.int8], ancestors: Mask) -> Mask:
    """Which attributes of each query follow from others of it.

    An attribute that is present implies its ancestors, one that is absent implies that
    its descendants are absent: these say nothing new. What contradicts the hierarchy is
    not implied, and stays.

    Parameters
    ----------
    states : int8 array of shape (n_queries, n_attributes)
        1 present, 0 absent, -1 not known.
    ancestors : bool array of shape (n_attributes, n_attributes)

    References
    ----------
    C. Wan, A. A. Freitas: An empirical evaluation of hierarchical feature selection
    methods for classification in bioinformatics datasets with gene ontology-based
    features. Artificial Intelligence Review 50, 2018.

    Examples
    --------
    >>> ancestors = find_ancestors({1: [0], 2: [1]}, [0, 1, 2])  # 2 below 1 below 0
    >>> find_redundant(np.array([[1, 1, 0], [1, 1, 1], [0, 0, 0]], np.int8), ancestors)
    array([[ True, False, False],
           [ True,  True, False],
           [False,  True,  True]])
    """
    present, absent = states == 1, states == 0
    up = ancestors.astype(np.float32)
    implied = present.astype(np.float32) @ up > 0
    denied = absent.astype(np.float32) @ up.T > 0
    return np.asarray((present & implied) | (absent & denied))
