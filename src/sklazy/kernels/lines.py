"""Bit sets added up a cache line at a time, in vector registers.

A line is eight words, 512 rows. For a line the sets of a query are read one after the
other and added like binary numbers, one per row; the planes of the sum, and the
comparison with a threshold, stay in registers and only what is asked for is written.
Compilers vectorize loops over many words, but neither short ones nor sums that should
not pass through memory, so these loops are generated as vectors.

The sum of up to seven sets takes three planes (four full adders); one set more is
rippled through the planes. There is one function for each number of planes that a
query may need, since registers cannot be counted at run time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.np.arrayobj import make_array

from sklazy.kernels.compiling import instruction, lean_kernel

LINE = 8  # words
GROUP = 7  # sets that are added at once
_SINGLE = 3  # up to this number, sets left over are faster added one by one

_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LINE)
_NONE = ir.Constant(_VECTOR, [0] * LINE)
_ALL = ir.Constant(_VECTOR, [-1] * LINE)

PLANES = (4, 6, 12, 24)
"""For up to 15, 63, 4095 and 16 777 215 sets."""


# --- the same in numpy, where nothing is compiled -------------------------------------


def _count_by_row(
    bits: Any, sets: Any, n_sets: int, word: int, n_lines: int
) -> np.ndarray:
    """How many of the sets have each row of some lines."""
    places = np.arange(int(word), int(word) + LINE * int(n_lines))
    counts = np.zeros(len(places) * 64, np.int64)
    for start in sets[:n_sets].tolist():
        words = bits[int(start) + places].astype("<u8")
        counts += np.unpackbits(words.view(np.uint8), bitorder="little")
    return counts


def _as_words(rows: np.ndarray) -> np.ndarray:
    return np.packbits(rows, bitorder="little").view("<u8").astype(np.uint64)


def _sum_in_numpy(n_planes: int) -> Callable[..., None]:
    def add_up(bits, sets, n_sets, word, n_lines, planes, width):
        counts = _count_by_row(bits, sets, n_sets, word, n_lines)
        for i in range(n_planes):
            first = int(width) * i
            words = _as_words((counts >> i & 1).astype(bool))
            planes[first : first + len(words)] = words

    return add_up


def _compare_in_numpy(bits, sets, n_sets, word, n_lines, threshold, above, same):
    counts = _count_by_row(bits, sets, n_sets, word, n_lines)
    n_words = LINE * int(n_lines)
    above[:n_words] = _as_words(counts > threshold)
    same[:n_words] = _as_words(counts == threshold)
    return int((counts > threshold).sum()), int((counts == threshold).sum())


def _narrow_in_numpy(planes, start, following, n_lines, keeps, rows, above):
    n_words = LINE * int(n_lines)
    has_bit = planes[int(start) : int(start) + n_words]
    if not keeps:
        above[:n_words] |= rows[:n_words] & has_bit
        has_bit = ~has_bit
    rows[:n_words] &= has_bit
    left = rows[:n_words] & planes[int(following) : int(following) + n_words]
    return int(np.bitwise_count(left).sum())


def _find_filled_in_numpy(words, first):
    filled = (words[int(first) : int(first) + 8 * LINE] != 0).astype(bool)
    return np.packbits(filled, bitorder="little").view("<u8")[0].astype(np.uint64)


# --- generated ------------------------------------------------------------------------


def _full_add(builder: Any, a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    half = builder.xor(a, b)
    carry = builder.or_(builder.and_(a, b), builder.and_(half, c))
    return builder.xor(half, c), carry


def _add_seven(builder: Any, v: list[Any]) -> list[Any]:
    """The three planes of the sum of seven sets."""
    low, first = _full_add(builder, v[0], v[1], v[2])
    other, second = _full_add(builder, v[3], v[4], v[5])
    low, third = _full_add(builder, low, other, v[6])
    middle, high = _full_add(builder, first, second, third)
    return [low, middle, high]


def _add_to(builder: Any, planes: list[Any], numbers: list[Any]) -> None:
    """Add numbers, given as planes, to planes; what the highest carries is lost."""
    carry = None
    for i, plane in enumerate(planes):
        old = builder.load(plane)
        parts = [n for n in (numbers[i : i + 1] or [None])[:1] if n is not None]
        parts += [] if carry is None else [carry]
        if len(parts) == 2:
            new, carry = _full_add(builder, old, *parts)
        else:
            new, carry = builder.xor(old, parts[0]), builder.and_(old, parts[0])
        builder.store(new, plane)


class _Arrays:
    """Pointers to the words of arrays, and lines of them as vectors."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Any) -> None:
        self.builder = builder
        self.data = [
            make_array(kind)(context, builder, value).data
            if isinstance(kind, types.Array)
            else value
            for kind, value in zip(signature.args, values, strict=True)
        ]

    def word(self, array: int, place: Any) -> Any:
        """A word of an array."""
        return self.builder.load(self.builder.gep(self.data[array], [place]))

    def line(self, array: int, place: Any) -> Any:
        """The address of a line of an array."""
        pointer = self.builder.gep(self.data[array], [place])
        return self.builder.bitcast(pointer, _VECTOR.as_pointer())


