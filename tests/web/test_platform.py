"""The server among others: probes, ids, log, metrics, dialects, budgets."""

import io
import json
import threading

import numpy as np
import pytest

import sklazy
from sklazy.errors import BadFileError
from sklazy.web.bodies import RequestLimits
from sklazy.web.guard import Safety
from sklazy.web.problems import Problem
from sklazy.web.serve.app import ModelServer, make_server
from sklazy.web.serve.budget import QuestionBudget
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.metrics import AccessLog
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role, Tokens
from web_asking import ask

TOKEN = "a" * 24
SAFETY = Safety(limits=RequestLimits(), tokens=Tokens({TOKEN: Role.EXPLAIN}))
OWN = {"authorization": f"Bearer {TOKEN}"}
ROWS = [{"size": 0.5, "color": "red"}, {"size": -1.0, "color": None}]


def make_model():
    rng = np.random.default_rng(0)
    rows = [
        {"size": float(rng.normal()), "color": str(rng.choice(["red", "blue"]))}
        for _ in range(60)
    ]
    y = ["up" if row["size"] > 0 else "down" for row in rows]
    return sklazy.LazyKNeighborsClassifier(n_neighbors=5).fit(rows, y)


@pytest.fixture(scope="module")
def model():
    return make_model()


def serving(model, **options):
    privacy = Privacy(options.pop("level", Level.VALUES))
    return make_server(Store(model), SAFETY, privacy, **options)


def post(app, path, body, **headers):
    return ask(app, "POST", path, body=body, headers={**OWN, **headers})


# --- probes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/health", "/ready", "/v2/health/live", "/v2/health/ready", "/ping"]
)
@pytest.mark.parametrize("host", ["10.1.2.3:8204", "evil.example", ""])
def test_probes_are_answered_for_any_host_without_a_token(model, path, host):
    assert ask(serving(model), path=path, headers={"host": host}).status == 200


def test_other_pages_still_want_the_right_host(model):
    app = serving(model)
    said = ask(app, path="/metrics", headers={**OWN, "host": "10.1.2.3"})
    assert said.status == 421
    assert ask(app, "POST", "/health", headers={"host": "10.1.2.3"}).status == 421


# --- ids, log, metrics ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("req-1.a_B", True),
        ("x" * 65, False),
        ("a b", False),
        ("<x>", False),
        ("", False),
    ],
)
def test_request_ids_are_kept_if_harmless(model, sent, kept):
    said = ask(serving(model), path="/health", headers={"x-request-id": sent})
    assert (said.headers["x-request-id"] == sent) == kept
    assert said.headers["x-request-id"]


def test_the_log_has_neither_values_nor_tokens(model):
    stream = io.StringIO()
    app = serving(model, log=AccessLog(stream))
    rows = [{"size": 424242.5, "color": "violet"}]
    post(app, "/v1/predict", {"rows": rows}, **{"x-request-id": "one"})
    ask(app, path="/v1/secret?token=hidden", headers={"host": "127.0.0.1"})
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(one["path"], one["status"]) for one in lines] == [
        ("/v1/predict", 200),
        ("other", 401),
    ]
    assert (lines[0]["id"], lines[0]["role"]) == ("one", "explain")
    secret = (TOKEN, "violet", "424242", "secret", "hidden")
    assert not [one for one in secret if one in str(lines)]


def test_metrics_have_help_and_process_figures(model):
    app = serving(model)
    post(app, "/v1/predict", {"rows": ROWS})
    text = ask(app, path="/metrics", headers=OWN).body.decode()
    lines = text.splitlines()
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert typed == {line.split()[2] for line in lines if line.startswith("# HELP")}
    assert {"process_cpu_seconds_total", "process_start_time_seconds"} <= typed
    parser = pytest.importorskip("prometheus_client.parser")
    assert len(list(parser.text_string_to_metric_families(text))) == len(typed)


# --- dialects -------------------------------------------------------------------------


