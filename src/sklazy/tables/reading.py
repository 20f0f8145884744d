"""How the cells of a column were understood: as dates, amounts, words, or not at all.

A reading belongs to a column and is fixed when its first rows are kept. Rows that come
later are read the same way, whatever they look like on their own.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Style = Literal[
    "date",
    "datetime",
    "month",
    "year",
    "time",
    "duration",
    "amount",
    "yes-no",
    "aside",
]

CALENDAR: tuple[Style, ...] = ("date", "datetime", "month", "year")
"""Styles of days since 1970-01-01; they differ in the calendar parts that they have."""


@dataclass(frozen=True)
class Reading:
    """How the cells of a column are to be understood.

    Parameters
    ----------
    style : str
        Calendar: numbers of days. "time": hours since midnight. "duration": days.
        "amount": numbers of text with a unit or separators. "yes-no": words for yes
        and no, however they are spelled. "aside": labels not to be learned from.
    form : str
        How text writes it, for example "day-first" or "decimal-comma".
    unit : str
        What the numbers are of: "kg", "$", "%"; "UTC" where times have a zone.
    """

    style: Style
    form: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        if self.style not in get_args(Style):
            raise ValueError(f"style={self.style!r}; expected {get_args(Style)}")
