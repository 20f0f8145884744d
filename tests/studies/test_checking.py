"""Reports that notice when they are stale."""

import functools
import json
from pathlib import Path

import pytest

from sklazy.errors import BadInputError
from sklazy_studies.harness import code
from sklazy_studies.harness.checking import find_changes, to_check
from sklazy_studies.harness.unit import Unit
from sklazy_studies.reproduce import EXPERIMENTS, Request, check

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def make_unit(fold):
    return Unit("demo", 1, "", {"fold": fold}, code="c")


def test_the_digest_follows_code_and_not_words(tmp_path, monkeypatch):
    module = tmp_path / "counted.py"
    monkeypatch.setattr(code, "_file", {"sklazy.counted": module}.get)

    def digest(text):
        module.write_text(text)
        code.code_digest.cache_clear()
        return code.code_digest("sklazy.counted")

    first = digest('"""Words."""\n\ndef one():\n    """More."""\n    return 1\n')
    assert (
        digest('"""Other words."""\n# and more\n\n\ndef one():\n    return 1\n')
        == first
    )
    assert digest("def one():\n    return 2\n") != first
    code.code_digest.cache_clear()


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_the_digest_is_of_what_an_experiment_runs(name):
    modules = code.list_modules(EXPERIMENTS[name].work.__module__)
    assert "sklazy.casebase.base" in modules
    assert "sklazy.cli.folds" in modules
    assert not any("drawing" in one or "sklazy.web" in one for one in modules)
    assert not any(one.endswith("report") for one in modules)


def test_other_code_needs_new_results():
    assert make_unit(1).key != Unit("demo", 1, "", {"fold": 1}, code="d").key


def test_a_change_of_one_figure_is_found(tmp_path):
    units = [make_unit(0), make_unit(1)]
    results = {units[0]: {"right": [3, 4], "share": 0.1 + 0.2, "seconds_asking": 9.0}}
    path = tmp_path / "check.json"
    path.write_text(to_check(results, units, "c"))
    assert json.loads(path.read_text())["code"] == "c"

    def work(unit, right=4, share=0.3):
        return {"right": [3, right], "share": share, "seconds_asking": 1.0}

    assert find_changes(path, units, work) == []
    changed = find_changes(path, units, functools.partial(work, right=5))
    assert changed == ["demo: fold=0: /right/1 was 4 and is 5"]
    assert find_changes(path, units, functools.partial(work, share=0.3001))
    assert "no such unit" in find_changes(path, units[1:], work)[0]
    with pytest.raises(BadInputError, match="nothing was recorded"):
        find_changes(tmp_path / "none.json", units, work)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(n for n, e in EXPERIMENTS.items() if e.checked))
def test_the_pages_are_what_the_code_gives(name, data_folder):
    """The recorded part of each report, run again and compared to the digit."""
    if not (RESULTS / name / "check.json").is_file():
        pytest.skip(f"docs/results/{name} was made before reports record a part of it")
    assert check(name, Request(data=data_folder, out=RESULTS)) == []