def test_the_open_inference_protocol_answers_alike(model):
    app = serving(model, name="heating")
    plain = post(app, "/v1/predict", {"rows": ROWS}).json()
    inputs = [
        {"name": "size", "datatype": "FP64", "shape": [2], "data": [0.5, -1.0]},
        {"name": "color", "datatype": "BYTES", "shape": [2, 1], "data": ["red", None]},
    ]
    path = "/v2/models/heating/infer"
    said = post(app, path, {"id": "7", "inputs": inputs}).json()
    outputs = {one["name"]: one for one in said["outputs"]}
    assert said["id"] == "7"
    assert outputs["predictions"]["data"] == plain["predictions"]
    assert outputs["probabilities"]["shape"] == [2, 2]
    flat = [share for row in plain["probabilities"] for share in row]
    assert outputs["probabilities"]["data"] == flat
    matrix = {"name": "x", "datatype": "BYTES", "shape": [2, 2]}
    matrix["data"] = [0.5, "red", -1.0, None]
    assert post(app, path, {"inputs": [matrix]}).json()["outputs"] == said["outputs"]
    described = ask(app, path="/v2/models/heating", headers=OWN).json()
    assert [one["name"] for one in described["inputs"]] == ["size", "color"]


@pytest.mark.parametrize(
    "body",
    [
        {"dataframe_records": ROWS},
        {"dataframe_split": {"columns": ["color", "size"]}},
        {"instances": ROWS},
        {"instances": [[0.5, "red"], [-1.0, None]]},
        {"inputs": {"size": [0.5, -1.0], "color": ["red", None]}},
    ],
)
def test_invocations_answer_alike(model, body):
    if "dataframe_split" in body:
        body["dataframe_split"]["data"] = [["red", 0.5], [None, -1.0]]
    app = serving(model)
    plain = post(app, "/v1/predict", {"rows": ROWS}).json()
    said = post(app, "/invocations", body)
    assert said.json() == {"predictions": plain["predictions"]}


BAD = {
    "nothing": {},
    "no tensors": {"inputs": []},
    "a number": {"inputs": [1]},
    "no data": {"inputs": [{"name": "a", "shape": [1], "datatype": "FP64"}]},
    "a wrong shape": {
        "inputs": [{"name": "size", "shape": [3], "datatype": "FP64", "data": [1]}]
    },
    "an unknown type": {
        "inputs": [{"name": "size", "shape": [1], "datatype": "X", "data": [1]}]
    },
    "a list for a type": {
        "inputs": [{"name": "size", "shape": [1], "datatype": [], "data": [1]}]
    },
    "lengths that differ": {
        "inputs": [
            {"name": "size", "shape": [1], "datatype": "FP64", "data": [1]},
            {"name": "color", "shape": [2], "datatype": "BYTES", "data": ["a", "b"]},
        ]
    },
    "two forms": {"instances": ROWS, "dataframe_records": ROWS},
    "a short row": {"dataframe_split": {"columns": ["size"], "data": [[1, 2]]}},
    "columns of other lengths": {"inputs": {"size": [1], "color": []}},
}


@pytest.mark.parametrize("path", ["/v2/models/model/infer", "/invocations"])
@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_bad_requests_in_dialects_are_refused(model, path, body):
    assert post(serving(model), path, body).status == 422


