"""Tables as they really are: files made here, and what each must give."""

import datetime as dt
import gzip
import io
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklazy
from sklazy.errors import BadFileError, BadInputError, BadTypeError, DataWarning
from sklazy.tables import as_table, read_table
from sklazy.tables.amounts import find_amounts, read_amount
from sklazy.tables.origins import expand_columns
from sklazy.tables.reading import Reading
from sklazy.tables.understand import FILE_WAY_OUT, WAY_OUT

DAYS = [dt.date(2024, 5, 31), dt.date(1999, 1, 2), dt.date(2000, 2, 29)]
NUMBERS = [float((day - dt.date(1970, 1, 1)).days) for day in DAYS]
FIVE_STYLES = {
    "iso": "%Y-%m-%d",
    "slashes": "%Y/%m/%d",
    "german": "%d.%m.%Y",
    "american": "%m/%d/%Y",
    "names": "%b %d, %Y",
    "long": "%d %B %Y",
}


def told(path, **options):
    """The table of a file, and the one message about it, if any."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path, **options)
    assert len(caught) <= 1
    assert all(issubclass(w.category, DataWarning) for w in caught)
    return table, "".join(str(w.message) for w in caught)


def column(*cells, name="c"):
    """The text of a file with one column."""
    return "\n".join([name, *(f'"{cell}"' for cell in cells)]) + "\n"


MONEY = column("$1,234.50", "$-7", "$0.99")
# By name: content, options, cells of the column, a piece of the message.
MESSY = {
    "dollars": (MONEY, {}, [1234.5, -7.0, 0.99], r"'c': numbers of '\$' \(decimal-p"),
    "euros": (column("1.234,50 EUR", "7,00 EUR"), {}, [1234.5, 7.0], "of 'EUR'.*comma"),
    "round euros": (column("1.234 €", "7 €"), {}, [1234.0, 7.0], "of '€'.*comma"),
    "percentages": (column("12 %", "7.5%", "-3 %"), {}, [12.0, 7.5, -3.0], "of '%'"),
    "thousands": (column("1,234,567", "12"), {}, [1234567.0, 12.0], "decimal-point"),
    "apostrophes": (column("1'234.5", "12"), {}, [1234.5, 12.0], "decimal-point"),
    "blanks": (column("1\u202f234,5", "12"), {}, [1234.5, 12.0], "decimal-comma"),
    "decimal commas": (column("0,5", "-12,25"), {}, [0.5, -12.25], "decimal-comma"),
    "either": (column("1,234", "5"), {}, ["1,234", "5"], "could be thousands"),
    "told": (
        column("1,234", "5"),
        {"kinds": {"c": "decimal-comma"}},
        [1.234, 5.0],
        None,
    ),
    "units": (column("12 kg", "7.5kg", ""), {}, [12.0, 7.5, None], "of 'kg'"),
    "two units": (column("12 kg", "7 g"), {}, ["12 kg", "7 g"], "several units, 'g'"),
    "clock": (column("13:30", "1:30 pm"), {}, [13.5, 13.5], "time"),
    "durations": (column("1 days 12:00:00", "0 days"), {}, [1.5, 0.0], "duration"),
    "yes": (column("Yes", "no", "YES"), {}, ["yes", "no", "yes"], "of yes and no"),
    "plain yes": (column("Yes", "No", "Yes"), {}, ["Yes", "No", "Yes"], None),
    "ja": (column("Ja", "nein", "ja"), {}, ["ja", "nein", "ja"], "of ja and nein"),
    "one letter": (column("n", "N"), {}, ["n", "N"], None),
    "foreign digits": (column("٣ kg", "٤ kg"), {}, ["٣ kg", "٤ kg"], None),
    "not sure": (column("Ja", "yes", "ja"), {}, ["Ja", "yes", "ja"], None),
    "either day": (
        column("05/06/2024"),
        {},
        ["05/06/2024"],
        "day first or with the mo",
    ),
    "day first": (
        column("05/06/2024"),
        {"kinds": {"c": "day-first"}},
        [(dt.date(2024, 6, 5) - dt.date(1970, 1, 1)).days],
        None,
    ),
    "codes": (column("12A", "13B"), {}, ["12A", "13B"], None),
    "one junk cell": (column("$5", "ask"), {}, ["$5", "ask"], None),
    "junk is missing": (
        column("$5", "ask"),
        {"missing": ["ask"]},
        [5.0, None],
        r"of '\$'",
    ),
    "all missing": (column("", "NA"), {}, [None, None], None),
    "impossible dates": (column("2024-02-30"), {}, ["2024-02-30"], None),
    "one of many": (
        column(*(f"${i}" for i in range(20)), "ask"),
        {},
        [*(f"${i}" for i in range(20)), "ask"],
        "'c': nearly all its cells are amounts, but not 'ask'",
    ),
    "kept": (MONEY, {"nominal": ["c"]}, ["$1,234.50", "$-7", "$0.99"], None),
}


@pytest.mark.parametrize("name", MESSY)
def test_what_each_messy_table_must_give(tmp_path, name):
    content, options, cells, message = MESSY[name]
    path = tmp_path / "messy.csv"
    path.write_text(content, encoding="utf-8")
    table, said = told(path, header=True, delimiter="\t", **options)
    assert table.columns[0].cells() == cells
    assert bool(said) == bool(message)
    assert re.search(message or "", said)


@pytest.mark.parametrize("style", FIVE_STYLES)
def test_dates_in_the_usual_styles(tmp_path, style):
    path = tmp_path / "dates.csv"
    cells = [day.strftime(FIVE_STYLES[style]) for day in DAYS]
    path.write_text(column(*cells))
    table, said = told(path, delimiter=";")
    assert table["c"].cells() == NUMBERS
    assert re.search(r"'c': date \(", said)
    assert expand_columns(table).names == ["c", "c: month", "c: weekday"]
    path.write_text(column(*(f"{cell} 18:00" for cell in cells)))
    timed = expand_columns(told(path, delimiter=";")[0])
    assert timed["c"].cells() == [number + 0.75 for number in NUMBERS]
    assert timed["c: hour"].cells() == [18.0] * 3


def test_zones_are_read_or_refused(tmp_path):
    path = tmp_path / "zones.csv"
    path.write_text(column("2024-05-31T01:00:00+02:00", "2024-05-30T23:00:00Z"))
    (only,), said = told(path)
    assert only.cells() == [NUMBERS[0] - 1 / 24] * 2
    assert "in UTC" in said
    path.write_text(column("2024-05-31T01:00:00+02:00", "2024-05-30T23:00:00"))
    (only,), said = told(path)
    assert only.kind == "nominal"
    assert "others do not" in said


MIXED = """\ufeffNr;Datum;Preis;Anteil;Gewicht;Bezahlt;Straße
1;31.05.2024;1.234,50 €;12 %;12,5 kg;ja;Am Markt
2;02.01.1999;7,00 €;7,5 %;3 kg;Nein;Süd
3;29.02.2000;;-3 %;;JA;Süd
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_german_file_as_it_comes(tmp_path, encoding, pack):
    text = MIXED if encoding == "utf-8" else MIXED.removeprefix("\ufeff")
    if encoding == "latin-1":
        text = text.replace("€", "EUR")
    path = tmp_path / "umsatz.csv"
    path.write_bytes(pack(text.encode(encoding)))
    table, said = told(path, encoding=encoding)
    assert table["Datum"].cells() == NUMBERS
    assert table["Preis"].cells() == [1234.5, 7.0, None]
    assert table["Anteil"].cells() == [12.0, 7.5, -3.0]
    assert table["Gewicht"].cells() == [12.5, 3.0, None]
    assert table["Bezahlt"].cells() == ["ja", "nein", "ja"]
    assert table["Straße"].cells() == ["Am Markt", "Süd", "Süd"]
    assert table["Nr"].cells() == [1.0, 2.0, 3.0]
    assert all(name in said for name in ("Datum", "Preis", "Anteil", "Bezahlt"))


