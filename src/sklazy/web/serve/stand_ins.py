"""Stand-ins: made-up rows that take the place of cases below the level `values`.

Cases are put into groups of at least `min_group` alike ones, whatever their targets.
For each case there is a stand-in, drawn from a normal distribution around the mean of
its group; its target is the group's mean, or one of the group's classes, which are
shuffled. A model of the stand-ins answers, so whatever is asked, an answer depends on
the cases by figures of groups alone (condensation; Aggarwal and Yu, 2004).

The covariance is that within all groups, not within one: stand-ins drawn by the five
cases of one group lie in the four dimensions that these span, and a row that is one of
the five is nearer to them than any other. For the same reason the mean itself is
moved at random.

The draws depend on a fingerprint of the cases: the same cases always have the same
stand-ins, so that asking again shows nothing new. It is not the digest, by which
clients could draw the same. A secret of the server is part of it: somebody who knows
all cases but one could try what the last one may be, and draw the same, too.
"""

import copy
import hashlib
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CodedRows
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.keeping import criterion_of
from sklazy.flow import MISSING
from sklazy.measures.grouping import group_rows
from sklazy.tables import Column, Table
from sklazy.web.serve.common_cells import hide_rare
from sklazy.web.serve.levels import round_to

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_STRETCH = 0.7  # columns are stretched at random by up to a factor of exp(0.7)
_SHIFT = 0.5  # the variance by which a group is moved, in that within groups
_MOST_DEVIATIONS = 256  # rows that stand for the spread within groups
_CLIP = 0.95  # quantile of deviations; larger ones would spread all groups


@dataclass(frozen=True)
class StandIns:
    """A model of stand-ins, and the groups of cases behind them.

    Attributes
    ----------
    model : fitted estimator
    members : list of lists of ids
        The cases of each group.
    group_of : int64 array of shape (n_stand_ins,)
        The group of each stand-in; its id is its place here.
    spreads : float64 array of shape (n_targets,)
        The median spread of each target within groups that have any; none for classes.
    """

    model: LazyEstimator
    members: list[list[Any]]
    group_of: Places
    spreads: Floats

    def members_behind(self, stand_ins: Iterable[int]) -> list[tuple[list[Any], int]]:
        """The ids in each group of stand-ins, and how many of these it has."""
        counts = Counter(self.group_of[list(stand_ins)].tolist())
        return [(self.members[group], count) for group, count in counts.items()]


def make_stand_ins(
    model: LazyEstimator,
    min_group: int,
    *,
    noise: float = 0.0,
    secret: bytes = b"",
    without: Sequence[Any] = (),
) -> StandIns:
    """Make stand-ins for all cases but some, and a model of them.

    Parameters
    ----------
    model : fitted estimator
    min_group : int
        The fewest cases that a group has.
    noise : float
        How much wider stand-ins are spread than the cases of their group, as a share.
    secret : bytes
        What draws depend on beside the cases.
    without : sequence of ids
        Cases that have no stand-in yet.
    """
    with model.cases_.snapshot() as cases:
        digest = cases.digest("stand-ins")
        seed = hashlib.sha256(f"{digest} {min_group} {noise}".encode() + secret)
        kept = np.flatnonzero(~np.isin(cases.ids, list(without)))
        kept = kept[np.argsort(cases.rank(kept))]  # whatever order they lie in
        has_classes = bool(cases.class_labels)
        rows = hide_rare(cases.take(kept), min_group, has_classes=has_classes)
        random = np.random.default_rng(list(seed.digest()))
        groups = _find_groups(cases, rows, min_group, random)
        if len(groups) < 2:
            raise BadInputError(
                f"min_group={min_group} leaves fewer than two groups of the "
                f"{len(kept)} cases; lower --min-group, or use --receipts values."
            )
        spread = _Spread(rows, groups, noise, random)
        drawn = [_draw(rows.take(group), min_group, spread, random) for group in groups]
        base = _build(model, cases, _join(drawn))
    twin = copy.copy(model)
    twin.cases_ = base
    counts = [len(group) for group in groups]
    return StandIns(
        model=twin,
        members=[rows.ids[group].tolist() for group in groups],
        group_of=np.repeat(np.arange(len(groups)), counts),
        spreads=_find_spreads(rows.targets, groups),
    )


def _find_spreads(targets: Floats, groups: Sequence[Places]) -> Floats:
    """The median spread of each target within the groups in which it is not constant.

    Where most targets are 0, say, the others need rounding all the same.
    """
    spreads = np.array([targets[:, group].std(axis=1) for group in groups])
    spreads[spreads == 0] = np.nan
    found = [np.nanmedian(s) if np.isfinite(s).any() else 0.0 for s in spreads.T]
    return np.array(found, np.float64)


