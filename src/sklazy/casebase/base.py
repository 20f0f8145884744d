"""The case base: rows that can be added and erased, and all that follows from them."""

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.balance import balance_weights
from sklazy.casebase.bins import Bins, Ranges
from sklazy.casebase.choices import Choices
from sklazy.casebase.coder import Coder
from sklazy.casebase.deferred_cases import WaitingCases
from sklazy.casebase.fingerprint import Buckets, digest_of, fingerprint
from sklazy.casebase.hashed import Hashed
from sklazy.casebase.incoming import (
    IdsLike,
    Incoming,
    PresentIds,
    Target,
    check_build,
    check_incoming,
    check_kind,
    new_ids,
    slots_of,
    two_dimensional,
)
from sklazy.casebase.kinds import (
    add_checked,
    emptied_columns,
    open_columns,
    rebuilt,
    settled_columns,
)
from sklazy.casebase.moments import NO_TIMES, Times, check_clock, fade_weights
from sklazy.casebase.rows import CodedRows, Ids, Rows
from sklazy.casebase.schema import Schema
from sklazy.casebase.tallies import CellTallies
from sklazy.flow import Cases, Narrow, Queries
from sklazy.tables import Label, Table, match
from sklazy.tables.align import check_same_kind

Cuts = Literal["exact", "frozen"]
Result = TypeVar("Result")


