"""What bounds a request."""

from dataclasses import dataclass, fields

from sklazy.errors import BadInputError


@dataclass(frozen=True)
class Limits:
    """What a request may take.

    Attributes
    ----------
    body : int
        Bytes of its body, counted as they arrive.
    rows : int
        Rows in it.
    columns : int
        Cells of a row: keys of any object in a body.
    text : int
        Characters of a string.
    seconds : float
        For the body to arrive, and again for the answer to be found.
    at_once : int
        Requests that are worked on at the same time.
    waiting : int
        Further ones that wait for that; more are told to come back.
    connections : int
        That may be open.
    """

    body: int = 1 << 20
    rows: int = 1000
    columns: int = 10_000
    text: int = 10_000
    seconds: float = 30.0
    at_once: int = 2
    waiting: int = 32
    connections: int = 256

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise BadInputError(
                    f"{field.name}={value}; limits are numbers above 0."
                )
