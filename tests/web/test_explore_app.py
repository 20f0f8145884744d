"""The explorer over HTTP: its door, its addresses, what hostile data can do."""

import json

import pytest
from click.testing import CliRunner

import sklazy
from explored import flats, nearest_class
from sklazy.cli import main
from sklazy.errors import BadInputError, BadTypeError
from sklazy.web.explore.app import make_explorer
from sklazy.web.explore.downloads import make_download
from sklazy.web.explore.session import Session
from web_asking import ask

TOKEN = "a token that nobody guesses"
OWN = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def app():
    frame, label, _ = flats()
    session = Session(nearest_class().fit(frame, label), "<b>flats</b>.csv")
    yield make_explorer([session], TOKEN)
    session.close()


def test_nothing_is_told_without_the_token(app):
    paths = [
        "/",
        "/api/overview",
        "/api/cases",
        "/static/main.js",
        "/download/data.csv",
    ]
    for path in paths:
        assert ask(app, path=path).status == 401
    other = {"authorization": "Bearer another token of some length"}
    assert ask(app, path="/api/overview", headers=other).status == 401


def test_the_token_in_the_address_opens_the_page(app):
    said = ask(app, path=f"/?token={TOKEN.replace(' ', '%20')}")
    assert said.status == 303
    assert said.headers["location"] == "/"
    assert "HttpOnly" in said.headers["set-cookie"]


def test_the_page_is_escaped_and_all_its_parts_are_served_from_here(app):
    said = ask(app, headers=OWN)
    page = said.body.decode()
    assert "<b>flats</b>" not in page
    assert "&lt;b&gt;flats&lt;/b&gt;.csv" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "style=" not in page
    assert "'unsafe" not in said.headers["content-security-policy"]
    for name in ["main", "dom", "row", "map", "cases", "audit", "overview", "jobs"]:
        script = ask(app, path=f"/static/{name}.js", headers=OWN)
        assert script.status == 200
        text = script.body.decode()
        for parser in ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval("]:
            assert parser not in text


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/overview", None, 200),
        ("GET", "/api/left-out", None, 200),
        ("GET", "/api/fields", None, 200),
        ("GET", "/api/audit", None, 200),
        ("GET", "/api/values", None, 200),
        ("GET", "/api/advice", None, 200),
        ("POST", "/api/cases", {"page": 0}, 200),
        ("POST", "/api/case", {"case": 3}, 200),
        ("POST", "/api/case", {"case": 99}, 404),
        ("POST", "/api/cases", {"page": "a"}, 422),
        ("POST", "/api/cases", [], 400),
        ("POST", "/api/receipt", {"case": 3}, 200),
        ("POST", "/api/map", {}, 200),
        ("POST", "/api/start", {"job": "none"}, 422),
        ("POST", "/api/undo", {"number": 5}, 404),
        ("GET", "/download/cases.csv", None, 200),
        ("GET", "/download/cases.exe", None, 404),
        ("GET", "/download/audit.csv", None, 409),
        ("GET", "/download/values.csv", None, 409),
        ("GET", "/download/advice.html", None, 409),
        ("GET", "/download/changes.csv", None, 200),
        ("GET", "/download/..%2fapp.py", None, 404),
        ("GET", "/static/../app.py", None, 404),
        ("GET", "/nothing", None, 404),
    ],
)
def test_addresses_answer_or_say_why_not(app, method, path, body, status):
    said = ask(app, method, path, body=body, headers=OWN)
    assert said.status == status
    if status >= 400:
        assert said.json()["status"] == status
        assert "Traceback" not in said.body.decode()
    elif path.startswith("/api"):
        json.loads(said.body, parse_constant=lambda text: pytest.fail(text))
    else:
        assert said.headers["content-disposition"].startswith("attachment")


def test_other_sites_change_nothing(app):
    body = {"kind": "forget", "case": 1}
    for headers in [{"origin": "http://elsewhere.example"}, {"host": "elsewhere:80"}]:
        said = ask(app, "POST", "/api/change", body=body, headers={**OWN, **headers})
        assert said.status in (403, 421)
    assert ask(app, path="/api/changes", headers=OWN).json()["changes"] == []


def test_only_fitted_lazy_estimators_are_explored():
    with pytest.raises(BadInputError, match="not fitted"):
        Session(sklazy.LazyKNeighborsClassifier(), "x")
    with pytest.raises(BadTypeError, match="cannot be explored"):
        Session(sklazy.EntropyDiscretizer(), "x")


def test_an_estimator_opens_its_explorer():
    frame, label, _ = flats(20)
    model = nearest_class().fit(frame, label)
    with model.explore(browser=False) as explorer:
        assert explorer.url.startswith("http://127.0.0.1:")
        assert "token=" in explorer.url
        explorer._session.change("forget", 3, None, "")
        assert 3 not in explorer.model.ids_
        assert [one["kind"] for one in explorer.changes] == ["forget"]
        assert '<iframe src="http://127.0.0.1:' in explorer._repr_html_()
        assert 'height="300"' in explorer.to_html(300)
    assert 3 in model.ids_


def sites():
    """Two sessions that cannot be changed, on one site."""
    frame, label, rent = flats(20)
    models = {
        "flats": nearest_class().fit(frame, label),
        "Rents <b>": sklazy.LazyKNeighborsRegressor(3).fit(frame, rent),
    }
    return [Session(model, name, read_only=True) for name, model in models.items()]


