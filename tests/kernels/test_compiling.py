"""The package imports and answers whatever becomes of the folders of compiled code."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numba
import pytest

import sklazy
from sklazy.kernels import caching, compiling

SOURCES = pathlib.Path(sklazy.__file__).parent
HELPERS = pathlib.Path(__file__).parents[1] / "helpers"

# One small kernel: `popcount` of bit sets, and what the cache did.
ASK = """
import json, warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import numpy as np
    import sklazy
    from sklazy.kernels import bits
    compiled = bits.build_bits.__closure__
    answers = [
        bits.build_bits(np.zeros((1, 3), np.int32), np.array([0, 1]), 8)[0, 0].item()
        for _ in range(2)
    ]
    words = [str(w.message) for w in seen if "compiled code" in str(w.message)]
    dispatcher = next(
        cell.cell_contents for cell in compiled if hasattr(cell.cell_contents, "stats")
    )
    hits = sum(dispatcher.stats.cache_hits.values())
    print(json.dumps([answers, hits, words]))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package, whose folder of compiled files is its own."""
    copy = tmp_path / "site" / "sklazy"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def run(package, code=ASK, cache=None, before=(), **variables):
    """Run code with a package and cache folder; the user has no folder at all."""
    paths = {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    nowhere = package / "py.typed" / "below a file"  # cannot be made, even by root
    places = {"HOME": str(nowhere), "XDG_CACHE_HOME": str(nowhere)}
    if cache is not None:
        places["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [*before, sys.executable, "-c", code],
        env={**kept, **paths, **places, **variables},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def seal(folder):
    """Make a folder of compiled files one that cannot be written, even by root.

    numba tries a folder by writing a nameless file into it.
    """
    return f"""
import tempfile
true_file = tempfile.TemporaryFile
def refuse(*args, dir=None, **kwargs):
    if dir is not None and str(dir).startswith({str(folder)!r}):
        raise PermissionError(13, "read-only", str(dir))
    return true_file(*args, dir=dir, **kwargs)
tempfile.TemporaryFile = refuse
"""


def block(package):
    """Let the package have no folder of compiled files: a file is in its place."""
    for folder in [package, *(p for p in package.rglob("*") if p.is_dir())]:
        (folder / "__pycache__").touch()


def test_import_works_without_any_folder_and_compiles_nothing(package):
    block(package)
    code = """
import json, sys, tempfile
opened = []
tempfile.TemporaryFile = lambda *args, **kwargs: opened.append(kwargs)
from sklazy import *
from sklazy.kernels import compiling
from numba.core.dispatcher import Dispatcher
import gc
ours = [d for d in gc.get_objects() if isinstance(d, Dispatcher)
        and d.py_func.__module__.startswith("sklazy")]
print(json.dumps([len(ours) > 50, sum(len(d.overloads) for d in ours), opened]))
"""
    assert run(package, code) == [True, 0, []]


def test_without_a_folder_code_is_compiled_with_one_warning(package):
    block(package)
    answers, hits, words = run(package, cache=package / "py.typed" / "cache")
    assert answers == [7, 7]
    assert hits == 0
    assert len(words) == 1
    assert "NUMBA_CACHE_DIR" in words[0]


@pytest.mark.parametrize("beside", [True, False], ids=["package", "given"])
def test_a_cache_filled_beforehand_is_used(package, tmp_path, beside):
    cache = None if beside else tmp_path / "cache"
    assert run(package, cache=cache) == [[7, 7], 0, []]
    if not beside:
        block(package)
    sealed = seal(package if beside else cache)
    assert run(package, sealed + ASK, cache=cache) == [[7, 7], 1, []]


def test_a_filled_cache_is_used_although_another_folder_can_be_written(
    package, tmp_path
):
    assert run(package) == [[7, 7], 0, []]
    places = {"XDG_CACHE_HOME": str(tmp_path / "user")}
    assert run(package, seal(package) + ASK, **places) == [[7, 7], 1, []]


def test_code_of_another_release_is_not_used(package, tmp_path):
    """numba looks at the file of a function alone, not at those that it calls."""
    cache = tmp_path / "cache"
    assert run(package, cache=cache) == [[7, 7], 0, []]
    kept = {path.name.split("-")[0] for path in cache.rglob("*.nb?")}
    assert kept == {"bits.build_bits"}  # helpers are parts of what Python calls
    with (package / "kernels" / "ranking.py").open("a") as other:
        other.write("# of another release\n")
    assert run(package, cache=cache) == [[7, 7], 0, []]
    assert run(package, cache=cache) == [[7, 7], 1, []]


@pytest.fixture
def stranger():
    """The beginning of a command that a user runs who owns nothing and has no home.

    As root it is one who may read all there is, as the interpreter may be root's.
    """
    if os.getuid() != 0:
        return []
    may_read = "+dac_read_search"
    command = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"]
    command += ["--inh-caps", may_read, "--ambient-caps", may_read]
    attempt = ["sh", "-c", " ".join([*command, "true"])]
    if subprocess.run(attempt, capture_output=True, check=False).returncode:
        pytest.skip("needs setpriv, or a user who is not root")
    return command


LEARN = """
import numpy as np, sklazy
X = np.random.default_rng(0).normal(size=(60, 4))
assert sklazy.LazyNBClassifier().fit(X, X[:, 1] > 0).predict(X[:3]).shape == (3,)
"""


def test_a_package_that_cannot_be_written_answers_without_a_home(package, stranger):
    """As in a container: another user's package, no home, no cache folder."""
    for path in [package.parent, *package.parent.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        no_home = ["env", "-u", "HOME", "-u", "XDG_CACHE_HOME"]  # nor one by name
        before = [*stranger, *no_home] if stranger else []
        answers, hits, words = run(package, ASK + LEARN, before=before)
        assert (answers, hits, len(words)) == ([7, 7], 0, 1)
        assert not list(package.parent.rglob("~*"))
    finally:
        for folder in [package.parent, *package.parent.rglob("*/")]:
            folder.chmod(0o755)


def test_a_package_that_cannot_be_written_keeps_code_with_the_user(
    package, stranger, tmp_path
):
    for folder in [package, *package.rglob("*/")]:
        folder.chmod(0o555)
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    places = {"before": stranger, "XDG_CACHE_HOME": str(home)}
    assert run(package, **places) == [[7, 7], 0, []]
    assert run(package, **places) == [[7, 7], 1, []]
    assert not list(package.rglob("*.nbi"))


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path):
    path.write_bytes(b"")


