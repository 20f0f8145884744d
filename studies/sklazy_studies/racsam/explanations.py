"""Why cells of table 2 differ from the paper's by more than three standard errors."""

_KERNEL = (
    "the text names no kernel, and e1071's default is radial; with a linear one, 'svm, "
    "linear', the figures agree on ailerons, pol, elevators and house_8L "
    "(python -m sklazy_studies.explain svm-kernel)"
)
_CENSUS = (
    "the paper's Census is house_8L rather than house_16H: there 'text, scaled' and "
    "the linear machine have its figures (sklazy reproduce racsam --sets house_8L)"
)
_SCALE = (
    "the text names no scaling, and R's lazy has none; with columns scaled see 'text, "
    "scaled' beside it (sklazy reproduce racsam --sets elevators,house_8L)"
)
_POL = (
    "the sizes of training and test sets are lost in our copy: with 500 test rows 4.0, "
    "with all rows and our last race 2.6, 'ours' beside it "
    "(sklazy reproduce racsam --sets pol)"
)
_AILERONS = (
    "not reproduced, and no method here comes near: scaled columns and our last race "
    "give 1.2e-4, boosting 1.1e-4; answers rounded to whole multiples of 1e-4, as the "
    "targets are, gain 1 to 2 %, and parabolas nothing "
    "(python -m sklazy_studies.explain ailerons)"
)
_TREE = (
    "not reproduced with the rule that agrees on the other five sets: medians of "
    "leaves give 0.20, logarithms 0.21; a tree by the rule of R's help page and five "
    "times finer would have 0.17 (python -m sklazy_studies.explain census-tree)"
)
_WILD = (
    "0.21 is worse than a constant, which errs by 0.12; with many inputs single "
    "answers of R's lazy are off by more than 5, which lifts a mean as far "
    "(python -m sklazy_studies.explain triazines)"
)

EXPLANATIONS: dict[tuple[str, str], str] = {
    ("", "svm"): _KERNEL,
    ("pol", "svm"): (
        f"{_KERNEL}; also, 22 of 48 columns are constant, and e1071 then scales none "
        "(python -m sklazy_studies.explain pol-svm)"
    ),
    ("triazines", "LL-RAC1, text"): _WILD,
    ("house_8L", "tree"): _TREE,
    **{("ailerons", f"LL-RAC{i}, text"): _AILERONS for i in (1, 2)},
    **{("pol", f"LL-RAC{i}, text"): _POL for i in (1, 2)},
    **{
        (name, f"LL-RAC{i}, text"): _SCALE
        for name in ("elevators", "house_8L")
        for i in (1, 2)
    },
    **{
        ("house_16H", method): _CENSUS
        for method in ("LL-RAC1, text", "LL-RAC2, text", "svm, linear", "tree")
    },
}
"""By set and method, or by method alone."""
