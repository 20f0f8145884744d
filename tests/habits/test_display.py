"""How estimators show themselves in a notebook, and what they link to."""

import html.parser
import importlib.metadata

import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklazy
from discovery import one_of_each
from sklazy import LazyKNeighborsClassifier
from sklazy.estimators import reference


class Shown(html.parser.HTMLParser):
    """The words and links of a representation."""

    def __init__(self, text):
        super().__init__()
        self.words, self.links, self.fetched = set(), [], []
        self.feed(text)

    def handle_data(self, data):
        self.words |= set(data.split())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += (
            [attributes["href"]] if tag == "a" and "href" in attributes else []
        )
        self.fetched += [attributes["src"]] if "src" in attributes else []


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("SKLAZY_DOCS", "https://site.test/v1/")


@one_of_each
def test_every_estimator_shows_its_parameters_and_links_to_its_page(setting, site):
    model = setting.model
    shown = Shown(model._repr_html_())
    assert set(model.get_params(deep=False)) <= shown.words
    page = f"https://site.test/v1/api/sklazy.{type(model).__name__}.html"
    assert any(link.split("#")[0] == page for link in shown.links)
    assert not shown.fetched


@one_of_each
def test_no_address_is_made_up(setting, monkeypatch):
    monkeypatch.delenv("SKLAZY_DOCS", raising=False)
    monkeypatch.setattr(reference, "_find_published", lambda: "")
    shown = Shown(setting.model._repr_html_())
    assert not [link for link in shown.links if "sklazy" in link]
    assert type(setting.model).__name__ in shown.words


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Documentation, https://docs.test", "Source, https://source.test"], "docs"),
        (["Source, https://source.test"], ""),
        (None, ""),
    ],
)
def test_the_address_is_that_of_the_metadata(lines, expected, monkeypatch):
    class Metadata:
        def get_all(self, name):
            return lines if name == "Project-URL" else None

    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: Metadata())
    address = reference._find_published.__wrapped__()
    assert address == ("https://docs.test" if expected else "")


def test_one_of_another_package_has_no_page_of_ours(site):
    class Own(LazyKNeighborsClassifier):
        pass

    assert not [link for link in Shown(Own()._repr_html_()).links if "site" in link]


def test_a_pipeline_links_to_both_references(site):
    pipeline = make_pipeline(StandardScaler(), LazyKNeighborsClassifier())
    links = Shown(pipeline._repr_html_()).links
    assert any(link.startswith("https://scikit-learn.org") for link in links)
    assert any("api/sklazy.LazyKNeighborsClassifier.html" in link for link in links)


@one_of_each
def test_as_text_where_diagrams_are_not_wanted(setting):
    with sklearn.config_context(display="text"):
        assert not hasattr(clone(setting.model), "_repr_html_")


def test_several_receipts_are_headed_by_the_ids_of_their_rows():
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}, index=["c0", "c1", "c2", "c3"])
    model = sklazy.LazyNBClassifier().fit(X, ["x", "y", "x", "y"])
    page = model.explain(X[:2])._repr_html_()
    assert "<summary><bdi>c0: " in page
    assert "<summary><bdi>c1: " in page
