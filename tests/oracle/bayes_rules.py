"""Lazy Bayesian rules, from Zheng and Webb (2000)."""

import math


class LazyBayesRules:
    """A rule for each query: some of its values, and naive Bayes among who has them.

    `codes[j][row]` are codes; below 0 they are missing, in a query also unseen.

    Parameters
    ----------
    codes, widths, classes, n_classes
        The cases; `widths` are the numbers of values of the attributes.
    alpha : float
    min_support : int
    significance : float
    missing_is_first : bool
        Count a missing cell of a case as the first value, as Weka 3.6.14 does.
    """

    def __init__(
        self,
        codes,
        widths,
        classes,
        n_classes,
        alpha=1.0,
        min_support=30,
        significance=0.05,
        missing_is_first=False,
    ):
        self.codes, self.widths = codes, widths
        self.classes, self.n_classes = classes, n_classes
        self.alpha, self.min_support = alpha, min_support
        self.significance = significance
        self.counted = codes
        if missing_is_first:
            self.counted = [[max(code, 0) for code in column] for column in codes]
        self.known = {}

    def rule(self, query):
        """The antecedent, a step for each attribute, and the rows that have it."""
        antecedent, steps = (), []
        rows = list(range(len(self.classes)))
        while True:
            wrong = self.wrong(rows, antecedent, query)
            best = None
            for j, value in enumerate(query):
                inside = [r for r in rows if self.codes[j][r] == value]
                if j in antecedent or value < 0 or len(inside) == len(rows):
                    continue
                if len(inside) < self.min_support or not inside:
                    continue
                again = self.wrong(inside, (*antecedent, j), query)
                righted = len([r for r in inside if r in wrong and r not in again])
                spoiled = len([r for r in inside if r in again and r not in wrong])
                p = sign_test(spoiled, righted)
                errors = len(again) + len([r for r in wrong if r not in inside])
                if p < self.significance and (best is None or errors < best[0]):
                    counts = self.class_counts(inside)
                    best = errors, j, inside, (counts, righted, spoiled, p)
            if best is None:
                return antecedent, steps, rows
            antecedent, rows = (*antecedent, best[1]), best[2]
            steps.append(best[3])

    def class_counts(self, rows):
        """Rows by class."""
        return [sum(self.classes[r] == c for r in rows) for c in range(self.n_classes)]

    def wrong(self, rows, antecedent, query):
        """The rows that naive Bayes on the others has wrong."""
        key = tuple(sorted((j, query[j]) for j in antecedent))
        if key not in self.known:
            used = [j for j in range(len(self.codes)) if j not in antecedent]
            self.known[key] = self._wrong(rows, used)
        return self.known[key]

    def _wrong(self, rows, used):
        totals, cells = self._count(rows, used)
        found = set()
        for r in rows:
            own = self.classes[r]
            counts = [n - (c == own) for c, n in enumerate(totals)]
            scores = [math.log(n + self.alpha) for n in counts]
            for j in used:
                code = self.counted[j][r]
                if self.codes[j][r] < 0:
                    continue
                for c in range(self.n_classes):
                    same = cells[j][c][code] - (c == own)
                    every = sum(cells[j][c]) - (c == own)
                    scores[c] += self._log(same, every, j)
            best = max(scores)
            near = best - 1e-9 * max(1.0, abs(best))
            tied = [c for c in range(self.n_classes) if scores[c] >= near]
            if max(tied, key=lambda c: (counts[c], -c)) != own:
                found.add(r)
        return found

    def _count(self, rows, used):
        """Rows by class; rows by attribute, class and value."""
        totals = self.class_counts(rows)
        cells = {j: [[0] * self.widths[j] for _ in range(self.n_classes)] for j in used}
        for r in rows:
            for j in used:
                if self.counted[j][r] >= 0:
                    cells[j][self.classes[r]][self.counted[j][r]] += 1
        return totals, cells

    def _log(self, same, every, j):
        return math.log((same + self.alpha) / (every + self.alpha * self.widths[j]))

    def terms(self, query):
        """log P(class), and by attribute log P(value | class), under the rule."""
        antecedent, _, rows = self.rule(query)
        used = [j for j in range(len(query)) if j not in antecedent and query[j] >= 0]
        totals, cells = self._count(rows, used)
        every = len(rows) + self.alpha * self.n_classes
        priors = [math.log((n + self.alpha) / every) for n in totals]
        logs = {
            j: [self._log(own[query[j]], sum(own), j) for own in cells[j]] for j in used
        }
        return priors, logs

    def joint(self, query):
        """log P(class, query) of each class."""
        priors, logs = self.terms(query)
        return [
            prior + sum(log[c] for log in logs.values())
            for c, prior in enumerate(priors)
        ]


def sign_test(spoiled, righted):
    """The chance of so few or fewer spoiled, were both as likely."""
    n = spoiled + righted
    return sum(math.comb(n, k) for k in range(spoiled + 1)) / 2**n
