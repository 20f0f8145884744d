"""The figures that Bontempi, Birattari and Meyer report."""

REFERENCE = (
    "G. Bontempi, M. Birattari, P. E. Meyer: Combining lazy learning, racing and "
    "subsampling for effective feature selection. ICANNGA 2005."
)

SUCCESS = 92
"""Table 1: percent of the runs that find the ten inputs. All other cells are lost, and
so is the row of this one: the number of inputs, the start, even the method."""

ERRORS = {
    "ailerons": (9.7e-5, 9.0e-5, 1.3e-4, 1.8e-4),
    "pol": (3.12, 3.13, 26.5, 8.80),
    "elevators": (1.6e-3, 1.5e-3, 1.9e-3, 3.1e-3),
    "triazines": (0.21, 0.12, 0.11, 0.11),
    "wisconsin": (27.39, 27.41, 29.91, 33.02),
    "house_16H": (0.17, 0.16, 0.21, 0.17),
    "house_8L": (0.17, 0.16, 0.21, 0.17),
}
"""Table 2, mean absolute errors of LL-RAC1, LL-RAC2, SVM and tree. The paper has one
Census, which may be either of the last two."""

UNITS = {"house_16H": 1e5, "house_8L": 1e5}
"""Prices in units of 100 000: our reading, by which both methods agree with the paper
(`python -m sklazy_studies.explain census`)."""

COLUMNS = ("LL-RAC1", "LL-RAC2", "svm", "tree")
"""The methods of `ERRORS`."""


def rounding(name: str, column: str) -> float:
    """The unit of the last digit that the paper has, in the units of our data.

    Examples
    --------
    >>> rounding("pol", "svm"), rounding("wisconsin", "tree")
    (0.1, 0.01)
    >>> rounding("house_8L", "tree")
    1000.0
    """
    digits = _LAST_DIGITS[name][COLUMNS.index(column)]
    return digits * UNITS.get(name, 1.0)


_LAST_DIGITS = {
    "ailerons": (1e-6, 1e-6, 1e-5, 1e-5),
    "pol": (0.01, 0.01, 0.1, 0.01),
    "elevators": (1e-4, 1e-4, 1e-4, 1e-4),
    "triazines": (0.01, 0.01, 0.01, 0.01),
    "wisconsin": (0.01, 0.01, 0.01, 0.01),
    "house_16H": (0.01, 0.01, 0.01, 0.01),
    "house_8L": (0.01, 0.01, 0.01, 0.01),
}


def paper_column(method: str) -> str:
    """The paper's column that a method of ours stands beside; empty for others.

    Examples
    --------
    >>> paper_column("LL-RAC2, text"), paper_column("svm, scaled")
    ('LL-RAC2', 'svm')
    >>> paper_column("random-forest")
    ''
    """
    column = method.split(",")[0]
    return column if column in COLUMNS else ""


WINS = {"svm": 5, "tree": 6, "LL-RAC1": 3}
"""Of six sets, on how many LL-RAC2 is significantly better; never worse."""
