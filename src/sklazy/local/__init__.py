"""Neighbors become small models."""

from sklazy.local.local_models.plans import (
    count_terms,
    find_ranges,
    make_plan,
    neighbor_range,
)
from sklazy.local.local_models.regression import fit_models
from sklazy.local.local_models.space import Space, make_space, place

__all__ = [
    "Space",
    "count_terms",
    "find_ranges",
    "fit_models",
    "make_plan",
    "make_space",
    "neighbor_range",
    "place",
]
