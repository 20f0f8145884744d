"""The slow oracle: every method in its plainest form, from the papers' formulas.

Nothing here may import sklazy. Clarity over speed: plain loops, no tricks. Each
section has the twin of one room.
"""

import itertools
import math
import re
import struct
import warnings
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy import stats

# --- tables ---------------------------------------------------------------------------


def label(cell):
    """The plain scalar of a cell, None where it is missing."""
    if cell is None or cell != cell:
        return None
    if isinstance(cell, str | bool):
        return cell
    return int(cell) if cell == int(cell) else float(cell)


def encode(cells):
    """Codes (-1 missing) and categories: numbers by value, then strings."""
    labels = [label(cell) for cell in cells]
    known = [la for la in labels if la is not None]
    numbers = [la for la in known if not isinstance(la, str)]
    if not all(isinstance(la, bool) for la in numbers):
        numbers = [la + 0 for la in numbers]  # True is 1 beside other numbers
    strings = [la for la in known if isinstance(la, str)]
    categories = []
    for la in sorted(numbers) + sorted(strings):
        if la not in categories:
            categories.append(la)
    return [-1 if la is None else categories.index(la) for la in labels], categories


def recode(cells, categories):
    """The position of each label among the categories; -1 missing, -2 unseen."""
    codes = []
    for cell in cells:
        la = label(cell)
        if la is None:
            codes.append(-1)
        elif la in categories:
            codes.append(list(categories).index(la))
        else:
            codes.append(-2)
    return codes


DECIMAL = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII
)


def kind_of_texts(name, texts):
    """Whether a column of a text file is numeric or nominal, by the written rule."""
    if not all(DECIMAL.fullmatch(text) for text in texts):
        words = [text for text in texts if not DECIMAL.fullmatch(text)]
        infinite = all(re.fullmatch(r"[+-]*inf(inity)?", w, re.I) for w in words)
        return "numeric" if infinite else "nominal"
    words = re.split(r"[\W_]+", name) + re.findall(r"(?<=[a-z])I[dD]$", name)
    bare = [text.lstrip("+-") for text in texts]
    code = any(re.match("0[0-9]", digits) for digits in bare)
    long = any(digits.isdigit() and int(digits) > 2**53 for digits in bare)
    integers = bool(bare) and all(digits.isdigit() for digits in bare)
    is_id = "id" in [word.lower() for word in words] and integers
    return "nominal" if code or long or is_id else "numeric"


# --- cuts (MDL discretization) --------------------------------------------------------


def cut_points(values, classes, criterion="fayyad", better_encoding=False):
    """Cuts of a column, by recursion from the formulas, all comparisons exact."""
    rows = [(v, c) for v, c in zip(values, classes, strict=True) if not math.isnan(v)]
    return sorted(_cuts_of_part(rows, criterion, better_encoding))


def _cuts_of_part(rows, criterion, better_encoding):
    levels = sorted({value for value, _ in rows})
    if len(levels) < 2:
        return []
    best, least = None, _compactness([rows])
    for low, high in itertools.pairwise(levels):
        sides = [r for r in rows if r[0] <= low], [r for r in rows if r[0] >= high]
        # Entropy is least where the product of n_c^n_c / n^n is greatest.
        if _compactness(sides) > least:
            best, least = (low, high, *sides), _compactness(sides)
    if best is None:
        return []
    low, high, left, right = best
    n_candidates = len(levels) - 1 if better_encoding else len(rows) - 1
    accepts = {"fayyad": _fayyad_accepts, "kononenko": _kononenko_accepts}[criterion]
    if not accepts(rows, left, right, n_candidates):
        return []
    middle = (low + high) / 2
    if math.isinf(middle):
        middle = low / 2 + high / 2
    return [
        middle if middle < high else low,
        *_cuts_of_part(left, criterion, better_encoding),
        *_cuts_of_part(right, criterion, better_encoding),
    ]


def _class_counts(rows):
    return list(Counter(label for _, label in rows).values())


def _compactness(sides):
    """2 ** -(sum of n Ent), a fraction of whole numbers."""
    product = Fraction(1)
    for rows in sides:
        product *= Fraction(
            math.prod(n**n for n in _class_counts(rows)), len(rows) ** len(rows)
        )
    return product


def _exact_entropy(rows):
    shares = [Decimal(n) / len(rows) for n in _class_counts(rows)]
    return -sum(share * _log2(share) for share in shares)


def _log2(number):
    return Decimal(number).ln() / Decimal(2).ln()


def _fayyad_accepts(rows, left, right, n_candidates):
    with localcontext(prec=60):
        n, k = len(rows), len(_class_counts(rows))
        k1, k2 = len(_class_counts(left)), len(_class_counts(right))
        h, h1, h2 = _exact_entropy(rows), _exact_entropy(left), _exact_entropy(right)
        gain = h - len(left) * h1 / n - len(right) * h2 / n
        delta = _log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)
        return gain - (_log2(n_candidates) + delta) / n > Decimal("1e-40")


def _kononenko_accepts(rows, left, right, n_candidates):
    k = len(_class_counts(rows))

    def messages(part):  # how many there are: class counts, then orders of the classes
        orders = math.factorial(len(part))
        for n in _class_counts(part):
            orders //= math.factorial(n)
        return math.comb(len(part) + k - 1, k - 1) * orders

    return messages(rows) > n_candidates * messages(left) * messages(right)


# --- measures -------------------------------------------------------------------------


def entropy_of(counts):
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n > 0)


def gini_of(counts):
    total = sum(counts)
    return sum(n / total * (1 - n / total) for n in counts) if total else 0.0


def columns_of(rows):
    """Class counts over all values of an attribute."""
    return [sum(column) for column in zip(*rows, strict=True)]


def attribute_figure(rows, measure):
    """An attribute's figure by the textbook, lower is better; rows: its values."""
    total = sum(map(sum, rows))
    if total == 0:
        return math.inf
    given = sum(sum(row) / total * entropy_of(row) for row in rows)
    class_entropy = entropy_of(columns_of(rows))
    split = entropy_of([sum(row) for row in rows])
    gain, both = class_entropy - given, class_entropy + split
    return {
        "entropy": given,
        "gini": sum(sum(row) / total * gini_of(row) for row in rows),
        "information_gain": -gain,
        "gain_ratio": -gain / split if split > 0 else 0.0,
        "symmetric_uncertainty": -2 * gain / both if both > 0 else 0.0,
        "chi_square": -chi_square_of(rows),
    }[measure]


def chi_square_of(rows):
    """Pearson's statistic, from observed and expected counts."""
    columns, total, statistic = columns_of(rows), sum(map(sum, rows)), 0.0
    for row in rows:
        for observed, column in zip(row, columns, strict=True):
            expected = sum(row) * column / total
            if expected > 0:
                statistic += (observed - expected) ** 2 / expected
    return statistic


def value_figure(rows, value, measure):
    """The figure of one value of an attribute, lower is better."""
    row, columns, total = rows[value], columns_of(rows), sum(map(sum, rows))
    if sum(row) == 0:
        return math.inf
    parts = [
        (n / sum(row) - column / total) ** 2 / (column / total)
        for n, column in zip(row, columns, strict=True)
        if column > 0
    ]
    gain = entropy_of(columns) - entropy_of(row)
    split = entropy_of([sum(other) for other in rows])
    both = entropy_of(columns) + split
    return {
        "entropy": entropy_of(row),
        "gini": gini_of(row),
        "information_gain": -gain,
        "gain_ratio": -gain / split if split > 0 else 0.0,
        "symmetric_uncertainty": -2 * gain / both if both > 0 else 0.0,
        "chi_square": -total * sum(parts),
    }[measure]


def lazy_figure(rows, value, measure):
    return min(value_figure(rows, value, measure), attribute_figure(rows, measure))


