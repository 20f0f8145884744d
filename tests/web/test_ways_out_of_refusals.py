"""Refusals of the server and the explorer that name a way out: met, and taken."""

import re

import pandas as pd
import pytest

import sklazy
from explored import exploring, flats, nearest_class
from sklazy.errors import SklazyError
from sklazy.web.bodies import RequestLimits
from sklazy.web.explore.session import Session
from sklazy.web.guard import Safety
from sklazy.web.running import listen
from sklazy.web.serve.app import make_server
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role, Tokens, check_token, new_token, read_tokens
from web_asking import ask

TOKEN = "T" * 24
LIMITS = RequestLimits(rows=5, text=50, body=20_000, seconds=20)
SAFETY = Safety(limits=LIMITS, tokens=Tokens({TOKEN: Role.CHANGE}))
ROW, BOTH = {"size": 1.25, "count": 3}, [[1.25, 3], [2, 4]]
TENSOR = {"name": "x", "datatype": "FP64", "shape": [2, 2], "data": [1, 2, 3, 4]}
SIZES = {"name": "size", "datatype": "FP64", "shape": [2], "data": [1, 2]}
COUNTS = {**SIZES, "name": "count"}
INFER, CALL = "/v2/models/model/infer", "/invocations"


@pytest.fixture
def app(tmp_path):
    frame = pd.DataFrame({"size": range(40), "count": range(40, 80)}, dtype=float)
    frame.index = [f"c{i}" for i in range(40)]
    model = sklazy.LazyKNeighborsClassifier().fit(frame, ["up", "down"] * 20)
    model.save(tmp_path / "model")
    store = Store.open(tmp_path / "model", tmp_path / "journal")
    yield make_server(store, SAFETY, Privacy(Level.VALUES))
    store.close()


def post(app, path, body, **headers):
    headers = {"authorization": f"Bearer {TOKEN}", **headers}
    return ask(app, "POST", path, body=body, headers=headers)


# An address, a body that is refused, words of the refusal, and the body that they name.
WAYS = [
    ("/v1/predict", {}, "rows must be a list of at least one row", {"rows": [ROW]}),
    ("/v1/predict", {"rows": [ROW] * 6}, "expected 5 at most", {"rows": [ROW] * 5}),
    ("/v1/predict", {"rows": [3]}, "neither an object nor a list", {"rows": [ROW]}),
    ("/v1/predict", {"rows": [[1]]}, "the model has 2 columns", {"rows": BOTH}),
    (
        "/v1/predict",
        {"rows": [{"size": 1}]},
        "lacks the column 'count' of the model; send null if its value is missing",
        {"rows": [{"size": 1, "count": None}]},
    ),
    (
        "/v1/predict",
        {"rows": [{**ROW, "sise": 1}]},
        "'sise', which is not a column of the model.*'size'",
        {"rows": [ROW]},
    ),
    (
        "/v1/predict",
        {"rows": [{**ROW, "count": "three"}]},
        "row 0, column 'count': 'three' is not a number",
        {"rows": [ROW]},
    ),
    (
        "/v1/predict",
        {"rows": [{**ROW, "count": "3" * 60}]},
        "has 60 characters; expected 50 at most",
        {"rows": [ROW]},
    ),
    (
        "/v1/predict",
        {"rows": [ROW], "row": 1},
        "unknown key 'row'; expected rows",
        {"rows": [ROW]},
    ),
    (
        "/v1/similar",
        {"rows": [ROW], "k": 0},
        "a whole number from 1 to",
        {"rows": [ROW], "k": 1},
    ),
    (
        "/v1/suggest",
        {"rows": [{**ROW, "size": None}], "costs": {"size": 0}},
        "columns to numbers above 0",
        {"rows": [{**ROW, "size": None}], "costs": {"size": 2, "count": 1}},
    ),
    (
        "/v1/add",
        {"rows": [ROW], "targets": [3], "ids": ["n"]},
        "is a number, but classes are texts",
        {"rows": [ROW], "targets": ["up"], "ids": ["n"]},
    ),
    (
        "/v1/add",
        {"rows": [ROW], "targets": [], "ids": ["n"]},
        "targets",
        {"rows": [ROW], "targets": ["up"], "ids": ["n"]},
    ),
    (
        "/v1/add",
        {"rows": [ROW], "targets": ["up"], "ids": ["c3"]},
        "are taken; give every row its own id",
        {"rows": [ROW], "targets": ["up"], "ids": ["n"]},
    ),
    (
        "/v1/add",
        {"rows": [ROW] * 2, "targets": ["up"] * 2, "ids": ["n", 3]},
        "all texts or all whole numbers",
        {"rows": [ROW] * 2, "targets": ["up"] * 2, "ids": ["n", "3"]},
    ),
    ("/v1/forget", {"ids": []}, "a list of 1 to", {"ids": ["c1"]}),
    ("/v1/forget", {"ids": ["c1", "c1"]}, "give each id once", {"ids": ["c1"]}),
    ("/v1/forget", {"ids": ["c99"]}, "nothing was forgotten", {"ids": ["c1"]}),
    (INFER, {"inputs": []}, "a list of at least one tensor", {"inputs": [TENSOR]}),
    (
        INFER,
        {"inputs": [{**TENSOR, "datatype": "X"}]},
        "datatype must be FP64, INT64, BYTES or BOOL",
        {"inputs": [TENSOR]},
    ),
    (
        INFER,
        {"inputs": [{**TENSOR, "shape": [4, 1]}]},
        r"expected \[rows, 2\]",
        {"inputs": [TENSOR]},
    ),
    (
        INFER,
        {"inputs": [SIZES, SIZES]},
        "expected tensors of one length and other names",
        {"inputs": [SIZES, COUNTS]},
    ),
    (
        INFER,
        {"inputs": [{**SIZES, "shape": [3]}, COUNTS]},
        r"has 2 cells, but its shape is \[3\]",
        {"inputs": [SIZES, COUNTS]},
    ),
    (CALL, {}, "expected exactly one of .*instances", {"instances": BOTH}),
    (
        CALL,
        {"dataframe_split": {"columns": "size", "data": BOTH}},
        "columns must be a list of names",
        {"dataframe_split": {"columns": ["size", "count"], "data": BOTH}},
    ),
    (
        CALL,
        {"dataframe_split": {"columns": ["size", "count"], "data": [[1]]}},
        "row 0: expected 2 cells",
        {"dataframe_split": {"columns": ["size", "count"], "data": BOTH}},
    ),
    (
        CALL,
        {"inputs": {"size": 3}},
        "must be a list of rows, or an object of lists",
        {"inputs": {"size": [1], "count": [2]}},
    ),
    (
        CALL,
        {"inputs": {"size": [1], "count": []}},
        "the columns have different lengths",
        {"inputs": {"size": [1], "count": [2]}},
    ),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]} {way[2]}"[:50])
