"""The figures of Weka and R that the repository keeps: enough, small, as they were."""

import pytest

from golden_files import INSIDE, find_golden, outside, read_golden, read_text
from golden_parts import PASSED_ON, part_of_case, parts
from weka_sets import SETS, read_columns, read_outputs

FILES = sorted(
    path for path in INSIDE.rglob("*") if path.is_file() and path.name != "README.md"
)


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine that has nothing but the repository."""
    monkeypatch.setenv("SKLAZY_GOLDEN", str(tmp_path))


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", PASSED_ON)
def test_a_clone_alone_has_the_sets_of_weka(name):
    schema, columns = read_columns(name)
    new, old = read_outputs(name)
    assert (new["weka"], old["weka"]) == ("3.9.7", "3.6.14")
    assert new["attributes"] == [field["name"] for field in schema]
    assert {len(column) for column in columns} == {new["n"]}
    for answers in new["predictions_discretised"].values():
        assert len(answers["dist"]) == new["n"] // 3
    assert old["chi2_all"].keys() == set(new["attributes"][:-1])


@pytest.mark.usefixtures("bare")
def test_a_set_that_is_not_here_is_skipped_with_the_reason():
    (name,) = set(SETS) - set(PASSED_ON)
    with pytest.raises(pytest.skip.Exception, match=f"{name}.* set SKLAZY_GOLDEN"):
        read_outputs(name)


def test_files_outside_are_found_where_the_variable_points(monkeypatch, tmp_path):
    monkeypatch.setenv("SKLAZY_GOLDEN", str(tmp_path))
    (tmp_path / "weka").mkdir()
    (tmp_path / "weka" / "more.json").write_text("{}")
    assert read_golden("weka/more.json") == "{}"
    assert find_golden("race_r/r1.csv") == INSIDE / "race_r" / "r1.csv"


def test_files_are_small_and_few():
    sizes = [path.stat().st_size for path in FILES]
    assert 0 < max(sizes) <= 100_000
    assert 0 < sum(sizes) < 1_000_000


def test_the_readme_names_every_set_and_program():
    text = (INSIDE / "README.md").read_text()
    for word in [*PASSED_ON, "3.9.7", "3.6.14", "lazy 1.2-18", "race 0.1.59"]:
        assert word in text, word


def test_what_is_kept_is_a_part_of_the_whole_outputs():
    if not (outside() / "lazy_r" / "golden_a.json.gz").is_file():
        pytest.skip("the whole outputs are not here; set SKLAZY_GOLDEN to their folder")
    expected = dict(parts(outside()))
    kept = {
        path.relative_to(INSIDE).as_posix().removesuffix(".gz"): read_text(path)
        for path in FILES
    }
    assert kept.keys() == expected.keys()
    assert [path for path in kept if kept[path] != expected[path]] == []


def test_a_part_of_a_case_has_the_queries_in_their_order():
    rows = [[0], [1], [2]]
    case = {"id": "x", "h": rows, "k": rows, "coef": rows, "neighbours": rows}
    part = part_of_case(case | {"loo_by_k": {"con": rows}}, [2, 0])
    assert part["h"] == part["neighbours"] == part["loo_by_k"]["con"] == [[2], [0]]
    assert part["id"] == "x"
