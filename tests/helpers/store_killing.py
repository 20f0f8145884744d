"""Kill a process that changes a stored case base, again and again, and look at it.

Run as a script: ``store_killing.py FOLDER KILLS SEED``. Each round a child opens the
file with ``mmap_mode="r+"`` and changes it as fast as it can, telling before and after
each change; it is killed at some moment. Then the file must have every change that was
told to be done, and of the last one that was begun all or nothing: the digest is that
of a model fitted to those rows. Of rows that are gone no cell of their own (a number, a
target, an id, a label) is in any file. In every third round a second child writes other
rows over the file, by `save` or `store`, as soon as the first one is killed.
"""

import gc
import json
import os
import struct
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import sklazy
from kill_rounds import kill_child, possible_rows
from sklazy.casebase.incoming import as_ids
from sklazy.estimators.storing import RowBatch, store_rows
from sklazy.storage import outline
from sklazy.tables import as_table


def make_frame(rows):
    """Cells, targets and ids of rows: id to (size, color, target)."""
    sizes, colors, targets = zip(*rows.values(), strict=True)
    frame = pd.DataFrame({"size": np.array(sizes, float), "color": list(colors)})
    return frame.astype({"color": "str"}), np.array(targets), list(rows)


def new_model():
    return sklazy.LazyLearningRegressor(n_neighbors=5)


def make_model(rows):
    frame, targets, ids = make_frame(rows)
    return new_model().fit(frame, targets, ids=ids)


def some_row(rng, tag):
    rare = rng.random() < 0.1
    color = f"rare {tag}" if rare else ["red", "blue"][rng.integers(2)]
    return float(rng.normal()), color, float(rng.normal())


def write_over(path, rng, tell, tag):
    """Write other rows in the place of a file, whatever was under way there."""
    names = [f"over-{tag}-{i}." for i in range(rng.integers(60, 150))]
    rows = {name: some_row(rng, name) for name in names}
    tell({"begin": "save", "rows": rows})
    if rng.random() < 0.5:
        make_model(rows).save(path)
    else:
        frame, targets, ids = make_frame(rows)
        batch = RowBatch(as_table(frame), targets, as_ids(ids))
        store_rows(new_model(), [batch], path, target="y")
    tell({"done": True})


def changes(path, rng, tell, tag):
    """Change a file without end."""
    model = sklazy.load(path, mmap_mode="r+")
    for number in range(1_000_000):
        ids = model.ids_.tolist()
        if len(ids) > 160 or (len(ids) > 90 and rng.random() < 0.6):
            gone = rng.choice(ids, 2, replace=False).tolist()
            tell({"begin": "forget", "ids": gone})
            model.forget(gone)
        else:
            names = [f"id-{tag}-{number}-{i}." for i in range(3)]
            rows = {name: some_row(rng, name) for name in names}
            tell({"begin": "add", "rows": rows})
            frame, targets, given = make_frame(rows)
            model.partial_fit(frame, targets, ids=given)
        if number % 20 == 19:
            tell({"begin": "compact"})
            model.cases_.compact()
        tell({"done": True})


def play_round(path, rows, seed, tag, rng):
    """Let a child change the file, kill it; the rows that may be there now."""
    gc.collect()  # nothing of ours may hold the lock

    def work(tell):
        changes(path, np.random.default_rng([seed, tag + 1]), tell, tag)

    # One in eight may still be opening the file.
    events = kill_child(work, float(rng.uniform(0, 0.15)), waits=bool(tag % 8))
    possible, n_done = possible_rows(rows, events)
    if tag % 3:
        return possible, n_done

    def work_over(tell):
        rng = np.random.default_rng([seed, tag + 1, 1])
        write_over(path, rng, tell, tag)
        changes(path, rng, tell, f"{tag}x")

    events = kill_child(work_over, float(rng.uniform(0, 0.05)), waits=True)
    every = [possible_rows(rows, events) for rows in possible]
    return [rows for found, _ in every for rows in found], n_done + every[0][1]


def marks_of(name, row):
    """What only this row has, as bytes."""
    size, color, target = row
    found = [name.encode(), struct.pack("<d", size), struct.pack("<d", target)]
    return found + [color.encode()] * color.startswith("rare")


def check(path, possible, known):
    """The rows that are there: one of what may be, whole, and nothing of others."""
    model = sklazy.load(path, mmap_mode="r+")
    there = set(model.ids_.tolist())
    rows = next((rows for rows in possible if set(rows) == there), None)
    assert rows is not None, (there, [set(one) for one in possible])
    assert model.digest() == make_model(rows).digest()
    model.cases_.held.close()
    check_traces(Path(path).parent, rows, known)
    return rows


def check_traces(folder, rows, known):
    """Nothing of rows that were known, but are no more, is in any file."""
    files = b"".join(one.read_bytes() for one in folder.iterdir())
    gone = {name: row for name, row in known.items() if name not in rows}
    left = [
        name for name, row in gone.items() for m in marks_of(name, row) if m in files
    ]
    assert not left, (left, os.listdir(folder))


def main(folder, kills, seed):
    rng = np.random.default_rng(seed)
    rows = {f"first-{i}.": some_row(rng, f"first-{i}.") for i in range(120)}
    path = Path(folder) / "cases.sklazy"
    make_model(rows).save(path)
    check(path, [rows], rows)  # code that is loaded here is not loaded by each child
    known, acknowledged, halves = dict(rows), 0, 0
    for tag in range(kills):
        possible, n_done = play_round(path, rows, seed, tag, rng)
        for one in possible:
            known |= one
        rows = check(path, possible, known)
        known = dict(list(known.items())[-2000:]) | rows
        acknowledged, halves = acknowledged + n_done, halves + len(possible) - 1
        if tag % 100 == 99:
            sys.stderr.write(f"{tag + 1} kills\n")
    found = {"kills": kills, "acknowledged": acknowledged, "begun": halves}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    outline.SEGMENT = 64  # several of them in a small file
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
