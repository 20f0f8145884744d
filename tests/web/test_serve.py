"""The server: answers equal to the model's, levels of receipts, and attacks."""

import http.client
import json
import math
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import sklazy
from sklazy.web.bodies import RequestLimits
from sklazy.web.guard import Safety
from sklazy.web.serve.app import make_server
from sklazy.web.serve.levels import Level, Privacy, reduce_receipt
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role, Tokens
from web_asking import ask, fetch, running

LIMITS = RequestLimits(rows=5, text=50, body=20_000, seconds=120)
TOKEN = {role.name.lower(): role.name[0] * 24 for role in Role}
SAFETY = Safety(
    limits=LIMITS,
    tokens=Tokens({token: Role[name.upper()] for name, token in TOKEN.items()}),
)
ROW = {"size": 1.25, "color": "red", "count": 3}


def frame_of(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(2),
            "color": np.array(["red", "blue", "violet"])[rng.integers(0, 3, n)],
            "count": rng.integers(0, 9, n).astype(float),
        },
        index=[f"case-{i}" for i in range(n)],
    )
    frame.loc["case-3", "size"] = np.nan
    y = pd.Series(np.where(frame["size"].fillna(0) > 0, "up", "down"), name="way")
    return frame, y.to_numpy()


def fitted(estimator=None):
    X, y = frame_of()
    model = estimator or sklazy.LazyKNeighborsClassifier(n_neighbors=20)
    return model.fit(X, y if hasattr(model, "predict_proba") else X["count"].to_numpy())


def server(model=None, level="aggregate", folder=None, safety=SAFETY, min_group=5):
    store = Store(model or fitted())
    if folder is not None:
        (model or fitted()).save(folder / "model")
        store = Store.open(folder / "model", folder / "journal")
        OPEN.append(store)
    return make_server(store, safety, Privacy(Level[level.upper()], min_group))


OPEN = []


@pytest.fixture(autouse=True)
def closed():
    """Let go of the files of a test's servers."""
    yield
    while OPEN:
        OPEN.pop().close()


def post(app, what, body, role="change", **headers):
    headers = {"authorization": f"Bearer {TOKEN[role]}", **headers}
    return ask(app, "POST", f"/v1/{what}", body=body, headers=headers)


def get(app, path, role="change"):
    headers = {"authorization": f"Bearer {TOKEN[role]}"}
    return ask(app, path=path, headers=headers)


@pytest.fixture(scope="module")
def app():
    return server()


@pytest.fixture(scope="module")
def exact():
    return server(level="values")


# --- answers --------------------------------------------------------------------------


def test_predictions_are_the_models(exact):
    X, _ = frame_of()
    rows = json.loads(X[:5].to_json(orient="records"))
    said = post(exact, "predict", {"rows": rows}).json()
    model = fitted()
    assert said["predictions"] == model.predict(X[:5]).tolist()
    assert said["probabilities"] == model.predict_proba(X[:5]).tolist()
    assert said["classes"] == model.classes_.tolist()
    lists = [[row["size"], row["color"], row["count"]] for row in rows]
    assert post(exact, "predict", {"rows": lists}).json() == said


@pytest.mark.parametrize("shape", ["lists", "dicts"])
@pytest.mark.parametrize("named", [True, False])
def test_numbers_alone_are_answered_alike(shape, named):
    X, y = frame_of()
    X = X[["size", "count"]] if named else X[["size", "count"]].to_numpy()
    model = sklazy.LazyKNeighborsClassifier().fit(X, y)
    names = ["size", "count"] if named else ["x0", "x1"]
    cells = [[0.5, 3], [None, 2.5], [1e300, -7]]
    rows = [dict(zip(names, c, strict=True)) for c in cells]
    expected = model.predict_proba(
        pd.DataFrame(rows) if named else np.array(cells, float)
    )
    app = server(model, "values")
    said = post(app, "predict", {"rows": rows if shape == "dicts" else cells})
    assert said.json()["probabilities"] == expected.tolist()


def test_a_regressor_predicts_numbers():
    X, _ = frame_of()
    model = fitted(sklazy.LazyLearningRegressor())
    expected = model.predict(X[:2]).tolist()
    app = server(model, "values")
    rows = json.loads(X[:2].to_json(orient="records"))
    assert post(app, "predict", {"rows": rows}).json() == {"predictions": expected}
    rough = post(server(model), "predict", {"rows": rows}).json()["predictions"]
    assert all(0 <= number <= 8 and round(number * 5, 9) % 1 == 0 for number in rough)


