"""The front door, from a shell."""

import sys
from pathlib import Path

try:
    import click
    from rich.console import Console
except ModuleNotFoundError as error:  # pragma: no cover - depends on the install
    sys.exit(f"sklazy's command line needs {error.name}: pip install 'sklazy[cli]'")

import sklazy
from sklazy.experiments.demo import show_demo


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sklazy.__version__, prog_name="sklazy")
def main() -> None:
    """Learn when asked: the attributes, cases and model for each query."""


@main.command()
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="Where the page of receipts goes.",
)
def demo(page: Path) -> None:
    """Show on wine what matters for a row, answer, explain, advise.

    Example: sklazy demo
    """
    show_demo(Console(), page)