class CaseBase(Hashed):
    """The memory that every lazy learner shares.

    It keeps the rows and what follows from them: categories, bins, counts by
    (attribute, value, class), bit sets of rows, ranges, and a canonical order. Rows
    are added and forgotten in next to no time; what they helped to derive is brought
    up to date at once or, where that is cheaper, when the next question is asked.
    Either way the state is that of a base built from the rows that are there.

    Parameters
    ----------
    table : Table
        The rows.
    target : nominal Column, or float64 array of shape (n_rows,) or (n_rows, n_targets)
        Classes, or numbers to predict.
    weights : array of shape (n_rows,), optional
        How much each row counts.
    times : Times, optional
        When each row happened, and how its weight fades.
    ids : sequence of int or str, optional
        The rows' names; by default 0, 1, ... in order of arrival. The base gives no
        number twice; a row that was forgotten is gone with its id, so an id of one's
        own may come again.
    criterion : {"fayyad", "kononenko"}
        The stop rule of the cuts.
    cuts : {"exact", "frozen"}
        Whether cuts follow every change, or stay as first found until `refresh`.
    schema : Schema, optional
        The columns; by default those of the table and the target.

    Notes
    -----
    Costs, for n rows of d attributes: `add` and `forget` of one row O(d), plus O(n)
    for a column that gains or loses a category; the first question after a change
    O(n) for each numeric column with exact cuts, which are found again from sorted
    orders that followed the change; nothing with frozen cuts. Attributes of more
    than 64 values have no bit sets. Memory is held for the most rows there ever were;
    a base that was saved and loaded takes what it needs.

    A change is made as a whole or, if it fails or is interrupted, not at all. Changes
    and questions may come from several threads: a question uses a `snapshot`, which
    no change reaches. A change that comes while one is in use copies the arrays, O(nd).
    The arrays of the base's own `cases` are the memory itself; work on them must be
    done before the next change.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy.casebase import CaseBase
    >>> from sklazy.tables import as_table, as_target
    >>> X, y = np.array([[1.0], [2.0], [8.0], [9.0]] * 3), ["a", "a", "b", "b"] * 3
    >>> cases = CaseBase(as_table(X), as_target(y, "nominal"))
    >>> cases.cuts[0]
    array([5.])
    >>> before = cases.digest()
    >>> added = cases.add(as_table(X[:1] + 4), as_target(["b"], "nominal"))
    >>> added, cases.n_rows
    (array([12]), 13)
    >>> cases.forget(added)
    >>> cases.digest() == before
    True
    """

    def __init__(
        self,
        table: Table,
        target: Target,
        *,
        weights: ArrayLike | None = None,
        times: Times | None = None,
        ids: IdsLike = None,
        criterion: str = "fayyad",
        cuts: Cuts = "exact",
        schema: Schema | None = None,
    ) -> None:
        check_build(table, criterion, cuts)
        target = two_dimensional(target)
        schema = Schema.of(table, target) if schema is None else schema
        times = NO_TIMES if times is None else times
        schema = replace(schema, clock=times.clock)
        n_targets = target.shape[1] if isinstance(target, np.ndarray) else 0
        n_numeric = len(schema.positions("numeric"))
        bins = Bins(n_numeric, criterion, frozen=cuts == "frozen")
        self._start_empty(schema, bins, n_targets, times.half_life)
        new = new_ids(ids, len(table), 0, self.rows)
        table = match(table, self.coder.model())
        incoming = check_incoming(
            table, self.coder.numeric, target, weights, times, new
        )
        self._follow(self.coder.admit(incoming), self.rows.mark())
        batch = self.coder.coded(incoming, 0)
        self._enter(batch.take(self.coder.order(batch, batch.ids)))

    def _start_empty(
        self, schema: Schema, bins: Bins, n_targets: int, half_life: float | None
    ) -> None:
        """Begin without rows; they have classes where there are no `n_targets`."""
        self.schema, self.half_life, self.next_id = schema, half_life, 0
        self.coder, self.bins = Coder(schema, has_classes=not n_targets), bins
        n_numeric, n_attributes = len(self.coder.numeric), len(schema.attributes)
        self.rows = Rows(n_numeric, n_attributes, n_targets, int(bool(schema.clock)))
        self.tallies, self.ranges = CellTallies(n_attributes), Ranges(n_numeric)
        self.buckets = Buckets()
        self._start_sharing()

    # --- change -----------------------------------------------------------------------

    def add(
        self,
        table: Table,
        target: Target,
        *,
        weights: ArrayLike | None = None,
        times: Times | None = None,
        ids: IdsLike = None,
        mixed: bool = True,
    ) -> Ids:
        """Take in further rows; the ids they got.

        Unless `mixed`, a nominal column that holds strings, bools or numbers takes no
        other labels.
        """
        with self._changing():
            self._freeze()
            new = new_ids(ids, len(table), self.next_id, self._present_ids(ids))
            check_kind(target := two_dimensional(target), self.count_targets())
            times = NO_TIMES if times is None else times
            check_clock(times.clock, self.schema.clock)
            if not mixed:
                check_same_kind(table, self.coder.model(), self._open_names())
            matched = self.matched(table)
            incoming = check_incoming(
                matched, self._numeric, target, weights, times, new
            )
            if settled := settled_columns(self, matched):
                self._settle_kinds(incoming, settled)
            else:
                self._take_in(incoming)
            return new

    def _changing(self) -> AbstractContextManager[object]:
        """Keep other changes and questions out while a change is made."""
        return self._lock

    def _present_ids(self, ids: IdsLike) -> Rows | PresentIds:
        """Ids that new ones must differ from, those of some rows at least."""
        return self.rows

    def _settle_kinds(self, incoming: Incoming, columns: list[int]) -> None:
        """Take in rows that bring open columns their first labels."""
        grown = rebuilt(self, np.arange(self.n_rows), columns)
        add_checked(grown, incoming)
        self._become(grown)

    def _take_in(self, incoming: Incoming) -> None:
        """Number the labels of new rows, and put these in."""
        with self._all_or_nothing() as mark:
            self._follow(self.coder.admit(incoming), mark)
            self._enter(self.coder.coded(incoming, self.n_rows))

    def forget(self, ids: IdsLike) -> None:
        """Erase rows: their values are nowhere any more, nor what was derived of them.

        Exact cuts that they had a part in go with the next question, copy or file;
        with frozen cuts a warning reports that these still stem from them. Questions
        under way are answered by the rows as they were, which are erased then.
        """
        with self._lock:
            gone = slots_of(ids, self.rows.names)
            if len(gone):
                self._drop_choices()
            self.forget_places(gone)
        if len(gone):
            self.bins.warn_if_stale()

    def forget_places(self, gone: NDArray[np.int64]) -> None:
        """Erase rows by where they lie, which must not be all; nothing is warned of."""
        with self._lock:
            self._freeze()
            if emptied_columns(self, (self.rows.codes[:, gone] >= 0).sum(axis=1)):
                left = np.delete(np.arange(self.n_rows), gone)
                self._become(rebuilt(self, left))
            else:
                self._leave(gone)

    def freeze(self) -> None:
        """Keep the cuts as they are until `refresh`, whatever rows come and go."""
        with self._lock:
            self._drop_state()
            self._sync()
            self.bins.frozen = True
            self._outdate()

    def refresh(self) -> None:
        """Find frozen cuts, and choices of earlier rows, anew from those there are."""
        with self._lock:
            self._drop_state()
            self.bins.thaw()
            self.choices.drop()
            self._outdate()

    def _drop_state(self) -> None:
        if self.choices.may_be_old:
            self.choices.sign(self.digest)
        super()._drop_state()

    def settle_cuts(self, cuts: list[NDArray[np.float64]]) -> None:
        """Take frozen cuts found before, one array a numeric attribute."""
        with self._lock:
            self._drop_state()
            for numeric, edges in enumerate(cuts):
                self._recode(numeric, edges)
            self.bins.restore(cuts)
            self._outdate()

    def settle_weights(self) -> None:
        """Keep balanced weights as they count now, whatever rows come and go."""
        with self._lock:
            self._drop_state()
            weights = np.zeros((1, self.rows.capacity))
            weights[0, : self.n_rows] = self.weights
            self.rows.own_weights = weights
            self.schema = replace(self.schema, balanced=False)
            self._outdate()

    # --- questions --------------------------------------------------------------------

    def current(self) -> "CaseBase":
        """The base, or a copy whose choices are all made by the rows that are there."""
        if not self.choices.describe():
            return self
        return self.derive(CaseBase.current, self._copy_current)

    def _copy_current(self) -> "CaseBase":
        twin = copy.deepcopy(self)
        twin.choices = Choices()
        twin.bins.touch()
        return twin

    n_threads: int = 1
    """Threads that search a part of the rows; several where nothing else does."""

    def ask(self, function: Callable[..., Result], *arguments: object) -> list[Result]:
        """Call a function on each part of the rows; here the base is the only part.

        The caller combines the results of the parts, whether there is one or several
        (`casebase.parted`).
        """
        return [function(self, *arguments)]

    def ask_in_turn(
        self, function: Callable[..., list[Result]], *arguments: object
    ) -> list[Result]:
        """Call a function part by part, with the results so far; see `Parts`."""
        return function(self, [], *arguments)

    def joined(self) -> "CaseBase":
        """All rows in one base."""
        return self

    def take(self, rows: NDArray[np.int64]) -> CodedRows:
        """Some rows by their numbers, their weights as they count now."""
        if self._is_behind():
            self._sync()
        taken = self.rows.take(rows)
        return replace(taken, weights=self.weights[rows])

    def count_targets(self) -> int:
        """How many numbers are predicted, 0 where classes are."""
        return len(self.rows.targets)

    def rank(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers that put some rows in the order of their content.

        Equal rows lie side by side, by their names; parts have the same order.
        """
        return np.argsort(
            self.coder.order(self.content(rows), self.tie_breakers()[rows])
        )

    def first_in_order(self, n_rows: int) -> NDArray[np.int64]:
        """The numbers of the first rows in canonical order."""
        return self.order[:n_rows]

    # --- what is there ----------------------------------------------------------------

    @property
    def weighted(self) -> bool:
        """Whether any row has another weight than 1."""
        follow = self.half_life is not None or self.schema.balanced
        if not self.rows.own_weights.size and not follow:
            return False
        return self.derive("weighted", lambda: bool((self.weights != 1).any()))

    @property
    def weights(self) -> NDArray[np.float64]:
        """How much rows count now, in the order they lie in; not to be written to."""
        if self.half_life is None and not self.schema.balanced:
            return self.rows.weights
        return self.derive("weights", self._weigh)

    def _weigh(self) -> NDArray[np.float64]:
        weights = self.rows.weights if self.half_life is None else self._fade()
        if not self.schema.balanced:
            return weights
        return balance_weights(weights, self.rows.classes[: self.n_rows])

    def _fade(self) -> NDArray[np.float64]:
        assert self.half_life is not None
        return fade_weights(self.rows, self.half_life)

    @property
    def names(self) -> list[str]:
        """The attributes' names."""
        return self.schema.names

    @property
    def ids(self) -> Ids:
        """The rows' ids, in the order in which the rows lie."""
        return self.rows.ids

    @property
    def class_labels(self) -> list[Label]:
        """The classes, by code; none if the target is numeric."""
        return self.coder.class_labels

    @property
    def cuts(self) -> list[NDArray[np.float64]]:
        """The cut points of each attribute, none for nominal ones."""
        with self._lock:
            self._sync()
            by_attribute = dict(zip(self._numeric, self.bins.cuts, strict=True))
        return [by_attribute.get(j, np.zeros(0)) for j in range(len(self.names))]

    def categories(self, attribute: int) -> list[Label]:
        """The labels of a nominal attribute, by code."""
        return self.coder.vocabularies[attribute].labels

    def to_table(self) -> Table:
        """The rows' inputs as a table, in the order in which they lie."""
        with self._lock:
            return self.coder.table(self.rows.take(np.arange(self.n_rows)))

    @property
    def cases(self) -> Cases:
        """The memory as the kernels see it, up to date."""
        return self.derive("cases", self._cases)

    @property
    def counted(self) -> Cases:
        """The same where codes and counts wait in `cases`: these are found now."""
        return self.derive("counted", self._count)

    def _cases(self) -> Cases:
        with self._lock:
            return WaitingCases.of(self) if self._is_behind() else self._count()

    def _count(self) -> Cases:
        with self._lock:
            self._sync()
            rows, tallies = self.rows, self.tallies
            return Cases(
                n_rows=rows.n_rows,
                codes=rows.narrow(),
                offsets=tallies.offsets,
                counts=tallies.counts,
                class_counts=tallies.class_counts,
                classes=Narrow(rows.classes),
                starts=tallies.starts,
                value_bits=tallies.value_bits,
                class_bits=tallies.class_bits,
                numeric=self.numeric_places(),
                numbers=rows.numbers,
                ranges=self.ranges.edges,
                targets=rows.targets,
                weights=self.weights,
            )

    def digest(self, purpose: str = "") -> str:
        """The fingerprint of the state: of all rows, and of all that was derived.

        It depends on content alone: neither on the order of rows nor on their ids
        nor on how they came in. With frozen cuts it depends on these, too, and with
        choices of earlier rows on how many have come or gone since, and their digest.
        Nobody can find one for another purpose from it.
        """
        return self.derive(("digest", purpose), lambda: self._digest(purpose))

    def matched(self, table: Table) -> Table:
        """The table with the columns and kinds of the cases, labels of its own kept.

        A column that no case has a value of takes any kind.
        """
        return match(table, self.coder.model(), self._open_names())

    def encode(self, table: Table) -> Queries:
        """Code rows that ask; a label that no case has is unseen, never an error."""
        with self._lock:
            codes, values = self.coder.query_codes(self.matched(table))
            self._sync()  # so that the cuts are up to date
            for i, j in enumerate(self._numeric):
                codes[:, j] = self.bins.code(i, values[:, j])
        return Queries(codes, values)

    def _open_names(self) -> set[str]:
        """The columns without a value, whose kind is open."""
        return {self.names[j] for j in open_columns(self)}

    def _digest(self, purpose: str) -> str:
        with self._lock:
            self._sync()
            digest, earlier = digest_of(self, purpose), self.choices.describe()
            return fingerprint([digest, earlier]) if earlier else digest
