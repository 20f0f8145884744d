"""A recommendation from the figures of a comparison, in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.estimators.advice.candidates import Family
from sklazy.report.amounts import format_amount
from sklazy.report.methods import name_method
from sklazy.report.words import pluralize

Recommendation = Family | Literal["nothing", "not enough time"]
Floats = NDArray[np.float64]

_CLEARLY = 2.0  # standard errors of a paired difference
_AT_ALL = 1.0  # standard errors, below which nothing is learned
_SHOWN = 3  # rivals in a sentence


@dataclass(frozen=True)
class Score:
    """The results of one candidate.

    Attributes
    ----------
    name : str
        The expression that makes it.
    family : str
        "lazy selection", "eager selection", "no selection", "local models", "kernel
        and blend", "ensembles", "trees and rules" or "eager model".
    host : str
        The method, in a word or two.
    loss : float
        Log loss of rows predicted from the other folds; for numbers the mean absolute
        error. It decides.
    error : float
        The standard error of the loss.
    seconds : float
        Seconds to predict a row, in a batch.
    accuracy, auc, calibration_error : float or None
        Share of right answers, area under the ROC curve (mean over classes), and mean
        distance of probabilities from the share of right answers; None for numbers.
    r2 : float or None
        Share of the variance that is explained; None for classes.
    """

    name: str
    family: Family
    host: str
    loss: float
    error: float
    seconds: float
    accuracy: float | None = None
    auc: float | None = None
    calibration_error: float | None = None
    r2: float | None = None


class Verdict(NamedTuple):
    """A recommendation, its reason, and the recommended candidate."""

    recommendation: Recommendation
    sentence: str
    best: Score | None


def recommend(scores: Sequence[Score], losses: Floats, guess: Floats) -> Verdict:
    """Recommend one of the candidates, or none.

    One is *clearly* better than another if the mean difference over the rows that
    both predicted exceeds twice its standard error. The first candidate, the blend, is
    recommended unless another one is clearly better. Nothing is learned where it is not
    better than the guess by more than one standard error.

    `losses` has shape (n_candidates, n_tested); `guess` holds the losses of the shares
    of the classes, or of the median.
    """
    best = _find_unbeaten(losses)
    if not clearly_better(losses[best], guess, _AT_ALL):
        text = _nothing_text(scores[best], float(guess.mean()), len(guess))
        return Verdict("nothing", text, None)
    rivals = [i for i in range(len(scores)) if i != best]
    worse = [i for i in rivals if clearly_better(losses[best], losses[i])]
    text = _winning_text(scores, best, worse, [i for i in rivals if i not in worse])
    if not clearly_better(losses[best], guess):
        text += _barely_text(scores[best], float(guess.mean()))
    return Verdict(scores[best].family, text, scores[best])


def lack_time(n_tested: int, n_needed: int, seconds: float) -> Verdict:
    """The verdict where there was no time for one."""
    done = f"there was time for {pluralize(n_tested, 'row')}"
    if n_tested >= n_needed:
        done += ", but not by all of these"
    text = (
        f"Not enough time: about {_round_up(seconds)} s would do. A verdict needs "
        f"{n_needed} rows, predicted by a blend, a random forest and gradient "
        f"boosting; {done}. Raise max_seconds."
    )
    return Verdict("not enough time", text, None)


def clearly_better(one: Floats, other: Floats, errors: float = _CLEARLY) -> bool:
    """Whether one has lower losses than the other, by so many standard errors."""
    difference = other - one
    error = difference.std() / np.sqrt(len(difference))
    return bool(difference.mean() > errors * error)


def _find_unbeaten(losses: Floats) -> int:
    """The first candidate, or who beats it clearly and is not clearly beaten."""
    means, best = losses.mean(axis=1), 0
    while True:
        better = [
            i for i, each in enumerate(losses) if clearly_better(each, losses[best])
        ]
        if not better:
            return best
        best = min(better, key=lambda i: means[i])


def _round_up(seconds: float) -> int:
    """Seconds to ask for, to two digits, never less."""
    size = 10 ** max(0, int(np.log10(max(seconds, 1.0))) - 1)
    return int(np.ceil(seconds / size) * size)


def _figure(score: Score) -> str:
    """The loss that decides, as in the table."""
    return _write(score.loss, score)


def _write(loss: float, score: Score) -> str:
    """A loss of the kind that a score has."""
    return format_amount(loss, 3) if score.accuracy is None else f"{loss:.3f}"


def _describe(score: Score) -> str:
    """All figures of a candidate."""
    if score.accuracy is None:
        r2 = "" if score.r2 is None else f", R2 {score.r2:.2f}"
        return f"it is off by {_figure(score)} on average{r2}"
    area = "" if score.auc is None else f"AUC {score.auc:.2f}, "
    return f"log loss {_figure(score)} ({area}right in {_share(score.accuracy)})"


def _share(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _nothing_text(best: Score, guessed: float, n_tested: int) -> str:
    if best.accuracy is None:
        always = f"the median, which is off by {_write(guessed, best)} on average"
    else:
        always = f"the shares of the classes, which have log loss {guessed:.3f}"
    return (
        f"Nothing learned here: on {n_tested} rows no method is clearly better than "
        f"always predicting {always} ({name_method(best.host, best.family)}: "
        f"{_figure(best)}). Look for better features or more rows first."
    )


def _barely_text(best: Score, guessed: float) -> str:
    """A caution where the advised method is hardly better than the guess."""
    always = "median" if best.accuracy is None else "shares of the classes"
    return (
        f" That is hardly better than always predicting the {always} "
        f"({_write(guessed, best)}): little can be learned here."
    )


def _winning_text(
    scores: Sequence[Score], best: int, worse: Sequence[int], level: Sequence[int]
) -> str:
    winner = scores[best]
    title = name_method(winner.host, winner.family)
    parts = [f"Use {title}, {winner.name}: {_describe(winner)}"]
    if worse:
        parts.append(f"clearly better than {_list_rivals(scores, worse)}")
    if level:
        parts.append(f"level, within chance, with {_list_rivals(scores, level)}")
    return ", ".join(parts) + "."


def _list_rivals(scores: Sequence[Score], places: Sequence[int]) -> str:
    """Rivals with their loss, the best first; of many, the best few."""
    ranked = sorted(places, key=lambda i: scores[i].loss)
    named = [
        f"{name_method(scores[i].host, scores[i].family)} ({_figure(scores[i])})"
        for i in ranked[:_SHOWN]
    ]
    if len(ranked) > _SHOWN:
        named.append(f"{len(ranked) - _SHOWN} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
