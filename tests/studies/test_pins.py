"""Every value of every `.paper()` has a sentence, or is named ours."""

import re
from pathlib import Path

import pytest

import sklazy
from sklazy import LazyLearningRegressor
from sklazy_studies.pins import PINS, to_table

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"


def published():
    """All classes that have published settings."""
    names = sorted({name for pin in PINS for name in pin.estimators.split()})
    return [getattr(sklazy, name) for name in names]


def plain(value):
    """A value as the pins have it: estimators by the name of what makes them."""
    if isinstance(value, LazyLearningRegressor):
        by_r = LazyLearningRegressor.r_lazy().set_params(n_neighbors="auto")
        return "r_lazy" if repr(value) == repr(by_r) else repr(value)
    if isinstance(value, sklazy.RaceFeatureSelector):
        same = repr(value) == repr(sklazy.RaceFeatureSelector.paper())
        return "paper" if same else repr(value)
    return value


def test_all_published_classes_are_pinned():
    with_paper = {
        name
        for name in sklazy.__all__
        if hasattr(getattr(sklazy, name), "paper")
        and isinstance(getattr(sklazy, name), type)
    }
    assert with_paper == {model.__name__ for model in published()}


@pytest.mark.parametrize("model", published(), ids=lambda model: model.__name__)
def test_what_paper_sets_is_pinned_and_equal(model):
    values = model.paper().get_params(deep=False)
    defaults = model().get_params(deep=False)
    pins = {p.parameter: p for p in PINS if model.__name__ in p.estimators.split()}
    moved = {name for name in values if repr(values[name]) != repr(defaults[name])}
    assert moved <= set(pins)
    for name, pin in pins.items():
        assert plain(values[name]) == pin.value, name


def test_a_pin_has_a_sentence_or_a_reason():
    assert all(bool(pin.quote) != bool(pin.ours) for pin in PINS)
    places = [(name, p.parameter) for p in PINS for name in p.estimators.split()]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("quote", sorted({pin.quote for pin in PINS if pin.quote}))
def test_the_sentence_is_in_a_paper(quote, data_folder):
    folder = data_folder.parent / "papers"
    if not folder.is_dir():
        pytest.skip(f"the texts of the papers are not in {folder}")
    texts = [path.read_text() for path in sorted(folder.glob("*.txt"))]
    wanted = re.sub(r"\s+", "", quote)
    assert any(wanted in re.sub(r"\s+", "", text) for text in texts)


def test_the_page_has_the_table():
    assert to_table() in PAGE.read_text()
