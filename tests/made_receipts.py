"""Receipts as other rooms would make them: fixed ones, and any that are well formed."""

import copy

from hypothesis import strategies as st

from sklazy.receipts import SCHEMA, sealed

HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "{{ 7 * 7 }}",
    "a\u202eb",
    "two\nlines\x1b[31m",
    "\u05e9\u05dc\u05d5\u05dd",
    "色" * 50,
    "x" * 3000,
    "|--|`*_",
    "\ud800",
    "",
]


def case(name="12", label="good", differ=(), names=("color", "size"), distance=0.0):
    return {
        "id": name,
        "class": label,
        "distance": distance,
        "weight": 1.0,
        "agree": [n for n in names if n not in differ],
        "differ": list(differ),
        "values": {n: ("red" if i == 0 else 2.5) for i, n in enumerate(names)},
    }


def attribute(name, rank, used=True, value="red", bin=None, score=0.1):
    return {
        "name": name,
        "value": value,
        "bin": bin,
        "lazy_score": score,
        "value_score": None if value is None else score,
        "attribute_score": score + 0.3,
        "rank": rank,
        "used": used,
    }


def plain():
    """A receipt's data without hosts' parts or a seal."""
    return {
        "schema": SCHEMA,
        "sklazy": "0.1.0",
        "estimator": "LazyKNeighborsClassifier",
        "settings": {"n_neighbors": 3, "selection": "lazy", "criterion": None},
        "cases": {
            "digest": "d" * 64,
            "n_rows": 20,
            "class_counts": [
                {"label": "bad", "rows": 8},
                {"label": "good", "rows": 12},
            ],
        },
        "query": [
            {"name": "color", "value": "red", "known": "yes"},
            {"name": "size", "value": 2.5, "known": "yes"},
            {"name": "shape", "value": None, "known": "missing"},
        ],
        "selection": {
            "strategy": "lazy",
            "measure": "entropy",
            "n_attributes": 2,
            "rule": "fraction",
            "attributes": [
                attribute("color", 1),
                attribute("size", 2, value=2.5, bin="(2, 3]", score=0.4),
                attribute("shape", 3, used=False, value=None, score=0.9),
            ],
        },
        "votes": [
            {"label": "bad", "votes": 1, "probability": 0.25},
            {"label": "good", "votes": 4, "probability": 0.75},
        ],
        "answer": "good",
        "probability": 0.75,
    }


def neighbors():
    return {
        "k": 3,
        "n_voting": 5,
        "n_tied": 4,
        "distance_of_last": 1.0,
        "listed": [
            case("a"),
            case("b", differ=["size"], distance=1.0),
            case("c", "bad", ["color"], distance=1.0),
        ],
        "nearest_opposing": case("c", "bad", ["color"], distance=1.0),
    }


def likelihoods():
    return {
        "prior": [{"label": "bad", "log": -0.9}, {"label": "good", "log": -0.5}],
        "attributes": [
            {"name": "color", "log": [-2.0, -0.5]},
            {"name": "size", "log": [-0.7, -1.1]},
        ],
    }


def model():
    return {
        "estimator": "LogisticRegression()",
        "attributes": ["color", "size"],
        "n_models_in_batch": 4,
    }


def knn_receipt():
    return sealed({**plain(), "neighbors": neighbors()})


def nb_receipt():
    return sealed({**plain(), "likelihoods": likelihoods()})


def model_receipt():
    return sealed({**plain(), "model": model()})


def hostile_receipt(name, label):
    """The k-NN receipt with one name and one label put everywhere."""
    content = copy.deepcopy({**knn_receipt(), "likelihoods": likelihoods()})
    return sealed(_renamed(content, {"color": name, "good": label, "red": label}))


def _renamed(value, names):
    if isinstance(value, dict):
        return {
            names.get(k, k) if k in names else k: _renamed(v, names)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, str):
        return names.get(value, value)
    return value


def leaves(value, path=()):
    """The paths of all that is neither dict nor list."""
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in leaves(v, (*path, k))]
    if isinstance(value, list):
        return [p for i, v in enumerate(value) for p in leaves(v, (*path, i))]
    return [path]


def replaced(value, path, new):
    """A copy with another leaf at the end of a path."""
    edited = copy.deepcopy(value)
    spot = edited
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = new
    return edited


def at(value, path):
    for step in path:
        value = value[step]
    return value


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from(HOSTILE),
)
