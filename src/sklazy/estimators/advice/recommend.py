"""A recommendation from the figures of a comparison, in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.estimators.advice.candidates import SELECTIONS, Family

Recommendation = Family | Literal["either", "nothing"]
Floats = NDArray[np.float64]

_CLEARLY = 2.0  # standard errors of a paired difference

_GIVEN_BY: dict[Family, str] = {
    "lazy selection": "Lazy selection gives receipts on few attributes and rows that "
    "can be added and erased; it does not buy accuracy here.",
    "local models": "Local models give receipts of few cases and rows that can be "
    "added and erased; they do not buy accuracy here.",
}


@dataclass(frozen=True)
class Score:
    """The results of one candidate.

    Attributes
    ----------
    name : str
    family : str
        "lazy selection", "eager selection", "no selection", "local models", "kernel
        and blend", "ensembles", "trees and rules" or "eager model".
    host : str
    accuracy : float or None
        Share of rows predicted correctly from the other folds; None for numbers.
    error : float
        The standard error of the accuracy, or of the mean absolute error.
    leave_one_out : float or None
        Share predicted correctly from all other rows, with cuts from all rows; None if
        there are no cuts, or it was not measured.
    seconds : float
        Seconds to predict a row, in a batch.
    mean_absolute_error : float or None
        Error of numbers predicted from the other folds; None for classes.
    """

    name: str
    family: Family
    host: str
    accuracy: float | None
    error: float
    leave_one_out: float | None
    seconds: float
    mean_absolute_error: float | None = None

    @property
    def loss(self) -> float:
        """The loss to minimize."""
        if self.accuracy is None:
            assert self.mean_absolute_error is not None
            return self.mean_absolute_error
        return 1.0 - self.accuracy


Best = dict[Family, Score]
"""The best of each family."""


class Verdict(NamedTuple):
    """A recommendation, its reason, and the recommended candidate."""

    recommendation: Recommendation
    sentence: str
    best: Score | None


def recommend(scores: Sequence[Score], losses: Floats, guess: Floats) -> Verdict:
    """Recommend one of the candidates, or none.

    One is *clearly* better than another if the mean difference over the rows that
    both predicted exceeds twice its standard error. Lazy selection is the first choice
    for classes and local models for numbers. Another lazy method must be clearly better
    than that, and an eager model clearly better than every lazy one. `losses` has shape
    (n_candidates, n_tested); `guess` holds the losses of the most frequent class, or of
    the median.
    """
    best = {family: _best_of(scores, family) for family in _families(scores)}
    losses_of = {family: losses[i] for family, i in best.items()}
    top = {family: scores[i] for family, i in best.items()}
    first, ours = _leader(top), _leader(top, without="eager model")
    plain, eager = _first_choice(top), losses_of.get("eager model")
    if not clearly_better(losses_of[first], guess):
        return Verdict("nothing", _nothing_text(top[first], float(guess.mean())), None)
    if eager is not None and clearly_better(eager, losses_of[ours]):
        return Verdict("eager model", _eager_text(top, ours), top["eager model"])
    if not clearly_better(losses_of[ours], losses_of[plain]):
        return _for_first_choice(top, losses_of)
    reason = _accurate_text(top, losses_of, ours)
    if plain == "lazy selection" and ours in dict(SELECTIONS):
        reason = _selection_text(top, ours)
    return Verdict(ours, reason, top[ours])


def _for_first_choice(top: Best, losses: dict[Family, Floats]) -> Verdict:
    """Recommend the first choice if it is clearly better than any other family."""
    plain = _first_choice(top)
    rivals = [family for family in top if family != plain]
    worse = [f for f in rivals if clearly_better(losses[plain], losses[f])]
    if not worse:
        return Verdict("either", _either_text(top, rivals), top[plain])
    level = [family for family in rivals if family not in worse]
    return Verdict(plain, _lazy_text(top, worse, level), top[plain])


def clearly_better(one: Floats, other: Floats) -> bool:
    """Whether one has significantly lower losses than the other."""
    difference = other - one
    error = difference.std() / np.sqrt(len(difference))
    return bool(difference.mean() > _CLEARLY * error)


def _families(scores: Sequence[Score]) -> list[Family]:
    return list(dict.fromkeys(score.family for score in scores))


def _first_choice(top: Best) -> Family:
    lazy = top.get("lazy selection")
    of_classes = lazy is not None and lazy.accuracy is not None
    return "lazy selection" if of_classes else "local models"


def _best_of(scores: Sequence[Score], family: Family) -> int:
    places = [i for i, score in enumerate(scores) if score.family == family]
    return min(places, key=lambda i: scores[i].loss)


def _leader(top: Best, without: str = "") -> Family:
    """The best family; the first choice if it is equally good."""
    left = [family for family in top if family != without]
    return min(left, key=lambda f: (top[f].loss, f != _first_choice(top)))


def _figure(score: Score) -> str:
    """How good a candidate is, as a figure."""
    if score.accuracy is not None:
        return _share(score.accuracy)
    return f"{score.mean_absolute_error:.3g} off"


def _rated(score: Score) -> str:
    """How good a candidate is, as a verb and a figure."""
    if score.accuracy is not None:
        return f"is right in {_share(score.accuracy)}"
    return f"is off by {score.mean_absolute_error:.3g} on average"


def _more(score: Score) -> str:
    return "less" if score.accuracy is None else "more"


def _share(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _nothing_text(best: Score, guessed: float) -> str:
    if best.accuracy is None:
        always = f"median, which is off by {guessed:.3g} on average"
    else:
        always = f"most frequent class, which is right in {_share(1 - guessed)}"
    return (
        "Nothing learned here: no method is clearly better than always predicting the "
        f"{always} (best: {best.host}, {_figure(best)}). Look for better attributes or "
        "more rows first."
    )


def _eager_text(top: Best, ours: Family) -> str:
    model, lazy = top["eager model"], top[ours]
    return (
        f"Use an eager model: {model.name} {_rated(model)}, clearly {_more(model)} "
        f"than the best lazy method, {lazy.name} ({_figure(lazy)})."
    )


def _selection_text(top: Best, ours: Family) -> str:
    wording = {
        "no selection": "Do without selection",
        "eager selection": "Select once for all rows",
    }
    best = top[ours]
    return (
        f"{wording[ours]}: {best.name} {_rated(best)}, clearly more than with lazy "
        f"selection ({_figure(top['lazy selection'])}).{_against_model(top)}"
    )


def _accurate_text(top: Best, losses: dict[Family, Floats], ours: Family) -> str:
    winner, plain = top[ours], top[_first_choice(top)]
    claim = (
        f"Use {winner.name}: it {_rated(winner)}, clearly {_more(winner)} than with "
        f"{plain.family} ({_figure(plain)})"
    )
    if "eager model" not in top:
        return f"{claim}."
    model = top["eager model"]
    beaten = clearly_better(losses[ours], losses["eager model"])
    beside = f"clearly {_more(winner)} than" if beaten else "level, within chance, with"
    return (
        f"{claim}, and {beside} the best eager model, {model.name} ({_figure(model)})."
    )


def _lazy_text(top: Best, worse: Sequence[Family], level: Sequence[Family]) -> str:
    lazy = top[_first_choice(top)]
    parts = [
        f"Use {lazy.family}: {lazy.name} {_rated(lazy)}",
        f"clearly {_more(lazy)} than {_figures(top, worse)}",
    ]
    if level:
        parts.append(f"and level, within chance, with {_figures(top, level)}")
    return ", ".join(parts) + "."


def _either_text(top: Best, rivals: Sequence[Family]) -> str:
    lazy = top[_first_choice(top)]
    beside = f", level, within chance, with {_figures(top, rivals)}" if rivals else ""
    return (
        f"Take what suits you: {lazy.name} {_rated(lazy)}{beside}. "
        f"{_GIVEN_BY[lazy.family]}"
    )


def _figures(top: Best, families: Sequence[Family]) -> str:
    figures = [
        f"{_article(family)} ({_figure(top[family])}, {top[family].host})"
        for family in families
    ]
    if len(figures) == 1:
        return figures[0]
    return f"{', '.join(figures[:-1])} and {figures[-1]}"


def _article(family: Family) -> str:
    articles = {"eager model": "an eager model", "kernel and blend": "kernel or blend"}
    return articles.get(family, family)


def _against_model(top: Best) -> str:
    if "eager model" not in top:
        return ""
    model = top["eager model"]
    return f" The best eager model, {model.name}, reaches {_figure(model)}."
