"""Dates, times, durations, periods: numbers and calendar parts, however they come."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklazy
from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables import as_table
from sklazy.tables.origins import expand_columns, one_to_one

EPOCH = dt.datetime(1970, 1, 1)
DAY = dt.timedelta(days=1)
MOMENTS = st.datetimes(dt.datetime(1890, 1, 1), dt.datetime(2059, 1, 1))
DAYS = st.dates(dt.date(1700, 1, 1), dt.date(2250, 1, 1))


def slow_parts(moment):
    """Days, month, weekday and hour of a point in time, in the plainest way."""
    if moment is None:
        return [None] * 4
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    weekday = moment.strftime("%A")
    return [(moment - EPOCH) / DAY, float(moment.month), weekday, seconds / 3600]


def forms_of(cells, arrow, polars, numpy):
    """The same cells in every form that can hold them."""
    yield pd.DataFrame({"t": pd.Series(cells, dtype=object)})
    yield pl.DataFrame({"t": cells}, schema={"t": polars})
    yield pa.table({"t": pa.array(cells, arrow)})
    yield pd.DataFrame({"t": pd.Series(pd.array(cells, pd.ArrowDtype(arrow)))})
    yield [[cell] for cell in cells]
    if numpy:
        yield np.array(cells, numpy)[:, None]
        yield pd.DataFrame({"t": np.array(cells, numpy)})


def columns_of(X):
    return [column.cells() for column in expand_columns(as_table(X))]


@given(st.lists(st.none() | MOMENTS, min_size=1).filter(any))
def test_points_in_time_and_their_parts(cells):
    expected = [list(column) for column in zip(*map(slow_parts, cells), strict=True)]
    for X in forms_of(cells, pa.timestamp("us"), pl.Datetime("us"), "M8[us]"):
        assert columns_of(X) == expected


@given(st.lists(st.none() | DAYS, min_size=1).filter(any))
def test_dates_have_no_hour(cells):
    moments = [c and dt.datetime.combine(c, dt.time()) for c in cells]
    parts = [slow_parts(moment)[:3] for moment in moments]
    expected = [list(column) for column in zip(*parts, strict=True)]
    for X in forms_of(cells, pa.date32(), pl.Date, ""):
        assert columns_of(X) == expected
    assert columns_of(np.array(cells, "M8[D]")[:, None]) == expected


@given(st.lists(st.none() | st.timedeltas(-1000 * DAY, 1000 * DAY), min_size=1))
def test_durations_are_days(cells):
    if not any(cell is not None for cell in cells):
        return
    expected = [[None if cell is None else cell / DAY for cell in cells]]
    for X in forms_of(cells, pa.duration("us"), pl.Duration("us"), "m8[us]"):
        assert columns_of(X) == expected


def test_times_of_day_are_hours():
    cells = [dt.time(13, 30), None, dt.time(0, 0, 36)]
    for X in forms_of(cells, pa.time64("us"), pl.Time, ""):
        assert columns_of(X) == [[13.5, None, 0.01]]


@pytest.mark.parametrize(
    ("freq", "parts"),
    [("Y", []), ("M", ["month"]), ("Q", ["month"]), ("D", ["month", "weekday"])],
)
def test_periods_stand_for_their_start(freq, parts):
    periods = pd.PeriodIndex(["2024-05-15", "NaT"], freq=freq)
    table = expand_columns(as_table(pd.DataFrame({"p": periods})))
    assert table.names == ["p", *(f"p: {part}" for part in parts)]
    start = {"Y": (1, 1), "M": (5, 1), "Q": (4, 1), "D": (5, 15)}[freq]
    assert table["p"].cells() == [(dt.datetime(2024, *start) - EPOCH) / DAY, None]


@pytest.mark.parametrize(("unit", "names"), [("M", 2), ("Y", 1), ("h", 4), ("W", 3)])
def test_units_of_numpy_decide_about_parts(unit, names):
    table = expand_columns(as_table(np.array([["2024-05-01"]], f"M8[{unit}]")))
    assert len(table.names) == names


def test_times_with_a_zone_are_taken_in_utc():
    berlin = dt.timezone(dt.timedelta(hours=2))
    moment = dt.datetime(2024, 5, 1, 1, 0, tzinfo=berlin)
    expected = [[v] for v in slow_parts(dt.datetime(2024, 4, 30, 23, 0))]
    assert columns_of([[moment]]) == expected
    assert columns_of(pd.DataFrame({"t": [pd.Timestamp(moment)]})) == expected
    assert columns_of(pl.DataFrame({"t": [moment]})) == expected


def test_dates_that_do_not_go_together_are_refused():
    aware = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)
    with pytest.raises(BadTypeError, match=r"row 0.*datetime"):
        as_table([[aware], [dt.datetime(2024, 5, 1)]])
    with pytest.raises(BadTypeError, match=r"row 0.*timedelta"):
        as_table([[DAY], ["soon"]])


# --- learning from them ---------------------------------------------------------------


def weeks(n_rows=60, start=dt.datetime(2024, 1, 1)):
    """Sundays are off, whatever the month; a number that says nothing."""
    days = [start + i * dt.timedelta(hours=19) for i in range(n_rows)]
    noise = np.arange(n_rows) % 7 / 7
    return days, noise, ["off" if day.weekday() == 6 else "on" for day in days]


@pytest.fixture
def model():
    return sklazy.LazyNBClassifier(n_attributes=1)


def test_a_weekday_is_learned_from_any_frame(model):
    days, noise, target = weeks()
    later, some, _ = weeks(30, dt.datetime(2025, 6, 1))
    expected = ["off" if day.weekday() == 6 else "on" for day in later]
    pandas = pd.DataFrame({"day": days, "noise": noise})
    model.fit(pandas, target)
    assert model.cases_.names == [
        *("day", "day: month", "day: weekday", "day: hour", "noise")
    ]
    assert (model.n_features_in_, list(model.feature_names_in_)) == (
        2,
        ["day", "noise"],
    )
    for frame in (pd.DataFrame, pl.DataFrame):
        queries = frame({"day": later, "noise": some})
        assert model.predict(queries).tolist() == expected
    words = pl.DataFrame({"day": [day.isoformat() for day in later], "noise": some})
    assert model.predict(words).tolist() == expected
    nothing = pd.DataFrame({"day": [None, None], "noise": [0.0, 0.1]})
    assert len(model.predict(nothing)) == 2


def test_positions_instead_of_names(model):
    days, noise, target = weeks()
    rows = [list(row) for row in zip(days, noise, strict=True)]
    model.fit(rows, target)
    frame = sklazy.LazyNBClassifier(n_attributes=1)
    frame.fit(pd.DataFrame({"day": days, "noise": noise}), target)
    assert (
        model.predict(rows[:9]).tolist()
        == frame.predict(pd.DataFrame({"day": days[:9], "noise": noise[:9]})).tolist()
    )
    with pytest.warns(UserWarning, match="X has feature names"):
        named = model.predict(pd.DataFrame({"when": days[:9], "b": noise[:9]}))
    assert named.tolist() == model.predict(rows[:9]).tolist()
    assert len(model.predict([[None, 0.5]])) == 1
    with pytest.raises(BadInputError, match="3 features, but 2 are expected"):
        model.predict([[None, 0.5, 1]])


def test_add_and_forget_are_exact(model):
    days, noise, target = weeks()
    whole = pd.DataFrame({"day": days, "noise": noise})
    model.fit(whole, target)
    before = model.digest()
    part = sklazy.LazyNBClassifier(n_attributes=1).fit(whole[:40], target[:40])
    first = part.digest()
    part.partial_fit(whole[40:], target[40:])
    assert part.digest() == before
    assert part.forget(list(range(40, 60))).digest() == first


def test_files_and_receipts(model, tmp_path):
    days, noise, target = weeks()
    frame = pd.DataFrame({"day": days, "noise": noise})
    model.fit(frame, target).save(tmp_path / "m.lazy")
    again = sklazy.load(tmp_path / "m.lazy")
    assert again.digest() == model.digest()
    assert again.n_features_in_ == 2
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    (receipt,) = model.explain(frame[:1], reasons=False)
    assert "day: weekday" in receipt.to_json()
    assert again.verify(receipt)


def test_numbers_are_no_dates_later(model):
    days, noise, target = weeks()
    plain = pd.DataFrame({"day": noise, "noise": noise})
    model.fit(plain, target)
    with pytest.raises(BadTypeError, match="'day' is read as datetime"):
        model.predict(pd.DataFrame({"day": days, "noise": noise}))
    zone = pd.Series(days).dt.tz_localize("UTC")
    model.fit(pd.DataFrame({"day": days, "noise": noise}), target)
    with pytest.raises(BadTypeError, match=r"in UTC.*but the cases have datetime"):
        model.predict(pd.DataFrame({"day": zone, "noise": noise}))
    with pytest.raises(BadTypeError, match=r"'day'.*row 0.*holds 'soon'"):
        model.predict(pd.DataFrame({"day": ["soon"], "noise": [0.0]}))


def test_filters_keep_one_column_for_each():
    days, noise, target = weeks()
    frame = pd.DataFrame({"day": days, "noise": noise})
    ranker = sklazy.AttributeRanker(n_attributes=1).fit(frame, target)
    assert len(ranker.scores_) == 2
    values = np.array(
        [day.hour + number for day, number in zip(days, noise, strict=True)]
    )
    found = sklazy.RaceFeatureSelector(max_candidates=10, random_state=0)
    assert len(found.fit(frame, values).get_support()) == 2
    numbers = as_table(frame).to_pandas()
    again = sklazy.RaceFeatureSelector(max_candidates=10, random_state=0)
    assert (again.fit(numbers, values).get_support() == found.get_support()).all()
    assert sklazy.advise(frame, target, max_seconds=0)


def test_dates_alone_are_numbers_without_parts():
    """A table that has nothing but dates is one that has some."""
    table = one_to_one(as_table([[dt.date(2024, 5, 1)], [dt.date(2024, 5, 4)]]))
    assert expand_columns(table).names == ["x0"]


def test_an_eager_model_has_the_parts_too():
    from sklearn.tree import DecisionTreeClassifier

    from sklazy.estimators.encoded import EncodedModel

    days, noise, target = weeks()
    frame = pd.DataFrame({"day": days, "noise": noise})
    model = EncodedModel(DecisionTreeClassifier(random_state=0)).fit(frame, target)
    assert model.predict(frame).tolist() == target


def test_a_printed_table_has_dates_as_dates():
    rows = [
        {"day": dt.date(2024, 5, 1), "time": dt.datetime(2024, 5, 1, 23)},
        {"day": dt.date(2024, 5, 4), "time": dt.datetime(2024, 5, 4)},
    ]
    assert str(as_table(rows)).count("2024-05-01 to 2024-05-04") == 2
