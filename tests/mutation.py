"""Change one operator or constant at a time, and see whether the tests notice.

    python tests/mutation.py [--seed 0] [--number 20] [--jobs 1] [--log FILE] [ROOM ...]

A sample by seed: places are drawn from the sources of the rooms outside the kernels,
each is changed in a copy of the project, and the tests of its family, of its room, of
receipts, of the laws and of estimators are run there until the first failure. What
survives is printed, and is worth a test or a reason; `docs/laws.md` has those found so
far. Rooms are folders or files below ``src/sklazy``. With a log a run goes on where the
last one ended.
"""

import argparse
import ast
import concurrent.futures
import copy
import hashlib
import math
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = ROOT / "src" / "sklazy"
ROOMS = [
    "answer",
    "casebase",
    "measures",
    "methods",
    "neighbors",
    "racing",
    "receipts",
    "storage",
    "tables",
]
NEEDED = 0.9  # the share that must be noticed
CACHE = "NUMBA_CACHE_DIR"

SWAPS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def variant(node):
    """A changed copy of a node; None where there is nothing to change."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        return _changed(node, ops=[SWAPS[type(node.ops[0])](), *node.ops[1:]])
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
        return _changed(node, op=SWAPS[type(node.op)]())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        old = node.value
        return _changed(node, value=not old if isinstance(old, bool) else old + 1)
    return None


def _changed(node, **fields):
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def places(path):
    """(line, source before, source after, the whole file after) of each change.

    Annotations are left alone: `int | None` is no operation.
    """
    text = path.read_text()
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    skipped = set()
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                skipped |= {id(n) for n in ast.walk(getattr(node, field))}
    for node in ast.walk(tree):
        if id(node) in skipped or not hasattr(node, "lineno"):
            continue
        changed = variant(node)
        if changed is not None:
            before = ast.get_source_segment(text, node)
            after = f"({ast.unparse(changed)})"
            yield node.lineno, before, after, _spliced(lines, node, after)


def _spliced(lines, node, after):
    """The file with other text where a node stands; columns count bytes."""
    first = lines[node.lineno - 1].encode()[: node.col_offset].decode()
    last = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
    head, tail = lines[: node.lineno - 1], lines[node.end_lineno :]
    return "".join([*head, first, after, last, *tail])


def files_of(rooms):
    for room in rooms:
        found = SOURCES / room
        if not found.exists():
            raise SystemExit(f"{room!r} is no room; give folders or files of {SOURCES}")
        yield from [found] if found.is_file() else sorted(found.rglob("*.py"))


def tests_of(path):
    """The tests that may notice a change of a file, the likeliest first.

    Those of its room, of receipts, where a figure could show it, of the laws and of
    estimators; and before all others those that are named after its family.
    """
    room, *inside = path.relative_to(SOURCES).with_suffix("").parts
    folders = dict.fromkeys([room, "receipts", "laws", "estimators"])
    tests = [
        test.relative_to(ROOT)
        for folder in folders
        for test in sorted((ROOT / "tests" / folder).rglob("test_*.py"))
    ]
    return sorted(tests, key=lambda test: not any(name in str(test) for name in inside))


def outcome(copied, path, text, timeout):
    """Whether a test fails with the changed file: noticed, SURVIVED, or TIMED OUT.

    What ran out of time may be noticed or not, so it does not count as noticed.
    """
    place = copied / path.relative_to(ROOT)
    original = place.read_text()
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-m", "not slow", "--hypothesis-profile=ci"]
    command += map(str, tests_of(path))
    # Compiled code lies in the copy.
    sources = os.pathsep.join(str(copied / name) for name in ("src", "studies"))
    environment = {**os.environ, "PYTHONPATH": sources, CACHE: ""}
    place.write_text(text)
    try:
        found = subprocess.run(
            command,
            cwd=copied,
            env=environment,
            timeout=timeout,
            capture_output=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "TIMED OUT"
    finally:
        place.write_text(original)
    if found.returncode > 2:  # neither passed, failed nor failed to import
        raise SystemExit(found.stdout.decode(errors="replace")[-2000:])
    return "noticed" if found.returncode else "SURVIVED"


def copy_project(folder):
    """A copy to change, with the compiled kernels: no change is made to these."""
    for name in ("src", "studies", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, folder / name)
    for sources in (SOURCES / "kernels", SOURCES / "kernels" / "paths"):
        compiled = folder / sources.relative_to(ROOT) / "__pycache__"
        if compiled_code(sources).is_dir():
            ignored = shutil.ignore_patterns("*.pyc")
            shutil.copytree(compiled_code(sources), compiled, ignore=ignored)


def compiled_code(sources):
    """Where numba keeps the compiled code of a folder of sources."""
    if not os.environ.get(CACHE):
        return sources / "__pycache__"
    own = hashlib.sha1(str(sources).encode()).hexdigest()
    return pathlib.Path(os.environ[CACHE], f"{sources.name}_{own}")


def try_all(sample, jobs, timeout, budget):
    """Yield each change with its outcome, several at a time in copies of their own.

    After `budget` seconds no other is begun.
    """
    end = time.monotonic() + budget
    with tempfile.TemporaryDirectory() as folder:
        copies = queue.SimpleQueue()
        for number in range(jobs):
            copied = pathlib.Path(folder, str(number))
            copied.mkdir()
            copy_project(copied)
            copies.put(copied)

        def try_one(change):
            if time.monotonic() > end:
                return None
            copied = copies.get()
            try:
                return change, outcome(copied, change[0], change[-1], timeout)
            finally:
                copies.put(copied)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            tried = [pool.submit(try_one, change) for change in sample]
            for done in concurrent.futures.as_completed(tried):
                if done.result() is not None:
                    yield done.result()


def describe(change):
    path, line, before, after, _ = change
    return f"{path.relative_to(ROOT)}:{line}: {before} -> {after}".replace("\n", " ")


def read_log(log):
    """The outcomes of an earlier run by change."""
    if log is None or not log.exists():
        return {}
    lines = [line.partition(" src") for line in log.read_text().splitlines()]
    return {f"src{rest}": found.strip() for found, _, rest in lines}


def report(line, log):
    sys.stdout.write(line)
    sys.stdout.flush()
    if log is not None:
        with log.open("a") as file:
            file.write(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=ROOMS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=1800.0)
    parser.add_argument("--jobs", type=int, default=1, help="changes tried at a time")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds")
    parser.add_argument("--log", type=pathlib.Path, help="what is in it is not tried")
    given = parser.parse_args()
    every = [(path, *place) for path in files_of(given.rooms) for place in places(path)]
    number = min(given.number, len(every))
    sample = random.Random(given.seed).sample(every, number)
    known = read_log(given.log)
    outcomes = [known[d] for d in map(describe, sample) if d in known]
    left = [change for change in sample if describe(change) not in known]
    for change, found in try_all(left, given.jobs, given.timeout, given.budget):
        outcomes.append(found)
        report(f"{found:9} {describe(change)}\n", given.log)
    n_noticed = outcomes.count("noticed")
    sys.stdout.write(f"{n_noticed} of {len(outcomes)} noticed\n")
    return 0 if n_noticed >= NEEDED * len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
