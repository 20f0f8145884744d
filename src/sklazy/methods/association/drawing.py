"""A receipt of lazy associative classification: the rules."""

from sklazy.report.article import (
    Article,
    Plain,
    draw_query,
    draw_votes,
    sureness,
    value_in_words,
)
from sklazy.report.blocks import Bar, Block, Cell, Fold, Grid, Heading
from sklazy.report.words import (
    format_class,
    format_fixed,
    format_value,
    join,
    pluralize,
)

_MOST_SHOWN = 12


def draw_association(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    rules = receipt["rules"]
    n_rules = sum(rules["n_rules"])
    word = "mean confidence" if n_rules else "share of cases"
    parts: list[Block] = [Heading("Classes"), draw_votes(receipt, word)]
    if n_rules:
        parts += [Heading("The surest rules"), _draw_rules(receipt, n_rules)]
    query: Fold = draw_query(receipt)
    brief = "rules", str(n_rules)
    why = _explain(receipt, n_rules)
    return Article(sureness(receipt), why, [*parts, query], brief)


def _explain(receipt: Plain, n_rules: int) -> list[str]:
    rules = receipt["rules"]
    if not n_rules:
        return [
            f"No values of this row go with a class in {rules['min_count']} or more "
            "cases, and often enough among those that have them: there is no rule, and "
            "the classes' shares of all cases answer."
        ]
    pairs = zip(receipt["votes"], rules["n_rules"], strict=True)
    parts = [f"{n} for {format_class(vote['label'])}" for vote, n in pairs if n]
    surest = rules["listed"][0]
    return [
        f"The row's own values make {pluralize(n_rules, 'rule')}: {join(parts)}; the "
        "classes compare by the mean confidence of their rules.",
        f"The surest: {_condition(surest)}, hence {format_class(surest['class'])}, "
        f"right in {surest['support']} of {pluralize(surest['covered'], 'case')}.",
    ]


def _condition(rule: Plain) -> str:
    return join([value_in_words(value) for value in rule["values"]])


def _draw_rules(receipt: Plain, n_rules: int) -> Grid:
    listed, answer = receipt["rules"]["listed"], receipt["answer"]
    for_answer = [rule["class"] == answer for rule in listed]
    rows: list[list[Cell]] = [
        [
            _condition(rule),
            format_value(rule["class"]),
            str(rule["support"]),
            str(rule["covered"]),
            format_fixed(rule["confidence"]),
            Bar(rule["confidence"], tone="" if favors else "idle"),
        ]
        for rule, favors in zip(listed, for_answer, strict=True)
    ]
    return Grid(
        ["if", "class", "right in", "of", "confidence", ""],
        "llrrrB",
        rows,
        ["" if favors else "lost" for favors in for_answer],
        shown=_MOST_SHOWN,
        n_more=n_rules - len(listed),
        noun="rules",
    )
