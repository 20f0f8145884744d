"""Devices by name, and what is said where one cannot be had; CuPy is played here."""

import subprocess
import sys
import types

import numpy as np
import pytest

from sklazy import LazyKNeighborsClassifier, LazyLearningRegressor
from sklazy.answer.device import (
    check_device,
    open_device,
    open_devices,
    take_turn,
    use_device,
)
from sklazy.errors import BadInputError, DeviceError, MissingExtraError
from sklazy.kernels.cuda import with_cupy


class RuntimeFailure(Exception):  # noqa: N818 - as CuPy names it
    pass


class NoMemory(Exception):  # noqa: N818
    pass


class FakeDevice:
    attributes = types.MappingProxyType(
        {"MultiProcessorCount": 2, "MaxSharedMemoryPerBlockOptin": 1000}
    )
    mem_info = (100, 1000)

    def __init__(self, number=0, capability="90"):
        self.compute_capability = capability

    def __enter__(self):
        pass

    def __exit__(self, *failure):
        pass


class FakePool:
    """Holds 50 bytes that nobody uses and 30 that somebody does."""

    def __init__(self, limit):
        self.limit = limit

    def get_limit(self):
        return self.limit

    def free_bytes(self):
        return 50

    def used_bytes(self):
        return 30


def play_cupy(monkeypatch, n_devices=1, capability="90", broken=None, limit=0):
    """A module that looks like CuPy on a machine with so many devices."""

    def count():
        if n_devices is None:
            raise RuntimeFailure("cudaErrorNoDevice: no CUDA-capable device")
        return n_devices

    def empty(shape, dtype):
        if broken is not None:
            raise broken
        return np.empty(shape, dtype)

    def device(number):
        return FakeDevice(number, capability)

    fake = types.ModuleType("cupy")
    fake.empty = empty
    fake.get_default_memory_pool = lambda: FakePool(limit)
    fake.cuda = types.SimpleNamespace(
        Device=device,
        runtime=types.SimpleNamespace(
            CUDARuntimeError=RuntimeFailure, getDeviceCount=count, getDevice=lambda: 0
        ),
        driver=types.SimpleNamespace(CUDADriverError=RuntimeFailure),
        compiler=types.SimpleNamespace(CompileException=RuntimeFailure),
        memory=types.SimpleNamespace(OutOfMemoryError=NoMemory),
    )
    monkeypatch.setitem(sys.modules, "cupy", fake)


@pytest.fixture(autouse=True)
def forget_devices():
    with_cupy.open_gpu.cache_clear()
    yield
    with_cupy.open_gpu.cache_clear()


@pytest.mark.parametrize(
    "name", ["gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:all:1", "", 0, True, "cpu"]
)
def test_an_unknown_device_is_refused(name):
    with pytest.raises(BadInputError, match=r"device=.* is not known; give None"):
        check_device(name)
    for kind in (LazyKNeighborsClassifier, LazyLearningRegressor):
        with pytest.raises(BadInputError, match="device="):
            kind(device=name).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("name", [None, "cuda", "cuda:0", "cuda:11", "cuda:all"])
def test_known_devices(name):
    check_device(name)


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    model = LazyKNeighborsClassifier(device="cuda").fit([["a"], ["b"]], [0, 1])
    with pytest.raises(MissingExtraError, match=r"pip install\s+'sklazy\[cuda\]'"):
        model.predict([["a"]])
    assert model.set_params(device=None).predict([["a"]]) == [0]


def test_without_a_driver(monkeypatch):
    play_cupy(monkeypatch, n_devices=None)
    with pytest.raises(DeviceError, match=r"no driver or no device.*nvidia-smi"):
        open_device("cuda")


def test_with_too_few_devices(monkeypatch):
    play_cupy(monkeypatch, n_devices=2)
    with pytest.raises(DeviceError, match=r"cuda:2.*has 2 CUDA devices"):
        open_device("cuda:2")
    assert open_device("cuda:1").name == "cuda:1"


def test_all_devices_of_a_machine(monkeypatch):
    play_cupy(monkeypatch, n_devices=3)
    names = [device.name for device in open_devices("cuda:all")]
    assert names == ["cuda:0", "cuda:1", "cuda:2"]
    assert [device.name for device in open_devices("cuda")] == ["cuda:0"]
    assert open_device("cuda:all").name == "cuda:0"


@pytest.mark.parametrize(
    ("turn", "name"), [(0, "cuda:0"), (1, "cuda:1"), (4, "cuda:1")]
)
def test_workers_take_turns(monkeypatch, turn, name):
    play_cupy(monkeypatch, n_devices=3)
    with take_turn(turn):
        assert open_device("cuda").name == name
        assert open_device("cuda:2").name == "cuda:2"
    assert open_device("cuda").name == "cuda:0"


@pytest.mark.parametrize(("limit", "free"), [(0, 150), (120, 90), (1000, 150)])
def test_free_memory(monkeypatch, limit, free):
    """100 bytes are free on the device, 50 in CuPy's pool, whose limit is heeded."""
    play_cupy(monkeypatch, limit=limit)
    assert open_device("cuda").free_bytes() == free


def test_with_an_old_device(monkeypatch):
    play_cupy(monkeypatch, capability="75")
    with pytest.raises(DeviceError, match=r"capability 7\.5; expected at least 8\.0"):
        open_device("cuda")


def test_with_too_little_memory(monkeypatch):
    play_cupy(monkeypatch, broken=NoMemory())
    with pytest.raises(
        DeviceError, match=r"too little memory \(8,000 bytes.*fewer rows"
    ):
        open_device("cuda").empty(1000, np.float64)


def test_a_device_that_is_lost(monkeypatch):
    play_cupy(monkeypatch, broken=RuntimeFailure("cudaErrorDevicesUnavailable"))
    with pytest.raises(DeviceError, match=r"failed.*start a new process"):
        open_device("cuda").empty(1000, np.float64)


def test_a_device_is_opened_once(monkeypatch):
    play_cupy(monkeypatch)
    assert open_device("cuda") is open_device("cuda:0")


def test_another_object_can_stand_in(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    other = object()
    with use_device(other):
        assert open_device("cuda") is other
    with pytest.raises(MissingExtraError):
        open_device("cuda")


def test_cupy_is_imported_when_asked_for():
    code = "import sys, sklazy; assert 'cupy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
