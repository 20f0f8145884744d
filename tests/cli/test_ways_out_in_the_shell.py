"""Messages of the shell that name a way out: each is met, and what it names is run."""

import contextlib
import importlib
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from sklazy.cli import main
from ways_out import check_command

FIT = ("fit", "flats.csv", "-t", "rent", "-m", "lazy-learning", "--id", "flat")
BAYES = ("predict", "flats.csv", "-t", "heating", "-m", "lazy-nb")
RENTS = ("predict", "flats.csv", "new-flats.csv", "-t", "rent", "--id", "flat")
QUICK = (*RENTS, "-m", "lazy-learning")
SERVE = ("serve", "rent.sklazy", "--port", "0")
WHY = ("explain", "flats.csv", "-t", "heating", "-m", "lazy-nb", "--row", "3")

PREPARE = [
    ("example",),
    (*FIT, "-o", "rent.sklazy"),
    ("explain", "rent.sklazy", "new-flats.csv", "--row", "0", "-o", "why.json"),
    (*FIT[:-2], "--ignore", "flat", "-o", "numbered.sklazy"),
]

# The command that is refused, words of its message, and the command that they name.
WAYS = [
    # --- columns and rows -------------------------------------------------------------
    (("predict", "flats.csv"), "--target is missing; give the column", BAYES),
    (
        ("predict", "flats.csv", "-t", "heatin", "-m", "lazy-nb"),
        "no column 'heatin'.*'heating'",
        BAYES,
    ),
    (
        (*BAYES, "--id", "district"),
        "every row needs an id of its own, also the rows of one person .'P7-1', "
        "'P7-2'., which can be forgotten together. Choose another column, or put "
        "--ignore",
        (*BAYES, "--ignore", "district"),
    ),
    (
        (*RENTS[:3], "-t", "heating", "-m", "lazy-nb", "--id", "rent"),
        "has no such column.*Choose another, or leave --id out",
        QUICK,
    ),
    (
        ("predict", "comma.sklazy", "thousands.csv"),
        "read the file with --decimal ,",
        ("predict", "comma.sklazy", "thousands.csv", "--decimal", ","),
    ),
    (
        (*RENTS, "-m", "lazy-learning", "-o", "rents.xlsx"),
        "name the file rents.csv or rents.parquet, or give --json",
        (*RENTS, "-m", "lazy-learning", "-o", "rents.parquet"),
    ),
    (
        ("audit", "flats.csv", "-t", "heating", "-o", "findings.json"),
        "name the file findings.csv or findings.parquet, or give --json and no -o",
        ("audit", "flats.csv", "-t", "heating", "--json"),
    ),
    (
        ("predict", "codes.csv", "-t", "y", "-m", "lazy-nb"),
        r"except the target 'y' are set aside: \['code'\]. Keep one: --kind "
        "code=nominal",
        ("predict", "codes.csv", "-t", "y", "-m", "lazy-nb", "--kind", "code=nominal"),
    ),
    (
        (*BAYES[:-1], "lazy-knn", "--set", "k=3"),
        "no parameter 'k'. There are: .*'n_neighbors'",
        (*BAYES[:-1], "lazy-knn", "--set", "n_neighbors=3"),
    ),
    ((*BAYES, "--folds", "1"), "expected 2 or more", (*BAYES, "--folds", "2")),
    (
        ("explain", "flats.csv", "-t", "heating", "--row", "900", "-m", "lazy-nb"),
        "expected a row from 0 to 199",
        WHY,
    ),
    (
        ("explain", "flats.csv", "-t", "heating", "--id", "flat", "--row", "F99"),
        "no row has that id.*'F099'",
        (*WHY[:-1], "F099", "--id", "flat"),
    ),
    (
        ("predict", "flats.csv", "short.csv", "-t", "rent", "-m", "lazy-learning"),
        "To train without one, give --ignore area",
        (
            *("predict", "flats.csv", "short.csv", "-t", "rent", "-m", "lazy-learning"),
            *("--ignore", "area"),
        ),
    ),
    (
        (*BAYES, "--kind", "area=word"),
        "expected NAME=KIND, where KIND is one of .*nominal",
        (*BAYES, "--kind", "area=nominal"),
    ),
    (
        ("predict", "small.csv", "new-flats.csv", "-t", "rent", "--coverage", "0.99"),
        "--coverage 0.99 needs at least 99 rows .* lower it",
        ("predict", "small.csv", "new-flats.csv", "-t", "rent", "--coverage", "0.5"),
    ),
    # --- methods and their parameters -------------------------------------------------
    (
        (*BAYES, "--set", "alpha"),
        "expected NAME=VALUE",
        (*BAYES, "--set", "alpha=0.5"),
    ),
    (
        (*BAYES, "--set", "alhpa=1"),
        "no parameter 'alhpa'.*'alpha'",
        (*BAYES, "--set", "alpha=1"),
    ),
    (
        (*RENTS, "-m", "lazy-nb"),
        "is not for regression.*choose one of .*lazy-learning",
        QUICK,
    ),
    (
        ("explain", "flats.csv", "-t", "rent", "--row", "3", "-m", "ridge"),
        "choose a lazy method, such as blend or lazy-knn",
        ("explain", "flats.csv", "-t", "rent", "--row", "3", "-m", "lazy-knn"),
    ),
    (
        (*RENTS, "-m", "ridge", "--novelty"),
        "keeps no cases; choose a lazy method",
        (*QUICK, "--novelty"),
    ),
    (
        (*RENTS, "-m", "ridge", "--coverage", "0.9"),
        "choose a lazy method, such as blend",
        (*QUICK, "--coverage", "0.9"),
    ),
    (
        (*QUICK, "--abstain", "0.9"),
        "Use --coverage for intervals",
        (*QUICK, "--coverage", "0.9"),
    ),
    (
        (*BAYES, "--abstain", "0.9"),
        "leave it out to cross-validate",
        BAYES,
    ),
    (
        ("race", "flats.csv", "-t", "rent", "-c", "ridge"),
        "expected two methods or more",
        ("race", "flats.csv", "-t", "rent", "-c", "ridge,lazy-learning"),
    ),
    (
        ("race", "flats.csv", "-t", "rent", "-c", "ridge,lazy-lerning"),
        "'lazy-learning'",
        ("race", "flats.csv", "-t", "rent", "-c", "ridge,lazy-learning"),
    ),
    (
        (*BAYES[:-1], "lazy-stacking", "--max-seconds", "0.0001"),
        "give more time, or choose a faster method with -m, such as lazy-nb",
        (*BAYES, "--max-seconds", "60"),
    ),
    (("warm", "lazy-nbb"), "'lazy-nb'", ("warm", "lazy-nb")),
    # --- models and files -------------------------------------------------------------
    (
        ("predict", "rent.sklazy"),
        "sklazy predict rent.sklazy FILE",
        ("predict", "rent.sklazy", "new-flats.csv"),
    ),
    (
        ("predict", "rent.sklazy", "new-flats.csv", "--ignore", "area"),
        "Leave --ignore out",
        ("predict", "rent.sklazy", "new-flats.csv"),
    ),
    (
        ("explain", "rent.sklazy", "--row", "0"),
        "give the file of the rows to explain after the model",
        ("explain", "rent.sklazy", "new-flats.csv", "--row", "0"),
    ),
    (
        ("fit", "flats.csv", "-t", "rent", "-m", "ridge", "-o", "ridge.sklazy"),
        "cannot be written to a file .*choose one of .*lazy-learning",
        (*FIT, "-o", "other.sklazy"),
    ),
    (
        ("predict", "rent.sklazy", "new-flats.csv", "-o", "full", "--max-rows", "3"),
        "is for one file of predictions; leave it out",
        ("predict", "rent.sklazy", "new-flats.csv", "-o", "fresh"),
    ),
    (
        ("predict", "rent.sklazy", "new-flats.csv", "-o", "full"),
        "give a new or empty folder",
        ("predict", "rent.sklazy", "new-flats.csv", "-o", "fresh"),
    ),
    (
        (*QUICK, "-o", "full"),
        "Fit one first: sklazy fit flats.csv -t rent -o model.sklazy",
        ("fit", "flats.csv", "-t", "rent", "-o", "model.sklazy"),
    ),
    (
        (*QUICK, "-o", "flats.csv"),
        "is an input file; write to another one",
        (*QUICK, "-o", "rents.csv"),
    ),
    (
        ("describe", "flats.doc"),
        "give --format, one of csv",
        ("describe", "flats.doc", "--format", "csv"),
    ),
    (
        ("describe", "latin.csv"),
        "save it as UTF-8 or give --encoding latin-1",
        ("describe", "latin.csv", "--encoding", "latin-1"),
    ),
    (
        ("describe", "flats.csv", "--sheet", "Data"),
        "--sheet and --skip-rows are for Excel files, .* leave them out",
        ("describe", "flats.csv"),
    ),
    (
        ("describe", "table.arff", "--decimal", ","),
        "--header and --decimal are for .* leave them out",
        ("describe", "table.arff"),
    ),
    (
        ("describe", "arff.csv"),
        "--format arff",
        ("describe", "arff.csv", "--format", "arff"),
    ),
    (
        ("describe", "twice.csv"),
        "or pass --no-header if the first line is data",
        ("describe", "twice.csv", "--no-header"),
    ),
    (
        ("describe", "flats.csv", "--kind", "aera=nominal"),
        "--kind names .*'aera'.*'area'",
        ("describe", "flats.csv", "--kind", "area=nominal"),
    ),
    (
        ("predict", "rent.sklazy", "table.arff"),
        "7 are expected: .*'rooms', 'area'",
        ("predict", "rent.sklazy", "new-flats.csv"),
    ),
    # --- receipts and erasure ---------------------------------------------------------
    (
        ("verify", "rent.sklazy", "why.json"),
        "give the receipt first, or the model and nothing else",
        ("verify", "why.json", "rent.sklazy"),
    ),
    (
        ("verify", "edited.json"),
        "or run sklazy explain again",
        ("explain", "rent.sklazy", "new-flats.csv", "--row", "0", "-o", "again.json"),
    ),
    (
        ("verify", "empty.json"),
        "expected a receipt, or a list of receipts",
        ("verify", "why.json"),
    ),
    (
        ("erase", "numbered.sklazy", "--id", "F003", "--certificate", "gone.json"),
        "give whole numbers",
        ("erase", "numbered.sklazy", "--id", "3", "--certificate", "gone.json"),
    ),
    # --- the server -------------------------------------------------------------------
    (
        (*SERVE, "--host", "0.0.0.0"),
        "give the name that clients use with --allow-host",
        (*SERVE, "--host", "0.0.0.0", "--allow-host", "here", "--token-file", "t"),
    ),
    (
        (*SERVE, "--host", "0.0.0.0", "--allow-host", "here"),
        "give --token-file, too",
        (*SERVE, "--host", "0.0.0.0", "--allow-host", "here", "--token-file", "t"),
    ),
    (
        (*SERVE, "--journal", "changes"),
        "give --token-file, too",
        (*SERVE, "--journal", "changes", "--token-file", "t"),
    ),
    (
        (*SERVE, "--name", "a/b"),
        r"expected letters, digits, '\.', '_' and '-' only",
        (*SERVE, "--name", "a-b"),
    ),
    (
        (*SERVE, "--salvage"),
        "give its folder with --journal",
        (*SERVE, "--salvage", "--journal", "changes", "--token-file", "t"),
    ),
]