def test_duplicated_names_and_no_header(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("price,price\n$5,$6\n1,2\n")
    with pytest.raises(BadFileError, match="'price' occurs more than once"):
        read_table(path, header=True)
    path.write_text("2024-05-31,$5\n1999-01-02,$7\n")
    table, _ = told(path)
    assert (table.shape, table["x1"].cells()) == ((2, 2), [5.0, 7.0])
    path.write_text("100 m,200 m\n9.8,19.7\n")
    assert told(path)[0].names == ["100 m", "200 m"]


def test_frames_are_understood_as_files_are(tmp_path):
    path = tmp_path / "umsatz.csv"
    path.write_text(MIXED)
    file, said = told(path)
    frame = pd.read_csv(path, sep=";")
    for X in (frame, pl.from_pandas(frame), frame.to_numpy(object).tolist()):
        with pytest.warns(DataWarning, match="Datum|x1") as caught:
            table = as_table(X, feature_names=file.names)
        assert [c.cells() for c in table] == [c.cells() for c in file]
        assert [c.reading for c in table] == [c.reading for c in file]
        remarks = str(caught[0].message).removesuffix(WAY_OUT).removeprefix("X")
        assert remarks == said.removesuffix(FILE_WAY_OUT).removeprefix(str(path))


def test_strings_that_are_plain_numbers_stay_labels_in_frames():
    frame = pd.DataFrame({"c": ["1", "2.5"]})
    with pytest.warns(DataWarning, match="text that writes numbers"):
        assert as_table(frame)["c"].kind == "nominal"
    assert as_table(frame, kinds={"c": "numeric"})["c"].cells() == [1.0, 2.5]
    assert as_table(frame.astype("category"))["c"].kind == "nominal"
    bools = pd.DataFrame({"c": [True, False]})
    assert as_table(bools, kinds={"c": "numeric"})["c"].cells() == [1.0, 0.0]


@pytest.mark.parametrize("kind", ["date", "day-first", "decimal-comma", "numeric"])
def test_a_column_that_is_not_what_it_is_said_to_be(tmp_path, kind):
    with pytest.raises(BadTypeError, match=r"'c' .*'a'"):
        as_table([["a"]], feature_names=["c"], kinds={"c": kind})
    path = tmp_path / "c.csv"
    path.write_text(column("a", "b"))
    with pytest.raises(BadFileError, match=r"c\.csv.*'a'"):
        read_table(path, kinds={"c": kind})
    with pytest.raises(BadInputError, match="expected names among"):
        as_table([["a"]], kinds={"c": "dates"})


def test_a_test_file_is_read_like_the_training_file(tmp_path):
    first, second = tmp_path / "train.csv", tmp_path / "test.csv"
    first.write_text("day;w\n31/05/2024;1 kg\n01/06/2024;2 kg\n")
    second.write_text("day;w\n02/06/2024;3\n;4 kg\n")
    train, _ = told(first)
    assert told(second)[0]["day"].kind == "nominal"
    test, said = told(second, like=train)
    assert said == ""
    assert test["day"].cells() == [train["day"].data[1] + 1, None]
    assert test["w"].cells() == [3.0, 4.0]
    second.write_text("day;w\n13/13/2024;3 kg\n")
    with pytest.raises(BadFileError, match=r"test\.csv.*row 0.*'13/13/2024'"):
        read_table(second, like=train)


GERMAN = st.decimals(-(10**6), 10**6, places=2, allow_nan=False)


@given(st.lists(GERMAN, min_size=1), st.sampled_from(["", " €", " kg", "%"]))
def test_amounts_equal_their_slow_twin(numbers, unit):
    english = [f"{number:,.2f}{unit}" for number in numbers]
    swap = str.maketrans(",.", ".,")
    for form, texts in (
        ("decimal-point", english),
        ("decimal-comma", [text.translate(swap) for text in english]),
    ):
        reading, note = find_amounts(texts, plain=True)
        assert (reading, note) == (Reading("amount", form, unit.strip()), "")
        found = [read_amount(text, reading) for text in texts]
        assert found == list(map(float, numbers))


@given(st.lists(st.text(max_size=12), min_size=1))
def test_any_text_is_read_or_left_alone(texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table = as_table([[text] for text in texts])
    assert table.n_rows == len(texts)


# --- learning from them ---------------------------------------------------------------


def sales(n_rows, seed=0):
    """Rows whose class follows from the price, written as people do."""
    rng = np.random.default_rng(seed)
    price = rng.uniform(0, 3000, n_rows).round(2)
    frame = pd.DataFrame(
        {
            "price": [f"${value:,.2f}" for value in price],
            "paid": rng.choice(["Yes", "yes", "NO"], n_rows),
        }
    )
    return frame, np.where(price > 1500, "dear", "cheap")


@pytest.fixture
def model():
    return sklazy.LazyKNeighborsClassifier(n_attributes=1)


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_later_rows_are_read_as_the_first(model, tmp_path):
    frame, target = sales(80)
    with pytest.warns(DataWarning, match="'price': numbers of"):
        model.fit(frame, target)
    queries, expected = sales(30, seed=1)
    assert np.mean(model.predict(queries) == expected) > 0.9
    alone = [model.predict(queries[i : i + 1])[0] for i in range(30)]
    assert alone == model.predict(queries).tolist()
    numbers = queries.assign(
        price=[float(p[1:].replace(",", "")) for p in queries.price]
    )
    assert model.predict(numbers).tolist() == alone
    model.save(tmp_path / "m.lazy")
    again = sklazy.load(tmp_path / "m.lazy")
    assert again.predict(queries).tolist() == alone
    (receipt,) = model.explain(queries[:1], reasons=False)
    assert again.verify(receipt)


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_add_and_forget_are_exact(model):
    frame, target = sales(80)
    whole = model.fit(frame, target).digest()
    part = sklazy.LazyKNeighborsClassifier(n_attributes=1)
    first = part.fit(frame[:50], target[:50]).digest()
    for i in range(50, 80):
        part.partial_fit(frame[i : i + 1], target[i : i + 1])
    assert part.digest() == whole
    assert part.forget(list(range(50, 80))).digest() == first
    before = part.digest()
    with pytest.raises(BadTypeError, match=r"'price' is read as numbers of.*'ask'"):
        part.partial_fit(pd.DataFrame({"price": ["ask"], "paid": ["no"]}), ["dear"])
    assert part.digest() == before


@given(
    st.lists(
        st.tuples(
            st.none() | st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)),
            st.none() | st.integers(1, 99999),
            st.booleans(),
        ),
        min_size=2,
        max_size=12,
    ),
    st.data(),
)
def test_however_rows_arrive_the_state_is_the_same(drawn, data):
    first = (dt.date(2024, 5, 31), 1234, True)  # which shows what the columns are
    rows = [
        {"day": day and f"{day:%d/%m/%Y}", "price": price and f"{price:,}.50 $"}
        for day, price, _ in [first, *drawn]
    ]
    target = ["a" if flag else "b" for *_, flag in [first, *drawn]]
    cut = data.draw(st.integers(1, len(rows) - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        kinds = {"day": "day-first", "price": "decimal-point"}
        whole = sklazy.LazyNBClassifier().fit(rows, target)
        told = sklazy.LazyNBClassifier(categorical_features=kinds).fit(rows, target)
        part = sklazy.LazyNBClassifier().fit(rows[:cut], target[:cut])
        before = part.digest()
        part.partial_fit(rows[cut:], target[cut:])
    assert part.digest() == whole.digest() == told.digest()
    assert [part.predict(row)[0] for row in rows] == whole.predict(rows).tolist()
    assert part.forget(list(range(cut, len(rows)))).digest() == before


def test_a_date_that_is_told_may_have_no_value_yet():
    empty = pd.DataFrame({"d": [None, None], "w": [1.0, 2.0]})
    model = sklazy.LazyNBClassifier(categorical_features={"d": "day-first"})
    model.fit(empty, ["a", "b"])
    model.partial_fit(pd.DataFrame({"d": ["05/06/2024"], "w": [1.0]}), ["a"])
    assert model.cases_.names == ["d", "d: month", "d: weekday", "w"]
    assert 6 in model.cases_.to_table()["d: month"].cells()
    plain = sklazy.LazyNBClassifier().fit(empty, ["a", "b"])
    with pytest.raises(BadTypeError, match="'d' is read as date, but the cases have"):
        plain.predict({"d": dt.date(2024, 6, 5), "w": 1.0})


def test_columns_can_be_overridden_in_an_estimator():
    frame, target = sales(40)
    model = sklazy.LazyKNeighborsClassifier(
        categorical_features={"price": "numeric", "paid": "nominal"}
    ).fit(frame, target)
    assert model.cases_.categories(1) == ["NO", "Yes", "yes"]
    buffer = io.StringIO()
    print(model, file=buffer)
    assert "nominal" in buffer.getvalue()


# --- ids and free text ----------------------------------------------------------------


def customers(n_rows=40):
    """An id, a text and a repeated word, and the class that follows from the word."""
    words = ["oak", "elm"]
    frame = pd.DataFrame(
        {
            "id": range(1000, 1000 + n_rows),
            "note": [f"called on day {i}, wants more of it" for i in range(n_rows)],
            "tree": [words[i % 2] for i in range(n_rows)],
        }
    )
    return frame, np.array(["x", "y"])[np.arange(n_rows) % 2]


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_ids_and_text_are_set_aside_in_files(tmp_path):
    frame, target = customers()
    path = tmp_path / "customers.csv"
    frame.to_csv(path, index=False)
    table, said = told(path)
    assert table.names == ["id", "note", "tree"]
    assert "'id': set aside, since 40 of its 40 cells differ" in said
    assert "'note': set aside" in said
    assert "'tree'" not in said
    assert expand_columns(table).names == ["tree"]
    kept, said = told(
        path, kinds={"note": "nominal", "tree": "ignore", "id": "numeric"}
    )
    assert (expand_columns(kept).names, said) == (["id", "note"], "")
    model = sklazy.LazyKNeighborsClassifier(n_attributes=1).fit(table, target)
    assert model.n_features_in_ == 3
    assert model.cases_.names == ["tree"]
    assert (model.predict(table) == target).all()
    frame[:5].to_csv(path, index=False)  # too few rows to tell: read like the first
    assert (model.predict(told(path)[0]) == target[:5]).all()
    assert (model.predict(told(path, like=table)[0]) == target[:5]).all()


def test_text_is_set_aside_in_frames_and_said_once():
    frame, target = customers()
    frame["id"] = frame["id"].astype(str)
    model = sklazy.LazyKNeighborsClassifier(n_attributes=1)
    with pytest.warns(DataWarning) as caught:
        model.fit(frame, target)
    (message,) = {str(w.message) for w in caught}
    assert all(f"{name!r}: set aside" in message for name in ("id", "note"))
    assert "categorical_features={'name': 'nominal'}" in message
    assert model.cases_.names == ["tree"]
    assert (model.predict(frame) == target).all()
    assert model.select_attributes(frame).shape == (40, 1)
    model.partial_fit(frame[:3].assign(note=None), target[:3])
    assert len(model.ids_) == 43
    categories = frame.astype({"id": "category", "note": "category"})
    with pytest.warns(DataWarning, match=r"name rows: \['id', 'note'\]"):
        model.fit(categories, target)
    assert model.cases_.names == ["id", "note", "tree"]


def test_few_rows_and_repeated_words_are_labels():
    assert as_table([[f"w{i}"] for i in range(19)]).kinds == ["nominal"]
    assert as_table([[f"w{i % 18}"] for i in range(20)])["x0"].reading is None
    with pytest.warns(DataWarning, match="'x0': set aside"):
        assert as_table([[f"w{i % 19}"] for i in range(20)])["x0"].reading


def test_nothing_left_to_learn_from_is_refused():
    X = [[f"w{i}"] for i in range(20)]
    with (
        pytest.warns(DataWarning, match="set aside"),
        pytest.raises(BadInputError, match=r"nothing is left.*'x0': 'nominal'"),
    ):
        sklazy.LazyKNeighborsClassifier().fit(X, ["a", "b"] * 10)


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_what_is_set_aside_is_not_selected():
    frame, target = customers()
    ranker = sklazy.AttributeRanker(n_attributes=1).fit(frame[["note", "tree"]], target)
    assert ranker.get_support().tolist() == [False, True]
    numbers = (target == "x") + 0.0
    for estimator in (None, sklazy.LazyKNeighborsClassifier()):
        selector = sklazy.RaceFeatureSelector(
            estimator, max_candidates=9, random_state=0
        )
        selector.fit(frame[["note", "tree"]], numbers if estimator is None else target)
        assert selector.get_support().tolist() == [False, True]


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_a_race_that_finds_nothing_does_not_end_with_what_is_aside():
    rng = np.random.default_rng(0)
    frame = customers(60)[0][["note"]].assign(w=rng.random(60))
    model = sklazy.RacedRegressor(
        selector=sklazy.RaceFeatureSelector(max_candidates=20, random_state=0)
    )
    model.fit(frame, rng.random(60))
    assert model.selector_.get_support()[1]
    assert np.isfinite(model.predict(frame)).all()


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("name", sklazy.__all__)
def test_every_estimator_takes_a_messy_frame(name):
    maker = getattr(sklazy, name)
    if not hasattr(maker, "loo_predict") or maker.__name__ != name:
        return
    frame, target = sales(40)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(range(40), "D")
    frame["note"] = [f"note {i} of many" for i in range(40)]
    numbers = np.arange(40.0) if "Regressor" in name else target
    model = maker().fit(frame, numbers)
    assert model.n_features_in_ == 4
    assert "note" not in model.cases_.names
    one = model.predict(frame[3:4])
    assert one.tolist() == model.predict(frame)[3:4].tolist()
    (receipt,) = model.explain(frame[:1], reasons=False)
    assert model.verify(receipt)
