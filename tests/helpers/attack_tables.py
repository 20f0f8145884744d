"""Attack all estimators and levels on all sets; write the tables of docs/privacy.md.

    PYTHONPATH=src:studies:tests/helpers python tests/helpers/attack_tables.py run
    ... attack_tables.py run --chosen     the sets that the design was chosen by
    ... attack_tables.py write            only the tables, from what was kept

`run` keeps every figure in docs/results/privacy.json as it is found, and goes on from
there if it is started again (about ten minutes of one core); `--only WORD` picks
estimators. Tables are between two comments.
"""

import argparse
import json
import math
import re
import sys
import warnings
from pathlib import Path

import attacks

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs" / "results" / "privacy.json"
PAGE = ROOT / "docs" / "privacy.md"
BEGIN = "<!-- attacks: begin, written by tests/helpers/attack_tables.py -->"
END = "<!-- attacks: end -->"
LEVELS = ("values", "aggregate")


def main(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["run", "write"])
    parser.add_argument("--chosen", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args(words)
    if options.what == "run":
        warnings.simplefilter("ignore")
        run(options)
    write()


def find_sets(chosen):
    if chosen:
        return attacks.class_sets() + attacks.number_sets()
    return [attacks.reported_set(name) for name in attacks.REPORTED]


def name_of(estimator):
    return re.sub(r"\s+", "", repr(estimator))


def run(options):
    """Attack whatever is not kept yet."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for sample in find_sets(options.chosen):
        numbers = sample.y.dtype.kind == "f" and len(set(sample.y.tolist())) > 20
        for estimator in attacks.REGRESSORS if numbers else attacks.CLASSIFIERS:
            name = name_of(estimator)
            key = f"{name} {sample.name}"
            if options.only not in name or key in kept:
                continue
            kept[key] = attack(estimator, sample) | {
                "estimator": name,
                "set": sample.name,
                "numbers": bool(numbers),
                "chosen_by": options.chosen,
            }
            sys.stdout.write(f"{key}: {kept[key]['aggregate']}\n")
            sys.stdout.flush()
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


def attack(estimator, sample):
    """Figures of all attacks on one estimator and set, by level."""
    n_splits = max(6, math.ceil(3000 / len(sample.y)))
    figures = {"splits": n_splits}
    for level in LEVELS:
        found = attacks.attack_membership(estimator, sample, n_splits, level=level)
        figures[level] = found._asdict()
    for change in ("forget", "add"):
        area = attacks.attack_change(estimator, sample, change, 20, level=LEVELS[1])
        figures[LEVELS[1]][change] = area
    return json.loads(json.dumps(figures), parse_float=lambda x: round(float(x), 4))


# --- tables ---------------------------------------------------------------------------


def write():
    """Write the tables into the page."""
    PAGE.write_text(render(PAGE.read_text("utf-8")), "utf-8")


def render(text):
    """The text of the page with the tables of what is kept."""
    rows = list(json.loads(KEPT.read_text()).values())
    reported = [row for row in rows if not row["chosen_by"]]
    tables = [
        "Sets that nothing was chosen by:\n",
        *summarize(reported),
        "",
        "Sets that the design was chosen by:\n",
        *summarize([row for row in rows if row["chosen_by"]]),
        "",
        "Accuracy lost, on the sets that nothing was chosen by:\n",
        *list_quality(reported),
    ]
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return "\n".join([before + BEGIN, *tables, END + after])


def group_by_estimator(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["estimator"], []).append(row)
    return groups


def summarize(rows):
    """The largest area over the sets, for each estimator and attack."""
    yield (
        "| estimator | membership, values | groups | on | calibrated, values | groups "
        "| forget, groups | add, groups |"
    )
    yield "|---|---:|---:|---|---:|---:|---:|---:|"
    for name, some in group_by_estimator(rows).items():
        worst = max(some, key=lambda row: row["aggregate"]["area"])["set"]
        columns = [(level, f) for f in ("area", "calibrated") for level in LEVELS]
        columns += [(LEVELS[1], "forget"), (LEVELS[1], "add")]
        cells = [f"{max(row[level][f] for row in some):.3f}" for level, f in columns]
        yield f"| `{name}` | {' | '.join([*cells[:2], worst, *cells[2:]])} |"


def list_quality(rows):
    """How good answers are, by level and set."""
    for numbers, title in ((False, "right answers"), (True, "mean error")):
        some = [row for row in rows if row["numbers"] == numbers]
        sets = list(dict.fromkeys(row["set"] for row in some))
        yield f"| {title} | " + " | ".join(f"{s}: values | groups" for s in sets) + " |"
        yield "|---" + "|---:" * 2 * len(sets) + "|"
        for name, group in group_by_estimator(some).items():
            by_set = {row["set"]: row for row in group}
            figures = [
                f"{abs(by_set[s][level]['quality']):.3g}" if s in by_set else ""
                for s in sets
                for level in LEVELS
            ]
            yield f"| `{name}` | {' | '.join(figures)} |"
        yield ""


if __name__ == "__main__":
    main(sys.argv[1:])
