"""Copies of a model on all workers, each of which answers some of the queries."""

import itertools
from typing import Any

import distributed
import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.device import take_turn
from sklazy.dask.client import LOST, find_workers, wait_for_result
from sklazy.dask.engine import find_turns, own_turn
from sklazy.errors import LostPartError
from sklazy.estimators.state import NOT_RECORDED, describe_choices

_TRIES = 3  # of copying a model whose copies are all lost


class ModelCopies:
    """Copies of one state of a model, made when the first question is asked.

    `made` is the key of a state, and the copies of it; it is replaced as a whole, since
    several threads may ask.
    """

    def __init__(self) -> None:
        self.made: tuple[object, Any] = None, None

    @property
    def future(self) -> Any:  # noqa: ANN401
        """The copies."""
        return self.made[1]

    def ask(
        self,
        owner: Any,  # noqa: ANN401 - a DaskModel
        client: Any,  # noqa: ANN401
        method: str,
        X: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Answers of the copies, a list of answers to some of the queries each."""
        for _ in range(_TRIES):
            copies = self._bring_up_to_date(owner, client)
            answers = _submit(copies, owner.timeout, client, method, X)
            try:
                return [
                    _wait_for_piece(piece, owner.timeout, n)
                    for n, piece in enumerate(answers)
                ]
            except LOST:
                self.made = None, None
        raise LostPartError(
            f"all copies of the model were lost {_TRIES} times with their workers; "
            "check the workers' memory."
        )

    def _bring_up_to_date(self, owner: Any, client: Any) -> Any:  # noqa: ANN401
        """The copies; the model is copied unless this state of it is there."""
        model, timeout = owner.model, owner.timeout
        check_is_fitted(model)
        beside = [getattr(model, name, None) for name in NOT_RECORDED]
        with model.cases_.snapshot() as cases:
            key = cases.digest(), describe_choices(model), beside
            known, copies = self.made
            if copies is not None and copies.status == "finished" and known == key:
                return copies
            find_workers(client, timeout)
            local = owner._gather_state(cases)
        copies = client.scatter(local, broadcast=True, hash=False, timeout=timeout)
        self.made = key, copies
        return copies


def _submit(
    copies: Any,  # noqa: ANN401
    timeout: float,
    client: Any,  # noqa: ANN401
    method: str,
    X: Any,  # noqa: ANN401
) -> list[Any]:
    """The answers under way, each to some of the queries."""
    workers = find_workers(client, timeout)
    cuts = np.linspace(0, len(X), len(workers) + 1).astype(int).tolist()
    take, turns = X.iloc if hasattr(X, "iloc") else X, find_turns(client)
    return [
        client.submit(
            _ask_copy,
            copies,
            turns,
            method,
            take[a:b],
            pure=False,
            workers=[worker],
            allow_other_workers=True,
        )
        for worker, (a, b) in zip(workers, itertools.pairwise(cuts), strict=True)
        if b > a
    ]


def _wait_for_piece(piece: Any, timeout: float, number: int) -> Any:  # noqa: ANN401
    """Wait for an answer; the caller handles lost copies."""
    try:
        return wait_for_result(
            piece, timeout, f"the answer to slice {number} of the queries"
        )
    except LostPartError as error:
        if isinstance(error.__cause__, LOST):
            raise error.__cause__ from None
        raise


def _ask_copy(model: Any, turns: dict[str, int], method: str, X: object) -> Any:  # noqa: ANN401
    """Answer as many queries at a time as the worker has threads."""
    if getattr(model, "n_jobs", 0) is None:
        model.n_jobs = distributed.get_worker().state.nthreads
    with take_turn(own_turn(turns)):
        return getattr(model, method)(X)