def test_dates_are_read_as_the_first_were():
    days = pd.date_range("2024-01-01", periods=40, freq="D")
    X = pd.DataFrame({"day": days, "n": np.arange(40.0)})
    model = sklazy.LazyKNeighborsClassifier().fit(X, (np.arange(40) > 20).astype(int))
    expected = model.predict_proba(X[:1]).tolist()
    body = {"rows": [{"day": "2024-01-01", "n": 0.0}]}
    assert (
        post(server(model, "values"), "predict", body).json()["probabilities"]
        == expected
    )


def test_suggestions_and_digest(app):
    row = {"size": None, "color": "red", "count": None}
    said = post(app, "suggest", {"rows": [row], "costs": None}).json()
    (found,) = fitted().suggest_attribute([row])
    assert said["suggestions"][0]["attribute"] == found.attribute
    assert "outcomes" not in said["suggestions"][0]  # they have values of cases
    assert get(app, "/v1/digest").json() == {"digest": fitted().digest(), "cases": 60}


def test_changes_over_http(tmp_path):
    app = server(folder=tmp_path, level="values")
    added = post(app, "add", {"rows": [ROW], "targets": ["up"], "ids": ["new"]})
    assert added.json() == {"ids": ["new"], "cases": 61}
    X, y = frame_of()
    model = sklazy.LazyKNeighborsClassifier(n_neighbors=20)
    model.fit(
        pd.concat([X, pd.DataFrame([ROW], index=["new"])]), np.append(y, "up")
    ).forget(["case-7"])
    gone = post(app, "forget", {"ids": ["case-7"]})
    assert gone.json() == {"forgotten": 1, "cases": 60}
    assert get(app, "/v1/digest").json()["digest"] == model.digest()
    said = post(app, "predict", {"rows": [ROW]}).json()
    assert said["probabilities"] == model.predict_proba(pd.DataFrame([ROW])).tolist()
    assert get(app, "/ready").json() == {"status": "ready", "takes_changes": True}
    assert post(app, "forget", {"ids": ["case-7"]}).status == 404
    twice = post(app, "add", {"rows": [ROW], "targets": ["up"], "ids": ["new"]})
    assert twice.status == 422


def test_changes_without_a_journal_are_refused(app):
    assert post(app, "forget", {"ids": ["case-1"]}).status == 409
    assert get(app, "/ready").json()["takes_changes"] is False


def test_metrics_and_description(app):
    post(app, "predict", {"rows": [ROW]})
    ask(app, path="/secret/path")
    text = get(app, "/metrics").body.decode()
    assert re.search(r'requests_total\{path="/v1/predict",status="200"\} \d+', text)
    assert 'path="other",status="401"' in text
    assert "secret" not in text
    assert "sklazy_cases 60" in text
    described = get(app, "/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert "/v1/similar" not in described["paths"]  # not at this level
    row = described["components"]["schemas"]["Row"]["oneOf"][0]
    assert list(row["properties"]) == list(ROW)
    assert "violet" not in json.dumps(described)  # labels are what cases have
    refs = set(
        re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(described))
    )
    assert refs <= set(described["components"]["schemas"])


# --- what receipts tell ---------------------------------------------------------------


def texts_and_numbers(plain):
    """All that plain data hold."""
    if isinstance(plain, dict):
        plain = [*plain, *plain.values()]
    if isinstance(plain, list):
        return [leaf for one in plain for leaf in texts_and_numbers(one)]
    return [plain]


FAMILIES = [
    sklazy.LazyKNeighborsClassifier(n_neighbors=20, weights="distance"),
    sklazy.LazyKNeighborsClassifier(n_neighbors=1, selection="none"),
    sklazy.LazyNBClassifier(),
    sklazy.LazyDecisionTreeClassifier(),
    sklazy.LazyBayesRulesClassifier(),
    sklazy.LazyAssociativeClassifier(),
    sklazy.LazyLearningRegressor(),
    sklazy.LazyKernelClassifier(),
    sklazy.LazyLogisticClassifier(),
    sklazy.LazyRidgeRegressor(),
    sklazy.LazyBaggingClassifier(n_estimators=3),
]


