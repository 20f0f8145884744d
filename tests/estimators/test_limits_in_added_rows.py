"""Limits such as <0.05 in rows that are added, where the first had plain numbers."""

import numpy as np
import pandas as pd
import pytest

import sklazy
from sklazy import LazyKNeighborsClassifier, Source, read_table
from sklazy.cli.hints import for_a_shell
from sklazy.errors import BadTypeError, DataWarning

pytestmark = pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")

CRP = [0.25 * (i + 1) for i in range(40)]


def first(n=40):
    return pd.DataFrame(
        {
            "who": [f"P{i}" for i in range(n)],
            "crp": CRP[:n],
            "sex": list("mf") * (n // 2),
            "ill": ["yes", "no", "no", "yes"] * (n // 4),
        }
    )


def later(cells):
    n = len(cells)
    return pd.DataFrame(
        {
            "who": [f"Q{i}" for i in range(n)],
            "crp": cells,
            "sex": (list("mf") * n)[:n],
            "ill": (["yes", "no"] * n)[:n],
        }
    )


def fitted(**options):
    return LazyKNeighborsClassifier(**options).fit(first(), "ill", ids="who")


MEANT = [0.5, 0.025, 3.0, None]
TEXTS = ["0.5", "<0.05", "3.0", None]  # as `pandas.read_csv` gives them


@pytest.mark.parametrize(
    "cells",
    [
        TEXTS,
        [0.5, "<0.05", 3.0, None],
        ["0.5", "<0.05", "3", "-"],
        ["0,5", "<0,05", "3,0", None],  # of a file with decimal commas
    ],
)
@pytest.mark.parametrize("features", ["from_dtype", ["sex"], [1]])
def test_a_frame_whose_column_became_text_is_added(cells, features):
    expected = fitted().partial_fit(later(MEANT), "ill").digest()
    model = fitted(categorical_features=features)
    with pytest.warns(DataWarning, match=r"'crp'.*'<0[.,]05' as half of its limit"):
        model.partial_fit(later(cells), "ill")
    assert model.digest() == expected
    asked = later(cells)[["crp", "sex"]]
    np.testing.assert_array_equal(
        model.predict_proba(asked), model.predict_proba(later(MEANT)[["crp", "sex"]])
    )


def write(path, cells, mark=".", sep=","):
    frame = later(cells)
    frame.to_csv(path, index=False, decimal=mark, sep=sep)
    return path


@pytest.mark.parametrize("cells", [TEXTS, TEXTS[:2], TEXTS[1:2], [*TEXTS[:1], "-"]])
def test_a_path_and_a_table_are_added(tmp_path, cells):
    meant = {"<0.05": 0.025, "-": None}
    numbers = [float(n) if (n := meant.get(c, c)) is not None else None for c in cells]
    expected = fitted().partial_fit(later(numbers), "ill").digest()
    path = write(tmp_path / "later.csv", cells)
    first().to_csv(tmp_path / "first.csv", index=False)
    like = read_table(tmp_path / "first.csv")
    with pytest.warns(DataWarning, match=r"'<0\.05' as half|'-' as missing"):
        by_path = fitted().partial_fit(path, "ill")
    assert by_path.digest() == expected
    for rows in (read_table(path, like=like), Source(path), [path]):
        assert fitted().partial_fit(rows, "ill").digest() == expected


def test_a_table_that_was_read_by_itself_is_added(tmp_path):
    cells = [*TEXTS, "1.5", "2.5"]
    path = write(tmp_path / "later.csv", cells)
    table = read_table(path)
    assert table["crp"].reading is not None
    numbers = [*MEANT, 1.5, 2.5]
    expected = fitted().partial_fit(later(numbers), "ill").digest()
    assert fitted().partial_fit(table, "ill").digest() == expected


def test_a_path_of_labels_that_look_like_numbers_is_added(tmp_path):
    frame = first().assign(sex=["7", "b"] * 20)
    model = LazyKNeighborsClassifier().fit(frame, "ill", ids="who")
    model.partial_fit(write(tmp_path / "a.csv", [1.0]).with_name("a.csv"), "ill")
    sevens = later([2.0, 3.0]).assign(sex="7", who=["R1", "R2"])
    sevens.to_csv(tmp_path / "b.csv", index=False)
    model.partial_fit(tmp_path / "b.csv", "ill")
    assert len(model.ids_) == 43


def test_targets_of_a_path_are_read_as_those_of_fit(tmp_path):
    frame = first().assign(price=[f"€ {i + 1}.100" for i in range(40)])
    frame = frame.drop(columns="ill")
    frame.to_csv(tmp_path / "first.csv", index=False, sep=";")
    more = frame.assign(who=[f"Q{i}" for i in range(40)])
    more["crp"] = more["crp"].astype(str)
    more.loc[0, "crp"] = "<0.05"
    more.to_csv(tmp_path / "later.csv", index=False, sep=";")
    model = sklazy.LazyKNeighborsRegressor().fit(
        tmp_path / "first.csv", "price", ids="who"
    )
    model.partial_fit(tmp_path / "later.csv", "price")
    other = sklazy.LazyKNeighborsRegressor().fit(
        tmp_path / "first.csv", "price", ids="who"
    )
    numbers = more.assign(
        crp=[0.025, *CRP[1:]], price=[1000.0 * (i + 1) + 100 for i in range(40)]
    )
    assert other.partial_fit(numbers, "price").digest() == model.digest()


def test_text_of_numbers_names_a_way_out_that_works():
    model, X = fitted(), later(["0.5", "3.0"])
    with pytest.raises(BadTypeError, match="holds numbers and strings") as error:
        model.partial_fit(X, "ill")
    way = "X.assign(**{'crp': pandas.to_numeric(X['crp'])})"
    assert way in str(error.value)
    assert "pandas" not in for_a_shell(str(error.value))
    model.partial_fit(eval(way, {"X": X, "pandas": pd}), "ill")
    with pytest.raises(BadTypeError, match="such as 'high'") as error:
        fitted().partial_fit(later(["high", "<3"]), "ill")
    assert "leave it missing (None)" in str(error.value)
