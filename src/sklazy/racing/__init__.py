"""Races: losses in, survivors out; and the search for candidates."""

from sklazy.racing.engine import race
from sklazy.racing.outcome import RaceResult, RaceStep

__all__ = ["RaceResult", "RaceStep", "race"]
