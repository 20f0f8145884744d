"""Lazy bagging and stacking, for classes and for numbers."""

import math
from fractions import Fraction

import numpy as np

from oracle.bags import bag_weights, content_words, query_seed, word64
from oracle.measures import attribute_figure
from oracle.members import (
    bayes_answer,
    neighbors_answer,
    neighbors_mean,
    ridge_answer,
    rule_answer,
    rule_mean,
)
from oracle.path_means import grow_regression_tree, regression_tree_answer
from oracle.paths import class_weights_of, grow_tree, tree_answer
from oracle.random_paths import random_path


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
        seed = query_seed(content_words(query, self.sizes), self.settings["seed"])
        answers = []
        for bag in range(self.settings["n_estimators"]):
            own = word64(seed, bag)
            weights = bag_weights(own, self.n_rows, near, self.settings["max_draws"])
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

    def by_random_tree(self, query, query_codes, weights, key, near):
        return self.follow_drawn(self.n_classes, query, weights, key)

    def follow_drawn(self, n_classes, query, weights, key):
        data = self.columns, self.sizes, self.classes, n_classes
        return random_path(*data, weights, self.settings["n_tried"], key, query)[0]

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
        seed = query_seed(content_words(query, self.sizes), self.settings["seed"])
        values = []
        for bag in range(self.settings["n_estimators"]):
            own = word64(seed, bag)
            enriched = near[0][: self.settings["n_near"]]
            weights = bag_weights(
                own, self.n_rows, enriched, self.settings["max_draws"]
            )
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

    def by_random_tree(self, query, query_codes, weights, key, near):
        return self.follow_drawn(None, query, weights, key)

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