def _write_commas(folder):
    """Write files with decimal commas, and a model of one."""
    cells = "".join(f"{i % 7},5;{'ab'[i % 2]}\n" for i in range(40))
    Path(folder, "comma.csv").write_text(f"lab;y\n{cells}")
    comma = [str(Path(folder, f"comma.{end}")) for end in ("csv", "sklazy")]
    options = ("-t", "y", "-m", "lazy-nb", "--decimal", ",")
    done = CliRunner().invoke(main, ("fit", comma[0], *options, "-o", comma[1]))
    assert done.exit_code == 0, done.output
    Path(folder, "limits.csv").write_text("lab;n\n0,5;1\n<0,05;2\n", "utf-8")
    Path(folder, "thousands.csv").write_text("lab;n\n1,250;1\n", "utf-8")
    codes = "".join(f"c{i},{'ab'[i % 2]}\n" for i in range(40))
    Path(folder, "codes.csv").write_text(f"code,y\n{codes}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the commands name."""
    folder = tmp_path_factory.mktemp("files")
    with contextlib.chdir(folder):
        for words in PREPARE:
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, done.output
    text = Path(folder, "flats.csv").read_text("utf-8")
    Path(folder, "flats.doc").write_text(text)
    Path(folder, "latin.csv").write_bytes("name,n\nMüller,1\n".encode("latin-1"))
    lines = Path(folder, "new-flats.csv").read_text("utf-8").splitlines()
    new = [line.split(",") for line in lines]
    short = [",".join(cells[:2] + cells[3:]) for cells in new]
    Path(folder, "short.csv").write_text("\n".join(short))
    arff = "@relation r\n@attribute n numeric\n@data\n1\n2\n"
    Path(folder, "table.arff").write_text(arff)
    Path(folder, "arff.csv").write_text(arff)
    Path(folder, "small.csv").write_text("".join(text.splitlines(True)[:9]))
    Path(folder, "twice.csv").write_text("a,a\n1,2\n")
    _write_commas(folder)
    Path(folder, "full").mkdir()
    Path(folder, "full", "other.txt").write_text("mine")
    why = Path(folder, "why.json").read_text("utf-8")
    Path(folder, "edited.json").write_text(why.replace("north", "south"))
    Path(folder, "empty.json").write_text("[]")
    return folder


@pytest.fixture
def ready(run, folder, tmp_path, monkeypatch):
    """The command line in a copy of the folder; servers end at once."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    serve = importlib.import_module("sklazy.cli.serve")
    monkeypatch.setattr(serve, "run_server", lambda *_, **__: None)
    return run


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way[0])[:50])
def test_the_way_out_that_a_message_names_leads_out(ready, way):
    check_command(ready, *way)


@pytest.mark.parametrize("option", [("--decimal", ","), ()])
def test_a_limit_with_a_decimal_comma_is_halved_for_a_saved_model(ready, option):
    code, said, noted = ready("predict", "comma.sklazy", "limits.csv", *option)
    assert code == 0
    assert "'<0,05' as half of its limit" in noted
    assert len(said.splitlines()) == 3
