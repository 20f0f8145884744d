"""The door: hosts, origins, tokens, bodies, time, and how errors look."""

import asyncio
import contextlib
import json
import logging
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse, PlainTextResponse

from sklazy.errors import BadFileError, BadInputError, UnknownIdError
from sklazy.web import running as web_running
from sklazy.web.bodies import RequestLimits, check_text, parse_object, read_json
from sklazy.web.guard import Safety
from sklazy.web.hosts import is_loopback, name_of
from sklazy.web.pages import Page, make_app
from sklazy.web.problems import Problem
from sklazy.web.tokens import Role, Tokens, is_shared, read_tokens, write_tokens
from sklazy.web.work import Work
from web_asking import ask, asked, fetch, running

SMALL = RequestLimits(body=100, text=10, seconds=0.3, at_once=1, waiting=1)
LARGE = 50_000_000
TOKENS = {"ask": "a" * 20, "explain": "e" * 20, "change": "c" * 20}
ROLES = Tokens({token: Role[name.upper()] for name, token in TOKENS.items()})


async def hello(request):
    return PlainTextResponse("hello", headers={"X-Frame-Options": "ALLOWALL"})


async def echo(request):
    return JSONResponse(await read_json(request, SMALL))


async def slow(request):
    await asyncio.sleep(2)
    return PlainTextResponse("late")


async def large(request):
    return PlainTextResponse("x" * LARGE)


async def fail(request):
    raise {
        "secret": RuntimeError("/home/somebody/secret.csv"),
        "file": BadFileError("truncated", "/home/somebody/model"),
        "input": BadInputError("k=0; give more."),
        "id": UnknownIdError("no row 7"),
    }[request.path_params["how"]]


PAGES = [
    Page("GET", "/", hello, Role.ASK),
    Page("GET", "/health", hello, None),
    Page("POST", "/echo", echo, Role.EXPLAIN),
    Page("POST", "/change", echo, Role.CHANGE),
    Page("POST", "/slow", slow, Role.ASK),
    Page("GET", "/large", large, Role.ASK),
    Page("GET", "/fail/{how}", fail, Role.ASK),
]


def app_of(**settings):
    return make_app(PAGES, Safety(**{"limits": SMALL, **settings}))


APP = app_of()
LOCKED = app_of(tokens=ROLES, open_paths=["/health"])
PAGED = app_of(tokens=ROLES, browser=True)


def bearer(role):
    return {"authorization": f"Bearer {TOKENS[role]}"}


# --- headers --------------------------------------------------------------------------


def test_every_response_has_the_headers_that_keep_pages_safe():
    for said in (ask(APP), ask(APP, path="/nowhere"), ask(APP, path="/fail/secret")):
        assert "default-src 'none'" in said.headers["content-security-policy"]
        assert "unsafe" not in said.headers["content-security-policy"]
        assert said.headers["x-frame-options"] == "DENY"  # a page cannot undo it
        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["cache-control"] == "no-store"
        assert said.headers["referrer-policy"] == "no-referrer"


# --- hosts and origins ----------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "[::1]:80", "LOCALHOST"]
)
def test_a_server_answers_to_its_own_names(host):
    assert ask(APP, headers={"host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost."),
        *("user@127.0.0.1", "127.0.0.1, evil.example", "127.0.0.1:x", "", "[::1", None),
        *("127.0.0.1\\@evil.example", "127.0.0.1/x", "127.0.0.1#x", "2130706433"),
    ],
)
def test_dns_rebinding_gets_nothing(host):
    said = ask(APP, headers={"host": host})
    assert said.status == 421
    assert b"hello" not in said.body


@given(st.text())
def test_no_text_breaks_the_reading_of_hosts(text):
    found = name_of(text)
    assert found is None or found.lower() == found


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},  # another server of this machine
        {"origin": "http://127.0.0.1:8000.evil.example"},
        {"origin": "//127.0.0.1:8000"},
        {"origin": "http://[127.0.0.1:8000"},
        {"origin": "ftp://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_of_other_sites_get_nothing(headers, method):
    path = "/" if method == "GET" else "/echo"
    said = ask(APP, method, path, body={"a": 1}, headers=headers)
    assert said.status == 403
    assert "access-control-allow-origin" not in said.headers


def test_own_pages_may_ask():
    own = {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"}
    assert ask(APP, "POST", "/echo", body={"a": 1}, headers=own).json() == {"a": 1}


def test_a_form_of_another_site_without_origin_is_refused_by_its_type():
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        headers = {"content-type": kind}
        assert ask(APP, "POST", "/echo", body=b"{}", headers=headers).status == 415


def test_loopback_is_what_others_cannot_reach():
    assert all(map(is_loopback, ["127.0.0.1", "127.9.9.9", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "localhost.x", ""]))


# --- tokens and roles -----------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer " + "x" * 20},
        {"authorization": "Bearer "},
        {"authorization": "Basic " + TOKENS["ask"]},
        {"authorization": TOKENS["ask"]},
        {"authorization": "Bearer " + TOKENS["ask"][:-1]},
        {"cookie": "sklazy-8000=" + TOKENS["ask"]},  # not a server of pages
    ],
)
@pytest.mark.parametrize("path", ["/", "/nowhere", "/?token=" + TOKENS["change"]])
def test_without_its_token_nothing_is_told(headers, path):
    said = ask(LOCKED, path=path, headers=headers)
    assert said.status == 401
    assert said.headers["www-authenticate"] == "Bearer"
    assert TOKENS["ask"] not in said.body.decode()


