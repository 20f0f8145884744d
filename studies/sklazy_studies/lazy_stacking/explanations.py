"""Why cells differ from the paper's by more than three standard errors."""

_KNN = (
    "neither the number of neighbors nor the weights of its k-NN are in the paper "
    "(python -m sklazy_studies.explain knn)"
)
_PRUNED = (
    "the paper's tree is pruned: Weka 3.6.14's J48 is right in {} % (weka.classifiers."
    "trees.J48 -t FILE -x 5), J48 -U in {} %"
)

EXPLANATIONS: dict[tuple[str, str], str] = {
    ("", "k-NN"): _KNN,
    ("balance-labels", "C4.5"): _PRUNED.format("65.82", "68.54"),
    ("colic", "C4.5"): _PRUNED.format("85.03", "82.45"),
}
"""By set and method, or by method alone; others are shown as not explained."""
