"""The demo: it runs, shows what it promises, and leaves a page."""

import pytest
from click.testing import CliRunner

from harmless import check_harmless
from sklazy.cli import main


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    page = tmp_path_factory.mktemp("demo") / "page.html"
    result = CliRunner().invoke(main, ["demo", "--html", str(page)])
    assert result.exit_code == 0, result.output
    return result.output, page


def test_the_demo_predicts_explains_and_advises(shown):
    output, _ = shown
    assert "were predicted" in output
    assert output.count("Answer: grower") == 2
    assert "The nearest case of another class" in " ".join(output.split())
    assert "the receipt was edited" in " ".join(output.split())
    assert "the receipt does not replay" in " ".join(output.split())
    assert "Advice: " in output


def test_the_demo_leaves_a_page_of_receipts(shown):
    output, page = shown
    assert page.name in "".join(output.split())
    text = page.read_text(encoding="utf-8")
    check_harmless(text)
    assert text.count("<article") == 2


def test_a_terminal_of_few_letters_and_a_page_that_cannot_be_written(tmp_path):
    result = CliRunner(charset="ascii").invoke(
        main, ["demo", "--html", str(tmp_path / "no" / "p.html")]
    )
    assert result.exit_code == 0, result.output
    assert "0.606 ???" in result.output
    assert "could not be written" in result.output
