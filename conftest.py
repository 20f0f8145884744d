"""Settings every test needs before numba is imported."""

import hashlib
import os
import pathlib
import tempfile

import hypothesis
import pytest

collect_ignore = ["docs/conf.py", "docs/check_names.py", "docs/_build", "docs/gallery"]

# numba's cache does not notice an edit in a *called* file, so the cache folder is
# named after everything that could be called.
_root = pathlib.Path(__file__).parent / "src" / "sklazy"
_sources = [*sorted(_root.rglob("kernels/**/*.py")), _root / "flow.py"]
_stamp = hashlib.sha256(b"".join(p.read_bytes() for p in _sources)).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", os.path.join(tempfile.gettempdir(), f"sklazy-numba-{_stamp}")
)

# A first call compiles, so no example has a deadline.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")


def _beside(name: str, variable: str) -> pathlib.Path:
    """Return the folder of shared files, or skip with the reason."""
    root = pathlib.Path(__file__).parent
    folder = pathlib.Path(os.environ.get(variable, root / ".." / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"needs the files of shared/{name}; set {variable} to their folder")
    return folder


@pytest.fixture(scope="session")
def data_folder() -> pathlib.Path:
    """The papers' data sets (never part of the project)."""
    return _beside("data", "SKLAZY_DATA")


@pytest.fixture(scope="session")
def golden_folder() -> pathlib.Path:
    """Outputs of Weka and R to agree with."""
    return _beside("golden", "SKLAZY_GOLDEN")
