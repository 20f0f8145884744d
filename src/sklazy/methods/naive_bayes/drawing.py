"""Drawing of naive Bayes terms, in receipts of every family that has them."""

import math

from sklazy.report.article import Plain, first_two, gain, likely, make_ruler
from sklazy.report.blocks import Block, Cell, Grid, Heading, Paragraph
from sklazy.report.words import format_class, format_fixed, format_value

_MOST_USED = 30
_MOST_COMPARED = 4  # classes beside each other


def strongest(receipt: Plain) -> str:
    """The attribute that favors the answer most against the runner-up."""
    pair, labels = first_two(receipt), [item["label"] for item in receipt["votes"]]
    if pair is None:
        return ""
    gains = [
        (gain(item["log"], *pair), item["name"])
        for item in receipt["likelihoods"]["attributes"]
    ]
    log, name = max(gains, key=lambda item: item[0], default=(0.0, ""))
    if log <= 0:
        return (
            f"No feature favors it over {format_class(labels[pair[1]])}, the "
            "runner-up; it is ahead because it is more frequent."
        )
    return (
        f"{format_value(name)} matters most: its value is {_times(log)} as likely "
        f"under {format_class(labels[pair[0]])} as under "
        f"{format_class(labels[pair[1]])}, the runner-up."
    )


def _times(log: float) -> str:
    return f"{math.exp(log):.3g} times" if log < 700 else "infinitely many times"


def draw_likelihoods(receipt: Plain) -> list[Block]:
    """Each attribute's logarithms, and how far it favors the answer."""
    votes, likelihoods = receipt["votes"], receipt["likelihoods"]
    shown, pair = likely(votes, _MOST_COMPARED), first_two(receipt)
    items = [("share of the class", [item["log"] for item in likelihoods["prior"]])]
    items += [(format_value(i["name"]), i["log"]) for i in likelihoods["attributes"]]
    gains = [gain(logs, *pair) if pair else 0.0 for _, logs in items]
    bar = make_ruler([*gains, *[-gained for gained in gains]])  # zero is in the middle
    rows: list[list[Cell]] = [
        [name, *[format_fixed(logs[i], 2) for i in shown], bar(gained)]
        for (name, logs), gained in zip(items, gains, strict=True)
    ]
    header = ["attribute", *[format_value(votes[i]["label"]) for i in shown], ""]
    legend = "Natural logarithms; the class with the largest sum is the answer."
    if pair is not None:
        rival = format_value(votes[pair[1]]["label"])
        legend += f" Bars to the left favor {rival}, the runner-up."
    sides = f"l{'r' * len(shown)}B"
    grid = Grid(header, sides, rows, shown=_MOST_USED, noun="attributes")
    title = Heading("Contribution of each attribute")
    return [title, Paragraph(legend, "soft", "page"), grid]
