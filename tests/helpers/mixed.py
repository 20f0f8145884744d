"""Random frames of mixed columns with labels, as a user would have them."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st


@st.composite
def mixed_frames(draw, most_rows=40, most_columns=6):
    """A frame of numbers, words and categories with missing cells, and labels."""
    n_rows = draw(st.integers(1, most_rows))
    kinds = draw(
        st.lists(
            st.sampled_from(["number", "word", "category", "flag"]),
            min_size=1,
            max_size=most_columns,
        )
    )
    missing = draw(st.sampled_from([0.0, 0.2, 0.8]))
    n_labels = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = {
        f"c{j}": _column(rng, kind, n_rows, missing) for j, kind in enumerate(kinds)
    }
    labels = [f"y{i}" for i in rng.integers(0, n_labels, n_rows)]
    return pd.DataFrame(columns), labels


def _column(rng, kind, n_rows, missing):
    codes = rng.integers(0, rng.integers(1, 6), n_rows)
    lost = rng.random(n_rows) < missing
    if kind == "number":
        return np.where(lost, np.nan, codes * 0.5)
    if kind == "flag":
        return codes > 1
    words = ["abcdef"[code] for code in codes]
    words = pd.Series(
        [None if gone else w for gone, w in zip(lost, words, strict=True)]
    )
    if kind == "category":
        return pd.Categorical(words, categories=list("fedcbaz"))
    return words.astype(object)


def example_frame():
    """Numbers, words, categories and flags with missing cells; labels; numbers."""
    rng = np.random.default_rng(0)
    n = 90
    y = rng.choice(["no", "perhaps", "yes"], n)
    color = np.where(y == "no", "red", rng.choice(["green", "blue"], n)).astype(object)
    color[::9] = None
    size = np.where(y == "yes", 3.0, 0.0) + rng.normal(size=n)
    numbers = size + (y == "no")
    size[::7] = np.nan
    kind = pd.Categorical(rng.choice(["a", "b"], n), categories=["a", "b", "c"])
    frame = pd.DataFrame(
        {"color": color, "size": size, "kind": kind, "new": rng.random(n) < 0.5}
    )
    return frame, y, numbers
