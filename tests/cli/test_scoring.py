"""`sklazy predict MODEL FOLDER -o FOLDER`: the same predictions, file by file."""

import io
import json
import os
import warnings

import fsspec
import numpy as np
import pandas as pd
import pytest

import sklazy
from sklazy.cli import scoring
from sklazy.tables import streams


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch):
    monkeypatch.setattr(streams, "ROWS", 7)


def make_frame(n_rows=60):
    rng = np.random.default_rng(3)
    heat = rng.choice(["gas", "oil"], n_rows)
    return pd.DataFrame(
        {
            "flat": [f"no {i}" for i in range(n_rows)],
            "size": rng.normal(size=n_rows).round(2),
            "heat": heat,
            "year": rng.choice([2023, 2024], n_rows),
            "rent": np.where(rng.random(n_rows) < 0.2, "low", heat),
        }
    )


FRAME = make_frame()


@pytest.fixture
def model(tmp_path):
    X = FRAME.drop(columns=["rent", "flat"])
    made = sklazy.LazyKNeighborsClassifier(3).fit(X, FRAME["rent"])
    made.save(tmp_path / "rent.sklazy")
    return made


def write_lake(folder, ending=".parquet", columns=("flat", "size", "heat")):
    for year, rows in FRAME.groupby("year"):
        place = folder / f"year={year}"
        place.mkdir(parents=True)
        for n, some in enumerate(np.array_split(np.arange(len(rows)), 2)):
            part = rows.iloc[some][list(columns)]
            if ending == ".parquet":
                part.to_parquet(place / f"part-{n}.parquet", index=False)
            else:
                part.to_csv(place / f"part-{n}{ending}", index=False)


def read_answers(folder):
    tables = []
    for path in sorted(folder.rglob("part-*")):
        read = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
        tables.append(read(io.BytesIO(path.read_bytes())))  # its folder is no column
    return pd.concat(tables)


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz"])
def test_every_file_gives_a_file_of_the_same_predictions(run, tmp_path, model, ending):
    write_lake(tmp_path / "lake", ending)
    arguments = ["rent.sklazy", "lake", "--id", "flat", "--probabilities", "-o", "out"]
    code, out, err = run("predict", *arguments)
    assert code == 0, err
    assert "60 rows predicted, 4 of 4 files in out" in out
    names = sorted(str(p.relative_to(tmp_path)) for p in (tmp_path / "out").rglob("p*"))
    plain = ending.removesuffix(".gz")
    assert names[0] == f"out/year=2023/part-0{plain}"
    assert len(names) == 4
    answers = read_answers(tmp_path / "out").set_index("flat").loc[FRAME["flat"]]
    X = FRAME.drop(columns=["rent", "flat"])
    assert answers["prediction"].tolist() == model.predict(X).tolist()
    shares = answers[[f"probability of {label}" for label in model.classes_]]
    assert np.allclose(shares.to_numpy(), model.predict_proba(X), atol=1e-6)


def test_a_command_that_was_stopped_goes_on(run, tmp_path, model, monkeypatch):
    write_lake(tmp_path / "lake")
    score, n_calls = scoring._score_file, []

    def stop_at_third(*arguments):
        n_calls.append(1)
        if len(n_calls) == 3:
            raise KeyboardInterrupt
        return score(*arguments)

    monkeypatch.setattr(scoring, "_score_file", stop_at_third)
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out")
    assert code == 130
    assert "Give the same command again" in err
    done = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("part-*")}
    assert len(done) == 2
    monkeypatch.setattr(scoring, "_score_file", score)
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out")
    assert code == 0, err
    assert "2 of 4 files are there already" in err
    assert all(path.stat().st_mtime_ns == then for path, then in done.items())
    assert len(read_answers(tmp_path / "out")) == 60


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_rows_that_were_changed_are_predicted_anew(run, tmp_path, model, ending):
    write_lake(tmp_path / "lake", ending)
    arguments = ["predict", "rent.sklazy", "lake", "--id", "flat", "-o", "out"]
    assert run(*arguments)[0] == 0
    changed = tmp_path / "lake" / "year=2023" / f"part-1{ending}"
    read, write = (
        (pd.read_parquet, pd.DataFrame.to_parquet)
        if ending == ".parquet"
        else (pd.read_csv, pd.DataFrame.to_csv)
    )
    rows = read(io.BytesIO(changed.read_bytes()))
    write(rows[:4], changed, index=False)
    os.utime(changed, ns=(1, 10**18))  # older than the predictions
    code, out, err = run(*arguments)
    assert code == 0, err
    assert "3 of 4 files are there already" in err
    assert "4 rows predicted" in out
    assert len(read_answers(tmp_path / "out")) == 60 - len(rows) + 4
    if ending == ".parquet":  # a CSV without rows has predictions without rows
        write(rows[:0], changed, index=False)
        assert run(*arguments)[0] == 0
        assert len(read_answers(tmp_path / "out")) == 60 - len(rows)


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_what_a_killed_command_left_goes(run, tmp_path, model, ending):
    write_lake(tmp_path / "lake", ending)
    folder = tmp_path / "out" / "year=2023"
    arguments = ["rent.sklazy", "lake", "--id", "flat", "-o", "out"]
    assert run("predict", *arguments)[0] == 0
    expected = read_answers(tmp_path / "out")
    left = folder / f".part-1{ending}.{2**22 + 1}.0.part"  # of a process that is gone
    (folder / f"part-1{ending}").rename(left)
    left.write_bytes(left.read_bytes()[:-9])
    assert run("predict", *arguments)[0] == 0
    assert not left.exists()
    assert read_answers(tmp_path / "out").equals(expected)


