"""Attributes of a query's own, and the hosts that use them."""

import math

import numpy as np

from oracle.cuts import cut_points
from oracle.measures import (
    attribute_figure,
    best_first,
    columns_of,
    discounted,
    entropy_of,
    lazy_figure,
)
from oracle.neighbors import (
    add_votes,
    cast_votes,
    count_classes,
    decide,
    heom_squares,
)


def select(codes, value_scores, attribute_scores, offsets, n_selected):
    """The attributes of one query with the lowest (score, attribute score, index)."""
    keys = []
    for attribute, code in enumerate(codes):
        score = attribute_scores[attribute]
        if code >= 0:
            score = value_scores[offsets[attribute] + code]
        keys.append((score, attribute_scores[attribute], attribute))
    return [attribute for _, _, attribute in sorted(keys)[:n_selected]]


def not_implied(states, parents):
    """Attributes of one query that no other implies; states are 1, 0 and None."""

    def above(attribute):
        found = set()
        for parent in parents.get(attribute, ()):
            found |= {parent} | above(parent)
        return found

    kept = []
    for attribute, state in enumerate(states):
        others = range(len(states))
        below = any(states[o] == 1 and attribute in above(o) for o in others)
        under = any(states[o] == 0 and o in above(attribute) for o in others)
        if not ((state == 1 and below) or (state == 0 and under)):
            kept.append(attribute)
    return kept


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


class LazyHost:
    """Lazy attribute selection from a table's cells to the class, step by step.

    `rows` are lists of float, str or None; `settings` as the estimators name them:
    `host` ("knn" or "bayes"), `k`, `alpha`, `n_attributes`, `selection`, `measure`,
    `discretize`, `n_local`. `codes[j][i]` is the bin or category of a cell, -1 missing.
    """

    def __init__(self, rows, kinds, classes, settings):
        self.kinds, self.settings = kinds, settings
        self.k = settings.get("k")
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

    def figures(self, j, code, rows, measure):
        """The lazy figure of a value, and the figure of its attribute."""
        table = self.counts(j, rows)
        columns = columns_of(table)
        if self.settings.get("discount"):
            table = discounted(table)
        whole = attribute_figure(table, measure, columns)
        if code < 0 or not table:
            return whole, whole
        return lazy_figure(table, code, measure, columns), whole

    def order(self, query, rows):
        """The attributes of a query, best first, by the rows that may be seen."""
        codes = [self.code(j, cell) for j, cell in enumerate(query)]
        keys = []
        for j, code in enumerate(codes):
            lazy, whole = self.figures(j, code, rows, self.settings["measure"])
            score = {"eager": whole, "none": 0.0}.get(self.settings["selection"], lazy)
            tie = 0.0 if self.settings["selection"] == "none" else whole
            keys.append((round(score, 9), round(tie, 9), j))
        return [j for _, _, j in sorted(keys)]

    def votes(self, query, rows, attributes):
        """Votes, or joint log-probabilities, by the rows that may be seen."""
        if self.settings["host"] == "bayes":
            return self.joint(query, rows, attributes)
        measured = self.measure(query, rows, attributes)
        cast = cast_votes(
            measured,
            [1] * len(rows),
            self.k,
            self.settings.get("ties", "all"),
            self.settings.get("weights", "uniform"),
        )
        own = [self.classes[i] for i in rows]
        return add_votes(cast, own, len(self.labels))

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

    def choose_pair(self, n_given=None):
        """The number of attributes and the k that do best on rows left out.

        Right answers less half of their Brier scores, in units of 2 ** -20; of equally
        good ones fewer attributes, then the first k.
        """
        if len(self.rows) == 1:
            return n_given or 1, 5
        scores = {}
        for i in self.rows:
            others = [row for row in self.rows if row != i]
            query = [column[i] for column in self.columns]
            order = self.order(query, others)
            for r in [n_given] if n_given else range(1, len(order) + 1):
                for place, self.k in enumerate((5, 20, 1)):
                    said = self.judge(i, others, order[:r])
                    scores[r, place] = scores.get((r, place), 0) + said
        best = max(scores.values())
        r, place = min(pair for pair, score in scores.items() if score == best)
        return r, (5, 20, 1)[place]

    def judge(self, i, rows, attributes):
        """Whether row i gets its class, less half the Brier score."""
        query = [column[i] for column in self.columns]
        votes = self.votes(query, rows, attributes)
        start = 1 / len(rows)
        shares = [(vote + start) / (sum(votes) + start * len(votes)) for vote in votes]
        brier = sum((p - (c == self.classes[i])) ** 2 for c, p in enumerate(shares))
        right = self.class_of(votes, rows) == self.classes[i]
        return round((right - brier / 2) * 2**20)

    def settle(self):
        """Choose k, and n_attributes with it, if the rows are to say."""
        if self.settings.get("k") != "auto":
            return
        wanted, n_all = self.settings["n_attributes"], len(self.kinds)
        if self.settings["selection"] not in ("lazy", "eager"):
            given = n_all
        elif isinstance(wanted, str):
            given = None if wanted == "auto" else n_all
        else:
            given = wanted
            if isinstance(wanted, float):
                given = max(1, math.floor(wanted * n_all + 0.5))
        count, k = self.choose_pair(given)
        if wanted == "auto":
            self.settings = {**self.settings, "n_attributes": count}
        self.settings = {**self.settings, "k": k}
        self.k = k

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
        whole = entropy_of(count_classes(self.rows, self.classes, len(self.labels)))
        scores = [
            self.figures(j, code, self.rows, "entropy")[0]
            for j, code in enumerate(codes)
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
        self.settle()
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
