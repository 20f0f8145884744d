"""A receipt of lazy selection: attributes, cases, likelihoods."""

from collections.abc import Sequence
from typing import Any

from sklazy.methods.naive_bayes.drawing import draw_likelihoods, strongest
from sklazy.report.article import (
    Article,
    Case,
    Plain,
    Ruler,
    draw_cases,
    draw_votes,
    format_outcome,
    make_ruler,
    sureness,
)
from sklazy.report.blocks import Block, Cell, Fold, Grid, Heading, Paragraph
from sklazy.report.words import (
    format_class,
    format_fixed,
    format_number,
    format_value,
    join,
    ordinal,
    pluralize,
)

_MOST_USED = 30
_MOST_UNUSED = 8
_MOST_ROWS = 200
_MOST_CASES = 8
_LITTLE = 0.02  # of the possible gain: hardly informative
_MOST_COLUMNS = 12  # attributes beside each other in the table of cases

_CHOSEN = {
    "lazy": ("is", "are", "the most informative for this row's values"),
    "eager": ("is", "are", "the most informative overall"),
    "lazy-cfs": ("is", "are", "informative for this row's values and not redundant"),
    "lazy-hip": ("is", "are", "not implied by others of this row"),
    "lazy-consistency": ("picks", "together pick", "out cases of a single class"),
}
_COUNTED = {
    "auto": ", their number chosen by leave-one-out on all cases",
    "local": ", their number chosen by leave-one-out on the cases near this row",
}