@pytest.mark.parametrize("model", FAMILIES, ids=lambda m: type(m).__name__)
def test_an_aggregate_tells_of_no_case(model):
    model = fitted(model)
    told = post(server(model), "explain", {"rows": [ROW]}).json()["receipts"][0]
    leaves = texts_and_numbers(told)
    assert not [leaf for leaf in leaves if str(leaf).startswith("case-")]
    in_steps = {told["answer"], told.get("probability", 0), *ROW.values(), 0, 1, 5}
    numbers = {x for x in leaves if type(x) in (int, float)} - in_steps
    assert told.get("probability", 0) * 20 == pytest.approx(
        round(told.get("probability", 0) * 20)
    )
    counts = {group["stand_ins"] for group in told["rests_on"]["classes"]}
    assert numbers <= counts | {told["rests_on"]["stand_ins"]}
    assert all(count >= 5 for count in counts)
    assert set(told["attributes"]) <= set(ROW)


def test_each_level_tells_more():
    model = fitted()
    found = {}
    for level in Level:
        app = server(model, level.name)
        found[level] = [
            post(app, "explain", {"rows": [ROW]}),
            post(app, "similar", {"rows": [ROW], "k": 2}),
        ]
    statuses = {level: [said.status for said in both] for level, both in found.items()}
    assert statuses[Level.NONE] == [403, 403]
    assert statuses[Level.AGGREGATE] == [200, 403]
    assert statuses[Level.IDS] == statuses[Level.VALUES] == [200, 200]
    groups = found[Level.IDS][0].json()["receipts"][0]["groups"]
    assert all(len(group["ids"]) >= 5 for group in groups)
    known = set(frame_of()[0].index)
    assert all(known.issuperset(group["ids"]) for group in groups)
    full = model.explain([ROW])[0].to_dict()
    similar = found[Level.IDS][1].json()["similar"][0]
    assert all(set(one) == {"ids"} and len(one["ids"]) >= 5 for one in similar)
    assert found[Level.VALUES][0].json()["receipts"] == [full]
    assert model.verify(found[Level.VALUES][0].json()["receipts"][0])
    nearest = found[Level.VALUES][1].json()["similar"][0][0]
    frame = model.similar([ROW], k=1).reset_index()
    assert nearest["id"] == frame["case"][0]
    assert nearest["distance"] == frame["distance"][0]
    assert nearest["values"]["color"] == frame["color"][0]


def test_small_groups_are_not_counted():
    app = server(fitted(sklazy.LazyKNeighborsClassifier(n_neighbors=6)), min_group=7)
    rests = post(app, "explain", {"rows": [ROW]}).json()["receipts"][0]["rests_on"]
    assert rests == {"stand_ins": None, "min_group": 7, "classes": []}


@pytest.mark.parametrize("level", ["aggregate", "ids"])
@pytest.mark.parametrize("model", FAMILIES, ids=lambda m: type(m).__name__)
def test_a_receipt_says_what_it_lists_and_agrees_with_its_answer(model, level):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)  # classes lie among each other
    app = server(clone(model).fit(X, y), level)
    bodies = [{"rows": rng.normal(size=(5, 3)).tolist()} for _ in range(4)]
    receipts = [
        one for body in bodies for one in post(app, "explain", body).json()["receipts"]
    ]
    for one in receipts:
        counts = {c["label"]: c["stand_ins"] for c in one["rests_on"]["classes"]}
        assert not counts or one["answer"] in counts
        assert one["note"].startswith("Made-up rows answered, not cases")
        if "need not be the answer" not in one["note"]:
            assert not counts
    if level == "aggregate":
        assert not any("groups" in one for one in receipts)
        return
    differ = [
        any(y[i] != one["answer"] for group in one["groups"] for i in group["ids"])
        for one in receipts
    ]
    for one, is_other in zip(receipts, differ, strict=True):
        counts = [group["stand_ins"] for group in one["groups"]]
        assert counts == sorted(counts, reverse=True)
        assert ("may differ from the answer" in one["note"]) == bool(one["groups"])
        assert not is_other or one["groups"]
    assert any(differ) or not any(one["groups"] for one in receipts)


