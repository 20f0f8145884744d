"""The estimator that keeps a case base: its public methods, each in one place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from operator import is_not
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sklazy.answer import (
    AnyLearner,
    NotPlainError,
    Target,
    answer_queries,
    leave_one_out,
)
from sklazy.answer.leave_one_out import at_once
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.casebase.moments import forget_before
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import places_of
from sklazy.estimators.keeping import (
    encode_later,
    gather_queries,
    put_in_order,
    read_later,
)
from sklazy.estimators.parameters import advise_columns, check_choice
from sklazy.estimators.reference import find_link, name_methods
from sklazy.tables import Table
from sklazy.tables.arrays import are_dicts

if TYPE_CHECKING:
    import pandas

    from sklazy.estimators.changes import AnswerChanges
    from sklazy.estimators.contributions import Contributions
    from sklazy.estimators.curves import AnswerCurve
    from sklazy.estimators.influence import Influence
    from sklazy.estimators.next_attribute import Acquisition, Costs, Suggestion
    from sklazy.receipts import Receipt, Receipts, Wanted


class LazyEstimator(BaseEstimator):
    """Base of all lazy estimators: `fit` keeps a case base, `cases_`.

    A subclass makes a learner of its parameters (`_learner`); the base classes of
    classifiers and regressors know the target. The parameters `discretization`, `cuts`,
    `window` and `half_life` are used if a subclass has them.
    """

    target: ClassVar[Target]
    cases_: CaseBase
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_jobs: int | None = None
    refresh_every: float = 1
    categorical_features: object = "from_dtype"

    _can_be_member: ClassVar[bool] = True  # of a blend
    _approximates: ClassVar[bool] = False  # leaves rows out at once, settings staying
    _can_approximate: ClassVar[bool] = False  # `loo_predict` takes `approximate`
    _votes: ClassVar[bool] = False  # its nearest cases do, n_neighbors of them
    _warns_of_names: ClassVar[bool] = False  # of columns that name rows, at fit
    _fewest_rows: ClassVar[int] = 1  # that an answer needs
    _fitted: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    """Fitted attributes other than the cases: names, and what reads them from JSON."""

    _reads_arrays: ClassVar[bool] = True  # of numbers, without looking at each cell
    _is_flat: bool = True  # whether the target has one axis
    _doc_link_module = "sklazy"
    _doc_link_template = property(find_link)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        name_methods(cls, "fit", "partial_fit")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # --- receipts ---------------------------------------------------------------------

    def explain(
        self,
        X: ArrayLike,
        *,
        coverage: float | None = None,
        method: str = "jackknife",
        by: str | None = "auto",
        accuracy: float | None = None,
        suggest: bool = False,
        costs: Mapping[str, float] | ArrayLike | None = None,
        reasons: bool = True,
        detail: str = "brief",
    ) -> Receipts:
        """Answer each query with a receipt: what was answered, and from what.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        coverage : float in (0, 1), optional
            Add the set of classes (`predict_set`) or the interval (`predict_interval`)
            to each receipt.
        method, by
            As for `predict_set` and `predict_interval`; "auto" is None for classes.
            Receipts name what was taken.
        accuracy : float in (0, 1), optional
            For classes: report whether the answer is sure enough to be given; see
            `predict_or_abstain`.
        suggest : bool, default=False
            Whether receipts suggest which missing attribute to measure next.
        costs
            As for `suggest_attribute`.
        reasons : bool, default=True
            Whether receipts open with the reasons of this row: what each feature
            adds, as `contributions` finds it, the cases that move the answer most, as
            `influence` finds them (kernel models, and blends with one), and a change
            of one feature that would change the answer. They are found when a receipt
            is first read. False gives the method's evidence alone. There are none
            where a method without a formula has more than 4 million cells to ask.
        detail : {"brief", "full"}
            Whether a receipt with reasons has all evidence of the method, too: cases
            by their similarity, members, curves. That takes up to 400 KB; a brief
            receipt has at most 20.

        Returns
        -------
        receipts : Receipts
            One per query, with `to_dict`, `to_json`, `to_html` and a text. If the
            pandas index of X names rows, receipts are shown under its labels.
        """
        from sklazy.estimators.explanations import explain_queries
        from sklazy.receipts import Wanted

        if detail != "brief":
            check_choice("detail", detail, ("brief", "full"))
        ways = coverage, method, by, accuracy, suggest, costs
        wanted = Wanted(*ways, reasons, detail)
        return explain_queries(self, X, wanted)

    def verify(
        self,
        receipt: Receipt | Mapping[str, Any] | str | bytes,
        *,
        key: bytes | None = None,
    ) -> bool:
        """Recompute the answer and check that the receipt matches it.

        Raise `ReceiptError` if the receipt was edited, belongs to other cases or
        differs from the recomputed answer.

        Parameters
        ----------
        receipt : Receipt, or what its `to_dict` or `to_json` gave
        key : bytes, optional
            Key with which the receipt must be signed (`Receipt.signed`). A missing or
            different signature raises `ReceiptError`.
        """
        from sklazy.estimators.explanations import verify_receipt

        return verify_receipt(self, receipt, key)

    # --- reasons ----------------------------------------------------------------------

    def contributions(self, X: ArrayLike, of: object = None) -> Contributions:
        """Find how much each feature adds to the answer to each query, signed.

        Contributions are in probability, or in the unit of the target, and add up to
        the answer less the base: the answer to a row of which nothing is known. They
        are exact for kernel and linear models and along random paths; else Shapley
        values found by asking with cells made missing, all subsets of up to ten
        features, a sample of more. A missing cell contributes 0.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        of : label, optional
            The class whose probability is explained, or the name of a target.
            Default: the class predicted for each query, the first target.

        Returns
        -------
        contributions : Contributions
            With `values` (n_queries, n_features), `base`, `answer`, `names`, `of` and
            `errors`.

        Notes
        -----
        Values describe the model, not the world: association, not cause.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sklazy import LazyKernelClassifier
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> model = LazyKernelClassifier().fit(X[::2], y[::2])
        >>> found = model.contributions(X[1:2])
        >>> found.of.item(), found.names[int(found.values[0].argmax())]
        (0, 'proline')
        """
        from sklazy.estimators.contributions import contribute_all

        return contribute_all(self, X, of)

    def influence(
        self, X: ArrayLike, ids: object = None, of: object = None
    ) -> Influence:
        """Find what each answer would be without each case.

        For kernel models all cases are left out at once, exactly, the settings that
        were chosen by all cases staying as they are. Other methods forget each block
        in a copy and are asked again, which takes as long as that; name some ids then.
        In a blend the weights of members stay, and the chance of its random paths
        counts as influence.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        ids : list of ids, or of lists of ids, optional
            Cases to leave out one by one, and blocks to leave out together, such as
            all rows of one person. Default: every case.
        of
            As for `contributions`.

        Returns
        -------
        influence : Influence
            With `values` (n_queries, n_blocks), `ids`, `answer` and `of`.

        Examples
        --------
        >>> from sklazy import LazyKernelRegressor
        >>> X, y = [[float(i)] for i in range(8)], [0.0, 0, 0, 0, 1, 1, 1, 1]
        >>> model = LazyKernelRegressor().fit(X, y)
        >>> found = model.influence([[6.5]], ids=[0, [6, 7]])
        >>> bool(found.values[0, 1] > found.values[0, 0])
        True
        """
        from sklazy.estimators.influence import find_influence

        return find_influence(self, X, ids, of)

    def curve(
        self, x: ArrayLike, feature: str, n_values: int = 25, of: object = None
    ) -> AnswerCurve:
        """Find the answer along one feature, the others staying as they are.

        Parameters
        ----------
        x : frame, Table or array-like of one row
        feature : str
        n_values : int, default=25
            How many numbers are tried, at even ranks of those that occur; of labels
            all are.
        of
            As for `contributions`.

        Returns
        -------
        curve : AnswerCurve
            With `values`, `answers` and `plot()`.

        Examples
        --------
        >>> from sklazy import LazyKernelClassifier
        >>> X = [[float(number)] for number in range(12)]
        >>> model = LazyKernelClassifier().fit(X, ["low"] * 6 + ["high"] * 6)
        >>> curve = model.curve([[2.0]], "x0", n_values=3)
        >>> curve.values.tolist(), curve.answers.round(2).tolist(), curve.of
        ([0.0, 2.0, 6.0, 11.0], [1.0, 1.0, 0.0, 0.0], 'low')
        """
        from sklazy.estimators.curves import draw_curve

        return draw_curve(self, x, feature, n_values, of)

    def changes(
        self,
        x: ArrayLike,
        max_features: int = 2,
        fixed: Collection[str] = (),
        by: float | None = None,
    ) -> AnswerChanges:
        """Find the smallest changes of a row that change its answer.

        Features take values that occur among the cases: every label, and twenty
        numbers of each column at even ranks. Two features change together where each
        of them moves the answer most (eight features, four values). Every change that
        is listed was asked about.

        Parameters
        ----------
        x : frame, Table or array-like of one row
        max_features : {1, 2}, default=2
            How many features may change at once.
        fixed : names of features, optional
            Those that cannot change, such as age.
        by : float, optional
            How far a predicted number must move. Default: the standard deviation of
            the target.

        Returns
        -------
        changes : AnswerChanges
            The smallest first; empty if none of those tried changes the answer.

        Examples
        --------
        >>> from sklazy import LazyKernelClassifier
        >>> X = [[float(number), number % 3] for number in range(12)]
        >>> model = LazyKernelClassifier().fit(X, ["low"] * 6 + ["high"] * 6)
        >>> found = model.changes([[2.0, 1.0]])
        >>> found.answer, found[0].answer, list(found[0].after)
        ('low', 'high', ['x0'])
        >>> len(model.changes([[2.0, 1.0]], fixed=["x0"]))
        0
        """
        from sklazy.estimators.changes import find_changes

        return find_changes(self, x, max_features, fixed, by)

    # --- other questions about queries ------------------------------------------------

    def similar(self, X: ArrayLike, k: int = 5) -> pandas.DataFrame:
        """Find the cases most similar to each query, as a pandas frame.

        Kernel models, and blends with one, compare cases by the distance that they
        predict by; other methods by the HEOM distance on all attributes. A receipt
        lists the cases behind the answer, which may be others.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        k : int, default=5
            Cases per query, nearest first. Ties are ordered by the content of the
            cases.

        Returns
        -------
        frame : pandas.DataFrame
            Indexed by query (its label in the index of X, or its number) and case (its
            id). Columns: the distance, the values of the case (dates as dates), and
            its target.

        Examples
        --------
        >>> import pandas as pd, sklazy
        >>> X = pd.DataFrame({"legs": [4, 6, 2]}, index=["cat", "ant", "hen"])
        >>> y = pd.Series(["fur", "shell", "feathers"], name="skin")
        >>> model = sklazy.LazyKNeighborsClassifier().fit(X, y)
        >>> model.similar(pd.DataFrame({"legs": [3.5]}, index=["pod"]), k=1)
                    distance  legs skin
        query case
        pod   cat      0.125   4.0  fur
        """
        from sklazy.estimators.questions import find_similar

        return find_similar(self, X, k)

    def novelty(self, X: ArrayLike) -> NDArray[np.float64]:
        """Measure how unlike the cases each query is, from 0 to 1.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        shares : float64 array of shape (n_queries,)
            Share of the cases that are nearer to another case than the query is to any,
            by the HEOM distance on all attributes known in the query, whatever the
            method. Of very many cases, some hundreds are compared. NaN if there is only
            one case.

        See Also
        --------
        unlike : Which queries are unlike all cases.
        """
        from sklazy.estimators.questions import measure_novelty

        return measure_novelty(self, X).shares

    def unlike(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Flag queries that are unlike all cases, so that answers are guesses.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        unlike : bool array of shape (n_queries,)
            True if novelty is at least 0.99 and the distance to the nearest case is
            extreme: more than three interquartile ranges above the upper quartile of
            the distances between cases, and more than twice their median.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LazyKNeighborsClassifier().fit(X[::2], y[::2])
        >>> model.unlike([X[1], 3 * X[1]])
        array([False,  True])
        """
        from sklazy.estimators.questions import measure_novelty

        return measure_novelty(self, X).unlike

    def suggest_attribute(self, X: ArrayLike, costs: Costs = None) -> list[Suggestion]:
        """Suggest which missing attribute of each query to measure next, and why.

        Each missing attribute is scored by how much it is expected to reduce the
        uncertainty of the answer, per unit of cost. Its values count by how probable
        they are among the cases similar to the query. The outcomes of the best
        attribute are answers of this estimator.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
            Missing cells are those that can be measured.
        costs : mapping of name to number, or array-like of shape (n_attributes,)
            Cost of measuring each attribute, above 0; 1 by default.

        Returns
        -------
        suggestions : list of Suggestion, one for each query

        See Also
        --------
        acquire : Simulate it on complete rows.

        Notes
        -----
        Each known attribute in which a case differs from the query divides its weight
        by five, beyond the number in which the most similar case differs. Numbers are
        compared by their bins, or by quartiles in regression. Results depend neither on
        the order of rows nor on other queries.

        Examples
        --------
        >>> from sklazy import LazyNBClassifier
        >>> X = [["red", "x"], ["red", "y"], ["blue", "x"], ["blue", "y"]] * 3
        >>> y = ["a", "a", "b", "c"] * 3
        >>> model = LazyNBClassifier(selection="none").fit(X, y)
        >>> (one,) = model.suggest_attribute([["blue", None]])
        >>> one.attribute, [(o["value"], o["answer"]) for o in one.outcomes]
        ('x1', [('x', 'b'), ('y', 'c')])
        """
        from sklazy.estimators.next_attribute import suggest_attributes

        return suggest_attributes(self, X, costs)

    def acquire(
        self, X: ArrayLike, budget: float | None = None, costs: Costs = None
    ) -> Acquisition:
        """Simulate `suggest_attribute` on complete rows, one attribute at a time.

        Each query starts with nothing known. It buys the attribute with the highest
        gain per cost and is answered, until the budget is spent or no attribute adds
        anything.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
            Missing cells cannot be bought.
        budget : float, optional
            The most that each query may spend. Default: no limit.
        costs : as for `suggest_attribute`

        Returns
        -------
        Acquisition
        """
        from sklazy.estimators.next_attribute import acquire_attributes

        return acquire_attributes(self, X, budget, costs)

    def past_predict(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Predict training rows, each from the rows before it.

        Equals a fit to the earlier rows, by `times` or, without them, by order of
        arrival. Rows of the same time do not see each other.

        Parameters
        ----------
        rows : array-like of int, optional
            Rows to predict, by position in order of arrival. Default: all but the first
            ones, which have too few rows before them.

        Returns
        -------
        predicted : array of shape (n_rows,), or (n_rows, n_targets)
            As from `predict`, in order of arrival or of `rows`.

        Notes
        -----
        Rows are learned one after the other: each costs an update and a query. See
        `prequential` for rows that are not kept.
        """
        from sklazy.estimators.questions import predict_past

        return predict_past(self, rows)

    def explore(
        self,
        *,
        port: int = 0,
        browser: bool = True,
        read_only: bool = False,
        beside: Mapping[str, LazyEstimator] | None = None,
    ) -> Any:  # noqa: ANN401
        """Open a page on this machine: cases, receipts, what-if, a map, an audit.

        Changes are made to a copy, the `model` of the explorer; this estimator stays as
        it is. As the last value of a notebook's cell the explorer is shown in the cell.
        Needs ``pip install 'sklazy[serve]'``.

        Parameters
        ----------
        port : int, default=0
            Port on 127.0.0.1; 0 for any free one.
        browser : bool, default=True
            Whether to open a browser. The address is in `url`.
        read_only : bool, default=False
            Whether the page refuses changes.
        beside : mapping of str to estimator, optional
            Other fitted estimators by name, shown on the same site.

        Returns
        -------
        explorer : Explorer
            With `url`, `model`, `changes`, `to_html()` and `stop()`; also a context
            manager.
        """
        from sklazy.estimators.questions import open_explorer

        return open_explorer(
            self, beside, port=port, browser=browser, read_only=read_only
        )

    # --- the cases --------------------------------------------------------------------

    def forget(self, ids: IdsLike = None, *, before: object = None) -> Self:
        """Erase rows. The result equals a fit without them.

        Parameters
        ----------
        ids : sequence of int or str
            Ids of the rows to erase.
        before : number or date, optional
            Instead of ids: erase all rows with an earlier time.
        """
        check_is_fitted(self)
        if (ids is None) == (before is None):
            raise BadInputError(
                f"ids={ids!r} and before={before!r}; give exactly one of them."
            )
        if ids is None:
            forget_before(self.cases_, before)
        else:
            self.cases_.forget(ids)
        return self

    def refresh(self) -> Self:
        """Compute frozen cuts, and choices of earlier rows, from the present rows."""
        check_is_fitted(self)
        self.cases_.refresh()
        return self

    def digest(self) -> str:
        """Return the fingerprint of the cases and of everything derived from them."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return cases.digest()

    def save(self, path: str | Path, *, n_parts: int | None = None) -> None:
        """Write parameters and cases to a file, as data only; see `sklazy.load`.

        An existing file is replaced only once the new one is complete.

        Parameters
        ----------
        path : str or Path
        n_parts : int, optional
            Write a folder of that many files in place of one, for the workers of a
            cluster (`sklazy.dask.load`).
        """
        from sklazy.estimators.saving import save_model

        check_is_fitted(self)
        save_model(self, path, n_parts)

    @property
    def ids_(self) -> NDArray[Any]:
        """Row ids, in order of arrival."""
        with self.cases_.snapshot() as cases:
            return cases.ids[np.argsort(cases.arrival)]

    # --- what a subclass defines ------------------------------------------------------

    def _learner(self) -> AnyLearner:
        """Make a learner of the parameters, once they are known to make sense."""
        raise NotImplementedError

    def _explaining(self, learner: AnyLearner) -> AnyLearner:
        """Make a learner whose answers can become receipts."""
        return learner

    def _target(self, y: object) -> GivenTarget:
        """Read targets."""
        raise NotImplementedError

    def _describe_doubt(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        """Describe how sure each answer is, for receipts."""
        raise NotImplementedError

    def _find_fitted(self, y: object) -> dict[str, Any]:
        """Find the attributes of `_fitted`, which `fit` keeps with the cases."""
        return {}

    def _resolved(self) -> dict[str, object]:
        """Find the JSON values that stand for parameters in receipts."""
        return {}

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense."""

    def _check_size(self, n_attributes: int, n_rows: int | None) -> None:
        """Refuse parameters that do not fit the size of the table."""

    def _check_table(self, table: Table) -> None:
        """Refuse rows, or queries, that parameters do not allow."""

    def _check_cases(self, cases: CaseBase) -> None:
        """Refuse cases that cannot be learned from."""

    # --- answers ----------------------------------------------------------------------

    @property
    def _n_attributes(self) -> int:
        """The columns that are learned from; dates have parts, some are set aside."""
        cases = getattr(self, "cases_", None)
        return self.n_features_in_ if cases is None else len(cases.names)

    def _current_learner(self, cases: CaseBase) -> AnyLearner:
        """The learner of the parameters as they are; made again when they change."""
        parameters = vars(self)
        kept: dict[str, Any] = cases.keep(type(self).__name__, dict)
        now = [
            parameters[name]
            for name in parameters
            if name[-1] != "_" and name[0] != "_"
        ]
        before = kept.get("parameters", ())
        if len(before) == len(now) and not any(map(is_not, before, now)):
            return kept["learner"]
        learner = self._learner()
        kept.update(learner=learner, parameters=now)
        return learner

    def _answer(self, X: object, *outputs: str) -> tuple[NDArray[Any], ...]:
        """Answer queries: several outputs of one computation.

        Decisions and votes come as labels.
        """
        if not hasattr(self, "cases_"):
            check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return self._answer_by(cases, X, *outputs)

    def _answer_by(
        self, cases: CaseBase, X: object, *outputs: str
    ) -> tuple[NDArray[Any], ...]:
        """Answer queries by one state of the cases."""
        learner, n_jobs = self._current_learner(cases), self.n_jobs
        if type(X) is np.ndarray and X.ndim == 2 and self._reads_arrays:
            with suppress(NotPlainError):  # a table must look at the cells
                answers = answer_queries(learner, cases, X, outputs, n_jobs=n_jobs)
                if hasattr(self, "feature_names_in_"):
                    self._check_columns(X)
                return self._decode(outputs, answers, cases)
        queries = encode_later(self, cases, X)
        answers = answer_queries(learner, cases, queries, outputs, n_jobs=n_jobs)
        return self._decode(outputs, answers, cases)

    def _left_out(
        self, rows: ArrayLike | None, *outputs: str, approximate: bool = False
    ) -> tuple[NDArray[Any], ...]:
        """Answer for training rows, each left out; what was chosen may stay chosen."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            learner = self._current_learner(cases)
            if approximate:
                learner = at_once(learner, cases)
            return self._left_out_by(
                cases, learner, rows, *outputs, settled=approximate
            )

    def _left_out_by(
        self,
        cases: CaseBase,
        learner: AnyLearner,
        rows: ArrayLike | None,
        *outputs: str,
        settled: bool = False,
    ) -> tuple[NDArray[Any], ...]:
        """Answer for rows of one state of the cases, each left out."""
        places = places_of(cases, rows)
        answers = leave_one_out(
            learner, cases, places, outputs, self.n_jobs, settled=settled
        )
        return self._decode(outputs, answers, cases)

    def _decode(
        self, outputs: Sequence[str], answers: Sequence[NDArray[Any]], cases: CaseBase
    ) -> tuple[NDArray[Any], ...]:
        """Put labels for codes, those of the cases that answered."""
        named = zip(outputs, answers, strict=True)
        return tuple(self.target.decode(*output, cases) for output in named)

    def _query_table(self, X: object) -> Table:
        """Read queries as a table, once the model is fitted."""
        if not hasattr(self, "cases_"):
            check_is_fitted(self)
        X = put_in_order(self, gather_queries(self, X))
        table = read_later(self, X)
        self._check_columns(X)
        return table

    def _check_columns(self, X: object) -> None:
        """Let scikit-learn compare names and numbers of columns; a table knows how."""
        as_wide = type(X) is np.ndarray and X.shape[1:] == (self.n_features_in_,)
        if as_wide and not hasattr(self, "feature_names_in_"):
            return  # as scikit-learn finds, which takes it a tenth of a millisecond
        if not isinstance(X, Table) and not are_dicts(X):
            try:
                validate_data(self, X, skip_check_array=True, reset=False)
            except ValueError as error:
                raise BadInputError(f"{error}{advise_columns(self, X)}") from None
