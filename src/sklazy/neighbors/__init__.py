"""A query's neighbours, all tied with the last of them included."""

from sklazy.neighbors.cases import MixedCases, NominalCases
from sklazy.neighbors.nearest import find_nearest
from sklazy.neighbors.nominal import Neighborhood, NominalSearch, count_agreements
from sklazy.neighbors.voting import decide, to_probabilities, vote_by_weight

__all__ = [
    "MixedCases",
    "Neighborhood",
    "NominalCases",
    "NominalSearch",
    "count_agreements",
    "decide",
    "find_nearest",
    "to_probabilities",
    "vote_by_weight",
]
