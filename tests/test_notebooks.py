"""The notebooks run from top to bottom, cell by cell, and under nbconvert."""

import ast
import json
import pathlib
import subprocess
import sys

import pytest

NOTEBOOKS = sorted(pathlib.Path(__file__).parent.parent.glob("examples/*.ipynb"))
every = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def code_of(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run(source, names):
    """Run a cell; the value of its last line, as a notebook shows it."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@every
def test_cells_run_in_order(path):
    names, shown = {}, []
    for cell in code_of(path):
        value = run("".join(cell["source"]), names)
        draw = getattr(value, "_repr_html_", None)
        shown.append(draw() if draw else repr(value))
    assert sum("sklazy" in page and "<h" in page for page in shown) >= 2  # receipts
    assert shown[-1] == "(False, True)"  # forgotten, and as if never seen


@every
def test_files_hold_no_results(path):
    assert not any(cell["outputs"] for cell in code_of(path))


@pytest.mark.slow
@every
def test_nbconvert_runs_it(path, tmp_path):
    pytest.importorskip("nbconvert", reason="needs the dependency group notebook")
    words = ["nbconvert", "--execute", "--to", "html", "--output-dir", str(tmp_path)]
    command = [sys.executable, "-m", *words, str(path)]
    subprocess.run(command, check=True, capture_output=True)
    page = (tmp_path / f"{path.stem}.html").read_text(encoding="utf-8")
    assert "Why this rent?" in page
    assert "Traceback" not in page
