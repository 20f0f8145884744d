"""Receipts of local partial least squares: the model, its neighbors, its limits."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sklazy.kernels.columns import to_distances
from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.local_models.receipt import (
    ALIKE,
    describe_alike,
    describe_regressors,
    measure,
    rescale,
)
from sklazy.methods.plain import (
    MOST_LISTED,
    MOST_NEAREST,
    Floats,
    Plain,
    number,
    numbers,
)
from sklazy.methods.pls.drawing import draw_pls
from sklazy.methods.pls.learner import PLSAnswer, explain_answer
from sklazy.methods.pls.model import Explained
from sklazy.methods.pls.reasons import contribute
from sklazy.neighbors.spectra import to_metric

_PLACES = ("inside", "outside", "far outside")
_FAR = 3.0  # times the largest leverage or Q of a neighbor left out

_NEIGHBOR = {
    "id": c.label,
    "target": c.figure,
    "distance": c.figure,
    "weight": c.figure,
    "leverage": c.figure,
    "q": c.figure,
}

FIELDS: dict[str, c.Check] = {
    "model": c.record(
        {
            "n_components": c.count,
            "max_components": c.count,
            "min_components": c.count,
            "error": c.figure,
            "errors": c.list_of(c.figure),
            "shares": c.list_of(c.share),
            "n_columns": c.count,
            "mean": c.figure,
        }
    ),
    "trust": c.record(
        {
            "place": c.one_of(*_PLACES),
            "leverage": c.figure,
            "largest_leverage": c.figure,
            "q": c.figure,
            "largest_q": c.figure,
        }
    ),
    "neighbors": c.record(
        {
            "k": c.count,
            "min": c.figure,
            "max": c.figure,
            "n_missing": c.count,
            "listed": c.list_of(c.record(_NEIGHBOR, optional=ALIKE), MOST_LISTED),
        }
    ),
    "coefficients": c.dict_of(c.figure),
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    model, near = content["model"], content["neighbors"]
    yield "model.shares", len(model["shares"]) == len(model["errors"]) > 0
    yield "model.n_components", model["n_components"] < len(model["shares"])
    yield "model.min_components", model["min_components"] < len(model["shares"])
    yield "model.n_columns", model["n_columns"] <= len(content["coefficients"])
    most = MOST_NEAREST if "detail" in content else MOST_LISTED
    yield "neighbors.listed", len(near["listed"]) == min(near["k"], most)
    yield "answer", not isinstance(content["answer"], list)


def bodies(answer: PLSAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of local partial least squares, for each query."""
    for query in range(len(queries)):
        explained = explain_answer(answer, query)
        yield {
            "model": _model(answer, query, explained),
            "trust": _trust(answer, explained),
            "neighbors": _neighbors(answer, query, explained),
            "coefficients": _coefficients(answer, explained),
            "answer": number(answer.values[query, 0]),
        }


def _model(answer: PLSAnswer, query: int, explained: Explained) -> Plain:
    """How many components, why, and how well they predict the neighbors left out."""
    shares, unit = answer.shares[query], answer.data.target_unit
    with np.errstate(over="ignore", invalid="ignore"):
        roots = np.sqrt(answer.errors[query]) / unit
    return {
        "n_components": int(np.argmax(shares)),
        "max_components": explained.n_grown,
        "min_components": answer.plan.least,
        "error": number(answer.deviations[query, 0]),
        "errors": numbers(roots),
        "shares": numbers(shares),
        "n_columns": int((~np.isnan(answer.regressors[query])).sum()),
        "mean": number(answer.paths[query, 0] / unit),
    }


def _trust(answer: PLSAnswer, explained: Explained) -> Plain:
    """How far the query lies outside its neighbors."""
    leverage, q = explained.leverages, explained.residuals
    squares = _in_data_units(answer, q)
    return {
        "place": _PLACES[max(_place(leverage), _place(q))],
        "leverage": number(leverage[0]),
        "largest_leverage": number(leverage[1:].max(initial=-np.inf)),
        "q": number(squares[0]),
        "largest_q": number(squares[1:].max(initial=-np.inf)),
    }


def _place(figures: Floats) -> int:
    """0 if a query's figure is among those of the neighbors, 1 outside, 2 far out."""
    figure, largest = figures[0], figures[1:].max(initial=-np.inf)
    if not figure > largest:
        return 0
    return 2 if figure > _FAR * largest else 1


def _in_data_units(answer: PLSAnswer, squares: Floats) -> Floats:
    """Squares of columns in the units of the data, unless these are scaled."""
    if answer.data.settings.scale:
        return squares
    unit = answer.data.space.placement.units.min()
    with np.errstate(over="ignore"):
        in_units: Floats = squares / unit / unit
    return in_units


def _neighbors(answer: PLSAnswer, query: int, explained: Explained) -> Plain:
    data, rows = answer.data, answer.neighbors.rows[query]
    listed = rows[:MOST_LISTED]
    targets = data.cases.targets[rows] / data.target_unit
    seen = ~np.isnan(answer.regressors[query])
    squares = _in_data_units(answer, explained.residuals)[1:]
    columns = zip(
        answer.base.ids[data.rows[listed]].tolist(),
        numbers(targets[: len(listed)]),
        _distances(answer, query),
        numbers(answer.weights[query, : len(listed)]),
        numbers(explained.leverages[1 : len(listed) + 1]),
        numbers(squares[: len(listed)]),
        _alike(answer, query, len(listed)),
        strict=True,
    )
    return {
        "k": len(rows),
        "min": number(targets.min()),
        "max": number(targets.max()),
        "n_missing": int(np.isnan(data.cases.regressors[rows][:, seen]).sum()),
        "listed": [
            dict(zip(_NEIGHBOR, cells, strict=True)) | alike
            for *cells, alike in columns
        ],
    }


def _alike(answer: PLSAnswer, query: int, n_listed: int) -> list[Plain]:
    """The mean that counts where cases of equal inputs are neighbors in part."""
    sizes, means = answer.cut.sizes[query], answer.cut.targets[query]
    in_data_units = numbers(means[:n_listed] / answer.data.target_unit)
    return describe_alike(sizes[:n_listed], in_data_units)


def _distances(answer: PLSAnswer, query: int) -> list[float | None]:
    data = answer.data
    sums = answer.neighbors.distances[query, :MOST_LISTED]
    if data.view is None:
        return numbers(measure(sums, data.space, data.settings.scale))
    seen = to_distances(sums, data.columns.metric)
    return numbers(to_metric(seen, data.settings.metric))


def _coefficients(answer: PLSAnswer, explained: Explained) -> dict[str, float | None]:
    """Change of the prediction for one unit more in each column."""
    names, units = describe_regressors(answer.base, answer.data.space)
    outcome = answer.data.target_unit
    columns = zip(names, explained.slopes.tolist(), units, strict=True)
    return {
        name: number(rescale(slope, unit, outcome)) for name, slope, unit in columns
    }


FAMILY = Family(
    "pls",
    PLSAnswer,
    bodies,
    draw_pls,
    check_parts,
    classes={},
    numbers=FIELDS,
    contribute=contribute,
)