def test_what_is_open_needs_no_token():
    assert ask(LOCKED, path="/health").status == 200


@pytest.mark.parametrize("role", TOKENS)
def test_a_role_includes_those_before_it(role):
    rank = list(TOKENS).index(role)
    body = {"a": 1}
    asking = ask(LOCKED, headers=bearer(role))
    explaining = ask(LOCKED, "POST", "/echo", body=body, headers=bearer(role))
    changing = ask(LOCKED, "POST", "/change", body=body, headers=bearer(role))
    found = [said.status for said in (asking, explaining, changing)]
    assert found == [200 if rank >= needed else 403 for needed in range(3)]


def test_without_tokens_everybody_has_one_role():
    assert ask(APP, "POST", "/change", body={}).status == 403
    open_app = app_of(everybody=Role.CHANGE)
    assert ask(open_app, "POST", "/change", body={}).status == 200


def test_a_token_in_the_address_moves_to_a_cookie():
    said = ask(PAGED, path=f"/some?a=1&token={TOKENS['ask']}&b=%26")
    assert said.status == 303
    assert said.headers["location"] == "/some?a=1&b=%26"
    cookie = said.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    pair = cookie.partition(";")[0]
    assert ask(PAGED, headers={"cookie": f"other=1; {pair}"}).status == 200
    elsewhere = {"cookie": pair, "host": "127.0.0.1:9000"}
    assert ask(PAGED, headers=elsewhere).status == 401  # a server of another port


def test_a_wrong_token_in_the_address_opens_nothing():
    for query in ("token=", "token=x", f"token={TOKENS['ask']}&token=x"):
        said = ask(PAGED, path=f"/?{query}")
        assert said.status == 401
        assert "set-cookie" not in said.headers


def test_the_way_back_stays_on_this_server():
    for path in ("//evil.example/x", "/\\evil.example", "///evil.example"):
        said = ask(PAGED, path=f"{path}?token={TOKENS['ask']}")
        assert said.headers["location"].startswith("/evil.example")


def test_token_files(tmp_path):
    path = tmp_path / "tokens"
    write_tokens(path)
    assert not is_shared(path)
    lines = dict(line.split() for line in path.read_text().splitlines())
    tokens = read_tokens(path)
    assert [tokens.role_of(lines[r]) for r in TOKENS] == [*Role]
    assert not any(token in repr(vars(tokens)) for token in lines.values())
    with pytest.raises(FileExistsError):
        write_tokens(path)


@pytest.mark.parametrize(
    "text",
    ["", "# none\n", "ask short", "boss " + "x" * 20, "ask " + "é" * 20, "x" * 20],
)
def test_token_files_that_are_refused(tmp_path, text):
    path = tmp_path / "tokens"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInputError, match="token") as found:
        read_tokens(path)
    assert "x" * 20 not in str(found.value)


# --- bodies ---------------------------------------------------------------------------


def test_a_body_that_says_it_is_too_large_is_not_read():
    said = ask(APP, "POST", "/echo", body=b"{}", headers={"content-length": "101"})
    assert said.status == 413
    odd = {"content-length": "9" * 5000}
    assert ask(APP, "POST", "/echo", body=b"{}", headers=odd).status == 413


def test_a_body_is_counted_as_it_streams():
    taken = []

    def parts():
        while True:
            taken.append(1)
            yield b"x" * 30

    headers = {"content-type": "application/json"}
    said = ask(APP, "POST", "/echo", headers=headers, chunks=parts())
    assert said.status == 413
    assert len(taken) == 4  # 120 bytes: no more than it takes to know


