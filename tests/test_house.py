"""The house itself: its promises about imports and public names."""

import subprocess
import sys

import sklazy


def test_the_front_door_is_sorted_and_complete():
    assert sklazy.__all__ == sorted(sklazy.__all__)
    for name in sklazy.__all__:
        assert getattr(sklazy, name) is not None


def test_importing_compiles_nothing():
    code = (
        "import sys, sklazy; "
        "compiled = [d for m in list(sys.modules.values()) "
        "if getattr(m, '__name__', '').startswith('sklazy.kernels') "
        "for d in vars(m).values() if getattr(d, 'overloads', None)]; "
        "assert not compiled, compiled"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
