"""Random paths: the way of one query through a tree whose splits are drawn."""

import math

from oracle.bags import (
    attribute_order,
    bag_weights,
    content_words,
    path_key,
    query_seed,
    word64,
)
from oracle.path_means import squares_of
from oracle.paths import ALIKE, class_weights_of, information

OWN_DRAWS = 2  # in the place of a branch: the key of an attribute's own draws


def unit(key, number):
    """A number of [0, 1) from the 53 highest bits of a word."""
    return (word64(key, number) >> 11) / 2**53


def weight_of(rows):
    return sum(weight for _, weight in rows)


def draw_sides(rows, column, size, own):
    """The cut, or None, and the side of every row, None where it is yet to be drawn.

    None alone if the rows do not differ.
    """
    cells = {row: column[row] for row, _ in rows}
    if size is None:
        known = sorted({cell for cell in cells.values() if cell is not None})
        if len(known) < 2:
            return None
        part = unit(own, 0)
        cut = known[0] * (1 - part) + known[-1] * part
        cut = cut if known[0] <= cut < known[-1] else known[0]
        return cut, {r: None if c is None else int(c > cut) for r, c in cells.items()}
    # Missing cells are a category of their own, before the others.
    places = {row: 0 if cell is None else cell + 1 for row, cell in cells.items()}
    present = sorted(set(places.values()))
    if len(present) < 2:
        return None
    n_words, number = size // 64 + 1, 0
    while True:
        first = 2 + number * n_words
        bits = {p: word64(own, first + p // 64) >> (p % 64) & 1 for p in present}
        if len(set(bits.values())) == 2:
            lowest = bits[present[0]]
            return None, {row: bits[p] ^ lowest for row, p in places.items()}
        number += 1


def settle_missing(rows, sides, own):
    """Put what has no side on one that is drawn by the weights; return it, too."""
    known = weight_of([item for item in rows if sides[item[0]] is not None])
    above = weight_of([item for item in rows if sides[item[0]] == 1])
    lot = int(unit(own, 1) * known < above)
    return {row: lot if side is None else side for row, side in sides.items()}, lot


def disorder_of(rows, outcomes, n_classes):
    """What a split reduces: the information of classes, or a sum of squares."""
    if n_classes is None:
        return squares_of(rows, outcomes)[2]
    return information(class_weights_of(rows, outcomes, n_classes))


def best_drawn(rows, columns, sizes, outcomes, n_classes, n_tried, key):
    """The split of largest gain among those tried; None if no attribute splits."""
    before = disorder_of(rows, outcomes, n_classes)
    slack = ALIKE * (before if n_classes is None else weight_of(rows))
    best, worth, tried = None, None, 0
    for j in attribute_order(key, len(columns), True):
        if tried == n_tried:
            break
        own = path_key(key, j, OWN_DRAWS)
        drawn = draw_sides(rows, columns[j], sizes[j], own)
        if drawn is None:
            continue
        tried += 1
        sides, lot = settle_missing(rows, drawn[1], own)
        parts = [[item for item in rows if sides[item[0]] == side] for side in (0, 1)]
        gain = before - sum(disorder_of(part, outcomes, n_classes) for part in parts)
        if best is None or gain > worth + slack:
            best, worth = (j, drawn[0], sides, lot, gain), gain
    return best


def random_path(
    columns, sizes, outcomes, n_classes, weights, n_tried, key, query, without=None
):
    """The leaf's class shares or mean, and the steps on the way.

    `n_classes` is None where the outcomes are numbers.
    """
    given = columns, sizes, outcomes, n_classes, weights, n_tried, key, query, without
    rows, steps = random_way(*given)
    if n_classes is None:
        return squares_of(rows, outcomes)[1], steps
    totals = class_weights_of(rows, outcomes, n_classes)
    return [weight / sum(totals) for weight in totals], steps


def random_way(
    columns, sizes, outcomes, n_classes, weights, n_tried, key, query, without=None
):
    """The rows of the leaf, (row, weight), and the steps on the way."""
    rows = [(row, w) for row, w in enumerate(weights) if w > 0 and row != without]
    steps = []
    while len({outcomes[row] for row, _ in rows}) > 1:
        found = best_drawn(rows, columns, sizes, outcomes, n_classes, n_tried, key)
        if found is None:
            break
        j, cut, sides, lot, gain = found
        cell = query[j]
        alike = [row for row, _ in rows if columns[j][row] == cell]
        if sizes[j] is None and cell is not None:
            side, by_lot = int(cell > cut), False
        elif sizes[j] is not None and alike:
            side, by_lot = sides[alike[0]], False
        else:
            side, by_lot = lot, True
        total, kept = weight_of(rows), [item for item in rows if sides[item[0]] == side]
        categories = {columns[j][row] for row, _ in kept} if sizes[j] else set()
        codes = sorted(-1 if c is None else c for c in categories)
        cut = math.nan if cut is None else cut
        steps.append((j, side, cut, total, gain, by_lot, codes))
        rows, key = kept, path_key(key, j, side)
    return rows, steps


def random_path_changes(
    columns, sizes, outcomes, n_classes, weights, n_tried, key, query
):
    """What the splits by each attribute change the output of the node by."""

    def output(rows):
        if n_classes is None:
            return [squares_of(rows, outcomes)[1]]
        totals = class_weights_of(rows, outcomes, n_classes)
        return [weight / sum(totals) for weight in totals]

    found = columns, sizes, outcomes, n_classes, weights, n_tried, key, query
    _, steps = random_way(*found)
    rows = [(row, w) for row, w in enumerate(weights) if w > 0]
    changes = [[0.0] * (n_classes or 1) for _ in columns]
    for j, side, _, _, _, _, categories in steps:
        if sizes[j] is None:
            # Missing cells follow the drawn side, which the step alone does not tell.
            own = path_key(key, j, OWN_DRAWS)
            sides = settle_missing(
                rows, draw_sides(rows, columns[j], None, own)[1], own
            )
            kept = [item for item in rows if sides[0][item[0]] == side]
        else:
            codes = {-1 if columns[j][r] is None else columns[j][r]: r for r, _ in rows}
            assert set(categories) <= set(codes)
            kept = [
                item
                for item in rows
                if (-1 if columns[j][item[0]] is None else columns[j][item[0]])
                in categories
            ]
        before, after = output(rows), output(kept)
        for c, (a, b) in enumerate(zip(after, before, strict=True)):
            changes[j][c] += a - b
        rows, key = kept, path_key(key, j, side)
    return changes


def path_gains(columns, sizes, classes, n_classes, n_paths, least_weight):
    """Nats that splits by each attribute gain a row, the mean over the rows' paths."""
    n_rows, sums = len(classes), [0.0] * len(columns)
    n_bags, n_tried = -(-n_paths // n_rows), math.isqrt(len(columns))
    for query in zip(*columns, strict=True):
        seed = query_seed(content_words(query, sizes), 0)
        for bag in range(n_bags):
            key = word64(seed, bag)
            weights = bag_weights(key, n_rows, [])
            data = columns, sizes, classes, n_classes
            for j, _, _, weight, gain, _, _ in random_path(
                *data, weights, n_tried, key, query
            )[1]:
                if weight >= least_weight:
                    sums[j] += gain / weight
    return [math.log(2) * total / (n_rows * n_bags) for total in sums]
