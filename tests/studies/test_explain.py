"""Explanations of deviations, computed."""

import re
from pathlib import Path

import pytest

from sklazy_studies import explain
from sklazy_studies.document import to_csv
from sklazy_studies.harness.deviations import (
    UNKNOWN,
    Deviation,
    deviation_table,
    find_unexplained,
    unexplained,
)
from sklazy_studies.lazy_selection import deviations as selection
from sklazy_studies.lazy_stacking import explanations as stacking
from sklazy_studies.racsam import explanations as racsam
from sklazy_studies.reproduce import EXPERIMENTS

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def test_four_p_values_of_the_stacking_paper_are_impossible():
    lines = list(explain.explain_p_values(None))
    wrong = {line.split()[0] for line in lines if "IMPOSSIBLE" in line}
    assert wrong == {"bupa", "diabetes", "ecoli", "colic"}


def test_what_is_far_and_not_explained_is_found(tmp_path):
    near = Deviation("a", "tree", 80.0, 79.0, 0.5, "")
    far = Deviation("b", "tree", 80.0, 70.0, 0.5, "")
    command = "pruned (python -m sklazy_studies.explain knn)"
    known = Deviation("c", "tree", 80.0, 70.0, 0.5, command)
    words = Deviation("d", "tree", 60.0, 70.0, 0.5, "it must be pruned")
    every = [near, far, known, words]
    assert unexplained(every) == [far, words]
    table = deviation_table(every)
    assert [row[-1] for row in table.rows] == ["not explained", command, UNKNOWN]
    assert [row[4] for row in table.rows] == ["+20.0", "+20.0", "\N{MINUS SIGN}20.0"]
    path = tmp_path / "deviations.csv"
    path.write_text(to_csv(table))
    lines = find_unexplained(path)
    assert [line.split(":")[0] for line in lines] == ["b, tree", "d, tree"]
    assert find_unexplained(tmp_path / "none.csv") == []


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_no_figure_of_a_page_is_far_from_the_papers_without_a_reason(name):
    assert find_unexplained(RESULTS / name / "deviations.csv") == []


def commands_of(words):
    return re.findall(r"python -m sklazy_studies\.explain ([a-z-]+)", words)


def test_explanations_name_commands_that_exist():
    rooms = (racsam, stacking, selection)
    texts = [text for room in rooms for text in room.EXPLANATIONS.values()]
    assert all(Deviation("", "", 9.0, 0.0, 1.0, text).is_explained for text in texts)
    named = {name for text in texts for name in commands_of(text)}
    assert named <= set(explain.EXPLAINED)


def test_the_census_is_in_units_of_100_000(data_folder):
    lines = list(explain.explain_census(data_folder))
    assert len(lines) == 3
    assert "house_16H" in lines[0]


def test_names_are_listed(capsys):
    explain.main([])
    printed = capsys.readouterr().out
    assert all(name in printed for name in explain.EXPLAINED)


@pytest.mark.parametrize("name", ["p-values"])
def test_an_explanation_is_printed(capsys, name):
    explain.main([name])
    assert "possible" in capsys.readouterr().out
