"""More messages and their ways out: weights, joins, searches, audits, certificates."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import sklazy
from sklazy import (
    LazyClassifier,
    LazyImputer,
    LazyKernelClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    LazySelectionClassifier,
    RaceFeatureSelector,
    RaceSearchCV,
    Table,
)
from sklazy.casebase import CaseBase
from sklazy.measures.contingency import CountTable
from sklazy.tables import as_target
from ways_out import Way, check

X = pd.DataFrame({"age": np.arange(24.0), "colour": list("abcd") * 6})
NUMBERS = np.random.default_rng(0).normal(size=(40, 3))
Y, AMOUNTS = ["no", "yes"] * 12, NUMBERS[:, 0] + NUMBERS[:, 1]
WEIGHTS = np.linspace(0.5, 2.0, 24)
ONE_COLUMN = X[["age"]].to_numpy()


def bayes(rows=slice(None), **more):
    return LazyNBClassifier(**more).fit(X[rows], Y[rows])


def nearest(frame=X, **parameters):
    return LazyKNeighborsClassifier(**parameters).fit(frame, Y[: len(frame)])


def local(**parameters):
    return LazyLearningRegressor(**parameters).fit(NUMBERS, AMOUNTS)


def parts(*ids):
    cut = [slice(0, 12), slice(12, 24)]
    return [
        LazyNBClassifier().fit(X[rows], Y[rows], ids=names)
        for rows, names in zip(cut, ids, strict=True)
    ]


def typed(*dtypes):
    frames = [X.assign(colour=X["colour"].astype(dtype)) for dtype in dtypes]
    return [
        LazyNBClassifier().fit(frame[rows], Y[rows], ids=range(*rows.indices(24)))
        for frame, rows in zip(frames, [slice(0, 12), slice(12, 24)], strict=True)
    ]


def audit(estimator=None):
    return sklazy.audit(NUMBERS, AMOUNTS > 0, estimator=estimator)


class OnlyLeavesOut(LogisticRegression):
    """A classifier that leaves rows out, and keeps no cases."""

    def loo_predict_proba(self):
        return np.full((len(NUMBERS), 2), 0.5)


def selected(host, **fit):
    model = LazySelectionClassifier(host, n_attributes=1)
    return model.fit(ONE_COLUMN, Y, **fit).predict(ONE_COLUMN[:1])


class Unsure(LogisticRegression):
    """A classifier whose probabilities are none."""

    def predict_proba(self, X):
        return np.full((len(X), 2), -1.0)


def search(**parameters):
    grid = {"n_neighbors": [1, 3, 5]}
    return RaceSearchCV(LazyKNeighborsClassifier(), grid, **parameters).fit(X, Y)


def raced(**parameters):
    grid = {"C": [0.1, 1.0, 10.0]}
    model = RaceSearchCV(LogisticRegression(), grid, **parameters)
    return model.fit(NUMBERS, AMOUNTS > 0)


def two_scores(model, X, y):
    return {"right": model.score(X, y), "wrong": 1 - model.score(X, y)}


def blend(member, **fit):
    model = LazyClassifier([member], default_members=False)
    return model.fit(X, Y, **fit).predict(X[:1])


def select(**parameters):
    return RaceFeatureSelector(**parameters).fit(NUMBERS, AMOUNTS)


def filled():
    return LazyImputer().fit(X, ids=[f"c{i}" for i in range(24)])


def prequential(model):
    return sklazy.prequential(model, X, Y, n_first=12)


WAYS = [
    # --- rows and ids -----------------------------------------------------------------
    Way(
        lambda: bayes(slice(0, 1)).loo_predict(),
        "only one. Add rows first",
        lambda: bayes(slice(0, 1)).partial_fit(X[1:], Y[1:]).loo_predict(),
    ),
    Way(
        lambda: CaseBase(Table.from_any(X), as_target(Y, "nominal"), cuts="none"),
        "is unknown; use 'exact' or 'frozen'",
        lambda: CaseBase(Table.from_any(X), as_target(Y, "nominal"), cuts="frozen"),
    ),
    Way(
        lambda: sklazy.join(parts(range(12), [f"c{i}" for i in range(12)])),
        "some parts have text ids, others numbers; use one kind, or renumber=True",
        lambda: sklazy.join(
            parts(range(12), [f"c{i}" for i in range(12)]), renumber=True
        ),
    ),
    Way(
        lambda: sklazy.join(typed("object", "category")),
        r"give it one type, for instance by astype\('category'\)",
        lambda: sklazy.join(typed("category", "category")),
    ),
    Way(
        lambda: sklazy.join([*parts(range(12), range(12, 24)), StandardScaler()]),
        "keeps no cases; give fitted lazy estimators of sklazy",
        lambda: sklazy.join(parts(range(12), range(12, 24))),
    ),
    Way(
        lambda: filled().partial_fit(X[:1], ids=["c3"]),
        "are taken; give others",
        lambda: filled().partial_fit(X[:1], ids=["c99"]),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X, np.array([Y, Y]).T),
        "Give one label for each row; of several columns, fit a model for each",
        lambda: LazyNBClassifier().fit(X, Y),
    ),
    Way(
        lambda: LazyNBClassifier().fit(X[:2], Y[:2], ids=["P7", "P7"]),
        r"give every row its own id, also the rows of one person \('P7-1', 'P7-2'\)",
        lambda: (
            LazyNBClassifier()
            .fit(X[:3], Y[:3], ids=["P7-1", "P7-2", "P8"])
            .forget(["P7-1", "P7-2"])
        ),
    ),
    Way(
        lambda: local().fit(NUMBERS[:1], AMOUNTS[:1]).predict(NUMBERS),
        "rows to learn from; there are n_samples=1. Give more rows",
        lambda: local().fit(NUMBERS[:9], AMOUNTS[:9]).predict(NUMBERS),
    ),
    # --- frames -----------------------------------------------------------------------
    Way(
        lambda: bayes().predict(pa.Table.from_pandas(X.assign(who=range(24)))),
        r"Leave these columns out: X\.drop\(\['who'\]\)",
        lambda: bayes().predict(X.assign(who=range(24)).drop(columns=["who"])),
    ),
    Way(
        lambda: raced(blocks="rows"),
        "needs a lazy learner, which can leave out a row; .* Use blocks='folds'",
        lambda: raced(blocks="folds"),
    ),
    Way(
        lambda: bayes().fit(csr_matrix(NUMBERS), AMOUNTS > 0),
        r"Use '\.toarray\(\)' to convert",
        lambda: bayes().fit(csr_matrix(NUMBERS).toarray(), AMOUNTS > 0),
    ),
    # --- weights ----------------------------------------------------------------------
    Way(
        lambda: blend(KNeighborsClassifier(), sample_weight=WEIGHTS),
        "takes no sample_weight, but rows have weights. Leave it out",
        lambda: blend(KNeighborsClassifier()),
    ),
    Way(
        lambda: selected(KNeighborsClassifier(), sample_weight=WEIGHTS),
        "takes none; leave it out, or use another estimator",
        lambda: selected(LogisticRegression(), sample_weight=WEIGHTS),
    ),
    Way(
        lambda: LazyKernelClassifier().fit(X, Y, WEIGHTS * 1e200).predict(X),
        r"Divide all weights by \S+",
        lambda: LazyKernelClassifier().fit(X, Y, WEIGHTS).predict(X),
    ),
    # --- parameters -------------------------------------------------------------------
    Way(
        lambda: local(scale="round").predict(NUMBERS[:1]),
        "expected True, False, 'std' or 'range'",
        lambda: local(scale="range").predict(NUMBERS[:1]),
    ),
    Way(
        lambda: local(n_neighbors={1: (60, 90)}).predict(NUMBERS[:1]),
        "ask for fewer neighbors or a lower degree",
        lambda: local(n_neighbors={1: (10, 30)}).predict(NUMBERS[:1]),
    ),
    Way(
        lambda: LazyLearningRegressor().fit(NUMBERS[:1], [1.0]).predict(NUMBERS[:1]),
        "Give more rows",
        lambda: local().predict(NUMBERS[:1]),
    ),
    Way(
        lambda: nearest(selection="lazy-cfs", measure="gini").predict(X[:1]),
        "has no lazy CFS, .* give measure='entropy', or selection='lazy'",
        lambda: nearest(selection="lazy", measure="gini").predict(X[:1]),
    ),
    Way(
        lambda: nearest(selection="lazy-hip").predict(X[:1]),
        "needs a hierarchy; give hierarchy=",
        lambda: LazyNBClassifier(
            selection="lazy-hip", hierarchy={"dog": ["mammal"], "mammal": []}
        ).fit(pd.DataFrame({"dog": [0, 1] * 12, "mammal": [0, 1, 1] * 8}), Y),
    ),
    Way(
        lambda: selected(Unsure()),
        "expected probabilities. Scale or clean the columns, or use another estimator",
        lambda: selected(LogisticRegression()),
    ),
    Way(
        lambda: CountTable(np.zeros(3), np.zeros(2, int)),
        r"make no table; give \(n_values, n_classes\) and \(n_attributes \+ 1,\)",
        lambda: CountTable(np.zeros((3, 2)), np.array([0, 3])),
    ),
    # --- audits, values, reasons ------------------------------------------------------
    Way(
        lambda: audit(OnlyLeavesOut().fit(NUMBERS, AMOUNTS > 0)).explain([0]),
        "has no receipts; audit with a lazy estimator, or leave estimator out",
        lambda: audit().explain([0]),
    ),
    Way(
        lambda: audit(OnlyLeavesOut().fit(NUMBERS, AMOUNTS > 0)).case_values(),
        "keeps no cases; audit with a lazy estimator, or leave estimator out",
        lambda: audit(LazyKernelClassifier()).case_values(),
    ),
    Way(
        lambda: sklazy.case_values(nearest(), X[:3]),
        "give both X and y, or neither",
        lambda: sklazy.case_values(nearest(), X[:3], Y[:3]),
    ),
    Way(
        lambda: sklazy.case_values(nearest(), X[:3], Y[:2]),
        "give one entry for each row, at least one",
        lambda: sklazy.case_values(nearest(), X[:3], Y[:3]),
    ),
    Way(
        lambda: sklazy.explain(
            RandomForestClassifier(2).fit(NUMBERS, AMOUNTS > 0), NUMBERS[:1]
        ),
        "give a lazy estimator of sklazy, or a pipeline or search around one",
        lambda: sklazy.explain(
            LazyKernelClassifier().fit(NUMBERS, AMOUNTS > 0), NUMBERS[:1]
        ),
    ),
    Way(
        lambda: bayes().explain(X[:1], reasons=False)[0].to_frame(),
        r"call explain\(X, reasons=True\), or contributions\(X\)",
        lambda: (
            bayes().explain(X[:1], reasons=True)[0].to_frame(),
            bayes().contributions(X[:1]),
        ),
    ),
    Way(
        lambda: prequential(LogisticRegression()),
        "with `partial_fit`, such as LazyKNeighborsClassifier",
        lambda: prequential(LazyKNeighborsClassifier()),
    ),
    # --- searches and races -----------------------------------------------------------
    Way(
        lambda: search(scoring=two_scores, blocks="folds"),
        "name the metric to race by raced_metric or refit",
        lambda: search(scoring=two_scores, blocks="folds", refit="right"),
    ),
    Way(
        lambda: search(scoring=lambda *_: "good", blocks="folds"),
        "scoring must give a number",
        lambda: search(scoring=lambda *_: 0.5, blocks="folds"),
    ),
    Way(
        lambda: select(max_blocks=0),
        "is too small; give 1 or more",
        lambda: select(max_blocks=1),
    ),
    Way(
        lambda: search(first_test=1),
        "is too small; give 2 or more",
        lambda: search(first_test=2),
    ),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.words[:40])
@pytest.mark.filterwarnings(
    "ignore::sklazy.errors.DataWarning", "ignore::UserWarning", "ignore::FutureWarning"
)
def test_the_way_out_that_a_message_names_leads_out(way):
    check(way)


def test_a_search_without_a_best_estimator_is_refitted():
    model = search(refit=False)
    with pytest.raises(AttributeError) as met:
        model.predict(X)
    way = "Give refit=True, or refit search.best_params_ yourself"
    assert way in str(met.value.__cause__)
    assert len(nearest(**model.best_params_).predict(X)) == 24
    assert len(search(refit=True).predict(X)) == 24


def test_a_file_in_the_place_of_another_is_loaded_or_saved_elsewhere(tmp_path):
    path = tmp_path / "model.sklazy"
    nearest().save(path)
    model = sklazy.load(path, mmap_mode="r+")
    other = tmp_path / "other.sklazy"
    bayes().save(other)
    other.replace(path)
    with pytest.raises(sklazy.BadFileError, match="Load that one, or save this model"):
        model.forget([3])
    assert isinstance(sklazy.load(path), LazyNBClassifier)
    model.save(other)
    assert len(sklazy.load(other).ids_) == 24


def test_a_certificate_that_contradicts_itself_is_written_again(tmp_path):
    path = tmp_path / "model.sklazy"
    nearest().save(path)
    text = sklazy.erase(path, [3]).to_json()
    content = json.loads(text)
    content["rows"]["before"] += 1
    with pytest.raises(sklazy.errors.CertificateError, match="edited"):
        sklazy.check_certificate(json.dumps(content), path)
    assert sklazy.check_certificate(text, path, ids=[3])
