"""Whole decision trees, of which a path answers one query.

A column is a list with None for a missing cell: floats (numeric) or codes (nominal);
`values[j]` is the number of categories, None for a numeric column.
"""

import itertools
import math

from oracle.bags import attribute_order, path_key

ALIKE = 1e-6  # C4.5 as in J48: weights and gains this close count as equal
SLACK = 1e-3  # "at least average gain" is meant up to this

TREE_RULES = {
    "min_weight": 2.0,  # two branches must hold at least this
    "min_share": True,  # numeric: a side holds 10 % of the mean class, at most 25
    "correct": True,  # numeric: the gain pays log2(candidate cuts) / weight
    "chance": False,  # nominal: the gain pays what so many branches gain by chance
    "at_values": True,  # a cut moves down to the next value that the bag holds
    "inspect": 0,  # attributes looked at in a node, drawn at random; 0: all
}


def xlog2x(x):
    return x * math.log2(x) if x > 1e-9 else 0.0


def class_weights_of(rows, classes, n_classes):
    sums = [0.0] * n_classes
    for row, weight in rows:
        sums[classes[row]] += weight
    return sums


def information(weights):
    """The entropy of weights, times their sum."""
    return xlog2x(sum(weights)) - sum(xlog2x(w) for w in weights)


def branches_of(rows, column, cut, n_values):
    """The known rows of each branch; numeric columns have two."""
    parts = [[] for _ in range(2 if cut is not None else n_values)]
    for row, weight in rows:
        cell = column[row]
        if cell is not None:
            parts[int(cell > cut) if cut is not None else cell].append((row, weight))
    return parts


def gain_of(parts, total, classes, n_classes):
    """Information gain and split information, both in bits a unit of weight."""
    tables = [class_weights_of(part, classes, n_classes) for part in parts]
    known = [sum(column) for column in zip(*tables, strict=True)]
    gain = information(known) - sum(information(table) for table in tables)
    sizes = [sum(table) for table in tables]
    missing = total - sum(sizes)
    split = xlog2x(total) - sum(xlog2x(size) for size in sizes) - xlog2x(missing)
    return gain / total, split / total


def numeric_split(rows, column, classes, n_classes, rules):
    """The best cut of a numeric column: gain, split information, (left, right)."""
    total = sum(weight for _, weight in rows)
    known = sum(weight for row, weight in rows if column[row] is not None)
    least = rules["min_weight"]
    if rules["min_share"]:
        least = max(least, min(25.0, 0.1 * known / n_classes))
    present = sorted({column[row] for row, _ in rows if column[row] is not None})
    best, n_candidates = (0.0, 0.0, None), 0
    for left, right in itertools.pairwise(present):
        parts = branches_of(rows, column, left, None)
        sizes = [sum(weight for _, weight in part) for part in parts]
        if min(sizes) < least - ALIKE:
            continue
        n_candidates += 1
        gain, split = gain_of(parts, total, classes, n_classes)
        if gain > best[0] + ALIKE:
            best = gain, split, (left, right)
    gain, split, pair = best
    if pair is not None and rules["correct"]:
        gain -= math.log2(n_candidates) / total
    return (gain, split, pair) if pair is not None and gain > ALIKE else None


def nominal_split(rows, column, n_values, classes, n_classes, rules):
    parts = branches_of(rows, column, None, n_values)
    sizes = [sum(weight for _, weight in part) for part in parts]
    if sum(size >= rules["min_weight"] - ALIKE for size in sizes) < 2:
        return None
    total = sum(weight for _, weight in rows)
    gain, split = gain_of(parts, total, classes, n_classes)
    if rules["chance"]:
        known = [item for part in parts for item in part]
        before = information(class_weights_of(known, classes, n_classes)) / total
        gain = max(
            0.0, gain - 2 * (sum(size > 0 for size in sizes) - 1) / total * before
        )
    return gain, split, None


