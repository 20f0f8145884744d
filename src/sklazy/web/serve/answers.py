"""What the server answers: from a parsed request to plain data, without any HTTP."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import SklazyError
from sklazy.estimators.likeness import nearest_cases, targets_of
from sklazy.web.bodies import check_text
from sklazy.web.limits import Limits
from sklazy.web.problems import Problem
from sklazy.web.rows import RowReader, Rows
from sklazy.web.serve.levels import (
    Level,
    Privacy,
    reduce_receipt,
    reduce_suggestion,
    rounded,
)
from sklazy.web.serve.store import Store

Plain = dict[str, Any]

_MOST_SIMILAR = 100


class Answers:
    """Answers to requests, by a store and within what may be told."""

    def __init__(self, store: Store, privacy: Privacy, limits: Limits) -> None:
        self.store, self.privacy, self._limits = store, privacy, limits
        self.rows = RowReader(store.model.cases_, limits)
        self._model: Any = store.model

    @property
    def cases(self) -> CaseBase:
        """The cases that answer."""
        return self.store.model.cases_

    def warm_up(self) -> None:
        """Derive what the first question needs, so that no client waits for it."""
        first = self.cases.to_table().take([0])
        self._model.predict(first)

    # --- asking -----------------------------------------------------------------------

    def predict(self, asked: Plain) -> Plain:
        """Predictions, and of classes their probabilities."""
        _check_keys(asked, "rows")
        X = self.rows.read_numbers(asked.get("rows"))
        with self.cases.snapshot() as cases:
            return self._ask_with(self._predict, cases, X)

    def _predict(self, cases: CaseBase, X: object) -> Plain:
        """Predictions by one state of the cases, and the classes that it has."""
        if not cases.class_labels:
            return {"predictions": self._model.predict(X).tolist()}
        wanted = ("decisions", "probabilities")
        labels, shares = self._model._answer_by(cases, X, *wanted)
        return {
            "predictions": labels.tolist(),
            "classes": list(cases.class_labels),
            "probabilities": rounded(shares.tolist(), self.privacy),
        }

    def explain(self, asked: Plain) -> Plain:
        """Receipts, as far as they may be told."""
        self._check_level(Level.AGGREGATE)
        _check_keys(asked, "rows")
        receipts = self._ask("explain", self.rows.read(asked.get("rows")))
        told = [reduce_receipt(one.to_dict(), self.privacy) for one in receipts]
        return {"receipts": told}

    def similar(self, asked: Plain) -> Plain:
        """The cases most like each row: their ids, or all of them."""
        self._check_level(Level.IDS)
        _check_keys(asked, "rows", "k")
        k = asked.get("k", 5)
        if type(k) is not int or not 1 <= k <= _MOST_SIMILAR:
            raise Problem(422, f"k must be a whole number of 1 to {_MOST_SIMILAR}.")
        rows = self.rows.read(asked.get("rows"))
        found = self._ask_with(self._similar, rows, k)
        return {"similar": found}

    def _similar(self, rows: Rows, k: int) -> list[list[Plain]]:
        with self.cases.snapshot() as cases:
            queries = cases.encode(self._model._query_table(rows))
            found = []
            for query in range(len(rows)):
                places, distances = nearest_cases(cases, queries, query, k)
                told = self._told_of(cases, places)
                if self.privacy.level >= Level.VALUES:
                    pairs = zip(told, distances.tolist(), strict=True)
                    told = [{**one, "distance": distance} for one, distance in pairs]
                found.append(told)
            return found

    def _told_of(self, cases: CaseBase, places: NDArray[np.int64]) -> list[Plain]:
        """Cases by their ids and targets, with their values where these may be told."""
        ids, targets = cases.ids[places].tolist(), targets_of(cases, places)
        told: list[Plain] = [{"id": one} for one in ids]
        for i, one in enumerate(told):
            one["targets"] = {name: own[i] for name, own in targets.items()}
        if self.privacy.level >= Level.VALUES:
            columns = {c.name: c.cells() for c in cases.to_table().take(places)}
            for i, one in enumerate(told):
                one["values"] = {name: own[i] for name, own in columns.items()}
        return told

    def suggest(self, asked: Plain) -> Plain:
        """Which missing attribute of each row to measure next."""
        self._check_level(Level.AGGREGATE)
        _check_keys(asked, "rows", "costs")
        rows = self.rows.read(asked.get("rows"))
        found = self._ask("suggest_attribute", rows, _check_costs(asked.get("costs")))
        told = [reduce_suggestion(one.to_dict(), self.privacy) for one in found]
        return {"suggestions": told}

    def digest(self) -> Plain:
        """The fingerprint of the cases."""
        return {"digest": self.store.model.digest(), "cases": self.cases.n_rows}

    def _ask(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - any method
        """What a method of the model says."""
        ask = getattr(self._model, method, None)
        if ask is None:
            raise Problem(422, f"This model has no answers of the kind {method!r}.")
        return self._ask_with(ask, *arguments)

    def _ask_with(self, ask: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401
        """What a function says; an error of it tells nothing of cases."""
        try:
            return ask(*arguments)
        except SklazyError as error:
            if self.privacy.level >= Level.VALUES:
                raise
            raise Problem(
                422, "The model refuses these rows; its schema is in /openapi.json."
            ) from error

    def _check_level(self, needed: Level) -> None:
        if self.privacy.level < needed:
            raise Problem(
                403,
                f"This server tells receipts of the level "
                f"{self.privacy.level.name.lower()}; this takes "
                f"{needed.name.lower()}. Its operator can change that.",
            )

    # --- changing ---------------------------------------------------------------------

    def add(self, asked: Plain) -> Plain:
        """Add rows with their targets; they outlive the process once this returns."""
        _check_keys(asked, "rows", "targets", "ids", "times")
        rows = self.rows.read(asked.get("rows"))
        targets = self._list(asked, "targets", len(rows), (str, int, float, bool))
        ids = times = None
        if asked.get("ids") is not None:
            ids = self._ids(asked, len(rows))
        if asked.get("times") is not None:
            times = self._list(asked, "times", len(rows), (str, int, float))
        given = self.store.add(rows, targets, ids, times)
        return {"ids": given, "cases": self.cases.n_rows}

    def forget(self, asked: Plain) -> Plain:
        """Erase rows by their ids, from the disk too."""
        _check_keys(asked, "ids")
        ids = self._ids(asked, None)
        self.store.forget(ids)
        return {"forgotten": len(set(ids)), "cases": self.cases.n_rows}

    def _ids(self, asked: Plain, n: int | None) -> list[Any]:
        ids = self._list(asked, "ids", n, (str, int))
        kinds = {type(one) for one in ids}
        if len(kinds) != 1 or any(type(one) is int and abs(one) >> 62 for one in ids):
            raise Problem(422, "ids must be all texts, or all whole numbers.")
        return ids

    def _list(
        self, asked: Plain, name: str, n: int | None, kinds: tuple[type, ...]
    ) -> list[Any]:
        found = asked.get(name)
        if not isinstance(found, list) or not found or len(found) > self._limits.rows:
            raise Problem(
                422, f"{name} must be a list of 1 to {self._limits.rows} entries."
            )
        if n is not None and len(found) != n:
            raise Problem(422, f"{name} has {len(found)} entries for {n} rows.")
        for one in found:
            if type(one) not in kinds or (
                isinstance(one, float) and not np.isfinite(one)
            ):
                raise Problem(422, f"{name} has an entry of the wrong kind.")
            if isinstance(one, str):
                check_text(one, self._limits, f"an entry of {name}")
        return found


def _check_keys(asked: Plain, *known: str) -> None:
    unknown = [key for key in asked if key not in known]
    if unknown:
        raise Problem(
            422, f"{unknown[0][:100]!r} is not known here; expected {', '.join(known)}."
        )


def _check_costs(costs: object) -> dict[str, float] | None:
    if costs is None:
        return None
    if not isinstance(costs, dict) or not all(
        type(cost) in (int, float) and 0 < cost < 1e300 for cost in costs.values()
    ):
        raise Problem(422, "costs must be an object of numbers above 0 by column.")
    return costs
