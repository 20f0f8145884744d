"""Measures of the source itself: the way of a call, its names, its words, its size."""

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import sklazy

ROOT = Path(sklazy.__file__).parent
COMMENT = re.compile(r"(?m)(?<!\S)#.*$")
SECTIONS = re.compile(r"\n\s*(?:Parameters|Returns|Attributes|Examples|References)\n")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Way(NamedTuple):
    """What a call runs through: functions and files of ours, steps between rooms."""

    functions: int
    files: int
    crossings: int


class Source(NamedTuple):
    """A file of the wheel, read and parsed."""

    text: str
    nodes: list[ast.AST]


def trace_way(call):
    """The way of a call that has run once before, so that nothing compiles."""
    call()
    functions, crossings = [], []

    def note_step(frame, event, _):
        if event == "call" and is_named(frame):
            functions.append((frame.f_code.co_filename, frame.f_code.co_qualname))
            crossings.append(room_of(frame) != room_of(caller_of(frame)))

    sys.setprofile(note_step)
    try:
        call()
    finally:
        sys.setprofile(None)
    files = {file for file, _ in functions}
    return Way(len(set(functions)), len(files), sum(crossings))


def is_ours(frame):
    return frame.f_code.co_filename.startswith(str(ROOT))


def is_named(frame):
    """Whether a frame runs a function of ours that has a name."""
    return is_ours(frame) and not frame.f_code.co_name.startswith("<")


def caller_of(frame):
    """The nearest frame of ours above a frame, or the frame itself."""
    above = frame.f_back
    while above is not None and not is_ours(above):
        above = above.f_back
    return above or frame


def room_of(frame):
    return Path(frame.f_code.co_filename).relative_to(ROOT).parts[0]


def read_sources():
    texts = [path.read_text("utf-8") for path in sorted(ROOT.rglob("*.py"))]
    return [Source(text, list(ast.walk(ast.parse(text)))) for text in texts]


def nodes_of(sources, kind):
    return (n for source in sources for n in source.nodes if isinstance(n, kind))


def find_shared_names(sources):
    """The public class names that stand for several classes, with how many."""
    names = (definition.name for definition in nodes_of(sources, ast.ClassDef))
    counts = Counter(name for name in names if not name.startswith("_"))
    return {name: count for name, count in counts.items() if count > 1}


def frequent_names(sources, number):
    """The names that are assigned to most often."""
    names = nodes_of(sources, ast.Name)
    counts = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
    return [name for name, _ in counts.most_common(number)]


def read_prose(sources):
    """Docstrings up to their first section, and comments, as one text."""
    docstrings = (ast.get_docstring(n) or "" for n in nodes_of(sources, DOCUMENTED))
    openings = (SECTIONS.split(docstring)[0] for docstring in docstrings)
    comments = (c for source in sources for c in COMMENT.findall(source.text))
    return "\n".join([*openings, *comments])


def rate(pattern, prose):
    """How often a pattern occurs in every 10 000 words."""
    return 1e4 * len(re.findall(pattern, prose)) / len(re.findall(r"\w+", prose))


def describe_size():
    texts = [path.read_text("utf-8") for path in ROOT.rglob("*.py")]
    lines = sum(text.count("\n") for text in texts)
    return f"the wheel holds {len(texts)} files and {lines:,} lines".replace(",", " ")
