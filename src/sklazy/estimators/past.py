"""Estimators whose rows happen in time, and that can be asked as they were then."""

from typing import Any, ClassVar

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_from_past, n_earlier
from sklazy.estimators.base import LazyEstimator, places_of


class PastPredictor(LazyEstimator):
    """An estimator whose rows may have times."""

    _fewest_rows: ClassVar[int] = 1

    def past_predict(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Predict training rows, each from the rows before it.

        Equal to a fit to the rows that happened before, by `times` or, without
        these, by order of arrival; rows of the same time do not see each other.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; by default all
            but the first, before which too little is known.

        Returns
        -------
        predicted : array of shape (n_rows,), or (n_rows, n_targets)
            As of `predict`, in order of arrival or of `rows`.

        Notes
        -----
        The rows are learned in turn: each costs an `add` and a question after it.
        See `prequential` for rows that are not kept.
        """
        check_is_fitted(self)
        output = "decisions" if self.target.kind == "nominal" else "values"
        with self.cases_.snapshot() as state:
            cases = state.joined()  # the past is built of rows in one place
            places = places_of(cases, rows)
            if rows is None:
                places = places[n_earlier(cases)[places] >= self._fewest_rows]
            learner, n_jobs = self._current_learner(cases), self._n_jobs
            found = answer_from_past(learner, cases, places, [output], n_jobs)
            (predicted,) = self._decoded([output], found, cases)
        return self._flat(predicted)

    def _flat(self, values: NDArray[Any]) -> NDArray[Any]:
        """Numbers as flat as the target was; classes are flat."""
        return values[:, 0] if values.ndim == 2 else values
