"""Messages about files that name a way out: each is met, and the way is taken."""

import importlib

import pytest

import sklazy
from sklazy.tables import read_any
from ways_out import Way, check
