"""The commands for machines that answer others, as a shell sees them."""

import click
from click.shell_completion import get_completion_class

from sklazy.cli.options import METHODS
from sklazy.cli.running import runs


@click.command()
@click.argument("model", type=click.Path(exists=True), metavar="MODEL|JOURNAL")
@click.option("--host", default="127.0.0.1", show_default=True, help="Bind to this.")
@click.option("--port", default=8000, show_default=True, help="0 for any free one.")
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False),
    help="Lines of a role (ask, explain or change) and a token; written with new "
    "tokens if it is not there. Needed for changes and beyond this machine.",
)
@click.option(
    "--receipts",
    type=click.Choice(["none", "aggregate", "ids", "values"]),
    default="aggregate",
    show_default=True,
    help="How much receipts tell of the cases.",
)
@click.option(
    "--min-group",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Fewest cases that a count in a receipt may be about.",
)
@click.option(
    "--journal",
    type=click.Path(file_okay=False),
    help="Folder that keeps changes; without it nothing can be changed.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A further name of this server in Host headers; may be repeated.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Time for the answer to a request.",
)
@runs("serve")
def serve() -> None:
    """Answer over HTTP by a MODEL that fit wrote: predict, explain, add, forget.

    It can be reached from this machine only, unless --host says otherwise. Changes are
    on the disk before they are answered; a JOURNAL in place of the model goes on from
    them. The server describes its addresses itself, as OpenAPI.

    \b
    Examples:
      sklazy fit flats.csv -t heating --id flat -o heating.sklazy
      sklazy serve heating.sklazy
      sklazy serve heating.sklazy --journal changes --token-file tokens
      sklazy serve changes --token-file tokens --receipts ids
    """


@click.command()
@click.argument(
    "methods",
    nargs=-1,
    metavar="[METHOD]...",
    shell_complete=lambda context, option, incomplete: [
        name for name in METHODS if name.startswith(incomplete)
    ],
)
@runs("warm")
def warm() -> None:
    """Compile what methods need ahead of time, for an image or a test machine.

    Without METHOD everything is compiled, which takes a minute or two. It is kept in
    the folder that the environment variable NUMBA_CACHE_DIR names, or else beside the
    package or in the user's cache folder; other processes then load it.

    \b
    Examples:
      sklazy warm lazy-nb
      sklazy warm blend lazy-bagging
    """


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and column names in a shell.

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