def test_a_class_with_too_few_rows_hides_the_others():
    """Others alone would contradict the answer."""
    told = [{"id": i, "class": "b"} for i in range(6)] + [{"id": 9, "class": "a"}]
    receipt = {
        "kind": "selection",
        "answer": "a",
        "query": [],
        "novelty": {"unlike": False},
        "neighbors": {"listed": told},
    }
    assert reduce_receipt(receipt, Privacy())["rests_on"]["classes"] == []
    receipt["answer"] = "b"
    classes = reduce_receipt(receipt, Privacy())["rests_on"]["classes"]
    assert classes == [{"label": "b", "stand_ins": 6}]


def test_rows_of_numbers_and_known_labels_need_no_table(monkeypatch):
    """Cells are coded one by one, which takes a twentieth of the time."""
    model = fitted(sklazy.LazyKNeighborsClassifier(3))
    expected = model.predict_proba([ROW]).tolist()
    for level in ("aggregate", "values"):
        app = server(model, level)
        before = post(app, "predict", {"rows": [ROW]}).json()
        with monkeypatch.context() as patched:
            patched.setattr(type(model), "_query_table", None)
            assert post(app, "predict", {"rows": [ROW]}).json() == before
    assert before["probabilities"] == expected


def test_membership_is_not_told_by_distance_or_by_what_was_seen():
    """A case asked about gets the receipt of a row that differs by a hair."""
    X, _ = frame_of()
    app = server()
    own = json.loads(X.iloc[[10]].to_json(orient="records"))[0]
    other = {**own, "size": own["size"] + 1e-9}
    told = [
        post(app, "explain", {"rows": [row]}).json()["receipts"][0]
        for row in (own, other)
    ]
    for one in told:
        one.pop("query")
    assert told[0] == told[1]
    asked = [post(app, "predict", {"rows": [row]}).body for row in (own, other)]
    assert asked[0] == asked[1]
    unseen = post(app, "explain", {"rows": [{**own, "color": "teal"}]}).json()
    assert "unseen" not in json.dumps(unseen)
    assert "known" not in json.dumps(unseen)


def test_a_client_cannot_choose_the_level(app):
    for body in ({"rows": [ROW], "level": "values"}, {"rows": [ROW], "receipts": 3}):
        assert post(app, "explain", body).status == 422
    said = ask(
        app,
        "POST",
        "/v1/explain?receipts=values",
        body={"rows": [ROW]},
        headers={"authorization": f"Bearer {TOKEN['change']}", "x-receipts": "values"},
    )
    assert said.json()["receipts"][0]["level"] == "aggregate"


# --- attacks --------------------------------------------------------------------------


@pytest.mark.parametrize("role", TOKEN)
@pytest.mark.parametrize(
    ("what", "needed"),
    [
        *(("predict", "ask"), ("explain", "explain"), ("similar", "explain")),
        *(("suggest", "explain"), ("add", "change"), ("forget", "change")),
    ],
)
def test_a_role_is_not_enough_for_the_next(app, role, what, needed):
    said = post(app, what, {}, role)
    allowed = [*TOKEN].index(role) >= [*TOKEN].index(needed)
    assert (said.status == 403 and "role" in said.json()["detail"]) != allowed


@pytest.mark.parametrize("level", [one.name.lower() for one in Level])
def test_the_digest_is_not_for_clients_where_groups_answer(level):
    """It confirms a guess of the last case to somebody who knows all others."""
    app = server(level=level)
    for role in TOKEN:
        own = {"authorization": f"Bearer {TOKEN[role]}"}
        said = ask(app, path="/v1/digest", headers=own)
        allowed = role == "change" or (role == "explain" and level == "values")
        assert said.status == (200 if allowed else 403)


def test_without_a_token_only_health_is_told(app):
    for path in ("/v1/digest", "/openapi.json", "/metrics", "/", "/v1/predict"):
        assert ask(app, path=path).status == 401
    assert ask(app, path="/health").json() == {"status": "up"}
    said = ask(app, "POST", "/v1/predict", body={"rows": [ROW]})
    assert said.status == 401


def test_without_tokens_nobody_changes_anything(tmp_path):
    app = server(folder=tmp_path, safety=replace(SAFETY, tokens=None))
    assert ask(app, "POST", "/v1/predict", body={"rows": [ROW]}).status == 200
    assert ask(app, "POST", "/v1/forget", body={"ids": ["case-1"]}).status == 403


