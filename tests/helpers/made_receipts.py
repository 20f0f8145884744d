"""Receipts to be read, shown and forged: one at least of every kind.

Some are written by hand, so that what they should say is known; the others are those
of small models, which `model_of` gives for replaying.
"""

import copy
import functools

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import sklazy
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
        "vote": 1.0,
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
        "n_same_value": None if value is None else 7,
        "rank": rank,
        "used": used,
    }


def plain():
    """A receipt's data without hosts' parts or a seal."""
    return {
        "schema": SCHEMA,
        "kind": "selection",
        "sklazy": "0.2.0",
        "estimator": "LazyKNeighborsClassifier",
        "settings": {"n_neighbors": 3, "selection": "lazy", "criterion": None},
        "cases": {
            "digest": "d" * 64,
            "n_rows": 20,
            "target": "quality",
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
        "novelty": {
            **{"distance": 0.5, "farther_than": 0.25},
            **{"unlike": False, "n_compared": 20},
        },
        "selection": {
            "strategy": "lazy",
            "measure": "entropy",
            "n_attributes": 2,
            "rule": "fraction",
            "score_if_uninformative": 0.97,
            "score_if_perfect": 0.0,
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
        "nearest_other_class": case("d", "bad", ["color"], distance=1.0),
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


def rule_receipt():
    """A Bayesian rule of one value; the cases below are too few for one."""
    content = {key: value for key, value in plain().items() if key != "selection"}
    step = {
        **{
            "attribute": "color",
            "value": "red",
            "bin": None,
            "remaining_per_class": [2, 7],
        },
        **{"n_now_right": 6, "n_now_wrong": 0, "p_value": 0.015625},
    }
    told = likelihoods()
    told["attributes"] = [
        {"name": "size", "log": [-0.7, None]},
        {"name": "shape", "log": [0.0, 0.0]},
    ]
    return sealed(
        {
            **content,
            "kind": "bayes_rules",
            "estimator": "LazyBayesRulesClassifier",
            "conditions": [step],
            "likelihoods": told,
        }
    )


WRITTEN = [knn_receipt, nb_receipt, model_receipt]

KINDS = ["tree", "bayes", "neighbors", "linear", "rule", DecisionTreeClassifier()]
FITTED = {
    "knn": sklazy.LazyKNeighborsClassifier(2),
    "bayes": sklazy.LazyNBClassifier(),
    "knn of numbers": sklazy.LazyKNeighborsRegressor(2, 0.7),
    "all numbers of attributes": sklazy.LazyKNeighborsRegressor(2, "vote"),
    "stacking": sklazy.LazyStackingClassifier(KINDS, 6, n_neighbors=2),
    "bagging": sklazy.LazyBaggingClassifier(3, combine="accuracy"),
    "stacking of numbers": sklazy.LazyStackingRegressor.paper(n_estimators=4),
    "tree": sklazy.LazyDecisionTreeClassifier(),
    "bayes rules": sklazy.LazyBayesRulesClassifier(1.0, 2, 1.0),
    "association": sklazy.LazyAssociativeClassifier(2, 0.3),
    "local models": sklazy.LazyLearningRegressor(degrees=(0, 1, 2), n_neighbors=(3, 9)),
    "local PLS": sklazy.LazyPLSRegressor(n_neighbors=9, localization=1.0),
    "two targets": sklazy.LazyLearningRegressor(degrees=1, n_neighbors=(3, 5)),
    "logistic": sklazy.LazyLogisticClassifier(),
    "line": sklazy.LazyRidgeRegressor(),
    "blend": sklazy.LazyClassifier(
        [
            ("tree", DecisionTreeClassifier()),
            ("knn", sklazy.LazyKNeighborsClassifier(2)),
            ("line", sklazy.LazyLogisticClassifier()),
        ],
        default_members=False,
    ),
    "blend of numbers": sklazy.LazyRegressor(
        [
            ("line", sklazy.LazyRidgeRegressor()),
            ("local", sklazy.LazyLearningRegressor(degrees=1, n_neighbors=(3, 5))),
        ],
        default_members=False,
    ),
    "kernel": sklazy.LazyKernelClassifier(),
    "kernel of numbers": sklazy.LazyKernelRegressor(max_rows=9, n_landmarks=7),
    "local classes": sklazy.LazyLearningClassifier(degrees=(0, 1), n_neighbors=(2, 6)),
}


def rows(n=24):
    """Names, labels and cells as in the receipts above; two targets are numbers."""
    rng = np.random.default_rng(5)
    good = rng.random(n) < 0.5
    size = np.where(good, 3.0, 1.0) + rng.normal(size=n).round(2)
    size[5] = np.nan
    color = np.where(rng.random(n) < 0.5, "red", "blue").astype(object)
    shape = np.where(good, "round", "flat").astype(object)
    shape[[2, 9]] = None
    X = pd.DataFrame({"color": color, "size": size, "shape": shape})
    price = pd.Series(np.nan_to_num(size) * 2 + rng.random(n).round(3), name="price")
    return X, pd.Series(np.where(good, "good", "bad"), name="quality"), price


QUERY = pd.DataFrame({"color": ["red"], "size": [2.5], "shape": [None]}, dtype=object)


@functools.cache
def model_of(name):
    """A fitted model whose receipt `receipt_of` gives."""
    X, quality, price = rows()
    model = FITTED[name]
    if "Classifier" in type(model).__name__:
        return model.fit(X, quality)
    both = pd.DataFrame({"price": price, "tax": price**2})
    return model.fit(X, both if name == "two targets" else price)


def receipt_of(name):
    """What a model says of a red thing of size 2.5, as plain data."""
    return (
        model_of(name)
        .explain(QUERY.astype({"size": float}), reasons=False)[0]
        .to_dict()
    )


@functools.cache
def _kept(name):
    return receipt_of(name)


MADE = [
    *WRITTEN,
    rule_receipt,
    *[functools.partial(lambda name: copy.deepcopy(_kept(name)), n) for n in FITTED],
]
"""Functions that give a content to be changed, one at least of every kind."""


def hostile(content, name, label):
    """A receipt with one name and one label put everywhere."""
    return sealed(
        _renamed(
            copy.deepcopy(content),
            {"color": name, "good": label, "red": label, "price": name},
        )
    )


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


def branches(value, path=()):
    """The paths of everything, dicts and lists included."""
    own = [path] if path else []
    if isinstance(value, dict):
        return own + [p for k, v in value.items() for p in branches(v, (*path, k))]
    if isinstance(value, list):
        return own + [p for i, v in enumerate(value) for p in branches(v, (*path, i))]
    return own


def replaced(value, path, new):
    """A copy with something else at the end of a path."""
    edited = copy.deepcopy(value)
    at(edited, path[:-1])[path[-1]] = new
    return edited


def removed(value, path):
    """A copy without what stands at the end of a path."""
    edited = copy.deepcopy(value)
    del at(edited, path[:-1])[path[-1]]
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
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
