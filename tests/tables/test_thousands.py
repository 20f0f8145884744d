"""Points that may separate thousands, read by what other columns of the table tell."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklazy import LazyKNeighborsRegressor, Source, Table, read_table
from sklazy.errors import DataWarning
from sklazy.tables import as_table
from sklazy.tables.arrow_csv import FEWEST_BYTES

KM = [f"{1 + i % 240}.000" for i in range(30)]
TRUE_KM = [1000.0 * (1 + i % 240) for i in range(30)]


def write(path, columns, delimiter=";"):
    rows = [columns, *zip(*columns.values(), strict=True)]
    path.write_text("\n".join(delimiter.join(row) for row in rows) + "\n")
    return path


def columns_of(km, **others):
    use = [f"{4 + i % 7},{i % 10}" for i in range(len(km))]
    return {"km": km, "use": use, **others}


def read_quietly(*args, **options):
    with pytest.warns(DataWarning) as said:
        table = read_table(*args, **options)
    return table, str(said[0].message)


@pytest.mark.parametrize("absent", ["", "k.A."])
def test_thousands_beside_decimal_commas(tmp_path, absent):
    km = [*KM, absent]
    table, message = read_quietly(write(tmp_path / "a.csv", columns_of(km)))
    np.testing.assert_array_equal(table["km"].data, [*TRUE_KM, np.nan])
    assert "'km': numbers (decimal-comma)" in message
    assert "'1.000' has thousands" in message


def test_thousands_beside_amounts_with_points(tmp_path):
    columns = {"km": KM, "price": [f"{1 + i}.580 €" for i in range(30)]}
    table, _ = read_quietly(write(tmp_path / "a.csv", columns))
    np.testing.assert_array_equal(table["km"].data, TRUE_KM)


def test_numbers_below_a_thousand_and_above_a_million(tmp_path):
    km = [*KM, "950", "1.250.000"]
    table, _ = read_quietly(write(tmp_path / "a.csv", columns_of(km)))
    assert table["km"].data.tolist()[-2:] == [950.0, 1250000.0]


def test_decimals_stay_where_no_column_tells(tmp_path, recwarn):
    columns = {"x": ["1.234", "3.500", "7"], "y": ["a", "b", "a"]}
    for delimiter in ",;":
        table = read_table(write(tmp_path / "a.csv", columns, delimiter))
        assert table["x"].data.tolist() == [1.234, 3.5, 7.0]
        assert table["x"].reading is None
    assert not recwarn.list


def test_decimals_stay_beside_other_decimal_points(tmp_path):
    columns = columns_of(KM, height=["1.5"] * 30)
    table, _ = read_quietly(write(tmp_path / "a.csv", columns))
    assert table["km"].data.tolist() == [km / 1000 for km in TRUE_KM]
    several, _ = read_quietly([str(tmp_path / "a.csv")] * 2)
    assert several["km"].data.tolist() == 2 * [km / 1000 for km in TRUE_KM]


def test_decimals_stay_if_wished(tmp_path):
    path = write(tmp_path / "a.csv", columns_of(KM))
    for wish in ("numeric", "decimal-point"):
        table, _ = read_quietly(path, kinds={"km": wish})
        assert table["km"].data.tolist() == [km / 1000 for km in TRUE_KM]


@pytest.mark.parametrize("cell", ["0.123", "1.25", "01.250", "1.2345", "1250.000"])
def test_a_cell_that_cannot_be_thousands(tmp_path, cell):
    table, _ = read_quietly(write(tmp_path / "a.csv", columns_of([*KM, cell])))
    if table["km"].kind == "numeric":
        assert table["km"].data.tolist() == [
            *(km / 1000 for km in TRUE_KM),
            float(cell),
        ]


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("absent", ["", "k.A."])
@pytest.mark.parametrize("settled", [True, False])
def test_one_reading_whatever_the_source(tmp_path, settled, absent):
    pytest.importorskip("pyarrow")
    n_rows = 3 * FEWEST_BYTES // 16
    km = [f"{1 + i % 240}.{i % 7}00" for i in range(n_rows)]
    km[7], km[-1] = absent, "950"
    columns = columns_of(km)
    if not settled:
        columns["use"] = ["a"] * n_rows
    path = write(tmp_path / "a.csv", columns)
    frame = pd.DataFrame(columns)
    half = [write(tmp_path / f"{i}.csv", frame[i::2].to_dict("list")) for i in (0, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklazy.tables.whole.read_csv_by_arrow", lambda *_: None)
        expected = read_table(path)
    whole, batches = read_table(path), list(Source(path).batches())
    joined = np.concatenate([batch["km"].data for batch in batches])
    both = read_table(list(map(str, half)))
    assert np.nanmax(whole["km"].data) == (240600.0 if settled else 950.0)
    assert np.nanmin(whole["km"].data) == (950.0 if settled else 1.0)
    np.testing.assert_array_equal(expected["km"].data, whole["km"].data)
    np.testing.assert_array_equal(joined, whole["km"].data)
    np.testing.assert_array_equal(np.sort(both["km"].data), np.sort(joined))
    assert expected["km"].reading == whole["km"].reading == batches[0]["km"].reading
    assert both["km"].reading == whole["km"].reading


def test_a_table_read_by_itself_and_its_later_rows(tmp_path):
    columns = columns_of(KM)
    path = write(tmp_path / "a.csv", columns)
    target = np.arange(30.0)
    with pytest.warns(DataWarning):
        model = LazyKNeighborsRegressor(1, selection="none").fit(str(path), target)
    with pytest.warns(DataWarning):
        frame = LazyKNeighborsRegressor(1, selection="none").fit(
            pd.DataFrame(columns), target
        )
    assert model.digest() == frame.digest()
    later = columns_of(["950", "1.250.000", "7.000"])
    rows = write(tmp_path / "later.csv", later)
    read = read_table(rows, like=read_quietly(path)[0])
    assert read["km"].data.tolist() == [950.0, 1250000.0, 7000.0]
    np.testing.assert_array_equal(
        model.predict(str(rows)), model.predict(pd.DataFrame(later))
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_of_text(frame):
    with pytest.warns(DataWarning, match="'km': numbers .decimal-comma."):
        table = Table.from_any(frame(columns_of([*KM, "k.A."])))
    np.testing.assert_array_equal(table["km"].data, [*TRUE_KM, np.nan])


def test_the_way_out_of_cells_that_nothing_tells():
    with pytest.warns(DataWarning, match="decimal point; choose") as said:
        Table.from_any([["10.000"]] * 5 + [["20.000"]] * 5)
    assert "'decimal-point' or 'decimal-comma'" in str(said[0].message)
    table = as_table([["10.000"]] * 5, categorical_features={"x0": "decimal-comma"})
    assert table["x0"].data.tolist() == [10000.0] * 5
