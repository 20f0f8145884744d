"""Speeds side by side with a peer: `python benchmarks/run.py [word ...]`.

Every ``bench_*.py`` here has a function ``benchmarks()`` that returns dicts with
`name`, `why` (why this size), `goal` (the least ratio, or None), and either `ours`
and `peer` (two callables, timed in turn, best of several) with `peer_name`, or
`measure`, a callable that returns a ratio and a text. The ratio is the peer's time
over ours: above 1 we are faster. Ratios travel between machines, times do not.
"""

import importlib.util
import pathlib
import sys
import time

from rich.console import Console
from rich.table import Table

REPETITIONS, BUDGET = 7, 20.0  # at most so many rounds, or seconds
# OpenMP threads go on spinning for some milliseconds after their work is done, and
# would take a core from whoever runs next.
PAUSE = 0.05


def main(words):
    console = Console()
    table = Table("benchmark", "ratio", "goal", "ours", "peer", "peer is", box=None)
    missed = 0
    for file in sorted(pathlib.Path(__file__).parent.glob("bench_*.py")):
        for item in load(file).benchmarks():
            if words and not any(w in f"{file.stem} {item['name']}" for w in words):
                continue
            with console.status(item["name"]):
                ratio, cells = measure(item)
            goal = item.get("goal")
            missed += goal is not None and ratio < goal
            style = "none" if goal is None else "green" if ratio >= goal else "red"
            shown = "" if goal is None else f"{goal:g}"
            table.add_row(item["name"], f"[{style}]{ratio:.3g}[/]", shown, *cells)
            table.add_row(f"  [dim]{item['why']}[/]")
    console.print(table)
    console.print(f"{missed} goals missed" if missed else "all goals reached")


def load(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(item):
    """The ratio and the cells of the table's row."""
    if "measure" in item:
        ratio, text = item["measure"]()
        return ratio, ("", "", text)
    ours, peer = interleave(item["ours"], item["peer"])
    return peer / ours, (seconds(ours), seconds(peer), item["peer_name"])


def interleave(*contestants):
    """The best time of each, run in turn after one round to warm up."""
    best = [float("inf")] * len(contestants)
    for contestant in contestants:
        contestant()
    start = time.perf_counter()
    for _ in range(REPETITIONS):
        for i, contestant in enumerate(contestants):
            time.sleep(PAUSE)
            begin = time.perf_counter()
            contestant()
            best[i] = min(best[i], time.perf_counter() - begin)
        if time.perf_counter() - start > BUDGET:
            break
    return best


def seconds(value):
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} us"


if __name__ == "__main__":
    main(sys.argv[1:])
