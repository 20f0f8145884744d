"""Bags as integer weights, from a generator that has no state but a counter.

Word t of the stream of a seed is ``mix64(seed + (t + 1) * STEP)`` (splitmix64 of
Steele, Lea, Flood 2014): any word can be had without the ones before it, so that an
answer depends on nothing but its own seed.
"""

import numpy as np

from sklazy.kernels.compiling import entry, lean_kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)


@lean_kernel
def mix64(z):
    """Scatter 64 bits; a bijection."""
    z = (z ^ (z >> _30)) * _FACTOR_1
    z = (z ^ (z >> _27)) * _FACTOR_2
    return z ^ (z >> _31)


@lean_kernel
def word64(seed, number):
    """Word `number` (from 0) of a seed's stream."""
    return mix64(seed + (np.uint64(number) + _ONE) * STEP)


@lean_kernel
def path_key(key, attribute, branch):
    """The key of a node's child: random choices there depend on the way alone."""
    place = (np.uint64(attribute) << _32) | np.uint64(branch)
    return mix64((key ^ place) + STEP)


@lean_kernel
def shuffle_attributes(key, order):
    """Fill `order` with 0..d-1, shuffled by the words of `key`."""
    n = order.size
    for i in range(n):
        order[i] = i
    for i in range(n):
        span = (word64(key, i) >> _32) * np.uint64(n - i)
        k = i + np.int64(span >> _32)
        order[i], order[k] = order[k], order[i]


@lean_kernel
def draw_from_all(seed, n_draws, weights):
    """Add `n_draws` draws from all rows, two per word; return the words used."""
    n_rows = np.uint64(weights.size)
    z = seed
    for _ in range(n_draws >> 1):
        z += STEP
        word = mix64(z)
        weights[((word >> _32) * n_rows) >> _32] += 1
        weights[((word & _LOW) * n_rows) >> _32] += 1
    if n_draws & 1:
        weights[((mix64(z + STEP) >> _32) * n_rows) >> _32] += 1
    return (n_draws + 1) >> 1


@lean_kernel
def draw_places(seed, first_word, counts):
    """Count as many draws from 0..K-1 as there are counts, two per word."""
    n_places = np.uint64(counts.size)
    z = seed + np.uint64(first_word) * STEP
    for _ in range(counts.size >> 1):
        z += STEP
        word = mix64(z)
        counts[((word >> _32) * n_places) >> _32] += 1
        counts[((word & _LOW) * n_places) >> _32] += 1
    if counts.size & 1:
        counts[((mix64(z + STEP) >> _32) * n_places) >> _32] += 1


@lean_kernel
def draw_from_near(seed, first_word, neighbors, weights):
    """Add as many draws from the neighbors as there are neighbors."""
    n_near = np.uint64(neighbors.size)
    z = seed + np.uint64(first_word) * STEP
    for _ in range(neighbors.size >> 1):
        z += STEP
        word = mix64(z)
        weights[neighbors[((word >> _32) * n_near) >> _32]] += 1
        weights[neighbors[((word & _LOW) * n_near) >> _32]] += 1
    if neighbors.size & 1:
        weights[neighbors[((mix64(z + STEP) >> _32) * n_near) >> _32]] += 1


@lean_kernel
def draw_bag(seed, shared_seed, neighbors, weights):
    """Fill `weights` with the bag of a seed: N-K draws from all, K from near.

    `shared_seed` draws the first part; it is `seed` unless bags share that part.
    """
    draw_some(seed, shared_seed, neighbors, weights.size, weights)


@lean_kernel
def draw_some(seed, shared_seed, neighbors, max_draws, weights):
    """Fill `weights` with a bag of at most `max_draws`, all but K from all rows."""
    for row in range(weights.size):
        weights[row] = 0
    n_draws = max(min(weights.size, max_draws) - neighbors.size, 0)
    n_words = draw_from_all(shared_seed, n_draws, weights)
    draw_from_near(seed, n_words, neighbors, weights)


@lean_kernel
def repeats_bag(neighbors, seeds, query, b):
    """Whether a bag of a query is the same as that of the query before."""
    if query == 0:
        return False
    same = seeds[0, query, b] == seeds[0, query - 1, b]
    same &= seeds[1, query, b] == seeds[1, query - 1, b]
    for place in range(neighbors.shape[1]):
        same &= neighbors[query, place] == neighbors[query - 1, place]
    return same


@entry
def bag_weights(seeds, shared_seeds, neighbors, max_draws, n_rows):
    """The bags of one query as weights of the training rows.

    Parameters
    ----------
    seeds, shared_seeds : uint64 arrays of shape (n_bags,)
        The bags' own seeds, and those of the part drawn from all rows (the same,
        unless bags share that part).
    neighbors : int32 array of shape (n_neighbors,)
    max_draws : int
    n_rows : int

    Returns
    -------
    int32 array of shape (n_bags, n_rows)
        Each row sums to `n_rows`, or to `max_draws`.
    """
    weights = np.empty((seeds.size, n_rows), np.int32)
    for bag in range(seeds.size):
        draw_some(seeds[bag], shared_seeds[bag], neighbors, max_draws, weights[bag])
    return weights


@entry
def query_seeds(cells, random_state):
    """One seed per query, from the 64-bit words of its cells.

    Parameters
    ----------
    cells : uint64 array of shape (n_queries, n_cells)
    random_state : uint64

    Returns
    -------
    uint64 array of shape (n_queries,)
    """
    seeds = np.empty(cells.shape[0], np.uint64)
    for query in range(cells.shape[0]):
        seed = mix64(random_state + STEP)
        for cell in cells[query]:
            seed = mix64((seed ^ cell) + STEP)
        seeds[query] = seed
    return seeds


@entry
def bag_seeds(seeds, n_bags):
    """The seeds of each query's bags: the first words of the query's own stream.

    Parameters
    ----------
    seeds : uint64 array of shape (n_queries,)
    n_bags : int

    Returns
    -------
    uint64 array of shape (n_queries, n_bags)
    """
    result = np.empty((seeds.size, n_bags), np.uint64)
    for query in range(seeds.size):
        for bag in range(n_bags):
            result[query, bag] = word64(seeds[query], bag)
    return result
