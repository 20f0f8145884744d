"""What is published describes itself in one way: one version, one address."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import sklazy

ROOT = Path(__file__).parents[2]
VERSION_LINES = {
    "CITATION.cff": r"^version: (.+)$",
    "recipe/recipe.yaml": r'^  version: "(.+)"$',
    "studies/pyproject.toml": r'^version = "(.+)"$',
    "pyproject.toml": r'^version = "(.+)"$',
}
HOOK = ROOT / "hatch_build.py"


@pytest.fixture(scope="module")
def hook():
    pytest.importorskip("hatchling", reason="hatchling builds the package")
    names = {}
    exec(compile(HOOK.read_text(), str(HOOK), "exec"), names)
    return names


@pytest.mark.parametrize("path", VERSION_LINES)
def test_one_version(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.findall(VERSION_LINES[path], text, re.M) == [sklazy.__version__]


def test_the_address_stands_in_one_file():
    address = re.search(r'REPOSITORY = "https://(.+)"', HOOK.read_text())[1]
    listed = subprocess.run(
        ["git", "grep", "-lIF", address], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode > 1:
        pytest.skip("needs a git checkout to list the files")
    assert listed.stdout.split() in ([], [HOOK.name])


def test_links_of_the_published_page_lead_somewhere(hook):
    page = hook["write_page"]("[a](docs/a.md) [b](#b) [c](https://c) ![d](docs/d.png)")
    at = hook["REPOSITORY"]
    assert page == (
        f"[a]({at}/blob/main/docs/a.md) [b](#b) [c](https://c) "
        f"![d]({at}/raw/main/docs/d.png)"
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://|#)([^)\s#]+)", readme):
        assert (ROOT / target).exists(), target


def test_the_recipe_needs_what_the_package_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = (ROOT / "recipe/recipe.yaml").read_text()
    for need in project["dependencies"]:
        name, version = need.split(">=")
        assert f"    - {name} >={version}\n" in recipe


def test_the_changelog_dates_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (.+)$", text, re.M)[1]
    assert re.fullmatch(
        rf"{re.escape(sklazy.__version__)} - \d{{4}}-\d\d-\d\d|Unreleased", newest
    )
