"""A receipt of an ensemble, of classes or of numbers."""

from collections import Counter
from collections.abc import Sequence

from sklazy.methods.ensembles.member_drawing import (
    NAMES,
    describe_evidence,
    kinds_of,
    share_of_vote,
)
from sklazy.report.article import (
    Article,
    Plain,
    draw_votes,
    format_outcome,
    make_ruler,
    sureness,
)
from sklazy.report.blocks import (
    Bar,
    Block,
    Cell,
    Figure,
    Fold,
    Grid,
    Heading,
    Mark,
    Paragraph,
)
from sklazy.report.plots import draw_histogram
from sklazy.report.words import (
    format_class,
    format_fixed,
    format_number,
    format_percent,
    format_value,
    join,
    pluralize,
)

_SHOWN = 10  # attributes
_MOST_ROWS = 500
_BELOW_ALL = 1e-12
_COMBINED = {
    "mean": "mean",
    "median": "median",
    "error": "mean, weighted by the members' errors near the row,",
}
_MEASURES = {
    "accuracy": "members' accuracy",
    "q_statistic": "Q statistic",
    "disagreement": "disagreement",
    "double_fault": "double fault",
    "kappa": "kappa",
    "entropy": "entropy",
}


def draw_ensemble(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    if "votes" in receipt:
        brief = "members that agree", format_percent(receipt["agreement"])
        parts: list[Block] = [Heading("Classes"), draw_votes(receipt, "votes")]
        return Article(
            sureness(receipt), _explain_class(receipt), parts + _parts(receipt), brief
        )
    deviation = format_number(receipt["diversity"]["std"])
    brief = "members differ by", deviation
    detail = f"members differ by {deviation}, their standard deviation"
    parts = _draw_values(receipt) + _parts(receipt)
    return Article(detail, _explain_number(receipt), parts, brief)


def _parts(receipt: Plain) -> list[Block]:
    return [
        *_draw_attributes(receipt),
        *_draw_kinds(receipt),
        _draw_members(receipt),
        *([_draw_neighbors(receipt)] if receipt["neighbors"]["k"] else []),
        *_draw_diversity(receipt),
    ]


# --- why ------------------------------------------------------------------------------


def _explain_class(receipt: Plain) -> list[str]:
    sentences = [
        _how_votes_fall(receipt),
        _bags(receipt),
        _around(receipt["neighbors"]),
        _differences(receipt["diversity"]["nearby"]),
    ]
    return [sentence for sentence in sentences if sentence]


def _explain_number(receipt: Plain) -> list[str]:
    members, near = receipt["members"], receipt["neighbors"]
    how = _COMBINED.get(receipt["settings"].get("combine"), "mean")
    around = receipt["diversity"]["nearby"]
    nearest = _nearest(near["k"])
    spread = f", with a standard deviation of {format_number(near['std'])}"
    had = f"The {nearest} had {format_number(near['mean'])}"
    had += f" on average{spread}." if near["k"] > 1 else "."
    return [
        f"The {how} of {pluralize(len(members), 'member')} "
        f"({join(kinds_of(members))}), which predict {_range(members)}.",
        _bags(receipt),
        *([had] if near["k"] else []),
        f"On the nearest {pluralize(around['n_cases'], 'case')}, the members' error is "
        f"{format_number(around['error'])} (root mean square).",
    ]


def _range(members: Sequence[Plain]) -> str:
    values = [member["value"] for member in members if member["value"] is not None]
    low, high = min(values, default=None), max(values, default=None)
    return f"{format_number(low)} to {format_number(high)}"


def _nearest(k: int) -> str:
    return f"{k} nearest cases" if k > 1 else "nearest case"


def _how_votes_fall(receipt: Plain) -> str:
    members, answer = receipt["members"], receipt["answer"]
    counts = Counter(format_class(member["vote"]) for member in members)
    winner, kinds = format_class(answer), join(kinds_of(members))
    n_own = counts.pop(winner, 0)
    if not counts:
        everyone = f"All {n_own} members vote" if n_own > 1 else "The only member votes"
        return f"{everyone} for {winner} ({kinds})."
    others = [f"{n} for {label}" for label, n in counts.most_common()]
    return (
        f"Of {len(members)} members ({kinds}), {n_own} vote for {winner}, "
        f"{join(others)}.{_decided(receipt)}"
    )


_DECIDED = {
    "accuracy": " Votes are weighted by the members' accuracy near the row.",
    "knora-e": " Only members that are right on the nearest cases vote.",
    "knora-u": " Votes are weighted by the number of near cases a member gets right.",
    "stacked": " Votes have the weights that fit the cases near the row best.",
    "probability": " The mean of their probabilities decides.",
}


def _decided(receipt: Plain) -> str:
    """Explain how the class was decided, besides by the count of votes."""
    how = receipt["settings"].get("combine")
    if how in _DECIDED:
        return _DECIDED[how]
    votes = [item["votes"] or 0.0 for item in receipt["votes"]]
    if sum(n >= max(votes) - _BELOW_ALL for n in votes) > 1:
        more = "more of the neighbors" if receipt["neighbors"]["k"] else "more cases"
        return f" The tie goes to the class with {more}."
    return ""


def _bags(receipt: Plain) -> str:
    """How the bags were drawn."""
    bags, k = receipt["bags"], receipt["neighbors"]["k"]
    beta = receipt["neighbors"]["beta"]
    if not k:
        return (
            f"Each member has its own bag of {bags['n_rows']} rows, drawn for this row "
            "from all cases."
        )
    why = "" if beta is None else f" (beta {format_value(beta)})"
    return (
        f"Each member has its own bag, drawn for this row: {k} of its {bags['n_rows']} "
        f"rows come from the {_nearest(k)}{why}, the others from all. So "
        f"{format_percent(bags['neighbor_share'])} of the rows drawn are such "
        f"neighbors, instead of {format_percent(bags['expected_share'])} by chance."
    )


def _around(neighbors: Plain) -> str:
    k = neighbors["k"]
    present = [
        (item["cases"], format_class(item["label"]))
        for item in neighbors["classes"]
        if item["cases"]
    ]
    if len(present) <= 1:
        every = {1: "is", 2: "are both"}.get(k, "are all")
        return "".join(f"The {_nearest(k)} {every} {label}." for _, label in present)
    (n, label), *others = present
    parts = [f"{n} {'is' if n == 1 else 'are'} {label}"]
    parts += [f"{n} {label}" for n, label in others]
    return f"Of the {_nearest(k)}, {join(parts)}."


def _differences(around: Plain | None) -> str:
    if around is None:
        return ""
    return (
        f"Tried on the nearest {pluralize(around['n_cases'], 'case')}, members are "
        f"right in {format_percent(around['accuracy'])}."
    )


# --- the parts ------------------------------------------------------------------------


def _draw_values(receipt: Plain) -> list[Block]:
    values = [m["value"] for m in receipt["members"] if m["value"] is not None]
    if not values:
        return []
    title = "Predictions of the members"
    drawn = draw_histogram(values, receipt["answer"], title, _target(receipt))
    caption = "Number of members for each prediction; the line is the answer."
    return [Heading(title), Figure(drawn, caption)]


def _target(receipt: Plain) -> str:
    return format_value(receipt["cases"]["targets"][0]["name"])


def _draw_attributes(receipt: Plain) -> list[Block]:
    """The attributes, those that most members use first."""
    uses, choosers = _count_uses(receipt["members"])
    values = {item["name"]: item["value"] for item in receipt["query"]}
    items = sorted(
        receipt["distance"], key=lambda item: (-uses[item["name"]], -item["weight"])
    )
    n = sum(choosers.values())
    rows: list[list[Cell]] = []
    for item in items[:_MOST_ROWS]:
        name, weight = item["name"], item["weight"]
        cells = [format_value(name), format_value(values[name])]
        bars: list[Cell] = [f"{uses[name]} of {n}", Bar(uses[name] / n)] if n else []
        last = [] if n else [Bar(weight)]
        rows.append([*cells, *bars, format_fixed(weight), *last])
    header = [f"used by {join(choosers)}", "", "weight"] if n else ["weight", ""]
    grid = Grid(
        ["attribute", "value", *header],
        "llrbR" if n else "llrb",
        rows,
        ["" if uses[item["name"]] or not n else "lost" for item in items],
        shown=_SHOWN,
        n_more=len(items) - len(rows),
        noun="attributes",
    )
    return [Heading("Attributes"), Paragraph(_meaning(receipt, n), "soft"), grid]


def _meaning(receipt: Plain, n_choosers: int) -> str:
    relevance = (
        "its gain ratio"
        if "votes" in receipt
        else "the share of the target's variance that it explains"
    )
    weight = (
        "The weight of an attribute in the distance between rows is "
        f"{relevance}, divided by that of the best attribute."
    )
    if not n_choosers:
        return weight
    return f"How many members test the attribute for this row. {weight}"


def _count_uses(members: Sequence[Plain]) -> tuple[Counter[str], Counter[str]]:
    """How many members test each attribute, and what members there are that test."""
    uses: Counter[str] = Counter()
    choosers: Counter[str] = Counter()
    for member in members:
        evidence = member["evidence"]
        if evidence["kind"] in ("path", "random path"):
            tested = {step["attribute"] for step in evidence["steps"]} - {None}
        elif evidence["kind"] == "rule":
            tested = {evidence["attribute"]}
        else:
            continue
        uses.update(tested)
        choosers[NAMES.get(member["name"], format_value(member["name"]))] += 1
    return uses, choosers


def _draw_kinds(receipt: Plain) -> list[Block]:
    """The kinds of members side by side, if there are several."""
    groups: dict[str, list[Plain]] = {}
    for member in receipt["members"]:
        groups.setdefault(member["name"], []).append(member)
    if len(groups) == 1:
        return []
    classes = "votes" in receipt
    rows: list[list[Cell]] = []
    for name, alike in groups.items():
        cells = [NAMES.get(name, format_value(name)), str(len(alike))]
        if classes:
            n = sum(member["vote"] == receipt["answer"] for member in alike)
            rows.append([*cells, str(n), Bar(n / len(alike))])
        else:
            rows.append([*cells, _range(alike)])
    header = ["for the answer", ""] if classes else ["predict"]
    sides = "lrrb" if classes else "lrr"
    grid = Grid(["kind", "members", *header], sides, rows, shown=20, noun="kinds")
    return [Heading("Kinds of members"), grid]


def _draw_members(receipt: Plain) -> Fold:
    members, votes = receipt["members"], receipt.get("votes", ())
    labels = [item["label"] for item in votes]
    weighted = len({member["weight"] for member in members}) > 1
    rows: list[list[Cell]] = []
    for member in members[:_MOST_ROWS]:
        cells: list[Cell] = [str(member["bag"] + 1), format_value(member["name"])]
        if votes:
            tone = "yes" if member["vote"] == receipt["answer"] else "other"
            cells.append(Mark(format_value(member["vote"]), tone))
            cells.append(share_of_vote(member, labels))
        else:
            cells.append(format_number(member["value"]))
        cells += [format_number(member["weight"], 3)] if weighted else []
        rows.append([*cells, describe_evidence(member, labels)])
    headings = ["votes for", "probability"] if votes else ["predicts"]
    header = ["bag", "member", *headings, *["weight"] * weighted, "because of"]
    sides = ("rllr" if votes else "rlr") + "r" * weighted + "l"
    n_more = len(members) - len(rows)
    grid = Grid(header, sides, rows, shown=8, n_more=n_more, noun="members")
    note = "Trees show the tests on the row's path, with the weight of the rows there."
    return Fold(f"Members ({len(members)})", [Paragraph(note, "soft", "page"), grid])


def _draw_neighbors(receipt: Plain) -> Fold:
    neighbors, classes = receipt["neighbors"], "votes" in receipt
    bar = make_ruler([case["distance"] for case in neighbors["listed"]])
    rows = [
        [
            format_value(case["id"]),
            format_outcome(case, receipt["answer"]),
            format_number(case["distance"]),
            bar(case["distance"]),
        ]
        for case in neighbors["listed"]
    ]
    word, sides = ("class", "llrB") if classes else (_target(receipt), "lrrB")
    header, n_more = ["case", word, "distance", ""], neighbors["k"] - len(rows)
    grid = Grid(header, sides, rows, n_more=n_more, noun="cases")
    return Fold(f"Nearest cases ({neighbors['k']})", [grid])


def _draw_diversity(receipt: Plain) -> list[Block]:
    """How far members differ, in figures."""
    diversity = receipt["diversity"]
    around = diversity["nearby"]
    if "votes" not in receipt or around is None:
        return []
    rows = [
        ["pairs that vote differently here", format_fixed(diversity["disagreement"])]
    ]
    rows += [[name, format_fixed(around[key])] for key, name in _MEASURES.items()]
    note = f"All but the first over the nearest {pluralize(around['n_cases'], 'case')}."
    grid = Grid(["measure", ""], "lr", rows, noun="measures")
    return [Fold("How members differ", [grid, Paragraph(note, "soft")])]
