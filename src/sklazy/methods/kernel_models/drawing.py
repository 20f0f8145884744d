"""A receipt of a kernel model: cases for and against, and weights of attributes."""

from sklazy.report.article import (
    Article,
    Case,
    Plain,
    draw_cases,
    draw_query,
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
    format_percent,
    format_value,
    join,
    pluralize,
)

_SHOWN = 8
_MOST_ROWS = 200
_MOST_COLUMNS = 6  # attributes beside each other in the table of cases


def draw_kernel_models(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    is_class = "votes" in receipt
    parts: list[Block] = []
    if is_class:
        parts += [Heading("Classes"), draw_votes(receipt, "score")]
    parts += [
        *_draw_cases(receipt),
        *_draw_attributes(receipt),
        _draw_settings(receipt),
        draw_query(receipt),
    ]
    why = [_explain_sum(receipt), _explain_weights(receipt)]
    if is_class:
        brief = "cases with influence", str(receipt["influential_cases"]["n_cases"])
        return Article(sureness(receipt), why, parts, brief)
    error = format_number(receipt["kernel"]["loss"])
    return Article(f"give or take {error}", why, parts, ("error", error))


def _place(receipt: Plain) -> int:
    """Where the answer stands among the targets."""
    if "votes" not in receipt:
        return 0
    labels = [item["label"] for item in receipt["votes"]]
    return labels.index(receipt["answer"])


def _name(target: Plain, receipt: Plain) -> str:
    name = target["name"]
    return format_class(name) if "votes" in receipt else format_value(name)


def _explain_sum(receipt: Plain) -> str:
    """Where the score starts, and how much cases add and subtract."""
    target = receipt["targets"][_place(receipt)]
    what = "share" if "votes" in receipt else "mean"
    start = f"Starting at {format_number(target['center'])}, its {what} of all cases, "
    n = pluralize(receipt["influential_cases"]["n_cases"], "case")
    end = f"{start}{_name(target, receipt)} comes to {format_number(target['score'])}"
    if target["for"] is None:
        return f"{end} by {n}, weighted by similarity."
    return (
        f"{end}: {n}, weighted by similarity, add {format_number(target['for'])} and "
        f"subtract {format_number(_minus(target['against']))}."
    )


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _explain_weights(receipt: Plain) -> str:
    """The attributes of the largest weight."""
    ordered = _by_weight(receipt)
    kernel = receipt["kernel"]
    if not (kernel["attribute_share"] or kernel["n_gradient_steps"]) or not ordered:
        return (
            "All attributes in which cases differ have the same weight in the distance."
        )
    names = [format_value(item["name"]) for item in ordered if item["weight"]]
    verb = "has" if len(names) == 1 else "have"
    return f"{join(names[:3])} {verb} the most weight in the distance."


def _draw_cases(receipt: Plain) -> list[Block]:
    """The cases that add or subtract most."""
    listed, n_cases = (
        receipt["influential_cases"]["listed"],
        receipt["influential_cases"]["n_cases"],
    )
    if not listed:  # a brief receipt counts them
        return []
    rows = _case_rows(receipt)
    cases = [Case(row, own["values"]) for row, own in zip(rows, listed, strict=True)]
    word = _outcome_word(receipt)
    header = ["case", word, "distance", "similarity", "influence", "contribution", ""]
    layout = {"n_more": n_cases - len(listed), "noun": "cases"}
    note = (
        "The influence is the weight of a case's outcome in the answer. The "
        "contribution is that weight times the outcome's difference from the mean of "
        "all cases."
    )
    first = [item["name"] for item in _by_weight(receipt)[:_MOST_COLUMNS]]
    values = {item["name"]: item["value"] for item in receipt["query"]}
    query = {name: values.get(name) for name in first}
    grid = Grid(header, "llrrrrb", rows, shown=_SHOWN, medium="text", **layout)
    matrix = draw_cases(header, "llrRrrb", query, cases, shown=_SHOWN + 1, **layout)
    return [
        Heading("Cases with the most influence"),
        Paragraph(note, "soft"),
        grid,
        matrix,
    ]


def _case_rows(receipt: Plain) -> list[list[Cell]]:
    listed, place = receipt["influential_cases"]["listed"], _place(receipt)
    bar = make_ruler([case["contributions"][place] for case in listed])
    return [
        [
            format_value(case["id"]),
            format_outcome(case, receipt["answer"]),
            format_number(case["distance"]),
            format_fixed(case["similarity"]),
            format_fixed(case["influence"]),
            format_number(case["contributions"][place], 3),
            bar(case["contributions"][place]),
        ]
        for case in listed
    ]


def _by_weight(receipt: Plain) -> list[Plain]:
    return sorted(receipt["attributes"], key=lambda item: -item["weight"])


def _outcome_word(receipt: Plain) -> str:
    if "votes" in receipt:
        return "class"
    return format_value(receipt["targets"][0]["name"])


def _draw_attributes(receipt: Plain) -> list[Block]:
    """Information of attributes on the target, and their weights."""
    ordered = _by_weight(receipt)
    bar = make_ruler([item["weight"] for item in ordered])
    query = {item["name"]: format_value(item["value"]) for item in receipt["query"]}
    rows: list[list[Cell]] = [
        [
            format_value(item["name"]),
            query.get(item["name"], ""),
            format_fixed(item["information"]),
            format_fixed(item["weight"]),
            bar(item["weight"]),
        ]
        for item in ordered[:_MOST_ROWS]
    ]
    grid = Grid(
        ["attribute", "value", "information", "weight", ""],
        "lLrrb",
        rows,
        shown=_SHOWN,
        n_more=len(ordered) - len(rows),
        noun="attributes",
    )
    return [Heading("Attributes"), grid]


def _draw_settings(receipt: Plain) -> Fold:
    """Settings that were chosen by the error of left-out cases."""
    kernel = receipt["kernel"]
    rows: list[list[Cell]] = [
        [
            "share of information in the weights",
            format_percent(kernel["attribute_share"]),
        ],
        [
            "decay of similarity, in median distances",
            format_number(kernel["width"]),
        ],
        ["median distance between cases", format_number(kernel["median_distance"])],
        ["ridge", format_number(kernel["ridge"])],
    ]
    if kernel["temperature"] is not None:
        rows.append(["scores are multiplied by", format_number(kernel["temperature"])])
    word = "log loss" if "votes" in receipt else "error"
    rows.append([f"{word} of left-out cases", format_number(kernel["loss"])])
    grid = Grid(["setting", "value"], "lr", rows, noun="settings")
    return Fold("Settings, chosen by leaving cases out", [grid])
