"""Receipts of every kind as text, Markdown and HTML that no data can break."""

import importlib
import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harmless import check_harmless
from made_receipts import (
    ANYTHING,
    HOSTILE,
    MADE,
    SCALARS,
    WRITTEN,
    at,
    branches,
    hostile,
    knn_receipt,
    leaves,
    model_receipt,
    nb_receipt,
    plain,
    receipt_of,
    replaced,
)
from sklazy.errors import MissingExtraError, ReceiptError
from sklazy.methods.selection.drawing import explain
from sklazy.receipts import Receipt, Receipts, sealed
from sklazy.report import html as report_html
from sklazy.report.blocks import (
    Bar,
    Fold,
    Grid,
    Heading,
    Mark,
    Paragraph,
    Path,
    to_markdown,
    to_text,
)
from sklazy.report.words import format_value, shorten, visible, wide

NAMES = st.one_of(st.sampled_from(HOSTILE), st.text())
every_kind = pytest.mark.parametrize("make", MADE)
any_kind = st.sampled_from(MADE)
many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@many
@given(any_kind, NAMES, NAMES)
def test_no_name_or_label_becomes_markup(make, name, label):
    receipts = Receipts([Receipt.from_dict(_hostile(make, name, label))])
    page = check_harmless(receipts.to_html(title=name))
    assert format_value(name) in "".join(page.text)
    check_harmless(receipts._repr_html_())


def _hostile(make, name, label):
    """Names must be unique, and the two labels and values differ."""
    name = name if name not in {"size", "shape", "tax"} else "color"
    return hostile(make(), name, label if label != "bad" else "good")


@many
@given(any_kind, NAMES, NAMES, st.integers(40, 120))
def test_text_keeps_to_its_width_and_controls_nothing(make, name, label, width):
    receipt = Receipt.from_dict(_hostile(make, name, label))
    for text in (receipt.to_text(width), Receipts([receipt] * 2).to_text(width)):
        for line in text.split("\n"):
            assert wide(line) <= width
            assert visible(line) == line


@many
@given(any_kind, NAMES, NAMES)
def test_markdown_tables_keep_their_columns(make, name, label):
    columns = None
    text = Receipt.from_dict(_hostile(make, name, label)).to_markdown()
    for line in text.split("\n"):
        if line.startswith("|"):
            cells = len(re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1])
            assert cells == (columns or cells)
            columns = cells
        else:
            columns = None
        assert "<" not in re.sub(r"\\<", "", line)


@many
@given(any_kind, st.data())
def test_whatever_passes_the_checks_can_be_shown(make, data):
    content = make()
    for _ in range(data.draw(st.integers(1, 3))):
        paths = data.draw(st.sampled_from([leaves(content), branches(content)]))
        path = data.draw(st.sampled_from(paths))
        kept = [at(content, other) for other in leaves(content)]
        new = data.draw(SCALARS | ANYTHING | st.sampled_from(kept))
        content = replaced(content, path, new)
    try:
        receipt = Receipt.from_dict(sealed(content))
    except (ReceiptError, ValueError):
        return
    check_harmless(receipt.to_html())
    assert receipt.to_text()
    assert receipt.to_markdown()


@every_kind
def test_a_summary_comes_first_and_the_seal_last(make):
    content = make()
    receipt = Receipt.from_dict(content)
    said = "".join(check_harmless(receipt.to_html()).text)
    for part in (said, receipt.to_text(), receipt.to_markdown()):
        for path in [("seal",), ("cases", "digest"), ("sklazy",)]:
            assert str(at(content, path)) in part
        if "votes" in content:
            assert content["answer"] in part
        for item in content["query"]:
            assert item["name"] in part
    text = receipt.to_text()
    assert text.startswith("Answer: ")
    assert text.rstrip().endswith(content["seal"])
    assert check_harmless(receipt._repr_html_())


@pytest.mark.parametrize("make", WRITTEN)
def test_the_page_says_what_the_receipt_says(make):
    content = make()
    receipt = Receipt.from_dict(content)
    said = "".join(check_harmless(receipt.to_html()).text)
    for part in (said, receipt.to_text(), receipt.to_markdown()):
        for item in content["selection"]["attributes"]:
            assert item["name"] in part
            assert f"{item['attribute_score']:.3f}" in part
        assert "0.750" in part
    assert explain(content)[0] in said


def test_cells_that_differ_are_marked():
    text = Receipt.from_dict(knn_receipt()).to_html()
    # Cases b and c and the opposing one differ in one attribute each.
    assert text.count('<td class="differs">') == 3
    assert text.count('<td class="agrees">') == 5


def test_an_opposing_case_that_voted_is_shown_once():
    content = knn_receipt()
    content["neighbors"]["nearest_other_class"] = content["neighbors"]["listed"][2]
    page = Receipt.from_dict(sealed(content)).to_html()
    assert page.count('<td class="differs">') == 2
    assert "nearest of another class" not in page