def _sum_line(arrays: _Arrays, n_planes: int, first: Any) -> list[Any]:
    """The planes of the sum of all sets, for one line that begins at a word."""
    builder = arrays.builder
    planes = [cgutils.alloca_once(builder, _VECTOR) for _ in range(n_planes)]
    for plane in planes:
        builder.store(_NONE, plane)
    n_groups, n_sets = _count_groups(builder, arrays.data[2])

    def read(number: Any) -> Any:
        start = builder.add(arrays.word(1, number), first)
        return builder.load(arrays.line(0, start), align=8)

    seven = ir.Constant(_WORD, GROUP)
    with cgutils.for_range(builder, n_groups) as loop:
        at = builder.mul(loop.index, seven)
        numbers = [builder.add(at, ir.Constant(_WORD, i)) for i in range(GROUP)]
        _add_to(builder, planes, _add_seven(builder, [read(n) for n in numbers]))
    begin = builder.mul(n_groups, seven)
    with cgutils.for_range_slice(
        builder, begin, n_sets, ir.Constant(_WORD, 1), _WORD
    ) as (number, _):
        _add_to(builder, planes, [read(number)])
    return [builder.load(plane) for plane in planes]


def _count_groups(builder: Any, n_sets: Any) -> tuple[Any, Any]:
    """Groups of sets, the last filled up unless few are left; these end at `n_sets`."""
    seven = ir.Constant(_WORD, GROUP)
    whole, left = builder.sdiv(n_sets, seven), builder.srem(n_sets, seven)
    fills = builder.icmp_signed(">", left, ir.Constant(_WORD, _SINGLE))
    return builder.add(whole, builder.zext(fills, _WORD)), n_sets


def _sum_generator(n_planes: int) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = _Arrays(context, builder, signature, values)
        _, _, _, word, n_lines, _, width = arrays.data
        with cgutils.for_range(builder, n_lines) as loop:
            here = builder.mul(loop.index, ir.Constant(_WORD, LINE))
            planes = _sum_line(arrays, n_planes, builder.add(word, here))
            for i, plane in enumerate(planes):
                place = builder.add(builder.mul(width, ir.Constant(_WORD, i)), here)
                builder.store(plane, arrays.line(5, place), align=8)
        return context.get_dummy_value()

    return generate


def _compare_generator(n_planes: int) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = _Arrays(context, builder, signature, values)
        _, _, _, word, n_lines, threshold, _, _ = arrays.data
        counts = [cgutils.alloca_once(builder, _VECTOR) for _ in range(2)]
        for count in counts:
            builder.store(_NONE, count)
        with cgutils.for_range(builder, n_lines) as loop:
            here = builder.mul(loop.index, ir.Constant(_WORD, LINE))
            planes = _sum_line(arrays, n_planes, builder.add(word, here))
            row_sets = _compare_line(builder, planes, threshold)
            for i, rows in enumerate(row_sets):
                builder.store(rows, arrays.line(6 + i, here), align=8)
                more = builder.add(builder.load(counts[i]), _popcount(builder, rows))
                builder.store(more, counts[i])
        sums = [_add_up(builder, builder.load(count)) for count in counts]
        return context.make_tuple(builder, signature.return_type, sums)

    return generate


def _compare_line(builder: Any, planes: list[Any], threshold: Any) -> tuple[Any, Any]:
    """The rows whose count is above a threshold, and those just at it."""
    above, same = _NONE, _ALL
    for i in reversed(range(len(planes))):
        bit = builder.trunc(
            builder.lshr(threshold, ir.Constant(_WORD, i)), ir.IntType(1)
        )
        wanted = builder.select(bit, _ALL, _NONE)
        differs = builder.xor(planes[i], wanted)
        higher = builder.and_(planes[i], differs)  # one where the threshold has none
        above = builder.or_(above, builder.and_(same, higher))
        same = builder.and_(same, builder.not_(differs))
    return above, same


