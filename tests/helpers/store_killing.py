"""Kill a process that changes a stored case base, again and again, and look at it.

Run as a script: ``store_killing.py FOLDER KILLS SEED``. Each round a child opens the
file with ``mmap_mode="r+"`` and changes it as fast as it can, telling before and after
each change; it is killed at some moment. Then the file must have every change that was
told to be done, and of the last one that was begun all or nothing: the digest is that
of a model fitted to those rows. Of rows that are gone no cell of their own (a number, a
target, an id, a label) is in any file.
"""

import gc
import json
import os
import select
import signal
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import sklazy
from sklazy.casebase import outline


def make_frame(rows):
    """Cells, targets and ids of rows: id to (size, color, target)."""
    sizes, colors, targets = zip(*rows.values(), strict=True)
    frame = pd.DataFrame({"size": np.array(sizes, float), "color": list(colors)})
    return frame.astype({"color": "str"}), np.array(targets), list(rows)


def make_model(rows):
    frame, targets, ids = make_frame(rows)
    return sklazy.LazyLearningRegressor(n_neighbors=5).fit(frame, targets, ids=ids)


def some_row(rng, tag):
    rare = rng.random() < 0.1
    color = f"rare {tag}" if rare else ["red", "blue"][rng.integers(2)]
    return float(rng.normal()), color, float(rng.normal())


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


def run_child(path, seed, tag, pipe):
    def tell(event):
        os.write(pipe, json.dumps(event).encode() + b"\n")

    changes(path, np.random.default_rng([seed, tag + 1]), tell, tag)


def changed(rows, event):
    """The rows after a change."""
    if event["begin"] == "add":
        return rows | {one: tuple(row) for one, row in event["rows"].items()}
    gone = event.get("ids", ())
    return {one: row for one, row in rows.items() if one not in gone}


def play_round(path, rows, seed, tag, rng):
    """Let a child change the file, kill it; the rows that may be there now."""
    gc.collect()  # nothing of ours may hold the lock
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            run_child(path, seed, tag, write)
        finally:
            os._exit(1)
    os.close(write)
    if tag % 8:  # otherwise it may still be opening the file
        select.select([read], [], [], 60)
    time.sleep(float(rng.uniform(0, 0.15)))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(read, "rb") as pipe:
        events = [json.loads(line) for line in pipe.read().splitlines()]
    n_done, open_events = 0, []
    for event in events:
        if "begin" in event:
            open_events.append(event)
        else:
            for begun in open_events:
                rows = changed(rows, begun)
            open_events, n_done = [], n_done + 1
    possible = [rows]
    for begun in open_events:
        possible.append(changed(possible[-1], begun))
    return possible, n_done


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
    files = b"".join(one.read_bytes() for one in Path(path).parent.iterdir())
    gone = {name: row for name, row in known.items() if name not in rows}
    left = [
        name for name, row in gone.items() for m in marks_of(name, row) if m in files
    ]
    assert not left, (left, os.listdir(Path(path).parent))
    return rows


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