def test_several_models_share_a_site_that_nobody_can_change():
    sessions = sites()
    app = make_explorer(sessions, TOKEN)
    try:
        page = ask(app, headers=OWN).body.decode()
        assert 'href="flats/"' in page
        assert 'href="rents-b/"' in page
        assert "<b>" not in page
        for path, target in ("/flats", "price"), ("/rents-b", "rent"):
            shell = ask(app, path=f"{path}/", headers=OWN).body.decode()
            assert 'src="../static/main.js"' in shell
            assert "read-only" in shell
            said = ask(app, path=f"{path}/api/overview", headers=OWN)
            overview = json.loads(said.body)
            assert (overview["target"], overview["read_only"]) == (target, True)
            assert ask(app, path=f"{path}/download/data.csv", headers=OWN).status == 200
            for name, body in ("change", {"kind": "forget", "case": 1}), ("undo", {}):
                where = {"path": f"{path}/api/{name}", "headers": OWN}
                assert ask(app, "POST", body=body, **where).status == 422
        assert all(len(session.changes) == 0 for session in sessions)
        assert ask(app, path="/api/overview", headers=OWN).status == 404
        assert ask(app, path="/flats/api/overview").status == 401
    finally:
        for session in sessions:
            session.close()


def test_a_frame_needs_the_token_in_its_path_and_a_page_on_this_machine(app):
    frame, label, _ = flats(20)
    session = Session(nearest_class().fit(frame, label), "flats")
    framed = make_explorer([session], TOKEN, framed=True)
    path, navigating = (
        f"/frame/{TOKEN}",
        {
            "sec-fetch-site": "cross-site",
            "sec-fetch-dest": "iframe",
        },
    )
    try:
        said = ask(framed, path=f"{path}/", headers=navigating)
        assert said.status == 200
        assert "x-frame-options" not in said.headers
        policy = said.headers["content-security-policy"]
        assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in policy
        assert ask(framed, path=f"{path}/static/main.js").status == 200
        assert ask(framed, path=f"{path}/api/overview").status == 200
        other = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "empty"}
        assert ask(framed, path=f"{path}/api/overview", headers=other).status == 403
        assert ask(framed, path="/frame/another/", headers=navigating).status == 401
        assert ask(framed, headers=OWN).headers["x-frame-options"] == "DENY"
        assert ask(app, path=f"{path}/", headers=OWN).status == 404
    finally:
        session.close()


@pytest.fixture
def opened(monkeypatch):
    """The sessions and pages that commands open, which end at once."""
    seen, pages = [], []

    def run(sessions, port, on_start):
        seen.append((*sessions, port))
        on_start("http://127.0.0.1:1/?token=x")
        for session in sessions:
            session.close()

    monkeypatch.setattr("sklazy.cli.explore.run_explorer", run)
    monkeypatch.setattr("webbrowser.open", pages.append)
    return seen, pages


def test_the_command_opens_files_and_models(tmp_path, opened):
    frame, label, rent = flats(20)
    frame.assign(price=label, rent=rent).to_csv(tmp_path / "flats.csv", index=False)
    seen, pages = opened
    file, model = str(tmp_path / "flats.csv"), str(tmp_path / "rent.sklazy")
    common = ["-t", "price", "--ignore", "rent", "-m", "lazy-knn"]
    result = CliRunner().invoke(main, ["explore", file, *common, "--port", "8123"])
    assert result.exit_code == 0, result.output
    assert "The explorer is at http://127.0.0.1:1/?token=x" in result.output
    session, port = seen.pop()
    assert port == 8123
    assert session.source == "flats.csv"
    assert session.state.names == list(frame)
    assert "rent" in session.file_columns.names
    assert pages == ["http://127.0.0.1:1/?token=x"]
    fit = ["fit", file, "-t", "rent", "-m", "lazy-learning", "-o", model]
    assert CliRunner().invoke(main, fit).exit_code == 0
    result = CliRunner().invoke(main, ["explore", model, "--no-browser", "--json"])
    assert json.loads(result.stdout)["url"].startswith("http://127.0.0.1")
    assert seen.pop()[0].state.target == "rent"
    assert len(pages) == 1
    result = CliRunner().invoke(main, ["explore", file, "-t", "rent", "-m", "ridge"])
    assert result.exit_code == 2
    assert "has no cases to explore" in result.output


def test_the_command_shares_files_and_models_and_keeps_the_file(tmp_path, opened):
    frame, label, _ = flats(20)
    frame.assign(price=label).to_csv(tmp_path / "flats.csv", index=False)
    seen, _ = opened
    file, model = str(tmp_path / "flats.csv"), str(tmp_path / "price.sklazy")
    common = ["-t", "price", "-m", "lazy-knn"]
    assert CliRunner().invoke(main, ["fit", file, *common, "-o", model]).exit_code == 0
    shared = ["--beside", model, "--beside", file, "--read-only", "--no-browser"]
    result = CliRunner().invoke(main, ["explore", file, *common, *shared])
    assert result.exit_code == 0, result.output
    *sessions, _ = seen.pop()
    assert [one.source for one in sessions] == [
        "flats.csv",
        "price.sklazy",
        "flats.csv",
    ]
    assert [one.state.target for one in sessions] == ["price"] * 3
    session = sessions[0]
    assert all(one.read_only for one in sessions)
    session.changes.add("relabel", 3, "dear", "")
    session.changes.add("forget", 4, None, "")
    changed, _ = make_download(session, "own.csv", {})
    said = ask(make_explorer([session], TOKEN), path="/download/own.csv", headers=OWN)
    assert said.headers["content-disposition"].endswith("''flats-changed.csv")
    assert said.body == changed
    lines = (tmp_path / "flats.csv").read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b"cheap", b"dear")
    assert changed == b"".join(lines[:5] + lines[6:])