def _generate_narrow(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    arrays = _Arrays(context, builder, signature, values)
    _, start, following, n_lines, keeps, _, _ = arrays.data
    count = cgutils.alloca_once(builder, _VECTOR)
    builder.store(_NONE, count)
    kept = builder.select(keeps, _ALL, _NONE)
    with cgutils.for_range(builder, n_lines) as loop:
        here = builder.mul(loop.index, ir.Constant(_WORD, LINE))
        has_bit, next_bit = (
            builder.load(arrays.line(0, builder.add(at, here)), align=8)
            for at in (start, following)
        )
        places = [arrays.line(array, here) for array in (5, 6)]
        rows, above = (builder.load(place, align=8) for place in places)
        moved = builder.and_(builder.and_(rows, has_bit), builder.not_(kept))
        rows = builder.and_(rows, builder.not_(builder.xor(has_bit, kept)))
        builder.store(rows, places[0], align=8)
        builder.store(builder.or_(above, moved), places[1], align=8)
        left = _popcount(builder, builder.and_(rows, next_bit))
        builder.store(builder.add(builder.load(count), left), count)
    return _add_up(builder, builder.load(count))


def _generate_filled(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    arrays = _Arrays(context, builder, signature, values)
    mask = ir.Constant(_WORD, 0)
    for i in range(8):
        shift = ir.Constant(_WORD, LINE * i)
        place = arrays.line(0, builder.add(arrays.data[1], shift))
        filled = builder.icmp_unsigned("!=", builder.load(place, align=8), _NONE)
        byte = builder.bitcast(filled, ir.IntType(LINE))
        mask = builder.or_(mask, builder.shl(builder.zext(byte, _WORD), shift))
    return mask


def _popcount(builder: Any, vector: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR])
    name = f"llvm.ctpop.v{LINE}i64"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [vector])


def _add_up(builder: Any, vector: Any) -> Any:
    total = ir.Constant(_WORD, 0)
    for i in range(LINE):
        lane = builder.extract_element(vector, ir.Constant(ir.IntType(32), i))
        total = builder.add(total, lane)
    return total


def _summing(n_planes: int) -> Any:
    @instruction(_sum_in_numpy(n_planes))
    def sum_lines(_context, bits, sets, n_sets, word, n_lines, planes, width):
        arguments = bits, sets, n_sets, word, n_lines, planes, width
        return types.void(*arguments), _sum_generator(n_planes)

    return sum_lines


def _comparing(n_planes: int) -> Any:
    @instruction(_compare_in_numpy)
    def compare_lines(
        _context, bits, sets, n_sets, word, n_lines, threshold, above, same
    ):
        arguments = bits, sets, n_sets, word, n_lines, threshold, above, same
        pair = types.UniTuple(types.int64, 2)
        return pair(*arguments), _compare_generator(n_planes)

    return compare_lines


_sum_4, _sum_6, _sum_12, _sum_24 = map(_summing, PLANES)
_compare_4, _compare_6, _compare_12, _compare_24 = map(_comparing, PLANES)


@instruction(_narrow_in_numpy)
def narrow_lines(_context, planes, start, following, n_lines, keeps, rows, above):
    """Split rows by a plane: keep those with its bit, or move them to `above`.

    Parameters
    ----------
    planes : uint64 array
    start, following, n_lines : int64
        Where the plane begins, and the next one.
    keeps : bool
        Whether rows with the bit stay, and the others go; or the other way round.
    rows, above : uint64 arrays, changed

    Returns
    -------
    int64
        How many of the rows left have the bit of the next plane.
    """
    arguments = planes, start, following, n_lines, keeps, rows, above
    return types.int64(*arguments), _generate_narrow


@instruction(_find_filled_in_numpy)
def find_filled(_context, words, first):
    """Which of 64 words, from the first on, have a bit: one bit for each."""
    return types.uint64(words, first), _generate_filled


@lean_kernel
def count_planes(n_sets):
    """Number of planes that are made for `n_sets` sets."""
    if n_sets < 16:
        return 4
    if n_sets < 64:
        return 6
    return 12 if n_sets < 4096 else 24


@lean_kernel
def sum_lines(bits, sets, n_sets, word, n_lines, planes, width):
    """Sum bit sets over some lines into `count_planes` planes.

    Parameters
    ----------
    bits : uint64 array
    sets : uintp array
        Where the sets begin; those behind `n_sets` are empty ones.
    n_sets, word, n_lines : int64
        The lines begin at a word of each set.
    planes : uint64 array, written
        Plane l begins at ``l * width``.
    width : int64
    """
    if n_sets < 16:
        _sum_4(bits, sets, n_sets, word, n_lines, planes, width)
    elif n_sets < 64:
        _sum_6(bits, sets, n_sets, word, n_lines, planes, width)
    elif n_sets < 4096:
        _sum_12(bits, sets, n_sets, word, n_lines, planes, width)
    else:
        _sum_24(bits, sets, n_sets, word, n_lines, planes, width)


@lean_kernel
def compare_lines(bits, sets, n_sets, word, n_lines, threshold, above, same):
    """Find the rows in more sets than a threshold, and those in just as many.

    The parameters are those of `sum_lines`, and two sets of rows that are written.

    Returns
    -------
    n_above, n_same : int64
    """
    if n_sets < 16:
        return _compare_4(bits, sets, n_sets, word, n_lines, threshold, above, same)
    if n_sets < 64:
        return _compare_6(bits, sets, n_sets, word, n_lines, threshold, above, same)
    if n_sets < 4096:
        return _compare_12(bits, sets, n_sets, word, n_lines, threshold, above, same)
    return _compare_24(bits, sets, n_sets, word, n_lines, threshold, above, same)
