"""Law 8, as far as devices go: they change nothing but the last digits of local models.

The device is emulated: the CUDA sources compiled by g++.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklazy
from emulated import EmulatedDevice, needs_compiler
from sklazy import (
    LazyBlendClassifier,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyLearningClassifier,
    LazyLearningRegressor,
)
from sklazy.answer import Batch, prepare
from sklazy.answer.device import use_device

pytestmark = needs_compiler

few = settings(max_examples=25)


@pytest.fixture(autouse=True)
def device():
    with use_device(EmulatedDevice()) as emulated:
        yield emulated


def draw_table(rng, n_rows, n_queries, ties, missing):
    """Numbers and labels in turn, and three classes."""
    X = rng.standard_normal((n_rows + n_queries, 4))
    X = np.round(X) if ties else X
    X[:, ::2] = rng.integers(0, 3, (len(X), 2))
    X[rng.random(X.shape) < missing] = np.nan
    y = rng.integers(0, 3, n_rows)
    y[: min(3, n_rows)] = np.arange(min(3, n_rows))
    return X[:n_rows], y, X[n_rows:]


@few
@given(
    st.integers(4, 150),
    st.sampled_from([1, 5, 500]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["lazy", "none", "lazy-consistency"]),
    st.sampled_from(["share", "all"]),
    st.sampled_from(["uniform", "distance"]),
    st.integers(0, 2**32 - 1),
)
def test_neighbors_answer_alike(
    n_rows, k, discretize, weighted, selection, ties, weights_of_votes, seed
):
    rng = np.random.default_rng(seed)
    X, y, Q = draw_table(rng, n_rows, 8, seed % 2, 0.1)
    weights = rng.choice([0.0, 0.5, 1.0, 2.3], n_rows) if weighted else None
    if weighted:
        weights[:3] = 1.0
    model = LazyKNeighborsClassifier(
        k,
        2,
        selection,
        discretize=discretize,
        weights=weights_of_votes,
        ties=ties,
        categorical_features=[0, 2],
    ).fit(X, y, sample_weight=weights)
    rows = rng.integers(0, n_rows, 4)
    expected = everything(model, Q, rows)
    found = everything(model.set_params(device="cuda"), Q, rows)
    assert found == expected
    assert found["proba"] == [
        model.predict_proba(Q[i : i + 1])[0].tolist() for i in range(8)
    ]


def everything(model, Q, rows):
    receipts = model.explain(Q[:2], reasons=False)
    assert all(model.verify(receipt) for receipt in receipts)
    return {
        "proba": model.predict_proba(Q).tolist(),
        "left out": model.loo_predict_proba(rows=rows).tolist(),
        "receipts": [receipt.to_json() for receipt in receipts],
        "mask": model.select_attributes(Q).tolist(),
        "digest": model.digest(),
    }


@pytest.mark.parametrize("n_attributes", ["auto", "local", "vote"])
def test_numbers_of_attributes_found_by_cases(n_attributes):
    rng = np.random.default_rng(0)
    X, y, Q = draw_table(rng, 60, 8, True, 0.0)
    model = LazyKNeighborsClassifier(3, n_attributes, categorical_features=[0, 2])
    expected = model.fit(X, y).predict_proba(Q)
    found = model.set_params(device="cuda").predict_proba(Q)
    np.testing.assert_array_equal(found, expected)


def test_a_device_follows_the_cases(device):
    rng = np.random.default_rng(1)
    X, y, Q = draw_table(rng, 80, 8, True, 0.0)
    way = {"n_attributes": 2, "discretize": True, "categorical_features": [0, 2]}
    model = LazyKNeighborsClassifier(**way, device="cuda")
    model.fit(X[:50], y[:50]).predict(Q)
    model.partial_fit(X[50:], y[50:]).forget([0, 70])
    left = np.delete(np.arange(80), [0, 70])
    again = LazyKNeighborsClassifier(**way)
    expected = again.fit(X[left], y[left]).predict_proba(Q)
    np.testing.assert_array_equal(model.predict_proba(Q), expected)
    assert device.sources == {"planes.cu"}


def test_slices_are_made_ready_ahead(monkeypatch):
    from sklazy.methods.selection import nearest

    monkeypatch.setattr(nearest, "AHEAD", 3)
    monkeypatch.setattr(nearest, "LONG_SEARCH", 1)
    rng = np.random.default_rng(2)
    X, y, Q = draw_table(rng, 80, 40, True, 0.1)
    model = LazyKNeighborsClassifier(discretize=True, categorical_features=[0, 2])
    expected = model.fit(X, y).predict_proba(Q)
    model.set_params(device="cuda")
    np.testing.assert_array_equal(model.predict_proba(Q), expected)


@pytest.mark.parametrize("discretize", [False, True])
@pytest.mark.parametrize("half_life", [0.03, 15])  # the oldest weigh next to nothing
def test_cases_that_fade(discretize, half_life):
    X, y, Q = draw_table(np.random.default_rng(6), 40, 8, True, 0.1)
    model = LazyKNeighborsClassifier(
        3, 2, discretize=discretize, half_life=half_life, categorical_features=[0, 2]
    ).fit(X, y)
    expected = model.predict_proba(Q)
    model.set_params(device="cuda")
    np.testing.assert_array_equal(model.predict_proba(Q), expected)


@pytest.mark.parametrize("kind", [LazyLearningRegressor, LazyLearningClassifier])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_local_models_have_the_same_neighbors(kind, metric):
    rng = np.random.default_rng(3)
    X, y, Q = draw_table(rng, 300, 10, False, 0.1)
    model = kind(metric=metric, categorical_features=[0, 2]).fit(X, y)
    answers = []
    for device in (None, "cuda"):
        model.set_params(device=device)
        with model.cases_.snapshot() as cases:
            learner, queries = model._learner(), cases.encode(model._query_table(Q))
            batch = Batch(cases, cases.cases, queries)
            answers.append(learner.answer(prepare(learner, cases), batch))
    expected, found = answers
    np.testing.assert_array_equal(found.neighbors.rows, expected.neighbors.rows)
    distances = [answer.neighbors.distances for answer in answers]
    np.testing.assert_array_equal(*distances)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9, atol=1e-9)


def test_local_models_are_explained_as_on_the_cpu():
    rng = np.random.default_rng(4)
    X, y, Q = draw_table(rng, 120, 3, True, 0.1)
    model = LazyLearningRegressor(scale="range", categorical_features=[0, 2]).fit(X, y)
    expected = [receipt.to_json() for receipt in model.explain(Q, reasons=False)]
    left_out = model.loo_predict(rows=range(10))
    intervals = model.predict_interval(Q)
    model.set_params(device="cuda")
    assert [
        receipt.to_json() for receipt in model.explain(Q, reasons=False)
    ] == expected
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(model.loo_predict(rows=range(10)), left_out, **close)
    np.testing.assert_allclose(model.predict_interval(Q), intervals, **close)


@pytest.mark.parametrize(
    "ways",
    [{"max_rows": 0, "n_landmarks": 0, "n_neighbors": 20}, {"max_rows": 20}, {}],
    ids=["each query's nearest", "landmarks", "all"],
)
@pytest.mark.parametrize("kind", [LazyKernelClassifier, LazyKernelRegressor])
def test_kernel_models_agree_and_are_explained_as_on_the_cpu(kind, ways, device):
    X, y, Q = draw_table(np.random.default_rng(7), 90, 9, False, 0.1)
    way = {**ways, "categorical_features": [0, 2]}
    model = kind(**way).fit(X, y)
    answer = "predict_proba" if kind is LazyKernelClassifier else "predict"
    expected = getattr(model, answer)(Q)
    left_out = getattr(model, f"loo_{answer}")(rows=range(10))
    receipts = [receipt.to_json() for receipt in model.explain(Q[:2], reasons=False)]
    model.set_params(device="cuda")
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(getattr(model, answer)(Q), expected, **close)
    found = getattr(model, f"loo_{answer}")(rows=range(10))
    np.testing.assert_allclose(found, left_out, **close)
    assert [
        receipt.to_json() for receipt in model.explain(Q[:2], reasons=False)
    ] == receipts
    assert "similarities.cu" in device.sources


def test_a_blend_asks_its_kernel_model_on_the_device(device):
    X, y, Q = draw_table(np.random.default_rng(8), 60, 5, False, 0.0)
    model = LazyBlendClassifier(categorical_features=[0, 2]).fit(X, y)
    expected, receipt = (
        model.predict_proba(Q),
        model.explain(Q[:1], reasons=False)[0].to_json(),
    )
    model.set_params(device="cuda")
    np.testing.assert_allclose(model.predict_proba(Q), expected, rtol=1e-9, atol=1e-9)
    assert device.sources == {"similarities.cu"}
    assert model.explain(Q[:1], reasons=False)[0].to_json() == receipt


def test_a_device_is_saved_and_in_no_receipt(tmp_path):
    X, y, Q = draw_table(np.random.default_rng(5), 30, 2, True, 0.0)
    model = LazyKNeighborsClassifier(device="cuda").fit(X, y)
    assert "device" not in model.explain(Q, reasons=False)[0].to_json()
    model.save(tmp_path / "model.skl")
    loaded = sklazy.load(tmp_path / "model.skl")
    assert loaded.device == "cuda"
    np.testing.assert_array_equal(loaded.predict(Q), model.predict(Q))
