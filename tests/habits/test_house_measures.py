"""The way of a call, the names and the words stay as short and plain as they are.

A figure may fall and never rise. The size is printed at the end of a run, not held.
"""

import json
import os
import subprocess
import sys

import pytest

import house
import traced_calls
from house import Way

LONGEST_WAYS = {
    "k-NN predict": Way(functions=55, files=20, crossings=29),
    "stacking predict": Way(functions=80, files=28, crossings=45),
    "k-NN explain": Way(functions=150, files=40, crossings=98),
}
MOST_SHARED_CLASS_NAMES = 5
MOST_TURNS = {  # in every 10 000 words of docstrings and comments
    "say, tell, hear": (r"\b(say|says|said|tell|tells|told|hear|heard|hears)\b", 3),
    "What at the opening": (r"(?m)^\s*What \w+", 2),
}
N_FREQUENT = 40
VAGUE_NAMES = {"own", "found", "asked", "given", "said"}


@pytest.fixture(scope="module")
def sources():
    return house.read_sources()


@pytest.fixture(scope="module")
def ways():
    done = subprocess.run(
        [sys.executable, traced_calls.__file__],
        env={**os.environ, "PYTHONPATH": str(house.ROOT.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", LONGEST_WAYS)
def test_a_call_takes_a_short_way(ways, name):
    parts = zip(Way._fields, ways[name], LONGEST_WAYS[name], strict=True)
    longer = {part: f"{now}, at most {most}" for part, now, most in parts if now > most}
    assert not longer


def test_a_class_name_has_one_meaning(sources):
    shared = house.find_shared_names(sources)
    assert len(shared) <= MOST_SHARED_CLASS_NAMES, shared


def test_frequent_names_hold_what_they_are_named_for(sources):
    vague = VAGUE_NAMES.intersection(house.frequent_names(sources, N_FREQUENT))
    assert not vague


@pytest.mark.parametrize("turn", MOST_TURNS)
def test_prose_uses_everyday_words(sources, turn):
    pattern, most = MOST_TURNS[turn]
    assert house.rate(pattern, house.read_prose(sources)) <= most
