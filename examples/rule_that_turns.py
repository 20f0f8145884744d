"""A rule that turns round one day: what a window of recent rows is good for.

Run: python examples/rule_that_turns.py

A thousand days of made-up orders, one a day. At first those of two numbers in the upper
half come back; from day 500 on those in the lower half do.
"""

import pathlib

import numpy as np

from sklazy import LazyKNeighborsClassifier, prequential


def main() -> None:
    """Predict each day before it is learned, with all days and with the last 100."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2023-01-01") + np.arange(1000)
    orders = rng.uniform(size=(1000, 2))
    turned = np.arange(1000) >= 500
    returned = np.where((orders[:, 0] > 0.5) != turned, "yes", "no")

    for window in (None, 100):
        model = LazyKNeighborsClassifier(selection="none", window=window)
        result = prequential(model, orders, returned, times=days)
        # Of 100 days each: before the turn, right behind it, later, at the end.
        rates = result.rolling(100)[[489, 589, 689, -1]]
        name = "all days" if window is None else f"the last {window}"
        print(f"right by {name}: {', '.join(f'{rate:.0%}' for rate in rates)}")
    pathlib.Path("turn.svg").write_text(result.to_svg(), encoding="utf-8")
    print("drawn in turn.svg")

    model = LazyKNeighborsClassifier(selection="none").fit(orders, returned, times=days)
    model.forget(before="2024-05-15")  # the day of the turn
    (answer,) = model.predict([[0.9, 0.5]])
    print(f"{len(model.ids_)} days are left; will a high order come back? {answer}")


if __name__ == "__main__":
    main()
