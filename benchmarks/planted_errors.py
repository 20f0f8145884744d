"""Wrong labels found by the values of cases: ours beside pyDVL's and cleanlab's.

    python benchmarks/planted_errors.py sklazy FOLDER      # tables, and our values
    A/bin/python benchmarks/planted_errors.py pydvl FOLDER
    B/bin/python benchmarks/planted_errors.py cleanlab FOLDER
    python benchmarks/planted_errors.py show FOLDER

Ten tables of numbers, at most 500 rows; a tenth of the labels of 70 % of the rows is
wrong, the other 30 % are trusted. The score is the share of planted errors among as
many cases of the lowest values. "by trusted rows" values cases by them, "alone"
by each other. The peers need environments of their own, since their needs exclude each
other: A has pyDVL 0.10.0, B has cleanlab[datalab] 2.9.0 and pandas 2.3.3. Numbers are
scaled for them.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import LabelEncoder, StandardScaler

SETS = ("iris", "glass", "ionosphere", "sonar", "vehicle", "diabetes")
SETS += ("heart-statlog", "segment", "vowel", "ecoli")
MOST_ROWS, WRONG, N_NEIGHBORS = 500, 0.1, 5


def plant(frame):
    """Numbers, classes, classes with errors, and which are wrong, of some rows."""
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(frame))[:MOST_ROWS]
    y = LabelEncoder().fit_transform(frame.iloc[:, -1].astype(str))[rows]
    X = frame.iloc[:, :-1].select_dtypes("number").to_numpy(float)[rows]
    n, n_classes = int(0.7 * len(y)), y.max() + 1
    wrong = rng.choice(n, int(WRONG * n), replace=False)
    labels = y.copy()
    labels[wrong] = (y[wrong] + rng.integers(1, n_classes, len(wrong))) % n_classes
    return {"X": X, "y": y, "labels": labels, "wrong": wrong, "n": n}


def keep(folder, part, name, ways):
    """Write what each way finds, and its processor time."""
    found = {}
    for title, value in ways.items():
        start = time.process_time()
        found[title] = value()
        found[f"seconds of {title}"] = time.process_time() - start
    np.savez(folder / f"{name}.{part}.npz", **found)


def ask_sklazy(folder):
    """Write the tables, errors planted, and our values."""
    import sklazy
    from sklazy_studies.harness.data import data_folder

    folder.mkdir(exist_ok=True)
    for name in SETS:
        path = data_folder() / "classification" / f"{name}.arff"
        table = plant(sklazy.read_table(path).to_pandas())
        np.savez(folder / f"{name}.npz", **table)
        n, X, y = table["n"], table["X"], table["y"]
        votes = sklazy.LazyKNeighborsClassifier(N_NEIGHBORS)
        votes.fit(X[:n], table["labels"][:n])
        kernel = sklazy.LazyKernelClassifier().fit(X[:n], table["labels"][:n])
        trusted = X[n:], y[n:]
        ways = {
            "sklazy: votes, by trusted rows": (votes, *trusted),
            "sklazy: votes, alone": (votes,),
            "sklazy: kernel's influence, by trusted rows": (kernel, *trusted),
        }
        keep(
            folder,
            "sklazy",
            name,
            {
                title: lambda given=given: sklazy.case_values(*given).values
                for title, given in ways.items()
            },
        )


def load(folder, name):
    """A table with scaled numbers: learned rows, their labels, trusted ones."""
    table = np.load(folder / f"{name}.npz")
    n = int(table["n"])
    X = StandardScaler().fit(table["X"][:n]).transform(table["X"])
    return X[:n], table["labels"][:n], X[n:], table["y"][n:]


def ask_pydvl(folder):
    """Write pyDVL's values."""
    from pydvl.valuation import Dataset, KNNShapleyValuation
    from sklearn.neighbors import KNeighborsClassifier

    def value(X, labels, judged, classes):
        kind = KNeighborsClassifier(N_NEIGHBORS)
        shapley = KNNShapleyValuation(kind, Dataset(judged, classes), progress=False)
        shapley.fit(Dataset(X, labels))
        values = np.empty(len(labels))
        for one in shapley.result:
            values[one.idx] = one.value
        return values

    for name in SETS:
        given = load(folder, name)
        title = "pyDVL: k-NN Shapley, by trusted rows"
        keep(folder, "pydvl", name, {title: lambda given=given: value(*given)})


def ask_cleanlab(folder):
    """Write cleanlab's values, and its scores of labels."""
    from cleanlab import Datalab
    from cleanlab.rank import get_label_quality_scores

    def value(X, labels):
        lab = Datalab({"y": labels}, label_name="y", verbosity=0)
        lab.find_issues(features=X, issue_types={"data_valuation": {}})
        return lab.get_issues("data_valuation")["data_valuation_score"]

    def judge(X, labels):
        forest = RandomForestClassifier(300, random_state=0)
        chances = cross_val_predict(forest, X, labels, method="predict_proba")
        return get_label_quality_scores(labels, chances)

    for name in SETS:
        X, labels, _, _ = load(folder, name)
        ways = {
            "cleanlab: data valuation, alone": value,
            "cleanlab: label quality by a forest, alone": judge,
        }
        todo = {k: lambda f=f, X=X, y=labels: f(X, y) for k, f in ways.items()}
        keep(folder, "cleanlab", name, todo)


def show(folder):
    """Print the share of errors found, a row for each way."""
    lines = {}
    for name in SETS:
        wrong = set(np.load(folder / f"{name}.npz")["wrong"].tolist())
        for path in sorted(folder.glob(f"{name}.*.npz"), reverse=True):
            values = np.load(path)
            for title in values.files[::2]:
                worst = np.argsort(values[title], kind="stable")[: len(wrong)]
                share = len(wrong & set(worst.tolist())) / len(wrong)
                spent = float(values[f"seconds of {title}"])
                lines.setdefault(title, []).append((share, spent))
    print("| | " + " | ".join(SETS) + " | mean | seconds |")
    print("|---" * (len(SETS) + 3) + "|")
    for title, cells in lines.items():
        shares, spent = np.array(cells).T
        row = " | ".join(f"{100 * share:.0f}" for share in shares)
        mean, middle = 100 * shares.mean(), np.median(spent)
        print(f"| {title} | {row} | {mean:.1f} | {middle:.2f} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asks = {"sklazy": ask_sklazy, "pydvl": ask_pydvl, "cleanlab": ask_cleanlab}
    {**asks, "show": show}[sys.argv[1]](Path(sys.argv[2]))
