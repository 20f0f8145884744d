"""Numbers that searches by distance might stumble over."""

KINDS = ["plain", "ties", "copies", "huge", "tiny", "wide", "constant", "shifted"]


def numbers(rng, kind, shape):
    """A table of numbers of a kind."""
    values = rng.standard_normal(shape)
    if kind == "ties":
        values = rng.integers(0, 4, shape).astype(float)
    elif kind == "copies":
        values = values[rng.integers(0, max(1, len(values) // 8), len(values))]
    elif kind == "constant":
        values[:, 0] = 3.0
    elif kind == "shifted":  # all digits but the last few are the same
        values = 1e6 + values * 1e-9
    elif kind == "wide":
        values *= 10.0 ** rng.integers(-30, 30, shape)
    return values * {"huge": 1e99, "tiny": 1e-99}.get(kind, 1.0)
