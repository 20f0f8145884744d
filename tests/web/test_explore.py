"""What the explorer shows, beside plain twins and the library's own answers."""

import copy
import datetime
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklazy
from explored import exploring, flats, nearest_class, wait_for
from made_receipts import FITTED, model_of
from sklazy.errors import BadInputError, SklazyError, UnknownIdError
from sklazy.report.plain import to_finite
from sklazy.web.explore.downloads import export_data, make_download
from sklazy.web.explore.evidence import (
    CaseEvidence,
    find_evidence,
    split_sides,
    weigh_features,
)
from sklazy.web.explore.maps import scale_landmarks
from sklazy.web.explore.space import DistanceSpace
from sklazy.web.problems import Problem


@pytest.fixture(scope="module")
def asking():
    frame, label, _ = flats()
    with exploring(nearest_class().fit(frame, label)) as found:
        yield found


@pytest.fixture(scope="module")
def numbers():
    frame, _, rent = flats()
    with exploring(sklazy.LazyLearningRegressor().fit(frame, rent)) as found:
        yield found


def ids_of(page):
    return [one["id"] for one in page["rows"]]


# --- overview -------------------------------------------------------------------------


def test_columns_are_told_as_pandas_tells_them(asking):
    frame, label, _ = flats()
    told = asking.overview()
    assert [one["name"] for one in told["columns"]] == list(frame)
    for one in told["columns"]:
        column = frame[one["name"]]
        assert one["n_missing"] == column.isna().sum()
        counts = np.array(one["histogram"]["counts"])
        if one["kind"] == "numeric":
            expected, edges = np.histogram(column.dropna(), 16)
            assert one["histogram"]["edges"] == pytest.approx(edges)
        else:
            expected = column.value_counts()[one["histogram"]["labels"]]
        assert counts.sum(axis=1).tolist() == list(expected)
        by_class = pd.crosstab(column.notna(), label).loc[True]
        assert counts.sum(axis=0).tolist() == by_class[told["groups"]].tolist()
    rows = {one["label"]: one["rows"] for one in told["balance"]["classes"]}
    assert rows == label.value_counts().to_dict()


def test_relevance_is_the_entropy_that_goes(asking):
    frame, label, _ = flats()

    def left(counts):
        shares = counts / counts.sum()
        return -sum(p * np.log2(p) for p in shares if p > 0)

    known = frame["heating"].notna()
    whole = left(label.value_counts())
    parts = [
        own.size * left(own.value_counts())
        for _, own in label[known].groupby(frame["heating"][known])
    ]
    told = {one["name"]: one["relevance"] for one in asking.overview()["columns"]}
    # The row without a value stands with the classes on the whole, or is left out.
    plain = 1 - sum(parts) / known.sum() / whole
    assert told["heating"] == pytest.approx(plain, abs=0.05)
    assert told["size"] > 0.5 > told["floor"]


def test_the_relevance_for_numbers_finds_the_line(numbers):
    told = {one["name"]: one["relevance"] for one in numbers.overview()["columns"]}
    assert told["size"] > 0.8
    assert told["floor"] == told["year"] == 0.0


def test_left_out_answers_are_those_of_the_library(asking):
    frame, label, _ = flats()
    model = nearest_class().fit(frame, label)
    expected = model.loo_predict()
    told = asking.left_out()
    assert told["exact"] is True
    assert told["accuracy"] == pytest.approx((expected == label).mean())
    counts = pd.crosstab(label, expected)
    names = told["confusion"]["names"]
    assert told["confusion"]["counts"] == counts.loc[names, names].values.tolist()
    page = asking.cases({"per_page": 100})
    assert page["exact"] is True
    assert [one["answer"] for one in page["rows"]] == expected.tolist()
    shares = model.loo_predict_proba()
    own = shares[np.arange(60), [list(model.classes_).index(one) for one in label]]
    assert [one["doubt"] for one in page["rows"]] == pytest.approx(1 - own)


