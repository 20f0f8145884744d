"""MDL discretization, all comparisons exact."""

import itertools
import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction


def cut_points(values, classes, criterion="fayyad", better_encoding=False):
    """Cuts of a column, by recursion from the formulas, all comparisons exact."""
    rows = [(v, c) for v, c in zip(values, classes, strict=True) if not math.isnan(v)]
    return sorted(_cuts_of_part(rows, criterion, better_encoding))


def _cuts_of_part(rows, criterion, better_encoding):
    levels = sorted({value for value, _ in rows})
    if len(levels) < 2:
        return []
    best, least = None, _compactness([rows])
    for low, high in itertools.pairwise(levels):
        sides = [r for r in rows if r[0] <= low], [r for r in rows if r[0] >= high]
        # Entropy is least where the product of n_c^n_c / n^n is greatest.
        if _compactness(sides) > least:
            best, least = (low, high, *sides), _compactness(sides)
    if best is None:
        return []
    low, high, left, right = best
    n_candidates = len(levels) - 1 if better_encoding else len(rows) - 1
    accepts = {"fayyad": _fayyad_accepts, "kononenko": _kononenko_accepts}[criterion]
    if not accepts(rows, left, right, n_candidates):
        return []
    middle = (low + high) / 2
    if math.isinf(middle):
        middle = low / 2 + high / 2
    return [
        middle if middle < high else low,
        *_cuts_of_part(left, criterion, better_encoding),
        *_cuts_of_part(right, criterion, better_encoding),
    ]


def _class_counts(rows):
    return list(Counter(label for _, label in rows).values())


def _compactness(sides):
    """2 ** -(sum of n Ent), a fraction of whole numbers."""
    product = Fraction(1)
    for rows in sides:
        product *= Fraction(
            math.prod(n**n for n in _class_counts(rows)), len(rows) ** len(rows)
        )
    return product


def _exact_entropy(rows):
    shares = [Decimal(n) / len(rows) for n in _class_counts(rows)]
    return -sum(share * _log2(share) for share in shares)


def _log2(number):
    return Decimal(number).ln() / Decimal(2).ln()


def _fayyad_accepts(rows, left, right, n_candidates):
    with localcontext(prec=60):
        n, k = len(rows), len(_class_counts(rows))
        k1, k2 = len(_class_counts(left)), len(_class_counts(right))
        h, h1, h2 = _exact_entropy(rows), _exact_entropy(left), _exact_entropy(right)
        gain = h - len(left) * h1 / n - len(right) * h2 / n
        delta = _log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)
        return gain - (_log2(n_candidates) + delta) / n > Decimal("1e-40")


def _kononenko_accepts(rows, left, right, n_candidates):
    k = len(_class_counts(rows))

    def messages(part):  # how many there are: class counts, then orders of the classes
        orders = math.factorial(len(part))
        for n in _class_counts(part):
            orders //= math.factorial(n)
        return math.comb(len(part) + k - 1, k - 1) * orders

    return messages(rows) > n_candidates * messages(left) * messages(right)
