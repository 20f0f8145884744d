"""Kill a process that changes a store, again and again, and look what is left.

Run as a script: ``killing.py FOLDER KILLS SEED``. Each round a child opens the store
and changes it as fast as it can, telling before and after each change; it is killed at
some moment; then the store must have every change that was told to be done, and of the
last one that was begun all or nothing. A row that was forgotten is in no file; what is
left of one that never came may be beside the journal, cut off.
"""

import json
import sys
from pathlib import Path

import numpy as np

import sklazy
from kill_rounds import kill_child, possible_rows
from sklazy.web.serve.store import Store

COLUMNS = ("size", "color")


def make_model(rows):
    """A model of rows: id to (cells, target)."""
    cells = [dict(zip(COLUMNS, row, strict=True)) for row, _ in rows.values()]
    targets = [target for _, target in rows.values()]
    model = sklazy.LazyKNeighborsClassifier(selection="none")
    return model.fit(cells, targets, ids=list(rows))


def some_row(rng):
    size = None if rng.random() < 0.2 else round(float(rng.normal()), 3)
    return [size, ["red", "blue", None][rng.integers(3)]], "ab"[rng.integers(2)]


def changes(store, rng, tell, tag):
    """Change a store without end."""
    for number in range(1_000_000):
        ids = store.model.ids_.tolist()
        if len(ids) > 40 or (len(ids) > 20 and rng.random() < 0.3):
            gone = rng.choice(ids, 2, replace=False).tolist()
            tell({"begin": "forget", "ids": gone})
            store.forget(gone)
        else:
            rows = {f"id-{tag}-{number}-{i}.": some_row(rng) for i in range(3)}
            tell({"begin": "add", "rows": rows})
            cells = [dict(zip(COLUMNS, row, strict=True)) for row, _ in rows.values()]
            store.add(cells, [target for _, target in rows.values()], list(rows))
        tell({"done": True})


def play_round(folder, rows, seed, tag, rng):
    """Let a child change the store, kill it; the rows that may be there now."""

    def work(tell):
        changes(Store.open(folder), np.random.default_rng([seed, tag]), tell, tag)

    # One in eight may still be opening the store.
    events = kill_child(work, float(rng.uniform(0, 0.1)), waits=bool(tag % 8))
    return possible_rows(rows, events)


def check(folder, possible, known, seen):
    """The rows that are there: one of what may be, whole, and nothing of others.

    `known` are all ids, `seen` those of rows that were there at some time.
    """
    store = Store.open(folder)
    there = set(store.model.ids_.tolist())
    rows = next((rows for rows in possible if set(rows) == there), None)
    assert rows is not None, (there, [set(one) for one in possible])
    assert store.model.digest() == make_model(rows).digest()
    store.close()
    seen |= there
    for path in Path(folder).iterdir():
        gone = (seen if ".cut-" in path.name else known) - there
        data = path.read_bytes()
        left = [one for one in gone if f'"{one}"'.encode() in data]
        assert not left, (path.name, left)
    return rows


def main(folder, kills, seed):
    rng = np.random.default_rng(seed)
    rows = {f"first-{i}.": some_row(rng) for i in range(25)}
    make_model(rows).save(Path(folder) / "model")
    journal = Path(folder) / "journal"
    Store.open(Path(folder) / "model", journal).close()
    acknowledged = halves = 0
    known, seen = set(rows), set(rows)
    for tag in range(kills):
        possible, n_done = play_round(journal, rows, seed, tag, rng)
        for one in possible:
            known |= set(one)
        rows = check(journal, possible, known, seen)
        acknowledged, halves = acknowledged + n_done, halves + len(possible) - 1
    found = {"kills": kills, "acknowledged": acknowledged, "begun": halves}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
