"""Explanations of deviations, computed."""

import pytest

from sklazy_studies import explain
from sklazy_studies.harness.deviations import Deviation, deviation_table, unexplained


def test_four_p_values_of_the_stacking_paper_are_impossible():
    lines = list(explain.explain_p_values(None))
    wrong = {line.split()[0] for line in lines if "IMPOSSIBLE" in line}
    assert wrong == {"bupa", "diabetes", "ecoli", "colic"}


def test_what_is_far_and_not_explained_is_found():
    near = Deviation("a", "tree", 80.0, 79.0, 0.5, "")
    far = Deviation("b", "tree", 80.0, 70.0, 0.5, "")
    known = Deviation("c", "tree", 80.0, 70.0, 0.5, "pruned")
    assert unexplained([near, far, known]) == [far]
    rows = deviation_table([near, far, known]).rows
    assert [row[-1] for row in rows] == ["not explained", "pruned"]
    assert rows[0][4] == "+20.0"


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