def v_of_attribute(rows, weighted):
    """V(D, A_j) over the values that some row has."""
    rows = [row for row in rows if sum(row) > 0]
    total = sum(map(sum, rows))
    if total == 0:
        return 0.0
    own = attribute_figure(rows, "entropy")
    return sum(
        (sum(row) / total if weighted else 1 / len(rows)) * abs(own - entropy_of(row))
        for row in rows
    )


def cross_table(first, second, n_first, n_second, missing="omit"):
    """Counts of two coded columns, rows that miss one left out or dealt out."""
    pairs = list(zip(first, second, strict=True))
    both = [pair for pair in pairs if min(pair) >= 0]
    known_first = [a for a in first if a >= 0]
    known_second = [b for b in second if b >= 0]

    def share(items, item):
        return items.count(item) / len(items) if items else 0.0

    def cell(i, j):
        total = both.count((i, j))
        if missing == "spread":
            total += pairs.count((-1, j)) * share(known_first, i)
            total += pairs.count((i, -1)) * share(known_second, j)
            total += pairs.count((-1, -1)) * share(both, (i, j))
        return total

    return [[cell(i, j) for j in range(n_second)] for i in range(n_first)]


def cfs_merit(subset, columns, sizes, classes, n_classes, missing, zero_correlation):
    """``k mean(rc) / sqrt(k + k (k - 1) mean(ra))`` by symmetric uncertainty."""
    if not subset:
        return 0.0

    def correlation(i, other, n_other):
        table = cross_table(columns[i], other, sizes[i], n_other, missing)
        figure = attribute_figure(table, "symmetric_uncertainty")
        return 0.0 if math.isinf(figure) else -figure

    k = len(subset)
    with_class = [correlation(i, classes, n_classes) for i in subset]
    among = [
        correlation(i, columns[j], sizes[j]) for i in subset for j in subset if i < j
    ]
    among = [zero_correlation if c < 1e-6 else c for c in among]
    mean_among = sum(among) / len(among) if among else 0.0
    return k * (sum(with_class) / k) / math.sqrt(k + k * (k - 1) * mean_among)


def consistency(subset, columns, classes):
    """Share of rows that have the commonest class among rows with equal cells."""
    groups = {}
    for row, label in enumerate(classes):
        key = tuple(columns[j][row] for j in subset)
        groups.setdefault(key, []).append(label)
    agreeing = sum(max(map(g.count, set(g))) for g in groups.values())
    return agreeing / len(classes)


def best_first(merit, n_attributes, max_stale):
    """Weka's BestFirst, forward: at most `max_stale` sets wait, best first."""
    best, best_merit, stale = (), merit(()), 0
    waiting = [(best_merit, ())]
    while stale < max_stale and waiting:
        _, subset = waiting.pop(0)
        stale += 1
        for j in range(n_attributes):
            if j in subset:
                continue
            larger = tuple(sorted((*subset, j)))
            figure = merit(larger)
            waiting.append((figure, larger))
            waiting.sort(key=lambda entry: -entry[0])  # stable: first come, first
            del waiting[max_stale:]
            if figure - best_merit > 1e-5:
                best, best_merit, stale = larger, figure, 0
    return best, best_merit


def greedy(merit, n_attributes):
    best, best_merit = (), merit(())
    while True:
        found = None
        for j in set(range(n_attributes)) - set(best):
            larger = tuple(sorted((*best, j)))
            if merit(larger) > (found or (best_merit, ()))[0]:
                found = merit(larger), larger
        if found is None:
            return best, best_merit
        best_merit, best = found


# --- case base ------------------------------------------------------------------------


def cell(table, column, row):
    """A cell as a person writes it: a number, a label, or None."""
    found = table.columns[column]
    value = found.data[row]
    if found.kind == "numeric":
        return None if value != value else float(value)
    return None if value < 0 else found.categories[value]


def value_counts(cells, values, labels, classes):
    """How many rows have each value and each class."""
    return [
        [
            sum(c == value and l == name for c, l in zip(cells, labels, strict=True))
            for name in classes
        ]
        for value in values
    ]


def rows_of_values(codes, offsets):
    """For each (attribute, value) the list of its rows, and one of none."""
    members = [[] for _ in range(int(offsets[-1]) + 1)]
    for attribute in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            if codes[attribute, row] >= 0:
                members[offsets[attribute] + codes[attribute, row]].append(row)
    return members


def count_values(codes, offsets, classes, n_classes):
    """Class counts of each (attribute, value), as nested lists."""
    counts = [[0] * n_classes for _ in range(int(offsets[-1]))]
    for attribute in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            if codes[attribute, row] >= 0:
                value = offsets[attribute] + codes[attribute, row]
                counts[value][classes[row]] += 1
    return counts


# --- selection ------------------------------------------------------------------------


def select(codes, value_scores, attribute_scores, offsets, n_selected):
    """The attributes of one query with the lowest (score, attribute score, index)."""
    keys = []
    for attribute, code in enumerate(codes):
        score = attribute_scores[attribute]
        if code >= 0:
            score = value_scores[offsets[attribute] + code]
        keys.append((score, attribute_scores[attribute], attribute))
    return [attribute for _, _, attribute in sorted(keys)[:n_selected]]


def lazy_merit(subset, relevances, correlations):
    """``k mean(rc) / sqrt(k + k (k - 1) mean(ra))`` for one query."""
    if not subset:
        return 0.0
    k = len(subset)
    among = [correlations[i][j] for i in subset for j in subset if i < j]
    mean_class = sum(relevances[i] for i in subset) / k
    mean_among = sum(among) / len(among) if among else 0.0
    return round(k * mean_class / math.sqrt(k + k * (k - 1) * mean_among), 10)


def grow_conjunction(codes, classes, n_classes, query, min_support, excluded=-1):
    """The attributes whose values in the query leave ever purer rows, in order."""
    rows = [i for i in range(codes.shape[1]) if i != excluded]

    def impurity(members):
        votes = count_classes(members, classes, n_classes)
        return round(entropy_of(votes), 9) if members else 0.0

    chosen = []
    while impurity(rows) > 0:
        trials = []
        for attribute in range(len(query)):
            if attribute in chosen or query[attribute] < 0:
                continue
            left = [i for i in rows if codes[attribute, i] == query[attribute]]
            if len(left) >= min_support and impurity(left) < impurity(rows):
                trials.append((impurity(left), -len(left), attribute))
        if not trials:
            break
        best = min(trials)[-1]
        chosen.append(best)
        rows = [i for i in rows if codes[best, i] == query[best]]
    return chosen


# --- neighbors -----------------------------------------------------------------------


def disagreements(codes, query, attributes):
    """For each row the number of attributes on which it differs from the query."""
    distances = []
    for row in range(codes.shape[1]):
        differ = 0
        for attribute in attributes:
            known = query[attribute] >= 0
            if not (known and codes[attribute, row] == query[attribute]):
                differ += 1
        distances.append(differ)
    return distances


def heom_squares(numbers, codes, query_numbers, query_codes, attributes, left_out=-1):
    """For each row the sum of squared HEOM differences; NaN or -1 is missing.

    `numbers` and `query_numbers` hold None for a nominal attribute.
    """
    widths = {}
    for j in attributes:
        others = [
            number
            for row, number in enumerate(numbers[j] or [])
            if row != left_out and not math.isnan(number)
        ]
        widths[j] = max(others, default=0.0) - min(others, default=0.0)
    distances = []
    for row in range(codes.shape[1]):
        total = 0.0
        for j in attributes:
            if numbers[j] is None:
                same = query_codes[j] >= 0 and codes[j, row] == query_codes[j]
                difference = 0.0 if same else 1.0
            elif math.isnan(numbers[j][row]) or math.isnan(query_numbers[j]):
                difference = 1.0
            elif widths[j] == 0:
                difference = 0.0 if numbers[j][row] == query_numbers[j] else 1.0
            else:
                difference = (numbers[j][row] - query_numbers[j]) / widths[j]
            total += difference * difference
        distances.append(total)
    return distances


