"""How much answers reveal about the cases: set by the operator, never by a client.

`none < aggregate < ids < values`. Below `values` stand-ins of groups answer, not cases
(`stand_ins`), and figures are rounded to what a group supports. Fields are copied by
name, so that a new field of receipts stays private until it is assigned to a level.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

Plain = dict[str, Any]


class Level(IntEnum):
    """Contents of receipts; each level includes those before it."""

    NONE = 0
    AGGREGATE = 1
    IDS = 2
    VALUES = 3


@dataclass(frozen=True)
class Privacy:
    """The level, and the fewest cases that a figure may be about.

    Attributes
    ----------
    level : Level
    min_group : int
    noise : float
        How much wider stand-ins are spread than the cases of their group, as a share.
    secret : bytes
        What clients do not know; stand-ins are drawn by it.
    """

    level: Level = Level.AGGREGATE
    min_group: int = 5
    noise: float = 0.0
    secret: bytes = field(default=b"", repr=False)

    @property
    def uses_groups(self) -> bool:
        """Whether groups of cases answer, rather than cases."""
        return self.level < Level.VALUES

    @property
    def step(self) -> float:
        """The unit in which probabilities are given: half a case in a group."""
        return 1 / (2 * self.min_group)

    def describe(self, estimator: str) -> str:
        """A sentence or two on what the level protects, of an estimator by its name."""
        if not self.uses_groups:
            return "Nothing is protected: receipts show cases with all their values."
        text = (
            f"Answers come from groups of at least {self.min_group} cases, which "
            "protects cells and targets as docs/privacy.md measures: predictions "
            "are coarser than the model's, and may differ (--receipts values gives its "
            "own). "
            f"{describe_attacks(estimator)}"
        )
        if self.level == Level.IDS:
            text += " The ids in each group are shown."
        return text


MOST_AREA = 0.55
"""The area under the ROC curve up to which being a case is protected from a client."""

ATTACKED = {
    "LazyAssociativeClassifier": (0.570, 0.553),
    "LazyBaggingClassifier": (0.610, 0.633),
    "LazyBayesRulesClassifier": (0.545, 0.554),
    "LazyClassifier": (0.592, 0.612),
    "LazyDecisionTreeClassifier": (0.541, 0.545),
    "LazyKNeighborsClassifier": (0.566, 0.572),
    "LazyKNeighborsRegressor": (0.550, 0.585),
    "LazyKernelClassifier": (0.596, 0.622),
    "LazyKernelRegressor": (0.544, 0.574),
    "LazyLearningRegressor": (0.554, 0.586),
    "LazyLogisticClassifier": (0.579, 0.596),
    "LazyNBClassifier": (0.545, 0.554),
    "LazyPLSRegressor": (0.556, 0.579),
    "LazyRegressor": (0.555, 0.585),
    "LazyRidgeRegressor": (0.552, 0.560),
    "LazyStackingClassifier": (0.617, 0.642),
}
"""The largest areas seen with groups of 5: for a client; and for an attacker who has
data like the cases and sets up servers. See docs/privacy.md."""


def describe_attacks(estimator: str) -> str:
    """How far clients could tell cases of an estimator from other rows."""
    if estimator not in ATTACKED:
        return f"{estimator} was not attacked: whether a row is a case may show."
    client, informed = ATTACKED[estimator]
    is_kept = "is protected from" if client <= MOST_AREA else "is NOT protected from"
    return (
        f"Whether a row is a case {is_kept} clients (area {client:.3f} on small "
        "tables; 0.5 is guessing) and "
        f"{'also' if informed <= MOST_AREA else 'NOT'} from an attacker who has data "
        f"like yours ({informed:.3f})."
    )


def reduce_receipt(receipt: Mapping[str, Any], privacy: Privacy) -> Plain:
    """Strip a receipt of stand-ins to what a level below `values` allows.

    Its answer and probability are still in all digits.
    """
    reduced = {key: receipt[key] for key in _ALWAYS if key in receipt}
    reduced["level"] = privacy.level.name.lower()
    # Not whether a value was seen: that would reveal the labels of cases.
    reduced["query"] = [
        {k: one[k] for k in ("name", "value")} for one in receipt["query"]
    ]
    reduced["attributes"] = list(dict.fromkeys(_attributes(receipt)))
    reduced["unlike_all_cases"] = receipt["novelty"]["unlike"]
    voters = list(_cases(receipt))
    reduced["rests_on"] = _count_voters(voters, receipt["answer"], privacy.min_group)
    reduced["note"] = _describe_voters(voters, privacy)
    return reduced


def list_voters(receipt: Mapping[str, Any]) -> list[int]:
    """The ids of the stand-ins that a receipt lists."""
    return [case["id"] for case in _cases(receipt)]


_ALWAYS = ("kind", "sklazy", "estimator", "answer", "probability")


def _count_voters(
    voters: Sequence[Mapping[str, Any]],
    answer: Any,  # noqa: ANN401 - a class or numbers
    least: int,
) -> Plain:
    """How many stand-ins an answer rests on, and of which classes, if these are enough.

    Where a count is too small, the sum goes with it, from which it would follow. Where
    that of the answer is, all others go: alone they would contradict it.
    """
    classes = [one["class"] for one in voters if "class" in one]
    counts = Counter(sorted(classes, key=str))
    small = len(voters) < least or any(count < least for count in counts.values())
    shown = {label: count for label, count in counts.items() if count >= least}
    if classes and answer not in shown:
        shown = {}
    return {
        "stand_ins": None if small else len(voters),
        "min_group": least,
        "classes": [{"label": one, "stand_ins": n} for one, n in shown.items()],
    }


def _describe_voters(voters: Sequence[Mapping[str, Any]], privacy: Privacy) -> str:
    """What a reader has to know about the rows that an answer rests on."""
    sentences = [
        "Made-up rows answered, not cases: each stands for a group of at least "
        f"{privacy.min_group} similar cases."
    ]
    if not voters:
        sentences.append("This method uses all of them and lists none.")
    elif "class" in voters[0]:
        sentences.append(
            "Their classes are those of the group in random order. They may have "
            "different weights, so the class with the most need not be the answer."
        )
    else:
        sentences.append("Its target is about the mean of the group.")
    if voters and privacy.level == Level.IDS:
        sentences.append(
            "Groups are all cases that these rows stand for, whatever their targets, "
            "so a case may differ from the answer."
        )
    return " ".join(sentences)


def _cases(receipt: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """The cases that a receipt lists as those the answer rests on."""
    for part in ("neighbors", "influential_cases"):
        held = receipt.get(part)
        if isinstance(held, Mapping):
            yield from held.get("listed", ())
    if receipt.get("kind") == "blends":
        seen = set()
        for member in receipt["members"]:
            for case in _cases(member["receipt"] or {}):
                if case["id"] not in seen:
                    seen.add(case["id"])
                    yield case


def _attributes(receipt: Mapping[str, Any]) -> Iterable[str]:
    """The names of the attributes that the answer rests on, the first ones first."""
    yield from _selected(receipt)
    for part in ("attributes", "distance"):
        held = receipt.get(part)
        if isinstance(held, Sequence):
            by_weight = sorted(held, key=lambda one: -float(one.get("weight") or 0))
            yield from (one["name"] for one in by_weight if one.get("weight"))
    for part in ("steps", "conditions"):
        yield from (one["attribute"] for one in receipt.get(part, ()))
    if isinstance(receipt.get("rules"), Mapping):
        rules = receipt["rules"]["listed"]
        yield from (v["attribute"] for rule in rules for v in rule["values"])
    if isinstance(receipt.get("linear_model"), Mapping):
        yield from (term["name"] for term in receipt["linear_model"]["terms"])
    if receipt.get("kind") == "blends":
        for member in receipt["members"]:
            yield from _attributes(member["receipt"] or {})


def _selected(receipt: Mapping[str, Any]) -> Iterable[str]:
    held = receipt.get("selection")
    if isinstance(held, Mapping):
        used = [one for one in held["attributes"] if one["used"]]
        yield from (one["name"] for one in sorted(used, key=lambda one: one["rank"]))


def reduce_suggestion(content: Mapping[str, Any], privacy: Privacy) -> Plain:
    """Strip a suggestion to its privacy level: values of cases only at the top."""
    if privacy.level >= Level.VALUES:
        return dict(content)
    kept = ("attribute", "answer", "unit")
    reduced = {key: content[key] for key in kept}
    if content["probability"] is not None:
        reduced["probability"] = rounded(content["probability"], privacy)
    reduced["ranked"] = _rank_again(content, privacy)
    if reduced["ranked"]:
        reduced["attribute"] = reduced["ranked"][0]["attribute"]
    return reduced


def _rank_again(content: Mapping[str, Any], privacy: Privacy) -> list[Plain]:
    """Rank by rounded gains: to divide exact ones by a client's costs shows digits."""
    is_share = content["unit"] == "bits"
    rough = [
        {
            "attribute": one["attribute"],
            "gain": rounded(one["gain"], privacy) if is_share else _rough(one["gain"]),
            "cost": one["cost"],
        }
        for one in content["ranked"]
    ]
    return sorted(rough, key=lambda one: -one["gain"] / one["cost"])


