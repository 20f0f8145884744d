"""A cell is the same wherever it comes from: a CSV file, JSON, a form, another file."""

import csv
import io
import json
import warnings
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklazy
from explored import exploring
from sklazy.errors import BadInputError, DataWarning, SklazyError
from sklazy.tables import read_table
from sklazy.web.bodies import RequestLimits
from sklazy.web.problems import Problem, to_problem
from sklazy.web.serve.answers import Answers
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store

N_ROWS = 40
COLUMNS = {
    "size": [f"{i / 4}" for i in range(N_ROWS)],
    "color": ["red", "blue", "green", ""] * 10,
    "code": ["007", "012", "100", "007"] * 10,
    "paid": ["true", "false"] * 20,
    "sent": ["TRUE", "FALSE", "TRUE", "TRUE"] * 10,
    "liked": ["Yes", "no", "y", "NO"] * 10,
    "day": [f"2024-05-{1 + i % 28:02}" for i in range(N_ROWS)],
    "born": [f"{1 + i % 28}.03.{1960 + i}" for i in range(N_ROWS)],
    "seen": [f"2024-01-{1 + i % 28:02} {i % 24:02}:30" for i in range(N_ROWS)],
    "hour": [f"{i % 24:02}:15" for i in range(N_ROWS)],
    "price": [f"${1000 + i:,}.50" for i in range(N_ROWS)],
    "share": [f"{i},5 %" for i in range(N_ROWS)],
    "note": [f"free text {i}" for i in range(N_ROWS)],
}
COMMA = ("share",)
AMOUNTS = ("price", "share")


class Known(NamedTuple):
    """A model of a file, the file as a table, and a server of it."""

    table: sklazy.Table
    model: sklazy.LazyKNeighborsClassifier
    answers: Answers


