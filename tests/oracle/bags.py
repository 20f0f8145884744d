"""Random words, bags and the neighbors put into them."""

import math
import struct

MASK64 = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def mix64(z):
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def word64(seed, number):
    """Number `number` (0, 1, ...) of the stream that belongs to a seed."""
    return mix64((seed + (number + 1) * STEP) & MASK64)


def path_key(key, attribute, branch):
    return mix64(((key ^ (attribute << 32 | branch)) + STEP) & MASK64)


def attribute_order(key, n_attributes, inspect):
    """The order in which a node looks at the attributes: a shuffle, or as they are."""
    order = list(range(n_attributes))
    if inspect:
        for i in range(n_attributes):
            k = i + ((word64(key, i) >> 32) * (n_attributes - i) >> 32)
            order[i], order[k] = order[k], order[i]
    return order


def bag_weights(seed, n_rows, neighbors, max_draws=None):
    """N-K draws from all rows and K from the neighbors, two draws a word.

    At most so many draws, unless all K from the neighbors are more.
    """
    weights = [0] * n_rows
    n_near = len(neighbors)

    def draw(first_word, t, n):
        word = word64(seed, first_word + t // 2)
        return (((word >> 32) if t % 2 == 0 else word & 0xFFFFFFFF) * n) >> 32

    n_draws = n_rows if max_draws is None else min(n_rows, max_draws)
    n_plain = max(n_draws - n_near, 0)
    for t in range(n_plain):
        weights[draw(0, t, n_rows)] += 1
    first_word = (n_plain + 1) // 2
    for t in range(n_near):
        weights[neighbors[draw(first_word, t, n_near)]] += 1
    return weights


def query_seed(cells, random_state):
    """A seed from the content of the query: 64 bits a cell."""
    seed = mix64((random_state + STEP) & MASK64)
    for cell in cells:
        seed = mix64(((seed ^ cell) + STEP) & MASK64)
    return seed


def beta_neighbors(n_rows, beta):
    """K/N <= (1 - beta) log_4 N, at least one and at most all rows."""
    share = (1 - beta) * math.log(n_rows) / math.log(4)
    return min(n_rows, max(1, math.floor(n_rows * share + 1e-9)))


def content_words(query, sizes):
    """64 bits a cell: those of a number, or the code; missing codes are -1."""
    words = []
    for cell, size in zip(query, sizes, strict=True):
        if size is None:
            number = math.nan if cell is None else cell + 0.0
            words.append(struct.unpack("<Q", struct.pack("<d", number))[0])
        else:
            words.append((-1 if cell is None else cell) & MASK64)
    return words
