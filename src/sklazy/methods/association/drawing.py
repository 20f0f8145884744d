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
        parts += [Heading("The best rules"), _draw_rules(receipt, n_rules)]
    query: Fold = draw_query(receipt)
    brief = "rules", str(n_rules)
    why = _explain(receipt, n_rules)
    return Article(sureness(receipt), why, [*parts, query], brief)


def _explain(receipt: Plain, n_rules: int) -> list[str]:
    rules = receipt["rules"]
    if not n_rules:
        return [
            f"No rule applies: no values of this row occur with a class in at least "
            f"{rules['min_count']} cases and often enough. The answer is the class "
            "with the most cases."
        ]
    pairs = zip(receipt["votes"], rules["n_rules"], strict=True)
    parts = [f"{n} for {format_class(vote['label'])}" for vote, n in pairs if n]
    best = rules["listed"][0]
    return [
        f"{pluralize(n_rules, 'rule')} from the values of this row: {join(parts)}. "
        "The class whose rules have the highest mean confidence wins.",
        f"The best rule: if {_condition(best)}, then {format_class(best['class'])}, "
        f"right in {best['support']} of {pluralize(best['covered'], 'case')}.",
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
