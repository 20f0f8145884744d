"""The order of the steps: attributes, how many of them, votes, decision."""

from typing import NamedTuple, cast

import numpy as np

from sklazy.answer.selection.amounts import best_count, decide_with_each, local_counts
from sklazy.answer.selection.choosing import Selection, SetSelection
from sklazy.answer.selection.question import Host, Question
from sklazy.answer.selection.recipe import RANKED, WITHOUT_AMOUNT, Recipe, Rule
from sklazy.answer.selection.result import Answer, Ints
from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected
from sklazy.measures import how_many
from sklazy.neighbors import decide


class Amount(NamedTuple):
    """How many attributes at most, and by which rule."""

    n_selected: int
    rule: Rule


def answer(base: CaseBase, queries: Queries, recipe: Recipe, host: Host) -> Answer:
    """Answer a batch of queries.

    Parameters
    ----------
    base : CaseBase
    queries : Queries
        As `base.encode` gives them.
    recipe : Recipe
        How attributes are chosen.
    host : Host
        What classifies by them.
    """
    return ask(Question(base, base.cases, queries), recipe, host)


def ask(question: Question, recipe: Recipe, host: Host) -> Answer:
    """Answer a question: the flow, top to bottom."""
    amount = find_amount(question, recipe, host)
    selection = make_selection(question, recipe, amount.n_selected)
    asked = host.ask(question, selection.selected)
    ballots = None
    if amount.rule == "vote":
        ballots = np.empty((len(question), amount.n_selected), np.int64)

    def work(first: int, last: int) -> None:
        select_part(question, recipe, host, selection, amount.rule, first, last)
        if ballots is None:
            asked.run(first, last)
        else:
            order = selection.selected.attributes[first:last]
            ballots[first:last] = decide_with_each(question, asked, order, first)

    cost = _cost(question, host, amount) * len(question)
    run_chunks(work, len(question), recipe.n_jobs, cost)
    votes = asked.votes if ballots is None else _count(ballots, question.n_classes)
    ask_whom = asked.decide if ballots is None else decide
    return Answer(
        recipe=recipe,
        base=question.base,
        queries=question.queries,
        selected=selection.selected,
        rule=amount.rule,
        votes=votes,
        decisions=ask_whom(votes, question.priors()),
        ballots=ballots,
        selection=selection,
        details=asked,
    )


def choose(question: Question, recipe: Recipe, host: Host) -> Selected:
    """The first steps alone: which attributes each query uses."""
    amount = find_amount(question, recipe, host)
    selection = make_selection(question, recipe, amount.n_selected)

    def work(first: int, last: int) -> None:
        select_part(question, recipe, host, selection, amount.rule, first, last)

    cost = 5.0 * question.n_attributes * len(question)
    run_chunks(work, len(question), recipe.n_jobs, cost)
    return selection.selected


def select_part(
    question: Question,
    recipe: Recipe,
    host: Host,
    selection: Selection,
    rule: Rule,
    first: int,
    last: int,
) -> None:
    """Select attributes for the queries ``first..last - 1``, as many as called for."""
    selection.run(first, last)
    if rule == "local":
        attributes, counts = selection.selected
        order = attributes[first:last]
        counts[first:last] = local_counts(question, recipe, host, order, first)


def make_selection(question: Question, recipe: Recipe, n_selected: int) -> Selection:
    """What selects attributes by the recipe's strategy."""
    kind = Selection if recipe.selection in RANKED else SetSelection
    return kind(question, recipe, n_selected)


def estimate_cost(base: CaseBase, recipe: Recipe, host: Host) -> float:
    """What a query takes, in nanoseconds, roughly."""
    nothing = np.empty((0, len(base.names)))
    queries = Queries(nothing.astype(np.int32), nothing)
    question = Question(base, base.cases, queries)
    return _cost(question, host, find_amount(question, recipe, host))


def _cost(question: Question, host: Host, amount: Amount) -> float:
    # Looking at every number of attributes takes many times as long.
    times = {"vote": 10.0, "local": 100.0}.get(amount.rule, 1.0)
    return times * host.cost(question, amount.n_selected)


def _count(ballots: Ints, n_classes: int) -> Ints:
    """Ballots by class, shape (n_queries, n_classes)."""
    return (ballots[:, :, None] == np.arange(n_classes)).sum(axis=1)


def find_amount(question: Question, recipe: Recipe, host: Host) -> Amount:
    """How many attributes are selected."""
    wanted, n_attributes = recipe.n_attributes, question.n_attributes
    if recipe.selection in WITHOUT_AMOUNT:
        return Amount(n_attributes, WITHOUT_AMOUNT[recipe.selection])
    if wanted == "auto":
        return Amount(best_count(question.base, recipe, host), "auto")
    if isinstance(wanted, str):
        return Amount(n_attributes, cast(Rule, wanted))
    rule: Rule = "count" if isinstance(wanted, int | np.integer) else "fraction"
    return Amount(how_many(wanted, n_attributes), rule)
