"""The figures that Homayouni, Hashemi and Hamzeh report."""

REFERENCE = (
    "H. Homayouni, S. Hashemi, A. Hamzeh: A lazy ensemble learning method to "
    "classification. International Journal of Computer Science Issues 7(5), 2010."
)

METHODS = ("k-NN", "C4.5", "bagging", "lazy bagging", "lazy stacking")

ACCURACIES: dict[str, tuple[float | None, ...]] = {
    "audiology": (54.42, 76.15, 78.54, 81.75, 83.30),
    "labor": (84.45, 78.95, 84.04, 86.64, 90.56),
    "balance-labels": (89.28, 65.74, 74.66, 77.23, 86.24),
    "diabetes": (75.00, 73.65, 75.17, 76.23, 76.32),
    "bupa": (63.47, 64.20, 69.17, 70.23, 70.28),
    "car": (78.67, 91.37, 92.58, 93.21, 94.78),
    "hayes-132": (64.36, 71.32, 73.50, 75.76, 81.07),
    "colic": (81.61, 85.12, 84.10, 84.96, 84.35),
    "glass": (64.95, 66.92, 72.62, 74.31, 74.55),
    "sonar": (73.18, 73.08, 75.91, 80.05, 84.66),
    "ecoli": (86.01, 82.56, 83.72, 83.30, 85.57),
    "kr-vs-kp": (89.64, 99.29, 99.36, 99.69, 99.71),
    "lymph": (None, None, None, 80.41, 85.01),
}
"""Tables 2 and 3: mean accuracies in percent over ten times five folds."""

DEVIATIONS: dict[str, tuple[float | None, ...]] = {
    "audiology": (2.47, 2.04, 2.71, 1.98, 1.76),
    "labor": (2.57, 3.88, 4.25, 3.51, 2.71),
    "balance-labels": (0.98, 0.85, 0.72, 1.04, 0.48),
    "diabetes": (1.05, 1.21, 0.81, 0.68, 1.08),
    "bupa": (2.21, 2.90, 1.88, 2.04, 1.38),
    "car": (0.64, 0.86, 0.80, 0.48, 0.27),
    "hayes-132": (2.68, 3.1, 2.37, 1.18, 2.52),
    "colic": (1.26, 0.67, 0.94, 0.63, 1.01),
    "glass": (1.87, 2.65, 1.88, 1.62, 1.77),
    "sonar": (6.75, 3.63, 2.21, 1.78, 1.87),
    "ecoli": (1.07, 1.17, 1.06, 1.11, 0.69),
    "kr-vs-kp": (0.15, 0.12, 0.08, 0.08, 0.12),
    "lymph": (None, None, None, 2.02, 1.04),
}
"""Tables 2 and 3: standard deviations over the ten trials."""

TABLE_1 = {
    "audiology": (24, 70, 126),
    "balance-labels": (3, 5, 625),
    "bupa": (2, 7, 345),
    "car": (4, 7, 1728),
    "ecoli": (8, 8, 336),
    "glass": (6, 10, 214),
    "hayes-132": (3, 5, 132),
    "colic": (2, 23, 368),
    "kr-vs-kp": (2, 37, 3196),
    "labor": (4, 17, 57),
    "sonar": (2, 61, 208),
}
"""Table 1: classes, attributes with the class, rows; without Pima and Lymph."""

P_VALUES = {
    "balance-labels": "<0.001",
    "sonar": "<0.001",
    "lymph": "<0.001",
    "labor": "0.018",
    "ecoli": "0.048",
    "hayes-132": "0.001",
    "bupa": "0.045",
    "audiology": "0.014",
    "glass": "0.042",
    "diabetes": "0.015",
    "kr-vs-kp": "0.218",
    "colic": "0.440",
}
"""Table 3: lazy stacking against lazy bagging."""

MEANS = {"lazy bagging": 81.95, "lazy stacking": 84.28}
"""Over the twelve sets of table 2, from the text of the paper."""
