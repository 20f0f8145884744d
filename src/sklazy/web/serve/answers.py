"""Answer parsed requests with plain data, without any HTTP."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import SklazyError
from sklazy.estimators.questions import nearest_cases, targets_of
from sklazy.web.bodies import RequestLimits, check_text
from sklazy.web.problems import Problem
from sklazy.web.rows import RowReader, Rows, read_targets
from sklazy.web.serve.levels import (
    Level,
    Privacy,
    list_voters,
    reduce_receipt,
    reduce_suggestion,
    round_numbers,
    round_shares,
)
from sklazy.web.serve.stand_ins import StandInKeeper
from sklazy.web.serve.store import Store

Plain = dict[str, Any]

_MOST_SIMILAR = 100


class Answers:
    """Answers to requests, within the privacy level of a server."""

    def __init__(self, store: Store, privacy: Privacy, limits: RequestLimits) -> None:
        self.store, self.privacy, self._limits = store, privacy, limits
        self.rows = RowReader(store.model.cases_, limits)
        self._stand_ins: StandInKeeper | None = None
        self._asked_of: tuple[CaseBase, RowReader] | None = None
        if privacy.uses_groups:
            self._stand_ins = StandInKeeper(
                store.model,
                privacy.min_group,
                privacy.noise,
                store.waiting,
                privacy.secret,
            )
            store.on_added = self._stand_ins.follow_added
            store.on_forgotten = self._stand_ins.follow_forgotten

    @property
    def _model(self) -> Any:  # noqa: ANN401 - any estimator
        """The model that answers: of stand-ins below the level `values`."""
        if self._stand_ins is None:
            return self.store.model
        return self._stand_ins.current().model

    @property
    def _reader(self) -> RowReader:
        """Reads rows that are asked about, by the labels of what answers."""
        if self._stand_ins is None:
            return self.rows
        base, kept = self._model.cases_, self._asked_of
        if kept is None or kept[0] is not base:  # another thread may replace it
            kept = self._asked_of = base, RowReader(base, self._limits)
        return kept[1]

    @property
    def cases(self) -> CaseBase:
        """The cases of the model."""
        return self.store.model.cases_

    def warm_up(self) -> None:
        """Predict one row, so that no client waits for what the first one needs."""
        model = self._model
        model.predict(model.cases_.to_table().take([0]))

    # --- asking -----------------------------------------------------------------------

    def predict(self, body: Plain) -> Plain:
        """Predictions, and of classes their probabilities."""
        _check_keys(body, "rows")
        X = self._reader.read_numbers(body.get("rows"))
        model = self._model
        with model.cases_.snapshot() as cases:
            answer = self._ask_with(self._predict, model, cases, X)
        return self._noted(answer, body)

    def _predict(self, model: Any, cases: CaseBase, X: object) -> Plain:  # noqa: ANN401
        """Predictions, with probabilities of classes, from a snapshot of the cases."""
        if not cases.class_labels:
            return {"predictions": self._round(model.predict(X).tolist())}
        wanted = ("decisions", "probabilities")
        labels, shares = model._answer_by(cases, X, *wanted)
        return {
            "predictions": labels.tolist(),
            "classes": list(cases.class_labels),
            "probabilities": round_shares(shares.tolist(), self.privacy),
        }

    def explain(self, body: Plain) -> Plain:
        """Receipts, stripped to what the privacy level allows."""
        self._check_level(Level.AGGREGATE)
        _check_keys(body, "rows")
        # Reasons name cases and their values; groups answer without them.
        reasons = self.privacy.level >= Level.VALUES
        rows, model = self._reader.read(body.get("rows")), self._model
        receipts = self._ask(model, "explain", rows, reasons=reasons)
        contents = [one.to_dict() for one in receipts]
        if self._stand_ins is not None:
            with model.cases_.snapshot() as cases:
                said = self._ask_with(self._predict, model, cases, rows)
            contents = [self._reduce(r, i, said) for i, r in enumerate(contents)]
        return self._noted({"receipts": contents}, body)

    def _reduce(self, receipt: Plain, i: int, said: Plain) -> Plain:
        """Strip a receipt; its answer is that of row `i` as it was predicted.

        Another rounding of the same figures would show more digits of them. At the
        level `ids` the cases behind stand-ins are named.
        """
        reduced = reduce_receipt(receipt, self.privacy)
        reduced["answer"] = said["predictions"][i]
        if "probability" in reduced:
            place = said["classes"].index(reduced["answer"])
            reduced["probability"] = said["probabilities"][i][place]
        if self.privacy.level >= Level.IDS:
            assert self._stand_ins is not None
            groups = self._stand_ins.current().members_behind(list_voters(receipt))
            reduced["groups"] = [
                {"ids": ids, "stand_ins": count}
                for ids, count in sorted(groups, key=lambda pair: -pair[1])
            ]
        return reduced

    def _round(self, numbers: Any) -> Any:  # noqa: ANN401 - a number or lists of them
        """Predicted numbers in as many digits as the level allows."""
        if self._stand_ins is None:
            return numbers
        spreads = self._stand_ins.current().spreads.tolist()
        return round_numbers(numbers, spreads, self.privacy)

    def similar(self, body: Plain) -> Plain:
        """The cases most similar to each row; at `ids`, groups of ids."""
        self._check_level(Level.IDS)
        _check_keys(body, "rows", "k")
        k = body.get("k", 5)
        if type(k) is not int or not 1 <= k <= _MOST_SIMILAR:
            raise Problem(422, f"k must be a whole number from 1 to {_MOST_SIMILAR}.")
        rows = self._reader.read(body.get("rows"))
        similar = self._ask_with(self._find_similar, rows, k)
        return self._noted({"similar": similar}, body)

    def _find_similar(self, rows: Rows, k: int) -> list[list[Plain]]:
        model = self._model
        with model.cases_.snapshot() as cases:
            queries = cases.encode(model._query_table(rows))
            return [
                self._describe_cases(cases, *nearest_cases(cases, queries, query, k))
                for query in range(len(rows))
            ]

    def _describe_cases(
        self, cases: CaseBase, places: NDArray[np.int64], distances: NDArray[Any]
    ) -> list[Plain]:
        """Cases with their cells and targets; groups by the ids of their cases."""
        ids = cases.ids[places].tolist()
        if self._stand_ins is not None:
            groups = self._stand_ins.current().members_behind(ids)
            return [{"ids": members} for members, _ in groups]
        targets = targets_of(cases, places)
        columns = {c.name: c.cells() for c in cases.to_table().take(places)}
        return [
            {
                "id": one,
                "targets": {name: cells[i] for name, cells in targets.items()},
                "values": {name: cells[i] for name, cells in columns.items()},
                "distance": float(distances[i]),
            }
            for i, one in enumerate(ids)
        ]

    def suggest(self, body: Plain) -> Plain:
        """Which missing attribute of each row to measure next."""
        self._check_level(Level.AGGREGATE)
        _check_keys(body, "rows", "costs")
        rows = self._reader.read(body.get("rows"))
        costs = _check_costs(body.get("costs"))
        suggestions = self._ask(self._model, "suggest_attribute", rows, costs)
        reduced = [
            reduce_suggestion(one.to_dict(), self.privacy) for one in suggestions
        ]
        return self._noted({"suggestions": reduced}, body)

    def digest(self) -> Plain:
        """The fingerprint of the cases."""
        return {"digest": self.store.model.digest(), "cases": self.cases.n_rows}

    def _noted(self, answer: Plain, body: Plain) -> Plain:
        """The answer with notes on cells of the request, if there are any."""
        notes = self.rows.list_notes(body.get("rows"))
        return answer | ({"notes": notes} if notes else {})

    def _ask(
        self,
        model: Any,  # noqa: ANN401 - any estimator
        method: str,
        *arguments: object,
        **options: object,
    ) -> Any:  # noqa: ANN401 - any method
        """Call a method of the model."""
        ask = getattr(model, method, None)
        if ask is None:
            raise Problem(422, f"This model cannot do {method!r}.")
        return self._ask_with(partial(ask, **options), *arguments)

    def _ask_with(self, ask: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401
        """Call a function; pass on its errors only if the level allows values."""
        try:
            return ask(*arguments)
        except SklazyError as error:
            if self.privacy.level >= Level.VALUES:
                raise
            raise Problem(
                422, "The model refuses these rows; see its columns in /openapi.json."
            ) from error

    def _check_level(self, needed: Level) -> None:
        if self.privacy.level < needed:
            raise Problem(
                403,
                f"This needs a server with --receipts {needed.name.lower()}; this one "
                f"has {self.privacy.level.name.lower()}.",
            )

    # --- changing ---------------------------------------------------------------------

    def add(self, body: Plain) -> Plain:
        """Add rows with their targets; they outlive the process once this returns."""
        _check_keys(body, "rows", "targets", "ids", "times")
        rows = self.rows.read(body.get("rows"))
        targets = self._list(body, "targets", len(rows), (str, int, float, bool))
        targets = read_targets(self.cases, targets)
        ids = times = None
        if body.get("ids") is not None:
            ids = self._ids(body, len(rows))
        if body.get("times") is not None:
            times = self._list(body, "times", len(rows), (str, int, float))
        new_ids = self.store.add(rows, targets, ids, times)
        return self._noted({"ids": new_ids, "cases": self.cases.n_rows}, body)

    def forget(self, body: Plain) -> Plain:
        """Erase rows by their ids, from the disk too."""
        _check_keys(body, "ids")
        ids = self._ids(body, None)
        n_before = self.cases.n_rows
        self.store.forget(ids)
        n_gone = len(set(ids))
        return {"forgotten": n_gone, "cases": n_before - n_gone}

    def erase(self, body: Plain) -> Plain:
        """Erase all rows of a person from model, files and processes, with proof."""
        _check_keys(body, "ids")
        ids = self._ids(body, None)
        if len(set(ids)) < len(ids):
            raise Problem(422, "ids has an entry twice; give each id once.")
        certificate = self.store.erase(ids).content
        return {
            "forgotten": len(ids),
            "cases": certificate["rows"]["after"],
            "proved": certificate["proved"],
            "certificate": certificate,
        }

    def _ids(self, body: Plain, n: int | None) -> list[Any]:
        ids = self._list(body, "ids", n, (str, int))
        kinds = {type(one) for one in ids}
        if len(kinds) != 1 or any(type(one) is int and abs(one) >> 62 for one in ids):
            raise Problem(422, "ids must be all texts or all whole numbers.")
        return ids

    def _list(
        self, body: Plain, name: str, n: int | None, kinds: tuple[type, ...]
    ) -> list[Any]:
        entries, most = body.get(name), self._limits.rows
        if not isinstance(entries, list) or not entries or len(entries) > most:
            raise Problem(422, f"{name} must be a list of 1 to {most} entries.")
        if n is not None and len(entries) != n:
            raise Problem(
                422,
                f"{name} has {len(entries)} entries for {n} rows; give one for each.",
            )
        for one in entries:
            if type(one) not in kinds or (
                isinstance(one, float) and not np.isfinite(one)
            ):
                raise Problem(422, f"{name} has an entry of the wrong kind.")
            if isinstance(one, str):
                check_text(one, self._limits, f"an entry of {name}")
        return entries


def _check_keys(body: Plain, *known: str) -> None:
    unknown = [key for key in body if key not in known]
    if unknown:
        raise Problem(
            422, f"unknown key {unknown[0][:100]!r}; expected {', '.join(known)}."
        )


def _check_costs(costs: object) -> dict[str, float] | None:
    if costs is None:
        return None
    if not isinstance(costs, dict) or not all(
        type(cost) in (int, float) and 0 < cost < 1e300 for cost in costs.values()
    ):
        raise Problem(422, "costs must be an object from columns to numbers above 0.")
    return costs
