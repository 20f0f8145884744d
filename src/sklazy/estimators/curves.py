"""The answer along one feature, the others staying as they are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.reasons import map_features
from sklazy.errors import BadInputError
from sklazy.estimators.changes import ChangeTask, ask_rows, change_row, list_singles
from sklazy.estimators.contributions import find_output, name_outputs
from sklazy.estimators.parameters import check_count
from sklazy.methods.plain import as_dates, describe_dates, describe_rows
from sklazy.report.axes import find_axes
from sklazy.report.listings import list_pairs

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator


@dataclass(frozen=True, eq=False)
class AnswerCurve:
    """Answers to a row along the values of one feature.

    Attributes
    ----------
    name : str
        The feature.
    values : array of shape (n_values,)
        Values that occur among the cases, in order, and that of the row; dates are
        datetime64.
    answers : float64 array of shape (n_values,)
        The probability of the class in `of`, or the prediction.
    of : label or str
        The class, or the name of the target.
    present : value, or None if missing
        The value of the row.
    answer : float
        The answer to the row as it is.

    Examples
    --------
    >>> from sklazy import LazyKernelRegressor
    >>> X, y = [[float(i)] for i in range(8)], [0.0, 0, 0, 0, 1, 1, 1, 1]
    >>> curve = LazyKernelRegressor().fit(X, y).curve([[3.0]], "x0")
    >>> curve.values.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    >>> bool(curve.answers[-1] > curve.answers[0])
    True
    """

    name: str
    values: NDArray[Any]
    answers: NDArray[np.float64]
    of: Any
    present: Any
    answer: float

    def __repr__(self) -> str:
        answers = f"{self.answers.min():.4g} to {self.answers.max():.4g}"
        return f"AnswerCurve({len(self.values)} values of {self.name!r}, {answers})"

    def __str__(self) -> str:
        values = self.values.tolist()
        if self.values.dtype.kind == "M":
            values = [str(value) for value in self.values]
        pairs = list(zip(values, self.answers.tolist(), strict=True))
        return list_pairs(repr(self), [self.name, str(self.of)], pairs)

    def plot(self, ax: Any = None) -> Any:  # noqa: ANN401 - of matplotlib
        """Draw the curve, the row marked (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Default: new ones.
        """
        ax = find_axes(ax, new=True)
        is_label = self.values.dtype == object
        ax.plot(self.values, self.answers, "o" if is_label else "-")
        if self.present is not None:
            ax.plot([self.present], [self.answer], "o", color="tab:orange")
        ax.set(xlabel=self.name, ylabel=f"{self.of}")
        return ax


def draw_curve(
    model: "LazyEstimator", x: object, feature: str, n_values: int, of: object
) -> AnswerCurve:
    """Ask along the values of a feature; see `LazyEstimator.curve`."""
    check_is_fitted(model)
    check_count("n_values", n_values)
    table = model._query_table(x)
    if table.n_rows != 1:
        raise BadInputError(f"x has {table.n_rows} rows; give one, such as X[:1].")
    with model.cases_.snapshot() as state:
        cases = state.joined()
        features, query = map_features(cases), cases.encode(table)
        if feature not in features.names:
            raise BadInputError(
                f"feature={feature!r} is not a feature; give one of "
                f"{', '.join(map(repr, features.names[:8]))}."
            )
        learner = model._current_learner(cases)
        task = ChangeTask(learner, cases, features, query, model.n_jobs)
        at = features.names.index(feature)
        values, scores, output = _ask_along(task, at, n_values, find_output(cases, of))
        named = name_outputs(cases, np.array([output])).tolist()[0]
        is_date = feature in describe_dates(cases).get("dates", ())
    known = [i for i, value in enumerate(values) if value is not None]
    known.sort(key=lambda i: (isinstance(values[i], str), values[i]))
    here = as_values(values[:1], is_date)[0] if 0 in known else None
    along = as_values([values[i] for i in known], is_date)
    scores = scores[:, output]
    return AnswerCurve(feature, along, scores[known], named, here, float(scores[0]))


def _ask_along(
    task: ChangeTask, at: int, n_values: int, output: int | None
) -> tuple[list[Any], NDArray[np.float64], int]:
    """Values of a feature, that of the row first, the answers, and the output."""
    cases, tried = task.cases, list_singles(task, [at], n_values)
    before, score = ask_rows(task, task.query)
    if output is None:
        output = int(before[0]) if cases.class_labels else 0
    columns = np.flatnonzero(task.features.of_attribute == at)[:1].tolist()
    if not columns:  # set aside: it makes no difference
        return [None], score, output
    scores = np.concatenate([score, ask_rows(task, change_row(task, tried))[1]])
    lent = describe_rows(cases, tried.lenders[:, 0], columns)
    return [_read_cell(task, columns[0]), *_first_cells(lent)], scores, output


def _first_cells(rows: list[dict[str, Any]]) -> list[Any]:
    return [next(iter(row.values())) for row in rows]


def _read_cell(task: ChangeTask, j: int) -> Any:  # noqa: ANN401 - a label or a number
    """The value of the row, None where it is missing or no case has it."""
    if task.cases.cases.numeric[j] >= 0:
        value = float(task.query.values[0, j])
        return None if np.isnan(value) else value
    code = int(task.query.codes[0, j])
    return task.cases.categories(j)[code] if code >= 0 else None


def as_values(values: list[Any], is_date: bool) -> NDArray[Any]:
    """Cells of a feature as an array: dates, numbers or labels.

    Examples
    --------
    >>> as_values([19845.5], is_date=True)
    array(['2024-05-02T12:00:00'], dtype='datetime64[s]')
    """
    if is_date:
        return as_dates(np.array(values))
    is_number = all(isinstance(value, float) for value in values)
    return np.array(values, np.float64 if is_number else object)
