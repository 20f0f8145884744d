"""What every estimator with a case base shares: rows, answers, receipts, files."""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import is_not
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import (
    AnyLearner,
    Batch,
    NotPlainError,
    answer_queries,
    check_finite,
    leave_one_out,
    prepare,
)
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import GivenIds
from sklazy.casebase.moments import (
    forget_before,
)
from sklazy.casebase.stored import write_cases
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.exploring import Explorable
from sklazy.estimators.keeping import KeepingEstimator
from sklazy.estimators.likeness import Likeness
from sklazy.estimators.naming import name_methods
from sklazy.estimators.settings import describe_settings, from_settings, to_settings
from sklazy.receipts import Receipt, Receipts, Wanted, build_receipts, verify
from sklazy.report.progress import Progress
from sklazy.tables import Table
from sklazy.tables.frames import index_ids

_EXPLAINED_AT_ONCE = 64  # queries

NOT_RECORDED = ("n_jobs", "cache_size", "device")
"""Parameters that answers do not depend on."""


class LazyEstimator(Explorable, Likeness, KeepingEstimator):
    """An estimator whose fit keeps a case base, `cases_`, and which waits for queries.

    A subclass makes a learner of its parameters (`_learner`) and says what its target
    is. The parameter `n_jobs` is used if it has it.
    """

    _can_be_member: ClassVar[bool] = True

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        name_methods(cls, "fit", "partial_fit")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # --- the public interface ---------------------------------------------------------

    def explain(
        self,
        X: ArrayLike,
        *,
        coverage: float | None = None,
        method: str = "jackknife",
        by: str | None = None,
        accuracy: float | None = None,
        suggest: bool = False,
        costs: Mapping[str, float] | ArrayLike | None = None,
    ) -> Receipts:
        """Answer each query with a receipt: what was answered, and from what.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        coverage : float in (0, 1), optional
            Receipts say, too, which classes (`predict_set`) or numbers
            (`predict_interval`) the answer is among.
        method, by
            As there.
        accuracy : float in (0, 1), optional
            Receipts of classes say whether the answer is sure enough to be given; see
            `predict_or_abstain`.
        suggest : bool, default=False
            Receipts say, too, which missing attribute to measure next.
        costs
            As for `suggest_attribute`.

        Returns
        -------
        receipts : Receipts
            One per query, each with `to_dict`, `to_json`, `to_html` and a text; shown
            under the labels of a pandas index that names rows.
        """
        check_is_fitted(self)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            wanted = Wanted(coverage, method, by, accuracy, suggest, costs)
            found = self._receipts(cases, table, wanted)
        return Receipts(found, names=[str(label) for label in index_ids(X) or ()])

    def verify(
        self, receipt: Receipt | Mapping[str, Any], *, key: bytes | None = None
    ) -> bool:
        """Recompute the answer and check that the receipt matches it.

        A receipt that was edited, that is of other cases or that says anything else
        than the cases do is refused with a `ReceiptError`.

        Parameters
        ----------
        receipt : Receipt, or what its `to_dict` gave
        key : bytes, optional
            The key that the receipt must have been signed with (`Receipt.signed`);
            one without a signature, or with another, is refused.
        """
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            ask = partial(self._receipts, cases)
            return verify(receipt, ask, cases.digest(), key)

    def forget(self, ids: GivenIds = None, *, before: object = None) -> Self:
        """Erase rows: the state is the same as after a fit without them.

        Parameters
        ----------
        ids : sequence of int or str
            Which rows.
        before : number or date, instead of ids
            Erase all rows that happened before, where they have times.
        """
        check_is_fitted(self)
        if (ids is None) == (before is None):
            raise BadInputError(
                f"ids={ids!r} and before={before!r}; say by one of them which rows go."
            )
        if ids is None:
            forget_before(self.cases_, before)
        else:
            self.cases_.forget(ids)
        return self

    def refresh(self) -> Self:
        """Find frozen cuts anew from the rows that are there."""
        check_is_fitted(self)
        self.cases_.refresh()
        return self

    def digest(self) -> str:
        """The fingerprint of the cases and of all that was derived from them."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return cases.digest()

    def save(self, path: str | Path) -> None:
        """Write parameters and cases to a file, as data only; see `sklazy.load`.

        The old file, if any, stands until the new one is complete.

        Parameters
        ----------
        path : str or Path
        """
        check_is_fitted(self)
        write_cases(path, self._header(), self.cases_)

    def _header(self) -> dict[str, Any]:
        """What a file says of this estimator beside the cases."""
        saved = self._saved_settings()
        from_settings(saved)  # what `load` would refuse is refused now
        return {
            "content": "estimator",
            "estimator": type(self).__name__,
            "settings": saved,
            "state": self._state(),
        }

    @property
    def ids_(self) -> NDArray[Any]:
        """The rows' ids, in order of arrival."""
        with self.cases_.snapshot() as cases:
            return cases.ids[np.argsort(cases.arrival)]

    # --- what a subclass defines ------------------------------------------------------

    def _learner(self) -> AnyLearner:
        """The parameters, once they are known to make sense, as a learner."""
        raise NotImplementedError

    def _as_member(self, n_features: int) -> Self:
        """A copy that is asked about cases which another estimator keeps."""
        twin: Self = clone(self)
        twin._start(n_features)
        return twin

    def _start(self, n_features: int) -> None:
        """Find what a learner needs beside the parameters, as `fit` does."""
        self.n_features_in_ = n_features

    @property
    def _n_attributes(self) -> int:
        """The columns that are learned from; dates have parts, some are set aside."""
        kept = getattr(self, "cases_", None)
        return self.n_features_in_ if kept is None else len(kept.names)

    @property
    def _n_jobs(self) -> int | None:
        """The parameter, where there is one."""
        return getattr(self, "n_jobs", None)

    def _current_learner(self, cases: CaseBase) -> AnyLearner:
        """The learner of the parameters as they are; made again when they change."""
        own = vars(self)
        kept: dict[str, Any] = cases.keep(type(self).__name__, dict)
        now = [own[name] for name in own if name[-1] != "_" and name[0] != "_"]
        before = kept.get("parameters", ())
        if len(before) == len(now) and not any(map(is_not, before, now)):
            return kept["learner"]
        learner = self._learner()
        kept.update(learner=learner, parameters=now)
        return learner

    def _explainer(self, cases: CaseBase) -> AnyLearner:
        """The learner whose answers become receipts."""
        return self._current_learner(cases)

    def _explaining_learner(self) -> AnyLearner:
        """The same, made anew."""
        return self._learner()

    def _check_loaded(self, *, mapped: bool = False) -> None:
        """Refuse what `fit` would refuse, or the next question.

        That looks at rows unless they stay in a file, which is read when it is asked.
        """
        self._check_parameters()
        n_jobs = self._n_jobs
        if n_jobs is not None and not isinstance(n_jobs, int):
            raise BadTypeError(f"n_jobs={n_jobs!r}; expected a whole number or None.")
        self._check_width(len(self.cases_.names))
        if not mapped:
            self._check_cases(self.cases_)
        self._learner()

    def _saved_settings(self) -> dict[str, Any]:
        """The parameters as JSON."""
        return to_settings(self)

    def _reported_settings(self) -> dict[str, Any]:
        """The parameters that answers depend on, as JSON."""
        settings = describe_settings(self)
        return {k: value for k, value in settings.items() if k not in NOT_RECORDED}

    def _state(self) -> dict[str, Any]:
        """What beside parameters and cases makes the fitted state, as JSON."""
        return {}

    def _restore(self, cases: CaseBase, state: dict[str, Any]) -> None:
        """Take a fitted state as `_state` and the cases gave it."""
        self.cases_ = cases
        names = cases.schema.given_names
        self.n_features_in_ = len(names)
        if cases.schema.named:
            self.feature_names_in_ = np.array(names, dtype=object)

    # --- answers ----------------------------------------------------------------------

    def _answer(self, X: object, *outputs: str) -> tuple[NDArray[Any], ...]:
        """What is wanted of the answers to queries; one computation for all of it.

        Decisions and votes come as labels.
        """
        if not hasattr(self, "cases_"):
            check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return self._answer_by(cases, X, *outputs)

    def _answer_by(
        self, cases: CaseBase, X: object, *outputs: str
    ) -> tuple[NDArray[Any], ...]:
        """What is wanted of the answers to queries by one state of the cases."""
        learner, n_jobs = self._current_learner(cases), self._n_jobs
        if type(X) is np.ndarray and X.ndim == 2:
            try:
                found = answer_queries(learner, cases, X, outputs, n_jobs=n_jobs)
            except NotPlainError:  # a table must look at the cells
                pass
            else:
                if hasattr(self, "feature_names_in_"):
                    self._check_columns(X)
                return self._decoded(outputs, found, cases)
        queries = cases.encode(self._query_table(X))
        found = answer_queries(learner, cases, queries, outputs, n_jobs=n_jobs)
        return self._decoded(outputs, found, cases)

    def _left_out(
        self, rows: ArrayLike | None, *outputs: str
    ) -> tuple[NDArray[Any], ...]:
        """What is wanted of the answers to training rows, each left out."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            learner = self._current_learner(cases)
            return self._left_out_by(cases, learner, rows, *outputs)

    def _left_out_by(
        self,
        cases: CaseBase,
        learner: AnyLearner,
        rows: ArrayLike | None,
        *outputs: str,
    ) -> tuple[NDArray[Any], ...]:
        """What is wanted of the answers to rows of one state of the cases."""
        places, n_jobs = places_of(cases, rows), self._n_jobs
        found = leave_one_out(learner, cases, places, outputs, n_jobs)
        return self._decoded(outputs, found, cases)

    def _decoded(
        self, outputs: Sequence[str], found: Sequence[NDArray[Any]], cases: CaseBase
    ) -> tuple[NDArray[Any], ...]:
        """Answers with labels for codes, those of the cases that answered."""
        named = zip(outputs, found, strict=True)
        return tuple(self.target.decode(*output, cases) for output in named)

    def _beside(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        """What receipts say beside the answer, one dict for each query."""
        return [{} for _ in range(len(table))]

    def _receipts(self, cases: CaseBase, table: Table, wanted: Wanted) -> Receipts:
        """Receipts of queries, some at a time, so that an interrupt is heard."""
        starts = range(0, len(table), _EXPLAINED_AT_ONCE)
        if len(starts) <= 1:
            return self._explain_some(cases, table, wanted)
        found: list[Receipt] = []
        with Progress("explaining", total=len(table)) as progress:
            for first in starts:
                part = table.take(range(first, min(len(table), first + starts.step)))
                found += self._explain_some(cases, part, wanted)
                progress.advance(len(part))
        return Receipts(found)

    def _explain_some(self, cases: CaseBase, table: Table, wanted: Wanted) -> Receipts:
        learner, queries = self._explainer(cases), cases.encode(table)
        batch = Batch(cases, cases.cases, queries)
        answer = learner.answer(prepare(learner, cases), batch)
        check_finite(answer, self.target.kind)
        name, settings = type(self).__name__, self._reported_settings()
        beside = self._beside(cases, table, wanted)
        return build_receipts(answer, table, name, settings, beside)

    def _query_table(self, X: object) -> Table:
        """Queries as a table."""
        table = self._later_table(X)
        self._check_columns(X)
        return table


def places_of(cases: CaseBase, rows: ArrayLike | None) -> NDArray[np.int64]:
    """Where rows lie that are named by their order of arrival; None for all."""
    places = np.argsort(cases.arrival)
    return places if rows is None else places[_check_rows(rows, len(places))]


def _check_rows(rows: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    wanted = np.asarray(rows)
    if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
        raise BadInputError(f"rows={rows!r}; expected a list of whole numbers.")
    if wanted.size and not -n_rows <= wanted.min() <= wanted.max() < n_rows:
        raise BadInputError(
            f"rows={rows!r} names a row that is not there; expected places of "
            f"0 to {n_rows - 1}, in order of arrival."
        )
    return wanted.astype(np.int64)
