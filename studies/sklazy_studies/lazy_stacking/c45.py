"""A C4.5 tree with its pruning, as Weka's J48 has it by default.

Written for the explanations, where speed does not matter: lists of rows with weights,
of which a missing cell goes down every branch in part.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sklazy.tables import Table

Floats = NDArray[np.float64]

LEAST = 2.0  # rows in at least two branches
CONFIDENCE = 0.25


@dataclass(eq=False)
class Node:
    """A node: the weights of the classes, and how rows go on from it.

    Attributes
    ----------
    counts : float64 array of shape (n_classes,)
    column : int
        Of the split; -1 for a leaf.
    cut : float
        Of a number: what is not above it goes to the first branch.
    branches : list of Node
    """

    counts: Floats
    column: int = -1
    cut: float = 0.0
    branches: list["Node"] = field(default_factory=list)

    @property
    def wrong(self) -> float:
        """Training rows that are not of the most frequent class."""
        return float(self.counts.sum() - self.counts.max())


class C45:
    """Grows a tree, and prunes it if asked.

    Parameters
    ----------
    pruned : bool
        Whether subtrees become leaves, or their largest branch, if the upper bound of
        their errors is no higher then.

    References
    ----------
    J. R. Quinlan: C4.5, programs for machine learning. Morgan Kaufmann, 1993.

    Examples
    --------
    >>> added_errors(20, 0) == 20 * (1 - 0.25 ** (1 / 20))
    True
    """

    def __init__(self, pruned: bool = True) -> None:
        self.pruned = pruned

    def fit(self, table: Table, classes: NDArray[np.int32], n_classes: int) -> "C45":
        """Grow the tree from all rows."""
        self.columns, self.sizes = _columns(table)
        self.classes, self.n_classes = classes, n_classes
        everything = np.ones(len(classes))
        self.root = self._grow(everything)
        if self.pruned:
            self._collapse(self.root)
            self.root = self._prune(self.root, everything)
        return self

    def predict(self, table: Table) -> NDArray[np.int64]:
        """The most likely class of each row."""
        columns, _ = _columns(table)
        rows = np.array(columns).T
        shares = [self._answer(self.root, row) for row in rows]
        return np.argmax(shares, axis=1)

    # --- growing ----------------------------------------------------------------------

    def _count(self, weights: Floats) -> Floats:
        return np.bincount(self.classes, weights, self.n_classes).astype(np.float64)

    def _grow(self, weights: Floats) -> Node:
        node = Node(self._count(weights))
        total = weights.sum()
        if total < 2 * LEAST or node.counts.max() >= total - 1e-9:
            return node
        splits = [
            split
            for j in range(len(self.columns))
            if (split := self._try(j, weights)) is not None
        ]
        if not splits:
            return node
        # Of those of at least the mean gain, the one of the highest gain ratio.
        enough = np.mean([s[0] for s in splits]) - 1e-3
        _, ratio, column, cut = max(
            (s for s in splits if s[0] >= enough), key=lambda s: s[1]
        )
        if ratio <= 0:
            return node
        node.column, node.cut = column, cut
        node.branches = [self._grow(part) for part in self._divide(node, weights)]
        return node

    def _try(self, j: int, weights: Floats) -> tuple[float, float, int, float] | None:
        """Gain, gain ratio, column and cut of the best split by a column."""
        cells, total = self.columns[j], weights.sum()
        known = ~np.isnan(cells) & (weights > 0)
        cut = 0.0
        penalty = 0.0
        if not self.sizes[j]:
            found = self._best_cut(cells[known], known, weights)
            if found is None:
                return None
            cut, n_cuts = found
            penalty = np.log2(n_cuts) / total
            codes = (cells[known] > cut).astype(int)
        else:
            codes = cells[known].astype(int)
        table = np.zeros((max(self.sizes[j], 2), self.n_classes))
        np.add.at(table, (codes, self.classes[known]), weights[known])
        sizes = table.sum(axis=1)
        if (sizes >= LEAST).sum() < 2:
            return None
        missing = total - sizes.sum()
        gain = (sizes.sum() / total) * _gain(table) - penalty
        if gain <= 0:
            return None
        spread = _entropy(np.append(sizes, missing)) / total
        return gain, gain / spread if spread > 0 else 0.0, j, cut

    def _best_cut(
        self, values: Floats, known: NDArray[np.bool_], weights: Floats
    ) -> tuple[float, int] | None:
        """The cut of highest gain, and how many were possible."""
        if not len(values):
            return None
        order = np.argsort(values, kind="stable")
        values, w = values[order], weights[known][order]
        each = np.zeros((len(values), self.n_classes))
        each[np.arange(len(values)), self.classes[known][order]] = w
        below = np.cumsum(each, axis=0)
        least = min(max(0.1 * w.sum() / self.n_classes, LEAST), 25.0)
        places = np.flatnonzero(values[1:] > values[:-1] + 1e-5)
        sizes = below.sum(axis=1)
        able = places[(sizes[places] >= least) & (sizes[-1] - sizes[places] >= least)]
        if not len(able) or w.sum() < 2 * least:
            return None
        gains = [_gain(np.stack([below[i], below[-1] - below[i]])) for i in able]
        best = able[int(np.argmax(gains))]
        middle = (values[best] + values[best + 1]) / 2
        return float(values[values <= middle].max()), len(able)

    def _divide(self, node: Node, weights: Floats) -> list[Floats]:
        """The weights of rows in each branch; what is not known goes to all in part."""
        cells = self.columns[node.column]
        known = ~np.isnan(cells)
        size = self.sizes[node.column]
        n_branches = size or 2
        codes = np.where(known, cells if size else cells > node.cut, 0).astype(int)
        sizes = np.bincount(codes[known], weights[known], n_branches)
        equal = np.ones(n_branches) / n_branches
        shares = sizes / sizes.sum() if sizes.sum() else equal
        inside = [np.where(known, codes == b, shares[b]) for b in range(n_branches)]
        return [weights * part for part in inside]

    # --- pruning ----------------------------------------------------------------------

    def _collapse(self, node: Node) -> None:
        """Make leaves where the branches are no more often right."""
        if node.branches:
            if _training_errors(node) >= node.wrong - 1e-3:
                node.branches, node.column = [], -1
            for branch in node.branches:
                self._collapse(branch)

    def _prune(self, node: Node, weights: Floats) -> Node:
        if not node.branches:
            return node
        parts = self._divide(node, weights)
        node.branches = [
            self._prune(branch, part)
            for branch, part in zip(node.branches, parts, strict=True)
        ]
        largest = max(node.branches, key=lambda one: one.counts.sum())
        raised = self._bound_of(largest, weights)
        as_leaf = bound(node.counts)
        as_tree = sum_bounds(node)
        if as_leaf <= min(as_tree, raised) + 0.1:
            return Node(node.counts)
        if raised <= as_tree + 0.1:
            return self._prune(self._refilled(largest, weights), weights)
        return node

    def _bound_of(self, node: Node, weights: Floats) -> float:
        return sum_bounds(self._refilled(node, weights))

    def _refilled(self, node: Node, weights: Floats) -> Node:
        """The same splits, with other rows."""
        twin = Node(self._count(weights), node.column, node.cut)
        if node.branches:
            parts = self._divide(node, weights)
            pairs = zip(node.branches, parts, strict=True)
            twin.branches = [self._refilled(branch, part) for branch, part in pairs]
        return twin

    def _answer(self, node: Node, row: Floats) -> Floats:
        total = node.counts.sum()
        if not node.branches or total <= 0:
            return node.counts / total if total > 0 else np.zeros(self.n_classes)
        cell = row[node.column]
        sizes = np.array([branch.counts.sum() for branch in node.branches])
        if np.isnan(cell):
            answers = [self._answer(branch, row) for branch in node.branches]
            return (sizes / max(sizes.sum(), 1e-300)) @ np.array(answers)
        place = int(cell) if self.sizes[node.column] else int(cell > node.cut)
        if place >= len(sizes) or sizes[place] <= 0:
            return node.counts / total
        return self._answer(node.branches[place], row)


def _columns(table: Table) -> tuple[list[Floats], list[int]]:
    """Cells as numbers, NaN where missing, and the number of labels, 0 for numbers."""
    columns, sizes = [], []
    for column in table:
        cells = np.asarray(column.data, np.float64)
        columns.append(np.where(column.missing, np.nan, cells))
        sizes.append(len(column.categories) if column.kind == "nominal" else 0)
    return columns, sizes


def _entropy(counts: Floats) -> float:
    """Entropy times the sum of the counts."""
    known = counts[counts > 0]
    return float(known.sum() * np.log2(known.sum()) - (known * np.log2(known)).sum())


def _gain(table: Floats) -> float:
    """Information gain of branches (rows) about classes (columns)."""
    total = table.sum()
    within = sum(_entropy(row) for row in table if row.sum() > 0)
    return (_entropy(table.sum(axis=0)) - within) / total


def _training_errors(node: Node) -> float:
    if not node.branches:
        return node.wrong
    return sum(_training_errors(branch) for branch in node.branches)


def added_errors(n: float, wrong: float) -> float:
    """Errors to be added for the upper bound of a binomial share, as in C4.5."""
    if wrong < 1:
        base = n * (1 - CONFIDENCE ** (1 / n))
        return base + wrong * (added_errors(n, 1.0) - base) if wrong > 0 else base
    if wrong + 0.5 >= n:
        return max(n - wrong, 0.0)
    z = float(norm.ppf(1 - CONFIDENCE))
    share = (wrong + 0.5) / n
    root = np.sqrt(share / n - share**2 / n + z * z / (4 * n * n))
    upper = (share + z * z / (2 * n) + z * root) / (1 + z * z / n)
    return float(upper * n - wrong)


def bound(counts: Sequence[float] | Floats) -> float:
    """The upper bound of a leaf's errors."""
    total = float(np.sum(counts))
    wrong = total - float(np.max(counts))
    return wrong + added_errors(total, wrong) if total > 0 else 0.0


def sum_bounds(node: Node) -> float:
    """The upper bounds of the leaves' errors, added up."""
    if not node.branches:
        return bound(node.counts)
    return sum(sum_bounds(branch) for branch in node.branches)
