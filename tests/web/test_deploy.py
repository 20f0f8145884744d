"""The files of deploy/: as far as they can be checked without a container runtime."""

import re
import shlex
from pathlib import Path

import pytest

from sklazy.cli import main
from sklazy.web.serve.app import OPEN

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def manifest():
    parts = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    return {part["kind"]: part for part in parts}


def pod():
    return manifest()["Deployment"]["spec"]["template"]["spec"]


def instructions():
    """The Dockerfile's instructions of each stage: pairs of word and rest."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.M)
    stages = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("FROM"):
            stages.append([])
        if line.strip():
            stages[-1].append(tuple(line.split(maxsplit=1)))
    return stages


def parse_serve(words):
    """The options that `sklazy serve` takes these words for; it fails on others."""
    assert words[0] == "serve"
    command = main.commands["serve"]
    with command.make_context("serve", list(words[1:])) as context:
        return context.params


def read_options(words, tmp_path):
    """The options, with files in the place of those of the container."""
    for name in ("models", "secrets", "state"):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / "models" / "heating.sklazy").touch()
    place = r"/(?=models/|secrets/|state/)"
    return parse_serve([re.sub(place, f"{tmp_path}/", word) for word in words])


def test_the_image_runs_as_a_user_without_rights_from_wheels_alone():
    build, last = instructions()
    words = [word for word, _ in last]
    users = [rest for word, rest in last if word == "USER"]
    assert users == ["10001"]
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert dict(last)["ENTRYPOINT"] == '["sklazy"]'  # it gets the signals itself
    install = next(rest for word, rest in last if word == "RUN" and "pip" in rest)
    assert "--no-index" in install
    assert "uid 10001" in install
    assert "warm" in [rest for word, rest in last if word == "RUN"][-1]
    wheels = dict(build)["RUN"]
    constraints = re.search(r"--constraint (\S+)", wheels).group(1)
    assert (ROOT / constraints).exists()
    extras = re.search(r"\.\[([a-z,]+)\]", wheels).group(1)
    assert f"sklazy[{extras}]" in install
    assert not {"ADD", "MAINTAINER"} & {word for word, _ in [*build, *last]}


def test_the_compose_file_gives_no_rights_and_serves_behind_the_proxy(tmp_path):
    services = compose()["services"]
    model, proxy = services["model"], services["proxy"]
    options = read_options(shlex.split(model["command"]), tmp_path)
    assert options["host"] == "0.0.0.0"
    assert model["read_only"]
    assert "/tmp" in model["tmpfs"]
    assert model["cap_drop"] == ["ALL"]
    assert "ports" not in model  # only the proxy is reached from outside
    assert proxy["ports"] == ["443:443"]
    context = DEPLOY / model["build"]["context"]
    assert (context / model["build"]["dockerfile"]).exists()
    site = (DEPLOY / "nginx.conf").read_text()
    assert "proxy_pass http://model:8000;" in site
    assert options["port"] == 8000
    (name,) = options["allow_host"]
    assert f"server_name {name};" in site
    hidden = re.search(r"location ~ (\S+) \{ return 404", site).group(1)
    assert all(re.match(hidden, path) for path in (*OPEN, "/metrics"))
    assert not re.match(hidden, "/v2/models/model/ready")
    targets = {volume.split(":")[1] for volume in model["volumes"]}
    assert {"/models", "/state"} == targets
    # A new volume belongs to whom its folder in the image belongs.
    (install,) = [rest for word, rest in instructions()[1] if "useradd" in rest]
    assert "/state" in re.search(r"chown sklazy (.*)", install).group(1).split()
    assert {one["restart"] for one in services.values()} == {"unless-stopped"}
    assert set(compose()["volumes"]) == {"state"}
    assert ":8000/ready" in model["healthcheck"]["test"][-1]


def test_the_manifest_has_probes_and_mounts_of_what_the_command_needs(tmp_path):
    (container,) = pod()["containers"]
    options = read_options(container["args"], tmp_path)
    ports = {one["containerPort"] for one in container["ports"]}
    assert ports == {options["port"]}
    probes = {name: one for name, one in container.items() if name.endswith("Probe")}
    assert set(probes) == {"startupProbe", "readinessProbe", "livenessProbe"}
    for probe in probes.values():
        assert probe["httpGet"]["port"] in ports
        assert probe["httpGet"]["path"] in ("/ready", "/health")
    mounts = {one["name"]: one for one in container["volumeMounts"]}
    assert set(mounts) == {one["name"] for one in pod()["volumes"]}
    assert mounts["tmp"]["mountPath"] == "/tmp"
    assert mounts["models"]["readOnly"]
    files = [word.rpartition("=")[2] for word in container["args"] if "/" in word]
    places = [one["mountPath"] for one in mounts.values()]
    assert all(any(one.startswith(place) for place in places) for one in files)


def test_the_manifest_gives_no_rights_and_waits_for_pending_requests():
    (container,) = pod()["containers"]
    user = pod()["securityContext"]
    assert user["runAsNonRoot"]
    assert user["runAsUser"] == 10001
    # The rest of what the restricted pod security standard asks for.
    assert user["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not pod()["automountServiceAccountToken"]
    safe = container["securityContext"]
    assert safe["readOnlyRootFilesystem"]
    assert not safe["allowPrivilegeEscalation"]
    assert safe["capabilities"] == {"drop": ["ALL"]}
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod()["terminationGracePeriodSeconds"] > pause + 8  # see supervisor._LEAVE


def test_the_service_finds_the_pods():
    parts = manifest()
    deployed, service = parts["Deployment"], parts["Service"]["spec"]
    labels = deployed["spec"]["template"]["metadata"]["labels"]
    assert deployed["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["selector"].items() <= labels.items()
    (container,) = pod()["containers"]
    ports = [one["containerPort"] for one in container["ports"]]
    assert [one["targetPort"] for one in service["ports"]] == ports
    (name,) = [w for w in container["args"] if w.startswith("--allow-host")]
    assert name.endswith(f"={parts['Service']['metadata']['name']}")