def test_a_slow_body_is_given_up():
    headers = {"content-type": "application/json"}
    start = time.monotonic()
    said = ask(APP, "POST", "/echo", headers=headers, chunks=[b"{", 30.0, b"}"])
    assert said.status == 408
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b"{",
            b"[]",
            b"1",
            b"\xff\xfe",
            b"{'a': 1}",
            b'{"a": 1, "a": 2}',
            b"{}x",
        ),
        *(b"[" * 99, b'{"a": ' + b"1" * 5000 + b"}"),
    ],
)
def test_what_is_not_an_object_of_json_is_refused(body):
    with pytest.raises(Problem) as found:
        parse_object(body, RequestLimits())
    assert found.value.status == 400


def test_keys_of_an_object_are_bounded():
    body = json.dumps({f"k{i}": 1 for i in range(11)}).encode()
    assert len(parse_object(body, RequestLimits(columns=11))) == 11
    with pytest.raises(Problem, match="10 keys"):
        parse_object(body, RequestLimits(columns=10))


def test_depth_is_bounded():
    for text in (b"[" * 500_000, b'{"a":' * 200_000):
        with pytest.raises(Problem, match="deep"):
            parse_object(text, RequestLimits())


@given(st.binary(max_size=60))
def test_no_bytes_break_the_reading_of_bodies(body):
    with contextlib.suppress(Problem):
        assert isinstance(parse_object(body, RequestLimits()), dict)


def test_texts_are_bounded():
    assert check_text("x" * 10, SMALL, "a cell") == "x" * 10
    for text in ("x" * 11, "\ud800"):
        with pytest.raises(Problem, match="a cell"):
            check_text(text, SMALL, "a cell")


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "status"), [("secret", 500), ("file", 500), ("input", 422), ("id", 404)]
)
def test_errors_are_problems_without_paths(how, status, caplog):
    with caplog.at_level(logging.CRITICAL):
        said = ask(APP, path=f"/fail/{how}")
    assert said.status == status
    assert said.headers["content-type"] == "application/problem+json"
    assert said.json()["status"] == status
    assert b"somebody" not in said.body
    assert b"Traceback" not in said.body


def test_unknown_addresses_and_methods():
    assert ask(APP, path="/nowhere").status == 404
    assert ask(APP, "PUT", "/echo").status == 405
    assert ask(APP, path="/../../etc/passwd").status == 404


# --- work -----------------------------------------------------------------------------


def test_work_is_bounded_in_time_and_number():
    async def play():
        work, slept = Work(SMALL), time.sleep
        assert await work.run(sorted, [2, 1]) == [1, 2]
        many = [asyncio.create_task(work.run(slept, 1.0)) for _ in range(3)]
        found = await asyncio.gather(*many, return_exceptions=True)
        assert [problem.status for problem in found] == [503] * 3
        assert "busy" in found[2].detail
        assert all(int(problem.headers["Retry-After"]) >= 1 for problem in found)
        with pytest.raises(ZeroDivisionError):
            # The thread that was given up is waited for; then there is room again.
            await asyncio.sleep(1.0)
            await work.run(divmod, 1, 0)
        await asyncio.sleep(0.01)
        assert work.n_open == 0
        work.stop()

    asyncio.run(play())


def test_work_that_is_out_of_time_frees_its_thread():
    def count(seen):
        while True:  # as long work does: in steps, between which Python may stop it
            seen.append(time.monotonic())
            time.sleep(0.01)

    async def play():
        work, seen = Work(replace(SMALL, seconds=0.1)), []
        for _ in range(3):
            with pytest.raises(Problem, match="takes longer"):
                await work.run(count, seen)
        for _ in range(200):
            if not work.n_open:
                break
            await asyncio.sleep(0.01)
        assert work.n_open == 0
        n_steps = len(seen)
        assert await asyncio.gather(*[work.run(sorted, [2, 1])]) == [[1, 2]]
        assert len(seen) == n_steps
        work.stop()

    asyncio.run(play())


def test_changes_are_never_stopped_halfway():
    async def play():
        work, done = Work(replace(SMALL, seconds=0.05), stops=False), []

        def change():
            for _ in range(10):
                time.sleep(0.02)
            done.append(True)

        with pytest.raises(Problem, match="takes longer"):
            await work.run(change)
        await asyncio.sleep(0.5)
        assert done == [True]
        work.stop()

    asyncio.run(play())


