"""`sklazy.store` of a lake of Parquet, and Arrow's reading of it, by processor time.

8 columns of numbers, 7 of labels and a class, in files of 156 250 rows: more rows than
one would hold in memory, in files as lakes have them. 1 000 000 rows by default, the
number is an argument. Each side is a process of its own with one thread, alternating,
the best of three; memory is the most that the system counts for the process. One file
is read or stored before, so that packages are imported and compiled code is loaded.

New memory and new pages of files count as the system's seconds. A virtual machine that
gives free memory back to its host waits for each page again, up to 9 us for 4 kB where
0.3 to 0.6 are usual: see how the seconds are shared.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

ROWS_OF_FILE = 156_250


def make_file(path, seed):
    random = np.random.default_rng(seed)
    columns = {
        f"n{j}": random.normal(size=ROWS_OF_FILE).round(3 if j % 2 else 16)
        for j in range(8)
    }
    for j in range(7):
        words = np.array([f"word{i}" for i in range(3 + 4 * j)])
        columns[f"c{j}"] = words[random.integers(0, len(words), ROWS_OF_FILE)]
    is_high = columns["n0"] + random.normal(size=ROWS_OF_FILE) > 0
    columns["y"] = np.where(is_high, "high", "low")
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def read_by_arrow(lake):
    dataset = pyarrow.dataset.dataset(lake)
    for _ in dataset.to_batches(use_threads=False):
        pass


def store(lake):
    import sklazy

    out = Path(lake).with_suffix(".sklazy")
    sklazy.store(sklazy.LazyKNeighborsClassifier(), lake, "y", out)
    return out


def run_alone(side, lake):
    """Seconds, those of the system, and megabytes of one side, a process of its own."""
    pyarrow.set_cpu_count(1)
    run = {"store": store, "arrow": read_by_arrow}[side]
    first = run(min(Path(lake).iterdir()))
    if first is not None:
        first.unlink()
    before = resource.getrusage(resource.RUSAGE_SELF)
    whole = run(lake)
    used = resource.getrusage(resource.RUSAGE_SELF)
    if whole is not None:
        whole.unlink()  # a new file each time: to free an old one takes time, too
    of_system = used.ru_stime - before.ru_stime
    seconds = used.ru_utime - before.ru_utime + of_system
    print(seconds, of_system, used.ru_maxrss / 1024)


def main(n_rows=1_000_000):
    best = dict.fromkeys(("store", "arrow"), [np.inf] * 3)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        lake = Path(folder, "lake")
        lake.mkdir()
        for number in range(max(1, n_rows // ROWS_OF_FILE)):
            make_file(lake / f"part-{number:03d}.parquet", number)
        for _ in range(3):
            for side, known in best.items():
                command = [sys.executable, __file__, side, str(lake)]
                output = subprocess.run(command, capture_output=True, check=True).stdout
                best[side] = min(known, [float(x) for x in output.split()])
    for side, (seconds, of_system, most) in best.items():
        print(
            f"{side}: {seconds:.2f} s of processor, {of_system:.2f} s of these the "
            f"system's, {most:.0f} MB"
        )
    print(f"store at {best['arrow'][0] / best['store'][0]:.2f} of Arrow's speed")


if __name__ == "__main__":
    if sys.argv[1:2] and not sys.argv[1].isdigit():
        run_alone(*sys.argv[1:3])
    else:
        main(*map(int, sys.argv[1:2]))
