"""Whole regression trees; columns are as in `oracle.paths`."""

import itertools

from oracle.bags import attribute_order, path_key
from oracle.paths import ALIKE, branches_of


def squares_of(rows, targets):
    """Weight, mean and sum of squares of weighted rows."""
    total = sum(weight for _, weight in rows)
    if len({targets[row] for row, _ in rows}) == 1:
        return total, targets[rows[0][0]], 0.0
    mean = sum(weight * targets[row] for row, weight in rows) / total
    return total, mean, sum(w * (targets[r] - mean) ** 2 for r, w in rows)


def reduction_of(parts, targets):
    """What a split takes from the sum of squares of the rows whose value is known."""
    known = [item for part in parts for item in part]
    within = sum(squares_of(part, targets)[2] for part in parts if part)
    return squares_of(known, targets)[2] - within


def reducing_split(rows, column, n_values, targets, least, tie, price):
    """The best split of a column as (reduction, cut), None if there is none."""
    if n_values is not None:
        parts = branches_of(rows, column, None, n_values)
        sizes = [sum(weight for _, weight in part) for part in parts]
        if sum(size >= least for size in sizes) < 2:
            return None
        n_branches = sum(size > 0 for size in sizes)
        return reduction_of(parts, targets) - (n_branches - 1) * price, None
    best, cut = 0.0, None
    present = sorted({column[row] for row, _ in rows if column[row] is not None})
    for left, right in itertools.pairwise(present):
        parts = branches_of(rows, column, left, None)
        worth = reduction_of(parts, targets)
        small = min(sum(weight for _, weight in part) for part in parts)
        if small >= least and worth > best + tie:
            middle = 0.5 * left + 0.5 * right
            best, cut = worth, left if middle == right else middle
    return None if cut is None else (best, cut)


def grow_regression_tree(columns, values, targets, weights, rules, key=0):
    """Grow the whole unpruned regression tree on weighted rows."""
    bag = [(row, float(w)) for row, w in enumerate(weights) if w > 0]
    return _grow_mean(bag, columns, values, targets, rules, key)


def _grow_mean(rows, columns, values, targets, rules, key):
    total, mean, squares = squares_of(rows, targets)
    node = {"mean": mean, "weights": [total], "attribute": None}
    if total < 2 * rules["min_weight"] - ALIKE or squares == 0.0:
        return node
    j, cut = best_reduction(rows, columns, values, targets, rules, key, squares)
    if j is None:
        return node
    parts = branches_of(rows, columns[j], cut, values[j])
    sizes = [sum(weight for _, weight in part) for part in parts]
    shares = [size / sum(sizes) for size in sizes]
    missing = [(row, weight) for row, weight in rows if columns[j][row] is None]
    sons = []
    for branch, (part, share) in enumerate(zip(parts, shares, strict=True)):
        spread = [(row, weight * share) for row, weight in missing]
        son_key = path_key(key, j, branch)
        son = sorted(part + spread)
        sons.append(
            _grow_mean(son, columns, values, targets, rules, son_key) if part else None
        )
    node.update(attribute=j, cut=cut, shares=shares, sons=sons)
    return node


def best_reduction(rows, columns, values, targets, rules, key, squares):
    """The attribute that takes most from the squares, and its cut; None if none."""
    least, tie = rules["min_weight"] - ALIKE, ALIKE * squares
    found, order = {}, attribute_order(key, len(columns), rules["inspect"])
    price = 2 * squares / sum(w for _, w in rows) if rules.get("chance") else 0.0
    for looked_at, j in enumerate(order):
        gainful = any(worth > tie for worth, _ in found.values())
        if looked_at >= (rules["inspect"] or len(columns)) and gainful:
            break
        given = rows, columns[j], values[j], targets
        split = reducing_split(*given, least, tie, price)
        if split is not None:
            found[j] = split
    chosen, best = None, 0.0
    for j in sorted(found):
        if found[j][0] > best + tie:
            chosen, best = j, found[j][0]
    return chosen, None if chosen is None else found[chosen][1]


def regression_tree_answer(node, query):
    """A number; a query without the value goes every way by its share."""
    if node["attribute"] is None:
        return node["mean"]
    cell = query[node["attribute"]]
    if cell is None:
        return sum(
            share * regression_tree_answer(son, query)
            for son, share in zip(node["sons"], node["shares"], strict=True)
            if son is not None
        )
    branch = int(cell > node["cut"]) if node["cut"] is not None else cell
    son = node["sons"][branch] if 0 <= branch < len(node["sons"]) else None
    return node["mean"] if son is None else regression_tree_answer(son, query)
