"""Sets, intervals and abstention of a receipt, in sentences."""

from sklazy.report.article import Plain
from sklazy.report.words import format_class, format_number, format_value, join


def describe_uncertainty(receipt: Plain) -> list[str]:
    """Describe the set, interval and abstention of a receipt, where it has them."""
    sentences = []
    if "prediction_set" in receipt:
        sentences.append(_describe_set(receipt["prediction_set"]))
    if "prediction_interval" in receipt:
        sentences.append(_describe_interval(receipt["prediction_interval"]))
    if "abstention" in receipt:
        sentences.append(_describe_abstention(receipt["abstention"]))
    return sentences


def _describe_set(cover: Plain) -> str:
    labels = [
        format_class(item["label"]) for item in cover["classes"] if item["in_set"]
    ]
    opening = f"For a coverage of {cover['coverage']:g} the set"
    if not labels:
        return f"{opening} is empty: the row is unlike the cases of every class."
    if len(labels) == len(cover["classes"]) > 1:
        return f"{opening} is full: no class can be ruled out."
    return f"{opening} is {join(labels)}."


def _describe_interval(cover: Plain) -> str:
    parts = [
        f"{format_value(target['name'])} lies between "
        f"{format_number(target['low'])} and {format_number(target['high'])}"
        for target in cover["targets"]
    ]
    return f"For a coverage of {cover['coverage']:g}, {join(parts)}."


def _describe_abstention(abstention: Plain) -> str:
    verdict = "given" if abstention["answered"] else "withheld"
    return (
        f"For an accuracy of {abstention['accuracy']:g} the answer is {verdict}: the "
        f"probability must be at least {format_number(abstention['threshold'])}, which "
        f"{100 * abstention['share_answered']:.0f} % of the cases reach."
    )