def _rough(gain: float) -> float:
    """A gain in one digit, since the unit of numbers is not known here."""
    return float(f"{gain:.0e}")


def rounded(figure: Any, privacy: Privacy) -> Any:  # noqa: ANN401 - whatever it is
    """Shares that depend on cases, in steps that a group supports below `values`.

    Examples
    --------
    >>> rounded(0.637, Privacy(min_group=10))
    0.65
    """
    if not privacy.uses_groups:
        return figure
    return _in_steps(figure, privacy.step) if isinstance(figure, float) else figure


def round_shares(rows: Sequence[Sequence[float]], privacy: Privacy) -> list[Any]:
    """Probabilities of classes, in the same steps; those of a row add up to 1.

    Each is rounded down, and steps that are left go to the largest remainders.

    Examples
    --------
    >>> round_shares([[0.98387097, 0.01612903], [0.25, 0.25, 0.5]], Privacy())
    [[1.0, 0.0], [0.3, 0.2, 0.5]]
    """
    if not privacy.uses_groups:
        return list(rows)
    return [_share_out(row, 2 * privacy.min_group) for row in rows]


def _share_out(shares: Sequence[float], n_steps: int) -> list[float]:
    """Share out a number of steps, the largest remainders first, then the first."""
    exact = [round(share * n_steps, 9) for share in shares]
    steps = [math.floor(one) for one in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: steps[i] - exact[i])
    for i in by_remainder[: max(0, n_steps - sum(steps))]:
        steps[i] += 1
    return [count / n_steps for count in steps]


