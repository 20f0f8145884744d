"""Neighbors on each query's own attributes against scikit-learn's on all of them."""

import functools

import numpy as np
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier

from sklazy import measures, neighbors
from sklazy.answer.threads import run_chunks
from sklazy.flow import Cases, Narrow, Queries, Selected
from sklazy.kernels import bits
from sklazy.measures import argmax_with_ties
from sklazy.methods.naive_bayes import model as naive_bayes

N_NEIGHBORS, N_CLASSES = 5, 5

# rows, queries, attributes, used, goals (nominal, numeric), why
SIZES = [
    (20_000, 5000, 16, 8, 25, 3, "letter: many rows, few attributes"),
    (5000, 5000, 60, 30, 10, 1.5, "splice: a few thousand rows and 60 attributes"),
    (1000, 1000, 5000, 2500, 2, 1.2, "gisette: more attributes than rows"),
    (200_000, 1000, 16, 8, 50, 4.5, "beyond the cache"),
    (1_000_000, 1000, 28, 14, 50, 2.5, "higgs: a million rows"),
]


def benchmarks():
    items = []
    for *size, nominal_goal, numeric_goal, why in SIZES:
        for kind, goal in ("nominal", nominal_goal), ("numeric", numeric_goal):
            contest = functools.cache(functools.partial(build, kind, *size))
            items.append(
                {
                    "name": f"{kind} neighbors, {size[0]} x {size[2]}, r = {size[3]}",
                    "why": why,
                    "goal": goal,
                    "ours": lambda contest=contest: contest()[0](),
                    "peer": lambda contest=contest: contest()[1](),
                    "peer_name": "brute k-NN on all attributes",
                }
            )
    one = functools.cache(functools.partial(build, "nominal", 20_000, 1, 16, 8, 100))
    items.append(
        {
            "name": "one nominal query, 20000 x 16, r = 8, a hundred times",
            "why": "what a single question costs: selection, search and vote",
            "goal": 50,
            "ours": lambda: one()[0](),
            "peer": lambda: one()[1](),
            "peer_name": "brute k-NN on all attributes",
        }
    )
    for d, n_classes in (16, 26), (60, 3), (500, 5):
        contest = functools.cache(functools.partial(build_bayes, d, n_classes))
        items.append(
            {
                "name": f"lazy naive Bayes, 5000 x {d}, {n_classes} classes",
                "why": "selection included, half of the attributes used",
                "goal": 3,
                "ours": lambda contest=contest: contest()[0](),
                "peer": lambda contest=contest: contest()[1](),
                "peer_name": "CategoricalNB.predict on all attributes",
            }
        )
    return items


def draw(n_rows, n_queries, n_attributes, n_classes=N_CLASSES):
    """Codes of rows and queries, and classes; the first attribute tells the class."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 11, n_attributes)
    codes = (rng.random((n_attributes, n_rows)) * sizes[:, None]).astype(np.int32)
    classes = rng.integers(0, n_classes, n_rows).astype(np.int32)
    codes[0] = classes % sizes[0]
    queries = (rng.random((n_queries, n_attributes)) * sizes).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return codes, offsets, classes, queries


def as_cases(codes, offsets, classes, n_classes, numbers):
    n_attributes, n_rows = codes.shape
    n_words = bits.words_for(n_rows)
    limits = np.array([0, n_classes])
    numeric = np.full(n_attributes, -1)
    numeric[: len(numbers)] = np.arange(len(numbers))
    return Cases(
        n_rows=n_rows,
        codes=Narrow(codes.astype(np.int8)),
        offsets=offsets,
        counts=bits.count_values(codes, offsets, classes, n_classes),
        class_counts=np.bincount(classes, minlength=n_classes),
        classes=Narrow(classes.astype(np.int8)),
        starts=offsets[:-1],
        value_bits=bits.build_bits(codes, offsets, n_words),
        class_bits=bits.build_bits(classes[None], limits, n_words)[:-1].copy(),
        numeric=numeric,
        numbers=numbers,
        ranges=np.stack([numbers.min(1, initial=9), numbers.max(1, initial=-9)], 1),
        targets=np.zeros((0, n_rows)),
        weights=np.ones(n_rows),
    )


def rank(cases):
    table = cases.counts, cases.offsets
    return measures.rank_values(
        measures.lazy_scores(*table), measures.attribute_scores(*table), cases.offsets
    )


def build(kind, n_rows, n_queries, n_attributes, n_selected, repeat=1):
    """Our search, selection included, and scikit-learn's."""
    codes, offsets, classes, queries = draw(n_rows, n_queries, n_attributes)
    numbers, values = np.zeros((0, n_rows)), np.zeros(queries.shape)
    inputs, peer_queries = codes.T, queries
    if kind == "numeric":
        rng = np.random.default_rng(1)
        numbers = rng.standard_normal((n_attributes, n_rows))
        values = rng.standard_normal((n_queries, n_attributes))
        inputs, peer_queries = numbers.T, values
    cases = as_cases(codes, offsets, classes, N_CLASSES, numbers)
    ranks = rank(cases)
    columns = neighbors.prepare_columns(cases) if kind == "numeric" else None

    cells = n_selected * n_rows
    each = 500 + 0.004 * cells if kind == "nominal" else 2000 + 0.07 * cells
    nanoseconds = n_queries * each  # roughly, in one thread

    def ours():
        for _ in range(repeat):
            selected = Selected(
                np.empty((n_queries, n_selected), np.int32),
                np.full(n_queries, n_selected, np.int32),
            )
            if kind == "nominal":
                search = neighbors.NominalSearch(cases, queries, selected, N_NEIGHBORS)
            else:
                search = neighbors.MixedSearch(
                    cases, columns, Queries(queries, values), selected, N_NEIGHBORS
                )

            def work(first, last, search=search):
                measures.select_range(
                    queries, ranks, search.selected.attributes, first, last
                )
                search.run(first, last)

            run_chunks(work, n_queries, None, nanoseconds)
            argmax_with_ties(search.votes, cases.class_counts)

    peer = KNeighborsClassifier(N_NEIGHBORS, algorithm="brute")
    peer.fit(np.ascontiguousarray(inputs, np.float64), classes)
    peer_queries = np.ascontiguousarray(peer_queries, np.float64)
    return ours, lambda: [peer.predict(peer_queries) for _ in range(repeat)]


def build_bayes(n_attributes, n_classes, n_rows=5000, n_queries=5000):
    """Our naive Bayes on half of the attributes, and scikit-learn's on all."""
    codes, offsets, classes, queries = draw(n_rows, n_queries, n_attributes, n_classes)
    cases = as_cases(codes, offsets, classes, n_classes, np.zeros((0, n_rows)))
    ranks = rank(cases)
    likelihoods = naive_bayes.estimate_likelihoods(
        cases.counts, cases.class_counts, offsets
    )

    def ours():
        selected = measures.select_lowest(queries, ranks, n_attributes // 2)
        joint = np.empty((n_queries, n_classes))
        naive_bayes.add_likelihoods(likelihoods, queries, selected, joint, 0, n_queries)
        argmax_with_ties(joint, cases.class_counts)

    peer = CategoricalNB(min_categories=np.diff(offsets)).fit(codes.T, classes)
    return ours, lambda: peer.predict(queries)
