"""Local PLS against global PLS on spectra that come with R packages.

    python benchmarks/spectra.py [--splits 20] [set ...]

The sets are read where R's packages keep them (Debian: r-cran-pls, r-cran-modeldata);
nothing is copied. Every split holds out a quarter of the rows. The global model has the
number of components with the least error in ten folds of the other rows; local models
are those of `LazyPLSRegressor`. Rows whose spectrum came before are left out: a
quarter of such a set would be known by heart.
"""

import argparse
import io
import subprocess
import sys

import numpy as np
import pandas as pd
from scipy.signal import savgol_filter
from sklearn.cross_decomposition import PLSRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit

from sklazy import LazyPLSRegressor

SETS = {
    "meat, fat": ("modeldata", "meats", "cbind(y=meats$fat, meats[, 1:100])"),
    "meat, water": ("modeldata", "meats", "cbind(y=meats$water, meats[, 1:100])"),
    "meat, protein": ("modeldata", "meats", "cbind(y=meats$protein, meats[, 1:100])"),
    "gasoline, octane": (
        "pls",
        "gasoline",
        "cbind(y=gasoline$octane, unclass(gasoline$NIR))",
    ),
}
LOCAL = {
    "equal weights, best": {"localization": 0.0, "combine": "best"},
    "equal weights, average": {"localization": 0.0, "combine": "average"},
    "near ones more, best": {"localization": 1.0, "combine": "best"},
    "near ones more, average": {"localization": 1.0, "combine": "average"},
    "the same, mahalanobis": {"metric": "mahalanobis"},
    "the same, correlation": {"metric": "correlation"},
    "the same, angle": {"metric": "angle"},
}
COMPONENTS = 25


def as_it_is(spectra):
    """No treatment."""
    return spectra


def snv(spectra):
    """Every spectrum with the mean 0 and the deviation 1."""
    about = spectra - spectra.mean(axis=1, keepdims=True)
    return about / about.std(axis=1, keepdims=True)


def derived(spectra):
    """SNV of second derivatives (Savitzky and Golay)."""
    return snv(savgol_filter(spectra, 11, 2, deriv=2, axis=1))


def read(package, name, columns):
    """A set as R has it: the target, then the spectrum."""
    code = f'data({name}, package="{package}"); write.csv({columns}, row.names=FALSE)'
    done = subprocess.run(
        ["Rscript", "-e", code], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"R cannot give {name} of its package {package}: {done.stderr}")
    table = pd.read_csv(io.StringIO(done.stdout)).to_numpy(float)
    return table[:, 1:], table[:, 0]


def without_copies(spectra, target):
    """The rows whose spectrum did not come before."""
    first = np.sort(np.unique(spectra, axis=0, return_index=True)[1])
    return spectra[first], target[first]


def global_pls(spectra, target):
    """PLS of all rows, its components chosen in ten folds."""
    most = min(COMPONENTS, int(0.9 * len(target)) - 1)
    search = GridSearchCV(
        PLSRegression(scale=False),
        {"n_components": range(1, most)},
        cv=10,
        scoring="neg_mean_squared_error",
    )
    return search.fit(spectra, target)


def errors_of(spectra, target, n_splits):
    """The root mean squared error of every model in every split."""
    errors = {"global PLS": [], **{name: [] for name in LOCAL}}
    splits = ShuffleSplit(n_splits, test_size=0.25, random_state=0)
    for train, test in splits.split(spectra):
        known = spectra[train], target[train]
        models = {"global PLS": global_pls(*known)}
        for name, settings in LOCAL.items():
            models[name] = LazyPLSRegressor(**settings).fit(*known)
        for name, model in models.items():
            missed = model.predict(spectra[test]).ravel() - target[test]
            errors[name].append(np.sqrt(np.mean(missed**2)))
    return errors


def main():
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("sets", nargs="*", metavar="set", help=", ".join(SETS))
    options = parser.parse_args()
    for name in options.sets or SETS:
        spectra, target = read(*SETS[name])
        n_given = len(target)
        spectra, target = without_copies(spectra, target)
        copies = n_given - len(target)
        spread = f"deviation {target.std():.3g}"
        print(f"\n{name}: {spectra.shape}, {copies} copies left out, {spread}")
        print(f"{'':28}{'as it is':>18}{'SNV':>18}{'2nd derivative':>18}")
        tables = [
            errors_of(treat(spectra), target, options.splits)
            for treat in (as_it_is, snv, derived)
        ]
        for model in tables[0]:
            cells = [table[model] for table in tables]
            shown = [
                f"{np.mean(c):.3f} ({np.std(c) / np.sqrt(len(c)):.3f})" for c in cells
            ]
            print(f"{model:28}" + "".join(f"{cell:>18}" for cell in shown), flush=True)


if __name__ == "__main__":
    main()
