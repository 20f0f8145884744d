"""Why cells of table 2 differ from the paper's by more than three standard errors."""

EXPLANATIONS: dict[tuple[str, str], str] = {
    ("pol", "svm"): (
        "22 of 48 columns are constant, and e1071 then scales none "
        "(python -m sklazy_studies.explain pol-svm)"
    ),
}
"""By set and method; cells that are not here are shown as not explained."""
