"""What `run.py` found: docs/results/speed.json, with machine, versions and date."""

import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).parents[1]
FILE = ROOT / "docs" / "results" / "speed.json"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "sklazy")


def describe_run():
    """Where, when and with what: every row that is kept names its run."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M"),
        "machine": describe_machine(),
        "versions": {"python": platform.python_version(), **versions()},
        "commit": find_commit(),
        "load": round(os.getloadavg()[0], 1),
    }


def describe_machine():
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores} cores of {processor()}, {memory:.0f} GiB, {platform.system()}"


def processor():
    """The processor's name, as far as the system tells it."""
    path = pathlib.Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return " ".join(names[0].split()) if names else platform.machine()


def versions():
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def find_commit():
    """The commit of the sources, with a plus where they were edited since."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def read(file=FILE):
    if file.exists():
        return json.loads(file.read_text("utf-8"))
    return {"runs": {}, "groups": {}}


def keep(group, names, rows, run, file=FILE):
    """Put new rows in the place of the old ones of their names.

    Names that the group has no longer are dropped. A row that lacks something here
    replaces nothing that was measured elsewhere; one that failed does.
    """
    stored = read(file)
    known = {row["name"]: row for row in stored["groups"].get(group, [])}
    for row in rows:
        old = known.get(row["name"], {})
        if "missing" in row and "failed" not in row and "ratio" in old:
            continue
        known[row["name"]] = round_figures({**row, "run": run["date"]})
    stored["groups"][group] = [known[name] for name in names if name in known]
    stored["groups"] = {k: v for k, v in sorted(stored["groups"].items()) if v}
    stored["runs"][run["date"]] = run
    used = {
        row["run"]
        for rows_of_group in stored["groups"].values()
        for row in rows_of_group
    }
    stored["runs"] = {k: v for k, v in sorted(stored["runs"].items()) if k in used}
    file.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def round_figures(row):
    """Four digits: more would be noise in every diff."""
    return {
        key: float(f"{value:.4g}") if isinstance(value, float) else value
        for key, value in row.items()
    }


def show_ratio(row):
    ratio = row.get("ratio")
    if ratio is None:
        return "not run"
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.2g}"


def show_figure(value, unit="s"):
    """A figure and its unit, in nine characters."""
    if value is None:
        return ""
    if unit != "s":
        return f"{show_number(value)} {unit}".strip()
    for least, name in (1, "s"), (1e-3, "ms"), (1e-6, "us"):
        if value >= least:
            return f"{show_number(value / least)} {name}"
    return f"{show_number(value * 1e9)} ns"


def show_number(value):
    return f"{value:.0f}" if value >= 999.5 else f"{value:.3g}"