def test_a_process_does_not_wait_for_work_that_was_given_up():
    code = (
        "import asyncio, time; from sklazy.web.bodies import RequestLimits; "
        "from sklazy.web.work import Work; work = Work(RequestLimits(seconds=0.05))\n"
        "try: asyncio.run(work.run(time.sleep, 100))\n"
        "except Exception: work.stop(); print('given up')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "given up\n", done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("wrong", [{"rows": 0}, {"seconds": -1.0}, {"body": 0}])
def test_limits_are_above_zero(wrong):
    with pytest.raises(BadInputError, match=next(iter(wrong))):
        RequestLimits(**wrong)


# --- over a socket --------------------------------------------------------------------


def test_a_served_application(monkeypatch):
    monkeypatch.setattr(web_running, "_HEAD_SECONDS", 0.3)
    with running(APP) as port:
        assert fetch(port).body == b"hello"
        assert fetch(port, "POST", "/echo", {"a": 1}).json() == {"a": 1}
        assert "server" not in {name.lower() for name in fetch(port).headers}
        _refuses_endless_headers(port)
        _refuses_slow_headers(port)
        _refuses_endless_headers_behind_a_request(port)
        _refuses_smuggling(port)
        assert fetch(port).body == b"hello"


def _refuses_endless_headers(port):
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises((ConnectionError, AssertionError)):
            for _ in range(1000):
                client.sendall(b"X-A: " + b"x" * 1000 + b"\r\n")
            assert client.recv(100)


def _refuses_endless_headers_behind_a_request(port):
    body = b'{"a": 1}'
    head = b"POST /slow HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(head + body)
        time.sleep(0.05)
        with pytest.raises((ConnectionError, AssertionError)):
            client.sendall(b"GET / HTTP/1.1\r\n")
            for _ in range(5000):
                client.sendall(b"X-A: " + b"x" * 1000 + b"\r\n")
            assert client.recv(100)


def _refuses_slow_headers(port):
    start = time.monotonic()
    for first in (b"", b"GET / HT"):
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            client.sendall(first)
            assert client.recv(100) == b""
    assert time.monotonic() - start < 5


def _refuses_smuggling(port):
    both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"
    kind = b"Content-Type: application/json\r\n"
    for bad in (both, b"X-A: a\r\n b: c\x00\r\n", b"Content-Length: -1\r\n"):
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            head = b"POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\n" + kind + bad
            client.sendall(head + b"\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            said = client.recv(10_000)
            assert said.startswith(b"HTTP/1.1 4")
            assert b"hello" not in said


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"body"])
def test_slow_clients_cannot_hold_all_places(sent):
    head = b"POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8\r\n"
    head += b"Content-Type: application/json\r\n\r\n"
    first = head + b'{"a"' if sent == b"body" else sent
    with (
        running(APP, replace(RequestLimits(), connections=8)) as port,
        contextlib.ExitStack() as stack,
    ):
        slow = []
        for _ in range(30):
            client = socket.create_connection(("127.0.0.1", port), 10)
            slow.append(stack.enter_context(client))
            client.sendall(first)
        end = time.monotonic() + 5  # requests that were cut off may still be ending
        while fetch(port).body != b"hello":
            assert time.monotonic() < end
        for _ in range(5):
            assert fetch(port).body == b"hello"
        slow[0].settimeout(5)
        with contextlib.suppress(ConnectionError):
            assert slow[0].recv(10) == b""  # the first ones had to go


def test_work_keeps_its_place():
    with (
        running(APP, replace(RequestLimits(), connections=2)) as port,
        socket.create_connection(("127.0.0.1", port), 10) as client,
    ):
        client.sendall(b"POST /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        for _ in range(6):
            assert fetch(port).body == b"hello"
        said = b""
        while b"late" not in said:
            said += client.recv(10_000)


def test_a_client_that_does_not_read_is_given_up(monkeypatch):
    monkeypatch.setattr(web_running, "_READ_SECONDS", 0.2)
    with (
        running(APP) as port,
        socket.create_connection(("127.0.0.1", port), 10) as client,
    ):
        client.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(1)
        size = 0
        with contextlib.suppress(ConnectionError):
            while part := client.recv(1 << 20):
                size += len(part)
        assert size < LARGE


def test_a_client_that_hangs_up_is_no_error(caplog):
    async def receive():
        return {"type": "http.disconnect"}

    async def play():
        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/echo", "headers": headers}
        await APP({**scope, "query_string": b""}, receive, None)

    asyncio.run(play())
    assert not caplog.records


def test_a_websocket_is_closed():
    sent = []

    async def play():
        async def send(message):
            sent.append(message)

        await APP({"type": "websocket"}, None, send)

    asyncio.run(play())
    assert sent == [{"type": "websocket.close", "code": 1003}]


def test_many_ask_at_once():
    async def play():
        return await asyncio.gather(*[asked(APP) for _ in range(50)])

    assert all(said.status == 200 for said in asyncio.run(play()))
