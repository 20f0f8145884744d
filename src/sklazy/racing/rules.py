"""The rules of a race, checked once."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from sklazy.errors import BadInputError
from sklazy.racing.criteria import (
    Brace,
    Criterion,
    Friedman,
    FriedmanOneByOne,
    Hoeffding,
    StudentT,
)


@dataclass(frozen=True)
class RaceRules:
    """The parameters of `race`; see there for their meaning."""

    test: str | Criterion = "friedman"
    alpha: float = 0.05
    first_test: int = 5
    min_effect: float = 0.0
    n_winners: int = 1
    max_blocks: int | None = None
    max_evaluations: int | None = None
    max_seconds: float | None = None
    loss_range: float | None = None
    on_error: str = "drop"

    def __post_init__(self) -> None:
        if isinstance(self.test, str) and self.test not in TESTS:
            raise BadInputError(
                f"test={self.test!r} is not known; choose one of {sorted(TESTS)}."
            )
        if not 0 < self.alpha < 1:
            raise BadInputError(f"alpha={self.alpha!r}; expected a number in (0, 1).")
        if self.on_error not in {"drop", "raise"}:
            raise BadInputError(
                f"on_error={self.on_error!r} is not known; give 'drop' or 'raise'."
            )
        _at_least("first_test", self.first_test, 2)
        _at_least("n_winners", self.n_winners, 1)
        _at_least("min_effect", self.min_effect, 0)
        for name in ("max_blocks", "max_evaluations"):
            _at_least(name, getattr(self, name), 1)
        for name in ("max_seconds", "loss_range"):
            _at_least(name, getattr(self, name), 0)

    @property
    def options(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def criterion(self) -> Criterion:
        """Make a new test for one race."""
        return TESTS[self.test](self) if isinstance(self.test, str) else self.test


def _at_least(name: str, value: float | None, least: int) -> None:
    if value is not None and not value >= least:
        raise BadInputError(
            f"{name}={value!r} is too small; give {least} or more"
            f"{'' if name in _NEEDED else ', or None for no limit'}."
        )


_NEEDED = ("first_test", "n_winners", "min_effect")

TESTS: dict[str, Callable[[RaceRules], Criterion]] = {
    "friedman": lambda rules: Friedman(rules.alpha),
    "friedman-paper": lambda rules: FriedmanOneByOne(rules.alpha),
    "hoeffding": lambda rules: Hoeffding(rules.alpha, rules.loss_range),
    "brace": lambda rules: Brace(rules.alpha),
    "t": lambda rules: StudentT(rules.alpha, "none"),
    "t-holm": lambda rules: StudentT(rules.alpha, "holm"),
    "t-bonferroni": lambda rules: StudentT(rules.alpha, "bonferroni"),
}
"""The tests by name."""