def learn(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table = read_table(path)
    model = sklazy.LazyKNeighborsClassifier(3, n_attributes=4)
    model.fit(table, np.arange(len(table)) % 3)
    return table, model


def serve(model, level=Level.VALUES):
    return Answers(Store(model), Privacy(level), RequestLimits())


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    path = tmp_path_factory.mktemp("cells") / "train.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    table, model = learn(path)
    assert [c.reading and c.reading.style for c in table] == [
        *(None, None, None, None, None),
        *("yes-no", "date", "date", "datetime", "time", "amount", "amount", "aside"),
    ]
    return Known(table, model, serve(model))


def written(name, cell):
    """A cell as somebody would write it into the file that the cases came from."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float | int) and name in AMOUNTS and cell == cell:
        text = format(Decimal(repr(cell)), "f")
        return text.replace(".", ",") if name in COMMA else text
    return repr(cell) if isinstance(cell, float) else str(cell)


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)  # blanks are kept
        writer.writerow(rows[0])
        writer.writerows([written(*pair) for pair in row.items()] for row in rows)


def plain_cells(known, rows):
    """What the model learns from, of rows in any form that it takes."""
    matched = known.model.cases_.matched(known.model._query_table(rows))
    return [[one + 0.0 if one == 0.0 else one for one in c.cells()] for c in matched]


def from_csv(known, path, rows):
    write_csv(path, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of marks that are missing
        table = read_table(path, like=known.table, header=True, delimiter=",")
    return plain_cells(known, table), known.model.predict_proba(table).tolist()


def from_json(known, rows):
    sent = json.loads(json.dumps(rows))
    read = known.answers.rows.read(sent)
    told = known.answers.predict({"rows": sent})["probabilities"]
    return plain_cells(known, read), told


BASE = {name: cells[5] for name, cells in COLUMNS.items()}
WORDS = st.sampled_from(
    [
        *("", " ", "NA", "nan", "NaN", "null", "None", "?", "#N/A", "n/a", "na", "-"),
        *("red", " red ", "Red", "true", "True", "FALSE", "t", "yes", "N", "ja", "on"),
        *("007", "7", "7.0", "1.5", " 1.5", "1,5", "1e3", "1_000", "0x10", "inf"),
        *("2024-05-31", "31.05.2024", "05/31/2024", "2024-05-31 10:30", "2024-02-30"),
        *("2024-05-31T10:30Z", "13:30", "1:30 pm", "25:00", "19874", "1 days 02:00:00"),
        *("$5", "$1,234.50", "1.234,5 %", "5 %", "12 kg", "9007199254740993", "$"),
    ]
)
TEXTS = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=8
)
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_infinity=False),
    st.integers(0, 20000),
    WORDS,
    TEXTS,
)


def outcome(read, *arguments):
    """What came of reading, or that it was refused."""
    try:
        cells, answers = read(*arguments)
    except (Problem, SklazyError) as error:
        return None, str(error)
    return cells, [[round(share, 3) for share in row] for row in answers]


@settings(max_examples=400, deadline=None)
@given(name=st.sampled_from([*COLUMNS]), cell=CELLS)
def test_a_row_of_json_is_the_row_of_a_csv_file(known, tmp_path_factory, name, cell):
    row = {**BASE, name: cell}
    path = tmp_path_factory.getbasetemp() / "row.csv"
    of_file = outcome(from_csv, known, path, [row])
    of_json = outcome(from_json, known, [row])
    if of_json[0] is None:
        assert of_file[0] is None
        assert of_json[1].startswith(f"row 0, column {name!r}: ")
    else:
        assert repr(of_json) == repr(of_file)  # None is None, and 1 is not True
    assert "green" not in str(of_json[1])  # a label of cases, which nobody sent


@pytest.mark.parametrize(
    ("name", "cell", "expected"),
    [
        *(("color", word, None) for word in ("", " ", "nan", "NA", "None")),
        ("color", " red ", "red"),
        ("color", 5, "5"),
        ("code", 100, "100"),
        ("paid", True, "true"),
        ("sent", False, "FALSE"),
        ("sent", "true", "TRUE"),
        ("liked", "NO", "no"),
        ("size", "1.5", 1.5),
        ("size", "NaN", None),
        ("price", 7, 7.0),
        ("price", "$7", 7.0),
        ("share", 1.234, 1.234),
        ("share", "1.234 %", 1234.0),
        ("day", "2024-05-31", 19874.0),
        ("born", "31.5.1970", 150.0),
    ],
)
def test_cells_are_read_like_this(known, name, cell, expected):
    read = known.answers.rows.read([{**BASE, name: cell}])
    table = known.model.cases_.matched(known.model._query_table(read))
    assert table[name].cells() == [expected]


@pytest.mark.parametrize(
    ("name", "cell", "why"),
    [
        ("size", True, "true is not a number"),
        ("size", "large", "'large' is not a number"),
        ("size", 2**53 + 1, "beyond 2^53"),
        ("size", float("inf"), "infinite or too large"),
        ("price", True, "true cannot be read as numbers of '$'"),
        ("price", "7 kg", "'7 kg' cannot be read as numbers of '$'"),
        ("day", 19874, "the number 19874 cannot be read as date (iso)"),
        ("day", False, "false cannot be read as date (iso)"),
        ("day", "31.05.2024", "'31.05.2024' cannot be read as date (iso)"),
        ("hour", 13, "the number 13 cannot be read as time (clock)"),
        ("color", ["red"], "a cell is a text, a number, true, false or null"),
    ],
)
@pytest.mark.parametrize("level", [Level.NONE, Level.AGGREGATE, Level.VALUES])
def test_a_refusal_names_row_and_column_at_every_level(known, name, cell, why, level):
    answers = serve(known.model, level)
    with pytest.raises(Problem) as caught:
        answers.predict({"rows": [BASE, {**BASE, name: cell}]})
    assert caught.value.status == 422
    assert caught.value.detail.startswith(f"row 1, column {name!r}: ")
    assert why in caught.value.detail


def test_a_request_of_very_many_cells_is_refused(known):
    answers = Answers(Store(known.model), Privacy(), RequestLimits(cells=20))
    with pytest.raises(SklazyError) as caught:
        answers.predict({"rows": [dict.fromkeys(COLUMNS)] * 2})
    problem = to_problem(caught.value)
    assert problem.status == 422
    assert problem.detail == (
        "rows: its first 2 rows have 26 cells, more than max_cells=20. Send fewer rows "
        "at once."
    )


# --- the journal ----------------------------------------------------------------------

ODD = [
    {**BASE, "color": "", "paid": True, "price": 12, "size": "3.25"},
    {**BASE, "color": " green ", "code": 7, "day": " 2024-06-01 ", "note": None},
    {"color": "nan", "sent": False, "share": "7,5 %"},
]


def test_the_journal_gives_what_was_added(known, tmp_path):
    known.model.save(tmp_path / "model")
    store = Store.open(tmp_path / "model", tmp_path / "journal")
    answers = Answers(store, Privacy(Level.VALUES), RequestLimits())
    complete = [{**dict.fromkeys(COLUMNS), **row} for row in ODD]
    answers.add({"rows": complete, "targets": [0, "1", 2.0]})
    before, asked = store.model.digest(), answers.predict({"rows": complete})
    store.close()
    again = Store.open(tmp_path / "journal")
    try:
        assert again.model.digest() == before
        served = Answers(again, Privacy(Level.VALUES), RequestLimits())
        assert served.predict({"rows": complete}) == asked
    finally:
        again.close()
    write_csv(tmp_path / "more.csv", complete)
    more = read_table(tmp_path / "more.csv", like=known.table)
    model = sklazy.load(tmp_path / "model")
    model.partial_fit(more, [0, 1, 2])
    assert model.digest() == before


@pytest.mark.parametrize("target", ["", "NA", "x", True, 0.5])
def test_targets_are_read_as_those_of_a_file(known, tmp_path, target):
    known.model.save(tmp_path / "model")
    store = Store.open(tmp_path / "model", tmp_path / "journal")
    try:
        with pytest.raises((Problem, BadInputError)):
            Answers(store, Privacy(Level.VALUES), RequestLimits()).add(
                {"rows": [BASE], "targets": [target]}
            )
        assert store.model.digest() == known.model.digest()
    finally:
        store.close()


def test_targets_that_are_numbers_or_words(tmp_path):
    X = np.arange(20.0)[:, None]
    cases = [
        (sklazy.LazyLearningRegressor(), X[:, 0], " 2.5 ", 2.5, [True, "high", ""]),
        (
            sklazy.LazyKNeighborsClassifier(1),
            np.array(["TRUE", "FALSE"] * 10),
            True,
            "TRUE",
            [1, "NA"],
        ),
    ]
    for number, (model, y, sent, kept, refused) in enumerate(cases):
        model.fit(X, y).save(tmp_path / f"m{number}")
        store = Store.open(tmp_path / f"m{number}", tmp_path / f"j{number}")
        answers = Answers(store, Privacy(Level.VALUES), RequestLimits())
        for wrong in refused:
            with pytest.raises(Problem, match="targets, entry 0"):
                answers.add({"rows": [[3.0]], "targets": [wrong]})
        answers.add({"rows": [[3.0]], "targets": [sent]})
        expected = type(model)(**model.get_params()).fit(
            np.append(X, [[3.0]], axis=0), np.append(y, kept)
        )
        assert store.model.digest() == expected.digest()
        store.close()


# --- models of frames -----------------------------------------------------------------


def frame_model():
    n = 30
    frame = pd.DataFrame(
        {
            "flag": [True, False, True] * 10,
            "level": pd.Categorical([1, 2, 3] * 10),
            "place": ["NA", " out", "in"] * 10,
            "when": pd.date_range("2024-01-01", periods=n),
            "size": np.arange(n) / 4,
        }
    )
    model = sklazy.LazyKNeighborsClassifier(1, n_attributes=5)
    return frame, model.fit(frame, np.arange(n) % 3)


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ({"flag": "true", "level": "2", "place": "NA"}, [True, 2, "NA"]),
        ({"flag": False, "level": 3.0, "place": " out"}, [False, 3, " out"]),
        ({"flag": "FALSE", "level": "9", "place": "n/a"}, [False, 9, None]),
        ({"flag": 1, "level": True, "place": "out"}, ["1", "true", "out"]),
    ],
)
def test_labels_that_cases_have_are_known_whatever_they_look_like(row, cells, tmp_path):
    _, model = frame_model()
    read = serve(model).rows.read([{**row, "when": "2024-01-02", "size": 1}])
    assert list(read[0].values())[:3] == cells
    assert [type(cell) for cell in list(read[0].values())[:3]] == [*map(type, cells)]
    like = model.cases_.schema.user_table(model.cases_.coder.vocabularies)
    write_csv(tmp_path / "a.csv", [{**row, "when": "2024-01-02", "size": 1}])
    table = read_table(tmp_path / "a.csv", like=like, header=True)
    assert [column.cells()[0] for column in table][:3] == cells


@pytest.mark.parametrize("ending", ["jsonl", "xlsx"])
def test_other_files_are_read_like_the_cases(known, tmp_path, ending):
    row = {**BASE, "paid": True, "sent": False, "code": 100, "size": "1.5", "color": ""}
    if ending == "jsonl":
        (tmp_path / "a.jsonl").write_text(json.dumps(row))
    else:
        pytest.importorskip("openpyxl")
        pd.DataFrame([row]).to_excel(tmp_path / "a.xlsx", index=False)
    table = read_table(tmp_path / f"a.{ending}", like=known.table)
    expected, _ = from_csv(known, tmp_path / "a.csv", [row])
    assert plain_cells(known, table) == expected


def test_rows_of_python_keep_to_the_same_rules(known):
    frame, model = frame_model()
    nearest = model.predict(frame[:1]).tolist()
    row = frame.astype(object).iloc[0].to_dict()
    assert model.predict({**row, "flag": "True"}).tolist() == nearest
    for wrong in (19723, True):
        with pytest.raises(BadInputError, match=r"'when' is read as datetime.*row 0"):
            model.predict({**row, "when": wrong})
    with pytest.raises(BadInputError, match=r"'price' is read as numbers.*row 0.*True"):
        known.model.predict({**BASE, "price": True})
    typed = {**BASE, "size": 1.25}
    spelled = [{**typed, "sent": cell} for cell in ("TRUE", True)]
    words, bools = (plain_cells(known, [row]) for row in spelled)
    assert words == bools


# --- the explorer ---------------------------------------------------------------------


def test_a_pasted_row_is_read_as_one_of_a_file(known, tmp_path):
    row = {**BASE, "color": "nan", "paid": True, "price": "$7", "size": "1_000"}
    with exploring(known.model) as asking:
        with pytest.raises(BadInputError, match="'size': '1_000' is not a number"):
            asking.parse({"text": json.dumps(row)})
        row["size"] = " 3.5 "
        expected, _ = from_csv(known, tmp_path / "row.csv", [row])
        for text in (json.dumps(row), (tmp_path / "row.csv").read_text()):
            values = asking.parse({"text": text})["values"]
            assert [[value] for value in values.values()] == expected
        edits = {"size": "3.5", "sent": False, "color": "", "liked": "no"}
        told = asking.receipt({"case": 5, "edits": edits})["values"]
        assert (told["size"], told["sent"], told["color"]) == (3.5, "FALSE", None)
        for wrong in ({"size": True}, {"size": "large"}, {"day": "2024-05-31"}):
            with pytest.raises(BadInputError, match="is not a number"):
                asking.answer({"case": 5, "edits": wrong})


def test_a_saved_model_reads_files_like_its_cases(tmp_path):
    from click.testing import CliRunner

    from sklazy.cli import main

    frame, model = frame_model()
    model.save(tmp_path / "model.sklazy")
    frame.assign(flag=frame["flag"].map({True: "true", False: "false"})).to_csv(
        tmp_path / "rows.csv", index=False
    )
    arguments = ["predict", str(tmp_path / "model.sklazy"), str(tmp_path / "rows.csv")]
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    told = json.load(io.StringIO(done.stdout))
    predictions = [row["prediction"] for row in told["rows"]]
    assert predictions == model.predict(frame).tolist()
    assert [row["novelty"] for row in told["rows"]] == [0.0] * len(frame)
