"""A query's paths through ten bags against scikit-learn's trees on the same bags."""

import time

import numpy as np
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from sklazy.flow import Queries
from sklazy.methods.paths.bags import beta_neighbors, draw_weights, plan_bags
from sklazy.methods.paths.model import PathRules, answer_by_paths, make_paths
from sklazy.methods.paths.random_paths import answer_by_random_paths, make_random_paths

N_BAGS = 10
RULES = PathRules()


def benchmarks():
    cases = [
        ("200 x 60 continuous", spectra, "like sonar: small, all columns sorted", 10),
        ("1728 x 6 nominal", grid, "like car: a path is short, draws count", 100),
        ("3196 x 36 nominal", endgames, "like kr-vs-kp: wide, two classes", 100),
        ("20000 x 16 integers", letters, "like letter: 26 classes, 16 values", 80),
        ("20000 x 16 continuous", curves, "like letter, every number distinct", 150),
    ]
    items = [
        {
            "name": f"lazy bagging, {name}",
            "why": why,
            "goal": goal,
            "measure": lambda make=make: against_trees(make),
        }
        for name, make, why, goal in cases
    ]
    items.append(
        {
            "name": "random paths, 640 x 20 continuous",
            "why": "the size at which 100 paths should take 1 to 2 ms",
            "goal": 40,
            "measure": lambda: against_extra_trees(cloud),
        }
    )
    for name, make, why, _ in cases[1:3]:
        items.append(
            {
                "name": f"shared bags, {name}",
                "why": why + "; 400 queries share the nodes of ten bags",
                "goal": 2,
                "measure": lambda make=make: against_own_bags(make),
            }
        )
    return items


def against_trees(make):
    """Times of a query: ten paths, and ten trees fitted by scikit-learn."""
    task = Task(make, n_queries=40)
    few = 1 if task.n_rows > 5000 else 3
    paths, trees = in_turn(task.follow_paths, lambda: task.fit_trees(few))
    name = "DecisionTreeClassifier on the same bags"
    return {"ours": paths / task.n_queries, "peer": trees / few, "peer_name": name}


def against_extra_trees(make):
    """Times of a query: ten random paths, and ten extra trees on its bags."""
    task = Task(make, n_queries=40)
    paths, trees = in_turn(
        task.draw_paths, lambda: task.fit_trees(3, ExtraTreeClassifier)
    )
    name = "ExtraTreeClassifier on the same bags"
    return {"ours": paths / task.n_queries, "peer": trees / 3, "peer_name": name}


def against_own_bags(make):
    """Times of bags that share a part, and of bags drawn for each query."""
    task = Task(make, n_queries=400)
    shared, separate = in_turn(lambda: task.follow_paths(share=True), task.follow_paths)
    return {"ours": shared, "peer": separate, "peer_name": "bags of each query's own"}


def in_turn(ours, peer, n_times=5):
    """The best processor time of two contestants, in turn after one round to warm up.

    Both run in one thread, and other work on the machine does not count.
    """
    best = [np.inf, np.inf]
    for turn in range(n_times + 1):
        for i, contestant in enumerate((ours, peer)):
            begin = time.process_time()
            contestant()
            if turn:
                best[i] = min(best[i], time.process_time() - begin)
    return best


