"""A method's receipts, declared once: how they are made, checked and drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import Answer, AnyLearner, prepare
from sklazy.answer.reasons import Shares, Wish, ask_learner, forget_blocks
from sklazy.methods import checks as c
from sklazy.methods.plain import Plain
from sklazy.report.article import Article

Fields = Mapping[str, c.Check]
"""Checks by the key of what they check."""

Queries = list[list[Plain]]
"""Queries in the user's terms."""

Parts = Callable[[Mapping[str, Any]], Iterator[tuple[str, bool]]]
"""From a content to the names of its parts, and whether they fit."""

Blocks = Sequence[Ints]
"""Rows of a base that are left out together."""

_VOTE = {"label": c.label, "votes": c.figure, "probability": c.share}
DECISION: Fields = {
    "votes": c.list_of(c.record(_VOTE)),
    "answer": c.label,
    "probability": c.share,
}
"""How a class is answered with."""

NUMBER: Fields = {"answer": c.number_or_numbers}
"""How numbers are answered with."""

ORIGIN: Fields = {
    "kind": c.text,
    "estimator": c.text,
    "settings": c.dict_of(c.free),
}
"""Whose answer it is."""


class Family(NamedTuple):
    """How the answers of a method become receipts, and receipts pages.

    Attributes
    ----------
    kind : str
        The name of the method in its receipts.
    answer : type
        The class of its answers.
    bodies : function
        From an answer and its queries in the user's terms to what is particular to
        the method, one dict for each query.
    draw : function
        From a receipt to what is shown of it.
    check_parts : Parts
    classes : dict of checks, for receipts that answer with a class; None if none do
    numbers : the same for those that answer with numbers
    optional : dict of checks, for what a receipt may have
    contribute : function, optional
        From a learner, its answer, the batch and a wish to the exact contributions of
        features; None where parameters leave it no formula.
    answer_without : function, optional
        From the same, and blocks of cases, to the outputs without each block, what was
        chosen by all cases staying as it is.
    brief : function, optional
        As `bodies`, with as much as a short receipt has room for; some fields may be
        left out. Default: `bodies`.
    """

    kind: str
    answer: type
    bodies: Callable[[Any, Queries], Iterator[Plain]]
    draw: Callable[[Mapping[str, Any]], Article]
    check_parts: Parts
    classes: Fields | None = None
    numbers: Fields | None = None
    optional: Fields = MappingProxyType({})
    contribute: Callable[[Any, Any, Batch, Wish], Shares | None] | None = None
    answer_without: Callable[[Any, Any, Batch, Wish, Blocks], Floats] | None = None
    brief: Callable[[Any, Queries], Iterator[Plain]] | None = None

    def is_whole(self, content: Mapping[str, Any]) -> bool:
        """Whether a receipt has all fields of the method; a brief one may lack some."""
        return set(self.fields("votes" in content) or ()) <= set(content)

    def fields(self, classes: bool) -> Fields | None:
        """The checks of one kind of target."""
        return self.classes if classes else self.numbers


def find_contributions(
    learner: AnyLearner,
    batch: Batch,
    wish: Wish,
    families: Mapping[type, Family],
    *,
    answer: Answer | None = None,
    n_jobs: int | None = None,
) -> Shares:
    """Find contributions by the formula of a method, or by asking if it has none.

    Parameters
    ----------
    learner : Learner
    batch : Batch
    wish : Wish
    families : mapping of classes of answers to Family
    answer : Answer, optional
        To the batch, if it is known.
    n_jobs : int, optional
    """
    if answer is None:
        answer = learner.answer(prepare(learner, batch.base), batch)
    family = families.get(type(answer))
    if family is not None and family.contribute is not None:
        shares = family.contribute(learner, answer, batch, wish)
        if shares is not None:
            return shares
    return ask_learner(learner, batch, wish, n_jobs)


def find_outputs_without(
    learner: AnyLearner,
    answer: Answer,
    batch: Batch,
    wish: Wish,
    blocks: Blocks,
    families: Mapping[type, Family],
) -> Floats:
    """Find outputs without each block of cases, by a formula or by forgetting them."""
    family = families.get(type(answer))
    if family is not None and family.answer_without is not None:
        return family.answer_without(learner, answer, batch, wish, blocks)
    return forget_blocks(learner, batch, wish, blocks)


def check_query(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether no two cells of the query have the same name."""
    names = [item["name"] for item in content["query"]]
    yield "query", len(set(names)) == len(names)


def check_answer(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether the answer fits the votes and the cases, or the targets."""
    if "votes" in content:
        labels = [item["label"] for item in content["votes"]]
        counted = [item["label"] for item in content["cases"]["class_counts"]]
        yield "votes", c.same(labels, counted)
        yield "answer", c.among(content["answer"], labels)
    else:
        answer, n_targets = content["answer"], len(content["cases"]["targets"])
        n_answers = len(answer) if isinstance(answer, list) else 1
        yield "answer", n_answers == n_targets > 0
