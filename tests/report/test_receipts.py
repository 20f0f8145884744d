"""The report room: plain data as text, Markdown and HTML that no data can break."""

import importlib
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harmless import check_harmless
from made_receipts import (
    HOSTILE,
    SCALARS,
    at,
    hostile_receipt,
    knn_receipt,
    leaves,
    model_receipt,
    nb_receipt,
    plain,
    replaced,
)
from sklazy.errors import MissingExtraError, ReceiptError
from sklazy.receipts import Receipt, Receipts, sealed
from sklazy.report import html as report_html
from sklazy.report.blocks import Grid, Heading, Paragraph, to_markdown, to_text
from sklazy.report.selection_words import explain_in_words
from sklazy.report.words import say, shorten, visible, wide

MADE = [knn_receipt, nb_receipt, model_receipt]
NAMES = st.one_of(st.sampled_from(HOSTILE), st.text())


@given(NAMES, NAMES)
def test_no_name_or_label_becomes_markup(name, label):
    receipts = Receipts([Receipt.from_dict(_hostile(name, label))])
    page = check_harmless(receipts.to_html(title=name))
    assert say(name) in "".join(page.text)
    check_harmless(receipts._repr_html_())


def _hostile(name, label):
    """Names must be unique, and the two labels and values differ."""
    name = name if name not in {"size", "shape"} else "color"
    return hostile_receipt(name, label if label != "bad" else "good")


@given(NAMES, NAMES, st.integers(40, 120))
def test_text_keeps_to_its_width_and_controls_nothing(name, label, width):
    text = Receipt.from_dict(_hostile(name, label)).to_text(width)
    for line in text.split("\n"):
        assert wide(line) <= width
        assert visible(line) == line


@given(NAMES, NAMES)
def test_markdown_tables_keep_their_columns(name, label):
    for line in Receipt.from_dict(_hostile(name, label)).to_markdown().split("\n"):
        if line.startswith("| "):
            cells = re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]
            assert len(cells) in {4, 8, 3}
        assert "<" not in re.sub(r"\\<", "", line)


@given(st.data())
def test_whatever_passes_the_checks_can_be_shown(data):
    content = data.draw(st.sampled_from(MADE))()
    for _ in range(3):
        path = data.draw(st.sampled_from(leaves(content)))
        content = replaced(content, path, data.draw(SCALARS))
    try:
        receipt = Receipt.from_dict(sealed(content))
    except (ReceiptError, ValueError):
        return
    check_harmless(receipt.to_html())
    assert receipt.to_text()
    assert receipt.to_markdown()


@pytest.mark.parametrize("make", MADE)
def test_the_page_says_what_the_receipt_says(make):
    content = make()
    receipt = Receipt.from_dict(content)
    said = "".join(check_harmless(receipt.to_html()).text)
    for part in (said, receipt.to_text(), receipt.to_markdown()):
        for path in [("answer",), ("seal",), ("cases", "digest"), ("sklazy",)]:
            assert str(at(content, path)) in part
        for item in content["selection"]["attributes"]:
            assert item["name"] in part
            assert f"{item['attribute_score']:.3f}" in part
        assert "0.750" in part
    assert explain_in_words(content)[1] in said


def test_cells_that_differ_are_marked():
    text = Receipt.from_dict(knn_receipt()).to_html()
    # Cases b and c and the opposing one, which is c, differ in one attribute each.
    assert text.count('<td class="differs">') == 3
    assert text.count('<td class="agrees">') == 5


def test_the_sentences_fit_what_happened():
    said = " ".join(explain_in_words(knn_receipt()))
    assert "color = red and size in (2, 3] say most" in said
    assert "more than 3, since 4 are equally far at the 3rd place" in said
    assert "4 of them are good, 1 bad." in said
    assert "another class, c (bad), differs in color." in said
    # exp(-0.5 + 2.0) = 4.48
    assert "color speaks loudest: its value is 4.48 times" in " ".join(
        explain_in_words(nb_receipt())
    )
    assert "one of 4 models" in " ".join(explain_in_words(model_receipt()))


def test_a_class_that_is_a_number_is_called_a_class():
    content = hostile_receipt("color", 2)
    assert "4 of them are class 2, 1 bad." in explain_in_words(content)


def test_all_attributes_may_count():
    content = knn_receipt()
    for item in content["selection"]["attributes"]:
        item["used"] = True
    assert (
        "All 3 attributes count; first in rank: color," in explain_in_words(content)[1]
    )


def test_a_level_vote_is_told():
    content = knn_receipt()
    for vote in content["votes"]:
        vote["votes"] = 2
    said = " ".join(explain_in_words(content))
    assert "bad and good have 2 votes each" in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"strategy": "none"}, "All 3 attributes count"),
        ({"strategy": "eager"}, "on the whole"),
        ({"rule": "vote"}, "the first two, and so on up to all 3"),
        ({"rule": "local"}, "over the cases near this row"),
    ],
)
def test_each_selection_has_its_words(change, words):
    content = plain()
    content["selection"].update(change)
    assert words in explain_in_words(content)[1]


def test_a_thousand_attributes_and_classes_stay_readable():
    content = knn_receipt()
    names = [f"a{i}" for i in range(1000)]
    first = content["selection"]["attributes"][0]
    content["selection"]["attributes"] = [
        {**first, "name": name, "rank": i + 1, "used": i < 500}
        for i, name in enumerate(names)
    ]
    content["query"] = [{"name": n, "value": "red", "known": "yes"} for n in names]
    content["votes"] += [
        {"label": i, "votes": 0, "probability": 0.0} for i in range(1000)
    ]
    for case in content["neighbors"]["listed"]:
        case.update(values=dict.fromkeys(names[:500], "red"), differ=names[100:200])
    receipt = Receipt.from_dict(sealed(content))
    assert len(receipt.to_html()) < 200_000
    assert "≠ in 488 more" in receipt.to_html()
    assert "and 2 more" in receipt.to_html()


def test_a_long_batch_is_cut_in_a_notebook_only():
    receipt = Receipt.from_dict(knn_receipt())
    many = Receipts([receipt] * 13)
    assert many._repr_html_().count("<article") == 10
    assert "3 more receipts are not shown here" in many._repr_html_()
    assert many.to_html().count("<article") == 13


def test_without_jinja2_the_way_out_is_named(monkeypatch):
    def refuse(name, *args):
        if name == "jinja2":
            raise ModuleNotFoundError(name=name)
        return importlib.__import__(name, *args)

    monkeypatch.setattr(report_html.importlib, "import_module", refuse)
    report_html._environment.cache_clear()
    receipt = Receipt.from_dict(hostile_receipt(HOSTILE[0], HOSTILE[1]))
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
        Heading("Rows"),
        Grid(["name", "n"], [["hue", "12"], ["色", "3"]], "lr"),
    ]
    assert to_text(blocks) == (
        "Wine\n====\n\nIt is so.\n\nRows\n  name   n\n  hue   12\n  色     3"
    )
    assert to_markdown(blocks) == (
        "# Wine\n\nIt is so.\n\n## Rows\n\n| name | n |\n|---|---:|\n| hue | 12 |\n"
        "| 色 | 3 |\n"
    )
