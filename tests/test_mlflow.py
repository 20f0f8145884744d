"""Models in MLflow, with a real one where it is installed."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pandas as pd
import pytest

import sklazy

mlflow = pytest.importorskip(
    "mlflow", reason="needs the extra sklazy[mlflow], which the gate does not install"
)

import sklazy.mlflow  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:::mlflow", "ignore::FutureWarning")


def make_rows(n_rows=60):
    rng = np.random.default_rng(1)
    heat = rng.choice(["gas", "oil"], n_rows)
    return pd.DataFrame(
        {
            "size": rng.normal(60, 9, n_rows).round(1),
            "heat": heat,
            "built": pd.to_datetime("2020-01-01") + pd.to_timedelta(range(n_rows), "D"),
            "rent": np.where(heat == "gas", "low", "high"),
        }
    )


PATH = os.environ.get("PATH", "")
ROWS = make_rows()
X, y = ROWS.drop(columns="rent"), ROWS["rent"]


@pytest.fixture(autouse=True)
def tracking(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")


@pytest.fixture
def model():
    return sklazy.LazyKNeighborsClassifier(3).fit(X, y)


def test_a_model_comes_back_as_it_was(model, tmp_path):
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    again = sklazy.mlflow.load_model(str(tmp_path / "saved"))
    assert again.digest() == model.digest()
    assert type(again) is type(model)
    mapped = sklazy.mlflow.load_model(str(tmp_path / "saved"), mmap_mode="c")
    assert mapped.predict(X).tolist() == model.predict(X).tolist()


def test_the_artifact_is_the_models_own_file(model, tmp_path):
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    names = [name for _, _, names in os.walk(tmp_path / "saved") for name in names]
    assert "model.sklazy" in names
    assert not [name for name in names if name.endswith((".pkl", ".skops"))]
    content = (tmp_path / "saved" / "MLmodel").read_text()
    assert "sklazy.mlflow" in content


def test_the_signature_has_columns_labels_and_parameters(model, tmp_path):
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    signature = mlflow.models.Model.load(tmp_path / "saved").signature
    types = {spec.name: spec.type.name for spec in signature.inputs}
    assert types == {"size": "double", "heat": "string", "built": "datetime"}
    assert [spec.type.name for spec in signature.outputs] == ["string"]
    assert {spec.name for spec in signature.params} >= {"method", "coverage"}


def test_the_example_is_no_row_of_the_cases(model, tmp_path):
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    saved = mlflow.models.Model.load(tmp_path / "saved")
    example = saved.load_input_example(str(tmp_path / "saved"))
    assert list(example.columns) == list(X.columns)
    assert example["size"][0] not in X["size"].tolist()
    assert example["heat"][0] in ("gas", "oil")


DAYS = pd.to_timedelta(range(60), "D")
COLUMNS = {
    "integers": np.arange(60),
    "decimals": np.arange(60) / 3,
    "small": np.arange(60, dtype=np.int8),
    "missing": pd.array([None, *range(59)], "Int64"),
    "bools": np.arange(60) % 3 == 0,
    "categories": pd.Categorical(np.array(["a", "b", "c"])[np.arange(60) % 3]),
    "moments": pd.to_datetime("2020-01-01") + DAYS,
    "zones": pd.to_datetime("2020-01-01", utc=True) + DAYS,
    "durations": DAYS,
    "days": [day.date() for day in pd.to_datetime("2020-01-01") + DAYS],
    "texts": [f"{1 + n % 28:02}.05.2020" for n in range(60)],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_frame_of_fit_can_be_predicted(name, tmp_path):
    frame = X.assign(more=COLUMNS[name])
    model = sklazy.LazyKNeighborsClassifier(3).fit(frame, y)
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    for rows in (frame, frame[5:6]):
        assert loaded.predict(rows).tolist() == model.predict(rows).tolist()


def test_decimals_and_integers_are_taken_where_cases_are_whole(tmp_path):
    model = sklazy.LazyKNeighborsClassifier(3).fit(np.arange(120).reshape(60, 2), y)
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    for rows in (np.array([[3, 4], [90, 91]]), np.array([[3.5, 4], [90, 91.5]])):
        assert loaded.predict(rows).tolist() == model.predict(rows).tolist()


def explained(model, *, reasons):
    return [one.to_dict() for one in model.explain(X, reasons=reasons)]


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("predict", lambda model: model.predict(X).tolist()),
        ("predict_proba", lambda model: model.predict_proba(X).tolist()),
        ("novelty", lambda model: model.novelty(X).tolist()),
        ("digest", lambda model: [model.digest()]),
        (
            "predict_set",
            lambda model: [
                list(s) for s in model.predict_set(X, coverage=0.8, as_labels=True)
            ],
        ),
        ("explain", lambda model: explained(model, reasons=False)),
        ("explain with reasons", lambda model: explained(model, reasons=True)),
    ],
)
def test_logged_models_answer_by_every_method(model, method, answer):
    with mlflow.start_run():
        info = sklazy.mlflow.log_model(model, name="rent")
    loaded = mlflow.pyfunc.load_model(info.model_uri)
    method, with_reasons, _ = method.partition(" with reasons")
    params = {"method": method, "coverage": 0.8, "reasons": bool(with_reasons)}
    answers = loaded.predict(X, params=params)
    plain = answers.tolist() if hasattr(answers, "tolist") else answers
    assert json.loads(json.dumps(plain, default=str)) == json.loads(
        json.dumps(answer(model), default=str)
    )


def test_numbers_without_names_and_regression(tmp_path):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(40, 3))
    model = sklazy.LazyLearningRegressor().fit(numbers, numbers[:, 0])
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    assert loaded.predict(numbers).tolist() == model.predict(numbers).tolist()
    intervals = loaded.predict(numbers, params={"method": "predict_interval"})
    assert np.array_equal(intervals, model.predict_interval(numbers, coverage=0.9))


def test_a_registered_model_is_found_by_its_version(model):
    with mlflow.start_run():
        sklazy.mlflow.log_model(model, name="rent", registered_model_name="rents")
    assert sklazy.mlflow.load_model("models:/rents/1").digest() == model.digest()


def test_what_cannot_be_is_refused(model, tmp_path):
    with pytest.raises(sklazy.BadTypeError, match="is no estimator of sklazy"):
        sklazy.mlflow.save_model("model", tmp_path / "saved")
    with pytest.raises(ValueError, match="not fitted"):
        sklazy.mlflow.save_model(sklazy.LazyNBClassifier(), tmp_path / "saved")
    served = sklazy.mlflow.ServedModel(model)
    with pytest.raises(sklazy.BadInputError, match="method='pickle'; Lazy"):
        served.predict(X, {"method": "pickle"})
    with pytest.raises(sklazy.BadInputError, match="method='predict_interval'"):
        served.predict(X, {"method": "predict_interval"})


def ask(port, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/invocations",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())["predictions"]


@pytest.mark.slow
def test_a_served_model_answers_and_explains(model, tmp_path):
    sklazy.mlflow.save_model(model, tmp_path / "saved")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["models", "serve", "-m", str(tmp_path / "saved"), "-p", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-m", "mlflow", *command, "--env-manager", "local"],
        start_new_session=True,
        env={**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{PATH}"},
    )
    try:
        wait_for(port, server)
        rows = X[:2].assign(built=X["built"].astype(str)).to_dict("split")
        body = {"dataframe_split": {k: rows[k] for k in ("columns", "data")}}
        assert ask(port, body) == model.predict(X[:2]).tolist()
        receipts = ask(port, {**body, "params": {"method": "explain"}})
        receipt = sklazy.Receipt.from_json(json.dumps(receipts[0]))
        assert model.verify(receipt)
    finally:
        if server.poll() is None:
            os.killpg(server.pid, 15)
        server.wait(30)


def wait_for(port, server):
    for _ in range(600):
        assert server.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the server does not answer")
