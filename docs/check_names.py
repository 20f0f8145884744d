"""Check the docstrings of all public names: `python docs/check_names.py`.

What numpydoc finds wrong is printed, and ends in an error: parameters that are not
documented, unknown or in another order, sections that are misspelled or misplaced, and
public names without an example. Results whose attributes are documented need no
parameters: nobody makes them by hand.
"""

import inspect
import sys
import warnings
from collections.abc import Iterator

from numpydoc.validate import validate

import sklazy

# Not asked for: long summaries, cross references and examples of every method; a type
# beside every name (`X, y` are "as for `fit`"); that a summary begins with a verb.
IGNORED = {"SA01", "SA04", "ES01", "EX01", "SS05", "SS06"}
IGNORED |= {
    "PR04",
    "PR06",
    "PR07",
    "PR08",
    "PR09",
    "RT01",
    "RT02",
    "RT03",
    "RT04",
    "RT05",
}


def public_names() -> Iterator[tuple[str, object]]:
    """Names of the front door, and of the methods of its classes."""
    errors = sklazy.errors.__all__
    yield from ((f"sklazy.errors.{name}", getattr(sklazy, name)) for name in errors)
    for name in sorted(set(sklazy.__all__) - {"__version__", "errors"}):
        found = getattr(sklazy, name)
        yield f"sklazy.{name}", found
        if inspect.isclass(found):
            for member, value in inspect.getmembers(found, callable):
                ours = str(getattr(value, "__module__", "")).startswith("sklazy")
                if ours and not member.startswith("_"):
                    yield f"sklazy.{name}.{member}", value


def find_faults(name: str, value: object) -> list[str]:
    """What is wrong with one docstring."""
    checked = validate(name)
    text = checked["docstring"] or ""
    is_result = inspect.isclass(value) and "Attributes\n" in text
    is_error = inspect.isclass(value) and issubclass(value, BaseException)
    ignored = IGNORED | ({"PR01"} if is_result or is_error else set())
    faults = [
        f"{code} {told}" for code, told in checked["errors"] if code not in ignored
    ]
    is_front = name.count(".") == 1 and not is_error
    if is_front and not is_result and ">>>" not in text:
        faults.append("no example")
    return faults


def main() -> None:
    """Print all faults."""
    warnings.simplefilter("ignore")
    lines = [
        f"{name}: {fault}"
        for name, value in public_names()
        for fault in find_faults(name, value)
    ]
    print("\n".join(lines))
    if lines:
        sys.exit(f"{len(lines)} faults in docstrings of public names")


if __name__ == "__main__":
    main()