class Task:
    """Rows, queries among them, and their bags."""

    def __init__(self, make, n_queries):
        rng = np.random.default_rng(0)
        self.X, self.y, nominal = make(rng)
        self.n_rows, n_columns = self.X.shape
        self.n_queries = n_queries
        query_rows = rng.choice(self.n_rows, n_queries, replace=False)
        codes = np.full(self.X.shape, -1, np.int32)
        values = np.full(self.X.shape, np.nan)
        sizes = np.zeros(n_columns, np.int64)
        if nominal:
            codes[:], sizes[:] = self.X, self.X.max(axis=0) + 1
        else:
            values[:] = self.X
        classes, n_classes = self.y.astype(np.int32), int(self.y.max()) + 1
        columns = np.ascontiguousarray(codes.T), np.ascontiguousarray(values.T)
        self.paths = make_paths(*columns, sizes, classes, n_classes)
        self.random_paths = make_random_paths(self.paths)
        self.queries = Queries(codes[query_rows], values[query_rows])
        self.query_rows = query_rows
        near = self.nearest(query_rows, beta_neighbors(self.n_rows), nominal)
        numeric = sizes == 0
        self.bags = plan_bags(self.queries, numeric, near, N_BAGS, 0)
        self.shared = plan_bags(self.queries, numeric, near, N_BAGS, 0, share=True)

    def nearest(self, query_rows, n_near, nominal):
        spread = np.ones(self.X.shape[1]) if nominal else np.ptp(self.X, axis=0)
        rows = []
        for row in self.X[query_rows]:
            apart = row != self.X if nominal else (self.X - row) / spread
            far = (apart.astype(float) ** 2).sum(axis=1)
            rows.append(np.argsort(far, kind="stable")[:n_near])
        return np.array(rows)

    def follow_paths(self, share=False):
        bags = self.shared if share else self.bags
        return answer_by_paths(self.paths, self.queries, bags, RULES, share=share)

    def draw_paths(self):
        n_tried = int(np.sqrt(self.X.shape[1]))
        return answer_by_random_paths(
            self.random_paths, self.queries, self.bags, n_tried
        )

    def fit_trees(self, n_queries, kind=DecisionTreeClassifier):
        X, rows = self.X.astype(np.float32), np.arange(self.n_rows)
        for query in range(n_queries):
            for weights in draw_weights(self.bags, query, self.n_rows):
                bag = np.repeat(rows, weights)
                tree = kind(criterion="entropy")
                tree.fit(X[bag], self.y[bag]).predict(X[self.query_rows[query], None])


def spectra(rng):
    """Two classes of smooth curves with noise."""
    y = rng.integers(0, 2, 200)
    waves = np.cumsum(rng.normal(size=(200, 60)), axis=1) / 8
    bump = np.exp(-0.5 * ((np.arange(60) - 12) / 5) ** 2)
    return waves + 0.6 * y[:, None] * bump, y, False


def cloud(rng):
    """Two classes on the sides of a plane, blurred."""
    X = rng.normal(size=(640, 20))
    return X, (X[:, :6].sum(axis=1) + rng.normal(size=640) > 0).astype(int), False


def grid(_rng):
    """All combinations of six attributes; the class follows thresholds on them."""
    axes = [np.arange(size) for size in (4, 4, 4, 3, 3, 3)]
    X = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 6)
    price, comfort = X[:, 0] + X[:, 1], X[:, 2] + X[:, 3] + X[:, 4]
    y = np.where((X[:, 5] == 0) | (X[:, 3] == 0) | (price > 4), 0, 1)
    y = y + (y & (price + 2 < comfort)) + (y & (price < 2) & (X[:, 5] == 2))
    return X, y, True


def endgames(rng):
    """36 attributes of two or three values; the class is that of a list of rules."""
    sizes = np.where(np.arange(36) == 14, 3, 2)
    X = (rng.random((3196, 36)) ** 2 * sizes).astype(np.int64)
    order = rng.permutation(36)
    y = np.zeros(3196, np.int64)
    for depth in range(0, 30, 3):
        a, b, c = order[depth : depth + 3]
        rule = (X[:, a] == 1) & (X[:, b] == 0) & (X[:, c] == (depth // 3) % 2)
        y = np.where(rule, (depth // 3 + 1) % 2, y)
    return X, y, True


def curves(rng):
    """26 classes, each of two clusters in 16 dimensions."""
    y = rng.integers(0, 26, 20000)
    centers = rng.normal(7.5, 2.0, (26, 2, 16))
    X = centers[y, rng.integers(0, 2, 20000)] + rng.normal(0, 1.4, (20000, 16))
    return X, y, False


def letters(rng):
    X, y, _ = curves(rng)
    return np.clip(np.round(X), 0, 15), y, False