def test_errors_of_numbers_are_those_of_left_out_answers(numbers):
    frame, _, rent = flats()
    expected = sklazy.LazyLearningRegressor().fit(frame, rent).loo_predict()
    told = numbers.left_out()
    assert told["mean_absolute_error"] == pytest.approx(abs(expected - rent).mean())
    explained = 1 - ((expected - rent) ** 2).sum() / ((rent - rent.mean()) ** 2).sum()
    assert told["explained"] == pytest.approx(explained)
    assert sum(told["residuals"]["counts"]) == 60
    drawn = {one["id"]: (one["truth"], one["answer"]) for one in told["points"]}
    assert drawn == {i: (rent[i], expected[i]) for i in range(60)}
    errors = abs(expected - rent)
    assert [one["id"] for one in told["worst"]] == errors.nlargest(5).index.tolist()


def test_the_interval_holds_nine_of_ten_left_out_errors(numbers):
    frame, _, rent = flats()
    row = {"size": 60, "floor": 1, "heating": "gas", "year": 1950}
    errors = abs(sklazy.LazyLearningRegressor().fit(frame, rent).loo_predict() - rent)
    for told in numbers.answer({"edits": row}), numbers.receipt({"edits": row}):
        assert told["margin"] == pytest.approx(np.sort(errors)[54])  # 0.9 of 61
    kept = np.sort(errors.drop(7))[53]  # of 60: the case itself is left out
    assert numbers.answer({"case": 7})["margin"] == pytest.approx(kept)


def test_leaving_out_pauses_and_goes_on(monkeypatch):
    monkeypatch.setattr("sklazy.web.explore.left_out._WEARY", 0.0)
    frame, label, _ = flats()
    with exploring(nearest_class().fit(frame, label), wait=False) as found:
        seen = []
        while not seen or seen[-1] < 60:
            found.start({"job": "left-out"})
            wait_for(found.session, "left-out", ends=("paused", "done"))
            seen.append(found.left_out()["n_known"])
        assert len(seen) > 1
        assert seen == sorted(seen)
        found.cases({"search": "7"})
        expected = nearest_class().fit(frame, label).loo_predict()
        rows = found.cases({"per_page": 100})["rows"]
        assert [one["answer"] for one in rows] == expected.tolist()


def test_many_rows_are_left_out_with_cuts_as_they_are():
    frame, label, _ = flats(700)
    model = sklazy.LazyKNeighborsClassifier(3, n_attributes=2).fit(frame, label)
    with exploring(model) as found:
        told = found.left_out()
        assert told["exact"] is found.cases({})["exact"] is False
        assert told["n_known"] == 700
        exact = (model.loo_predict(np.arange(60)) == label[:60]).mean()
        assert told["accuracy"] == pytest.approx(exact, abs=0.15)


# --- cases ----------------------------------------------------------------------------