# --- groups ---------------------------------------------------------------------------


def _find_groups(
    cases: CaseBase, rows: CodedRows, least: int, random: np.random.Generator
) -> list[Places]:
    """Group rows whose cells are alike."""
    points = _place_rows(cases, rows)
    points *= np.exp(random.uniform(-_STRETCH, _STRETCH, points.shape[1]))
    return group_rows(points, least, random)


def _place_rows(cases: CaseBase, rows: CodedRows) -> Floats:
    """The cells of rows as comparable numbers, missing ones in the middle.

    A label has a column of its own.
    """
    columns = [_standardize(column) for column in rows.numbers]
    for attribute in cases.schema.positions("nominal"):
        codes = rows.codes[attribute]
        for code in np.unique(codes[codes >= 0]):
            columns.append((codes == code).astype(np.float64))
    return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 1))


def _standardize(column: Floats) -> Floats:
    known = ~np.isnan(column)
    if not known.any():
        return np.zeros(len(column))
    low, high = np.quantile(column[known], [0.01, 0.99])
    clipped = np.clip(np.nan_to_num(column, nan=np.median(column[known])), low, high)
    if clipped.min() == clipped.max():  # their mean may differ in the last digit
        return np.zeros(len(column))
    centered = clipped - clipped.mean()
    scale = np.abs(centered).max()
    if not 0 < scale < np.inf:
        return np.zeros(len(column))
    scaled: Floats = centered / scale
    return scaled / scaled.std()


# --- draws ----------------------------------------------------------------------------


class _Spread:
    """The deviations of cells from the means of their groups, to draw like ones.

    Parameters
    ----------
    rows : CodedRows
    groups : sequence of int64 arrays
    noise : float
        How much wider draws are spread, as a share.
    random : numpy.random.Generator
    """

    def __init__(
        self,
        rows: CodedRows,
        groups: Sequence[Places],
        noise: float,
        random: np.random.Generator,
    ) -> None:
        self._deviations: Floats = np.zeros(rows.numbers.shape)
        for group in groups:
            for j, column in enumerate(rows.numbers[:, group]):
                deviations = np.nan_to_num(column - _find_middle(column), nan=0.0)
                self._deviations[j, group] = deviations
        far = np.quantile(np.abs(self._deviations), _CLIP, axis=1, keepdims=True)
        self._deviations = self._deviations.clip(-far, far)
        if len(rows) > _MOST_DEVIATIONS:
            some = random.choice(len(rows), _MOST_DEVIATIONS, replace=False)
            self._deviations = self._deviations[:, some]
        self._width, self._random = 1 + noise, random

    def draw(self, n_rows: int) -> Floats:
        """Deviations of so many stand-ins of one group, a row for each column."""
        size = self._deviations.shape[1]
        # Normal weights of deviations have their covariance.
        weights = self._random.normal(size=(size, n_rows))
        weights += np.sqrt(_SHIFT) * self._random.normal(size=(size, 1))
        return self._deviations @ (weights * (self._width / np.sqrt(size)))


def _draw(
    rows: CodedRows, least: int, spread: _Spread, random: np.random.Generator
) -> CodedRows:
    """Draw as many stand-ins as a group has rows."""
    n_rows = len(rows)
    pairs = zip(rows.numbers, spread.draw(n_rows), strict=True)
    numbers = [_move(column, deviations, least) for column, deviations in pairs]
    means = zip(rows.targets.mean(axis=1), rows.targets.std(axis=1), strict=True)
    rounded = [round_to(mean, spread / np.sqrt(n_rows)) for mean, spread in means]
    targets = np.repeat(rounded, n_rows)
    codes = [_draw_labels(column, least, random) for column in rows.codes]
    return CodedRows(
        numbers=np.reshape(numbers, rows.numbers.shape),
        codes=np.reshape(codes, rows.codes.shape),
        classes=random.permutation(rows.classes),
        targets=np.reshape(targets, rows.targets.shape),
        weights=np.full(n_rows, rows.weights.mean()),
        times=rows.times[:0],  # their weights have faded
        arrival=rows.arrival,
        hashes=rows.hashes,
        ids=rows.ids,
    )


def _find_middle(column: Floats) -> float:
    """The mean of the known cells, or their median if their sum is too large."""
    known = column[~np.isnan(column)]
    if not len(known):
        return np.nan
    with np.errstate(over="ignore"):
        middle = float(known.mean())
    return middle if np.isfinite(middle) else float(np.median(known))