def rename_a_class(path):
    """Let the file ask for a name that no module has."""
    whole = path.read_bytes()
    assert b"Signature" in whole or b"Array" in whole
    path.write_bytes(
        whole.replace(b"Array", b"Arrax").replace(b"Signature", b"Signatura")
    )


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [truncate, empty, rename_a_class])
def test_a_damaged_cache_is_set_aside_and_compiled_anew(
    package, tmp_path, damage, ending
):
    cache = tmp_path / "cache"
    assert run(package, cache=cache) == [[7, 7], 0, []]
    for path in cache.rglob(f"*.{ending}"):
        damage(path)
    assert run(package, cache=cache) == [[7, 7], 0, []]
    assert list(cache.rglob("*.damaged"))
    assert run(package, cache=cache) == [[7, 7], 1, []]


def test_a_damaged_cache_that_cannot_be_written_is_left_alone(package, tmp_path):
    cache = tmp_path / "cache"
    run(package, cache=cache)
    block(package)
    for path in cache.rglob("*.nbi"):
        truncate(path)
    refuse = "import os\ndef no(*_):\n    raise PermissionError\nos.replace = no\n"
    answers, hits, words = run(package, seal(cache) + refuse + ASK, cache=cache)
    assert (answers, hits, len(words)) == ([7, 7], 0, 1)


PREDICT = f"""
import json, sys, warnings
sys.path.insert(0, {str(HELPERS)!r})
import numpy as np, pandas as pd
from discovery import exported
from model_settings import SETTINGS
from sklearn.base import clone, is_classifier
rng = np.random.default_rng(0)
X = pd.DataFrame({{
    "a": rng.normal(size=12),
    "b": pd.Categorical(list("uvw" * 4)),
    "c": rng.integers(0, 3, 12).astype(float),
    "d": rng.normal(size=12),
}})
X.loc[2, "a"] = np.nan
y = np.arange(12) % 2
predictions = {{}}
for name, kind in exported().items():
    if not hasattr(kind, "predict"):
        continue
    for number, setting in enumerate(SETTINGS[kind][:MOST]):
        warnings.simplefilter("error", RuntimeWarning)
        try:
            answers = clone(setting.model).fit(X, y).predict(X)
        except ValueError:  # some take numbers only
            answers = clone(setting.model).fit(X[["c", "d"]], y).predict(X[["c", "d"]])
        predictions[f"{{name}} {{number}}"] = [repr(float(v)) for v in answers]
print(json.dumps(predictions))
"""


DIGITS = """
import json
import numpy as np
import sklazy
rng = np.random.default_rng(0)
X = np.column_stack([rng.integers(0, 4, (80, 4)), rng.normal(size=80)])
y = X[:, 0] + X[:, 1] + rng.normal(size=80)
kinds = sklazy.LazyLearningRegressor, sklazy.LazyKernelRegressor
answers = [kind().fit(X[:60], y[:60]).predict(X[60:]) for kind in kinds]
print(json.dumps([[x.hex() for x in answer.tolist()] for answer in answers]))
"""


# As if numba were newer than every version whose insides `linking` knows.
NEWER = """
import numba
numba.version_info = numba.version_info._replace(short=(99, 0))
"""

