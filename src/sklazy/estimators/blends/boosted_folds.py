"""Models of all rows but a fold, to which boosted trees are added."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.estimators.blends.boosted_members import BoostedMember, on_one_thread
from sklazy.estimators.selection.model_host import Model

FIRST = (50, 100, 200)
"""Numbers of trees that are always tried."""


class Fold(NamedTuple):
    """A model of all other rows, to which trees are added, and what it is asked."""

    member: BoostedMember
    model: Model
    inputs: Floats
    targets: NDArray[Any]
    weights: dict[str, Floats]
    asked: Ints
    all_inputs: Floats

    @property
    def _is_constant(self) -> bool:
        return not self.inputs.shape[1] or bool((self.targets == self.targets[0]).all())

    def write_first(self, tried: dict[int, Floats]) -> None:
        """Fit the first trees; write the answers of some numbers of them."""
        if self._is_constant:
            for answers in tried.values():
                self._write_constant(answers)
            return
        self._fit(FIRST[-1])
        with on_one_thread():
            for n_trees, outputs in enumerate(self._staged(), 1):
                if n_trees in tried:
                    self._write(outputs, tried[n_trees])

    def write_more(self, n_trees: int, answers: Floats) -> None:
        """Add trees; write the answers of all of them."""
        if self._is_constant:
            self._write_constant(answers)
            return
        self._fit(n_trees)
        with on_one_thread():
            if hasattr(self.model, "predict_proba"):
                self._write(self.model.predict_proba(self._queries), answers)
            else:
                self._write(self.model.predict(self._queries), answers)

    def take_model(self, n_trees: int) -> Model | None:
        """The model, if it has so many trees."""
        is_fitted = not self._is_constant and self.model.max_iter == n_trees
        return self.model if is_fitted else None

    def _fit(self, n_trees: int) -> None:
        self.model.set_params(max_iter=n_trees)
        self.member.fit_model(self.model, self.inputs, self.targets, self.weights)

    @property
    def _queries(self) -> Floats:
        return self.all_inputs[self.asked]

    def _staged(self) -> Iterator[Floats]:
        if hasattr(self.model, "staged_predict_proba"):
            yield from self.model.staged_predict_proba(self._queries)
        else:
            yield from self.model.staged_predict(self._queries)

    def _write(self, outputs: Floats, answers: Floats) -> None:
        if outputs.ndim == 1:
            answers[self.asked, 0] = outputs
            return
        answers[self.asked] = 0.0
        answers[np.ix_(self.asked, self.model.classes_)] = outputs

    def _write_constant(self, answers: Floats) -> None:
        if self.targets.dtype.kind == "f":
            weights = self.weights.get("sample_weight")
            answers[self.asked, 0] = np.average(self.targets, weights=weights)
            return
        answers[self.asked] = 0.0
        shares = np.bincount(
            self.targets, self.weights.get("sample_weight"), answers.shape[1]
        )
        answers[self.asked] = shares / shares.sum()
