"""Sets, intervals and abstention of a receipt, in sentences."""

from sklazy.report.article import Plain
from sklazy.report.words import format_class, format_number, format_value, join


def tell_uncertainty(receipt: Plain) -> list[str]:
    """Describe the set, interval and abstention of a receipt, where it has them."""
    told = []
    if "prediction_set" in receipt:
        told.append(_tell_set(receipt["prediction_set"]))
    if "prediction_interval" in receipt:
        told.append(_tell_interval(receipt["prediction_interval"]))
    if "abstention" in receipt:
        told.append(_tell_abstention(receipt["abstention"]))
    return told


def _tell_set(cover: Plain) -> str:
    labels = [format_class(own["label"]) for own in cover["classes"] if own["in_set"]]
    opening = f"For a coverage of {cover['coverage']:g} the set"
    if not labels:
        return f"{opening} is empty: the row is unlike the cases of every class."
    if len(labels) == len(cover["classes"]) > 1:
        return f"{opening} is full: no class can be ruled out."
    return f"{opening} is {join(labels)}."


def _tell_interval(cover: Plain) -> str:
    parts = [
        f"{format_value(own['name'])} lies between {format_number(own['low'])} and "
        f"{format_number(own['high'])}"
        for own in cover["targets"]
    ]
    return f"For a coverage of {cover['coverage']:g}, {join(parts)}."


def _tell_abstention(said: Plain) -> str:
    verdict = "given" if said["answered"] else "withheld"
    return (
        f"For an accuracy of {said['accuracy']:g} the answer is {verdict}: it takes a "
        f"probability of {format_number(said['threshold'])}, which "
        f"{100 * said['share_answered']:.0f} % of the cases reach."
    )
