"""Cases in parts against the same cases in one: in this process, and on a cluster."""

import copy
import time

import numpy as np

import sklazy
from sklazy.casebase.parted import PartedBase

N_PARTS = 4


def benchmarks():
    made = [
        ("labels", 400_000, labels, sklazy.LazyKNeighborsClassifier(5, 0.5), 0.9),
        ("numbers", 50_000, numbers, sklazy.LazyKNeighborsClassifier(5, 0.5), 0.9),
        ("local models", 50_000, numbers, sklazy.LazyLearningClassifier(), 0.9),
    ]
    return [
        *(compare_parts(*item) for item in made),
        compare_cluster(2_000_000, "a search of ten round trips"),
        compare_cluster(8_000_000, "rows that one would divide"),
        {
            "name": "digest after one row went",
            "why": "200 000 x 16: all rows against those of one bucket of 4096",
            "goal": 20,
            "measure": digest_again,
        },
    ]


def compare_parts(name, n_rows, make, model, goal):
    def measure():
        one, other, queries = models(n_rows, make, model)
        ours, peer = interleave(
            lambda: other.predict(queries), lambda: one.predict(queries)
        )
        return {"ours": ours, "peer": peer, "peer_name": "one case base"}

    return {
        "name": f"{N_PARTS} parts, {name}, 1000 queries",
        "why": f"{n_rows} rows: a search that merging must not dominate",
        "goal": goal,
        "measure": measure,
    }


def compare_cluster(n_rows, why):
    return {
        "name": f"2 Dask workers, {n_rows // 1_000_000} million labels, 1000 queries",
        "why": f"{n_rows} x 16: {why}",
        "goal": 0.9,
        "measure": lambda: on_cluster(n_rows),
    }


def models(n_rows, make, model):
    X, y = make(n_rows)
    nominal = list(range(X.shape[1])) if X.dtype.kind == "i" else None
    one = model.set_params(categorical_features=nominal, n_jobs=1).fit(X, y)
    other = copy.copy(one)
    owners = np.arange(n_rows) * N_PARTS // n_rows
    other.cases_ = PartedBase.cut(one.cases_, owners, N_PARTS)
    queries = make(1000, seed=1)[0]
    assert (one.predict(queries) == other.predict(queries)).all()
    return one, other, queries


def labels(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, 16)) * np.arange(2, 18) / 2 + 1).astype(np.int64)
    return X, (X[:, 0] + X[:, 5] + rng.integers(0, 2, n_rows)) % 4


def numbers(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 8))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n_rows) > 1).astype(int)


def digest_again():
    X, y = labels(200_000)
    model = sklazy.LazyNBClassifier(categorical_features=list(range(16))).fit(X, y)
    whole = timed(model.digest)
    rest = []
    for row in range(3):
        model.forget([row]).predict(X[:1])
        rest.append(timed(model.digest))
    return {"ours": min(rest), "peer": whole, "peer_name": "all rows"}


def on_cluster(n_rows):
    """Two workers of one thread against one process of two threads."""
    import dask.array as da
    import distributed
    from dask import delayed

    from sklazy.dask import LazyKNeighborsClassifier

    half = n_rows // 2
    halves = [labels(half, seed) for seed in (0, 2)]
    X, y = (np.concatenate(part) for part in zip(*halves, strict=True))
    queries, nominal = labels(1000, seed=1)[0], list(range(16))
    settings = {"n_neighbors": 5, "n_attributes": 0.5, "categorical_features": nominal}
    one = sklazy.LazyKNeighborsClassifier(**settings, n_jobs=2).fit(X, y)
    del halves, X, y
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        other = LazyKNeighborsClassifier(**settings, client=client, n_jobs=1)
        made = [delayed(labels, nout=2)(half, seed) for seed in (0, 2)]
        rows = [da.from_delayed(X, (half, 16), np.int64) for X, _ in made]
        classes = [da.from_delayed(y, (half,), np.int64) for _, y in made]
        other.fit(da.concatenate(rows), da.concatenate(classes))
        assert (one.predict(queries) == other.predict(queries)).all()
        ours, peer = interleave(
            lambda: other.predict(queries), lambda: one.predict(queries)
        )
        single = min(timed(lambda: other.predict(queries[:1])) for _ in range(9))
    text = f"one process, two threads (a single query: {1e3 * single:.1f} ms)"
    return {"ours": ours, "peer": peer, "peer_name": text}


def interleave(*calls, times=15):
    rounds = [[timed(call) for call in calls] for _ in range(times)]
    return [min(times_of_call) for times_of_call in zip(*rounds, strict=True)]


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


if __name__ == "__main__":
    for item in benchmarks():
        measured = item["measure"]()
        ratio, against = measured["peer"] / measured["ours"], measured["peer_name"]
        print(f"{item['name']}: {ratio:.2f} (goal {item['goal']}) against {against}")
