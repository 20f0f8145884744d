"""Ask every peer of docs/comparison.md, and write the table: `make peers`.

Each peer gets an environment of its own in `.venv-peers`, with the version pinned here,
and a probe that runs what the table claims (`probe_<name>.py`). Cells that cannot be
run on this machine come from `questions.READ`, with their source. What was found is
kept in docs/results/comparison.json, with date and versions, and the table is written
between two comments of docs/comparison.md. `--only NAME` asks one peer again; with
`--check` nothing is run, and a page that differs from what is kept is an error.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

from questions import QUESTIONS, READ, READ_ON

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = ROOT / "docs" / "results" / "comparison.json"
PAGE = ROOT / "docs" / "comparison.md"
PLACES = ROOT / ".venv-peers"
BEGIN = "<!-- comparison: begin, written by `make peers` -->"
END = "<!-- comparison: end -->"
LIMIT = 600  # seconds for a probe


class Peer(NamedTuple):
    """A column of the table."""

    title: str
    license: str
    needs: tuple[str, ...]


PEERS = {
    "sklazy": Peer("sklazy", "BSD-3", ()),
    "sklearn": Peer(
        "scikit-learn's neighbors", "BSD-3", ("scikit-learn==1.9.1", "pandas==3.1.1")
    ),
    "catboost": Peer(
        "CatBoost with SHAP",
        "Apache-2.0",
        ("catboost==1.2.10", "shap==0.51.0", "pandas==3.1.1"),
    ),
    "cleanlab": Peer(
        "cleanlab", "Apache-2.0", ("cleanlab[datalab]==2.9.0", "pandas==2.3.3")
    ),
    "mapie": Peer("MAPIE", "BSD-3", ("mapie==1.6.0", "pandas==3.1.1")),
    "crepes": Peer("crepes", "BSD-3", ("crepes==0.9.1", "scikit-learn==1.9.1")),
    "river": Peer("river", "BSD-3", ("river==0.26.1", "pandas==2.3.3")),
    "deslib": Peer(
        "DESlib", "BSD-3", ("deslib==0.3.7", "scikit-learn==1.5.2", "pandas==2.3.3")
    ),
    "weka": Peer("Weka", "GPL-3", ("pandas==3.1.1",)),
    "howso": Peer("Howso Engine", "AGPL-3", ()),
    "tabpfn": Peer("TabPFN", "weights: non-commercial", ()),
}
READ_VERSIONS = {"howso": "69.0.0", "tabpfn": "9.2.0"}
NOT_RUN = {
    "howso": "its compiled part needs glibc 2.38, newer than the machine's",
    "tabpfn": "its weights are downloaded when it is first used",
}
WEKA = ("python-weka-wrapper3==0.3.3", "3.9.7")


def make_place(name):
    """Make the environment of a peer, once; returns its Python."""
    if name == "sklazy":
        return sys.executable
    python = PLACES / name / "bin" / "python"
    if not python.exists():
        call([sys.executable, "-m", "venv", PLACES / name])
        call([python, "-m", "pip", "install", "-q", *PEERS[name].needs])
    return python


def find_weka():
    """Weka's jar, from the package that brings it."""
    jar = PLACES / "weka" / "weka.jar"
    if not jar.exists():
        tool = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        call([*tool, "-d", PLACES / "weka", WEKA[0]])
        packed = next((PLACES / "weka").glob("python_weka_wrapper3-*.tar.gz"))
        with tarfile.open(packed) as files:
            inside = next(n for n in files.getnames() if n.endswith("lib/weka.jar"))
            jar.write_bytes(files.extractfile(inside).read())
    return jar


def call(command):
    """Run a command, or stop with its name."""
    subprocess.run([str(part) for part in command], check=True)


def ask(name):
    """Run a peer's probe; its cells, versions and day, or the cells that were read."""
    if name in NOT_RUN:
        return read_cells(name, NOT_RUN[name])
    python = make_place(name)
    told = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore"}
    if name == "weka":
        told["WEKA_JAR"] = str(find_weka())
    if name == "sklazy":
        told["PYTHONPATH"] = os.pathsep.join([str(HERE), str(ROOT / "src")])
    done = subprocess.run(
        [str(python), str(HERE / f"probe_{name}.py")],
        env=told,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if done.returncode:
        raise SystemExit(f"the probe of {name} failed:\n{done.stderr[-2000:]}")
    cells = json.loads(done.stdout.strip().splitlines()[-1])
    return {
        "version": find_version(name),
        "day": datetime.date.today().isoformat(),
        "cells": {
            key: {**cells[key], "how": "ran"} for key in QUESTIONS if key in cells
        },
    }


def read_cells(name, reason):
    """The cells of a peer that was not run."""
    cells = {
        key: {"answer": answer, "seen": source, "how": "read"}
        for key, (answer, source) in READ[name].items()
    }
    version = READ_VERSIONS[name]
    return {"version": version, "day": READ_ON, "not_run": reason, "cells": cells}


def find_version(name):
    """The version that was asked."""
    if name == "weka":
        return WEKA[1]
    if name == "sklazy":
        text = (ROOT / "pyproject.toml").read_text()
        return re.search(r'^version = "(.+)"$', text, re.M)[1]
    return re.split("==", PEERS[name].needs[0])[1]


def draw(kept):
    """The table, and below it what was not run."""
    names = [name for name in PEERS if name in kept]
    head = [f"{PEERS[name].title} {kept[name]['version']}" for name in names]
    lines = ["| | " + " | ".join(head) + " |", "|---" * (len(names) + 1) + "|"]
    for key, question in QUESTIONS.items():
        cells = [draw_cell(kept[name]["cells"].get(key)) for name in names]
        lines.append(f"| {question} | " + " | ".join(cells) + " |")
    licenses = [PEERS[name].license for name in names]
    lines.append("| license | " + " | ".join(licenses) + " |")
    days = sorted({kept[name]["day"] for name in names if "not_run" not in kept[name]})
    lines += ["", f"Run on {' and '.join(days)}. Cells in italics were read, not run:"]
    for name in names:
        if "not_run" in kept[name]:
            reason, day = kept[name]["not_run"], kept[name]["day"]
            lines.append(f"* {PEERS[name].title}: {reason} (read on {day}).")
    return "\n".join(lines)


def draw_cell(cell):
    """One cell of the table."""
    if not cell or not cell["answer"]:
        return ""
    return cell["answer"] if cell["how"] == "ran" else f"*{cell['answer']}*"


def write_page(kept):
    """The page with the table of what is kept."""
    page = PAGE.read_text(encoding="utf-8")
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:start]}\n{draw(kept)}\n{page[end:]}"


def main():
    """Ask the peers, or check the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", choices=PEERS, action="append")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if options.check:
        if write_page(kept) != PAGE.read_text(encoding="utf-8"):
            raise SystemExit("docs/comparison.md is not what was found: `make peers`")
        return
    for name in options.only or PEERS:
        print(f"asking {PEERS[name].title} ...", flush=True)
        kept[name] = ask(name)
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    PAGE.write_text(write_page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