def nearest_with_ties(distances, k, excluded=-1):
    """The rows as near as the k-th nearest or nearer, nearest first, then by row."""
    order = sorted(
        (distance, row) for row, distance in enumerate(distances) if row != excluded
    )
    if len(order) > k:
        order = [pair for pair in order if pair[0] <= order[k - 1][0]]
    return [row for _, row in order]


def count_classes(rows, classes, n_classes):
    """One vote a row."""
    votes = [0] * n_classes
    for row in rows:
        votes[classes[row]] += 1
    return votes


def decide(votes, class_counts):
    """The class with most votes, then most cases, then the lowest index."""
    return max(range(len(votes)), key=lambda c: (votes[c], class_counts[c], -c))


def ibk_probabilities(votes, n_rows):
    """Weka's rule: 1/n for every class, 1 for every neighbor, normalized."""
    scores = [vote + 1 / n_rows for vote in votes]
    return [score / sum(scores) for score in scores]


# --- naive Bayes ----------------------------------------------------------------------


def naive_bayes_terms(codes, offsets, classes, n_classes, alpha, query, attributes):
    """log P(class), then log P(value | class) of each attribute: a list of lists."""
    rows = range(codes.shape[1])
    smoothed = [alpha + sum(classes[i] == c for i in rows) for c in range(n_classes)]
    terms = [[math.log(count / sum(smoothed)) for count in smoothed]]
    for attribute in attributes:
        if query[attribute] < 0:
            continue
        size = offsets[attribute + 1] - offsets[attribute]
        term = []
        for c in range(n_classes):
            known = [i for i in rows if codes[attribute, i] >= 0 and classes[i] == c]
            same = sum(codes[attribute, i] == query[attribute] for i in known)
            term.append(math.log((same + alpha) / (len(known) + alpha * size)))
        terms.append(term)
    return terms


def naive_bayes_joint(*arguments):
    """log P(class, query) of each class."""
    return [sum(terms) for terms in zip(*naive_bayes_terms(*arguments), strict=True)]


# --- the hosts of lazy attribute selection --------------------------------------------


class LazyHost:
    """Lazy attribute selection from a table's cells to the class, step by step.

    `rows` are lists of float, str or None; `settings` as the estimators name them:
    `host` ("knn" or "bayes"), `k`, `alpha`, `n_attributes`, `selection`, `measure`,
    `discretize`, `n_local`. `codes[j][i]` is the bin or category of a cell, -1 missing.
    """

    def __init__(self, rows, kinds, classes, settings):
        self.kinds, self.settings = kinds, settings
        self.labels = sorted(set(classes))
        self.classes = [self.labels.index(c) for c in classes]
        self.columns = [[row[j] for row in rows] for j in range(len(kinds))]
        self.rows = list(range(len(rows)))
        self.domains = [self.find_domain(j) for j in range(len(kinds))]
        self.codes = [
            [self.code(j, cell) for cell in column]
            for j, column in enumerate(self.columns)
        ]

    def find_domain(self, j):
        """The cuts of a numeric column, the categories of a nominal one."""
        known = [i for i in self.rows if self.columns[j][i] is not None]
        cells = [self.columns[j][i] for i in known]
        if self.kinds[j] == "nominal":
            return sorted(set(cells))
        return sorted(cut_points(cells, [self.classes[i] for i in known]))

    def code(self, j, cell):
        if cell is None:
            return -1
        if self.kinds[j] == "numeric":
            return sum(cell > cut for cut in self.domains[j])
        return self.domains[j].index(cell) if cell in self.domains[j] else -2

    def n_values(self, j):
        return len(self.domains[j]) + (self.kinds[j] == "numeric")

    def counts(self, j, rows):
        """Rows by value and class."""
        table = [[0] * len(self.labels) for _ in range(self.n_values(j))]
        for i in rows:
            if self.codes[j][i] >= 0:
                table[self.codes[j][i]][self.classes[i]] += 1
        return table

    def order(self, query, rows):
        """The attributes of a query, best first, by the rows that may be seen."""
        codes = [self.code(j, cell) for j, cell in enumerate(query)]
        keys = []
        for j, code in enumerate(codes):
            table, measure = self.counts(j, rows), self.settings["measure"]
            whole = attribute_figure(table, measure)
            lazy = lazy_figure(table, code, measure) if code >= 0 and table else whole
            score = {"lazy": lazy, "eager": whole, "none": 0.0}
            tie = 0.0 if self.settings["selection"] == "none" else whole
            keys.append((round(score[self.settings["selection"]], 9), round(tie, 9), j))
        return [j for _, _, j in sorted(keys)]

    def votes(self, query, rows, attributes):
        """Votes, or joint log-probabilities, by the rows that may be seen."""
        if self.settings["host"] == "bayes":
            return self.joint(query, rows, attributes)
        measured = self.measure(query, rows, attributes)
        near = nearest_with_ties(measured, self.settings["k"])
        voters = [rows[i] for i in near]
        return count_classes(voters, self.classes, len(self.labels))

    def measure(self, query, rows, attributes):
        numeric = [
            kind == "numeric" and not self.settings["discretize"] for kind in self.kinds
        ]
        numbers = [
            [self.number(self.columns[j][i]) for i in rows] if numeric[j] else None
            for j in range(len(query))
        ]
        own = [self.number(query[j]) if numeric[j] else None for j in range(len(query))]
        codes = np.array([[column[i] for i in rows] for column in self.codes])
        own_codes = [self.code(j, cell) for j, cell in enumerate(query)]
        return heom_squares(numbers, codes, own, own_codes, attributes)

    def number(self, cell):
        return math.nan if cell is None else cell

    def joint(self, query, rows, attributes):
        alpha, by_class = self.settings["alpha"], [0] * len(self.labels)
        for i in rows:
            by_class[self.classes[i]] += 1
        total = sum(by_class) + alpha * len(by_class)
        joint = [math.log((n + alpha) / total) for n in by_class]
        for j in attributes:
            bins = self.kinds[j] == "nominal" or self.settings["discretize"]
            terms = self.frequencies(j, query[j], rows) if bins else None
            terms = terms if bins else self.densities(j, query[j], rows)
            joint = [a + b for a, b in zip(joint, terms, strict=True)]
        return joint

    def frequencies(self, j, cell, rows):
        code, table = self.code(j, cell), self.counts(j, rows)
        known = self.kinds[j] == "numeric" or any(
            self.codes[j][i] == code for i in rows
        )
        if code < 0 or not known:
            return [0.0] * len(self.labels)
        sizes = len([row for row in table if self.kinds[j] == "numeric" or sum(row)])
        alpha = self.settings["alpha"]
        return [
            math.log((table[code][c] + alpha) / (columns_of(table)[c] + alpha * sizes))
            for c in range(len(self.labels))
        ]

    def densities(self, j, cell, rows):
        """Normal log-densities; every class has `alpha` rows of the whole added."""
        known = [i for i in rows if self.columns[j][i] is not None]
        values = [self.columns[j][i] for i in known]
        if cell is None or len(set(values)) < 2:
            return [0.0] * len(self.labels)
        center = sum(values) / len(values)
        spread = max(abs(v - center) for v in values)
        scaled = {i: (self.columns[j][i] - center) / spread for i in known}
        terms, alpha = [], self.settings["alpha"]
        for c in range(len(self.labels)):
            weighted = [(scaled[i], alpha / len(known)) for i in known]
            weighted += [(scaled[i], 1.0) for i in known if self.classes[i] == c]
            total = sum(w for _, w in weighted)
            mean = sum(x * w for x, w in weighted) / total
            variance = sum(w * (x - mean) ** 2 for x, w in weighted) / total
            away = (cell - center) / spread - mean
            terms.append(
                -0.5 * (math.log(2 * math.pi * variance) + away * away / variance)
            )
        return terms

    def class_of(self, votes, rows):
        by_class = count_classes(rows, self.classes, len(self.labels))
        return decide([round(vote, 9) for vote in votes], by_class)

    def right(self, i, rows, order):
        """For 1, 2, ... of the attributes, whether row i gets its class by `rows`."""
        query = [column[i] for column in self.columns]
        return [
            self.class_of(self.votes(query, rows, order[: r + 1]), rows)
            == self.classes[i]
            for r in range(len(order))
        ]

    def count_auto(self):
        """The number of attributes that is right for most rows, each left out."""
        scores = [0] * len(self.kinds)
        for i in self.rows:
            others = [row for row in self.rows if row != i]
            query = [column[i] for column in self.columns]
            hits = self.right(i, others, self.order(query, others))
            scores = [score + hit for score, hit in zip(scores, hits, strict=True)]
        return scores.index(max(scores)) + 1

    def count_local(self, query, order, places):
        """The number that is right for most of the nearest rows, each left out.

        Rows as near as each other are taken in the order of `places`.
        """
        measured = self.measure(query, self.rows, range(len(order)))
        near = sorted(self.rows, key=lambda i: (measured[i], places[i]))
        scores = [0] * len(order)
        for i in near[: self.settings["n_local"]]:
            others = [row for row in self.rows if row != i]
            hits = self.right(i, others, order)
            scores = [score + hit for score, hit in zip(scores, hits, strict=True)]
        return scores.index(max(scores)) + 1

    def set_for(self, query):
        """The attributes of a query that are chosen as a set."""
        codes = [self.code(j, cell) for j, cell in enumerate(query)]
        if self.settings["selection"] == "lazy-consistency":
            return grow_conjunction(
                np.array(self.codes), self.classes, len(self.labels), codes, 1
            )
        tables = [self.counts(j, self.rows) for j in range(len(codes))]
        whole = entropy_of(count_classes(self.rows, self.classes, len(self.labels)))
        scores = [
            lazy_figure(table, code, "entropy")
            if code >= 0
            else attribute_figure(table, "entropy")
            for table, code in zip(tables, codes, strict=True)
        ]
        relevances = [max(0.0, 1 - x / whole) if whole > 0 else 0.0 for x in scores]
        pairs = [
            [self.correlation(i, j) for j in range(len(codes))]
            for i in range(len(codes))
        ]
        subset, _ = best_first(
            lambda chosen: lazy_merit(chosen, relevances, pairs), len(codes), 5
        )
        return sorted(subset, key=lambda j: (round(scores[j], 9), j))

    def correlation(self, i, j):
        """Symmetric uncertainty of two attributes over the rows that know both."""
        table = [[0] * self.n_values(j) for _ in range(self.n_values(i))]
        for a, b in zip(self.codes[i], self.codes[j], strict=True):
            if a >= 0 and b >= 0:
                table[a][b] += 1
        if not sum(map(sum, table)):
            return 0.0
        return -attribute_figure(table, "symmetric_uncertainty")

    def answer(self, query, places=None):
        """The attributes used, the votes, and the class."""
        if self.settings["selection"].startswith("lazy-"):
            used = self.set_for(query)
            votes = self.votes(query, self.rows, used)
            return used, votes, self.class_of(votes, self.rows)
        order, wanted = self.order(query, self.rows), self.settings["n_attributes"]
        if self.settings["selection"] == "none":
            wanted = len(order)
        if wanted == "vote":
            votes = [0] * len(self.labels)
            for r in range(len(order)):
                own = self.votes(query, self.rows, order[: r + 1])
                votes[self.class_of(own, self.rows)] += 1
            return order, votes, self.class_of(votes, self.rows)
        if wanted == "auto":
            wanted = self.count_auto() if len(self.rows) > 1 else 1
        elif wanted == "local":
            alone = len(self.rows) == 1
            wanted = 1 if alone else self.count_local(query, order, places)
        elif isinstance(wanted, float):
            wanted = max(1, math.floor(wanted * len(order) + 0.5))
        used = order[:wanted]
        votes = self.votes(query, self.rows, used)
        return used, votes, self.class_of(votes, self.rows)


