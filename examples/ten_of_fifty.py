"""Ten inputs of fifty matter: find them by a race, and draw it.

Run: python examples/ten_of_fifty.py [figure.png]

The target is Friedman's function of the inputs 0 to 4, plus the same of 5 to 9, plus
noise of unit variance. Neither 2 nor 7 shows any correlation with it. There are 2^50
sets of inputs; RACSAM looks at some 1300, most of them on a handful of rows.
"""

import sys
import time

import matplotlib.pyplot as plt
import numpy as np

from sklazy import LazyLearningRegressor, RacedRegressor, RaceFeatureSelector

N_ROWS, N_INPUTS = 1000, 50


def friedman(inputs: np.ndarray) -> np.ndarray:
    """Friedman's function of five inputs, shape (n_rows, 5)."""
    a, b, c, d, e = inputs.T
    return 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e


def draw_rows(n_rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows uniform on the unit cube, and their noisy targets."""
    X = rng.uniform(size=(n_rows, N_INPUTS))
    y = friedman(X[:, :5]) + friedman(X[:, 5:10]) + rng.normal(size=n_rows)
    return X, y


def main(path: str | None) -> None:
    """Find the inputs, say what it took, and draw the last race."""
    rng = np.random.default_rng(0)
    X, y = draw_rows(N_ROWS, rng)
    X_new, y_new = draw_rows(500, rng)

    started = time.perf_counter()
    raced = RacedRegressor(RaceFeatureSelector(random_state=0)).fit(X, y)
    seconds = time.perf_counter() - started
    selector = raced.selector_

    print(f"found: {selector.get_support(indices=True).tolist()} in {seconds:.1f} s")
    print(
        f"{selector.n_candidates_} sets were assessed with {selector.n_predictions_} "
        f"predictions; {selector.n_candidates_ * N_ROWS} would be needed to see each "
        "of them on all rows"
    )
    for step in selector.history_:
        print(
            f"  {step.phase}: {step.n_candidates} sets, {step.n_blocks} rows, "
            f"{step.n_predictions} predictions, best mean error {step.best_loss:.3f}"
        )

    everything = LazyLearningRegressor().fit(X, y)
    for name, model in [("all inputs", everything), ("the winners", raced)]:
        error = np.abs(model.predict(X_new) - y_new).mean()
        print(f"mean error on new rows with {name}: {error:.2f}")

    if path is not None:
        plt.figure(figsize=(8, 4.5), layout="constrained")
        ax = selector.plot_race()
        ax.set_xlabel("rows predicted so far")
        ax.set_ylabel("mean absolute error so far")
        ax.get_figure().savefig(path, dpi=90)
        print(f"the last race is drawn in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