def test_the_sentences_fit_what_happened():
    said = " ".join(explain(knn_receipt()))
    assert "color = red and size in (2, 3] are the most informative" in said
    assert "more than 3, because 4 are tied for the 3rd place" in said
    assert "4 of them are good, 1 bad." in said
    assert "another class, d (bad), differs in color." in said
    # exp(-0.5 + 2.0) = 4.48
    assert "color matters most: its value is 4.48 times" in " ".join(
        explain(nb_receipt())
    )
    assert "one of 4 models" in " ".join(explain(model_receipt()))


def test_a_class_that_is_a_number_is_called_a_class():
    content = hostile(knn_receipt(), "color", 2)
    assert "4 of them are class 2, 1 bad." in explain(content)


def test_all_attributes_may_count():
    content = knn_receipt()
    for item in content["selection"]["attributes"]:
        item["used"] = True
    assert "All 3 attributes are used; the best are color," in explain(content)[0]


def test_a_level_vote_is_told():
    content = knn_receipt()
    for vote in content["votes"]:
        vote["votes"] = 2
    assert "bad and good have 2 votes each" in " ".join(explain(content))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"strategy": "none"}, "All 3 attributes are used"),
        ({"strategy": "eager"}, "the most informative overall"),
        ({"strategy": "lazy-cfs"}, "for this row's values and not redundant"),
        ({"rule": "vote"}, "the best two, and so on up to all 3"),
        ({"rule": "local"}, "on the cases near this row"),
    ],
)
def test_each_selection_has_its_words(change, words):
    content = plain()
    content["selection"].update(change)
    assert words in explain(content)[0]


def test_a_thousand_attributes_and_classes_stay_readable():
    content = knn_receipt()
    names = [f"a{i}" for i in range(1000)]
    first = content["selection"]["attributes"][0]
    content["selection"]["attributes"] = [
        {**first, "name": name, "rank": i + 1, "used": i < 500}
        for i, name in enumerate(names)
    ]
    content["query"] = [{"name": n, "value": "red", "known": "yes"} for n in names]
    more = range(1000)
    content["votes"] += [{"label": i, "votes": 0, "probability": 0.0} for i in more]
    content["cases"]["class_counts"] += [{"label": i, "rows": 0} for i in more]
    for case in content["neighbors"]["listed"]:
        case.update(values=dict.fromkeys(names[:500], "red"), differ=names[100:200])
    receipt = Receipt.from_dict(sealed(content))
    page = receipt.to_html()
    assert len(page) < 300_000
    assert "12 of 500 attributes are shown" in page
    assert "2 more cases that voted" in page
    assert "994 more less probable classes" in page
    assert len(receipt.to_text().splitlines()) < 100


def test_a_long_batch_is_cut_in_a_notebook_only():
    receipt = Receipt.from_dict(knn_receipt())
    many = Receipts([receipt] * 13)
    assert many._repr_html_().count("<article") == 10
    assert "3 more receipts are not shown here" in many._repr_html_()
    assert many.to_html().count("<article") == 13


@every_kind
def test_several_receipts_open_with_a_table(make):
    receipts = Receipts([Receipt.from_dict(make())] * 3)
    for page in (receipts.to_html(), receipts._repr_html_()):
        links = re.findall(r'<a href="#(receipt-[^"]+)">', page)
        assert len(links) == len(set(links)) == 3
        assert all(f'<article id="{link}">' in page for link in links)
        assert page.index("<table") < page.index("<article")
    assert receipts._repr_html_().count("<summary><bdi>Row ") == 3
    lines = receipts.to_text().splitlines()
    assert lines[0] == "3 receipts"
    assert [line.split()[0] for line in lines[3:7]] == ["row", "1", "2", "3"]
    assert receipts.to_text().count("Answer: ") == 3


def test_receipts_of_several_kinds_share_a_page():
    receipts = Receipts(Receipt.from_dict(make()) for make in MADE)
    assert check_harmless(receipts.to_html())
    assert receipts.to_text().count("Answer: ") == len(MADE)


def test_no_receipts_are_a_page_without_any():
    assert check_harmless(Receipts([]).to_html())
    assert Receipts([]).to_text() == ""


# --- ensembles ------------------------------------------------------------------------


def _with_members(name, n):
    """The receipt of an ensemble with its first member over and over."""
    content = receipt_of(name)
    first = content["members"][0]
    content["members"] = [{**first, "bag": i} for i in range(n)]
    return Receipt.from_dict(sealed(content))


def test_a_hundred_trees_are_summed_up():
    receipt = _with_members("bagging", 100)
    page = receipt.to_html()
    tested = {s["attribute"] for s in receipt["members"][0]["evidence"]["steps"]}
    assert page.count("100 of 100") == len(tested - {None}) > 0
    before, after = page.split("<summary>Members (100)")
    assert 'class="step' not in before
    assert after.count('class="path"') == 100
    text = receipt.to_text()
    assert "used by trees" in text
    assert "... and 92 more" in text
    assert len(text.splitlines()) < 80