@pytest.mark.skipif(os.utime not in os.supports_fd, reason="times need a path here")
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_predictions_have_the_time_of_their_rows_once_they_have_their_name(
    run, tmp_path, model, monkeypatch, ending
):
    """Killed just after a file was renamed, the next run need not do it again."""
    write_lake(tmp_path / "lake", ending)
    stand_in = refuse_paths(os.utime)
    monkeypatch.setattr(os, "supports_fd", {*os.supports_fd, stand_in})
    monkeypatch.setattr(os, "utime", stand_in)
    arguments = ["rent.sklazy", "lake", "--id", "flat", "-o", "out"]
    assert run("predict", *arguments)[0] == 1
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    _, _, err = run("predict", *arguments)
    assert "1 of 4 files are there already" in err


def refuse_paths(utime):
    """A stand-in that dies where the time of a finished file is set."""

    def stand_in(place, **times):
        if not isinstance(place, int):
            raise KeyError(place)
        utime(place, **times)

    return stand_in


def test_a_file_without_rows_has_no_predictions(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    FRAME[["flat", "size", "heat"]].head(0).to_parquet(
        tmp_path / "lake" / "year=2023" / "part-9.parquet"
    )
    assert run("predict", "rent.sklazy", "lake", "--id", "flat", "-o", "out")[0] == 0
    assert len(read_answers(tmp_path / "out")) == 60
    assert not list((tmp_path / "out").rglob("*part-9*"))


def test_a_bad_file_is_named_and_leaves_no_predictions(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    bad = tmp_path / "lake" / "year=2024" / "part-1.parquet"
    raw = bad.read_bytes()
    bad.write_bytes(raw[:100])
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out")
    assert code == 2
    assert "part-1.parquet: not a readable parquet file" in err
    assert len(list((tmp_path / "out").rglob("*.parquet"))) == 3
    bad.write_bytes(raw)
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out")
    assert code == 0, err


def test_numbers_that_are_text_are_numbers_with_a_note(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    assert run("predict", "rent.sklazy", "lake", "-o", "plain")[0] == 0
    for part in (tmp_path / "lake").rglob("*.parquet"):
        rows = pd.read_parquet(part)
        rows.assign(size=rows["size"].map(str)).to_parquet(part, index=False)
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out")
    assert code == 0, err
    assert err.count("'size': text such as") == 1
    pd.testing.assert_frame_equal(
        read_answers(tmp_path / "out"), read_answers(tmp_path / "plain")
    )


def test_progress_counts_files(run, tmp_path, model, monkeypatch):
    said = []

    class Seen(scoring.Progress):
        def __exit__(self, *ended):
            said.append(self._count())
            super().__exit__(*ended)

    monkeypatch.setattr(scoring, "Progress", Seen)
    write_lake(tmp_path / "lake")
    assert run("predict", "rent.sklazy", "lake", "-o", "out")[0] == 0
    assert said[-1].startswith("predicting: 4 of 4 files")


def test_a_word_among_numbers_is_refused_by_the_name_of_its_file(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    bad = tmp_path / "lake" / "year=2023" / "part-0.parquet"
    rows = pd.read_parquet(bad)
    rows.assign(size="large").to_parquet(bad, index=False)
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out")
    assert code == 2
    assert "part-0.parquet: column 'size' is taken as numbers but holds" in err
    assert "Write a number there, or leave the cell empty" in err
    code, _, err = run(
        "predict", "rent.sklazy", "lake", "-o", "out", "--kind", "size=nominal"
    )
    assert code == 2
    assert "--kind size=nominal is for training" in err
    rows.to_parquet(bad, index=False)  # nothing was predicted: the folder is free
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out", "--novelty")
    assert code == 0, err
    assert "novelty" in read_answers(tmp_path / "out")


def test_predictions_of_others_are_not_mixed(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    assert run("predict", "rent.sklazy", "lake", "-o", "out")[0] == 0
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "out", "--novelty")
    assert code == 2
    assert "predictions of another model, or with other options" in err
    described = json.loads((tmp_path / "out" / scoring.JOB).read_text())
    assert described["novelty"] is False
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("")
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "full")
    assert code == 2
    assert "full has other files" in err
    FRAME.drop(columns="flat").to_csv(tmp_path / "rows.csv", index=False)
    code, _, err = run("predict", "rows.csv", "lake", "-t", "rent", "-o", "full")
    assert code == 2
    assert "with a MODEL only" in err


@pytest.mark.parametrize(
    ("lake", "out"),
    [
        ("lake", "lake/answers"),
        ("lake/**/*.parquet", "lake/answers"),
        ("out/in", "out"),
    ],
)
def test_predictions_are_never_rows(run, tmp_path, model, lake, out):
    write_lake(tmp_path / lake.partition("/*")[0])
    if "*" in lake:  # what another command left there
        (tmp_path / out).mkdir()
        FRAME.to_parquet(tmp_path / out / "part-0.parquet")
    code, _, err = run("predict", "rent.sklazy", lake, "--id", "flat", "-o", out)
    assert code == 2
    assert "lie in one another" in err
    assert not (tmp_path / out / scoring.JOB).exists()


def test_a_hidden_folder_of_the_lake_can_have_its_predictions(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    arguments = ["rent.sklazy", "lake", "--id", "flat", "-o", "lake/_answers"]
    for n_before in (0, 4):
        code, _, err = run("predict", *arguments)
        assert code == 0, err
        assert ("4 of 4 files are there already" in err) == bool(n_before)
    assert len(read_answers(tmp_path / "lake" / "_answers")) == 60


def test_predictions_of_rows_that_are_gone_are_noted(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    arguments = ["predict", "rent.sklazy", "lake", "--id", "flat", "-o", "out"]
    assert "of other rows" not in run(*arguments)[2]
    (tmp_path / "lake" / "year=2023" / "part-1.parquet").unlink()
    code, _, err = run(*arguments)
    assert code == 0, err
    assert "out also has predictions of other rows, such as out/year" in err


def test_rows_elsewhere_that_were_changed_are_predicted_anew(run, tmp_path, model):
    files = fsspec.filesystem("memory")
    write_lake(tmp_path / "lake")
    place = f"/{tmp_path.name}/year=2023"
    files.put(str(tmp_path / "lake" / "year=2023"), place, recursive=True)
    lake = f"memory://{tmp_path.name}"
    arguments = ["predict", "rent.sklazy", lake, "--id", "flat", "-o", "out"]
    assert run(*arguments)[0] == 0
    assert "2 of 2 files are there already" in run(*arguments)[2]
    n_rows = len(read_answers(tmp_path / "out"))
    one = files.cat(f"{place}/part-1.parquet")
    rows = pd.read_parquet(io.BytesIO(one))
    files.pipe(f"{place}/part-1.parquet", rows[:4].to_parquet(index=False))
    code, _, err = run(*arguments)
    assert code == 0, err
    assert "1 of 2 files are there already" in err
    assert len(read_answers(tmp_path / "out")) == n_rows - len(rows) + 4


def test_a_file_is_no_folder_for_predictions(run, tmp_path, model):
    write_lake(tmp_path / "lake")
    (tmp_path / "answers").write_text("")
    code, _, err = run("predict", "rent.sklazy", "lake", "-o", "answers")
    assert code == 2
    assert "--out answers is a file, but" in err
    assert (tmp_path / "answers").read_text() == ""


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_partitions_of_labels_that_look_like_numbers(run, tmp_path, ending):
    codes = np.array(["1", "2", "A"])[np.arange(60) % 3]
    cases = FRAME[["size"]].assign(code=codes)
    made = sklazy.LazyKNeighborsClassifier(3).fit(cases, FRAME["rent"])
    made.save(tmp_path / "rent.sklazy")
    for code, rows in FRAME.groupby(codes):
        folder = tmp_path / "lake" / f"code={code}"
        folder.mkdir(parents=True)
        write = rows.to_parquet if ending == ".parquet" else rows.to_csv
        write(folder / f"part-{code}{ending}", index=False)
    code, _, err = run("predict", "rent.sklazy", "lake", "--id", "flat", "-o", "out")
    assert code == 0, err
    answers = read_answers(tmp_path / "out").set_index("flat").loc[FRAME["flat"]]
    assert answers["prediction"].tolist() == made.predict(cases).tolist()


def test_a_folder_of_files_is_a_model_for_commands(run, tmp_path, model):
    model.save(tmp_path / "parts", n_parts=3)
    write_lake(tmp_path / "lake", ".csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run("predict", "parts", "lake", "-o", "out")[0] == 0
        code, out, err = run("predict", "parts", "lake")
    assert code == 0, err
    answers = read_answers(tmp_path / "out")["prediction"].tolist()
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == answers


def test_whole_numbers_that_are_ids_stay_whole(run, model, tmp_path):
    (tmp_path / "lake").mkdir()
    rows = FRAME.drop(columns=["rent", "flat"]).assign(flat=range(len(FRAME)))
    rows.to_parquet(tmp_path / "lake" / "part-0.parquet", index=False)
    asked = ("predict", "rent.sklazy", "lake", "--id", "flat", "-o", "answers")
    code, _, err = run(*asked)
    assert code == 0, err
    answers = pd.read_parquet(tmp_path / "answers" / "part-0.parquet")
    assert answers["flat"].tolist() == list(range(len(FRAME)))
    assert answers["flat"].dtype.kind == "i"
