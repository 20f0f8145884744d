"""Speeds side by side with a peer: `python benchmarks/run.py [word ...]`.

Every ``bench_*.py`` here has a function ``benchmarks()`` that returns dicts with
`name`, `why` (why this size), `goal` (the least ratio, or None), and either `ours`
and `peer` (two callables, timed in turn, best of several) with `peer_name`, or
`measure`, a callable that returns a dict of `ours`, `peer`, `peer_name` and, where it
is not seconds, `unit`; or a ratio and a text where there are no two figures. The ratio
is the peer's figure over ours: above 1 we are faster, or need less than the limit that
is the peer. Ratios travel between machines, times do not. What cannot be run here says
so: by a key `missing`, or by the module that is not installed.

The table is printed row by row, and kept in docs/results/speed.json with the machine,
the versions and the date, after each file: a run of some rows replaces those rows
alone. `python benchmarks/tables.py` writes the tables of the documentation from it.
"""

import importlib.util
import pathlib
import sys
import textwrap
import time
import traceback

import speeds
from rich.console import Console

REPETITIONS, BUDGET = 7, 20.0  # at most so many rounds, or seconds
# OpenMP threads go on spinning for some milliseconds after their work is done, and
# would take a core from whoever runs next.
PAUSE = 0.05
TURN = 0.03  # seconds at least, lest short work be timed on a core that just woke up
WIDTH, INDENT = 80, 36
SIDES = ("ours", "peer")
HEAD = f"{'ratio':>7} {'goal':>6} {'ours':>9} {'peer':>9}  benchmark"


def main(words):
    console, run, ran = Console(), speeds.describe_run(), []
    for file in sorted(pathlib.Path(__file__).parent.glob("bench_*.py")):
        group, items = file.stem.removeprefix("bench_"), open_group(file)
        chosen = [
            item
            for item in items
            if not words or any(w in f"{file.stem} {item['name']}" for w in words)
        ]
        if chosen:
            print(f"\n{group}\n{HEAD}", flush=True)
        rows = []
        for item in chosen:
            with console.status(item["name"]):
                rows.append(measure(item))
            print(as_lines(rows[-1]), flush=True)
        speeds.keep(group, [item["name"] for item in items], rows, run)
        ran += rows
    missed = sum(is_missed(row) for row in ran)
    lacking = sum("missing" in row for row in ran)
    print(f"\n{len(ran) - lacking} rows, {missed} goals missed; {lacking} not run")
    if any("failed" in row for row in ran):
        sys.exit("some benchmarks failed")


def open_group(file):
    """The benchmarks of a file, or one that says what they need."""
    try:
        return load(file).benchmarks()
    except ModuleNotFoundError as error:
        name = file.stem.removeprefix("bench_")
        needs = f"needs {error.name}"
        return [{"name": name, "why": "", "goal": None, "missing": needs}]


def load(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(item):
    """What is kept of one benchmark."""
    row = {"name": item["name"], "why": item["why"], "goal": item.get("goal")}
    if item.get("missing"):
        return {**row, "missing": item["missing"]}
    try:
        return {**row, **run_item(item)}
    except ModuleNotFoundError as error:
        return {**row, "missing": f"needs {error.name}"}
    except Exception as error:  # the other rows should not be lost by it
        traceback.print_exc()
        return {**row, "missing": f"failed: {type(error).__name__}", "failed": True}


def run_item(item):
    """Two figures of one unit and their ratio, or a ratio alone."""
    if "measure" not in item:
        ours, peer = interleave(item["ours"], item["peer"])
        result = {"ours": ours, "peer": peer, "peer_name": item["peer_name"]}
    else:
        result = item["measure"]()
    if isinstance(result, dict):
        return {"unit": "s", **result, "ratio": result["peer"] / result["ours"]}
    return dict(zip(("ratio", "peer_name"), result, strict=True))


def interleave(*contestants):
    """The best time of each, run in turn after one round to warm up."""
    best = [float("inf")] * len(contestants)
    for contestant in contestants:
        contestant()
    start = time.perf_counter()
    for _ in range(REPETITIONS):
        for i, contestant in enumerate(contestants):
            time.sleep(PAUSE)
            best[i] = min(best[i], best_of_turn(contestant))
        if time.perf_counter() - start > BUDGET:
            break
    return best


def best_of_turn(contestant):
    """The best time of a turn: who is done at once is run until it is up."""
    start = last = time.perf_counter()
    best = float("inf")
    while last - start < TURN:
        contestant()
        now = time.perf_counter()
        best, last = min(best, now - last), now
    return best


def is_missed(row):
    goal = row["goal"]
    return goal is not None and bool(row.get("ratio", goal) < goal)


def as_lines(row):
    """A row of the printed table: figures, then name and peer, in 80 columns."""
    goal = "" if row["goal"] is None else f"{row['goal']:.3g}"
    sides = [speeds.show_figure(row.get(side), row.get("unit")) for side in SIDES]
    cells = [speeds.show_ratio(row), goal + "!" * is_missed(row), *sides]
    figures = f"{cells[0]:>7} {cells[1]:>6} {cells[2]:>9} {cells[3]:>9}  "
    text = row.get("missing") or f"against {row['peer_name']}"
    lines = [*fold(row["name"]), *fold(f"  {text}")]
    return figures + f"\n{' ' * INDENT}".join(lines)


def fold(text):
    return textwrap.wrap(text, WIDTH - INDENT, subsequent_indent="  ") or [""]


if __name__ == "__main__":
    main(sys.argv[1:])
