"""`sklazy demo`, and what a shell needs to complete commands."""

from pathlib import Path

import click
from click.shell_completion import get_completion_class
from rich.console import Console

from sklazy.cli.console import Speaker, speaks
from sklazy.experiments.demo import show_demo


@click.command()
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="Where the page of receipts goes.",
)
@speaks
def demo(speaker: Speaker, page: Path) -> None:
    """Show on wine what matters for a row, answer, explain, advise.

    \b
    Example:
      sklazy demo
    """
    if speaker.as_json:
        show_demo(Console(quiet=True), page)
    else:
        show_demo(speaker.console, page)
    speaker.tell({"page": str(page)}, lambda console: None)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes a shell complete sklazy's commands and options.

    \b
    Examples:
      sklazy completion bash >> ~/.bashrc
      sklazy completion zsh >> ~/.zshrc
      sklazy completion fish > ~/.config/fish/completions/sklazy.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root().command
    click.echo(kind(root, {}, "sklazy", "_SKLAZY_COMPLETE").source())
