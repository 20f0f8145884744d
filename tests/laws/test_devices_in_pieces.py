"""Law 8 where a device is too small for the cases, and where there are several.

Devices are emulated, with memory for some 64 to 192 rows of these tables.
"""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulated import EmulatedDevice, needs_compiler
from sklazy import (
    DeviceError,
    LazyKernelClassifier,
    LazyKNeighborsClassifier,
    LazyLearningClassifier,
    LazyLearningRegressor,
)
from sklazy.answer import Batch, prepare
from sklazy.answer.device import use_device
from sklazy.casebase.parted import PartedBase
from sklazy.methods.local_models import cuda as local_cuda
from sklazy.methods.selection import nearest_in_pieces

pytestmark = needs_compiler

FOR_LABELS, FOR_NUMBERS, FOR_MODELS = 2500, 16_000, 20_000  # bytes
WAYS = ["small", "two", "parts", "parts on two"]


def forge(n_bytes, way):
    """A small device and its name, or two of them."""
    if way in ("small", "parts"):
        return [EmulatedDevice(n_bytes=n_bytes)], "cuda"
    names = ["emulated:0", "emulated:1"]
    return [EmulatedDevice(name=name, n_bytes=n_bytes) for name in names], "cuda:all"


def draw_table(rng, n_rows, n_queries):
    """Numbers and labels in turn, with gaps and ties, and three classes."""
    X = np.round(rng.standard_normal((n_rows + n_queries, 4)), int(rng.integers(0, 3)))
    X[:, ::2] = rng.integers(0, 3, (len(X), 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, n_rows)
    y[: min(3, n_rows)] = np.arange(min(3, n_rows))
    return X[:n_rows], y, X[n_rows:]


def as_asked(model, way):
    """The model, its cases in parts if these are asked for."""
    if "parts" not in way:
        return model
    owners = np.arange(model.cases_.n_rows) % 3
    twin = copy.copy(model)
    twin.cases_ = PartedBase.cut(model.cases_, np.sort(owners), 4)  # one without rows
    return twin


@settings(max_examples=30)
@given(
    st.integers(40, 400),
    st.sampled_from([1, 5, 120]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["share", "all"]),
    st.sampled_from(["uniform", "distance"]),
    st.sampled_from(WAYS),
    st.integers(0, 2**32 - 1),
)
def test_neighbors_answer_alike(
    n_rows, k, discretize, weighted, ties, weights_of_votes, way, seed
):
    rng = np.random.default_rng(seed)
    X, y, Q = draw_table(rng, n_rows, 6)
    weights = rng.choice([0.0, 0.5, 1.0, 2.3], n_rows) if weighted else None
    if weighted:
        weights[:3] = 1.0
    model = LazyKNeighborsClassifier(
        k,
        2,
        discretize=discretize,
        weights=weights_of_votes,
        ties=ties,
        cuts="frozen",
        categorical_features=[0, 2],
    ).fit(X, y, sample_weight=weights)
    rows = np.r_[0, n_rows - 1, rng.integers(0, n_rows, 3)]
    rows = rows[:1] if weighted else rows  # each is forgotten
    expected = everything(model, Q, rows)
    devices, name = forge(FOR_LABELS if discretize else FOR_NUMBERS, way)
    with use_device(*devices):
        other = as_asked(model, way).set_params(device=name)
        assert everything(other, Q, rows) == expected
        one = other.predict_proba(Q[:1])[0].tolist()
        assert one == expected["proba"][0]
    assert all(device.sources for device in devices) or n_rows <= 64


def everything(model, Q, rows):
    return {
        "proba": model.predict_proba(Q).tolist(),
        "left out": model.loo_predict_proba(rows=rows).tolist(),
        "receipts": [
            receipt.to_json() for receipt in model.explain(Q[:2], reasons=False)
        ],
        "digest": model.digest(),
    }


def count_pieces(monkeypatch, room, name):
    """The rows of every copy that is made."""
    sizes, put = [], getattr(room, name)

    def noted(device, cases, *given):
        found = put(device, cases, *given)
        sizes.append((device.name, found_rows(found)))
        return found

    monkeypatch.setattr(room, name, noted)
    return sizes


def found_rows(copied):
    return copied.listed.n_rows if hasattr(copied, "listed") else copied.n_rows


@pytest.mark.parametrize("discretize", [True, False])
def test_pieces_pass_and_nothing_stays(discretize, monkeypatch):
    X, y, Q = draw_table(np.random.default_rng(0), 1000, 5)
    name = "put_sets" if discretize else "put_columns"
    sizes = count_pieces(monkeypatch, nearest_in_pieces, name)
    model = LazyKNeighborsClassifier(
        3, 2, discretize=discretize, cuts="frozen", categorical_features=[0, 2]
    ).fit(X, y)
    expected = model.predict_proba(Q)
    device = EmulatedDevice(n_bytes=FOR_LABELS if discretize else FOR_NUMBERS)
    with use_device(device):
        found = model.set_params(device="cuda").predict_proba(Q)
    np.testing.assert_array_equal(found, expected)
    assert sum(n for _, n in sizes) == 1000
    assert len(sizes) > 3
    assert all(n % 64 == 0 for _, n in sizes[:-1])
    assert device.used == 0


def test_two_devices_keep_half_of_the_rows_each(monkeypatch):
    X, y, Q = draw_table(np.random.default_rng(1), 1000, 5)
    sizes = count_pieces(monkeypatch, nearest_in_pieces, "put_sets")
    model = LazyKNeighborsClassifier(
        3, 2, discretize=True, categorical_features=[0, 2]
    ).fit(X, y)
    expected = model.predict_proba(Q)
    devices, name = forge(1 << 20, "two")
    with use_device(*devices):
        model.set_params(device=name)
        for _ in range(3):
            np.testing.assert_array_equal(model.predict_proba(Q), expected)
    assert sorted(sizes) == [("emulated:0", 512), ("emulated:1", 488)]


def test_parts_that_do_not_fit_together_give_way(monkeypatch):
    X, y, Q = draw_table(np.random.default_rng(2), 300, 5)
    sizes = count_pieces(monkeypatch, nearest_in_pieces, "put_sets")
    model = LazyKNeighborsClassifier(
        3, 2, discretize=True, categorical_features=[0, 2]
    ).fit(X, y)
    expected = model.predict_proba(Q)
    twin = as_asked(model, "parts").set_params(device="cuda")
    with use_device(EmulatedDevice(n_bytes=1000)):
        for _ in range(2):
            np.testing.assert_array_equal(twin.predict_proba(Q), expected)
    assert [n for _, n in sizes] == [100] * 6


def test_no_room_for_a_single_piece():
    X, y, Q = draw_table(np.random.default_rng(3), 300, 2)
    for discretize in (True, False):
        model = LazyKNeighborsClassifier(
            3, 2, discretize=discretize, categorical_features=[0, 2], device="cuda"
        ).fit(X, y)
        with (
            use_device(EmulatedDevice(n_bytes=400)),
            pytest.raises(
                DeviceError, match=r"room for 300 bytes.*64 rows take .*device=None"
            ),
        ):
            model.predict(Q)


# --- local models ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", [LazyLearningRegressor, LazyLearningClassifier])
@pytest.mark.parametrize("way", WAYS)
def test_local_models_have_the_same_neighbors(kind, way, monkeypatch):
    rng = np.random.default_rng(4)
    X, y, Q = draw_table(rng, 700, 9)
    weights = rng.choice([0.0, 1.0, 2.0], 700) if "two" in way else None
    model = kind(scale="range", categorical_features=[0, 2])
    model.fit(X, y, sample_weight=weights)
    expected, left_out = answer(model, Q), model.loo_predict(rows=range(5, 11))
    receipts = [receipt.to_json() for receipt in model.explain(Q[:2], reasons=False)]
    sizes = count_pieces(monkeypatch, local_cuda, "put_placed")
    devices, name = forge(FOR_MODELS, way)
    close = {"rtol": 1e-9, "atol": 1e-9}
    with use_device(*devices):
        twin = as_asked(model, way).set_params(device=name)
        found = answer(twin, Q)
        assert len(sizes) > 1
        ids = [own.data.base.ids[own.data.rows[own.neighbors.rows]] for own in found]
        again = [
            own.data.base.ids[own.data.rows[own.neighbors.rows]] for own in expected
        ]
        np.testing.assert_array_equal(ids, again)
        distances = [own.neighbors.distances for own in (*found, *expected)]
        np.testing.assert_array_equal(*distances)
        np.testing.assert_allclose(found[0].values, expected[0].values, **close)
        np.testing.assert_allclose(
            twin.loo_predict(rows=range(5, 11)), left_out, **close
        )
        assert [
            receipt.to_json() for receipt in twin.explain(Q[:2], reasons=False)
        ] == receipts
    assert all(device.sources for device in devices)


def answer(model, Q):
    """The answers, with all that they rest on."""
    with model.cases_.snapshot() as cases:
        learner, queries = model._learner(), cases.encode(model._query_table(Q))
        batch = Batch(cases, cases.cases, queries)
        return [learner.answer(prepare(learner, cases), batch)]


def test_models_are_fitted_where_neighbors_alone_fit():
    """What is fitted, beside the columns searched, may find no room."""
    X, y, Q = draw_table(np.random.default_rng(5), 700, 9)
    model = LazyLearningRegressor(categorical_features=[0, 2]).fit(X, y)
    expected = model.predict(Q)
    device = EmulatedDevice(n_bytes=700 * 56 * 2)  # the columns fit
    with use_device(device):
        found = model.set_params(device="cuda").predict(Q)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_kernel_models_say_that_cases_must_fit():
    X, y, Q = draw_table(np.random.default_rng(6), 90, 3)
    way = {
        "max_rows": 0,
        "n_landmarks": 0,
        "n_neighbors": 20,
        "categorical_features": [0, 2],
    }
    model = LazyKernelClassifier(**way, device="cuda").fit(X, y)
    with (
        use_device(EmulatedDevice(n_bytes=1000)),
        pytest.raises(DeviceError, match=r"room for 750 bytes.*90 rows take [\d,]+;"),
    ):
        model.predict(Q)
