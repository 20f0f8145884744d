"""Mean ranks of methods over data sets, drawn with groups that do not differ."""

from collections.abc import Sequence

from numpy.typing import ArrayLike

from sklazy.report.plots import draw_ranks
from sklazy_studies.document import Figure
from sklazy_studies.harness.significance import (
    critical_difference,
    indistinct_groups,
    mean_ranks,
)


def rank_figure(
    methods: Sequence[str], scores: ArrayLike, label: str, caption: str
) -> Figure:
    """Draw mean ranks; bars join methods within Nemenyi's critical difference.

    Parameters
    ----------
    methods : sequence of str
    scores : array-like of shape (n_sets, n_methods)
        Higher is better.
    label, caption : str
    """
    ranks = mean_ranks(scores)
    n_sets = len(scores)  # type: ignore[arg-type]
    difference = critical_difference(len(methods), n_sets)
    groups = indistinct_groups(ranks, difference)
    canvas = draw_ranks(methods, ranks.tolist(), difference, groups, label)
    return Figure("ranks", canvas, caption)