def draw_selection(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    word = "log-likelihood" if "likelihoods" in receipt else "votes"
    parts: list[Block] = [
        Heading("Classes"),
        draw_votes(receipt, word),
        *draw_attributes(receipt["selection"]),
    ]
    if "neighbors" in receipt:
        parts += _draw_neighbors(receipt)
    if "likelihoods" in receipt:
        parts += draw_likelihoods(receipt)
    names = [
        format_value(item["name"]) for item in used_attributes(receipt["selection"])
    ]
    brief = "attributes used", join(names, most=8)
    return Article(sureness(receipt), explain(receipt), parts, brief)


# --- why ------------------------------------------------------------------------------


def explain(receipt: Plain) -> list[str]:
    """The sentences that explain why, the most important first."""
    sentences = [describe_selection(receipt["selection"])]
    if receipt["selection"]["rule"] == "vote":
        sentences.append(_counts_that_voted(receipt))
    elif "neighbors" in receipt:
        found = receipt["neighbors"]
        sentences += [_who_votes(receipt), _how_votes_fall(receipt), _opposing(found)]
        sentences.append(_how_many(receipt))
    if "likelihoods" in receipt:
        sentences.append(strongest(receipt))
    if "model" in receipt:
        sentences.append(_model(receipt["model"]))
    return [sentence for sentence in sentences if sentence]


def used_attributes(selection: Plain) -> list[Plain]:
    """The attributes in use, the first in rank first."""
    return [item for item in _ranked(selection) if item["used"]]


def _ranked(selection: Plain) -> list[Plain]:
    return sorted(selection["attributes"], key=lambda item: item["rank"])


def describe_selection(selection: Plain) -> str:
    """Which attributes count, and why, in a sentence."""
    used, n_all = used_attributes(selection), len(selection["attributes"])
    first = join([format_value(item["name"]) for item in used])
    if selection["strategy"] == "none":
        return f"All {pluralize(n_all, 'attribute')} are used; none was selected."
    if selection["rule"] == "vote":
        return (
            f"The best attribute, the best two, and so on up to all {n_all} "
            f"have a vote each; the best are {first}."
        )
    if len(used) == n_all:
        return f"All {pluralize(n_all, 'attribute')} are used; the best are {first}."
    one, several, reason = _CHOSEN[selection["strategy"]]
    cells = [_cell(item, _note(item, selection)) for item in used]
    return (
        f"Of {pluralize(n_all, 'attribute')}, {join(cells)} "
        f"{one if len(used) == 1 else several} {reason}"
        f"{_COUNTED.get(selection['rule'], '')}; the others are not used."
    )


def _note(attribute: Plain, selection: Plain) -> str:
    """Remark on the value of an attribute, in words."""
    if attribute["value"] is None:
        return "missing"
    if attribute["n_same_value"] == 0:
        return "never seen"
    nothing, score = selection["score_if_uninformative"], attribute["lazy_score"]
    least = _LITTLE * (nothing - selection["score_if_perfect"])
    little = score is None or nothing - score <= least
    return "hardly informative" if little else ""


def _cell(attribute: Plain, note: str) -> str:
    """An attribute with the value or bin that made it count."""
    name, value = format_value(attribute["name"]), attribute["value"]
    aside = f" ({note})" if note else ""
    if value is None:
        return f"{name}{aside}"
    if attribute["bin"] is not None:
        return f"{name} {_interval(format_value(attribute['bin']))}{aside}"
    return f"{name} = {format_value(value)}{aside}"


def _interval(text: str) -> str:
    """An interval in words.

    Examples
    --------
    >>> _interval("(-inf, 2.5]"), _interval("(2.5, inf)"), _interval("(1, 2.5]")
    ('up to 2.5', 'above 2.5', 'in (1, 2.5]')
    """
    low, _, high = text[1:-1].partition(", ")
    if low == "-inf":
        return "anywhere" if high == "inf" else f"up to {high}"
    return f"above {low}" if high == "inf" else f"in {text}"


def _counts_that_voted(receipt: Plain) -> str:
    votes = _votes(receipt)
    rest, total = _votes_for_others(receipt), sum(votes.values())
    if not rest:
        return f"All votes are for {format_class(receipt['answer'])}."
    return (
        f"Of {total:.3g} {'vote' if total == 1 else 'votes'}, {votes[True]:.3g} are "
        f"for {format_class(receipt['answer'])}, {join(rest)}."
    )


def _votes(receipt: Plain) -> dict[bool, float]:
    """How many votes there are for the answer (True), and for all others."""
    votes = {True: 0.0, False: 0.0}
    for item in receipt["votes"]:
        votes[item["label"] == receipt["answer"]] += item["votes"] or 0
    return votes


def _votes_for_others(receipt: Plain) -> list[str]:
    return [
        f"{item['votes']:.3g} {format_class(item['label'])}"
        for item in receipt["votes"]
        if item["label"] != receipt["answer"] and item["votes"]
    ]


def _who_votes(receipt: Plain) -> str:
    found = receipt["neighbors"]
    n_voting, n_tied = found["n_voting"], found["n_tied"]
    if n_voting == 1:
        return f"The nearest case votes{_agreement(found)}."
    nearer = " Nearer cases have more weight." if weighs_by_distance(receipt) else ""
    if n_voting > found["k"]:
        tied = "all are" if n_tied == n_voting else f"{n_tied} are"
        shared = receipt["settings"].get("ties") == "share"
        how = ", which they share" if shared else ""
        return (
            f"The {n_voting} nearest cases vote: more than {found['k']}, because "
            f"{tied} tied for the {ordinal(found['k'])} place{how}, and ties are not "
            f"broken at random.{nearer}"
        )
    return f"The {n_voting} nearest cases vote{_agreement(found)}.{nearer}"


def _how_many(receipt: Plain) -> str:
    if receipt["settings"].get("n_neighbors") != "auto":
        return ""
    k = receipt["neighbors"]["k"]
    return f"The number of voting cases, {k}, was chosen by leave-one-out."


def weighs_by_distance(receipt: Plain) -> bool:
    """Whether near cases have more weight, and lie at different distances."""
    last = receipt["neighbors"]["distance_of_last"]
    apart = any(case["distance"] != last for case in receipt["neighbors"]["listed"])
    return receipt["settings"].get("weights") == "distance" and apart


def _agreement(found: Plain) -> str:
    if not found["listed"] or found["distance_of_last"] != 0:
        return ""
    who = "it equals" if found["n_voting"] == 1 else "they equal"
    return f"; {who} the row in every attribute used"


def _how_votes_fall(receipt: Plain) -> str:
    votes, answer = _votes(receipt), format_class(receipt["answer"])
    cast = [case["vote"] for case in receipt["neighbors"]["listed"]]
    if any(vote != round(vote) or not vote for vote in cast):
        return _counts_that_voted(receipt)
    if votes[True] and not votes[False]:
        one = receipt["neighbors"]["n_voting"] == 1
        return f"{'It is' if one else 'All of them are'} {answer}."
    best = max(item["votes"] or 0 for item in receipt["votes"])
    level = [i["label"] for i in receipt["votes"] if i["votes"] == best]
    if len(level) > 1:
        return (
            f"{join(map(format_class, level))} have {pluralize(best, 'vote')} each; "
            "the answer is the class with more cases overall."
        )
    return f"{votes[True]:g} of them are {answer}, {join(_votes_for_others(receipt))}."


def _opposing(found: Plain) -> str:
    case = found["nearest_other_class"]
    if case is None:
        return ""
    differs = join([format_value(name) for name in case["differ"]])
    return (
        f"The nearest case of another class, {format_value(case['id'])} "
        f"({format_class(case['class'])}), differs in {differs or 'no attribute used'}."
    )


def _model(model: Plain) -> str:
    return (
        f"The answer comes from a {format_value(model['estimator'])} fitted to these "
        "attributes only, one of "
        f"{pluralize(model['n_models_in_batch'], 'model')} fitted for this batch."
    )


# --- the parts ------------------------------------------------------------------------


def draw_attributes(selection: Plain) -> list[Block]:
    """The attributes in use, and the others, with their scores."""
    ranked = _ranked(selection)
    bars = make_ruler([i[k] for i in ranked for k in ("lazy_score", "attribute_score")])
    used = [item for item in ranked if item["used"]]
    spare = [item for item in ranked if not item["used"]]
    measure = format_value(selection["measure"])
    blocks: list[Block] = [
        Heading("Attributes used"),
        Paragraph(f"Score: {measure}; lower is more informative.", "soft", "text"),
        Paragraph(
            f"The bar shows the score ({measure}): the lower of the score of the row's "
            "value and the score of the whole attribute, which the tick marks. The "
            "shorter the bar, the more informative the attribute is for this row.",
            "soft",
            "page",
        ),
        _attribute_grid(used, selection, bars, _MOST_USED),
    ]
    if spare:
        grid = _attribute_grid(spare, selection, bars, _MOST_UNUSED)
        title = f"{pluralize(len(spare), 'attribute')} not used"
        blocks.append(Fold(title, [grid]))
    return blocks


def _attribute_grid(
    items: Sequence[Plain], selection: Plain, bars: Ruler, shown: int
) -> Grid:
    rows = [
        [
            str(item["rank"]),
            format_value(item["name"]),
            format_value(item["value"]),
            "" if item["bin"] is None else format_value(item["bin"]),
            _score_bar(item, bars),
            format_fixed(item["lazy_score"]),
            format_fixed(item["value_score"]),
            format_fixed(item["attribute_score"]),
            _note(item, selection),
        ]
        for item in items[:_MOST_ROWS]
    ]
    header = ["rank", "attribute", "value", "bin", "", "score", "of value", "overall"]
    layout: dict[str, Any] = {"shown": shown, "n_more": len(items) - len(rows)}
    return Grid([*header, ""], "rllLBrRRl", rows, noun="attributes", **layout)


def _score_bar(item: Plain, draw: Ruler) -> Cell:
    """The bar of a score, with a tick for that of the attribute on the whole."""
    bar, whole = draw(item["lazy_score"]), draw(item["attribute_score"])
    if isinstance(bar, str) or isinstance(whole, str):
        return bar
    tick = whole.end if item["attribute_score"] >= 0 else whole.start
    return bar._replace(tick=tick, tone="" if item["used"] else "idle")


def _draw_neighbors(receipt: Plain) -> list[Block]:
    found, used = receipt["neighbors"], used_attributes(receipt["selection"])
    opposing, cases = found["nearest_other_class"], found["listed"]
    rows = [(case, "") for case in cases[:_MOST_CASES]]
    if opposing is not None and opposing not in cases[:_MOST_CASES]:
        rows.append((opposing, "opposing"))
    shown = len(rows)
    rows += [(case, "") for case in cases[_MOST_CASES:]]
    n_more = max(0, found["n_voting"] - len(cases))
    layout: dict[str, Any] = {"n_more": n_more, "noun": "cases that voted"}
    return [
        Heading("Cases that voted"),
        Paragraph(describe_comparison(receipt["settings"], used), "soft", "page"),
        draw_cases(
            ["case", "class", "distance", "vote"],
            "llrr",
            {item["name"]: item["value"] for item in used[:_MOST_COLUMNS]},
            [
                Case(
                    _opening_cells(case, receipt["answer"], tone),
                    case["values"],
                    frozenset(case["differ"]),
                    tone,
                )
                for case, tone in rows
            ],
            shown=shown + 1,
            **layout,
        ),
        Grid(
            ["case", "class", "distance", "vote", "differs in"],
            "rlrrl",
            [_differing(case, tone) for case, tone in rows],
            shown=shown,
            medium="text",
            **layout,
        ),
    ]


def _opening_cells(case: Plain, answer: object, tone: str) -> list[Cell]:
    note = ", nearest of another class" if tone else ""
    return [
        format_value(case["id"]) + note,
        format_outcome(case, answer),
        format_number(case["distance"]),
        format_number(case["vote"]),
    ]


def _differing(case: Plain, tone: str) -> list[str]:
    pairs = [
        f"{format_value(name)} ({format_value(case['values'].get(name))})"
        for name in case["differ"]
    ]
    note = " (nearest of another class)" if tone else ""
    return [
        format_value(case["id"]),
        format_value(case["class"]),
        format_number(case["distance"]),
        format_number(case["vote"]),
        (join(pairs) or "nothing") + note,
    ]


def describe_comparison(settings: Plain, used: Sequence[Plain]) -> str:
    """Explain the marks of cells, and how numbers are compared."""
    sentences = ["Cells that differ from this row's are marked ≠."]
    if any(item["bin"] is not None for item in used):
        binned = settings.get("discretize", True)
        alike = "are in the same bin" if binned else "are exactly equal"
        sentences.append(f"Numbers count as equal if they {alike}.")
    if len(used) > _MOST_COLUMNS:
        sentences.append(f"{_MOST_COLUMNS} of {len(used)} attributes are shown.")
    return " ".join(sentences)