def test_the_way_out_of_a_refusal_leads_out(app, way):
    path, wrong, words, right = way
    refused = post(app, path, wrong)
    assert 400 <= refused.status < 500
    assert re.search(words, " ".join(map(str, refused.json().values()))), refused.body
    answered = post(app, path, right)
    assert answered.status == 200, answered.body


def test_headers_that_refusals_name_are_enough(app):
    body = {"rows": [ROW]}
    bare = ask(app, "POST", "/v1/predict", body=body)
    assert "send the header 'Authorization: Bearer TOKEN'" in bare.body.decode()
    plain = post(app, "/v1/predict", body, **{"content-type": "text/plain"})
    assert "with the header Content-Type: application/json" in plain.body.decode()
    right = {"content-type": "application/json"}
    assert post(app, "/v1/predict", body, **right).status == 200


@pytest.mark.parametrize(
    ("names", "status"), [({"other.example"}, 421), ({"model.example"}, 200)]
)
def test_a_host_is_allowed_by_name(tmp_path, names, status):
    model = nearest_class().fit([[0.0], [1.0]], ["a", "b"])
    safety = Safety(limits=LIMITS, names=names, tokens=SAFETY.tokens)
    app = make_server(Store(model), safety, Privacy(Level.VALUES))
    said = post(app, "/v1/predict", {"rows": [[0.5]]}, host="model.example")
    assert said.status == status
    assert (status == 200) is ("--allow-host" not in said.body.decode())


def test_rows_are_refused_with_the_schema_at_lower_levels():
    frame, label, _ = flats()
    model = nearest_class().fit(frame, label)
    app = make_server(Store(model), SAFETY, Privacy(Level.AGGREGATE))
    schema = ask(
        app, path="/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}
    )
    named = schema.json()["components"]["schemas"]["Row"]["oneOf"][0]["properties"]
    assert list(named) == list(frame.columns)
    cells = [1.0, 2.0, "gas", 1950.0]
    row = dict(zip(named, cells, strict=True))
    assert post(app, "/v1/predict", {"rows": [row]}).status == 200


# --- tokens, ports, the explorer ------------------------------------------------------


def test_tokens_are_made_as_the_message_has_it(tmp_path):
    with pytest.raises(SklazyError, match=r"secrets\.token_urlsafe\(\)"):
        check_token("short")
    check_token(new_token())
    path = tmp_path / "tokens"
    path.write_text("reader " + TOKEN)
    with pytest.raises(
        SklazyError, match=r"expected a role \(ask, explain or change\)"
    ):
        read_tokens(path)
    path.write_text("ask " + TOKEN)
    assert read_tokens(path).role_of(TOKEN) is Role.ASK


def test_another_port_is_free():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SklazyError, match="--port, or 0 for any free port"):
            listen("127.0.0.1", port)
        listen("127.0.0.1", 0).close()


def test_a_model_is_explored_once_it_is_a_fitted_lazy_estimator():
    with pytest.raises(SklazyError, match="expected a lazy estimator of this library"):
        Session(pd.DataFrame(), "a.csv")
    with pytest.raises(SklazyError, match="is not fitted; fit it first"):
        Session(nearest_class(), "a.csv")
    frame, label, _ = flats()
    Session(nearest_class().fit(frame, label), "a.csv").close()


def test_changes_in_the_explorer_are_refused_with_what_is_expected():
    frame, label, _ = flats()
    with exploring(nearest_class().fit(frame, label), wait=False) as asking:
        changes = asking.session.changes
        with pytest.raises(SklazyError, match="expected one of 'cheap', 'dear'"):
            changes.add("relabel", 0, "cheep", "")
        assert changes.add("relabel", 0, "cheap", "").after == "cheap"
        for case in range(1, 59):
            changes.add("forget", case, None, "")
        with pytest.raises(SklazyError, match="two cases would be left; keep more"):
            changes.add("forget", 59, None, "")
        changes.add("keep", 59, None, "")
