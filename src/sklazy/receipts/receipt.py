"""A receipt: what was answered and why, kept, shown, read back and checked."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from sklazy.errors import MissingExtraError, ReceiptError
from sklazy.receipts import drawing as report
from sklazy.receipts.reasons import add_reasons
from sklazy.receipts.replay import Explain, check_digest, check_replay
from sklazy.receipts.schema import check_receipt
from sklazy.receipts.seal import check_signature, sealed, signed
from sklazy.report.html import preformatted

if TYPE_CHECKING:
    import pandas

_MOST_IN_NOTEBOOK = 10


class _Shown:
    """Display of a receipt, or of several."""

    names: Sequence[str] = ()  # of the rows, where they are known

    def _contents(self) -> list[Mapping[str, Any]]:
        raise NotImplementedError

    def to_text(self, width: int = 80) -> str:
        """A summary and its evidence for a terminal, no line wider than `width`.

        Parameters
        ----------
        width : int, default=80
            The most characters of a line.
        """
        return report.to_text(self._contents(), width, self.names)

    def to_markdown(self) -> str:
        """The same as Markdown."""
        return report.to_markdown(self._contents(), self.names)

    def to_html(self, title: str = "") -> str:
        """A page that needs nothing but itself (needs jinja2).

        Parameters
        ----------
        title : str
            Of the page; by default what was answered.
        """
        return report.to_page(self._contents(), title, self.names)

    def _repr_html_(self) -> str:
        """A piece of HTML for a notebook; plain text where jinja2 is missing."""
        contents = self._contents()
        shown = contents[:_MOST_IN_NOTEBOOK]
        try:
            return report.to_fragment(shown, len(contents) - len(shown), self.names)
        except MissingExtraError:
            return preformatted(report.to_text(shown, names=self.names))

    def __str__(self) -> str:
        return self.to_text()


class Receipt(_Shown):
    """The answer to one query, and why: all of it, as it was computed.

    Made by ``explain`` of every lazy estimator; read back by `from_dict` or
    `from_json`, whatever its kind, which refuse a receipt that is malformed or was
    edited. ``verify`` of the estimator replays it.

    The reasons of the row are found when they are first read, from the cases as they
    were when the question was asked. Until then an unread receipt keeps these cases.

    Parameters
    ----------
    content : dict
        Plain data; ``docs/receipts.md`` has its schema. ``receipt[key]`` is a part of
        it; `to_dict` gives a copy.
    find_reasons : function without parameters, optional
        Gives the reasons of the row. Without it, content has all there is.

    Examples
    --------
    >>> from sklazy import LazyKNeighborsClassifier, Receipt
    >>> X, y = [["red"], ["red"], ["blue"], ["blue"]], ["a", "a", "b", "b"]
    >>> model = LazyKNeighborsClassifier(1).fit(X, y)
    >>> receipt = model.explain([["red"]])[0]
    >>> receipt
    Receipt(answer='a', probability=0.833, kind='selection')
    >>> receipt["neighbors"]["n_voting"]
    2
    >>> model.verify(Receipt.from_json(receipt.to_json()))
    True
    >>> Receipt.from_dict({"answer": "b"})
    Traceback (most recent call last):
        ...
    sklazy.errors.ReceiptError: this is not a receipt; give what explain() returned, or
    its to_dict().
    """

    def __init__(
        self,
        content: Mapping[str, Any],
        find_reasons: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        self._known, self._find_reasons = content, find_reasons

    @property
    def content(self) -> Mapping[str, Any]:
        """Plain data, all of it, sealed."""
        find = self._find_reasons
        if find is not None or "seal" not in self._known:
            whole = self._known if find is None else add_reasons(self._known, find())
            self._known, self._find_reasons = sealed(whole), None
        return self._known

    @classmethod
    def from_dict(cls, content: object) -> Self:
        """The receipt that `to_dict` made a dict of; an edited one is refused.

        Parameters
        ----------
        content : dict
        """
        if isinstance(content, cls):
            content = content.content
        return cls(json.loads(json.dumps(check_receipt(content), allow_nan=False)))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The receipt that `to_json` wrote; an edited one is refused.

        Parameters
        ----------
        text : str or bytes
        """
        return cls.from_dict(_parse_json(text))

    @property
    def kind(self) -> str:
        """The family it is of: selection, ensembles, trees or local_models."""
        return self["kind"]

    @property
    def answer(self) -> Any:  # noqa: ANN401 - a label, a number or several
        """The prediction."""
        return self["answer"]

    @property
    def probability(self) -> float | None:
        """The probability of the answer; None where it is not a class."""
        return self._known.get("probability")

    @property
    def row(self) -> int | str | None:
        """The id of the row, at the head of the receipt; None where it has none."""
        return self._known.get("row")

    @property
    def query(self) -> dict[str, Any]:
        """The query's values by attribute, None where missing."""
        return {item["name"]: item["value"] for item in self["query"]}

    @property
    def seal(self) -> str:
        """The fingerprint of all the rest."""
        return self.content["seal"]

    def of_row(self, row: int | str) -> Self:
        """The receipt headed by the id of its row, sealed again and not signed.

        ``explain`` does this where the rows of a pandas frame have an index of ids.

        Parameters
        ----------
        row : int or str
            The id.

        Examples
        --------
        >>> from sklazy import LazyKNeighborsClassifier
        >>> model = LazyKNeighborsClassifier(1).fit([["red"], ["blue"]], ["a", "b"])
        >>> receipt = model.explain([["red"]])[0].of_row("F201")
        >>> print(receipt.to_text()[:15])
        F201
        <BLANKLINE>
        Answer: a
        """
        content = {name: part for name, part in self._known.items() if name != "row"}
        content.pop("seal", None)
        return type(self)({"row": row, **content}, self._find_reasons)

    def signed(self, key: bytes) -> Self:
        """The receipt with a signature that only the holder of the key can make.

        Parameters
        ----------
        key : bytes, at least 16
            A secret, for example ``secrets.token_bytes(32)``.

        Examples
        --------
        >>> from sklazy import LazyKNeighborsClassifier
        >>> model = LazyKNeighborsClassifier(1).fit([["red"], ["blue"]], ["a", "b"])
        >>> receipt = model.explain([["red"]])[0].signed(b"a secret of ours")
        >>> receipt.check_signature(b"a secret of ours")
        True
        >>> model.verify(receipt, key=b"another's secret")
        Traceback (most recent call last):
            ...
        sklazy.errors.ReceiptError: the signature of the receipt is not that of this
        key: it was signed with another key, or changed since.
        """
        return type(self)(signed(check_receipt(self.content), key))

    def check_signature(self, key: bytes) -> bool:
        """True if the holder of the key signed this receipt as it is.

        A receipt without a signature, with another key's, or one that was changed
        since is refused with a `ReceiptError`.

        Parameters
        ----------
        key : bytes
            That of `signed`.
        """
        check_signature(check_receipt(self.content), key)
        return True

    def to_dict(self) -> dict[str, Any]:
        """A copy of the data: strings, numbers, bools, None, lists and dicts."""
        return json.loads(self.to_json())

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON.

        Parameters
        ----------
        indent : int, default=2
            Of nested parts; None writes one line.
        """
        return json.dumps(self.content, indent=indent, allow_nan=False)

    def to_frame(self) -> "pandas.DataFrame":
        """The features, their values and what they add, as a pandas frame.

        Needs a receipt with reasons, as ``explain`` makes them by default.

        Examples
        --------
        >>> from sklazy import LazyKernelClassifier
        >>> X = [[float(number), 1.0] for number in range(12)]
        >>> model = LazyKernelClassifier().fit(X, ["low"] * 6 + ["high"] * 6)
        >>> receipt = model.explain([[1.5, 1.0]])[0]
        >>> receipt.to_frame()[["name", "contribution"]].round(2)
          name  contribution
        0   x0           0.5
        1   x1           0.0
        """
        import pandas  # noqa: PLC0415 (an optional dependency)

        return pandas.DataFrame(self._reasons()["features"])

    def for_customer(self, hide: Collection[str] = ()) -> str:
        """The principal reasons in a sentence: no ids and no values of other rows.

        Needs a receipt with reasons, as ``explain`` makes them by default.

        Parameters
        ----------
        hide : names of features, optional
            Those that must not be named.

        Examples
        --------
        >>> from sklazy import LazyKernelClassifier
        >>> X = [[float(number), 1.0] for number in range(12)]
        >>> model = LazyKernelClassifier().fit(X, ["low"] * 6 + ["high"] * 6)
        >>> print(model.explain([[1.5, 1.0]])[0].for_customer())  # doctest: +ELLIPSIS
        The result is low, >99 % (50 % ...). The principal reasons are: x0 is 1.5.
        """
        self._reasons()
        return report.to_letter(self.content, [hide] if isinstance(hide, str) else hide)

    def plot(self, ax: Any = None) -> Any:  # noqa: ANN401 - of matplotlib
        """Draw the waterfall from the base to the answer (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Default: new ones.

        Returns
        -------
        ax : matplotlib axes
        """
        self._reasons()
        return report.to_plot(self.content, ax)

    def _reasons(self) -> Mapping[str, Any]:
        if "reasons" not in self.content:
            raise ReceiptError(
                "the receipt has no reasons for its row; call explain(X, "
                "reasons=True), or contributions(X) for tables that are too large for "
                "that."
            )
        return self.content["reasons"]

    def _contents(self) -> list[Mapping[str, Any]]:
        return [self.content]

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - any part
        is_known = key in self._known and key != "seal"
        return self._known[key] if is_known else self.content[key]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Receipt):
            return NotImplemented
        return self.content == other.content

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.content,)

    def __repr__(self) -> str:
        share = self.probability
        sure = "" if share is None else f"probability={share:.3f}, "
        return f"Receipt(answer={self.answer!r}, {sure}kind={self.kind!r})"

    def __hash__(self) -> int:
        return hash(self.seal)


class Receipts(_Shown, Sequence[Receipt]):
    """The receipts of a batch of queries, in their order.

    Parameters
    ----------
    receipts : iterable of Receipt
    names : sequence of str, optional
        Names of the rows where receipts are shown, by default the ids that receipts
        have of their rows; not part of them.

    Examples
    --------
    >>> from sklazy import Receipts
    >>> Receipts([])
    Receipts(0 receipts)
    """

    def __init__(self, receipts: Iterable[Receipt], names: Sequence[str] = ()) -> None:
        self._receipts, self.names = tuple(receipts), tuple(names)

    @classmethod
    def from_dict(cls, contents: object) -> Self:
        """The receipts that `to_dict` made dicts of; edited ones are refused.

        Parameters
        ----------
        contents : list of dict
        """
        if not isinstance(contents, list):
            raise ReceiptError(
                f"{type(contents).__name__} cannot be read as receipts; expected a "
                "list of dicts."
            )
        return cls(Receipt.from_dict(content) for content in contents)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The receipts that `to_json` wrote; edited ones are refused.

        Parameters
        ----------
        text : str or bytes
        """
        return cls.from_dict(_parse_json(text))

    @overload
    def __getitem__(self, position: int) -> Receipt: ...

    @overload
    def __getitem__(self, position: slice) -> Self: ...

    def __getitem__(self, position: int | slice) -> Any:
        if not isinstance(position, slice):
            return self._receipts[position]
        return type(self)(self._receipts[position], self.names[position])

    def __len__(self) -> int:
        return len(self._receipts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Receipts):
            return NotImplemented
        return self._receipts == other._receipts

    def __hash__(self) -> int:
        return hash(self._receipts)

    def __repr__(self) -> str:
        makers = dict.fromkeys(receipt["estimator"] for receipt in self)
        of = f" of {', '.join(makers)}" if makers else ""
        many = "1 receipt" if len(self) == 1 else f"{len(self)} receipts"
        return f"Receipts({many}{of})"

    def signed(self, key: bytes) -> Self:
        """The receipts, each signed with a key; see `Receipt.signed`.

        Parameters
        ----------
        key : bytes, at least 16
        """
        return type(self)((receipt.signed(key) for receipt in self), self.names)

    def to_dict(self) -> list[dict[str, Any]]:
        """Copies of the data, one dict for each receipt."""
        return [receipt.to_dict() for receipt in self]

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON, a list.

        Parameters
        ----------
        indent : int, default=2
            Of nested parts; None writes one line.
        """
        return json.dumps(self._contents(), indent=indent, allow_nan=False)

    def _contents(self) -> list[Mapping[str, Any]]:
        return [receipt.content for receipt in self]


def _parse_json(text: str | bytes) -> object:
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(
            f"this is not JSON ({error}); give what to_json() returned."
        ) from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A dict of pairs; other programs may read the first of two equal keys."""
    merged = dict(pairs)
    if len(merged) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return merged


def verify(
    receipt: object, explain: Explain, digest: str, key: bytes | None = None
) -> bool:
    """Recompute the answer and check that the receipt matches it.

    Parameters
    ----------
    receipt : Receipt, or what its ``to_dict`` or ``to_json`` gave
    explain : function from a table of one row, and what is wanted, to its receipts
    digest : str
        The fingerprint of the cases that are asked.
    key : bytes, optional
        The key that the receipt must be signed with.

    Returns
    -------
    True

    Raises
    ------
    ReceiptError
        If the receipt is malformed, was edited, is not signed with the key given, is
        of other cases, or if asking again gives a different content.
    """
    if isinstance(receipt, str | bytes):
        claimed = Receipt.from_json(receipt)
    else:
        claimed = Receipt.from_dict(receipt)
    if key is not None:
        claimed.check_signature(key)
    check_digest(claimed["cases"]["digest"], digest)
    return check_replay(claimed.content, explain)
