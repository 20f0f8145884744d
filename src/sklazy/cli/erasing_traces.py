"""Made-up people, and the search for one of them in files."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_PEOPLE, N_VALUES, N_TOGETHER = 300, 32, 4
"""People, values of a vector, and how many in a row are evidence of it."""

TRACES = ("name", "number", "vector")
"""Properties of a person that files are searched for."""

Traces = dict[str, list[str]]
"""Files that hold a property, by its name."""

_FIRST = (
    *("Adelheid", "Bartholomew", "Cordelia", "Dagobert", "Euphemia", "Ferdinand"),
    *("Gwendolyn", "Hyacinth", "Ignatius", "Jocelyn", "Kasimir", "Leocadia"),
    *("Marmaduke", "Nepomuk", "Ottoline", "Philomena", "Quirin", "Rosalind"),
)
_LAST = (
    *("Abernathy", "Birdwhistle", "Crumplehorn", "Dunderfield", "Elderbrook"),
    *("Fotheringay", "Gooseberry", "Hollyhock", "Inkpenny", "Jabberlane"),
    *("Kettlewell", "Lavenderton", "Merriweather", "Nightshade", "Oddington"),
    *("Pennyfeather", "Quillfeather", "Rumbelow", "Snodgrass", "Thistlewood"),
)


class Person(NamedTuple):
    """The person to be forgotten."""

    name: str
    number: int
    vector: NDArray[np.float32]


class People(NamedTuple):
    """Made-up people: a name, a number of 15 digits and a vector each."""

    names: list[str]
    numbers: list[int]
    vectors: NDArray[np.float32]

    def pick(self, at: int) -> Person:
        """Take one of them out."""
        return Person(self.names[at], self.numbers[at], self.vectors[at])

    @property
    def person(self) -> Person:
        """The one in the middle, who is to be forgotten."""
        return self.pick(len(self.names) // 2)

    @property
    def witnesses(self) -> list[Person]:
        """Ten who stay: where the search misses one, it is blind."""
        return [self.pick(at) for at in range(0, len(self.names) // 2, 15)][:10]


def make_people(n_people: int = N_PEOPLE) -> People:
    """Make people up, the same ones every time.

    Examples
    --------
    >>> people = make_people()
    >>> len(set(people.names)), people.vectors.shape
    (300, (300, 32))
    """
    rng = np.random.default_rng(36)
    pairs = rng.permutation(len(_FIRST) * len(_LAST))[:n_people]
    names = [f"{_FIRST[i % len(_FIRST)]} {_LAST[i // len(_FIRST)]}" for i in pairs]
    numbers = rng.integers(3 * 10**14, 10**15, n_people).tolist()
    vectors = rng.standard_normal((n_people, N_VALUES)).astype(np.float32)
    return People(names, numbers, vectors)


def find_person(folder: Path, person: Person) -> Traces:
    """Search all files of a folder for the bytes of a person.

    Examples
    --------
    >>> import tempfile
    >>> person = make_people().person
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.txt").write_text(f"Dear {person.name},")
    ...     find_person(Path(folder), person)
    {'name': ['a.txt'], 'number': [], 'vector': []}
    """
    traces: Traces = {name: [] for name in TRACES}
    patterns = {name: list(_patterns(name, person)) for name in TRACES}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        held = path.read_bytes()
        for name in TRACES:
            if any(pattern in held for pattern in patterns[name]):
                traces[name].append(path.relative_to(folder).as_posix())
    return traces


def find_blind(folder: Path, people: People) -> list[str]:
    """List the properties that the search cannot see: those who stay lack them, too.

    A store may compress them, or not have them at all.

    Examples
    --------
    >>> import tempfile
    >>> people = make_people()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.txt").write_text(", ".join(people.names))
    ...     find_blind(Path(folder), people)
    ['number', 'vector']
    """
    seen = [find_person(folder, witness) for witness in people.witnesses]
    return [name for name in TRACES if not all(traces[name] for traces in seen)]


def _patterns(name: str, person: Person) -> Iterator[bytes]:
    """List the bytes that a property may have in a file."""
    if name == "name":
        yield from (person.name.encode(coding) for coding in ("utf-8", "utf-16-le"))
    elif name == "number":
        number = person.number
        yield from (struct.pack(form, number) for form in ("<q", ">q", "<d", ">d"))
        yield str(number).encode()
    else:
        for kind in ("<f4", "<f8"):  # some values side by side: no coincidence
            values = person.vector.astype(kind)
            for at in range(N_VALUES - N_TOGETHER + 1):
                yield values[at : at + N_TOGETHER].tobytes()
        for value in person.vector:  # where a store keeps columns
            yield struct.pack("<d", value)
