"""The CUDA sources compile for a GPU, where NVIDIA's compiler is; no GPU is needed."""

import ctypes
import itertools
import shutil
import site
import subprocess
from pathlib import Path

import pytest

from sklazy.kernels.cuda.device import read_source

LABELS = {"GROUPS": 2, "REST": 7, "PLANES": 4, "CLASSES": 3, "SHARED": 1}
NUMBERS = {"PER_LANE": 8, "ROWS": 1024, "SHARED": 1, "NORM": 2}
VARIANTS = {
    "labels": ("planes.cu", LABELS),
    "labels, one behind a group": ("planes.cu", LABELS | {"REST": 1}),
    "labels, three in all": ("planes.cu", LABELS | {"GROUPS": 1, "REST": 3}),
    "labels of many classes": ("planes.cu", LABELS | {"CLASSES": 40, "SHARED": 0}),
    "own columns": ("nearest.cu", NUMBERS | {"OWN": 1, "QUERIES": 1, "HIDE": 1}),
    "all columns": ("nearest.cu", NUMBERS | {"OWN": 0, "QUERIES": 8, "HIDE": 2}),
    "local models": ("lines.cu", {"SHARED": 1}),
}
OPTIONS = ["-arch=sm_80", "-std=c++17"]  # the oldest devices that are supported


def find_nvrtc():
    """The library of the wheel nvidia-cuda-nvrtc, or None."""
    folders = [*map(Path, site.getsitepackages()), Path(site.getusersitepackages())]
    found = [folder.glob("nvidia/**/libnvrtc.so*") for folder in folders]
    return next(itertools.chain(*found), None)


def compile_by_nvrtc(library, source, options):
    nvrtc, program = ctypes.CDLL(str(library)), ctypes.c_void_p()
    text = source.encode()
    empty = (ctypes.byref(program), text, b"source.cu", 0, None, None)
    assert nvrtc.nvrtcCreateProgram(*empty) == 0
    given = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
    failed = nvrtc.nvrtcCompileProgram(program, len(options), given)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert not failed, log.value.decode()


def compile_by_nvcc(nvcc, source, options, folder):
    path = folder / "source.cu"
    path.write_text(source)
    command = [nvcc, *options, "-cubin", "-o", str(folder / "made"), str(path)]
    subprocess.run(command, check=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_sources_compile_for_a_gpu(name, tmp_path):
    file, macros = VARIANTS[name]
    options = [*OPTIONS, *(f"-D{macro}={value}" for macro, value in macros.items())]
    library, nvcc = find_nvrtc(), shutil.which("nvcc")
    if library is not None:
        compile_by_nvrtc(library, read_source(file), options)
    elif nvcc is not None:
        compile_by_nvcc(nvcc, read_source(file), options, tmp_path)
    else:
        pytest.skip("needs nvcc, or the wheel nvidia-cuda-nvrtc")
