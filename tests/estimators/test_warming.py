"""What is compiled ahead of time is all that an ordinary use needs."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import sklazy
from sklazy.errors import BadInputError
from sklazy.estimators import warming
from sklazy.kernels import compiling

WARM = "import sys, json, sklazy; print(json.dumps(sklazy.warm(*{names})))"

# Larger tables than those of `warm`, as frames and as slices, several classes, gaps.
USE = """
import json, warnings
import numpy as np, pandas as pd, sklazy
from sklearn.base import is_regressor
from sklazy.kernels.compiling import count_compiled
warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
n = 300
numbers = pd.DataFrame(rng.normal(size=(n, 6))).add_prefix("x")
labels = pd.DataFrame(rng.choice(list("uvwxyz"), (n, 5))).add_prefix("c")
mixed = pd.concat([numbers, labels.astype("category")], axis=1)
gaps = mixed.mask(rng.random(mixed.shape) < 0.1)
tables = dict(
    numbers=numbers, array=numbers.to_numpy(), single=numbers.to_numpy("float32"),
    slices=rng.normal(size=(2 * n, 12))[::2, ::2], whole=(10 * numbers).astype(int),
    labels=labels, mixed=mixed, gaps=gaps, lacking=gaps.iloc[:, :6].astype(float),
)
compiled = {}
for name in NAMES:
    kind = getattr(sklazy, name)
    classes = numbers.x0 + rng.normal(size=n) > 0
    y = (numbers.x0 if is_regressor(kind()) else classes.astype(int)).to_numpy()
    for table, X in tables.items():
        before = count_compiled()
        known = X[:-50]
        try:
            model = kind().fit(known, y[:-50])
        except ValueError:
            continue
        for ask in ("predict", "predict_proba", "transform"):
            if hasattr(model, ask):
                getattr(model, ask)(X[-50:])
        if hasattr(model, "loo_predict"):
            model.explain(X[-2:], reasons=False)
            model.loo_predict()
            model.partial_fit(X[-3:], y[-3:], ids=[1001, 1002, 1003])
            model.forget([1001, 4]).predict(X[-1:])
        compiled[f"{name} {table}"] = count_compiled() - before
print(json.dumps(compiled))
"""


def run(code, names, folder):
    places = {"NUMBA_CACHE_DIR": str(folder)}
    code = code.replace("{names}", repr(names)).replace("NAMES", repr(names))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check(names, folder):
    n_compiled, seconds, kept = run(WARM, names, folder)
    assert n_compiled > 0
    assert seconds > 0
    assert kept.startswith(str(folder))
    compiled = run(USE, names, folder)
    assert len(compiled) >= 5 * len(names)
    assert {name: n for name, n in compiled.items() if n} == {}


def test_after_it_an_ordinary_use_compiles_nothing(tmp_path):
    check(["LazyNBClassifier"], tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_after_it_no_estimator_compiles_anything(tmp_path):
    everything = [type(model).__name__ for model in warming._name_models().values()]
    assert len(everything) > 20
    check(everything, tmp_path)


def test_learners_are_given_by_name_class_or_settings():
    by_name, by_class = (
        warming._find_model(x) for x in ("LazyNBClassifier", sklazy.LazyNBClassifier)
    )
    assert type(by_name) is type(by_class) is sklazy.LazyNBClassifier
    estimator = sklazy.LazyNBClassifier(alpha=2.0)
    assert warming._find_model(estimator) is estimator


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        ("LazyNBClasifier", "Did you mean 'LazyNBClassifier'"),
        (3, "3 is not an estimator"),
    ],
)
def test_what_is_no_learner_is_refused(learner, words):
    with pytest.raises(BadInputError, match=words):
        sklazy.warm(learner)


def test_an_interrupt_ends_it_and_small_jobs_wait_no_more(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(warming, "_use_model", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sklazy.warm("LazyNBClassifier")
    fresh = compiling.entry(lambda x: 5 * x)
    assert not fresh.is_due(0.1)


def test_what_was_done_is_said_in_a_sentence():
    sentence = str(warming.Warmed(3, 1.26, "/cache"))
    assert sentence == "3 kernels compiled in 1.3 s, kept in /cache."
    assert str(warming.Warmed(0, 0.0, None)).endswith("not kept.")


def test_tables_are_of_each_kind():
    tables = [X for X, _ in warming._make_tables(sklazy.LazyNBClassifier())]
    assert [X.dtype.kind for X in tables] == ["f", "O", "O", "f"]
    assert [np.any(X != X) or None in X for X in tables] == [False, False, True, True]
