"""Lazy attribute selection for numbers, from the cells to the mean, step by step."""

import math
from fractions import Fraction

_LEVELS = 2**20


def midranks(targets):
    """Twice the mean rank of each number, less n + 1: whole numbers about 0."""
    return [
        sum(other < own for other in targets) - sum(other > own for other in targets)
        for own in targets
    ]


def scores_of(targets, measure):
    """What targets count: their ranks, or themselves to a millionth of their range."""
    if measure == "rank_variance":
        return midranks(targets)
    low, high = min(targets), max(targets)
    if low == high:
        return [0] * len(targets)
    # Differences as floats have them, by halves where no float has the largest.
    halved = 1 if math.isfinite(high - low) else 2
    above = [Fraction(y / halved - low / halved) for y in targets]
    unit = Fraction(1)
    while max(above) * unit >= _LEVELS:
        unit /= 2
    while max(above) * unit < _LEVELS // 2:
        unit *= 2
    steps = [round(difference * unit) for difference in above]
    center = math.floor(Fraction(2 * sum(steps) + len(steps), 2 * len(steps)))
    return [step - center for step in steps]


def spread(scores):
    """The sum of squares about the mean."""
    if not scores:
        return Fraction(0)
    mean = Fraction(sum(scores), len(scores))
    return sum((score - mean) ** 2 for score in scores)


def best_cut(pairs):
    """Rows left of the cut that explains most, what it explains, the candidates."""
    found = []
    for place in range(1, len(pairs)):
        if pairs[place - 1][0] == pairs[place][0]:
            continue
        sides = [[s for _, s in pairs[:place]], [s for _, s in pairs[place:]]]
        whole = spread([s for _, s in pairs])
        found.append((whole - spread(sides[0]) - spread(sides[1]), place))
    if not found:
        return 0, 0, 0
    most = max(explained for explained, _ in found)
    if most == 0:
        return 0, 0, 0
    place = next(p for e, p in found if e * (1 + Fraction(1, 10**12)) >= most)
    return place, most, len(found)


def is_worth(n, n_left, n_candidates, whole, explained):
    """Whether a cut takes fewer nats than it saves."""
    saved = math.log(math.comb(n, n_left))
    rest = whole - explained
    if rest > whole / 10**12:
        saved = min(saved, (n - 3) / 2 * math.log(whole / rest))
    cost = math.log(2) + math.log(n_candidates) + math.log(n) / 2
    return saved > cost * (1 + 1e-9)


def cut_points(values, scores):
    """The cuts of a column by whole numbers, rising."""
    pairs = sorted(zip(values, scores, strict=True), key=lambda pair: pair[0])
    if not pairs:
        return []
    least = spread(scores) / len(scores)

    def divide(part):
        if len(part) < 4:
            return []
        place, explained, n_candidates = best_cut(part)
        whole = spread([score for _, score in part])
        if place == 0 or explained < least:
            return []
        if not is_worth(len(part), place, n_candidates, whole, explained):
            return []
        low, high = part[place - 1][0], part[place][0]
        middle = low / 2 + high / 2 if math.isinf(low + high) else (low + high) / 2
        cut = middle if middle < high else low
        return [*divide(part[:place]), cut, *divide(part[place:])]

    return divide(pairs)


def discounted(scores, known):
    """Mean and mean square of a value with one of its rows spread like all."""
    n, n_known = len(scores), len(known)
    parts = [Fraction(sum(scores), n), Fraction(sum(s * s for s in scores), n)]
    wholes = [Fraction(sum(known), n_known)]
    wholes.append(Fraction(sum(s * s for s in known), n_known))
    return [
        ((n - 1) * part + whole) / n for part, whole in zip(parts, wholes, strict=True)
    ]


def variance(scores, known, discounts):
    """The variance of a value's scores, one row of it spread like all, or not."""
    if not discounts:
        return spread(scores) / len(scores)
    mean, square = discounted(scores, known)
    return square - mean**2