def _move(column: Floats, deviations: Floats, least: int) -> Floats:
    """Numbers around the middle of a group; none where too few are known."""
    if np.count_nonzero(~np.isnan(column)) < least:
        return np.full(len(column), np.nan)
    middle = _find_middle(column)
    with np.errstate(over="ignore"):
        drawn = middle + deviations
    return np.where(np.isfinite(drawn), drawn, middle)


def _draw_labels(
    codes: NDArray[np.int32], least: int, random: np.random.Generator
) -> NDArray[np.int32]:
    """Draw labels of a group's rows; none where too few are known, or one has it."""
    known = codes[codes >= 0]
    if len(known) < least:
        return np.full(len(codes), MISSING, codes.dtype)
    labels, counts = np.unique(known, return_counts=True)
    common = np.isin(known, labels[counts > 1])
    if not common.any():
        return np.full(len(codes), MISSING, codes.dtype)
    return random.choice(known[common], len(codes))


def _join(parts: Sequence[CodedRows]) -> CodedRows:
    names = vars(parts[0])
    return CodedRows(
        **{n: np.concatenate([getattr(p, n) for p in parts], axis=-1) for n in names}
    )


def _build(model: LazyEstimator, cases: CaseBase, rows: CodedRows) -> CaseBase:
    """A case base of rows, with the columns of another."""
    columns, numeric = [], iter(rows.numbers)
    for j, attribute in enumerate(cases.schema.attributes):
        declared = bool(attribute.declared)
        if attribute.kind == "numeric":
            columns.append(Column(attribute.name, "numeric", next(numeric)))
        else:
            labels = tuple(cases.categories(j))
            codes = rows.codes[j].astype(np.int32)
            columns.append(Column(attribute.name, "nominal", codes, labels, declared))
    table = Table(tuple(columns), len(rows), cases.schema.named)
    return CaseBase(
        table,
        _targets(cases, rows),
        weights=rows.weights if cases.weighted else None,
        criterion=criterion_of(model),
        schema=replace(cases.schema, clock=""),
    )


def _targets(cases: CaseBase, rows: CodedRows) -> Column | Floats:
    if not cases.class_labels:
        return np.ascontiguousarray(rows.targets.T)
    labels, codes = tuple(cases.class_labels), rows.classes.astype(np.int32)
    if cases.schema.classes:  # declared: no case is needed to know them
        return Column("class", "nominal", codes, labels, True)
    present, places = np.unique(codes, return_inverse=True)
    labels = tuple(labels[code] for code in present)
    return Column("class", "nominal", places.astype(np.int32), labels, False)


# --- while cases come and go ----------------------------------------------------------


class UnusedCases:
    """Added cases that take no part yet: until there are `min_group` of them."""

    def __init__(self, min_group: int, ids: Iterable[Any] = ()) -> None:
        self._min_group, self.ids = min_group, list(ids)

    def add(self, ids: Iterable[Any]) -> bool:
        """Let cases wait; whether they, and those before, take part from now on."""
        self.ids += ids
        if len(self.ids) < self._min_group:
            return False
        self.ids = []
        return True

    def drop(self, ids: Iterable[Any]) -> bool:
        """Note cases that are gone; whether one of them took part."""
        gone = set(ids)
        takes_part = not gone.issubset(self.ids)
        self.ids = [one for one in self.ids if one not in gone]
        return takes_part


class StandInKeeper:
    """Keeps the stand-ins of a model that changes.

    Added cases get stand-ins once there are `min_group` of them; a forgotten case has
    an effect no longer from the next question on.
    """

    def __init__(
        self,
        model: LazyEstimator,
        min_group: int,
        noise: float,
        waiting: Iterable[Any] = (),
        secret: bytes = b"",
    ) -> None:
        self._model, self._min_group, self._noise = model, min_group, noise
        self._secret = secret
        self._lock = threading.Lock()
        self._waiting = UnusedCases(min_group, waiting)
        self._current: StandIns | None = None

    def current(self) -> StandIns:
        """The stand-ins, made anew if cases have changed."""
        with self._lock:
            if self._current is None:
                self._current = make_stand_ins(
                    self._model,
                    self._min_group,
                    noise=self._noise,
                    secret=self._secret,
                    without=self._waiting.ids,
                )
            return self._current

    def follow_added(self, ids: Iterable[Any]) -> None:
        """Let added cases wait until they are enough."""
        with self._lock:
            if self._waiting.add(ids):
                self._current = None

    def follow_forgotten(self, ids: Iterable[Any]) -> None:
        """Drop the stand-ins of a state that had forgotten cases."""
        with self._lock:
            if self._waiting.drop(ids):
                self._current = None
