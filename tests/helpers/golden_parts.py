"""Take the part that the repository keeps from the complete outputs of Weka and R.

    python tests/helpers/golden_parts.py FOLDER

FOLDER has the complete outputs; `tests/golden` is written anew. Figures are taken as
they are, digit for digit.
"""

import gzip
import json
import pathlib
import sys

from golden_files import INSIDE, read_text
from weka_sets import SETS

PASSED_ON = [name for name in SETS if name != "diabetes"]
"""Those of Weka's sets that may be passed on; UCI took diabetes back."""

ARFF = [name for name in PASSED_ON if name not in ("credit-g", "ionosphere", "soybean")]
"""Those whose ARFF file is small."""

RANKERS = ["InfoGain", "GainRatio", "SymmetricalUncert"]
HOSTS = ["IBk_k1", "IBk_k3", "IBk_k5", "NaiveBayes", "J48_unpruned"]
ABOUT = ("weka", "n", "attributes", "class_labels", "split")
MOST_BYTES = 100_000
"""Longer files are gzipped."""

QUERIES = {"a": [0, 25, 49], "b": [0, 5, 10, 15, 20]}
"""Queries of R's larger sets that are taken; the last of a is a training row."""


def parts(folder):
    """Pairs of a relative path and the text that the repository has there."""
    for name in ARFF:
        yield copied(folder, f"weka/inputs/{name}.arff")
    for name in PASSED_ON:
        yield from weka_parts(folder / "weka", name)
    for name in ("e1", "e2"):
        yield copied(folder, f"lazy_r/golden_{name}.json.gz")
    for path in ("a_train", "b_train", "e1_train", "e2_train", "e_query"):
        yield copied(folder, f"lazy_r/inputs/{path}.csv")
    for name, queries in QUERIES.items():
        yield from lazy_parts(folder / "lazy_r", name, queries)
    for name in ("golden_race", "r1", "r2", "r3", "r4", "r5"):
        yield copied(folder, f"race_r/{name}.csv")


def copied(folder, path):
    """A file that is taken whole."""
    return path.removesuffix(".gz"), read_text(folder / path)


def weka_parts(folder, name):
    """A set as Weka read it, and those of its outputs that tests compare with."""
    for path in (f"inputs_csv/{name}.csv", f"inputs_csv/{name}.schema.json"):
        yield f"weka/{path}", read_text(folder / path)
    new = json.loads(read_text(folder / "outputs" / f"{name}.json"))
    yield f"weka/outputs/{name}.json", to_text(part_of_new(new))
    old = json.loads(read_text(folder / "outputs_36" / f"{name}.json"))
    yield f"weka/outputs_36/{name}.json", to_text(part_of_old(old))


def part_of_new(output):
    """Cuts, rankings, subsets and class distributions of Weka 3.9.7."""
    taken = {key: output[key] for key in ABOUT}
    taken |= {k: v for k, v in output.items() if k.startswith(("mdl_cuts_", "cfs_"))}
    for key in ("rank_all", "rank_train", "rank_train_discretised"):
        taken[key] = {
            f"{r}AttributeEval": output[key][f"{r}AttributeEval"] for r in RANKERS
        }
    raw, binned = output["predictions"], output["predictions_discretised"]
    taken["predictions"] = {"J48_unpruned": raw["J48_unpruned"]}
    taken["predictions_discretised"] = {host: binned[host] for host in HOSTS}
    return taken


def part_of_old(output):
    """Chi-square, consistency subsets and Bayesian rules of Weka 3.6.14."""
    kept = ("weka", "chi2_", "consistency_", "LBR_")
    return {key: value for key, value in output.items() if key.startswith(kept)}


def lazy_parts(folder, name, queries):
    """Some queries of a set of R's lazy, as a set of its own."""
    golden = json.loads(read_text(folder / f"golden_{name}.json.gz"))
    header, *rows = read_text(folder / golden["query"]).splitlines()
    golden["query"] = f"inputs/{name}_part_query.csv"
    golden["cases"] = [part_of_case(case, queries) for case in golden["cases"]]
    yield f"lazy_r/golden_{name}_part.json", to_text(golden)
    lines = [header, *(rows[i] for i in queries)]
    yield f"lazy_r/{golden['query']}", "\n".join(lines) + "\n"


def part_of_case(case, queries):
    """What R gives for these queries alone; every query has answers of its own."""

    def take(rows):
        return [rows[i] for i in queries]

    by_query = {key: take(case[key]) for key in ("h", "k", "coef", "neighbours")}
    curves = {degree: take(rows) for degree, rows in case["loo_by_k"].items()}
    return {**case, **by_query, "loo_by_k": curves}


def to_text(record):
    return json.dumps(record, separators=(",", ":")) + "\n"


def write(folder, path, text):
    """Write a file, gzipped if it is long."""
    file, data = folder / path, text.encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    if len(data) <= MOST_BYTES:
        file.write_bytes(data)
    else:
        packed = gzip.compress(data, mtime=0)
        file.with_name(f"{file.name}.gz").write_bytes(packed)


if __name__ == "__main__":
    for path, text in parts(pathlib.Path(sys.argv[1])):
        write(INSIDE, path, text)
