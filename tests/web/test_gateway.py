"""The proxy of docs/gateway.md: nginx with TLS, by the file of deploy/."""

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import pytest

import sklazy
from sklazy.web.guard import Safety
from sklazy.web.hosts import LOCAL_NAMES
from sklazy.web.serve.app import make_server
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store
from web_asking import running

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "models.example.org"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("nginx") and shutil.which("openssl")),
        reason="nginx and openssl are needed",
    ),
]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def proxied(tmp_path):
    """The port of a proxy with TLS before a model, and its certificate."""
    subject = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject]
    keys = ["-keyout", tmp_path / "server.key", "-out", tmp_path / "server.crt"]
    subprocess.run([*command, *keys], check=True, capture_output=True)
    model = sklazy.LazyKNeighborsClassifier(1).fit([[0.0], [1.0]] * 10, ["a", "b"] * 10)
    safety = Safety(names=LOCAL_NAMES | {NAME})
    with running(make_server(Store(model), safety, Privacy(Level.VALUES))) as inside:
        outside = free_port()
        site = (DEPLOY / "nginx.conf").read_text()
        site = site.replace("listen 443", f"listen 127.0.0.1:{outside}")
        site = site.replace("model:8000", f"127.0.0.1:{inside}")
        site = site.replace("/certificates", str(tmp_path))
        paths = f"client_body_temp_path {tmp_path}/b; proxy_temp_path {tmp_path}/t;"
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}}\n"
            f"http {{ access_log off; {paths}\n{site} }}"
        )
        files = ["-e", tmp_path / "log", "-c", tmp_path / "nginx.conf"]
        with subprocess.Popen(["nginx", *files]) as nginx:
            try:
                yield outside, tmp_path / "server.crt"
            finally:
                nginx.terminate()


def ask(port, certificate, method, path, body=None):
    context = ssl.create_default_context(cafile=str(certificate))
    for _ in range(50):
        try:
            raw = socket.create_connection(("127.0.0.1", port), 10)
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    with context.wrap_socket(raw, server_hostname=NAME) as tls:
        connection = http.client.HTTPConnection(NAME)
        connection.sock = tls
        kind = {"Content-Type": "application/json"}
        connection.request(method, path, body, kind)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


def test_a_proxy_with_tls_passes_questions_and_ids_alone(proxied):
    body = json.dumps({"rows": [[0.1]]})
    status, headers, content = ask(*proxied, "POST", "/v1/predict", body)
    assert status == 200
    assert json.loads(content)["predictions"] == ["a"]
    assert len(headers["x-request-id"]) == 32  # nginx's
    for path in ("/metrics", "/health", "/ready"):
        assert ask(*proxied, "GET", path)[0] == 404
    assert ask(*proxied, "POST", "/v1/predict", " " * (2 << 20))[0] == 413