class LazyNumbers:
    """Lazy selection for numbers on a table of rows of float, str or None.

    `settings` as the estimator names them.
    """

    def __init__(self, rows, kinds, targets, settings):
        self.kinds, self.targets, self.settings = kinds, targets, settings
        self.columns = [[row[j] for row in rows] for j in range(len(kinds))]
        self.scores = scores_of(targets, settings["measure"])
        ranks = midranks(targets)
        self.domains = [self.find_domain(j, ranks) for j in range(len(kinds))]
        self.codes = [
            [self.code(j, cell) for cell in column]
            for j, column in enumerate(self.columns)
        ]

    def find_domain(self, j, ranks):
        known = [i for i, cell in enumerate(self.columns[j]) if cell is not None]
        cells = [self.columns[j][i] for i in known]
        if self.kinds[j] == "nominal":
            return sorted(set(cells))
        return cut_points(cells, [ranks[i] for i in known])

    def code(self, j, cell):
        if cell is None:
            return -1
        if self.kinds[j] == "numeric":
            return sum(cell > cut for cut in self.domains[j])
        return self.domains[j].index(cell) if cell in self.domains[j] else -2

    def figures(self, j, code, rows):
        """The lower of value's and attribute's figure, and the attribute's."""
        discounts = self.settings["discount_rare_values"]
        whole = spread([self.scores[i] for i in rows]) / len(rows)
        known = [i for i in rows if self.codes[j][i] >= 0]
        if not known:
            return math.inf, math.inf
        own = {}
        for value in {self.codes[j][i] for i in known}:
            scores = [self.scores[i] for i in known if self.codes[j][i] == value]
            everything = [self.scores[i] for i in known]
            own[value] = len(scores), variance(scores, everything, discounts)
        mean = sum(n * v for n, v in own.values()) / len(known)
        lowest = min(mean, own[code][1]) if code in own else mean
        if whole == 0:
            return 1.0, 1.0
        return round(float(lowest / whole), 12), round(float(mean / whole), 12)

    def order(self, query, rows):
        """All attributes, the most telling first."""
        codes = [self.code(j, cell) for j, cell in enumerate(query)]
        if self.settings["selection"] == "none":
            return list(range(len(codes)))
        keys = []
        for j, code in enumerate(codes):
            lazy, whole = self.figures(j, code, rows)
            first = whole if self.settings["selection"] == "eager" else lazy
            keys.append((first, whole, j))
        return [j for _, _, j in sorted(keys)]

    def squares(self, query, used, rows):
        """Squared distances of rows on some attributes."""
        if self.settings["discretize"]:
            codes = [self.code(j, cell) for j, cell in enumerate(query)]
            return {
                i: sum(codes[j] < 0 or self.codes[j][i] != codes[j] for j in used)
                for i in rows
            }
        return {
            i: sum(self.difference(j, query[j], i, rows) ** 2 for j in used)
            for i in rows
        }

    def difference(self, j, cell, row, rows):
        """HEOM: numbers by their range, labels equal or not, missing cells 1."""
        other = self.columns[j][row]
        if cell is None or other is None:
            return 1.0
        known = [self.columns[j][i] for i in rows if self.columns[j][i] is not None]
        if self.kinds[j] == "nominal" or max(known) == min(known):
            return float(cell != other)
        return (other - cell) / (max(known) - min(known))

    def mean(self, query, used, rows):
        """The mean of the nearest rows' targets on some attributes."""
        squares = self.squares(query, used, rows)
        k, order = self.settings["n_neighbors"], sorted(squares.values())
        last = order[min(k, len(order)) - 1]
        nearer = [i for i in rows if squares[i] < last]
        tied = [i for i in rows if squares[i] == last]
        share = 1.0
        if self.settings["ties"] == "share":
            share = min(1.0, (k - len(nearer)) / len(tied))
        total = weights = 0.0
        for i in [*nearer, *tied]:
            weight = 1.0 if i in nearer else share
            if self.settings["weights"] == "distance" and squares[i] != order[0]:
                weight *= math.sqrt(order[0]) / math.sqrt(squares[i])
            weights += weight
            total += weight * self.targets[i]
        return total / weights

    def predict(self, query, rows=None):
        rows = list(range(len(self.targets))) if rows is None else rows
        order, wanted = self.order(query, rows), self.settings["n_attributes"]
        n_all = len(order)
        if self.settings["selection"] == "none":
            return self.mean(query, order, rows)
        if wanted == "vote":
            means = [self.mean(query, order[:r], rows) for r in range(1, n_all + 1)]
            return sum(means) / n_all
        if wanted == "auto":
            wanted = self.best_count()
        if isinstance(wanted, float):
            wanted = min(n_all, max(1, math.floor(wanted * n_all + 0.5)))
        return self.mean(query, order[:wanted], rows)

    def best_count(self):
        """The number of attributes with the least squared error, each row left out."""
        everything, n_all = range(len(self.targets)), len(self.kinds)
        errors = [0.0] * n_all
        for i in everything if len(self.targets) > 1 else ():
            query = [column[i] for column in self.columns]
            others = [other for other in everything if other != i]
            order = self.order(query, others)
            for r in range(n_all):
                mean = self.mean(query, order[: r + 1], others)
                errors[r] += (mean - self.targets[i]) ** 2
        return errors.index(min(errors)) + 1
