"""Units that take a while, and a process to kill while it works on them."""

import functools
import os
import signal
import sys
import time
import types
from pathlib import Path

if __name__ in ("__main__", "__mp_main__"):
    # These processes are started by the dozen and need none of the estimators, which
    # take a second to import: the package without its front door.
    package = types.ModuleType("sklazy")
    package.__path__ = [str(Path(__file__).parents[2] / "src" / "sklazy")]
    package.__version__ = sys.argv[-1]
    sys.modules["sklazy"] = package
    sys.path.append(str(Path(__file__).parents[2] / "studies"))

from sklazy_studies.harness.runner import run_units
from sklazy_studies.harness.store import Store
from sklazy_studies.harness.unit import Unit


def units(n, protocol=1):
    return [
        Unit("sleeping", protocol, "", {"fold": fold}, cost=fold) for fold in range(n)
    ]


def work(unit, log=None, seconds=0.0):
    """Leave a line in the log, and sleep."""
    if log is not None:
        with open(log, "a") as file:
            file.write(f"{unit.setting['fold']}\n")
    time.sleep(seconds)
    return {"square": unit.setting["fold"] ** 2, "third": unit.setting["fold"] / 3}


def work_or_fail(unit):
    fold = unit.setting["fold"]
    if fold == 2:
        raise ValueError("two is too many")
    if fold == 3:
        os._exit(7)
    return {"square": fold**2}


def main():
    folder, n, jobs, seconds = Path(sys.argv[1]), *map(float, sys.argv[2:5])
    job = functools.partial(work, log=str(folder / "log"), seconds=seconds)
    with Store(folder / "results.sqlite") as store:
        run_units(job, units(int(n)), store, jobs=int(jobs))
    (folder / "finished").touch()


if __name__ == "__main__":
    # A shell makes programs in the background deaf to interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
