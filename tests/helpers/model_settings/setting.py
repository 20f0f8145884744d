"""An estimator as tests by discovery set it up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sklearn.base import BaseEstimator


@dataclass(frozen=True)
class Setting:
    """One estimator, set up.

    Attributes
    ----------
    model : estimator
        Not fitted; tests clone it.
    why : str
        What this setting reaches that the others do not.
    checked : bool
        Whether scikit-learn's own checks run on it; that takes seconds.
    fails : dict of str
        Checks of scikit-learn's that it is not meant to pass, with the reason.
    min_rows : int
        The fewest rows that it can be fitted to.
    exempt : str
        Why it is not held to the laws, if it is not.
    """

    model: BaseEstimator
    why: str
    checked: bool = False
    fails: Mapping[str, str] = field(default_factory=dict)
    min_rows: int = 1
    exempt: str = ""


def checked(model, why, fails=(), **limits):
    """A setting that scikit-learn's checks run on, too."""
    return Setting(model, why, True, dict(fails), **limits)
