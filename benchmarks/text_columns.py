"""What columns of free text are worth: `python benchmarks/text_columns.py [rows]`.

Free text is set aside when tables are read. Here it is given as numbers: hashed
character n-grams, which depend on no other row, so that adding and forgetting stay
exact; and the first 30 components of tf-idf n-grams, as skrub's `StringEncoder` makes
them, which depend on all rows. The texts are real ones that every environment has: the
first sentences of docstrings of numpy, scipy, scikit-learn and pandas, by which the
package is to be told; beside them two columns of numbers that tell a little. Three
folds, accuracies in percent, as Markdown.
"""

import importlib
import inspect
import pkgutil
import sys
import time
import warnings

import pandas as pd
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from sklazy import LazyKernelClassifier, LazyKNeighborsClassifier, LazyNBClassifier

PACKAGES = "numpy", "scipy", "sklearn", "pandas"
NGRAMS = {"analyzer": "char_wb", "ngram_range": (3, 4)}
N_FOLDS, N_COMPONENTS = 3, 30


# --- the texts ------------------------------------------------------------------------


def collect(n_rows):
    """A frame of so many docstrings, as many of each package, and the packages."""
    each = n_rows // len(PACKAGES)
    parts = [describe(package).sample(each, random_state=0) for package in PACKAGES]
    frame = pd.concat(parts, ignore_index=True).sample(frac=1.0, random_state=0)
    return frame.drop(columns="package"), frame["package"].to_numpy()


def describe(package):
    """Every docstring of a package: its first sentence, and two numbers."""
    sentences = {}
    for module in modules(package):
        for name, thing in members(module):
            is_own = str(getattr(thing, "__module__", "")).startswith(package)
            text = inspect.getdoc(thing) if is_own else None
            if text:
                first = text.split("\n\n")[0].replace("\n", " ")
                sentences[first] = (len(name), len(text.splitlines()))
    rows = [(text, *numbers, package) for text, numbers in sentences.items()]
    return pd.DataFrame(rows, columns=["text", "letters", "lines", "package"])


def members(module):
    """The public functions and classes of a module, and the methods of these."""
    for name, thing in inspect.getmembers(module, callable):
        if not name.startswith("_"):
            yield name, thing
        if inspect.isclass(thing) and not name.startswith("_"):
            methods = inspect.getmembers(thing, inspect.isfunction)
            yield from (pair for pair in methods if not pair[0].startswith("_"))


def modules(package):
    """The public modules one level down that can be imported."""
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.iter_modules(root.__path__, f"{package}."):
        if not info.name.rsplit(".", 1)[1].startswith(("_", "test", "conftest")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield importlib.import_module(info.name)


# --- what becomes of them -------------------------------------------------------------


def set_aside(train, test):
    return tuple(part[["letters", "lines"]] for part in (train, test))


def hashed(n_buckets):
    def encode(train, test):
        words = HashingVectorizer(
            n_features=n_buckets, alternate_sign=False, norm="l1", **NGRAMS
        )
        return tuple(
            beside(part, words.transform(part["text"])) for part in (train, test)
        )

    return encode


def components(train, test):
    words = TfidfVectorizer(**NGRAMS).fit(train["text"])
    svd = TruncatedSVD(N_COMPONENTS, random_state=0)
    svd.fit(words.transform(train["text"]))
    return tuple(
        beside(part, svd.transform(words.transform(part["text"])))
        for part in (train, test)
    )


def beside(part, numbers):
    dense = numbers.toarray() if hasattr(numbers, "toarray") else numbers
    made = pd.DataFrame(dense, index=part.index).add_prefix("text ")
    return part[["letters", "lines"]].join(made)


WAYS = {
    "set aside": set_aside,
    "hashed, 16 numbers": hashed(16),
    "hashed, 64 numbers": hashed(64),
    "hashed, 256 numbers": hashed(256),
    f"tf-idf, {N_COMPONENTS} components": components,
}
MODELS = {
    "`LazyKNeighborsClassifier`": LazyKNeighborsClassifier(),
    "`LazyNBClassifier`": LazyNBClassifier(),
    "`LazyKernelClassifier`": LazyKernelClassifier(),
    "`LogisticRegression`": LogisticRegression(max_iter=2000),
}


def main(n_rows):
    X, y = collect(n_rows)
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y))
    print(f"| {len(X)} texts |", " | ".join(MODELS), "|")
    print("|---|" + "---:|" * len(MODELS))
    for name, encode in WAYS.items():
        cells = [measure(model, encode, X, y, folds) for model in MODELS.values()]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


def measure(model, encode, X, y, folds):
    """Accuracy, and seconds of processor."""
    right, begin = 0, time.process_time()
    for train, test in folds:
        seen, unseen = encode(X.iloc[train], X.iloc[test])
        predicted = clone(model).fit(seen, y[train]).predict(unseen)
        right += int((predicted == y[test]).sum())
    return f"{100 * right / len(y):.1f} ({time.process_time() - begin:.1f} s)"


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1000)
