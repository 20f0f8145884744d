"""Every page in a real browser: no errors, and what it should show is there."""

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from fake_results import fake_found
from sklazy import (
    LazyAssociativeClassifier,
    LazyBaggingClassifier,
    LazyBayesRulesClassifier,
    LazyDecisionTreeClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    advise,
    audit,
)
from sklazy.cli import main
from sklazy_studies.harness.data import data_folder as find_data_folder
from sklazy_studies.lazy_stacking import run as lazy_stacking
from sklazy_studies.racsam import problem as racsam_problem
from sklazy_studies.racsam import run as racsam
from sklazy_studies.racsam.report import make_document
from sklazy_studies.reproduce import Request, reproduce, write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--enable-logging=stderr",
    "--window-size=1200,900",
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Open a page; gives the words it shows and what the console says."""
    found = list(filter(None, map(shutil.which, BROWSERS)))
    if not found:
        pytest.skip("no chromium here; on Debian: apt-get install chromium")
    profile = tmp_path_factory.mktemp("profile")

    def open_page(path):
        command = [found[0], *FLAGS, f"--user-data-dir={profile}", "--dump-dom"]
        result = subprocess.run(
            [*command, Path(path).resolve().as_uri()],
            capture_output=True,
            timeout=120,
            check=True,
        )
        console = [
            line
            for line in result.stderr.decode("utf-8", "replace").splitlines()
            if "CONSOLE" in line
        ]
        return result.stdout.decode("utf-8"), console

    return open_page


def words_of(dom):
    body = re.sub(r"<style.*?</style>", "", dom, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def check_page(opened, path, *expected):
    dom, console = opened(path)
    assert console == []
    words = words_of(dom)
    for text in expected:
        assert text in words
    assert Path(path).stat().st_size < 1_000_000
    return dom


def test_a_page_that_is_wrong_is_found_out(opened, tmp_path):
    page = tmp_path / "wrong.html"
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    page.write_text(
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<p>words</p><img src="there.png"><script>alert(1)</script>'
    )
    dom, console = opened(page)
    assert "words" in words_of(dom)
    assert console


def reproduced(name, tmp_path, sets=(), data=None):
    request = Request(
        data=find_data_folder(data),
        out=tmp_path,
        sets=sets,
        quick=True,
        command="sklazy x",
    )
    return reproduce(name, request).files[0]


def test_the_page_of_lazy_selection(opened, tmp_path):
    page = reproduced("lazy-selection", tmp_path, ("wine",))
    expected = ("220 (61 %)", "wine: 100 % with 3 of 13", "sklazy x", "1 set,")
    dom = check_page(opened, page, "Lazy attribute selection", *expected)
    assert dom.count("<svg") == 3
    assert dom.count("<table") == 12


def test_the_page_of_racsam(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(racsam, "N_QUICK_RUNS", 1)
    monkeypatch.setattr(racsam, "QUICK_CANDIDATES", 20)
    monkeypatch.setattr(racsam_problem, "N_ROWS", 120)
    monkeypatch.setattr(racsam_problem, "N_TRAINING", 40)
    monkeypatch.setattr(racsam_problem, "N_TEST", 20)
    page = reproduced("racsam", tmp_path, data=tmp_path)  # no data: table 1 alone
    dom = check_page(
        opened, page, "RACSAM, text, gram-schmidt", "forward selection", "92"
    )
    assert dom.count("<svg") == 1


def test_the_page_of_racsam_with_data_sets(opened, tmp_path):
    names = ["pol", "triazines", "wisconsin", "house_16H"]
    found = fake_found(np.random.default_rng(0), names)
    document = make_document(found, names, [("command", "sklazy x")])
    page, *_ = write_report(document, "racsam", tmp_path)
    dom = check_page(opened, page, "LL-RAC2 against", "27.4", "Lowest error")
    assert dom.count("<svg") == 3


def test_the_page_of_lazy_stacking(opened, tmp_path, data_folder, monkeypatch):
    monkeypatch.setattr(lazy_stacking, "N_QUICK_REPETITIONS", 1)
    page = reproduced("lazy-stacking", tmp_path, ("labor",))
    expected = ("lazy stacking", "90.56", "double fault", "0.018")
    dom = check_page(opened, page, "Lazy bagging and lazy stacking", *expected)
    assert dom.count("<svg") == 3


def test_the_page_of_the_demo(opened, tmp_path):
    page = tmp_path / "demo.html"
    result = CliRunner().invoke(main, ["demo", "--html", str(page)])
    assert result.exit_code == 0, result.output
    dom = check_page(opened, page, "grower")
    assert dom.count("<article") == 2


def test_pages_of_receipts_and_advice(opened, tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    pages = {
        "classes": LazyKNeighborsClassifier().fit(X, y).explain(X[:1])[0],
        "ensemble": LazyBaggingClassifier(5).fit(X, y).explain(X[:2]),
        "tree": LazyDecisionTreeClassifier().fit(X, y).explain(X[:1])[0],
        "bayes": LazyBayesRulesClassifier().fit(X, y).explain(X[:1])[0],
        "rules": LazyAssociativeClassifier().fit(X, y).explain(X[:1])[0],
        "numbers": LazyLearningRegressor().fit(X, y * 1.5).explain(X[:1])[0],
        "advice": advise(X, y),
        "audit": audit(X, y.where(y.index != 100, 2)),
        "next": LazyNBClassifier().fit(X, y).explain(X[:1] * np.nan, suggest=True),
    }
    for name, told in pages.items():
        page = tmp_path / f"{name}.html"
        page.write_text(told.to_html(), encoding="utf-8")
        check_page(opened, page, "flavanoids")


# What JupyterLab's own style sheet says of tables in outputs.
JUPYTER = """<style>
.jp-RenderedHTMLCommon table { table-layout: fixed; margin-left: auto; }
.jp-RenderedHTMLCommon thead { border-bottom: 1px solid #bdbdbd; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr {
  text-align: right; white-space: normal; max-width: none; padding: 0.5em; }
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) td,
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) th { max-width: none; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: #f5f5f5; }
</style>"""
MEASURE = """<script>
const found = [...document.querySelectorAll("td.l")].map(
  cell => getComputedStyle(cell).textAlign);
const tables = [...document.querySelectorAll("table")].map(
  table => getComputedStyle(table).tableLayout);
const wide = [...document.querySelectorAll("td bdi")].some(
  word => word.offsetWidth > word.parentElement.offsetWidth);
document.body.append("aligned " + [...new Set(found)] + "; tables "
  + [...new Set(tables)] + "; overlap " + wide);
</script>"""


def test_a_notebook_shows_receipts_as_a_page_does(opened, tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    receipts = LazyKNeighborsClassifier().fit(X, y).explain(X[:2])
    page = tmp_path / "notebook.html"
    output = f'<div class="jp-RenderedHTMLCommon">{receipts._repr_html_()}</div>'
    page.write_text(f"<body>{JUPYTER}{output}{MEASURE}</body>", encoding="utf-8")
    check_page(opened, page, "aligned left; tables auto; overlap false")
