"""Tables of few different rows, each many times, of which the truth is known.

The chance of "yes" depends on one column alone and the columns are independent of each
other, so that every method can represent it: naive Bayes, trees, lines, neighbors. A
table holds each row, and each answer to it, as often as the truth demands, to the
nearest whole row: what is learned from it has no sampling error.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.base import is_regressor


@dataclass(frozen=True)
class Content:
    """Different rows, what share of a table each has, and the chance of "yes".

    Attributes
    ----------
    frame : pandas frame of n_different rows
    often : float array of shape (n_different,)
        Sum 1.
    chances : float array of shape (n_different,)
    """

    frame: pd.DataFrame
    often: np.ndarray
    chances: np.ndarray

    def repeat(self, n_rows):
        """So many rows and whether each is a "yes", as near to the truth as can be."""
        shares = n_rows * self._both
        counts = np.floor(shares).astype(int)
        largest = np.argsort(counts - shares, kind="stable")
        counts[largest[: n_rows - counts.sum()]] += 1
        return self._take(np.repeat(np.arange(len(counts)), counts), 0)

    def draw(self, n_rows, seed):
        """So many rows drawn at random, and whether each is a "yes"."""
        random = np.random.default_rng(seed)
        drawn = random.choice(len(self._both), n_rows, p=self._both)
        return self._take(drawn, seed)

    @property
    def _both(self):
        """The shares of all rows with "no", then of all rows with "yes"."""
        return np.concatenate(
            [self.often * (1 - self.chances), self.often * self.chances]
        )

    def _take(self, places, seed):
        shuffled = np.random.default_rng(seed).permutation(places)
        rows = self.frame.iloc[shuffled % len(self.frame)].reset_index(drop=True)
        return rows, shuffled >= len(self.frame)


def cross(columns, chances):
    """The content of independent columns, of which the first decides.

    Parameters
    ----------
    columns : dict of str to dict
        How often each value of a column is; only ratios matter.
    chances : dict
        The chance of "yes" for each value of the first column.
    """
    rows = list(itertools.product(*columns.values()))
    counts = itertools.product(*(own.values() for own in columns.values()))
    often = np.prod(list(counts), axis=1)
    decided = np.array([chances[row[0]] for row in rows])
    return Content(
        pd.DataFrame(rows, columns=list(columns)), often / often.sum(), decided
    )


def evenly(values):
    """Values that are equally frequent."""
    return dict.fromkeys(values, 1)


LABELS = cross(
    {"color": {"red": 3, "blue": 2}, "size": {"small": 2, "large": 1}},
    {"red": 0.3, "blue": 0.7},
)
NUMBERS = cross(
    {"age": evenly([0.0, 1.0, 2.0, 3.0, 4.0])},
    {0.0: 0.17, 1.0: 0.31, 2.0: 0.5, 3.0: 0.69, 4.0: 0.83},
)
MIXED = cross(
    {"kind": evenly("abcde"), "age": evenly(range(10))},
    {"a": 0.2, "b": 0.35, "c": 0.5, "d": 0.65, "e": 0.8},
)
MISSING = cross(
    {
        "kind": {"a": 5, "b": 4, None: 1},
        "age": {0.0: 4, 1.0: 4, np.nan: 1},
        "place": {"x": 2, "y": 2, "z": 2, None: 1},
    },
    {"a": 0.2, "b": 0.8, None: (5 * 0.2 + 4 * 0.8) / 9},
)
CONTENTS = {"labels": LABELS, "numbers": NUMBERS, "mixed": MIXED, "missing": MISSING}

# UCBAdmissions of R's package datasets, after P. J. Bickel, E. A. Hammel, J. W.
# O'Connell: Sex bias in graduate admissions: data from Berkeley. Science 187 (1975).
_DEPARTMENTS = "ABCDEF"
_ADMITTED = [512, 353, 120, 138, 53, 22, 89, 17, 202, 131, 94, 24]
_REJECTED = [313, 207, 205, 279, 138, 351, 19, 8, 391, 244, 299, 317]


def admissions():
    """The 4526 applicants of 1973 to six departments of Berkeley, and their number."""
    rows = list(itertools.product(["Male", "Female"], _DEPARTMENTS))
    admitted, everybody = np.array(_ADMITTED), np.add(_ADMITTED, _REJECTED)
    frame = pd.DataFrame(rows, columns=["gender", "department"])
    n_rows = int(everybody.sum())
    return Content(frame, everybody / n_rows, admitted / everybody), n_rows


def learn(model, rows, yes):
    """Fit a model: to "yes" and "no", or to the numbers 1 and 0."""
    return model.fit(rows, yes * 1.0 if is_regressor(model) else label(yes))


def label(yes):
    """The classes of rows."""
    return np.where(yes, "yes", "no")


def find_answers(model, content):
    """What a model answers to the different rows: probabilities of "yes", or means."""
    if is_regressor(model):
        return model.predict(content.frame)
    return model.predict_proba(content.frame)[:, list(model.classes_).index("yes")]


@st.composite
def contents(draw):
    """Contents of 4 to 50 different rows, whose first column decides.

    Numbers that decide are few and far apart in what they say, so that cuts find them.
    """
    some = draw(st.sampled_from([list("abcde"), [0.0, 1.0, 2.0, 3.0]]))
    values = some[: draw(st.integers(2, len(some)))]
    ends = draw(st.sampled_from([(0.1, 0.9), (0.85, 0.15)]))
    chances = dict(zip(values, np.linspace(*ends, len(values)), strict=True))
    columns = {"first": {value: draw(st.integers(2, 4)) for value in values}}
    n_different = len(values)
    while n_different < 4 or (n_different <= 12 and draw(st.booleans())):
        column = draw(_columns())
        columns[f"column {len(columns)}"] = column
        n_different *= len(column)
    return cross(columns, chances)


@st.composite
def _columns(draw):
    """The values of a column that decides nothing, and how often each is."""
    some = draw(st.sampled_from([["x", "y"], ["x", "y", "z"], [0.0, 1.0, 2.0]]))
    column = {value: draw(st.integers(2, 4)) for value in some}
    if draw(st.booleans()):
        column[None if isinstance(some[0], str) else np.nan] = 1
    return column