SHARES = """
import json
import numpy as np
import sklazy
from numba.core.compiler import Compiler
from sklazy.kernels import compiling
X = np.random.default_rng(0).integers(0, 4, (60, 5)).astype(str)
with compiling.every_job_due():
    shares = sklazy.LazyNBClassifier().fit(X, X[:, 1] > "1").predict_proba(X[:9])
plain = [compiling.WHOLE, compiling.PART, compiling.OPTIMIZED_PART] == [Compiler] * 3
digits = [share.hex() for share in shares.ravel().tolist()]
print(json.dumps([plain, compiling.count_compiled(), digits]))
"""


def test_a_newer_numba_compiles_in_its_own_way_to_the_same_digits(tmp_path):
    linked, _, expected = run(SOURCES, SHARES, os.environ["NUMBA_CACHE_DIR"])
    plain, n_compiled, digits = run(SOURCES, NEWER + SHARES, tmp_path)
    assert not linked
    assert plain
    assert n_compiled > 0
    assert digits == expected


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_code_just_compiled_answers_as_code_that_was_kept(package, tmp_path):
    """With numba 0.60 code depended on what had been compiled before it."""
    first, again = (run(package, DIGITS, tmp_path / "kept") for _ in range(2))
    assert first == again


@pytest.mark.slow
def test_without_a_compiler_the_kernels_answer_alike(tmp_path):
    package, cache = SOURCES, os.environ.get("NUMBA_CACHE_DIR", tmp_path)
    code = PREDICT.replace("MOST", "None")
    plain = run(package, code, cache=cache, NUMBA_DISABLE_JIT="1")
    compiled = run(package, code, cache=cache)
    assert plain.keys() == compiled.keys()
    for name, answers in plain.items():  # compiled code may fuse or reorder sums
        assert list(map(float, answers)) == pytest.approx(
            list(map(float, compiled[name])), rel=1e-9, abs=1e-12
        ), name


def test_without_a_compiler_every_estimator_predicts():
    code = PREDICT.replace("MOST", "1")
    predictions = run(SOURCES, code, NUMBA_DISABLE_JIT="1")
    assert len(predictions) >= 11
    assert all(len(answers) == 12 for answers in predictions.values())


def test_small_jobs_add_up_to_one_that_is_worth_the_compiler():
    double = compiling.entry(lambda x: 2 * x)
    share = 0.4 * compiling._COMPILING
    assert [double.is_due(share) for _ in range(3)] == [False, False, True]


def test_kept_code_is_loaded_for_far_smaller_jobs(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def triple(x):
        return 3 * x

    fresh = compiling.entry(triple)
    assert not fresh.is_due(2 * compiling._LOADING)
    assert fresh(7) == 21
    assert fresh.is_due(0.0)  # compiled by now
    again = compiling.entry(triple)  # as another process has it
    assert [again.is_due(0.7 * compiling._LOADING) for _ in range(2)] == [False, True]
    monkeypatch.setattr(caching, "stamp_sources", lambda: b"another release")
    stale = compiling.entry(triple)
    assert not stale.is_due(2 * compiling._LOADING)


def test_a_damaged_index_holds_no_code(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def fourfold(x):
        return 4 * x

    assert compiling.entry(fourfold)(2) == 8
    (index,) = tmp_path.rglob("*fourfold*.nbi")
    index.write_bytes(b"damaged")
    assert not compiling.entry(fourfold).is_due(2 * compiling._LOADING)


def test_single_rows_come_to_the_kernel():
    """A process that only ever asks one row must not stay on the slow path."""
    ready = json.loads(
        subprocess.run(
            [sys.executable, "-c", SINGLE],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    assert ready[0] is False
    assert ready[-1] is True


SINGLE = """
import json, numpy as np
from sklazy import LazyKNeighborsClassifier
from sklazy.kernels import compiling
from sklazy.neighbors import nominal
compiling._COMPILING = compiling._LOADING = 0.001  # seconds: a few rows
X = np.random.default_rng(0).integers(0, 4, (90_000, 8)).astype(str)
model = LazyKNeighborsClassifier(n_attributes=4).fit(X[:, :], X[:, 0])
ready = []
for row in range(8):
    model.predict(X[row : row + 1])
    ready.append(nominal.match_nominal.is_due(0.0))
print(json.dumps(ready))
"""


def test_compiling_is_announced_once_and_can_be_silenced(caplog):
    compiling._announce.cache_clear()
    compiling._announce()
    compiling._announce()
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("sklazy", "WARNING")
    assert "compiling for first use, which takes " in record.getMessage()
    assert "busy machine; kept in /" in record.getMessage()
    compiling._announce.cache_clear()
    with caplog.at_level("ERROR", "sklazy"):
        compiling._announce()
    assert len(caplog.records) == 1
