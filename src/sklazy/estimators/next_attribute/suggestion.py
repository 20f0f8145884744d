"""A suggestion of what to measure next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklazy.report.next_attribute import suggestion_fragment, suggestion_text


@dataclass(frozen=True)
class Suggestion:
    """Which missing attribute of a query to measure next.

    Attributes
    ----------
    content : dict
        Plain data: ``attribute`` (None where nothing is missing, or nothing that is
        would tell anything), ``statement`` (the same in a sentence), ``answer`` and
        ``probability`` as they stand, ``unit`` of gains ("bits" of entropy, or "share
        of variance"), ``ranked`` (each missing attribute with its ``gain``, ``cost``
        and ``gain_per_cost``, the best first) and ``outcomes`` (values of the
        attribute, how probable each is, and the answer it would lead to).
    """

    content: Mapping[str, Any]

    @property
    def attribute(self) -> str | None:
        """What to measure next, if anything."""
        return self.content["attribute"]

    @property
    def statement(self) -> str:
        """The suggestion in a sentence."""
        return self.content["statement"]

    @property
    def answer(self) -> Any:  # noqa: ANN401 - a label, a number or several
        """The answer as it stands."""
        return self.content["answer"]

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """Values the attribute may have, and the answers they would lead to."""
        return self.content["outcomes"]

    def to_dict(self) -> dict[str, Any]:
        """The plain data."""
        return dict(self.content)

    def to_text(self, width: int = 80) -> str:
        """The suggestion for a terminal, no line wider than `width`."""
        return suggestion_text(self.content, width)

    def _repr_html_(self) -> str:
        return suggestion_fragment(self.content)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Suggestion({self.statement})"
