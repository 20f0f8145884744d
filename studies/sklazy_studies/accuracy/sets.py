"""The data sets: one half to choose by, the other to report, large ones, numbers."""

CHOOSE = (
    "anneal",
    "autos",
    "breast-cancer",
    "bridges-version1",
    "car",
    "colic",
    "credit-g",
    "dermatology",
    "ecoli",
    "glass",
    "hayes-roth",
    "heart-h",
    "hepatitis",
    "ionosphere",
    "kr-vs-kp",
    "primary-tumor",
    "segment",
    "solar-flare2",
    "soybean",
    "splice",
    "tic-tac-toe",
    "vote",
    "wdbc",
    "zoo",
)
"""The sets that settings may be chosen by."""

REPORT = (
    "audiology",
    "balance-scale",
    "breast-w",
    "bupa",
    "cmc",
    "credit-a",
    "cylinder-bands",
    "diabetes",
    "flags",
    "haberman",
    "heart-c",
    "heart-statlog",
    "hypothyroid",
    "iris",
    "lymph",
    "promoters",
    "sick",
    "sonar",
    "spect",
    "tae",
    "vehicle",
    "vowel",
    "wine",
)
"""The sets that took no part in any choice."""

LARGE = (
    "splice",
    "kr-vs-kp",
    "sick",
    "hypothyroid",
    "spambase",
    "waveform-5000",
    "page-blocks",
    "optdigits",
    "pendigits",
    "letter",
)
"""Sets of more than 3 000 rows, used whole; one fold of five is asked."""

NUMBERS = (
    "ailerons",
    "elevators",
    "house_16H",
    "house_8L",
    "pol",
    "triazines",
    "wisconsin",
)
"""The sets with numbers to predict."""

QUICK = ("hayes-roth", "tae", "zoo", "wisconsin")

MOST_ROWS = 800
"""Rows of a set to choose by or to report; of larger ones a stratified draw."""

MOST_NUMBERS = 1200
"""Rows of a set with numbers to predict."""
