"""Text ids as bytes, equally many for each, so that a row's id has a place."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_END = 0xFF  # no byte of UTF-8


def width_of(texts: Iterable[str]) -> int:
    """The bytes that the longest text takes, its end among them."""
    return max((len(_encoded(text)) for text in texts), default=0) + 1


def write_texts(texts: NDArray[Any], out: Bytes) -> None:
    """Write texts as bytes.

    Parameters
    ----------
    texts : object array of str (n_rows,)
    out : uint8 array of shape (n_rows, width), written
    """
    out[:] = 0
    for own, text in zip(out, texts.tolist(), strict=True):
        data = np.frombuffer(_encoded(text), np.uint8)
        own[: len(data)] = data
        own[len(data)] = _END


def read_texts(written: Bytes) -> NDArray[np.object_]:
    """The texts that were written.

    Examples
    --------
    >>> written = np.zeros((2, 4), np.uint8)
    >>> write_texts(np.array(["ab", ""], object), written)
    >>> read_texts(written)
    array(['ab', ''], dtype=object)
    """
    texts = np.empty(len(written), object)
    for row, own in enumerate(written):
        data = own.tobytes()
        texts[row] = data[: data.index(_END)].decode("utf-8", "surrogatepass")
    return texts


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
