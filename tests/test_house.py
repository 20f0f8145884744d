"""The house itself: its promises about imports and public names."""

import ast
import subprocess
import sys
from pathlib import Path

import sklazy


def test_the_front_door_is_sorted_and_complete():
    assert sklazy.__all__ == sorted(sklazy.__all__)
    for name in sklazy.__all__:
        assert getattr(sklazy, name) is not None
    assert dir(sklazy) == sklazy.__all__


def test_the_stub_says_what_the_front_door_has():
    stub = ast.parse(Path(sklazy.__file__).with_suffix(".pyi").read_text("utf-8"))
    (exported,) = [line.value for line in stub.body if isinstance(line, ast.Assign)]
    assert ast.literal_eval(exported) == sklazy.__all__


def test_errors_and_rooms_are_found_at_the_front_door():
    errors = {n for n in vars(sklazy.errors) if n.endswith(("Error", "Warning"))}
    assert sklazy.errors.__all__ == sorted(errors)
    assert not errors & set(sklazy.__all__)  # a narrow door lists the room alone
    for name in errors:
        assert getattr(sklazy, name) is getattr(sklazy.errors, name)
    assert callable(sklazy.answer.use_backend)
    assert not hasattr(sklazy, "LazyForest")


def test_the_blends_have_the_names_a_newcomer_looks_for():
    assert sklazy.LazyBlendClassifier is sklazy.LazyClassifier
    assert sklazy.LazyBlendRegressor is sklazy.LazyRegressor
    assert repr(sklazy.LazyBlendClassifier()) == "LazyClassifier()"


def test_importing_the_front_door_imports_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'sklearn', 'numba', 'pandas', 'rich'}"
    code = f"import sys, sklazy; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_compiles_nothing():
    code = (
        "import sys; from sklazy import *; "
        "compiled = [d for m in list(sys.modules.values()) "
        "if getattr(m, '__name__', '').startswith('sklazy.kernels') "
        "for d in vars(m).values() if getattr(d, 'overloads', None)]; "
        "assert not compiled, compiled"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
