"""The methods whose answers become receipts; a new one is a word here.

Each is a folder of `methods`, imported when a receipt of it is made, checked or drawn:
predictions need no receipts.
"""

import functools
import importlib
from collections.abc import Iterator, Mapping

from sklazy.methods.family import Family

_MEMBERS = (
    "selection",
    "number_selection",
    "ensembles",
    "trees",
    "bayes_rules",
    "association",
    "local_models",
    "linear_models",
    "kernel_models",
    "pls",
)
_BLENDS = "blends"
_METHODS = "sklazy.methods."


@functools.cache
def _import_family(kind: str) -> Family:
    """Import the family of a method; that of blends is made of those of members."""
    receipt = importlib.import_module(f"{_METHODS}{kind}.receipt")
    if kind == _BLENDS:
        return receipt.make_family([_import_family(member) for member in _MEMBERS])
    return receipt.FAMILY


class _Families(Mapping[str, Family]):
    """Families by the kind of their receipts, which is the name of their folder."""

    def __getitem__(self, kind: str) -> Family:
        if kind not in (*_MEMBERS, _BLENDS):
            raise KeyError(kind)
        return _import_family(kind)

    def __iter__(self) -> Iterator[str]:
        return iter((*_MEMBERS, _BLENDS))

    def __len__(self) -> int:
        return len(_MEMBERS) + 1


@functools.cache
def family_of(answer: type) -> Family:
    """Find the family of a class of answers, which is in its folder, or a KeyError."""
    kind = answer.__module__.removeprefix(_METHODS).partition(".")[0]
    family = FAMILIES[kind]
    if family.answer is not answer:
        raise KeyError(answer)
    return family


class _FamiliesByAnswer(Mapping[type, Family]):
    """Families by the class of their answers."""

    def __getitem__(self, answer: type) -> Family:
        return family_of(answer)

    def __iter__(self) -> Iterator[type]:
        return (family.answer for family in FAMILIES.values())

    def __len__(self) -> int:
        return len(FAMILIES)


FAMILIES: Mapping[str, Family] = _Families()
FAMILIES_BY_ANSWER: Mapping[type, Family] = _FamiliesByAnswer()