# --- local regression -----------------------------------------------------------------


def difference(x, q, kind, absent):
    """How far two cells are apart; None is missing."""
    if x is None or q is None:
        return absent
    if kind == "nominal":
        return 0.0 if x == q else absent
    return abs(x - q)


def distance(row, query, kinds, weights, absents, metric):
    total = 0.0
    for x, q, kind, w, absent in zip(row, query, kinds, weights, absents, strict=True):
        d = difference(x, q, kind, absent)
        total += w * (d * d if metric == "euclidean" else d)
    return total


def nearest(rows, query, n_nearest, kinds, weights, absents, metric, hidden=()):
    """Indices of the nearest rows that are not hidden; ties by index."""
    seen = [i for i in range(len(rows)) if i not in hidden]
    by_distance = sorted(
        seen,
        key=lambda i: (distance(rows[i], query, kinds, weights, absents, metric), i),
    )
    return by_distance[:n_nearest]


def local_terms(row, query, degree):
    """1, the centered values, their products i <= j; NaN stands where the query is."""
    centered = [
        0.0 if x != x or q != q else x - q for x, q in zip(row, query, strict=True)
    ]
    terms = [1.0]
    if degree >= 1:
        terms += centered
    if degree == 2:
        for a in range(len(centered)):
            for b in range(a, len(centered)):
                terms.append(centered[a] * centered[b])
    return terms


def local_ridge(rows, weights, query, degree, ridge, as_in_r):
    """What holds each coefficient; a constant is free.

    R's ridge is the same for all, the intercept too. Ours leaves the intercept free
    and is relative to the mean square of the neighbors' centered values.
    """
    d = len(query) if degree else 0
    n_products = d * (d + 1) // 2 if degree == 2 else 0
    if as_in_r and degree:
        return [ridge] * (1 + d + n_products)
    total = sum(
        w * sum(z * z for z in local_terms(row, query, 1)[1:])
        for row, w in zip(rows, weights, strict=True)
    )
    square = total / (sum(weights) * d) if d and total else 1.0
    return [0.0] + [ridge * square] * d + [ridge * square**2] * n_products


def local_fit(terms, targets, weights, penalties):
    """Weighted least squares with a ridge."""
    import numpy as np

    Z, y, w = np.array(terms), np.array(targets), np.array(weights)
    held = Z.T @ (w[:, None] * Z) + np.diag(penalties)
    return np.linalg.solve(held, Z.T @ (w * y))


def local_score(terms, targets, weights, degree, n_scored, penalties, as_in_r):
    """Leave every neighbor out, fit without it, predict it; the mean squared error."""
    k = len(terms)
    if degree == 0 and as_in_r and n_scored:
        scored = min(n_scored, k)
        mean = sum(targets) / k
        return scored / (scored - 1) * sum((y - mean) ** 2 for y in targets[:scored])
    total = 0.0
    for i in range(min(n_scored or k, k)):
        others = [j for j in range(k) if j != i]
        theta = local_fit(
            [terms[j] for j in others],
            [targets[j] for j in others],
            [weights[j] for j in others],
            penalties,
        )
        total += weights[i] * (targets[i] - float(terms[i] @ theta)) ** 2
    return total / sum(weights)


def local_models(rows, targets, weights, query, ranges, ridge, as_in_r=False):
    """Score and coefficients of every model: {(degree, k): (score, theta)}.

    Rows are the query's neighbors, nearest first; ranges maps a degree to the
    fewest and most neighbors and how many are scored.
    """
    import numpy as np

    models = {}
    for degree, (least, most, n_scored) in ranges.items():
        penalties = local_ridge(rows, weights, query, degree, ridge, as_in_r)
        terms = [np.array(local_terms(row, query, degree)) for row in rows]
        for k in range(least, min(most, len(rows)) + 1):
            near = terms[:k], targets[:k], weights[:k]
            models[degree, k] = (
                local_score(*near, degree, n_scored, penalties, as_in_r),
                local_fit(*near, penalties),
            )
    return models