def test_kinds_of_members_are_compared():
    text = Receipt.from_dict(receipt_of("stacking")).to_text()
    assert "Kinds of members" in text
    assert "naive Bayes" in text
    numbers = Receipt.from_dict(receipt_of("stacking of numbers"))
    assert "Kinds of members" in numbers.to_text()
    assert "<svg" in numbers.to_html()
    assert "Answer: price = " in numbers.to_text()


def test_steps_that_are_not_listed_are_counted():
    content = receipt_of("bagging")
    content["members"][0]["evidence"]["n_steps"] += 7
    assert "and 7 more</small>" in Receipt.from_dict(sealed(content)).to_html()


# --- local models ---------------------------------------------------------------------


def test_a_local_receipt_speaks_of_its_own_target():
    receipt = Receipt.from_dict(receipt_of("local models"))
    text, page = receipt.to_text(), receipt.to_html()
    value = f"{receipt.answer:.4g}"
    assert text.startswith(f"Answer: price = {value} (give or take ")
    assert f"predict {value} for price; the best is a " in " ".join(text.split())
    for part in (text, page):
        assert "Coefficients" in part
        assert "Nearest cases" in part
    words = re.findall(r"<text[^>]*>([^<]*)</text>", page)
    assert {"number of neighbors", "leave-one-out error"} <= set(words)
    assert any(word.isdigit() for word in words)  # the axes have numbers


def test_the_neighbors_of_a_local_receipt_have_their_values():
    content = receipt_of("local models")
    page = Receipt.from_dict(content).to_html()
    first = content["neighbors"]["listed"][0]
    cells = re.findall(r"<td[^>]*>(?:<bdi[^>]*>)?([^<]*)<", page)
    for name, value in first["values"].items():
        assert format_value(value) in cells
        assert f">{name}</bdi></th>" in page


def test_a_local_receipt_of_classes_folds_the_other_classes():
    content = receipt_of("local classes")
    page = Receipt.from_dict(content).to_html()
    (other,) = {"good", "bad"} - {content["answer"]}
    assert f"<summary>The models for {other}" in page
    assert f"<summary>The models for {content['answer']}" not in page


def test_no_model_and_no_curve_are_told():
    content = receipt_of("local models")
    content["targets"][0].update(models=[], curves=[], neighbors=[], outside_range=[])
    receipt = Receipt.from_dict(sealed(content))
    assert "No model has a leave-one-out error" in receipt.to_text()
    assert "<svg" not in receipt.to_html()


# --- the parts ------------------------------------------------------------------------


def test_without_jinja2_the_way_out_is_named(monkeypatch):
    def refuse(name, *args):
        if name == "jinja2":
            raise ModuleNotFoundError(name=name)
        return importlib.__import__(name, *args)

    monkeypatch.setattr(report_html.importlib, "import_module", refuse)
    report_html._environment.cache_clear()
    receipt = Receipt.from_dict(hostile(knn_receipt(), HOSTILE[0], HOSTILE[1]))
    with pytest.raises(MissingExtraError, match=r"pip install 'sklazy\[cli\]'"):
        receipt.to_html()
    shown = receipt._repr_html_()
    assert shown.startswith("<pre>")
    assert "<script" not in shown
    assert "Answer:" in receipt.to_text()


def test_importing_needs_no_extra():
    code = (
        "import sys; sys.modules.update(jinja2=None, rich=None, matplotlib=None); "
        "import sklazy.receipts, sklazy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.text(), st.integers(1, 40))
def test_shortened_text_fits(text, width):
    assert wide(shorten(visible(text), width)) <= max(width, 1)


def test_blocks_as_text_and_markdown():
    blocks = [
        Heading("Wine", 1),
        Paragraph("It is so."),
        Paragraph("Seen on pages alone.", medium="page"),
        Heading("Rows"),
        Grid(["name", "n"], "lr", [["hue", "12"], ["色", "3"]]),
    ]
    assert to_text(blocks) == (
        "Wine\n====\n\nIt is so.\n\nRows\n  name   n\n  hue   12\n  色     3"
    )
    assert to_markdown(blocks) == (
        "# Wine\n\nIt is so.\n\n## Rows\n\n| name | n |\n|---|---:|\n| hue | 12 |\n"
        "| 色 | 3 |\n"
    )


def test_text_leaves_out_what_is_folded_away():
    path = Path([("hue > 1", "12", ""), ("leaf", "7", "leaf")], 3)
    rows = [[Mark("a", "yes"), Bar(0.5), Bar(1.0), path], *[["b", "", "", ""]] * 4]
    grid = Grid(["", "", "", "why"], "lbBl", rows, shown=1, n_more=2)
    page_only = Fold("Nothing", [grid._replace(medium="page")])
    assert to_text([Fold("All", [grid]), page_only]) == (
        "All\n                 why\n  a  ██████████  hue > 1, 3 more\n  ... and 6 more"
    )
    assert "\n\n... and 6 more" in to_markdown([grid])
