"""`sklazy demo`, and completion in a shell."""

from pathlib import Path

import click
from click.shell_completion import get_completion_class

from sklazy.cli.console import Console, Terminal, with_console
from sklazy.experiments.demo import show_demo


@click.command()
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="Page of receipts to write.",
)
@with_console
def demo(console: Console, page: Path) -> None:
    """Show lazy selection on the wine data: predict, explain, advise.

    \b
    Example:
      sklazy demo
    """
    if console.as_json:
        show_demo(Terminal(quiet=True), page)
    else:
        show_demo(console.terminal, page)
    console.result({"page": str(page)}, lambda _: None)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes sklazy's commands and options in a shell.

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