def choose_models(scores, n_best):
    """The best (degree, k): over all degrees, or (c0, c1, c2) of each degree."""
    ranked = sorted((score, degree, k) for (degree, k), score in scores.items())
    if isinstance(n_best, int):
        return [(degree, k) for _, degree, k in ranked[:n_best]]
    chosen = []
    for wanted, count in enumerate(n_best):
        chosen += [(degree, k) for _, degree, k in ranked if degree == wanted][:count]
    return chosen


def combine_models(models, chosen, n_terms):
    """Coefficients weighted by 1/score, shorter ones filled up with zeros."""
    total, combined = 0.0, [0.0] * n_terms
    for key in chosen:
        score, theta = models[key]
        weight = 1 / (score or 1e-20)
        total += weight
        for a, coefficient in enumerate(theta):
            combined[a] += weight * coefficient
    return [coefficient / total for coefficient in combined]


def local_space(rows, queries, kinds, scale):
    """Scale numbers by the cases; what a missing cell counts in the distance.

    Returns placed rows, placed queries and the absents; regressors are numbers and an
    indicator of each category but the first, NaN where unknown.
    """
    columns, absents, regress = [], [], []
    for j, kind in enumerate(kinds):
        cells = [row[j] for row in rows]
        asked = [query[j] for query in queries]
        present = [x for x in cells if x is not None]
        if kind == "nominal":
            columns.append((cells, asked))
            absents.append(1.0)
            for label in sorted(set(present))[1:]:
                regress.append(
                    (
                        [_indicate(x, label, present) for x in cells],
                        [_indicate(x, label, present) for x in asked],
                    )
                )
            continue
        spread = _spread(present, scale)
        factor = 1 / spread if spread else 0.0
        place = lambda xs, f=factor: [None if x is None else x * f for x in xs]  # noqa: E731
        columns.append((place(cells), place(asked)))
        absents.append((max(present) - min(present)) * factor if present else 0.0)
        if factor:
            regress.append(
                tuple([math.nan if x is None else x for x in xs] for xs in columns[-1])
            )
    placed = [list(zip(*(c[side] for c in columns), strict=True)) for side in (0, 1)]
    terms = [
        list(zip(*(c[side] for c in regress), strict=True)) if regress else [()] * n
        for side, n in ((0, len(rows)), (1, len(queries)))
    ]
    return placed, terms, absents


def _indicate(label, wanted, known):
    if label is None or label not in known:
        return math.nan
    return 1.0 if label == wanted else 0.0


def _spread(present, scale):
    """The standard deviation or range of a column; 0 if it says nothing."""
    if not present or min(present) == max(present):
        return 0.0
    if scale == "range":
        return max(present) - min(present)
    mean = math.fsum(present) / len(present)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in present) / len(present))


# --- races ----------------------------------------------------------------------------


def race(losses, test, first_test=5, min_effect=0.0, n_winners=1, **rules):
    """Race the columns of a matrix of losses, everything anew after each block."""
    n_blocks, n_candidates = losses.shape
    eliminated_at = [0] * n_candidates
    for used in range(1, n_blocks + 1):
        alive = [c for c in range(n_candidates) if not eliminated_at[c]]
        if used >= first_test and len(alive) > n_winners:
            run = losses[:used].copy()
            for c, last in enumerate(eliminated_at):
                run[last or used :, c] = np.nan
            for c in race_losers(run, alive, test, min_effect, n_winners, **rules):
                eliminated_at[c] = used
                alive.remove(c)
        means = losses[:used][:, alive].mean(axis=0)
        equal = min_effect > 0 and max(means) - min(means) <= min_effect
        if used >= first_test and (len(alive) <= n_winners or equal):
            break
    return alive, eliminated_at, used


def race_losers(run, alive, test, min_effect, n_winners, alpha=0.05, loss_range=None):
    """Candidates out after a block; `run` has NaN where one was not run."""
    losses = run[:, alive]
    means = losses.mean(axis=0)
    if test == "hoeffding":
        width = np.nanmax(run) - np.nanmin(run) if loss_range is None else loss_range
        out, order = hoeffding_losers(losses, alpha, width, run.shape[1])
    else:
        out, order = LOSERS[test](losses, alpha)
    if min_effect > 0:
        out = [i for i in out if means[i] - min(means) > min_effect]
    if len(alive) - len(out) < n_winners:
        best_first = sorted(range(len(alive)), key=lambda i: (order[i], i))
        out = [i for i in out if i not in best_first[:n_winners]]
    return [alive[i] for i in out]


def friedman_losers(losses, alpha):
    n, k = losses.shape
    ranks = stats.rankdata(losses, axis=1)
    sums = ranks.sum(axis=0)
    if k == 2:
        return wilcoxon_losers(losses, alpha), sums
    if not friedman_rejects(losses, alpha):
        return [], sums
    freedom = (n - 1) * (k - 1)
    spread = 2 * (n * (ranks**2).sum() - (sums**2).sum()) / freedom
    margin = stats.t.ppf(1 - alpha / 2, freedom) * np.sqrt(spread)
    return [j for j in range(k) if sums[j] - sums.min() > margin], sums


def friedman_rejects(losses, alpha):
    if np.all(losses == losses[:, :1]):
        return False  # all tied: 0/0
    if losses.shape[1] == 2:  # scipy asks for three
        ranks = stats.rankdata(losses, axis=1)
        n = len(losses)
        off = ranks.sum(axis=0) - 1.5 * n
        statistic = (off**2).sum() / ((ranks**2).sum() - 4.5 * n)
        return stats.chi2.sf(statistic, 1) < alpha
    return stats.friedmanchisquare(*losses.T).pvalue < alpha