BAD_ROWS = {
    "no rows": [],
    "not a list": {"size": 1},
    "too many": [ROW] * 6,
    "unknown column": [{"sise": 1}],
    "too few cells": [[1]],
    "a text for a number": [{"size": "1; DROP TABLE"}],
    "a bool for a number": [{"size": True}],
    "infinity": [{"size": math.inf}],
    "too large": [{"size": 10**400}],
    "a list in a cell": [{"size": [1]}],
    "an object in a cell": [{"color": {"$ne": None}}],
    "a long text": [{"color": "x" * 51}],
    "a long name": [{"x" * 1000: 1}],
    "half a surrogate": [{"color": "\ud800"}],
    "nothing": [None],
    "a text that is no number": [{"count": "three"}],
}


@pytest.mark.parametrize("what", ["predict", "explain", "suggest"])
@pytest.mark.parametrize("rows", BAD_ROWS.values(), ids=BAD_ROWS)
def test_rows_against_the_schema_are_refused(app, what, rows):
    said = post(app, what, {"rows": rows})
    assert said.status == 422
    assert said.headers["content-type"] == "application/problem+json"
    assert len(said.body) < 2000
    assert b"violet" not in said.body  # labels of cases are not told in errors
    assert b"Traceback" not in said.body


def test_nan_is_missing_and_unseen_labels_are_answered(app):
    rest = {"size": None, "count": None}
    expected = post(app, "predict", {"rows": [{**rest, "color": "red"}]}).json()
    said = post(app, "predict", {"rows": [{**rest, "color": "red", "size": math.nan}]})
    assert said.json() == expected
    for label in ("teal", "<script>alert(1)</script>", "\u202e\0", "=1+1"):
        said = post(app, "explain", {"rows": [{**rest, "color": label}]})
        assert said.status == 200
        assert said.headers["content-type"] == "application/json"
        assert said.json()["receipts"][0]["query"][1]["value"] == label


def test_an_absent_column_is_refused_as_in_a_shell(app):
    said = post(app, "predict", {"rows": [ROW, {"color": "red", "count": 1}]})
    assert said.status == 422
    assert said.json()["detail"] == (
        "row 1 lacks the column 'size' of the model; send null if its value is missing."
    )


BAD_CHANGES = {
    "no targets": {"rows": [ROW]},
    "too few targets": {"rows": [ROW], "targets": []},
    "missing target": {"rows": [ROW], "targets": [None]},
    "infinite target": {"rows": [ROW], "targets": [math.inf]},
    "fraction as class": {"rows": [ROW], "targets": [0.5]},
    "object as target": {"rows": [ROW], "targets": [{}]},
    "mixed ids": {"rows": [ROW, ROW], "targets": ["up", "up"], "ids": ["a", 1]},
    "same id twice": {"rows": [ROW, ROW], "targets": ["up", "up"], "ids": ["a", "a"]},
    "huge id": {"rows": [ROW], "targets": ["up"], "ids": [10**30]},
    "path as id that is there": {"rows": [ROW], "targets": ["up"], "ids": ["case-1"]},
    "times without a clock": {
        "rows": [ROW],
        "targets": ["up"],
        "times": [1],
        "ids": ["a"],
    },
    "unknown key": {"rows": [ROW], "targets": ["up"], "__class__": 1},
}


@pytest.mark.parametrize("body", BAD_CHANGES.values(), ids=BAD_CHANGES)
def test_changes_against_the_schema_change_nothing(tmp_path, body):
    app = server(folder=tmp_path)
    before = get(app, "/v1/digest").body
    assert post(app, "add", body).status == 422
    assert get(app, "/v1/digest").body == before


def test_an_id_is_never_a_path(tmp_path):
    app = server(folder=tmp_path)
    names = {path.name for path in tmp_path.rglob("*")}
    wicked = ["../../etc/passwd", "/etc/passwd", "a\0b", "a\nb: c", "snapshot-9.sklazy"]
    body = {"rows": [ROW] * 5, "targets": ["up"] * 5, "ids": wicked}
    assert post(app, "add", body).json()["ids"] == wicked
    assert {path.name for path in tmp_path.rglob("*")} == names
    assert post(app, "forget", {"ids": wicked}).status == 200


@pytest.mark.parametrize(
    "path", ["/v1/../v1/digest", "/%2e%2e/etc/passwd", "/v1/predict/..", "/v1//digest"]
)
def test_paths_lead_nowhere(app, path):
    assert get(app, path).status == 404