def best_split(rows, columns, values, classes, n_classes, rules, key, n_weights):
    """The attribute with the best gain ratio among those of at least average gain."""
    found = {}
    order = attribute_order(key, len(columns), rules["inspect"])
    for looked_at, j in enumerate(order):
        gainful = any(gain > ALIKE for gain, _, _ in found.values())
        if looked_at >= (rules["inspect"] or len(columns)) and gainful:
            break
        if values[j] is None:
            split = numeric_split(rows, columns[j], classes, n_classes, rules)
        else:
            split = nominal_split(
                rows, columns[j], values[j], classes, n_classes, rules
            )
        if split is not None:
            found[j] = split
    # Attributes with very many values do not count in the average, unless all have.
    many = [v is not None and v >= 0.3 * n_weights - ALIKE for v in values]
    counted = [found[j][0] for j in sorted(found) if all(many) or not many[j]]
    if not counted:
        return None
    average = sum(counted) / len(counted)
    chosen, best = None, 0.0
    for j in sorted(found):
        gain, split, _ = found[j]
        ratio = gain / split if split > ALIKE else 0.0
        if gain >= average - SLACK and ratio > best + ALIKE:
            chosen, best = j, ratio
    return None if chosen is None else (chosen, found[chosen][2])


def grow_tree(columns, values, classes, n_classes, weights, rules, key=0):
    """Grow the whole unpruned tree on weighted rows."""
    bag = [(row, float(w)) for row, w in enumerate(weights) if w > 0]
    n_weights = sum(weight for _, weight in bag)
    table = columns, values, classes, n_classes
    return _grow_node(bag, table, rules, key, bag, n_weights)


def _grow_node(rows, table, rules, key, bag, n_weights):
    columns, values, classes, n_classes = table
    sums = class_weights_of(rows, classes, n_classes)
    node = {"weights": sums, "attribute": None}
    total = sum(sums)
    if total < 2 * rules["min_weight"] - ALIKE or total - max(sums) <= ALIKE:
        return node
    split = best_split(rows, *table, rules, key, n_weights)
    if split is None:
        return node
    j, pair = split
    cut = None if pair is None else place_cut(pair, columns[j], bag, rules)
    parts = branches_of(rows, columns[j], cut, values[j])
    sizes = [sum(weight for _, weight in part) for part in parts]
    shares = [size / sum(sizes) for size in sizes]
    missing = [(row, weight) for row, weight in rows if columns[j][row] is None]
    sons = []
    for branch, (part, share) in enumerate(zip(parts, shares, strict=True)):
        if not part:
            sons.append(None)
            continue
        spread = [(row, weight * share) for row, weight in missing]
        child = sorted(part + spread)
        child_key = path_key(key, j, branch)
        sons.append(_grow_node(child, table, rules, child_key, bag, n_weights))
    node.update(attribute=j, cut=cut, shares=shares, sons=sons)
    return node


def place_cut(pair, column, bag, rules):
    """Midway between two values, or at the greatest value of the bag below that."""
    left, right = pair
    middle = 0.5 * left + 0.5 * right
    middle = left if middle == right else middle
    if not rules["at_values"]:
        return middle
    cells = [column[row] for row, _ in bag if column[row] is not None]
    return max(cell for cell in cells if cell <= middle)


def tree_answer(node, query, n_classes):
    """Class probabilities; a query without the value goes every way by its share."""
    own = [w / sum(node["weights"]) for w in node["weights"]]
    if node["attribute"] is None:
        return own
    cell = query[node["attribute"]]
    if cell is None:
        answer = [0.0] * n_classes
        for son, share in zip(node["sons"], node["shares"], strict=True):
            if son is not None:
                part = tree_answer(son, query, n_classes)
                answer = [a + share * p for a, p in zip(answer, part, strict=True)]
        return answer
    branch = int(cell > node["cut"]) if node["cut"] is not None else cell
    known = 0 <= branch < len(node["sons"])
    son = node["sons"][branch] if known else None
    return own if son is None else tree_answer(son, query, n_classes)


def collapse_tree(node):
    """Make a leaf of every node whose tree errs as often: J48 does it even with -U."""

    def wrong(weights):
        return sum(weights) - max(weights)

    def errors(node):
        if node["attribute"] is None:
            return wrong(node["weights"])
        return sum(errors(son) for son in node["sons"] if son is not None)

    if node["attribute"] is None:
        return node
    if errors(node) >= wrong(node["weights"]) - 1e-3:
        return {"weights": node["weights"], "attribute": None}
    sons = [None if son is None else collapse_tree(son) for son in node["sons"]]
    return {**node, "sons": sons}
