"""One scikit-learn model for each set of attributes that queries use."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from sklazy.answer.batch import Batch, Floats, Ints, Votes, class_totals
from sklazy.answer.threads import check_jobs
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, warn_once
from sklazy.estimators.base import LazyEstimator
from sklazy.flow import UNSEEN, Queries, Selected
from sklazy.forking import make_lock
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.selection.host import Attributes, ModelUse
from sklazy.tables import Table
from sklazy.tables.labels import indicators

Subset = tuple[int, ...]
Model: TypeAlias = Any  # a fitted classifier; None: the answer is the prior

_EVERY_QUERY = 2**62

# Trees of scikit-learn compute in float32: 3.4e38 at most, 1.2e-38 at least.
_ORDINARY = 2.0**100
_FAR = 1e38  # further away all queries are the same
_NEARLY_ONE = 1e-5  # how far the sum of float32 probabilities may be off


class ModelCache:
    """The models last used, up to a maximum number."""

    def __init__(self) -> None:
        self._models: OrderedDict[Subset, Model] = OrderedDict()
        self._lock = make_lock()

    def __len__(self) -> int:
        return len(self._models)

    def find(self, subset: Subset, fit: Callable[[], Model], most: int) -> Model:
        """The model of a subset, fitted if it is not here."""
        with self._lock:
            if subset in self._models:
                self._models.move_to_end(subset)
                return self._models[subset]
        model = fit()
        with self._lock:
            self._models[subset] = model
            while len(self._models) > most:
                self._models.popitem(last=False)
        return model


@dataclass(frozen=True, eq=False)
class ModelHost:
    """A scikit-learn classifier whose copies are fitted on the attributes in use."""

    estimator: BaseEstimator
    cache_size: int
    n_jobs: int | None
    discretize: bool = False

    def start(self, batch: Batch, attributes: Attributes) -> "ModelWork":
        """Make ready to fit and predict."""
        return ModelWork(self, batch, attributes.selected)

    def reads_ranks(self, _: CaseBase) -> bool:
        """Return False: models receive the selected attributes."""
        return False

    def slices(self, _: CaseBase) -> tuple[int, int, int]:
        """One slice: queries of the same attributes share a model."""
        return _EVERY_QUERY, _EVERY_QUERY, 0

    def cost(self, base: CaseBase, n_selected: int) -> float:
        """Nothing that slices could share."""
        return 0.0

    def can_leave_out(self, base: CaseBase) -> bool:
        """Return False: a model must be fitted again without the case."""
        return False

    def fit(self, base: CaseBase, subset: Subset) -> Model:
        """Fit a model on some attributes of the cases, in canonical order."""
        cases = base.cases
        order = base.order[cases.weights[base.order] > 0]
        if len(np.unique(cases.classes[order])) == 1:
            return None
        inputs = self._inputs(base, subset, order)
        if not inputs.shape[1]:
            return None
        model = seeded(self.estimator)
        weights = {"sample_weight": cases.weights[order]} if base.weighted else {}
        if weights and not has_fit_parameter(model, "sample_weight"):
            raise BadInputError(
                f"sample_weight was given, but {type(model).__name__} takes none; "
                "leave it out, or use another estimator."
            )
        return model.fit(inputs, cases.classes[order], **weights)

    @property
    def takes_tables(self) -> bool:
        """Whether the classifier is one of this library, which takes columns as is."""
        return isinstance(self.estimator, LazyEstimator)

    def _inputs(self, base: CaseBase, subset: Subset, order: Ints) -> Table | Floats:
        """Some attributes of the cases, as a table or as columns of numbers."""
        if self.takes_tables:
            table = base.derive((ModelHost, "table"), base.to_table)
            return _columns_at(table, subset).take(order)
        columns = [self._encode(base, j)[order] for j in subset]
        return np.hstack(columns) if columns else np.zeros((len(order), 0))

    def ask(self, base: CaseBase, queries: Queries, subset: Subset) -> Table | Floats:
        """Some attributes of the queries, as the model takes them."""
        if self.takes_tables:
            table = base.derive((ModelHost, "table"), base.to_table)
            columns = _columns_at(table, subset)
            return _as_table(columns, queries, subset)
        is_number = base.cases.numeric >= 0
        blocks = [
            self.encode(
                base,
                j,
                queries.codes[:, j],
                queries.values[:, j] if is_number[j] else None,
            )
            for j in subset
        ]
        return np.hstack(blocks)

    def _encode(self, base: CaseBase, attribute: int) -> Floats:
        """One attribute of all cases, in the order in which they lie."""
        cases = base.cases
        column = cases.numeric[attribute]
        numbers = cases.numbers[column, : cases.n_rows] if column >= 0 else None
        codes = cases.codes[attribute, : cases.n_rows]
        return self.encode(base, attribute, codes, numbers)

    def encode(
        self,
        base: CaseBase,
        attribute: int,
        codes: NDArray[np.int32],
        numbers: Floats | None,
    ) -> Floats:
        """Cells of one attribute as columns for the model: (n, 1) or (n, n_values)."""
        if numbers is None:
            width = int(np.diff(base.cases.offsets)[attribute])
            return indicators(codes, width)
        if not get_tags(self.estimator).input_tags.allow_nan:
            numbers = np.where(np.isnan(numbers), _median(base, attribute), numbers)
        with np.errstate(over="ignore"):
            placed = numbers * _unit(base, attribute)
        return np.clip(placed, -_FAR, _FAR)[:, None]


def _columns_at(table: Table, subset: Subset) -> Table:
    return table.select([table.names[j] for j in subset])


def _as_table(like: Table, queries: Queries, subset: Subset) -> Table:
    """Queries as a table of the same columns; an unseen label is a new one."""
    columns = []
    for column, j in zip(like, subset, strict=True):
        if column.kind == "numeric":
            columns.append(replace(column, data=queries.values[:, j]))
            continue
        codes = queries.codes[:, j]
        labels = (*column.categories, _UNSEEN_LABEL)
        data = np.where(codes == UNSEEN, len(labels) - 1, codes).astype(np.int32)
        columns.append(replace(column, data=data, categories=labels))
    return Table(tuple(columns), len(queries.codes), like.named)


_UNSEEN_LABEL = "\0 a label that no case has"


def seeded(estimator: BaseEstimator) -> BaseEstimator:
    """An unfitted copy; where chance is left open, it is the same every time."""
    copy = clone(estimator)
    names = [name for name in copy.get_params() if _is_open(copy, name)]
    return copy.set_params(**dict.fromkeys(names, 0))


def _is_open(estimator: BaseEstimator, name: str) -> bool:
    is_seed = name == "random_state" or name.endswith("__random_state")
    return is_seed and estimator.get_params()[name] is None


def _median(base: CaseBase, attribute: int) -> float:
    """The number that replaces a missing one."""

    def find() -> float:
        numbers = _numbers(base, attribute)
        known = numbers[~np.isnan(numbers)]
        if not known.size:
            return 0.0
        unit = find_unit(known)  # the middle of two large numbers is their mean
        return float(np.median(known * unit)) / unit

    return base.derive((_median, attribute), find)


def _unit(base: CaseBase, attribute: int) -> float:
    """Factor of the numbers: 1, unless they are far beyond float32."""
    key = _unit, attribute
    return base.derive(key, lambda: find_unit(_numbers(base, attribute), _ORDINARY))


def _numbers(base: CaseBase, attribute: int) -> Floats:
    cases = base.cases
    return cases.numbers[cases.numeric[attribute], : cases.n_rows]


class ModelWork:
    """Models at work on a batch: votes are probabilities."""

    def __init__(self, host: ModelHost, batch: Batch, selected: Selected) -> None:
        self.host, self.batch, self.selected = host, batch, selected
        self.votes = np.zeros((len(batch), batch.n_classes))
        self.used: set[Subset] = set()
        # Another estimator, or other parameters of it, must find no models of this one.
        self._key = ModelCache, joblib.hash(clone(host.estimator))

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        attributes, counts = self.selected
        self.votes[first:last] = self._predict(
            self.batch.part(first, last),
            [
                tuple(sorted(row[:n].tolist()))
                for row, n in zip(
                    attributes[first:last], counts[first:last], strict=True
                )
            ],
        )

    def vote_with_each(self, order: NDArray[np.int32], first: int) -> Floats:
        """Probabilities with the first attribute, the first two, ... of each order."""
        part = self.batch.part(first, first + len(order))
        by_count = [
            self._predict(part, [tuple(row) for row in np.sort(order[:, :r]).tolist()])
            for r in range(1, order.shape[1] + 1)
        ]
        return np.stack(by_count, axis=1)

    def _predict(self, part: Batch, subsets: list[Subset]) -> Floats:
        """Probabilities of queries, each by the model of its subset."""
        check_jobs(self.host.n_jobs)
        groups: dict[Subset, list[int]] = {}
        for query, subset in enumerate(subsets):
            groups.setdefault(subset, []).append(query)
        self.used |= set(groups)
        answers = np.empty((len(part), part.n_classes))
        parts = Parallel(n_jobs=self.host.n_jobs, prefer="threads")(
            delayed(self._predict_group)(part, subset, np.array(rows))
            for subset, rows in groups.items()
        )
        for rows, probabilities in zip(groups.values(), parts, strict=True):
            answers[rows] = probabilities
        return answers

    def _predict_group(self, part: Batch, subset: Subset, rows: Ints) -> Floats:
        """Probabilities of queries that use the same attributes."""
        host, base = self.host, part.base
        cache = base.derive(self._key, ModelCache)
        queries = Queries(part.queries.codes[rows], part.queries.values[rows])
        try:
            with np.errstate(all="ignore"):  # what is not finite is refused
                fit, most = lambda: host.fit(base, subset), host.cache_size
                model = cache.find(subset, fit, most)
                if model is None:
                    totals = class_totals(base)
                    return np.tile(totals / totals.sum(), (len(rows), 1))
                inputs = host.ask(base, queries, subset)
                return class_probabilities(model, inputs, part.n_classes)
        except BadInputError:
            raise
        except (ValueError, ArithmeticError) as error:
            names = [base.names[j] for j in subset]
            raise BadInputError(
                f"estimator={host.estimator!r} could not be fitted or used with the "
                f"attributes {names}: {error} Scale or clean these columns, or use "
                "another estimator."
            ) from error

    def to_probabilities(self, votes: Votes) -> Floats:
        """Votes are probabilities already."""
        return votes

    def evidence(self, query: int, decision: int) -> ModelUse:
        """The model that answered, and how many the batch needed."""
        return ModelUse(repr(self.host.estimator), len(self.used))


def class_probabilities(model: Model, inputs: Table | Floats, n_classes: int) -> Floats:
    """Probabilities by class code; 0 or 1 where the model gives labels only.

    Rows that do not sum to 1 are made to, with a warning; what cannot be made a
    probability is refused.
    """
    probabilities = np.zeros((len(inputs), n_classes))
    if hasattr(model, "predict_proba"):
        probabilities[:, model.classes_] = model.predict_proba(inputs)
    else:
        probabilities[np.arange(len(inputs)), model.predict(inputs)] = 1.0
    return _as_probabilities(probabilities, type(model).__name__)


def _as_probabilities(scores: Floats, name: str) -> Floats:
    sums = scores.sum(axis=1)
    sound = np.isfinite(sums) & (sums > 0) & (scores >= 0).all(axis=1)
    if not sound.all():
        wrong = scores[np.flatnonzero(~sound)[0]].tolist()
        raise BadInputError(
            f"{name}.predict_proba answers {wrong}; expected probabilities. Scale or "
            "clean the columns, or use another estimator."
        )
    off = np.abs(sums - 1.0) > _NEARLY_ONE
    if not off.any():
        return scores
    warn_once(
        f"{name}.predict_proba gives rows that sum to {sums[off][0]:g}; they are "
        "divided by their sums."
    )
    return np.where(off[:, None], scores / sums[:, None], scores)
