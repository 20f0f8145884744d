"""Lazy Bayesian rules: naive Bayes among the cases that have some of the values."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import Effort
from sklazy.answer.target import CLASSES, Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries
from sklazy.measures import argmax_with_ties
from sklazy.methods.bayes_rules.model import (
    Ruled,
    RuleSettings,
    Subset,
    find_rules,
    fit_subset,
    judge_cases,
    select_cases,
    select_same,
    sign_test,
)
from sklazy.methods.naive_bayes.model import contributions, to_probabilities

# Queries of a slice share the values that they try.
_FEWEST_QUERIES, _MOST_QUERIES = 256, 8192


class BayesRulesAnswer(NamedTuple):
    """A batch of queries, answered.

    Attributes
    ----------
    base : CaseBase
    queries : Queries
    settings : RuleSettings
    rules : Ruled
    decisions : int64 array of shape (n_queries,)
    """

    base: CaseBase
    queries: Queries
    settings: RuleSettings
    rules: Ruled
    decisions: Ints

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Whether the strongest vote is a finite number, (n_queries,)."""
        return np.asarray(np.isfinite(self.rules.votes.max(axis=1)))

    @property
    def probabilities(self) -> Floats:
        """P(class | query), (n_queries, n_classes)."""
        return to_probabilities(self.rules.votes)


class BayesRulesCases(NamedTuple):
    """State shared by all queries.

    Attributes
    ----------
    start : Subset
        All cases, and those that naive Bayes on the others has wrong.
    effort : Effort
    """

    start: Subset
    effort: Effort


@dataclass(frozen=True)
class BayesRulesLearner:
    """Answers each query by naive Bayes under a rule of its own values."""

    settings: RuleSettings

    target: ClassVar[Target] = CLASSES

    def prepare(self, base: CaseBase) -> BayesRulesCases:
        """Judge every case by all others."""
        cases = base.cases
        cost = 50_000.0 + 0.1 * cases.codes.size * cases.class_counts.size
        effort = Effort(cost, _FEWEST_QUERIES, _MOST_QUERIES)
        return BayesRulesCases(judge_cases(cases, self.settings.alpha), effort)

    def answer(self, ready: BayesRulesCases, batch: Batch) -> BayesRulesAnswer:
        """Grow the rule of each query, and decide under it."""
        codes = batch.queries.codes
        rules = find_rules(batch.cases, codes, ready.start, self.settings)
        decisions = argmax_with_ties(rules.votes, batch.cases.class_counts)
        return BayesRulesAnswer(
            batch.base, batch.queries, self.settings, rules, decisions
        )

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """Rows are forgotten: who is judged wrongly hangs on all of them."""
        return np.zeros(base.n_rows, bool)


class RuleStep(NamedTuple):
    """A value that joined the rule of a query.

    Attributes
    ----------
    attribute : int
    righted, spoiled : int
        Cases that it put right, and wrong.
    p_value : float
        Of the sign test.
    """

    attribute: int
    righted: int
    spoiled: int
    p_value: float


def steps_of(answer: BayesRulesAnswer, query: int) -> list[RuleStep]:
    """How the rule of a query grew."""
    attributes, figures = answer.rules.antecedents[query], answer.rules.figures[query]
    kept = attributes >= 0
    chances = sign_test(*figures[kept].T).tolist()
    righted, spoiled = figures[kept].T.tolist()
    columns = attributes[kept].tolist(), righted, spoiled, chances
    return [RuleStep(*step) for step in zip(*columns, strict=True)]


class LocalTerms(NamedTuple):
    """Terms of naive Bayes for a query under its rule, as logarithms.

    Attributes
    ----------
    used : list of int
        The attributes, in column order.
    priors : float64 array of shape (n_classes,)
    terms : float64 array of shape (n_used, n_classes)
        Zeros for a value that is missing or unseen.
    """

    used: list[int]
    priors: Floats
    terms: Floats


def local_terms(answer: BayesRulesAnswer, query: int) -> LocalTerms:
    """Terms that add up to the votes for a query."""
    cases, codes = answer.base.cases, answer.queries.codes[query : query + 1]
    antecedent = tuple(step.attribute for step in steps_of(answer, query))
    inside = select_cases(cases, codes[0], antecedent)
    fitted, used = fit_subset(cases, inside, antecedent, answer.settings.alpha)
    terms = contributions(fitted, codes, select_same(used, 1))[0]
    return LocalTerms(used.tolist(), fitted.priors, terms)
