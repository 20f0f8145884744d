"""What tests of applications share with those of the command line."""

import pytest
from click.testing import CliRunner

from sklazy.cli import main


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command in an empty folder; give exit code, output and messages."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        result = CliRunner().invoke(main, [str(a) for a in arguments])
        return result.exit_code, result.output, result.output

    return call