FILTERS = st.one_of(
    st.fixed_dictionaries(
        {"column": st.sampled_from(["size", "floor", "year"])},
        optional={"low": st.integers(-5, 2000), "high": st.integers(-5, 2000)},
    ),
    st.fixed_dictionaries(
        {
            "column": st.just("heating"),
            "labels": st.lists(st.sampled_from(["gas", "oil", "?"]), max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {
            "column": st.sampled_from(["size", "heating"]),
            "missing": st.booleans(),
        }
    ),
)


def kept(cell, one):
    """Whether a filter keeps a cell, plainly."""
    if "missing" in one:
        return pd.isna(cell) == one["missing"]
    if pd.isna(cell):
        return False
    if "labels" in one:
        return cell in one["labels"]
    return one.get("low", -np.inf) <= cell <= one.get("high", np.inf)


@given(
    st.lists(FILTERS, max_size=3),
    st.sampled_from([None, "dear", "cheap"]),
    st.sampled_from(["row", "size", "heating", "doubt", "truth"]),
    st.booleans(),
    st.integers(1, 7),
)
@settings(max_examples=60, deadline=None)
def test_pages_hold_the_cases_a_plain_loop_finds(
    asking, filters, truth, sort, falling, per_page
):
    frame, label, _ = flats()
    rows = [
        i
        for i in range(60)
        if all(kept(frame[one["column"]][i], one) for one in filters)
        and truth in (None, label[i])
    ]
    wish = {"filters": filters, "truth": truth, "sort": sort, "falling": falling}
    found, n_pages = [], 1
    page = 0
    while page < n_pages:
        told = asking.cases({**wish, "page": page, "per_page": per_page})
        found, n_pages = found + told["rows"], told["n_pages"]
        page += 1
    assert sorted(one["id"] for one in found) == rows
    assert told["n_found"] == len(rows)
    keys = {"row": "id", "doubt": "doubt", "truth": "truth"}
    if sort in keys:
        own = [one[keys[sort]] for one in found]
    else:
        own = asking.cases({**wish, "per_page": 100, "columns": [sort]})["rows"]
        own = [one["values"][sort] for one in own]
    known = [key for key in own if key is not None]
    assert known == sorted(known, reverse=falling)
    assert own == known + [None] * (len(own) - len(known))  # missing ones come last


def test_every_cell_of_the_confusion_matrix_leads_to_its_cases(asking):
    counts = asking.left_out()["confusion"]["counts"]
    for i, row in enumerate(counts):
        for j, n in enumerate(row):
            assert asking.cases({"cell": [i, j]})["n_found"] == n
    wrong = asking.cases({"wrong": True})
    assert wrong["n_found"] == counts[0][1] + counts[1][0]
    assert all(one["truth"] != one["answer"] for one in wrong["rows"])


def test_ids_are_searched_by_how_they_begin(asking):
    assert ids_of(asking.cases({"search": "5"})) == [5, *range(50, 60)]
    assert asking.cases({"search": "no such"})["n_found"] == 0
    assert asking.cases({"doubt": [0.9, None]})["n_found"] == sum(
        one["doubt"] >= 0.9 for one in asking.cases({"per_page": 100})["rows"]
    )


@pytest.mark.parametrize(
    "wish",
    [
        {"nonsense": 1},
        {"filters": "size"},
        {"filters": [{"column": 3}]},
        {"filters": [{"column": "size", "low": "a"}]},
        {"filters": [{"column": "no such"}]},
        {"cell": [1]},
        {"doubt": 3},
        {"truth": "no such"},
        {"columns": ["no such"]},
        {"sort": "no such"},
        {"per_page": 0},
        {"per_page": 100_000},
        {"page": -1},
        {"page": True},
    ],
)
def test_wishes_that_make_no_sense_are_refused(asking, wish):
    with pytest.raises(SklazyError):
        asking.cases(wish)


# --- receipts and what-if -------------------------------------------------------------


def test_a_case_is_left_out_of_its_own_receipt(asking):
    frame, label, _ = flats()
    model = nearest_class().fit(frame, label)
    others = copy.deepcopy(model).forget([7])
    expected = others.explain(frame[7:8])[0]
    told = asking.receipt({"case": 7})
    assert told["answer"] == expected.answer
    assert told["probability"] == expected.probability
    assert told["n_cases"] == 59
    voters = [one["id"] for one in told["voters"]["cases"]]
    assert voters == [one["id"] for one in expected["neighbors"]["listed"]]
    assert 7 not in voters
    assert "Row 7" in json.dumps(told["blocks"])
    changed = asking.receipt({"case": 7, "edits": {"heating": "gas"}})
    assert "Row 7" not in json.dumps(changed["blocks"])
    for one in told["voters"]["cases"]:
        own = frame.loc[one["id"]]
        assert ("heating" in one["differ"]) == (own["heating"] != frame["heating"][7])


def test_what_if_is_the_answer_to_the_edited_row(asking):
    frame, label, _ = flats()
    others = nearest_class().fit(frame, label).forget([7])
    edited = frame[7:8].assign(size=25.0, heating=None)
    edits = {"size": 25, "heating": None}
    quick = asking.answer({"case": 7, "edits": edits})
    whole = asking.receipt({"case": 7, "edits": edits})
    assert quick["answer"] == whole["answer"] == others.predict(edited)[0]
    shares = dict(zip(others.classes_, others.predict_proba(edited)[0], strict=True))
    assert {o["label"]: o["probability"] for o in quick["probabilities"]} == shares
    assert whole["next"]["attribute"] == "heating" or whole["next"]["attribute"] is None


def test_curves_are_predictions_with_one_cell_changed(asking, numbers):
    frame, label, rent = flats()
    row, names = frame[7:8], ["size", "heating"]
    classes = nearest_class().fit(frame, label).forget([7])
    told = asking.curves({"case": 7, "names": names})
    assert told["of"] == classes.predict(row)[0]
    place = list(classes.classes_).index(told["of"])
    asked = {one["name"]: one for one in told["curves"]}
    for name, curve in asked.items():
        rows = pd.concat([row.assign(**{name: value}) for value in curve["values"]])
        assert curve["outputs"] == classes.predict_proba(rows)[:, place].tolist()
    assert set(asked["heating"]["values"]) == {"gas", "oil", "wood"}
    sizes = asked["size"]["values"]
    assert (sizes[0], sizes[-1]) == (frame["size"].min(), frame["size"].max())
    line = sklazy.LazyLearningRegressor().fit(frame, rent).forget([7])
    told = numbers.curves({"case": 7, "edits": {"floor": None}, "names": ["size"]})
    rows = pd.concat([row.assign(size=x, floor=np.nan) for x in sizes])
    assert told["curves"][0]["outputs"] == pytest.approx(line.predict(rows))
    with pytest.raises(BadInputError, match="no column"):
        asking.curves({"case": 7, "names": ["no such"]})


def test_what_would_change_a_prediction_is_what_the_library_finds(asking, numbers):
    frame, label, _ = flats()
    model = nearest_class().fit(frame, label).forget([7])
    found = model.changes(frame[7:8])
    told = asking.others({"case": 7})
    assert told["n_tried"] == found.n_tried
    assert [one["after"] for one in told["changes"]] == [c.after for c in found[:6]]
    for one in told["changes"]:
        quick = asking.answer({"case": 7, "edits": one["after"]})
        assert quick["answer"] == one["answer"] != found.answer
    assert numbers.others({"case": 7, "delta": 1e9})["changes"] == []
    with pytest.raises(BadInputError, match="delta"):
        asking.others({"case": 7, "delta": "a"})


def test_a_date_is_one_value_with_its_parts():
    frame, label, _ = flats()
    frame["sold"] = pd.date_range("2024-01-01", periods=60)
    frame["since"] = pd.to_datetime("2024-01-01 06:30")
    frame["paid"] = [f"{i}.50 €" for i in range(60)]
    with pytest.warns(sklazy.errors.DataWarning, match="paid"):
        model = nearest_class().fit(frame, label)
    with exploring(model, wait=False) as found:
        names = [one["name"] for one in found.overview()["columns"]]
        assert names == [one["name"] for one in found.fields()["fields"]] == [*frame]
        styles = {one["name"]: one["style"] for one in found.overview()["columns"]}
        assert (styles["sold"], styles["since"]) == ("date", "datetime")
        assert found.overview()["columns"][-1]["unit"] == "€"
        day = 19_845.0  # Thursday, 2 May 2024
        told = found.receipt({"case": 7, "edits": {"sold": day}})
        assert told["values"]["sold: month"] == 5
        assert told["values"]["sold: weekday"] == "Thursday"
        assert [one["name"] for one in told["reasons"]["features"]].count("sold") == 1
        edited = frame[7:8].assign(sold=pd.Timestamp("2024-05-02"))
        assert told["answer"] == model.forget([7]).predict(edited)[0]
        curves = found.curves({"case": 7, "names": ["sold"]})
        (drawn,) = curves["curves"]
        days = pd.to_datetime(drawn["values"], unit="D")
        rows = pd.concat([frame[7:8]] * len(days)).assign(sold=days)
        place = list(model.classes_).index(curves["of"])
        assert drawn["outputs"] == model.predict_proba(rows)[:, place].tolist()


def test_neighbors_can_be_left_out_as_well(asking):
    frame, label, _ = flats()
    first = asking.receipt({"case": 7})["voters"]["cases"][0]["id"]
    told = asking.receipt({"case": 7, "without": [str(first)]})
    assert told["n_cases"] == 58
    others = nearest_class().fit(frame, label).forget([7, first])
    assert told["answer"] == others.predict(frame[7:8])[0]


def test_the_nearest_case_with_another_answer(asking, numbers):
    frame, label, rent = flats()
    told = asking.receipt({"case": 7})
    assert label[told["opposing"]["id"]] != told["answer"]
    near = numbers.receipt({"case": 7, "delta": 100.0})
    foe = near["opposing"]
    assert abs(rent[foe["id"]] - near["answer"]) > 100
    numeric = frame[["size", "floor", "year"]]
    scaled = (numeric - numeric.loc[7]) / (numeric.max() - numeric.min())
    other = frame["heating"].ne(frame["heating"][7]) | frame["heating"].isna()
    steps = (scaled.fillna(1) ** 2).assign(heating=other.astype(float))
    squares = (steps * pd.Series(near["weights"])).sum(axis=1)
    far = (rent - near["answer"]).abs() > 100
    far[7] = False
    assert squares[far].idxmin() == foe["id"]
    assert numbers.receipt({"case": 7, "delta": 1e9})["opposing"] is None


@pytest.mark.parametrize("name", FITTED)
def test_receipts_of_every_family_are_shown(name):
    model = model_of(name)
    with exploring(model, wait=False) as found:
        told = found.receipt({"case": 2, "edits": {"size": None}})
        json.dumps(to_finite(told), allow_nan=False)
        assert told["blocks"]
        assert told["voters"]["cases"]
        assert set(told["weights"]) <= set(model.cases_.names)
        assert told["opposing"] is None or told["opposing"]["id"] != 2
        quick = found.answer({"case": 2, "edits": {"size": None}})
        assert quick["answer"] == pytest.approx(told["answer"]) or (
            quick["answer"] == told["answer"]
        )
        found.map({"also": [2], "weights": told["weights"]})


def test_families_without_voters_or_weights_say_so():
    receipt = {"kind": "trees", "steps": [], "votes": []}
    assert find_evidence(receipt).role == "similar"
    assert weigh_features(receipt, {}) == {}


def test_families_to_come_are_shown_by_what_they_have():
    case = {"id": 3, "distance": 0.5, "share": 0.25}
    found = find_evidence({"kind": "another", "neighbors": {"listed": [case]}})
    assert (found.role, found.weight) == ("voted", "share")
    assert found.cases == [{"id": 3, "distance": 0.5, "weight": 0.25}]


def test_features_weigh_what_they_contribute_in_all_their_parts():
    sizes = {"a": -4.0, "b": 1.0, "c": 0.0}
    features = [{"name": n, "contribution": x} for n, x in sizes.items()]
    parts = {"a": ["a", "a: month"], "b": ["b"], "c": ["c"]}
    weights = weigh_features({"reasons": {"features": features}}, parts)
    assert weights == {"a": 1.0, "a: month": 1.0, "b": 0.25}


def test_cases_are_for_and_against_and_sorted_by_what_is_shown():
    weights = [0.1, 0.4, -0.3, 0.2]
    cases = [{"id": i, "distance": 0.0, "weight": w} for i, w in enumerate(weights)]
    evidence = CaseEvidence("voted", "vote", cases, 4)
    classes = {"answer": "a", "votes": []}
    told = split_sides(classes, evidence, ["a", "b", "b", "a"]).cases
    assert [(c["id"], c["side"]) for c in told] == [
        (2, "for"),  # a negative weight of another class
        (3, "for"),
        (0, "for"),
        (1, "against"),
    ]
    told = split_sides({"answer": 5.0}, evidence, [9.0, 1.0, 9.0, 5.0]).cases
    assert [c["id"] for c in told if c["side"] == "for"] == [3, 0]
    moving = {**classes, "reasons": {"cases": MOVING}}
    told = split_sides(moving, find_evidence(moving), ["b", "a"]).cases
    assert [(c["id"], c["side"]) for c in told] == [(7, "for"), (8, "against")]


MOVING = {
    "listed_for": [{"id": 7, "target": "b", "influence": 0.1}],
    "listed_against": [{"id": 8, "target": "a", "influence": -0.3}],
}


def test_more_voters_than_a_receipt_lists_are_counted():
    case = {"id": 3, "distance": 0.5, "weight": 0.25}
    for told, number in ({"k": 60}, 60), ({"k": 1, "n_voting": 8}, 8), ({}, 1):
        near = {"kind": "another", "neighbors": {**told, "listed": [case]}}
        assert find_evidence(near).number == number


def test_rows_are_pasted_as_json_csv_or_cells(asking):
    expected = {"size": 50.0, "floor": None, "heating": "gas", "year": 1950.0}
    texts = [
        '{"size": 50, "heating": "gas", "year": 1950.0, "other": 1}',
        "size,heating,year\n50,gas,1950",
        "50;;gas;1950",
        "50\t?\tgas\t1950\tdear",
    ]
    for text in texts:
        assert asking.parse({"text": text})["values"] == expected
    for text in ["", "1,2", "{", '{"no": 1}', "a,b,c,d", "x" * 20_000]:
        with pytest.raises(BadInputError):
            asking.parse({"text": text})


@pytest.mark.parametrize(
    "given",
    [
        {"case": "no such"},
        {"case": 1, "edits": {"no such": 1}},
        {"case": 1, "edits": {"size": "large"}},
        {"case": 1, "edits": {"size": 10**400}},
        {"case": 1, "edits": {"heating": ["gas"]}},
        {"case": 1, "edits": [1]},
        {"case": 1, "without": "2"},
        {"case": 1, "without": ["no such"]},
    ],
)
def test_rows_that_make_no_sense_are_refused(asking, given):
    with pytest.raises(SklazyError):
        asking.receipt(given)


# --- the map --------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=3, max_size=12))
@settings(max_examples=50, deadline=None)
def test_points_of_a_plane_keep_their_distances(places):
    array = np.array(places)
    space = DistanceSpace(array, np.zeros(2, bool), np.ones(2), np.ones(2), 2)
    points, share = scale_landmarks(space, len(array))
    for i, own in enumerate(array):
        expected = np.hypot(*(array - own).T)
        found = np.hypot(*(points - points[i]).T)
        assert found == pytest.approx(expected, abs=1e-4)
    assert share == pytest.approx(1.0)


def test_the_map_has_the_rows_asked_for_and_says_how_many(asking):
    told = asking.map({"also": ["3"]})
    assert told["n_drawn"] == told["n_rows"] == 60
    one = next(one for one in told["points"] if one["id"] == 3)
    assert {"truth", "answer", "wrong", "doubt"} <= set(one)
    local = asking.map({"weights": {"size": 1.0}})
    assert local["how"] == "HEOM distance on size"
    assert local["share"] == pytest.approx(1.0, abs=0.05)  # one dimension, gaps aside
    with pytest.raises(BadInputError):
        asking.map({"weights": {"size": -1}})


# --- changes --------------------------------------------------------------------------


def test_changes_are_those_of_a_fit_to_the_changed_rows():
    frame, label, _ = flats()
    model = nearest_class().fit(frame, label)
    before = model.digest()
    with exploring(model, wait=False) as found:
        found.change({"kind": "forget", "case": 4})
        found.change({"kind": "relabel", "case": "9", "to": "dear", "reason": "label"})
        found.change({"kind": "keep", "case": 11})
        changed = label.copy()
        changed[9] = "dear"
        left = frame.index != 4
        expected = nearest_class().fit(frame[left], changed[left])
        session = found.session
        assert session.state.model.digest() == expected.digest()
        assert found.overview()["n_rows"] == 59
        with pytest.raises(UnknownIdError):
            found.case({"case": 4})
        kinds = [one["kind"] for one in found.changes()["changes"]]
        assert kinds == ["forget", "relabel", "keep"]
        found.undo({"number": 1})
        found.undo({"number": 2})
        assert session.state.model.digest() == before
        with pytest.raises(UnknownIdError):
            found.undo({"number": 2})
    assert model.digest() == before  # what was given is as it was


def test_a_later_change_of_a_case_takes_the_place_of_the_earlier_one():
    frame, _, rent = flats()
    with exploring(
        sklazy.LazyLearningRegressor().fit(frame, rent), wait=False
    ) as found:
        found.change({"kind": "relabel", "case": 3, "to": 100})
        found.change({"kind": "relabel", "case": 3, "to": 7.5})
        (made,) = found.changes()["changes"]
        assert (made["before"], made["after"]) == (pytest.approx(rent[3]), 7.5)
        assert found.case({"case": 3})["truth"] == 7.5
        for bad in [{"kind": "burn", "case": 3}, {"kind": "relabel", "case": 3}]:
            with pytest.raises(SklazyError):
                found.change(bad)
        with pytest.raises(BadInputError):
            found.change({"kind": "relabel", "case": 3, "to": float("nan")})


def test_not_all_cases_can_be_forgotten():
    model = nearest_class().fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    with exploring(model, wait=False) as found:
        found.change({"kind": "forget", "case": 0})
        with pytest.raises(BadInputError, match="keep more"):
            found.change({"kind": "forget", "case": 1})


# --- the audit and files --------------------------------------------------------------


def test_the_audit_finds_what_the_library_finds():
    frame, label, _ = flats()
    label = label.copy()
    worst = frame["size"].idxmax()
    label[worst] = "cheap"
    with exploring(nearest_class().fit(frame, label)) as found:
        found.start({"job": "audit"})
        expected = sklazy.audit(frame, label)
        wait_for(found.session, "audit")
        told = found.audit()
        assert told["found"]
        rows = [one["rows"] for one in told["findings"] if one["kind"] == "label"]
        assert rows == [list(one.rows) for one in expected.of_kind("label")]
        assert [worst] in rows
        assert all(one["sentence"] for one in told["findings"])
        text, kind = make_download(found.session, "audit.csv", {})
        assert str(worst) in text
        assert kind.startswith("text/csv")
        with pytest.raises(BadInputError):
            found.start({"job": "no such"})


@pytest.mark.parametrize("classes", [True, False])
def test_values_of_cases_are_those_of_the_library(classes, monkeypatch):
    frame, label, rent = flats()
    kind = sklazy.LazyKNeighborsClassifier if classes else sklazy.LazyKernelRegressor
    model = (kind(3) if classes else kind()).fit(frame, label if classes else rent)
    expected = sklazy.case_values(model, n_neighbors=3 if classes else 5)
    with exploring(model) as found:
        with pytest.raises(Problem):
            make_download(found.session, "values.csv", {})
        assert found.values()["found"] is False
        monkeypatch.setattr("sklazy.web.explore.values._PART", 700)
        found.start({"job": "values"})
        wait_for(found.session, "values")
        told = found.values()
        assert (told["n_cases"], told["n_judged"], told["is_past"]) == (60, 60, False)
        assert told["n_harmful"] == (expected.values < 0).sum() > 0
        assert [one["id"] for one in told["lowest"]] == expected.worst(10)
        assert [one["id"] for one in told["highest"]] == expected.worst(60)[:-11:-1]
        for one in told["lowest"] + told["highest"]:
            assert one["value"] == pytest.approx(expected.values[one["id"]])
            assert one["truth"] == (label if classes else rent)[one["id"]]
        text, _ = make_download(found.session, "values.csv", {})
        listed = pd.read_csv(_stream(text))
        assert listed["value"].to_numpy() == pytest.approx(expected.values)
        found.change({"kind": "forget", "case": told["lowest"][0]["id"]})
        assert found.values()["is_past"] is True


def test_many_cases_are_valued_on_a_sample(monkeypatch):
    frame, label, _ = flats()
    monkeypatch.setattr("sklazy.web.explore.values._MOST_PAIRS", 60 * 25)
    monkeypatch.setattr("sklazy.web.explore.values._FEWEST_JUDGED", 5)
    with exploring(nearest_class().fit(frame, label)) as found:
        found.start({"job": "values"})
        wait_for(found.session, "values")
        told = found.values()
        assert (told["n_cases"], told["n_judged"]) == (60, 25)
        others = nearest_class().fit(frame, label)
        judged = found.session.state.order[:25]
        total = np.zeros(60)
        for row in judged.tolist():
            left = copy.deepcopy(others).forget([row])
            one = sklazy.case_values(left, frame.iloc[[row]], label.iloc[[row]])
            total[one.ids] += one.values / 25
        values = [one["value"] for one in told["lowest"]]
        assert values == pytest.approx(np.sort(total)[:10])


def test_files_hold_what_was_asked_for(asking, tmp_path):
    frame, label, _ = flats()
    session = asking.session
    wish = {"filter": json.dumps({"truth": "dear", "columns": ["size"]})}
    listed = pd.read_csv(_stream(make_download(session, "cases.csv", wish)[0]))
    assert list(listed) == ["id", "truth", "answer", "probability", "doubt", "size"]
    assert len(listed) == (label == "dear").sum()
    row = {"row": json.dumps({"case": 7})}
    content, _ = make_download(session, "receipt.json", row)
    receipt = sklazy.Receipt.from_json(content)
    assert receipt.row == 7
    others = nearest_class().fit(frame, label).forget([7])
    assert others.verify(receipt)
    page, _ = make_download(session, "receipt.html", row)
    assert "Receipt of case 7" in page
    (tmp_path / "model").write_bytes(make_download(session, "model.sklazy", {})[0])
    again = sklazy.load(tmp_path / "model")
    assert again.digest() == nearest_class().fit(frame, label).digest()
    data = pd.read_csv(_stream(make_download(session, "data.csv", {})[0]))
    assert data["size"].equals(frame["size"])
    assert data["price"].tolist() == label.tolist()


def _stream(text):
    return io.StringIO(text)


def test_the_users_own_columns_are_written_with_the_changes():
    frame, label, _ = flats(20)
    whole = frame.assign(
        price=label,
        flat=[f"F{i}" for i in range(20)],
        since=datetime.date(2024, 5, 1),
        seen=pd.Timestamp("2024-05-01 12:30"),
        note="=cmd()",
    )
    table = sklazy.Table.from_any(whole, kinds={"flat": "nominal"})
    model = nearest_class().fit(frame, label, ids=whole["flat"].tolist())
    with exploring(model, given=table, wait=False) as found:
        found.change({"kind": "forget", "case": "F3"})
        found.change({"kind": "relabel", "case": "F4", "to": "dear"})
        text = export_data(found.session)
    data = pd.read_csv(_stream(text))
    assert data["flat"].tolist() == [f"F{i}" for i in range(20) if i != 3]
    assert data["price"][3] == "dear"
    assert set(data["since"]) == {"2024-05-01"}
    assert set(data["seen"]) == {"2024-05-01T12:30:00"}
    assert set(data["note"]) == {"=cmd()"}  # to be read again as it was


def test_one_case_and_one_class_are_shown_as_well():
    model = nearest_class(1).fit([[1.0]], ["a"])
    with exploring(model) as found:
        assert found.left_out()["n_known"] == 0
        assert found.cases({})["n_found"] == 1
        assert found.map({})["n_drawn"] == 1
        with pytest.raises(BadInputError, match="keep at least one"):
            found.receipt({"case": 0})
        assert found.receipt({"edits": {"x0": 3.0}})["answer"] == "a"


def test_columns_without_values_and_extreme_numbers_are_drawn():
    frame = pd.DataFrame(
        {
            "none": [np.nan] * 4,
            "same": [2.0] * 4,
            "huge": [-8e307, 8e307, 0.0, np.nan],
        }
    )
    with exploring(nearest_class(1).fit(frame, list("abab"))) as found:
        told = found.overview()
        json.dumps(to_finite(told), allow_nan=False)
        kinds = [one["histogram"]["kind"] for one in told["columns"]]
        assert kinds == ["empty", "numeric", "numeric"]
        assert np.sum(told["columns"][2]["histogram"]["counts"]) == 3
        found.map({})
        found.receipt({"case": 0})
