"""How long Ctrl-C waits: `python benchmarks/interrupts.py [method ...]`.

Each method learns many rows in a process of its own, which is sent SIGINT at random
moments of `fit`, `predict` and `loo_predict`; shown is the longest time until the
process has left the call. Before that one run without an interrupt, cut off after some
seconds, asks every 20 ms to be heard, and finds the longest stretch in which Python
was not: it tells where the time goes, whatever moments the dice choose.

    --rows 300000     rows to learn, and to predict
    --tries 3         interrupts of each phase
    --seconds 20      of a phase before it is cut off
    --phases fit,predict,loo_predict
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings

N_ATTRIBUTES = 10
BEAT = 0.02  # seconds
PHASES = "fit", "predict", "loo_predict"


def main(words):
    """Measure the methods named, or all, and print a line for each phase."""
    options = read(words)
    worst = 0.0
    for method in options.methods or names():
        for phase in options.phases.split(","):
            figures = measure(method, phase, options)
            worst = max(worst, figures["answer"])
            print(
                f"{method:28} {phase:12} answer {figures['answer']:6.2f} s   longest "
                f"stretch {figures['deaf']:6.2f} s, of processor "
                f"{figures['busy']:6.2f} s   {figures['where']}",
                flush=True,
            )
    print(f"worst answer: {worst:.2f} s")


def read(words):
    """The options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--phases", default=",".join(PHASES))
    return parser.parse_args(words)


def names():
    """The lazy estimators of the package that a child can ask."""
    import sklazy

    kinds = {name: getattr(sklazy, name) for name in sklazy.__all__}
    return [name for name, kind in kinds.items() if hasattr(kind, "partial_fit")]


def measure(method, phase, options):
    """The longest stretch, and the longest answer to a real interrupt."""
    figures = run_child(method, phase, options.rows, options.seconds, None)
    lasts, answers = min(figures["lasts"], options.seconds), [0.0]
    for _ in range(options.tries):
        delay = random.uniform(0.0, 0.9) * lasts
        answers.append(
            run_child(method, phase, options.rows, options.seconds, delay)["answer"]
        )
    return {**figures, "answer": max(answers)}


def run_child(method, phase, n_rows, seconds, delay):
    """What a child found; it is interrupted `delay` seconds into the phase."""
    mode = "watch" if delay is None else "wait"
    words = [sys.executable, __file__, "--child", method, phase, mode]
    words += [str(n_rows), str(seconds)]
    sent = None
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        try:
            child.stdout.readline()  # it is about to begin
            if delay is not None:
                time.sleep(delay)
                sent = time.monotonic()
                child.send_signal(signal.SIGINT)
            line = child.stdout.readline()
        finally:
            child.kill()  # also where this process is interrupted itself
    if not line:
        raise SystemExit(f"{method} {phase}: the child failed.")
    figures = json.loads(line)
    if sent is not None:
        figures["answer"] = max(0.0, figures["end"] - sent)
    return figures


def run_as_child(method, phase, mode, n_rows, seconds):
    """Run a phase, heard every now and then, or until it is interrupted."""
    # A shell makes programs in the background deaf to interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    model, X, y = make(method, n_rows)
    if phase != "fit":
        model.fit(X, y)
    call = {
        "fit": lambda: model.fit(X, y),
        "predict": lambda: model.predict(X),
        "loo_predict": lambda: model.loo_predict(),
    }[phase]
    beats = Beats(seconds if mode == "watch" else 10 * seconds)
    begin = time.monotonic()
    print("ready", flush=True)
    with contextlib.suppress(KeyboardInterrupt, Enough):
        if mode == "watch":
            with beats:
                call()
        else:
            call()
    end = time.monotonic()
    figures = {"end": end, "lasts": end - begin, **beats.longest}
    print(json.dumps(figures), flush=True)
    os._exit(0)


class Enough(BaseException):
    """The time of a phase is up."""


class Beats:
    """A signal every 20 ms, and the longest time until Python heard one."""

    def __init__(self, seconds):
        self.until = time.monotonic() + seconds
        self.longest = {"deaf": 0.0, "busy": 0.0, "where": ""}

    def __enter__(self):
        signal.signal(signal.SIGALRM, self.hear)
        self.last = time.monotonic(), time.process_time()
        signal.setitimer(signal.ITIMER_REAL, BEAT, BEAT)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def hear(self, _, frame):
        now = time.monotonic(), time.process_time()
        deaf, busy = now[0] - self.last[0], now[1] - self.last[1]
        if deaf > self.longest["deaf"]:
            where = place(frame)
            self.longest = {"deaf": deaf, "busy": busy, "where": where}
        self.last = now
        if now[0] > self.until:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            raise Enough


def place(frame):
    """The innermost lines that were running, of this library if there is one."""
    places = []
    while frame is not None:
        name = frame.f_code.co_filename
        if "sklazy" in name and "benchmarks" not in name:
            short = name.rsplit("sklazy/", 1)[1]
            places.append(f"{short}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(places[:3])


def make(method, n_rows):
    """A model and a mixed table, the same in every process."""
    import numpy as np

    import sklazy

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_ATTRIBUTES))
    X[:, ::2] = np.round(2 * X[:, ::2])
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows)
    kind = getattr(sklazy, method)
    y = score if "Regressor" in method else (score > 0).astype(int)
    if method == "LazySelectionClassifier":
        from sklearn.naive_bayes import GaussianNB

        return kind(GaussianNB()), X, y
    return kind(), X, y


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_as_child(*sys.argv[2:5], int(sys.argv[5]), float(sys.argv[6]))
    else:
        main(sys.argv[1:])
