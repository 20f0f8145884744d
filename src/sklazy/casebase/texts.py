"""Text ids as columns of bytes, so that a row's id lies with its row."""

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
    """Write texts into columns of bytes.

    Parameters
    ----------
    texts : object array of str (n_rows,)
    out : uint8 array of shape (width, n_rows), written
    """
    out[:] = 0
    for column, text in enumerate(texts.tolist()):
        own = np.frombuffer(_encoded(text), np.uint8)
        out[: len(own), column] = own
        out[len(own), column] = _END


def read_texts(columns: Bytes) -> NDArray[np.object_]:
    """The texts that columns of bytes hold.

    Examples
    --------
    >>> columns = np.zeros((4, 2), np.uint8)
    >>> write_texts(np.array(["ab", ""], object), columns)
    >>> read_texts(columns)
    array(['ab', ''], dtype=object)
    """
    texts = np.empty(columns.shape[1], object)
    for row, own in enumerate(np.ascontiguousarray(columns.T)):
        data = own.tobytes()
        texts[row] = data[: data.index(_END)].decode("utf-8", "surrogatepass")
    return texts


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
