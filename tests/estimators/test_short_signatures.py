"""help() begins with a signature that can be read: names of types, not their parts."""

import inspect

import pytest

import sklazy

LONGEST = 1000  # estimators of many parameters; `fit` has below 200


def list_signatures():
    for name in sklazy.__all__:
        thing = getattr(sklazy, name)
        members = [(name, thing)]
        if inspect.isclass(thing):
            members += inspect.getmembers(thing, callable)
        for label, one in members:
            module = getattr(one, "__module__", None) or ""
            if module.startswith("sklazy.") and not label.startswith("_"):
                yield pytest.param(one, id=f"{name}-{label}")


@pytest.mark.parametrize("thing", list(list_signatures()))
def test_signatures_name_types_shortly(thing):
    try:
        signature = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return  # classes without one
    assert "numpy._typing" not in signature
    assert len(signature) < LONGEST


def test_the_signature_of_fit_is_a_line_or_two():
    for method in ("fit", "influence", "predict_set"):
        assert len(str(inspect.signature(getattr(sklazy.LazyClassifier, method)))) < 220
