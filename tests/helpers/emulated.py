"""A device without a GPU: the CUDA sources compiled by g++, run on arrays of numpy."""

import ctypes
import getpass
import hashlib
import shutil
import subprocess
import tempfile
import threading
import weakref
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sklazy.kernels.cuda.device import read_source

_HERE = Path(__file__).parent
_ONE_AT_A_TIME = threading.Lock()  # what runs now is written down in the library
_COMPILER = shutil.which("g++") or shutil.which("c++")

needs_compiler = pytest.mark.skipif(
    _COMPILER is None, reason="needs g++ to run the CUDA sources without a GPU"
)


@cache
def _compile(source, macros):
    """The library that a source makes; kept for the next process of this user."""
    shim = (_HERE / "cuda_shim.h").read_text()
    options = [f"-D{name}={value}" for name, value in macros]
    options += ["-O1", "-std=c++17", "-shared", "-fPIC", "-w"]
    options += ["-ffp-contract=off", "-fno-fast-math"]
    text = shim + read_source(source)
    name = hashlib.sha256(" ".join([text, *options]).encode()).hexdigest()[:32]
    folder = Path(tempfile.gettempdir()) / f"sklazy-cuda-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    library = folder / f"{name}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            plain, made = Path(fresh, "source.cc"), Path(fresh, "made.so")
            plain.write_text(text)
            compiling = [_COMPILER, *options, str(plain), "-o", str(made)]
            subprocess.run(compiling, check=True)
            made.replace(library)  # at once: another process may look for it
    return ctypes.CDLL(str(library))


def _argument(value):
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, int):
        return ctypes.c_int(value)
    kinds = {"i4": ctypes.c_int, "i8": ctypes.c_longlong, "f8": ctypes.c_double}
    kinds["f4"] = ctypes.c_float
    return kinds[value.dtype.str[1:]](value.item())


class EmulatedKernels:
    def __init__(self, library, most_blocks):
        self.library, self.most_blocks = library, most_blocks

    def run(self, name, blocks, threads, *arguments, shared=0):
        assert 0 < threads <= 1024
        kernel = getattr(self.library, name)
        kernel.restype = None
        plain = [_argument(value) for value in arguments]
        along_x, along_y = (min(n, self.most_blocks) for n in blocks)
        with _ONE_AT_A_TIME:
            for y in range(along_y):
                for x in range(along_x):
                    self.library.enter(x, y, along_x, along_y)
                    kernel(*plain)


class EmulatedLane:
    def __enter__(self):
        pass

    def __exit__(self, *failure):
        pass

    def leave(self):
        pass


class EmulatedDevice:
    """Blocks run one after the other, each a single thread."""

    lanes, processors = 1, 2

    def __init__(
        self, most_blocks=3, shared_bytes=1 << 20, name="emulated", n_bytes=1 << 40
    ):
        self.most_blocks, self.shared_bytes = most_blocks, shared_bytes
        self.name, self.n_bytes, self.used = name, n_bytes, 0
        self.sources = set()

    def put(self, array):
        return self._count(np.array(array, order="C"))

    def empty(self, shape, dtype):
        made = np.empty(shape, dtype)
        made.reshape(-1).view(np.uint8).fill(0xA5)  # what is not written shows
        return self._count(made)

    def zeros(self, shape, dtype):
        return self._count(np.zeros(shape, dtype))

    def fetch(self, array):
        return array.copy()

    def compile(self, source, **macros):
        self.sources.add(source)
        library = _compile(source, tuple(sorted(macros.items())))
        return EmulatedKernels(library, self.most_blocks)

    def wait(self):
        pass

    def free_bytes(self):
        return self.n_bytes - self.used

    def in_use(self):
        return nullcontext()

    def beside(self):
        return EmulatedLane()

    def _count(self, array):
        """The array, whose memory is free again once nobody knows it."""
        self.used += array.nbytes
        weakref.finalize(array, self._release, array.nbytes)
        return array

    def _release(self, n_bytes):
        self.used -= n_bytes
