"""Contributions of features to local partial least squares: its slopes."""

import numpy as np

from sklazy.answer.batch import Batch
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import Shares, Wish, pick_outputs
from sklazy.methods.local_models.reasons import share_lines
from sklazy.methods.pls.learner import PLSAnswer, explain_answer


def contribute(
    learner: AnyLearner, answer: PLSAnswer, batch: Batch, wish: Wish
) -> Shares | None:
    """Slope times (value - mean); None where these are not finite."""
    data = answer.data
    slopes = np.stack([explain_answer(answer, i).slopes for i in range(len(batch))])
    totals = pick_outputs(answer, wish)
    slopes = np.nan_to_num(slopes / data.target_unit, nan=0.0)
    return share_lines(slopes, answer.regressors, data.space, batch, wish, totals)
