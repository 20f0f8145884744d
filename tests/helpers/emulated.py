"""A device without a GPU: the CUDA sources compiled by g++, run on arrays of numpy."""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sklazy.kernels.cuda.device import read_source

_HERE = Path(__file__).parent
_COMPILER = shutil.which("g++") or shutil.which("c++")

needs_compiler = pytest.mark.skipif(
    _COMPILER is None, reason="needs a C++ compiler to run the CUDA sources without one"
)


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="sklazy-cuda-")


@cache
def _compile(source, macros):
    """The library that a source makes; kept as long as this process."""
    folder, number = Path(_folder().name), abs(hash((source, macros)))
    plain, library = folder / f"{number}.cc", folder / f"{number}.so"
    plain.write_text(f'#include "{_HERE / "cuda_shim.h"}"\n{read_source(source)}')
    options = [f"-D{name}={value}" for name, value in macros]
    command = [_COMPILER, "-O1", "-std=c++17", "-shared", "-fPIC", "-w"]
    strict = ["-ffp-contract=off", "-fno-fast-math"]
    made = [str(plain), "-o", str(library)]
    subprocess.run([*command, *strict, *options, *made], check=True)
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

    name, lanes, processors = "emulated", 1, 2

    def __init__(self, most_blocks=3, shared_bytes=1 << 20):
        self.most_blocks, self.shared_bytes = most_blocks, shared_bytes
        self.names = []

    def put(self, array):
        return np.array(array, order="C")

    def empty(self, shape, dtype):
        made = np.empty(shape, dtype)
        made.reshape(-1).view(np.uint8).fill(0xA5)  # what is not written shows
        return made

    def zeros(self, shape, dtype):
        return np.zeros(shape, dtype)

    def fetch(self, array):
        return array.copy()

    def compile(self, source, **macros):
        self.names.append(source)
        library = _compile(source, tuple(sorted(macros.items())))
        return EmulatedKernels(library, self.most_blocks)

    def wait(self):
        pass

    def beside(self):
        return EmulatedLane()
