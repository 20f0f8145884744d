"""Copies of a model on all workers, each of which answers some of the queries."""

import itertools
from typing import Any

import distributed
import numpy as np

from sklazy.backends.dask_client import LOST, find_workers, wait_for
from sklazy.backends.dask_engine import find_turns, own_turn
from sklazy.backends.device import take_turn
from sklazy.errors import LostPartError
from sklazy.estimators.base import NOT_RECORDED

_TRIES = 3  # of copying a model whose copies are all lost


class Copies:
    """Copies of one state of a model, made when the first question is asked.

    Attributes
    ----------
    key : object
        Says which state this is.
    future : distributed.Future or None
        The copies.
    """

    def __init__(self) -> None:
        self.key: object = None
        self.future: Any = None

    def ask(
        self,
        owner: Any,  # noqa: ANN401 - a DaskModel
        client: Any,  # noqa: ANN401
        method: str,
        X: Any,  # noqa: ANN401
    ) -> list[Any]:
        """What the copies answer, a list of answers to some of the queries each."""
        for _ in range(_TRIES):
            self._bring_up_to_date(owner, client)
            asked = self._submit(owner, client, method, X)
            try:
                return [
                    _wait_for_piece(piece, owner.timeout, n)
                    for n, piece in enumerate(asked)
                ]
            except LOST:
                self.future = None
        raise LostPartError(
            f"all copies of the model were lost {_TRIES} times with their workers; "
            "look at the workers' memory."
        )

    def _bring_up_to_date(self, owner: Any, client: Any) -> None:  # noqa: ANN401
        """Copy the model unless this state of it is there."""
        model = owner.model
        beside = [getattr(model, name, None) for name in NOT_RECORDED]
        key = owner.digest(), model._reported_settings(), beside
        is_there = self.future is not None and self.future.status == "finished"
        if is_there and self.key == key:
            return
        find_workers(client, owner.timeout)
        local = owner.gather()
        self.future = client.scatter(
            local, broadcast=True, hash=False, timeout=owner.timeout
        )
        self.key = key

    def _submit(self, owner: Any, client: Any, method: str, X: Any) -> list[Any]:  # noqa: ANN401
        workers = find_workers(client, owner.timeout)
        cuts = np.linspace(0, len(X), len(workers) + 1).astype(int).tolist()
        take, turns = X.iloc if hasattr(X, "iloc") else X, find_turns(client)
        return [
            client.submit(
                _ask_copy,
                self.future,
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
    """An answer; whoever asks knows what to do where the copies are lost."""
    try:
        return wait_for(piece, timeout, f"the answer to slice {number} of the queries")
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
