"""Is the advice right? Twenty tables, 20 seconds of one core for each.

The advice is compared with all methods measured on other folds, without a limit of
time. It is right if the loss of the method it names there is within one standard error
of the best one's, or if it states that time was not enough:

    python benchmarks/advice_right.py DATA                 # all twenty
    python benchmarks/advice_right.py DATA credit-g iris   # some

Times are processor seconds, so that other work on the machine does not count. A line
for each table: what is advised, its loss, the best method and its loss with standard
error, and the verdict. The exit code is 1 if any advice is wrong.
"""

import sys
import time
from pathlib import Path

import sklazy
from sklazy.estimators.advice.comparison import Clock

SECONDS = 20.0
CLASSES = (
    *("anneal", "audiology", "autos", "breast-cancer", "car", "colic", "credit-a"),
    *("credit-g", "diabetes", "ecoli", "glass", "heart-c", "hepatitis", "ionosphere"),
    *("iris", "sonar", "vehicle", "vote"),
)
NUMBERS = ("triazines", "wisconsin")


def main(words):
    """Check the advice on the tables, and print a line for each."""
    folder, names = Path(words[0]), words[1:] or [*CLASSES, *NUMBERS]
    Clock.now = staticmethod(time.process_time)
    wrong = [name for name in names if not check(folder, name)]
    print(f"right on {len(names) - len(wrong)} of {len(names)}", *wrong)
    sys.exit(bool(wrong))


def check(folder, name):
    """Whether the advice on a table is right."""
    kind = "regression" if name in NUMBERS else "classification"
    table = sklazy.read_table(folder / kind / f"{name}.arff")
    X, y = table.drop([table.names[-1]]), table.columns[-1].cells()
    sklazy.advise(X, y, task=kind, max_seconds=0)  # what is compiled at first use
    started = time.process_time()
    advice = sklazy.advise(X, y, task=kind, max_seconds=SECONDS)
    seconds = time.process_time() - started
    if advice.recommendation == "not enough time":
        print(f"{name:14} {seconds:5.1f} s  {advice.verdict}", flush=True)
        return True
    every = sklazy.advise(X, y, task=kind, max_seconds=1e9, random_state=1)
    losses = {score.name: score.loss for score in every.scores}
    best = min(every.scores, key=lambda score: score.loss)
    advised = advice.best.name if advice.best else "nothing"
    loss = losses.get(advised, every.guess)
    right = loss <= best.loss + best.error
    print(
        f"{name:14} {seconds:5.1f} s  {advised} {loss:.4g}; best {best.name} "
        f"{best.loss:.4g} +- {best.error:.2g}: {'right' if right else 'WRONG'}",
        flush=True,
    )
    return right


if __name__ == "__main__":
    main(sys.argv[1:])
