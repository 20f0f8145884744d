"""Cells, codes and the kinds of columns."""

import re


def label(cell):
    """The plain scalar of a cell, None where it is missing."""
    if cell is None or cell != cell:
        return None
    if isinstance(cell, str | bool):
        return cell
    return int(cell) if cell == int(cell) else float(cell)


def encode(cells):
    """Codes (-1 missing) and categories: numbers by value, then strings."""
    labels = [label(cell) for cell in cells]
    known = [la for la in labels if la is not None]
    numbers = [la for la in known if not isinstance(la, str)]
    if not all(isinstance(la, bool) for la in numbers):
        numbers = [la + 0 for la in numbers]  # True is 1 beside other numbers
    strings = [la for la in known if isinstance(la, str)]
    categories = []
    for la in sorted(numbers) + sorted(strings):
        if la not in categories:
            categories.append(la)
    return [-1 if la is None else categories.index(la) for la in labels], categories


def recode(cells, categories):
    """The position of each label among the categories; -1 missing, -2 unseen."""
    codes = []
    for cell in cells:
        la = label(cell)
        if la is None:
            codes.append(-1)
        elif la in categories:
            codes.append(list(categories).index(la))
        else:
            codes.append(-2)
    return codes


DECIMAL = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII
)


def kind_of_texts(name, texts):
    """Whether a column of a text file is numeric or nominal, by the written rule."""
    if not all(DECIMAL.fullmatch(text) for text in texts):
        words = [text for text in texts if not DECIMAL.fullmatch(text)]
        infinite = all(re.fullmatch(r"[+-]*inf(inity)?", w, re.I) for w in words)
        return "numeric" if infinite else "nominal"
    words = re.split(r"[\W_]+", name) + re.findall(r"(?<=[a-z])I[dD]$", name)
    bare = [text.lstrip("+-") for text in texts]
    code = any(re.match("0[0-9]", digits) for digits in bare)
    long = any(digits.isdigit() and int(digits) > 2**53 for digits in bare)
    integers = bool(bare) and all(digits.isdigit() for digits in bare)
    is_id = "id" in [word.lower() for word in words] and integers
    return "nominal" if code or long or is_id else "numeric"
