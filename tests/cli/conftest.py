"""What tests of the command line share."""

import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from sklazy import errors
from sklazy.cli import main


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command in an empty folder; give exit code, output and messages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKLAZY_DATA", str(tmp_path / "no data"))
    try:
        runner = CliRunner(mix_stderr=False)  # before click 8.2
    except TypeError:
        runner = CliRunner()

    def call(*arguments):
        errors._WARNED.clear()  # a command is a process of its own
        result = runner.invoke(main, [str(a) for a in arguments], prog_name="sklazy")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return call


@pytest.fixture
def flats(run):
    """A folder with the example files."""
    assert run("example")[0] == 0
    return run


@pytest.fixture(scope="session")
def wine():
    frame, target = load_wine(return_X_y=True, as_frame=True)
    frame["grower"] = [f"grower {label}" for label in target]
    return frame


@pytest.fixture
def files(tmp_path, wine):
    wine.iloc[::2].to_csv(tmp_path / "train.csv", index=False)
    wine.iloc[1::2].drop(columns="grower").to_csv(tmp_path / "test.csv", index=False)
    return tmp_path