def test_the_examples_of_the_description_run(model):
    app = serving(model, name="heating", level=Level.AGGREGATE)
    described = ask(app, path="/openapi.json", headers=OWN).json()
    sent = {}
    for path, methods in described["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {})
        example = body.get("application/json", {}).get("example")
        if example is not None:
            sent[path] = post(app, path, example).status
    assert set(sent.values()) == {200}
    assert {"/v1/predict", "/invocations", "/v2/models/heating/infer"} <= set(sent)


# --- budgets --------------------------------------------------------------------------


def test_a_budget_counts_rows_over_restarts(model, tmp_path):
    path = tmp_path / "questions"
    app = serving(model, budget=QuestionBudget(path, 250))
    for _ in range(60):
        assert post(app, "/v1/predict", {"rows": ROWS}).status == 200
    assert TOKEN not in path.read_text()
    again = QuestionBudget(path, 250)  # 200 were reserved, 120 asked
    again.spend(TOKEN, 50)
    with pytest.raises(Problem, match="250 rows in all"):
        again.spend(TOKEN, 1)
    again.spend("b" * 24, 250)


def test_every_dialect_counts_its_rows(model, tmp_path):
    bodies = [
        ("/v1/predict", {"rows": ROWS}),
        ("/invocations", {"instances": ROWS}),
        ("/invocations", {"inputs": {"size": [0.5, 1], "color": ["red", "red"]}}),
        (
            "/v2/models/model/infer",
            {"inputs": [{"name": "size", "datatype": "FP64", "shape": [2]}]},
        ),
    ]
    bodies[3][1]["inputs"][0]["data"] = [1.0, 2.0]
    other = {"name": "color", "datatype": "BYTES", "shape": [2], "data": ["red", None]}
    bodies[3][1]["inputs"].append(other)
    for number, (path, body) in enumerate(bodies):
        app = serving(model, budget=QuestionBudget(tmp_path / f"q{number}", 3))
        assert post(app, path, body).status == 200
        assert post(app, path, body).status == 429


def test_a_damaged_count_is_refused(tmp_path):
    (tmp_path / "q").write_text("{")
    with pytest.raises(BadFileError, match="counted questions"):
        QuestionBudget(tmp_path / "q", 5)


# --- reload ---------------------------------------------------------------------------


def test_a_reload_answers_by_the_new_file_and_never_fails(tmp_path):
    path = tmp_path / "model.sklazy"
    first = make_model()
    first.save(path)
    store = Store.open(path)
    server = ModelServer(store, SAFETY, Privacy(Level.VALUES))
    app = server.app
    before = post(app, "/v1/predict", {"rows": ROWS}).json()
    second = make_model()
    second.forget(list(range(30))).save(path)
    after = first.predict_proba(ROWS).tolist(), second.predict_proba(ROWS).tolist()
    done = threading.Event()
    thread = threading.Thread(target=lambda: (server.reload(), done.set()))
    thread.start()
    seen = []
    while not done.is_set() or len(seen) < 3:
        said = post(app, "/v1/predict", {"rows": ROWS})
        assert said.status == 200
        seen.append(said.json()["probabilities"])
    thread.join()
    assert before["probabilities"] == after[0]
    assert all(one in after for one in seen)
    assert post(app, "/v1/predict", {"rows": ROWS}).json()["probabilities"] == after[1]
    path.write_bytes(b"damaged")
    with pytest.raises(BadFileError):
        server.reload()
    assert post(app, "/v1/predict", {"rows": ROWS}).json()["probabilities"] == after[1]


# --- notes ----------------------------------------------------------------------------

LIMITS = [{"size": " <0.5", "color": "red"}, {"size": "-", "color": "-"}]


def test_an_answer_notes_limits_that_are_halved_and_marks_that_are_missing(model):
    app = serving(model)
    reply = post(app, "/v1/predict", {"rows": LIMITS}).json()
    (note,) = reply["notes"]
    assert note.startswith("column 'size': '<0.5' as half of its limit")
    assert "'-' as missing" in note
    plain = [{"size": 0.25, "color": "red"}, {"size": None, "color": "-"}]
    alike = post(app, "/v1/predict", {"rows": plain}).json()
    assert "notes" not in alike
    assert alike == {key: reply[key] for key in alike}


@pytest.mark.parametrize("path", ["explain", "suggest", "similar"])
def test_every_answer_to_rows_has_the_notes(model, path):
    rows = [["<0.5", None]]
    reply = post(serving(model), f"/v1/{path}", {"rows": rows}).json()
    assert "half of its limit" in reply["notes"][0]


def test_other_dialects_have_the_notes(model):
    app = serving(model)
    reply = post(app, "/invocations", {"dataframe_records": LIMITS}).json()
    assert "half of its limit" in reply["notes"][0]
    tensors = [
        {"name": name, "datatype": "BYTES", "shape": [1], "data": [cell]}
        for name, cell in LIMITS[0].items()
    ]
    reply = post(app, "/v2/models/model/infer", {"inputs": tensors}).json()
    assert "half of its limit" in reply["parameters"]["notes"]
