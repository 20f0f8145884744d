"""Cases in two dimensions: classical scaling of landmarks, then of all cases.

References
----------
V. de Silva, J. B. Tenenbaum: Sparse multidimensional scaling using landmark points.
Technical report, Stanford University, 2004.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sklazy.answer.batch import batch_of_cases
from sklazy.methods.plain import number
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.space import DistanceSpace, heom_space, learner_space
from sklazy.web.explore.state import Floats, Ints, State, plain_id

Plain = dict[str, Any]

MOST_DRAWN = 1500
_LANDMARKS = 150
_LEAST = 1e-9  # of the first dimension's spread, below which the second is rounding


class Plane(NamedTuple):
    """Rows in two dimensions.

    Attributes
    ----------
    rows : int array of shape (n_drawn,)
    points : float64 array of shape (n_drawn, 2)
    share : float
        Share of the landmarks' variation in the two dimensions.
    how : str
        The distance, in words.
    """

    rows: Ints
    points: Floats
    share: float
    how: str


def draw_plane(
    state: State, also: Sequence[int] = (), weights: dict[str, float] | None = None
) -> Plane:
    """Project rows to two dimensions, by the distances of the model.

    Parameters
    ----------
    state : State
    also : sequence of int
        Rows that must be among them.
    weights : dict, optional
        Weights of features, for a HEOM distance instead.
    """
    rows = np.array(list(dict.fromkeys([*state.order[:MOST_DRAWN].tolist(), *also])))
    if weights:
        queries = batch_of_cases(state.base, state.places[rows]).queries
        space, how = (
            heom_space(state.base, queries, weights),
            _describe_weights(weights),
        )
    else:
        space, how = learner_space(state, rows)
    points, share = scale_landmarks(space, min(_LANDMARKS, len(rows)))
    return Plane(rows, points, share, how)


def _describe_weights(weights: dict[str, float]) -> str:
    names = sorted(weights, key=lambda name: -weights[name])
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return f"HEOM distance on {', '.join(names[:4])}{more}"


def scale_landmarks(space: DistanceSpace, n_landmarks: int) -> tuple[Floats, float]:
    """Scale the first rows, and place all rows by their distances to them."""
    marks = space.places[:n_landmarks]
    squares = np.array([space.measure(place) for place in marks]) ** 2
    inner = squares[:, :n_landmarks]
    means = inner.mean(axis=0)
    centered = -0.5 * (inner - means - means[:, None] + means.mean())
    values, vectors = np.linalg.eigh(centered)
    least = _LEAST * values[-1]
    best = [i for i in (-1, -2) if -i <= len(values) and values[i] > max(0, least)]
    points = np.zeros((squares.shape[1], 2))
    for axis, i in enumerate(best):
        vector = vectors[:, i] * np.sign(vectors[np.abs(vectors[:, i]).argmax(), i])
        points[:, axis] = vector @ (means[:, None] - squares) / (2 * np.sqrt(values[i]))
    spread = float(np.maximum(values, 0).sum())
    kept = sum(float(values[i]) for i in best)
    return points, kept / spread if spread > 0 else 1.0


def describe_map(state: State, left_out: LeftOut, plane: Plane) -> Plain:
    """The points with the values that color them."""
    rows = plane.rows
    known, doubts = left_out.known[rows], left_out.scaled_doubts()[rows]
    left_out.ask_for(rows[~known][:500].tolist())
    agrees = left_out.answers[rows] == state.truths[rows]
    points = [
        {
            "id": plain_id(state.ids[row]),
            "x": round(float(x), 5),
            "y": round(float(y), 5),
            "truth": state.truth(row),
            "answer": state.label(left_out.answers[row]) if is_known else None,
            "wrong": not is_right if is_known and state.classifies else None,
            "doubt": number(doubt),
        }
        for row, (x, y), is_known, is_right, doubt in zip(
            *(rows.tolist(), plane.points, known.tolist(), agrees.tolist(), doubts),
            strict=True,
        )
    ]
    return {
        "points": points,
        "n_drawn": len(rows),
        "n_rows": state.n_rows,
        "n_open": int((~known).sum()),
        "share": plane.share,
        "how": plane.how,
    }
