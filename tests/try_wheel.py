"""Try what would be published, where nothing else is installed: `make release-check`.

Run by an interpreter whose environment has the wheel and what it needs, no extras, from
a folder outside of the sources.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

EXTRAS = (
    "click",
    "rich",
    "jinja2",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "dask",
)

ASK = """
import numpy as np, sklazy
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4)); X[0, 0] = np.nan
y = (X[:, 1] > 0).astype(int)
model = sklazy.LazyKNeighborsClassifier().fit(X, y)
assert model.predict(X[:3]).shape == (3,)
receipt = model.explain(X[:1])[0]
assert "Answer" in receipt.to_text() and model.verify(receipt)
local = sklazy.LazyLearningRegressor().fit(X, X[:, 2])
assert np.isfinite(local.predict(X[1:4])).all()
assert sklazy.warm("LazyNBClassifier").seconds > 0
print("answered")
"""


def main() -> None:
    """Look at every public name, ask two models, then ask where nothing can be kept."""
    import sklazy

    here = Path(sklazy.__file__).parent
    assert "site-packages" in here.parts, f"{here} is not the installed package"
    found = [name for name in EXTRAS if importlib.util.find_spec(name)]
    assert not found, f"extras are installed: {found}"
    for name in sklazy.__all__:
        assert getattr(sklazy, name) is not None, name
    print(f"{len(sklazy.__all__)} public names, version {sklazy.__version__}")
    print(_ask({}))
    with tempfile.TemporaryDirectory() as folder:
        nowhere = {"HOME": f"{folder}/none", "XDG_CACHE_HOME": "/proc/none"}
        _lock(here)
        try:
            print("without a place to keep compiled code:", _ask(nowhere))
        finally:
            _lock(here, 0o755)


def _ask(environment: dict[str, str]) -> str:
    """Ask in a process of its own; a traceback is an error."""
    run = subprocess.run(
        [sys.executable, "-W", "default", "-c", ASK],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def _lock(folder: Path, mode: int = 0o555) -> None:
    for place in [folder, *folder.rglob("__pycache__")]:
        try:
            place.chmod(mode)
        except OSError as error:
            warnings.warn(f"{place} stays as it is: {error}", stacklevel=2)


if __name__ == "__main__":
    main()
