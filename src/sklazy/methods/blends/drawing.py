"""Drawing of a blend's receipt: predictions, weights and reasons of the members."""

from collections.abc import Mapping, Sequence

from sklazy.methods.family import Family
from sklazy.report.article import (
    QUERY_TITLE,
    Article,
    Plain,
    draw_query,
    draw_votes,
    likely,
    sureness,
)
from sklazy.report.blocks import (
    Bar,
    Block,
    Cell,
    Fold,
    Grid,
    Heading,
    Lead,
    Mark,
    Paragraph,
)
from sklazy.report.words import (
    format_class,
    format_number,
    format_percent,
    format_probability,
    format_value,
    join,
    pluralize,
)

_MOST_CLASSES = 4
_UNUSED = 0.005  # a member of less weight is not listed


def draw_blend(receipt: Plain, families: Mapping[str, Family]) -> Article:
    """Draw the whole receipt.

    Parameters
    ----------
    receipt : dict
    families : dict
        The families of members by their kind.
    """
    own = [_draw_own(receipt, member, families) for member in receipt["members"]]
    classes = "votes" in receipt
    parts: list[Block] = []
    if classes:
        parts += [Heading("Classes"), draw_votes(receipt, "mixture")]
    parts += [
        Heading("Members"),
        _draw_classes(receipt) if classes else _draw_numbers(receipt),
        *[fold for fold in own if fold is not None],
        draw_query(receipt),
    ]
    first = max(receipt["members"], key=lambda member: member["weight"])
    brief = "largest weight", format_value(first["name"])
    why = [_who_predicts(receipt), _how_weighed(receipt)]
    return Article(sureness(receipt) if classes else "", why, parts, brief)


def _who_predicts(receipt: Plain) -> str:
    """Predictions of the members, those of the largest weight first."""
    members = sorted(receipt["members"], key=lambda member: -member["weight"])
    shown = [member for member in members if member["weight"] >= _UNUSED] or members
    sentences = [
        f"{format_value(member['name'])} ({format_percent(member['weight'])} of the "
        f"weight) {_prediction(receipt, member)}"
        for member in shown
    ]
    return f"{join(sentences)}."


def _prediction(receipt: Plain, member: Plain) -> str:
    if "votes" not in receipt:
        return f"predicts {format_number(member['value'])}"
    best = _favorite(member)
    label = format_class(receipt["votes"][best]["label"])
    return f"predicts {label} ({format_probability(member['probabilities'][best])})"


def _favorite(member: Plain) -> int:
    shares = member["probabilities"]
    return max(range(len(shares)), key=lambda i: shares[i])


def _how_weighed(receipt: Plain) -> str:
    n_rows = receipt["n_left_out"]
    if not n_rows:
        return (
            "There is only one case to compare the members on: all weights are equal."
        )
    return (
        "The weights are based on how well the members predict "
        f"{pluralize(n_rows, 'case')} when each is left out."
    )


def _draw_classes(receipt: Plain) -> Grid:
    """A line per member: its weight, and the probabilities of the likely classes."""
    votes = receipt["votes"]
    shown = likely(votes, _MOST_CLASSES)
    labels = [format_value(votes[i]["label"]) for i in shown]
    rows: list[list[Cell]] = []
    for member in receipt["members"]:
        best = votes[_favorite(member)]["label"]
        tone = "yes" if best == receipt["answer"] else "other"
        shares = [format_probability(member["probabilities"][i]) for i in shown]
        power = format_number(member["power"])
        rows.append([*_counts(member), power, Mark(format_value(best), tone), *shares])
    header = [*_COUNTED, "power", "predicts", *labels]
    sides = "lrbrrl" + "r" * len(labels)
    return Grid(header, sides, rows, shown=20, noun="members")


def _draw_numbers(receipt: Plain) -> Grid:
    rows: list[list[Cell]] = [
        [*_counts(member), format_number(member["value"])]
        for member in receipt["members"]
    ]
    return Grid([*_COUNTED, "predicts"], "lrbrr", rows, shown=20, noun="members")


_COUNTED = ["member", "weight", "", "left-out loss"]


def _counts(member: Plain) -> list[Cell]:
    """Name, weight and left-out loss of a member."""
    return [
        format_value(member["name"]),
        format_percent(member["weight"]),
        Bar(member["weight"]),
        format_number(member["left_out_loss"]),
    ]


def _draw_own(
    receipt: Plain, member: Plain, families: Mapping[str, Family]
) -> Fold | None:
    """The own receipt of a member, folded; none where it has none."""
    own = member["receipt"]
    if own is None:
        return None
    article = families[own["kind"]].draw(
        {"query": receipt["query"], "cases": receipt["cases"], **own}
    )
    title = f"Why {format_value(member['name'])} predicts this"
    return Fold(title, [Lead(article.why), *_fold_parts(article.parts)])


def _fold_parts(parts: Sequence[Block]) -> list[Block]:
    """The parts of a member, on pages only; the row in question is shown elsewhere."""
    folds: list[tuple[str, list[Block]]] = [("Figures", [])]
    for part in parts:
        if isinstance(part, Heading):
            folds.append((part.text, []))
        elif isinstance(part, Fold):
            folds.append((part.title, list(part.blocks)))
        else:
            folds[-1][1].append(part)
    return [
        Fold(title, [_on_pages(block) for block in blocks])
        for title, blocks in folds
        if blocks and title != QUERY_TITLE
    ]


def _on_pages(block: Block) -> Block:
    """A block that text does without."""
    return (
        block._replace(medium="page") if isinstance(block, Grid | Paragraph) else block
    )
