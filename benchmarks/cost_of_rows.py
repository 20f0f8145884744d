"""What cases cost from ten thousand rows to a hundred million: time, memory, disk.

    python benchmarks/cost_of_rows.py FOLDER [LARGEST] [picture.svg]

Rows of 28 labels (2 to 10 values) are streamed to a file for each power of ten
up to LARGEST (7 by default); a fresh process opens it mapped, and asks
it 64 questions of 14 attributes, again and again. Figures are kept beside the files, so
that a run goes on where another has ended; the picture shows all that are there.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import sklazy

N_QUERIES = 64


def main(folder, largest=7, picture=None):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    measured = []
    for power in range(4, int(largest) + 1):
        known = folder / f"rows-1e{power}.json"
        if not known.exists():
            figures = {"rows": 10**power}
            for step in ("build", "ask"):
                figures |= in_fresh_process(step, folder, power)
            known.write_text(json.dumps(figures))
        measured.append(json.loads(known.read_text()))
        print(describe(measured[-1]), flush=True)
    if picture:
        draw(measured, picture)


def in_fresh_process(step, folder, power):
    """What a process of its own says: its memory is then that of the step alone."""
    command = [sys.executable, __file__, step, str(folder), str(power)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(text.splitlines()[-1])


def build(folder, power):
    """Write rows to a file in a stream, as `sklazy store` does."""
    from mapped_rows import make_file

    path = folder / f"rows-1e{power}.skl"
    before = time.process_time()
    make_file(path, 10**power)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "build_seconds": time.process_time() - before,
        "build_memory": most,
        "disk": path.stat().st_size,
    }


def ask(folder, power):
    """Open the file, mapped, and ask."""
    from mapped_rows import WIDTHS, make_file

    rng = np.random.default_rng(1)
    queries = [[f"v{rng.integers(w)}" for w in WIDTHS] for _ in range(N_QUERIES)]
    make_file(folder / "tiny.skl", 20_000)
    tiny = sklazy.load(folder / "tiny.skl", mmap_mode="c")
    for _ in range(40):
        tiny.predict(queries)  # loads or compiles what is used
    del tiny
    before = anonymous_memory()
    begin = time.perf_counter()
    model = sklazy.load(folder / f"rows-1e{power}.skl", mmap_mode="c")
    opened = time.perf_counter() - begin
    times = [timed(lambda: model.predict(queries)) for _ in range(6)]
    single = [timed(lambda: model.predict(queries[:1])) for _ in range(6)]
    return {
        "open_seconds": opened,
        "first_seconds": times[0],
        "query_seconds": min(times) / N_QUERIES,
        "single_seconds": min(single),
        "ask_memory": anonymous_memory() - before,
    }


def timed(call):
    """Seconds of processor time."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def anonymous_memory():
    """Bytes of this process that are in no file."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if "RssAnon" in line)


def describe(row):
    return (
        f"| {row['rows']:.0e} | {row['build_seconds']:.1f} | "
        f"{row['build_memory'] / 1e6:.0f} | {row['disk'] / 1e6:.1f} | "
        f"{1e3 * row['open_seconds']:.1f} | {1e3 * row['first_seconds']:.1f} | "
        f"{1e6 * row['query_seconds']:.1f} | {1e6 * row['single_seconds']:.0f} | "
        f"{row['ask_memory'] / 1e6:.1f} |"
    )


def draw(measured, path):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "sklazy"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.2))
    rows = [figures["rows"] for figures in measured]
    shown = [
        ("seconds of processor time", {
            "build and save": "build_seconds",
            "64 questions, first": "first_seconds",
            "a question of 64": "query_seconds",
        }),
        ("bytes of memory of its own", {
            "while building": "build_memory",
            "mapped and asked": "ask_memory",
        }),
        ("bytes of disk", {"file": "disk"}),
    ]  # fmt: skip
    for axis, (title, curves) in zip(axes, shown, strict=True):
        for label, name in curves.items():
            axis.loglog(
                rows, [figures[name] for figures in measured], "o-", label=label, ms=4
            )
        axis.set(xlabel="rows", title=title)
        axis.title.set_fontsize(9)
        axis.legend(frameon=False, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith("svg") else None)


if __name__ == "__main__":
    steps = {"build": build, "ask": ask}
    if sys.argv[1] in steps:
        print(json.dumps(steps[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
    else:
        main(*sys.argv[1:])
