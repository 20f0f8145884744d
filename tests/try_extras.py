"""Install the wheel with each extra by itself and use it: `make extras-check`.

Every extra of pyproject.toml needs a program in `USES`; names as arguments pick some.
"""

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

MODEL = """
import pathlib, subprocess, sys, sklazy
assert "site-packages" in sklazy.__file__
X = [[i % 7, (i * i) % 11, "ab"[i % 2]] for i in range(40)]
y = ["high" if row[0] > 3 else "low" for row in X]
model = sklazy.LazyKNeighborsClassifier(3).fit(X, y)
"""

USES = {
    "cli": """
command = [pathlib.Path(sys.executable).with_name("sklazy")]
subprocess.run([*command, "demo"], check=True, stdout=subprocess.DEVNULL)
model.save("model.sklazy")
pathlib.Path("rows.csv").write_text("x0,x1,x2\\n6,1,a\\n1,1,b\\n")
rows = [*command, "predict", "model.sklazy", "rows.csv"]
said = subprocess.run(rows, check=True, capture_output=True, text=True).stdout
assert "high" in said and "low" in said, said
assert "<html" in model.explain(X[:1])[0].to_html()
""",
    "cuda": """
import cupy
try:
    n_devices = cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    n_devices = 0
numbers = [row[:2] for row in X]
on_device = sklazy.LazyKNeighborsClassifier(3, device="cuda").fit(numbers, y)
try:
    answers = on_device.predict(numbers)
    assert n_devices and (answers == y).mean() > 0.8
except sklazy.errors.DeviceError:
    assert not n_devices
""",
    "dask": """
import dask.array, distributed
import numpy as np, sklazy.dask
with distributed.Client(processes=False, n_workers=1, dashboard_address=None) as client:
    numbers = np.array([row[:2] for row in X], float)
    parts = dask.array.from_array(numbers, chunks=(20, 2))
    labels = dask.array.from_array(np.array(y), chunks=20)
    kind = sklazy.dask.LazyKNeighborsClassifier
    spread = kind(3, client=client).fit(parts, labels)
    alone = sklazy.LazyKNeighborsClassifier(3).fit(numbers, y)
    assert (np.asarray(spread.predict(parts)) == alone.predict(numbers)).all()
""",
    "excel": """
import openpyxl
book = openpyxl.Workbook()
for row in [["a", "b"], [1, "x"], [2, "y"]]:
    book.active.append(row)
book.save("table.xlsx")
assert len(sklazy.read_table("table.xlsx")) == 2
""",
    "frames": """
import pandas
frame = pandas.DataFrame(X, columns=["a", "b", "c"])
named = sklazy.LazyKNeighborsClassifier(3).fit(frame, y)
assert len(named.explain(frame[:1])[0].to_frame())
assert len(sklazy.case_values(named).to_frame()) == 40
""",
    "mlflow": """
import mlflow, pandas, sklazy.mlflow
frame = pandas.DataFrame(X, columns=["a", "b", "c"])
frame = frame.astype({"a": float, "b": float})  # MLflow takes no int64 for a double
named = sklazy.LazyKNeighborsClassifier(3).fit(frame, y)
sklazy.mlflow.save_model(named, "kept")
assert sklazy.mlflow.load_model("kept").digest() == named.digest()
served = mlflow.pyfunc.load_model("kept").predict(frame)
assert (served == named.predict(frame)).all()
""",
    "parquet": """
import pyarrow, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2], "b": ["x", "y"]}), "t.parquet")
assert len(sklazy.read_table("t.parquet")) == 2
""",
    "plot": """
import matplotlib
matplotlib.use("agg")
axes = model.explain(X[:1])[0].plot()
axes.figure.savefig("why.png")
assert pathlib.Path("why.png").stat().st_size > 1000
""",
    "serve": """
import urllib.error, urllib.request
with model.explore(browser=False) as explorer:
    cookies = urllib.request.HTTPCookieProcessor()
    page = urllib.request.build_opener(cookies).open(explorer.url).read().decode()
    assert "static/main.js" in page
    try:
        urllib.request.urlopen(explorer.url.split("?")[0])
        raise AssertionError("it was shown without the token")
    except urllib.error.HTTPError as error:
        assert error.code == 401
""",
}


def main() -> None:
    """Try the extras, one environment each, and print what each adds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    missing = set(project["optional-dependencies"]) ^ set(USES)
    assert not missing, f"extras and programs differ: {sorted(missing)}"
    (wheel,) = (ROOT / "dist").glob("*.whl")
    failed = [name for name in sys.argv[1:] or sorted(USES) if not _try(wheel, name)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _try(wheel: Path, extra: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "environment")
        venv.create(made, with_pip=True)
        python = made / "bin" / "python"
        quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
        constraints = ["-c", str(ROOT / "constraints.txt")]
        install = [python, "-m", "pip", "install", *quiet, *constraints]
        subprocess.run([*install, f"{wheel}[{extra}]"], check=True)
        size = sum(f.stat().st_size for f in made.rglob("*") if f.is_file())
        program = [python, "-W", "default", "-c", MODEL + USES[extra]]
        run = subprocess.run(program, cwd=folder, check=False, capture_output=True)
    print(f"{extra}: {size / 1e6:.0f} MB, {'failed' if run.returncode else 'works'}")
    if run.returncode:
        print(run.stderr.decode()[-3000:])
    return not run.returncode


if __name__ == "__main__":
    main()