def wilcoxon_losers(losses, alpha):
    differences = losses[:, 0] - losses[:, 1]
    if not differences.any():
        return []
    # scipy renamed the normal approximation in 1.15.
    renamed = "asymptotic" in (stats.wilcoxon.__doc__ or "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # older ones complain of few blocks
        answer = stats.wilcoxon(
            differences,
            zero_method="wilcox",
            correction=True,
            method="asymptotic" if renamed else "approx",
        )
    if answer.pvalue >= alpha:
        return []
    ranks = stats.rankdata(np.abs(differences[differences != 0]))
    signs = np.sign(differences[differences != 0])
    return [0] if (ranks * signs).sum() > 0 else [1]


def friedman_paper_losers(losses, alpha):
    here = list(range(losses.shape[1]))
    means = losses.mean(axis=0)
    out = []
    while len(here) > 1 and friedman_rejects(losses[:, here], alpha):
        worst = max(here, key=lambda j: (means[j], j))
        here.remove(worst)
        out.append(worst)
    return out, means


def paired_p_values(losses):
    """P-values of paired t-tests against the best; the best's own is 1."""
    best = int(np.argmin(losses.mean(axis=0)))
    values = []
    for j in range(losses.shape[1]):
        differences = losses[:, j] - losses[:, best]
        if np.ptp(differences) == 0:  # no spread to judge by: a sign test
            values.append(2 * 0.5 ** len(losses) if differences[0] > 0 else 1.0)
        else:
            values.append(stats.ttest_rel(losses[:, j], losses[:, best]).pvalue)
    return np.array(values), best


def t_losers(losses, alpha, adjust):
    values, best = paired_p_values(losses)
    others = [j for j in range(len(values)) if j != best]
    if adjust == "bonferroni":
        values = values * len(others)
    if adjust == "holm":
        largest = 0.0
        for step, j in enumerate(sorted(others, key=lambda j: values[j])):
            largest = max(largest, values[j] * (len(others) - step))
            values[j] = largest
    return [j for j in others if values[j] < alpha], losses.mean(axis=0)


def brace_losers(losses, alpha):
    n, k = losses.shape
    means = losses.mean(axis=0)
    best = int(np.argmin(means))
    out = []
    for j in range(k):
        differences = losses[:, j] - losses[:, best]
        error = differences.std(ddof=1) / np.sqrt(n)
        lower = differences.mean() - stats.norm.ppf(1 - alpha / 2) * error
        if np.ptp(differences) == 0:  # no spread to judge by: a sign test
            lower = alpha / 2 - 0.5**n if differences[0] > 0 else 0
        if lower > 0:
            out.append(j)
    return out, means


def hoeffding_losers(losses, alpha, width, n_candidates):
    means = losses.mean(axis=0)
    chance = alpha / n_candidates
    reach = width * np.sqrt(np.log(2 / chance) / (2 * len(losses)))
    out = [j for j, mean in enumerate(means) if mean - reach > min(means) + reach]
    return out, means


LOSERS = {
    "friedman": friedman_losers,
    "friedman-paper": friedman_paper_losers,
    "brace": brace_losers,
    "t": lambda losses, alpha: t_losers(losses, alpha, "none"),
    "t-holm": lambda losses, alpha: t_losers(losses, alpha, "holm"),
    "t-bonferroni": lambda losses, alpha: t_losers(losses, alpha, "bonferroni"),
}


def correlation_ranking(columns, target):
    """Columns by absolute correlation; a constant one has none."""
    strength = []
    for column in columns.T:
        constant = np.ptp(column) == 0
        strength.append(0.0 if constant else abs(np.corrcoef(column, target)[0, 1]))
    return sorted(range(len(strength)), key=lambda j: (-strength[j], j))


def bent_ranking(columns, target):
    """Columns by absolute correlation, or by that of their squared deviation."""
    strength = []
    for column in columns.T:
        both = [column, (column - column.mean()) ** 2]
        known = [abs(np.corrcoef(c, target)[0, 1]) for c in both if np.ptp(c) > 0]
        strength.append(max(known, default=0.0))
    return sorted(range(len(strength)), key=lambda j: (-strength[j], j))


def gram_schmidt_ranking(columns, target, most):
    """Forward regression: next is what lowers the residual sum of squares most."""
    ranking = []
    for _ in range(most):
        rest = {}
        for j in range(columns.shape[1]):
            if j not in ranking:
                design = np.column_stack(
                    [np.ones(len(target)), columns[:, [*ranking, j]]]
                )
                fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
                rest[j] = np.sum((target - fitted) ** 2)
        ranking.append(min(rest, key=lambda j: (round(rest[j], 8), j)))
    return ranking


# --- trees, paths and bags ------------------------------------------------------------
#
# A column is a list with None for a missing cell: floats (numeric) or codes (nominal);
# `values[j]` is the number of categories, None for a numeric column.

_ALIKE = 1e-6  # C4.5 as in J48: weights and gains this close count as equal
_SLACK = 1e-3  # "at least average gain" is meant up to this

TREE_RULES = {
    "min_weight": 2.0,  # two branches must hold at least this
    "min_share": True,  # numeric: a side holds 10 % of the mean class, at most 25
    "correct": True,  # numeric: the gain pays log2(candidate cuts) / weight
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
        if min(sizes) < least - _ALIKE:
            continue
        n_candidates += 1
        gain, split = gain_of(parts, total, classes, n_classes)
        if gain > best[0] + _ALIKE:
            best = gain, split, (left, right)
    gain, split, pair = best
    if pair is not None and rules["correct"]:
        gain -= math.log2(n_candidates) / total
    return (gain, split, pair) if pair is not None and gain > _ALIKE else None


def nominal_split(rows, column, n_values, classes, n_classes, rules):
    parts = branches_of(rows, column, None, n_values)
    sizes = [sum(weight for _, weight in part) for part in parts]
    if sum(size >= rules["min_weight"] - _ALIKE for size in sizes) < 2:
        return None
    total = sum(weight for _, weight in rows)
    return *gain_of(parts, total, classes, n_classes), None


def best_split(rows, columns, values, classes, n_classes, rules, key, n_weights):
    """The attribute with the best gain ratio among those of at least average gain."""
    found = {}
    order = attribute_order(key, len(columns), rules["inspect"])
    for looked_at, j in enumerate(order):
        gainful = any(gain > _ALIKE for gain, _, _ in found.values())
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
    many = [v is not None and v >= 0.3 * n_weights - _ALIKE for v in values]
    counted = [found[j][0] for j in sorted(found) if all(many) or not many[j]]
    if not counted:
        return None
    average = sum(counted) / len(counted)
    chosen, best = None, 0.0
    for j in sorted(found):
        gain, split, _ = found[j]
        ratio = gain / split if split > _ALIKE else 0.0
        if gain >= average - _SLACK and ratio > best + _ALIKE:
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
    if total < 2 * rules["min_weight"] - _ALIKE or total - max(sums) <= _ALIKE:
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


_64 = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def mix64(z):
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _64
    return z ^ (z >> 31)


def word64(seed, number):
    """Number `number` (0, 1, ...) of the stream that belongs to a seed."""
    return mix64((seed + (number + 1) * _STEP) & _64)


def path_key(key, attribute, branch):
    return mix64(((key ^ (attribute << 32 | branch)) + _STEP) & _64)


def attribute_order(key, n_attributes, inspect):
    """The order in which a node looks at the attributes: a shuffle, or as they are."""
    order = list(range(n_attributes))
    if inspect:
        for i in range(n_attributes):
            k = i + ((word64(key, i) >> 32) * (n_attributes - i) >> 32)
            order[i], order[k] = order[k], order[i]
    return order


def bag_weights(seed, n_rows, neighbors):
    """N-K draws from all rows and K from the neighbors, two draws a word."""
    weights = [0] * n_rows
    n_near = len(neighbors)

    def draw(first_word, t, n):
        word = word64(seed, first_word + t // 2)
        return (((word >> 32) if t % 2 == 0 else word & 0xFFFFFFFF) * n) >> 32

    for t in range(n_rows - n_near):
        weights[draw(0, t, n_rows)] += 1
    first_word = (n_rows - n_near + 1) // 2
    for t in range(n_near):
        weights[neighbors[draw(first_word, t, n_near)]] += 1
    return weights


def query_seed(cells, random_state):
    """A seed from the content of the query: 64 bits a cell."""
    seed = mix64((random_state + _STEP) & _64)
    for cell in cells:
        seed = mix64(((seed ^ cell) + _STEP) & _64)
    return seed


def beta_neighbors(n_rows, beta):
    """K/N <= (1 - beta) log_4 N, at least one and at most all rows."""
    share = (1 - beta) * math.log(n_rows) / math.log(4)
    return min(n_rows, max(1, math.floor(n_rows * share + 1e-9)))


def lazy_tree_answer(codes, classes, n_classes, query):
    """Friedman, Kohavi, Yun (1996): class counts of the rows left on the query's path.

    `codes[j][row]` and `query[j]` are codes; below 0 they agree with nothing.
    """
    rows = list(range(len(classes)))
    while True:
        counts = class_weights_of([(r, 1.0) for r in rows], classes, n_classes)
        if sum(count > 0 for count in counts) < 2:
            return counts
        best, chosen = (1e-9, 0), None
        for j, value in enumerate(query):
            known = [r for r in rows if codes[j][r] >= 0]
            agree = [r for r in known if codes[j][r] == value]
            if value < 0 or not agree or len(agree) == len(known):
                continue
            gain = _balanced_gain(known, agree, classes, counts) * len(known)
            gain /= len(rows)
            better = gain > best[0] + 1e-9
            tied = abs(gain - best[0]) <= 1e-9 and len(agree) > best[1]
            if better or (chosen is not None and tied):
                best, chosen = (gain, len(agree)), j
        if chosen is None:
            return counts
        rows = [r for r in rows if codes[chosen][r] == query[chosen]]


def _balanced_gain(known, agree, classes, counts):
    """Gain of "agrees or not" when every class of the node weighs the same."""

    def sums(rows):
        pairs = [(r, 1.0 / counts[classes[r]]) for r in rows]
        return class_weights_of(pairs, classes, len(counts))

    others = [r for r in known if r not in set(agree)]
    whole = sums(known)
    left = information(whole) - information(sums(agree)) - information(sums(others))
    return left / sum(whole)


def bayes_answer(codes, widths, classes, n_classes, weights, query, alpha):
    """Naive Bayes on weighted rows; codes below 0 are missing or unseen."""
    scores = []
    for c in range(n_classes):
        rows = [(r, w) for r, w in enumerate(weights) if classes[r] == c]
        size = sum(w for _, w in rows)
        score = (size + alpha) / (sum(weights) + alpha * n_classes)
        for j, value in enumerate(query):
            if value >= 0:
                known = sum(w for r, w in rows if codes[j][r] >= 0)
                count = sum(w for r, w in rows if codes[j][r] == value)
                score *= (count + alpha) / (known + alpha * widths[j])
        scores.append(score)
    return [score / sum(scores) for score in scores]


def rule_answer(codes, classes, n_classes, weights, query):
    """One rule (Holte 1993): class shares of a value of the attribute that errs least.

    Missing (-1) counts as a value of its own; a value without rows: all rows.
    """
    bag = [(row, w) for row, w in enumerate(weights) if w > 0]

    def n_right(column):
        return sum(
            max(
                class_weights_of(
                    [(r, w) for r, w in bag if column[r] == value], classes, n_classes
                )
            )
            for value in set(column)
        )

    rights = [n_right(column) for column in codes]
    best = rights.index(max(rights))
    own = [(r, w) for r, w in bag if codes[best][r] == query[best]]
    sums = class_weights_of(own or bag, classes, n_classes)
    return [s / sum(sums) for s in sums]


def neighbors_answer(order, distances, classes, n_classes, weights, n_neighbors):
    """Rows vote by weight from near to far until they reach k, with all ties."""
    reached, reach = 0, math.inf
    for row, distance in zip(order, distances, strict=True):
        reached += weights[row]
        if reached >= n_neighbors:
            reach = distance
            break
    near = [
        (r, weights[r]) for r, d in zip(order, distances, strict=True) if d <= reach
    ]
    sums = class_weights_of(near, classes, n_classes)
    return [s / sum(sums) for s in sums]


def ridge_answer(rows, targets, weights, query, ridge):
    """Ridge regression with a free intercept, by the normal equations."""
    design = np.column_stack([np.ones(len(rows)), rows])
    penalty = np.diag([0.0] + [ridge] * rows.shape[1])
    weighted = design * np.asarray(weights, float)[:, None]
    solution = np.linalg.solve(design.T @ weighted + penalty, weighted.T @ targets)
    return np.concatenate([[1.0], query]) @ solution


# --- regression trees, members of numbers ---------------------------------------------


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


def reducing_split(rows, column, n_values, targets, least, tie):
    """The best split of a column as (reduction, cut), None if there is none."""
    if n_values is not None:
        parts = branches_of(rows, column, None, n_values)
        sizes = [sum(weight for _, weight in part) for part in parts]
        if sum(size >= least for size in sizes) < 2:
            return None
        return reduction_of(parts, targets), None
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
    node = {"mean": mean, "attribute": None}
    if total < 2 * rules["min_weight"] - _ALIKE or squares == 0.0:
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
    least, tie = rules["min_weight"] - _ALIKE, _ALIKE * squares
    found, order = {}, attribute_order(key, len(columns), rules["inspect"])
    for looked_at, j in enumerate(order):
        gainful = any(worth > tie for worth, _ in found.values())
        if looked_at >= (rules["inspect"] or len(columns)) and gainful:
            break
        split = reducing_split(rows, columns[j], values[j], targets, least, tie)
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


def neighbors_mean(order, distances, targets, weights, n_neighbors):
    """The mean of rows from near to far until their weights reach k, with all ties."""
    reached, reach = 0, math.inf
    for row, distance in zip(order, distances, strict=True):
        reached += weights[row]
        if reached >= n_neighbors:
            reach = distance
            break
    near = [r for r, d in zip(order, distances, strict=True) if d <= reach]
    return np.average(targets[near], weights=[weights[r] for r in near])


def rule_mean(codes, targets, weights, query):
    """The mean of a value of the attribute whose values leave least squares.

    Missing (-1) counts as a value of its own; a value without rows: all rows.
    """
    bag = [(row, float(w)) for row, w in enumerate(weights) if w > 0]
    squares = squares_of(bag, targets)[2]
    chosen, best = 0, 0.0
    for j, column in enumerate(codes):
        values = sorted({column[row] for row, _ in bag})
        parts = [[(r, w) for r, w in bag if column[r] == v] for v in values]
        worth = reduction_of(parts, targets)
        if worth > best + _ALIKE * squares:
            chosen, best = j, worth
    own = [(r, w) for r, w in bag if codes[chosen][r] == query[chosen]]
    return squares_of(own or bag, targets)[1]


# --- ensembles of a query's own -------------------------------------------------------


class LazyEnsemble:
    """Lazy bagging and stacking (Zhu, Yang 2008), step by step and slowly.

    Columns and sizes are as for trees; unseen categories of a query are -2. `codes` are
    categories and bins, below 0 where missing or unseen, `widths` their numbers. Rows
    come in the order that breaks ties. `kinds` take the bags in turn.
    """

    def __init__(self, columns, sizes, codes, widths, classes, n_classes, **settings):
        self.columns, self.sizes = columns, sizes
        self.codes, self.widths = codes, widths
        self.classes, self.n_classes, self.n_rows = classes, n_classes, len(classes)
        self.settings = settings
        self.weights = self.weigh_attributes()

    def weigh_attributes(self):
        """Gain ratios in terms of the largest; ones if none says anything."""
        ratios = []
        for column, width in zip(self.codes, self.widths, strict=True):
            rows = [
                class_weights_of(
                    [(r, 1) for r in range(self.n_rows) if column[r] == value],
                    self.classes,
                    self.n_classes,
                )
                for value in range(width)
            ]
            figure = attribute_figure(rows, "gain_ratio") if rows else math.inf
            ratios.append(0.0 if math.isinf(figure) else round(-figure, 12))
        return (
            [r / max(ratios) for r in ratios]
            if max(ratios) > 0
            else [1.0] * len(ratios)
        )

    def distances(self, query):
        """Weighted sums of squared HEOM differences, column by column."""
        sums = [0.0] * self.n_rows
        for column, size, weight, cell in zip(
            self.columns, self.sizes, self.weights, query, strict=True
        ):
            known = [v for v in column if v is not None]
            low = min(known, default=0.0)
            span = max(known, default=0.0) - low
            for row in range(self.n_rows if weight > 0 else 0):
                if column[row] is None or cell is None:
                    difference = 1.0
                elif size is not None or span == 0:
                    difference = float(column[row] != cell)
                else:
                    difference = (column[row] - low) / span - (cell - low) / span
                sums[row] += weight * (difference * difference)
        return sums

    def nearest(self, query):
        distances = self.distances(query)
        order = sorted(range(self.n_rows), key=lambda row: (distances[row], row))
        return order, [distances[row] for row in order]

    def answer(self, query, query_codes):
        """Each member's probabilities, its vote, the shares and the class."""
        order, distances = self.nearest(query)
        near = order[: self.settings["n_near"]]
        seed = query_seed(self.words(query), self.settings["seed"])
        answers = []
        for bag in range(self.settings["n_estimators"]):
            own = word64(seed, bag)
            weights = bag_weights(own, self.n_rows, near)
            kind = self.settings["kinds"][bag % len(self.settings["kinds"])]
            ask = getattr(self, f"by_{kind}")
            answers.append(ask(query, query_codes, weights, own, (order, distances)))
        around = class_weights_of(
            [(r, 1.0) for r in near], self.classes, self.n_classes
        )
        votes = [self.decide(answer, around) for answer in answers]
        shares = [votes.count(c) / len(votes) for c in range(self.n_classes)]
        if self.settings["combine"] == "probability":
            shares = [sum(a) / len(a) for a in zip(*answers, strict=True)]
        return answers, votes, shares, self.decide(shares, around)

    def decide(self, shares, around):
        """The largest share; ties: more neighbors, more rows, the lower index."""
        left = [c for c in range(self.n_classes) if shares[c] >= max(shares) - 1e-9]
        sizes = [self.classes.count(c) for c in range(self.n_classes)]
        return max(left, key=lambda c: (around[c], sizes[c], -c))

    def words(self, query):
        """64 bits a cell: those of a number, or the code; missing codes are -1."""
        words = []
        for cell, size in zip(query, self.sizes, strict=True):
            if size is None:
                number = math.nan if cell is None else cell + 0.0
                words.append(struct.unpack("<Q", struct.pack("<d", number))[0])
            else:
                words.append((-1 if cell is None else cell) & _64)
        return words

    def by_tree(self, query, query_codes, weights, key, near):
        tree = grow_tree(
            self.columns,
            self.sizes,
            self.classes,
            self.n_classes,
            weights,
            self.settings["rules"],
            key,
        )
        return tree_answer(tree, query, self.n_classes)

    def by_bayes(self, query, query_codes, weights, key, near):
        return bayes_answer(
            self.codes,
            self.widths,
            self.classes,
            self.n_classes,
            weights,
            query_codes,
            1.0,
        )

    def by_rule(self, query, query_codes, weights, key, near):
        return rule_answer(
            self.codes, self.classes, self.n_classes, weights, query_codes
        )

    def by_neighbors(self, query, query_codes, weights, key, near):
        return neighbors_answer(*near, self.classes, self.n_classes, weights, 5)

    def by_linear(self, query, query_codes, weights, key, near):
        rows, asked = self.regressors(query)
        targets = np.eye(self.n_classes)[self.classes]
        scores = np.clip(ridge_answer(rows, targets, weights, asked, 1.0), 0.0, 1.0)
        even = np.full(self.n_classes, 1.0 / self.n_classes)
        return (scores / scores.sum() if scores.sum() > 0 else even).tolist()

    def regressors(self, query):
        """Standardized numbers and indicators of all categories but the first."""
        lines = []
        for column, size, cell in zip(self.columns, self.sizes, query, strict=True):
            cells = [*column, cell]
            if size is None:
                lines.append([math.nan if c is None else c for c in cells])
            for category in range(1, size or 0):
                lines.append(
                    [
                        math.nan if c is None or c < 0 else float(c == category)
                        for c in cells
                    ]
                )
        placed = [_standardized(line) for line in lines]
        table = np.array(placed).reshape(len(placed), self.n_rows + 1).T
        return table[:-1], table[-1]


class LazyNumberEnsemble(LazyEnsemble):
    """The same for numbers: `classes` are targets, and codes are tenths of the rows."""

    def weigh_attributes(self):
        """Adjusted correlation ratios in terms of the largest."""
        ratios = [self.correlation_ratio(column) for column in self.codes]
        best = max(ratios)
        return [r / best for r in ratios] if best > 0 else [1.0] * len(ratios)

    def correlation_ratio(self, column):
        groups = {}
        for code, target in zip(column, self.classes, strict=True):
            if code >= 0:
                groups.setdefault(code, []).append(target)
        n = sum(map(len, groups.values()))
        if n <= len(groups):
            return 0.0
        everyone = [x for group in groups.values() for x in group]
        mean = math.fsum(everyone) / n
        total = math.fsum((x - mean) ** 2 for x in everyone)
        means = {code: math.fsum(g) / len(g) for code, g in groups.items()}
        within = math.fsum(
            (x - means[code]) ** 2 for code, group in groups.items() for x in group
        )
        if total == 0:
            return 0.0
        left = within / total * (n - 1) / (n - len(groups))
        return round(max(0.0, 1.0 - left), 12)

    def answer(self, query, query_codes):
        """What each member says, and what all say together."""
        near = self.nearest(query)
        seed = query_seed(self.words(query), self.settings["seed"])
        values = []
        for bag in range(self.settings["n_estimators"]):
            own = word64(seed, bag)
            enriched = near[0][: self.settings["n_near"]]
            weights = bag_weights(own, self.n_rows, enriched)
            kind = self.settings["kinds"][bag % len(self.settings["kinds"])]
            ask = getattr(self, f"by_{kind}")
            values.append(float(ask(query, query_codes, weights, own, near)))
        average = {"mean": np.mean, "median": np.median}[self.settings["combine"]]
        return values, float(average(values))

    def by_tree(self, query, query_codes, weights, key, near):
        rules = self.settings["rules"]
        targets = self.classes
        tree = grow_regression_tree(
            self.columns, self.sizes, targets, weights, rules, key
        )
        return regression_tree_answer(tree, query)

    def by_rule(self, query, query_codes, weights, key, near):
        return rule_mean(self.codes, self.classes, weights, query_codes)

    def by_neighbors(self, query, query_codes, weights, key, near):
        return neighbors_mean(*near, np.array(self.classes), weights, 5)

    def by_linear(self, query, query_codes, weights, key, near):
        rows, asked = self.regressors(query)
        return ridge_answer(rows, np.array(self.classes), weights, asked, 1.0)


def tenths(column):
    """Cuts of a column of numbers into tenths of its rows."""
    known = sorted(cell for cell in column if cell is not None)
    ends = {known[math.ceil(Fraction(k * len(known), 10)) - 1] for k in range(1, 10)}
    return sorted(end for end in ends if end < known[-1])


def _standardized(line):
    """Zero mean and unit variance over all but the last; 0 where missing."""
    known = [x for x in line[:-1] if not math.isnan(x)]
    mean = sum(known) / max(len(known), 1)
    spread = math.sqrt(sum((x - mean) ** 2 for x in known) / max(len(known), 1))
    return [0.0 if math.isnan(x) or spread == 0 else (x - mean) / spread for x in line]


# --- diversity ------------------------------------------------------------------------


def pair_table(first, second):
    """How often both, only one, only the other, none of two members are right."""
    pairs = list(zip(first, second, strict=True))
    return [pairs.count(kind) for kind in [(1, 1), (1, 0), (0, 1), (0, 0)]]


def diversity(right):
    """Kuncheva and Whitaker (2003), from rows of 0 and 1: is a member right?"""
    n_rows, n_members = len(right), len(right[0])
    columns = list(zip(*right, strict=True))
    tables = [pair_table(a, b) for a, b in itertools.combinations(columns, 2)]
    products = [(n11 * n00, n01 * n10) for n11, n10, n01, n00 in tables]
    defined = [(a - b) / (a + b) for a, b in products if a + b]
    mean = sum(map(sum, right)) / n_rows / n_members
    split = sum(sum(row) * (n_members - sum(row)) for row in right) / n_members
    chance = n_rows * (n_members - 1) * mean * (1 - mean)
    halves = n_members - math.ceil(n_members / 2)
    return {
        "q_statistic": sum(defined) / len(defined) if defined else math.nan,
        "disagreement": sum((t[1] + t[2]) / n_rows for t in tables) / len(tables),
        "double_fault": sum(t[3] / n_rows for t in tables) / len(tables),
        "kappa": 1 - split / chance if chance else math.nan,
        "entropy": sum(min(sum(r), n_members - sum(r)) for r in right)
        / halves
        / n_rows,
    }
