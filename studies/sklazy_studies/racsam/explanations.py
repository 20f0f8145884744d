"""Why cells of table 2 differ from the paper's by more than three standard errors."""

EXPLANATIONS: dict[tuple[str, str], str] = {}
"""By set and method, or by method alone for all its sets."""
