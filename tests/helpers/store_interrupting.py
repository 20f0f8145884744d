"""Interrupt changes of a stored case base at any line, and use it on.

Run as a script: ``store_interrupting.py FOLDER CHANGES SEED``. One model has the file
open with ``mmap_mode="r+"`` all the time. A change is cut short by KeyboardInterrupt at
some line of the case base's code, at times its recovery as well; then rows, in memory
and in the file, are those of before or after it, whole, and nothing of others is in any
file. A question that is under way all the time sees none of it.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import sklazy
from sklazy.storage import outline
from store_killing import check_traces, make_frame, make_model, some_row


class Interrupt:
    """A block that is cut short at a line of the case base, if it has so many."""

    def __init__(self, line):
        self.left, self.happened = line, False

    def __enter__(self):
        sys.settrace(self._enter)

    def __exit__(self, kind, error, trace):
        sys.settrace(None)
        return kind is KeyboardInterrupt

    def _enter(self, frame, event, _):
        name = frame.f_code.co_name
        is_ours = "casebase" in frame.f_code.co_filename and name != "__del__"
        return self._count if is_ours else None

    def _count(self, frame, event, _):
        self.left -= 1
        if not self.left:
            self.happened = True
            raise KeyboardInterrupt
        return self._count


def some_change(model, rows, rng, tag):
    """A change, and the rows after it."""
    ids, chance = list(rows), rng.random()
    if chance < 0.1:
        return model.cases_.compact, rows
    if chance < 0.15:
        return lambda: model.save(model.cases_.path), rows
    if len(ids) > 160 or (len(ids) > 90 and chance < 0.6):
        gone = rng.choice(ids, 2, replace=False).tolist()
        left = {one: row for one, row in rows.items() if one not in gone}
        return lambda: model.forget(gone), left
    more = {f"id-{tag}-{i}.": some_row(rng, f"id-{tag}-{i}.") for i in range(3)}
    frame, targets, given = make_frame(more)
    return lambda: model.partial_fit(frame, targets, ids=given), rows | more


def check(model, path, possible, known, *, whole):
    """The rows that are there: one of what may be, here and in the file."""
    there = set(model.ids_.tolist())
    rows = next((rows for rows in possible if set(rows) == there), None)
    assert rows is not None, (there, [set(one) for one in possible])
    if whole:
        expected = make_model(rows).digest()
        assert model.digest() == expected
        assert sklazy.load(path).digest() == expected
    check_traces(path.parent, rows, known)
    return rows


def table_of(state):
    state._derived.clear()
    return state.joined().to_table().to_pandas()


def main(folder, changes, seed):
    rng = np.random.default_rng(seed)
    rows = {f"first-{i}.": some_row(rng, f"first-{i}.") for i in range(120)}
    path = Path(folder) / "cases.sklazy"
    make_model(rows).save(path)
    model = sklazy.load(path, mmap_mode="r+")
    known, cut_short, twice = dict(rows), 0, 0
    for tag in range(changes):
        change, after = some_change(model, rows, rng, tag)
        is_asked = rng.random() < 0.3
        asked = model.cases_.snapshot()
        if is_asked:
            state = asked.__enter__()
            before = table_of(state)
        first = Interrupt(int(np.exp(rng.uniform(0, 10))))
        with first:
            change()
        second = Interrupt(int(np.exp(rng.uniform(0, 6))) if tag % 2 else 0)
        with second:
            model.predict(make_frame(rows)[0][:2])
        if is_asked:
            pd.testing.assert_frame_equal(table_of(state), before)
            asked.__exit__(None, None, None)
            del state
        known |= after
        possible = [rows, after] if first.happened else [after]
        rows = check(model, path, possible, known, whole=tag % 4 == 0)
        known = dict(list(known.items())[-2000:]) | rows
        cut_short, twice = cut_short + first.happened, twice + second.happened
    found = {"changes": changes, "cut short": cut_short, "questions": twice}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    outline.SEGMENT = 64  # several of them in a small file
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
