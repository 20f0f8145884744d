"""A recommendation from the figures of a comparison, in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.estimators.advice.comparison import Family

Recommendation = Literal[
    "lazy selection",
    "eager selection",
    "no selection",
    "kernel and blend",
    "eager model",
    "either",
    "nothing",
]

_CLEARLY = 2.0  # standard errors of a paired difference


@dataclass(frozen=True)
class Score:
    """The results of one candidate.

    Attributes
    ----------
    name : str
    family : str
        "lazy selection", "eager selection", "no selection", "kernel and blend" or
        "eager model".
    host : str
    accuracy : float
        Share of the rows predicted correctly from the other folds.
    error : float
        Its standard error.
    leave_one_out : float or None
        Share predicted correctly from all other rows, with cuts from all rows; None
        where there are no cuts.
    seconds : float
        To predict a row, in a batch.
    """

    name: str
    family: Family
    host: str
    accuracy: float
    error: float
    leave_one_out: float | None
    seconds: float


Best = dict[Family, Score]
"""The best of each family."""


class Verdict(NamedTuple):
    """A recommendation, its reason, and the recommended candidate."""

    recommendation: Recommendation
    sentence: str
    best: Score | None


def recommend(
    scores: Sequence[Score], correct: NDArray[np.bool_], guess: NDArray[np.bool_]
) -> Verdict:
    """Recommend one of the candidates, or none.

    One is *clearly* better than another if the mean difference over the rows that
    both predicted exceeds twice its standard error.

    Parameters
    ----------
    scores : sequence of Score
    correct : bool array of shape (n_candidates, n_tested)
    guess : bool array of shape (n_tested,)
        Where the most frequent class is right.
    """
    best = {family: _best(scores, family) for family in _families(scores)}
    right = {family: correct[i] for family, i in best.items()}
    top = {family: scores[i] for family, i in best.items()}
    first, ours = _leader(top), _leader(top, without="eager model")
    if not clearly_better(right[first], guess):
        return Verdict("nothing", _nothing(top[first], float(guess.mean())), None)
    if clearly_better(right["eager model"], right[ours]):
        return Verdict("eager model", _eager_model(top, ours), top["eager model"])
    if clearly_better(right[ours], right["lazy selection"]):
        accurate = ours == "kernel and blend"
        say = _accurate(top, right) if accurate else _other_selection(top, ours)
        return Verdict(ours, say, top[ours])
    return _for_lazy(top, right)


def _for_lazy(top: Best, right: dict[Family, NDArray[np.bool_]]) -> Verdict:
    """Recommend lazy selection if it is clearly better than any other family."""
    rivals = [family for family in top if family != "lazy selection"]
    worse = [f for f in rivals if clearly_better(right["lazy selection"], right[f])]
    if not worse:
        return Verdict("either", _either(top, rivals), top["lazy selection"])
    level = [family for family in rivals if family not in worse]
    return Verdict("lazy selection", _lazy(top, worse, level), top["lazy selection"])


def clearly_better(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    """Whether one is right significantly more often than the other."""
    difference = one.astype(np.float64) - other
    error = difference.std() / np.sqrt(len(difference))
    return bool(difference.mean() > _CLEARLY * error)


def _families(scores: Sequence[Score]) -> list[Family]:
    return list(dict.fromkeys(score.family for score in scores))


def _best(scores: Sequence[Score], family: Family) -> int:
    places = [i for i, score in enumerate(scores) if score.family == family]
    return max(places, key=lambda i: scores[i].accuracy)


def _leader(top: Best, without: str = "") -> Family:
    """The best family; lazy selection if it is equally good."""
    left = [family for family in top if family != without]
    return max(left, key=lambda f: (top[f].accuracy, f == "lazy selection"))


def _percent(score: Score) -> str:
    return _share(score.accuracy)


def _share(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _nothing(best: Score, guessed: float) -> str:
    return (
        "Nothing learned here: no method is clearly better than always predicting the "
        f"most frequent class, which is right in {_share(guessed)} (best: "
        f"{best.host}, {_percent(best)}). Look for better attributes or more rows "
        "first."
    )


def _eager_model(top: Best, ours: Family) -> str:
    model, lazy = top["eager model"], top[ours]
    return (
        f"Use an eager model: {model.name} is right in {_percent(model)}, clearly more "
        f"than the best lazy method, {lazy.name} ({_percent(lazy)})."
    )


def _other_selection(top: Best, ours: Family) -> str:
    wording = {
        "no selection": "Do without selection",
        "eager selection": "Select once for all rows",
    }
    return (
        f"{wording[ours]}: {top[ours].name} is right in {_percent(top[ours])}, clearly "
        f"more than with lazy selection ({_percent(top['lazy selection'])}). "
        f"{_against_model(top)}"
    )


def _accurate(top: Best, right: dict[Family, NDArray[np.bool_]]) -> str:
    own, model = top["kernel and blend"], top["eager model"]
    beaten = clearly_better(right["kernel and blend"], right["eager model"])
    beside = "clearly more than" if beaten else "level, within chance, with"
    return (
        f"Use {own.name}: it is right in {_percent(own)}, clearly more than with lazy "
        f"selection ({_percent(top['lazy selection'])}), and {beside} the best eager "
        f"model, {model.name} ({_percent(model)})."
    )


def _lazy(top: Best, worse: Sequence[Family], level: Sequence[Family]) -> str:
    lazy = top["lazy selection"]
    parts = [
        f"Use lazy selection: {lazy.name} is right in {_percent(lazy)}",
        f"clearly more than {_figures(top, worse)}",
    ]
    if level:
        parts.append(f"and level, within chance, with {_figures(top, level)}")
    return ", ".join(parts) + "."


def _either(top: Best, rivals: Sequence[Family]) -> str:
    lazy = top["lazy selection"]
    return (
        f"Take what suits you: {lazy.name} is right in {_percent(lazy)}, level, within "
        f"chance, with {_figures(top, rivals)}. Lazy selection gives receipts on few "
        "attributes and rows that can be added and erased; it does not buy accuracy "
        "here."
    )


def _figures(top: Best, families: Sequence[Family]) -> str:
    figures = [
        f"{_article(family)} ({_percent(top[family])}, {top[family].host})"
        for family in families
    ]
    if len(figures) == 1:
        return figures[0]
    return f"{', '.join(figures[:-1])} and {figures[-1]}"


def _article(family: Family) -> str:
    articles = {"eager model": "an eager model", "kernel and blend": "kernel or blend"}
    return articles.get(family, family)


def _against_model(top: Best) -> str:
    model = top["eager model"]
    return f"The best eager model, {model.name}, reaches {_percent(model)}."
