"""Every value of every `.paper()`, pinned to a sentence of its paper, or named ours.

``python -m sklazy_studies.pins`` prints the table that docs/papers.md has.
"""

import sys
from dataclasses import dataclass
from typing import Any

A, B, C = "lazy attribute selection", "RACSAM", "lazy stacking"


@dataclass(frozen=True)
class Pin:
    """One value of a `.paper()`.

    Attributes
    ----------
    paper : str
    estimators : str
        Names of classes, separated by blanks.
    parameter : str
    value : object
    quote : str
        The sentence of the paper, as our copy has it; empty where the text is silent.
    ours : str
        Why the value is ours; empty where the text has it.
    tried : str
        Other values, and what they do.

    Examples
    --------
    >>> Pin(C, "LazyBaggingClassifier", "beta", 0.99, "fixed to it to 0.99").is_ours
    False
    """

    paper: str
    estimators: str
    parameter: str
    value: Any
    quote: str = ""
    ours: str = ""
    tried: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether the text does not have the value."""
        return not self.quote


_SELECTING = "LazyKNeighborsClassifier LazyNBClassifier LazySelectionClassifier"
_K_NN = "LazyKNeighborsClassifier"
_NUMBERS = "LazyKNeighborsRegressor"
_FOR_CLASSES = "the paper is about classes; its setting is applied to numbers"

SELECTION = (
    Pin(
        A,
        _SELECTING,
        "n_attributes",
        0.3,
        ours="one of the nine percentages of the paper (10 to 90); a class has one",
        tried="the experiment runs all nine (results/lazy-selection.md)",
    ),
    Pin(
        A,
        _SELECTING,
        "discount_rare_values",
        False,
        "p i is the probability that an arbitrary instance in D belongs to class c i",
        tried="True is the default of the classes (docs/defaults.md)",
    ),
    Pin(
        A,
        _K_NN,
        "n_neighbors",
        5,
        "executed with different values of the parameter k : 1, 3 and 5",
        tried="the experiment runs all three; 5 is one of them",
    ),
    Pin(A, _K_NN, "discretize", True, "to discretize continuous attributes"),
    Pin(
        A,
        _K_NN,
        "weights",
        "uniform",
        "assigns to a new instance to be classi fi ed the majority class among its k "
        "closest instances",
    ),
    Pin(
        A,
        _K_NN,
        "ties",
        "all",
        "parameters not mentioned are set to their default values in the Weka tool",
        tried="Weka's IBk lets all rows as near as the k-th vote",
    ),
    Pin(A, _NUMBERS, "n_attributes", 0.3, ours=_FOR_CLASSES),
    Pin(A, _NUMBERS, "discretize", True, ours=_FOR_CLASSES),
    Pin(A, _NUMBERS, "weights", "uniform", ours=_FOR_CLASSES),
    Pin(A, _NUMBERS, "ties", "all", ours=_FOR_CLASSES),
    Pin(A, _NUMBERS, "discount_rare_values", False, ours=_FOR_CLASSES),
)

_RACE = "RaceFeatureSelector"
_LOST = "the number is lost in our copy"
_LAZY = "LazyLearningRegressor LazyLearningClassifier"
_R = "the publicly available R package lazy"
_DEFAULT = "its defaults; checked case by case against R's lazy 1.2-18"

RACING = (
    Pin(
        B, _RACE, "estimator", "r_lazy", _R, tried="scaled columns (results/racsam.md)"
    ),
    Pin(B, _RACE, "n_winners", 5, ours=_LOST, tried="1 and 10 were not run"),
    Pin(
        B,
        _RACE,
        "test",
        "friedman-paper",
        "the configuration with the largest estimated mean-square error is discarded "
        "and the test repeated",
        tried="irace's comparison (Conover) is the default of the class",
    ),
    Pin(B, _RACE, "alpha", 0.05, ours=_LOST),
    Pin(B, _RACE, "first_test", 5, ours="the text has no first test; R's race has 5"),
    Pin(
        B,
        _RACE,
        "search",
        "neighborhood",
        "generation (e.g. by neighborhood exploration)",
        tried="schemata (search='schemata')",
    ),
    Pin(
        B,
        _RACE,
        "start",
        "gram-schmidt",
        "Pearson correlation or Gram-Schmidt orthogonalization",
        tried="random and Pearson (results/racsam.md)",
    ),
    Pin(B, _RACE, "n_start", 60, ours=_LOST),
    Pin(
        B,
        _RACE,
        "max_new",
        200,
        ours="the text bounds no round",
        tried="at 50 inputs from a random start, "
        "50 a round find the ten in 60 % of the runs, 500 in none (results/racsam.md)",
    ),
    Pin(
        B,
        _RACE,
        "test_size",
        0.5,
        ours="the text has a training and a test set; their sizes are lost",
        tried="every row tested, from all others (results/racsam.md)",
    ),
    Pin(
        B,
        _RACE,
        "sampling",
        (0.3, 30),
        ours="the text has 'increasing gradually the size'; its rule is lost",
    ),
    Pin(
        B,
        _RACE,
        "max_candidates",
        1000,
        "at least 1000 different configurations have been",
        tried="at 50 inputs from a random start, "
        "2000 sets find the ten in 28 % of the runs, 4000 in 76 % (results/racsam.md)",
    ),
    Pin(
        B,
        _RACE,
        "max_blocks",
        None,
        "configurations are discarded by having recourse only to a subset of the "
        "samples available for testing",
        tried="a cap of 60 rows is the default of the class",
    ),
    Pin(
        B,
        _RACE,
        "last_race",
        False,
        "The iterative search is composed of two steps",
        tried="a last race on all rows, ours, is the default of the class",
    ),
    Pin(
        B, _RACE, "prefer", "absolute-error", "in terms of estimate Mean absolute Error"
    ),
    Pin(
        B,
        _RACE,
        "scoring",
        "neg_mean_squared_error",
        "largest estimated mean-square error",
    ),
    Pin(
        B,
        "RacedRegressor",
        "combine",
        "average",
        "where each LL model takes as inputs one of the sets returned by the RACSAM "
        "procedure",
        tried="'selected' is LL-RAC1",
    ),
    Pin(B, "RacedRegressor", "selector", "paper", "procedure. In both cases we set"),
    Pin(B, _LAZY, "degrees", 1, _R, tried=_DEFAULT),
    Pin(B, _LAZY, "n_neighbors", 1.0, _R, tried=_DEFAULT),
    Pin(B, _LAZY, "n_best", 1, _R, tried=_DEFAULT),
    Pin(B, _LAZY, "metric", "manhattan", _R, tried=_DEFAULT),
    Pin(B, _LAZY, "ridge", 1e-6, _R, tried=_DEFAULT),
    Pin(B, _LAZY, "scale", False, _R, tried=_DEFAULT),
    Pin(B, _LAZY, "compat", "r", _R, tried=_DEFAULT),
)

_BAGS = "LazyBaggingClassifier"
_STACK = "LazyStackingClassifier"
_BOTH = f"{_BAGS} {_STACK}"
_NUMBER_BAGS = "LazyBaggingRegressor LazyStackingRegressor"
_TREES = "we use C4.5 unpruned decision trees"

STACKING = (
    Pin(
        C,
        _BOTH,
        "n_estimators",
        10,
        ours="L is not in the text; Weka's default",
    ),
    Pin(C, _BOTH, "beta", 0.99, "K value is determined by fixing the β value to 0.99"),
    Pin(C, _BOTH, "max_features", None, _TREES, tried="0.35 is the default"),
    Pin(C, _BAGS, "splits", "best", _TREES),
    Pin(C, _BAGS, "max_samples", None, "LS sample K instances from the k NN subset"),
    Pin(
        C,
        _BOTH,
        "combine",
        "vote",
        "wins the majority votes among the L base classifiers",
        tried="learned and KNORA combinations (results/lazy-stacking.md)",
    ),
    Pin(C, _BOTH, "penalize_nominal_splits", False, _TREES),
    Pin(
        C,
        _STACK,
        "estimators",
        ["tree", "bayes", "neighbors", "linear", "rule"],
        ours="the text has 'different classifiers' and names none",
        tried="Weka's kinds come nearer (results/lazy-stacking.md)",
    ),
    Pin(C, _NUMBER_BAGS, "n_estimators", 10, ours=_FOR_CLASSES),
    Pin(C, _NUMBER_BAGS, "beta", 0.99, ours=_FOR_CLASSES),
    Pin(C, _NUMBER_BAGS, "max_features", None, ours=_FOR_CLASSES),
    Pin(C, _NUMBER_BAGS, "combine", "mean", ours=_FOR_CLASSES),
    Pin(C, _NUMBER_BAGS, "penalize_nominal_splits", False, ours=_FOR_CLASSES),
    Pin(C, "LazyBaggingRegressor", "splits", "best", ours=_FOR_CLASSES),
    Pin(C, "LazyBaggingRegressor", "max_samples", None, ours=_FOR_CLASSES),
    Pin(
        C,
        "LazyStackingRegressor",
        "estimators",
        ["tree", "neighbors", "linear", "rule"],
        ours=_FOR_CLASSES,
    ),
)

PINS = (*SELECTION, *RACING, *STACKING)
"""All pins."""


def to_table() -> str:
    """The pins as a table of Markdown."""
    lines = [
        "| paper | `.paper()` of | value | the text, or why ours | tried |",
        "|---|---|---|---|---|",
    ]
    for pin in PINS:
        names = ", ".join(f"`{name}`" for name in pin.estimators.split())
        words = f"ours: {pin.ours}" if pin.is_ours else f"\u201c{pin.quote}\u201d"
        value = f"`{pin.parameter}={pin.value!r}`"
        lines.append(f"| {pin.paper} | {names} | {value} | {words} | {pin.tried} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(to_table())