def test_a_line_break_in_a_header_is_not_taken(app):
    text = "x\r\nSet-Cookie: a=b"
    said = post(app, "predict", {"rows": [ROW]}, **{"x-request-id": text})
    assert "set-cookie" not in said.headers
    said = post(app, "predict", {text: 1})
    assert said.status == 422
    assert "set-cookie" not in said.headers


CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60)
JSON = st.recursive(
    CELLS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "rows": JSON
            | st.lists(
                st.dictionaries(st.sampled_from([*ROW, "x"]), CELLS)
                | st.lists(CELLS, min_size=3, max_size=3)
            ),
            "k": CELLS,
        },
    )
)
def test_no_json_makes_the_server_fail(app, body):
    text = json.dumps(body)
    for what in ("predict", "explain", "suggest"):
        said = post(app, what, text.encode())
        assert said.status in (200, 400, 403, 413, 422)


def test_what_takes_too_long_is_given_up(monkeypatch):
    model = fitted()
    app = server(model, safety=replace(SAFETY, limits=replace(LIMITS, seconds=0.2)))
    monkeypatch.setattr(type(model), "explain", lambda *_, **options: time.sleep(1))
    said = post(app, "explain", {"rows": [ROW]})
    assert said.status == 503
    assert int(said.headers["retry-after"]) >= 1


# --- the command ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """Start `sklazy serve` in a folder that has a model; the process and its port."""
    folder = tmp_path_factory.mktemp("serve")
    fitted().save(folder / "model.sklazy")
    started = []

    def start(*arguments):
        code = "import sklazy_command; sklazy_command.main()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, "serve", *arguments, "--port", "0", "--json"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        lines = []
        while not lines or lines[-1].strip() != "}":
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        return process, int(json.loads("".join(lines))["address"].rpartition(":")[2])

    yield folder, start
    for process in started:
        process.kill()
        process.communicate()


def add_rows(port, headers, done):
    """Add rows until the server is gone; note those that were acknowledged."""
    for number in range(10_000):
        body = {"rows": [ROW], "targets": ["up"], "ids": [f"n{number}"]}
        try:
            if fetch(port, "POST", "/v1/add", body, headers).status == 200:
                done.append(f"n{number}")
        except (OSError, http.client.HTTPException):
            break


def test_a_killed_server_comes_back_with_every_change(command):
    folder, start = command
    asked = ("--journal", "journal", "--token-file", "tokens")
    process, port = start("model.sklazy", *asked)
    tokens = dict(line.split() for line in (folder / "tokens").read_text().splitlines())
    own = {"Authorization": f"Bearer {tokens['change']}"}
    done = []
    thread = threading.Thread(target=add_rows, args=(port, own, done))
    thread.start()
    time.sleep(0.3)
    process.kill()
    thread.join(30)
    assert not thread.is_alive()
    assert done
    process.wait()
    process, port = start("journal", "--token-file", "tokens")
    n_cases = fetch(port, path="/v1/digest", headers=own).json()["cases"]
    assert n_cases - 60 in (len(done), len(done) + 1)
    gone = fetch(port, "POST", "/v1/forget", {"ids": done}, own)
    assert gone.status in (200, 422)  # at most 1000 at once
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Stopped." in err
    assert not [t for t in tokens.values() if t in out + err]


def test_a_hangup_reloads_the_file(command):
    folder, start = command
    fitted().save(folder / "reloaded.sklazy")
    process, port = start("reloaded.sklazy", "--receipts", "values")
    fitted().forget(["case-1"]).save(folder / "reloaded.sklazy")
    process.send_signal(signal.SIGHUP)
    for _ in range(200):
        if fetch(port, path="/v1/digest").json()["cases"] == 59:
            break
        time.sleep(0.1)
    assert fetch(port, path="/v1/digest").json()["cases"] == 59
    assert fetch(port, "POST", "/v1/predict", {"rows": [ROW]}).status == 200


def test_over_a_socket_answers_are_the_same(app):
    with running(app, LIMITS) as port:
        own = {"Authorization": f"Bearer {TOKEN['ask']}"}
        body = {"rows": [ROW]}
        said = [fetch(port, "POST", "/v1/predict", body, own) for _ in range(5)]
        assert {one.body for one in said} == {post(app, "predict", body).body}
        wrong = fetch(
            port, "POST", "/v1/predict", body, {**own, "Host": "evil.example"}
        )
        assert wrong.status == 421
