"""`sklazy warm`: what it says."""

import json

import pytest

from sklazy.estimators import warming


def test_methods_are_compiled_and_the_folder_is_named(run):
    code, output, _ = run("warm", "lazy-nb", "--json")
    found = json.loads(output)
    assert (code, sorted(found)) == (0, ["folder", "n_compiled", "seconds"])
    code, output, _ = run("warm", "lazy-nb")
    assert code == 0
    assert output.startswith("0 kernels compiled in ")
    assert f"kept in {found['folder']}." in output


def test_a_name_stands_for_classes_and_numbers(run, monkeypatch):
    asked = []
    monkeypatch.setattr(
        warming, "_use_model", lambda model, X, y: asked.append(str(model))
    )
    assert run("warm", "lazy-knn")[0] == 0
    assert set(asked) == {"LazyKNeighborsClassifier()", "LazyKNeighborsRegressor()"}


@pytest.mark.parametrize("name", ["lazy-mb", "random-forest"])
def test_what_is_not_compiled_is_refused(run, name):
    code, _, said = run("warm", name)
    assert code == 2
    assert f"{name} is not a method that needs compiling." in said
    assert "lazy-nb" in said


def test_an_interrupt_says_that_what_was_compiled_is_kept(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(warming, "_use_model", interrupt)
    code, _, said = run("warm", "lazy-nb")
    assert code == 130
    assert "What was compiled so far is kept." in said
