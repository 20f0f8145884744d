"""Numbers with their units, as the user's table writes them."""

import math

from sklazy.report.article import Plain
from sklazy.report.words import Day, format_value

_BEFORE = {"$", "£", "¥", "US$"}  # units that stand before the number
_DIGITS = 6


def format_amount(value: float, digits: int = _DIGITS) -> str:
    """A number with so many digits, without scientific notation up to 1e15.

    Examples
    --------
    >>> format_amount(1402000.0), format_amount(0.25), format_amount(140_200.6)
    ('1402000', '0.25', '140201')
    >>> format_amount(1234.5678, 4), format_amount(-0.000012345), format_amount(1e20)
    ('1235', '-0.000012345', '1e+20')
    """
    if isinstance(value, Day):
        return format_value(value)
    size = abs(value)
    if value == round(value) and size < 1e15:
        return str(round(value))
    if not 1e-6 <= size < 1e15:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def add_unit(text: str, unit: str) -> str:
    """A number with its unit.

    Examples
    --------
    >>> add_unit("5500", "EUR"), add_unit("5500", "$"), add_unit("12", "")
    ('5500 EUR', '$ 5500', '12')
    """
    return f"{unit} {text}" if unit in _BEFORE else f"{text} {unit}".rstrip()


def format_cell(item: Plain) -> str:
    """The value of a feature with its unit.

    Examples
    --------
    >>> format_cell({"value": 5500.0, "unit": "EUR"}), format_cell({"value": None})
    ('5500 EUR', 'missing')
    >>> format_cell({"value": "two years"}), format_cell({"value": Day(19845.0)})
    ('two years', '2024-05-02')
    """
    value = item["value"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return add_unit(format_amount(value), item.get("unit", ""))
    return format_value(value)


def format_output(receipt: Plain, value: float) -> str:
    """A probability in percent, or a number of the target.

    Examples
    --------
    >>> format_output({"votes": []}, 0.514), format_output({}, 140_200.0)
    ('51 %', '140200')
    >>> format_output({"votes": []}, 0.9997), format_output({"votes": []}, 1.0)
    ('>99 %', '100 %')
    >>> format_output({"votes": []}, 0.4962)  # which side of one half?
    '49.6 %'
    """
    if "votes" not in receipt:
        return format_amount(value, 4)
    if 0.995 <= value < 1.0:
        return ">99 %"
    digits = int(0.0005 <= abs(value - 0.5) < 0.005)
    return "<1 %" if 0.0 < value < 0.005 else f"{100 * value:.{digits}f} %"


def format_points(receipt: Plain, value: float) -> str:
    """A contribution with its sign: percentage points, or the unit of the target.

    Examples
    --------
    >>> format_points({"votes": []}, -0.0912), format_points({"votes": []}, 0.000312)
    ('-9.1 points', '+0.03 points')
    >>> reasons = {"base": 48_788.0, "answer": 58_385.0, "features": []}
    >>> format_points({"reasons": reasons}, 969.31), format_points({}, 0.25)
    ('+969', '+0.25')
    """
    if "votes" in receipt:
        return f"{_round_to(100 * value, 1)} points"
    if "reasons" not in receipt:
        return ("+" if value >= 0 else "-") + format_amount(abs(value), 4)
    return _round_to(value, _find_decimals(receipt["reasons"]))


def find_least(receipt: Plain) -> float:
    """The least contribution that shows: half a percent, or of a number's last digit.

    Examples
    --------
    >>> reasons = {"base": 612.0, "answer": 641.2, "features": []}
    >>> find_least({"votes": [], "reasons": reasons}), find_least({"reasons": reasons})
    (0.005, 0.05)
    """
    if "votes" in receipt:
        return 0.005
    return float(f"{0.5 * 10.0 ** -_find_decimals(receipt['reasons']):.1g}")


def _round_to(value: float, decimals: int) -> str:
    """A signed number with so many decimals, or one digit where all of them are 0."""
    if 0.0 < abs(value) < 0.5 * 10.0**-decimals or abs(value) >= 1e15:
        digits = 1 if abs(value) < 1.0 else 4
        return ("+" if value > 0 else "-") + format_amount(abs(value), digits)
    return f"{value:+.{decimals}f}"


def _find_decimals(reasons: Plain) -> int:
    """Decimals of contributions to a number: those of the largest, with four digits."""
    sizes = [abs(item["contribution"]) for item in reasons["features"]]
    size = max(abs(reasons["base"]), abs(reasons["answer"]), *sizes, 1e-12)
    return max(0, 3 - math.floor(math.log10(size)))
