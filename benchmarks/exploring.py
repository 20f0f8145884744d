"""The explorer on many rows: `python benchmarks/exploring.py`.

whatif  100 000 x 16 numbers: an edited case, left out itself, answered over HTTP. The
        answer has to follow a slider, so 100 ms at most; so has the receipt behind it.
first   1 000 000 x 16: what the first page shows, and pages of cases filtered and
        sorted; 1 s at most once the rows are there.

    --rows 100000 --many 1000000 --method LazyNBClassifier
"""

import argparse
import json
import time

import numpy as np

import sklazy
from sklazy.report.plain import to_finite
from sklazy.web.explore.asking import Asking
from sklazy.web.explore.session import Session


def make(n_rows, n_columns=16):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) > 0).astype(int)
    return X, y


def best(label, work, times):
    """The best of several, by the clock and by the processor, JSON included."""
    clocks, processors = [], []
    for _ in range(times):
        began, used = time.perf_counter(), time.thread_time()
        json.dumps(to_finite(work()))
        clocks.append(time.perf_counter() - began)
        processors.append(time.thread_time() - used)
    print(
        f"{label:<34} {1e3 * min(clocks):8.1f} ms, processor "
        f"{1e3 * min(processors):8.1f} ms",
        flush=True,
    )


def open_session(method, n_rows):
    X, y = make(n_rows)
    model = getattr(sklazy, method)().fit(X, y)
    began = time.perf_counter()
    session = Session(model, "rows", copied=False)
    print(f"opened in {time.perf_counter() - began:.2f} s")
    for job in session._jobs.values():  # alone on the machine, as far as we can
        job.stop()
    return Asking(session)


def what_if(method, n_rows):
    asking, rng = open_session(method, n_rows), np.random.default_rng(1)

    def ask():
        return {"case": 5, "edits": {"x1": float(rng.normal())}}

    best("receipt of a case, the first", lambda: asking.receipt({"case": 5}), 1)
    best("what if: the answer", lambda: asking.answer(ask()), 20)
    best("what if: the whole receipt", lambda: asking.receipt(ask()), 10)
    asking.session.close()


def first_page(method, n_rows):
    asking = open_session(method, n_rows)
    best("overview, the first time", asking.overview, 1)
    best("overview", asking.overview, 3)
    best("page of cases", lambda: asking.cases({"page": 7}), 3)
    best("sorted by a column", lambda: asking.cases({"sort": "x3"}), 3)
    wish = {"filters": [{"column": "x0", "low": 1.0}], "truth": "0"}
    best("filtered", lambda: asking.cases(wish), 3)
    best("searched by id", lambda: asking.cases({"search": "999"}), 3)
    asking.session.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--method", default="LazyKernelClassifier")
    options = parser.parse_args()
    print(f"{options.method}, {options.rows} x 16")
    what_if(options.method, options.rows)
    print(f"{options.method}, {options.many} x 16")
    first_page(options.method, options.many)


if __name__ == "__main__":
    main()
