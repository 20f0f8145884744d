"""A message and the way out that it names, met and taken."""

import re
import warnings
from typing import Any, NamedTuple

import pytest

from sklazy.errors import DataWarning, SklazyError


class Way(NamedTuple):
    wrong: Any
    words: str  # of the message: the way out
    right: Any


def check(way):
    """Meet the message, then do what it names."""
    errors = (SklazyError, ValueError, AttributeError, TypeError)
    with pytest.raises(errors, match=way.words):
        way.wrong()
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        assert way.right() is not None


def check_command(run, wrong, words, right):
    """Run a command that is refused, then the one that its message names."""
    code, _, said = run(*wrong)
    assert code, wrong
    assert re.search(words, " ".join(said.split())), said
    code, _, said = run(*right)
    assert code == 0, said
