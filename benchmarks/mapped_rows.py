"""Rows that stay in a file: `python benchmarks/mapped_rows.py [rows] [folder]`.

Makes a file of so many rows of 28 labels (2 to 10 values) in a stream,
and prints what it takes to write, to open and to ask, mapped and in memory, in turn in
one process. 10 000 000 rows take some 240 MB, 100 000 000 take ten times as much; in
memory they are a second time.
"""

import pathlib
import sys
import tempfile
import time
from functools import partial

import numpy as np

import sklazy
from sklazy.casebase.coder import Coder
from sklazy.casebase.rows import CodedRows
from sklazy.casebase.schema import Attribute, Schema
from sklazy.estimators.state import describe_model
from sklazy.storage.outline import SEGMENT, Outline
from sklazy.storage.writing import write_rows

N_ATTRIBUTES, STEP = 28, 1 << 18
WIDTHS = [2 + j % 9 for j in range(N_ATTRIBUTES)]


def batches(n_rows):
    """Random rows, some at a time."""
    rng = np.random.default_rng(0)
    for first in range(0, n_rows, STEP):
        n = min(STEP, n_rows - first)
        codes = np.stack([rng.integers(0, w, n, dtype=np.int8) for w in WIDTHS])
        yield CodedRows(
            np.zeros((0, n)),
            codes,
            (codes[0] + codes[1] + (rng.random(n) < 0.2)).astype(np.int8) % 2,
            np.zeros((0, n)),
            np.ones(n),
            np.zeros((0, n)),
            np.arange(first, first + n),
            np.zeros((0, n), np.uint64),
            np.arange(first, first + n),
        )


def make_file(path, n_rows):
    names = [f"x{j}" for j in range(N_ATTRIBUTES)]
    attributes = tuple(Attribute(name, "nominal") for name in names)
    schema = Schema(attributes, named=False)
    coder = Coder(schema, has_classes=True)
    for j, vocabulary in coder.vocabularies.items():
        vocabulary.admit([f"v{i}" for i in range(WIDTHS[j] if j >= 0 else 2)])
    outline = Outline(
        coder,
        cuts=[],
        criterion="fayyad",
        frozen=False,
        found=False,
        half_life=None,
        n_rows=n_rows,
        n_targets=0,
        n_times=0,
        weighted=False,
        named="numbers",
        n_runs=1,
        text_width=0,
        next_id=n_rows,
        segment=SEGMENT,
    )
    model = sklazy.LazyKNeighborsClassifier(5, 0.5, n_jobs=1)
    header = {**describe_model(model), "cases": outline.header()}
    write_rows(path, header, outline, batches(n_rows))


def anonymous():
    """Megabytes of memory that are no file's."""
    text = pathlib.Path("/proc/self/status").read_text()
    return int(text.split("RssAnon:")[1].split()[0]) / 1024


def best(function, times=5):
    seconds = []
    for _ in range(times):
        begin = time.process_time()  # others may be busy, too
        function()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def main(n_rows, folder):
    path = pathlib.Path(folder) / "cases.sklazy"
    begin = time.perf_counter()
    make_file(path, n_rows)
    n_bytes = path.stat().st_size
    print(f"rows                     {n_rows}")
    print(f"written in               {time.perf_counter() - begin:.1f} s")
    print(f"bytes a row              {n_bytes / n_rows:.1f}")
    rng = np.random.default_rng(1)
    queries = [[f"v{rng.integers(w)}" for w in WIDTHS] for _ in range(64)]
    start = anonymous()
    print(f"memory before            {start:.0f} MB")
    opening = best(lambda: sklazy.load(path, mmap_mode="c"))
    print(f"open                     {1000 * opening:.1f} ms")
    mapped = sklazy.load(path, mmap_mode="c")
    begin = time.perf_counter()
    mapped.predict(queries[:1])
    print(f"first query              {time.perf_counter() - begin:.2f} s")
    mapped.predict(queries)
    print(f"memory after 64 queries  {anonymous() - start:.0f} MB more")
    begin = time.perf_counter()
    whole = sklazy.load(path)
    print(f"load, all checked        {time.perf_counter() - begin:.2f} s")
    for n_queries in (1, 64):
        some = queries[:n_queries]
        assert (mapped.predict_proba(some) == whole.predict_proba(some)).all()
        times = [
            best(partial(m.predict, some), 1) for _ in range(5) for m in (mapped, whole)
        ]
        ours, peer = min(times[::2]), min(times[1::2])
        print(
            f"{n_queries:2} queries mapped, in memory  {1000 * ours:.1f}, "
            f"{1000 * peer:.1f} ms: {peer / ours:.2f} of the speed"
        )


if __name__ == "__main__":
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    if len(sys.argv) > 2:
        main(rows, sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(rows, folder)
