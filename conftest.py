"""Settings every test needs before numba is imported."""

import hashlib
import importlib.util
import os
import pathlib
import tempfile

import hypothesis
import pytest

collect_ignore = ["docs/conf.py", "docs/check_names.py", "docs/draw_receipt.py"]
collect_ignore += ["docs/_build", "docs/gallery"]
if importlib.util.find_spec("mlflow") is None:  # an extra that the gate does without
    collect_ignore.append("src/sklazy/mlflow.py")

# numba's cache does not notice an edit in a *called* file, so the cache folder is
# named after everything that could be called.
_root = pathlib.Path(__file__).parent / "src" / "sklazy"
_sources = [*sorted(_root.rglob("kernels/**/*.py")), _root / "flow.py"]
_stamp = hashlib.sha256(b"".join(p.read_bytes() for p in _sources)).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", os.path.join(tempfile.gettempdir(), f"sklazy-numba-{_stamp}")
)

# Tests run side by side: threads of linear algebra would wait for each other's cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A first call compiles, so no example has a deadline.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")


@pytest.fixture(scope="session")
def data_folder() -> pathlib.Path:
    """The papers' data sets (never part of the project)."""
    beside = pathlib.Path(__file__).parent / ".." / "shared" / "data"
    folder = pathlib.Path(os.environ.get("SKLAZY_DATA", beside))
    if not (folder / "classification").is_dir():
        pytest.skip("needs all the papers' data sets; set SKLAZY_DATA to their folder")
    return folder
