"""A GPU through CuPy, which is imported when the first device is opened."""

import importlib
import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sklazy.errors import DeviceError, MissingExtraError
from sklazy.kernels.cuda.device import DeviceArray, Kernels, read_source

_ALWAYS_SHARED = 48 << 10  # bytes of shared memory that need not be asked for
_ELSEWHERE = "or leave device=None to compute on the CPU: the answers are the same"


class CupyKernels:
    """A source compiled for one device."""

    def __init__(self, device: "CupyDevice", module: Any) -> None:
        self._device, self._module = device, module
        self._known: dict[str, Any] = {}

    def run(
        self,
        name: str,
        blocks: tuple[int, int],
        threads: int,
        *arguments: object,
        shared: int = 0,
    ) -> None:
        """Run one kernel."""
        with self._device.in_use():
            kernel = self._known.get(name)
            if kernel is None:
                kernel = self._known[name] = self._module.get_function(name)
            if (
                shared > _ALWAYS_SHARED
                and shared > kernel.max_dynamic_shared_size_bytes
            ):
                kernel.max_dynamic_shared_size_bytes = shared
            plain = tuple(np.int32(a) if type(a) is int else a for a in arguments)
            kernel(blocks, (threads,), plain, shared_mem=shared)


class CupyLane:
    """A stream of a device."""

    def __init__(self, device: "CupyDevice", stream: Any, unused: list[Any]) -> None:
        self._device, self._stream, self._unused = device, stream, unused
        self._entered = ExitStack()

    def __enter__(self) -> None:
        self._entered.enter_context(self._device.in_use())
        self._entered.enter_context(self._stream)

    def __exit__(self, *failure: Any) -> bool | None:
        return self._entered.__exit__(*failure)

    def leave(self) -> None:
        """Give the stream back."""
        self._unused.append(self._stream)


class CupyDevice:
    """One GPU of this machine."""

    lanes = 32

    def __init__(self, number: int) -> None:
        self.name, self._number = f"cuda:{number}", number
        self._cupy = _import_cupy()
        self._failures = self._find_failures()
        self.n_devices = self._count_devices()
        if number >= self.n_devices:
            raise DeviceError(
                f"device={self.name!r}: this machine has {self.n_devices} CUDA "
                f"devices, counted from 0; give one of them, {_ELSEWHERE}."
            )
        self._device = self._cupy.cuda.Device(number)
        with self.in_use():
            self._check_generation()
            attributes = self._device.attributes
        self.processors = int(attributes["MultiProcessorCount"])
        self.shared_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self._compiled: dict[object, Kernels] = {}
        self._streams: list[Any] = []

    def put(self, array: NDArray[Any]) -> DeviceArray:
        """Copy an array to the device."""
        with self.in_use(array.nbytes):
            return self._cupy.asarray(np.ascontiguousarray(array))

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """An array with no content yet."""
        with self.in_use(_bytes_of(shape, dtype)):
            return self._cupy.empty(shape, dtype)

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """An array of zeros."""
        with self.in_use(_bytes_of(shape, dtype)):
            return self._cupy.zeros(shape, dtype)

    def fetch(self, array: DeviceArray) -> NDArray[Any]:
        """Copy an array from the device."""
        with self.in_use():
            return self._cupy.asnumpy(array)

    def compile(self, source: str, **macros: int) -> Kernels:
        """Compile a source; CuPy keeps it on disk for the next process."""
        key = (source, *sorted(macros.items()))
        kernels = self._compiled.get(key)
        if kernels is None:
            options = tuple(f"-D{name}={value}" for name, value in macros.items())
            with self.in_use():
                module = self._cupy.RawModule(
                    code=read_source(source), options=("-std=c++17", *options)
                )
                module.compile()
            kernels = self._compiled[key] = CupyKernels(self, module)
        return kernels

    def wait(self) -> None:
        """Wait until all that this thread asked for is done."""
        with self.in_use():
            self._cupy.cuda.get_current_stream().synchronize()

    def beside(self) -> "CupyLane":
        """A lane of its own; lanes, and the memory they hold, are used again."""
        with self.in_use():
            try:
                stream = self._streams.pop()
            except IndexError:
                stream = self._cupy.cuda.Stream(non_blocking=True)
            return CupyLane(self, stream, self._streams)

    def free_bytes(self) -> int:
        """The bytes that further arrays can take, with those unused in CuPy's pool.

        CUPY_GPU_MEMORY_LIMIT, or `set_limit` of CuPy's memory pool, is heeded.
        """
        with self.in_use():
            pool = self._cupy.get_default_memory_pool()
            free = int(self._device.mem_info[0]) + int(pool.free_bytes())
            limit = int(pool.get_limit())
            return min(free, limit - int(pool.used_bytes())) if limit else free

    @contextmanager
    def in_use(self, n_bytes: int = 0) -> Iterator[None]:
        """Make this the current device; errors in the block describe a way out."""
        try:
            if self._cupy.cuda.runtime.getDevice() == self._number:
                yield
            else:
                with self._device:
                    yield
        except self._cupy.cuda.memory.OutOfMemoryError as error:
            raise DeviceError(
                f"device={self.name!r} has too little memory ({n_bytes:,} bytes were "
                f"asked for, {self._device.mem_info[0]:,} of "
                f"{self._device.mem_info[1]:,} are free); end what else uses it, take "
                f"a larger device, fewer rows, {_ELSEWHERE}."
            ) from error
        except self._failures as error:
            raise DeviceError(
                f"device={self.name!r} failed ({error}); what was on it is lost. See "
                "nvidia-smi for its state, then start a new process (a CUDA context "
                f"does not recover), {_ELSEWHERE}."
            ) from error

    def _find_failures(self) -> tuple[type[BaseException], ...]:
        cuda = self._cupy.cuda
        return (
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
            cuda.compiler.CompileException,
        )

    def _count_devices(self) -> int:
        try:
            return int(self._cupy.cuda.runtime.getDeviceCount())
        except self._failures as error:
            raise DeviceError(
                f"device={self.name!r}: CUDA found no driver or no device ({error}); "
                f"install NVIDIA's driver and see that nvidia-smi lists the GPU, "
                f"{_ELSEWHERE}."
            ) from error

    def _check_generation(self) -> None:
        """Sums over a warp in one instruction came with compute capability 8.0."""
        generation = int(self._device.compute_capability)
        if generation < 80:
            raise DeviceError(
                f"device={self.name!r} is of compute capability {generation / 10}; "
                f"expected at least 8.0 (Ampere); take a newer device, {_ELSEWHERE}."
            )


def _import_cupy() -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise MissingExtraError(
            f"device='cuda' needs CuPy ({error}); install it with pip install "
            "'sklazy[cuda]' (CUDA 13) or pip install cupy-cuda12x (CUDA 12), "
            f"{_ELSEWHERE}."
        ) from error


def _bytes_of(shape: int | tuple[int, ...], dtype: DTypeLike) -> int:
    sizes = (shape,) if isinstance(shape, int) else shape
    return math.prod(sizes) * np.dtype(dtype).itemsize


@cache
def open_gpu(number: int) -> CupyDevice:
    """The GPU of this number; opened once for a process."""
    return CupyDevice(number)