def round_numbers(figure: Any, spreads: Sequence[float], privacy: Privacy) -> Any:  # noqa: ANN401
    """Predicted numbers, in steps of what the spread within groups supports.

    The step is 1, 2 or 5 times a power of ten, at most the spread of a mean of
    `min_group` cases.

    Parameters
    ----------
    figure : a number, or lists of these
        The innermost lists have a number for each of several targets.
    spreads : sequence of float
        Of each target.
    privacy : Privacy

    Examples
    --------
    >>> round_numbers([151.27, 98.3], [12.0], Privacy())
    [150.0, 100.0]
    >>> round_numbers([[151.27, 98.3]], [12.0, 1.0], Privacy())
    [[150.0, 98.2]]
    """
    if not privacy.uses_groups:
        return figure
    if not isinstance(figure, list):
        return round_to(figure, spreads[0] / math.sqrt(privacy.min_group))
    is_row = len(spreads) > 1 and not isinstance(figure[0], list)
    of_each = [[one] for one in spreads] if is_row else [spreads] * len(figure)
    pairs = zip(figure, of_each, strict=True)
    return [round_numbers(one, some, privacy) for one, some in pairs]


def round_to(figure: float, error: float) -> float:
    """A number in steps of 1, 2 or 5 times a power of ten, at most its error.

    Examples
    --------
    >>> round_to(7482.5, 3000.0)
    8000.0
    """
    step = _find_step(error)
    return _in_steps(figure, step) if step else figure


def _find_step(most: float) -> float:
    if not 1e-300 < most < 1e300:
        return 0.0
    power: float = 10.0 ** math.floor(math.log10(most))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= most * 1.001)


def _in_steps(figure: float, step: float) -> float:
    digits = max(0, 2 - math.floor(math.log10(step)))
    return round(round(figure / step) * step, digits)
