"""Declarations of the commands for servers, browsers and shells."""

import click
from click.shell_completion import get_completion_class

from sklazy.cli.completing import complete_methods
from sklazy.cli.options import (
    IN_FILE,
    id_option,
    key_option,
    method_options,
    reading_options,
    runs,
    target_option,
    task_options,
)


@click.command()
@click.argument("train", type=IN_FILE, metavar="TRAIN|MODEL")
@target_option(required=False)
@task_options
@id_option
@reading_options
@method_options
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port on 127.0.0.1; 0 for any free port.",
)
@click.option("--browser/--no-browser", default=True, help="Whether to open a browser.")
@click.option(
    "--beside",
    multiple=True,
    type=IN_FILE,
    metavar="TRAIN|MODEL",
    help="Another file or model on the same site. Repeat for several.",
)
@click.option("--read-only", is_flag=True, help="Refuse changes made on the page.")
@runs("explore")
def explore() -> None:
    """Explore cases, receipts, what-if questions, a map and an audit in a browser.

    The page can be opened on this machine only, with the address that is printed.
    Changes made there can be undone, and never change the file. Press Ctrl-C to stop.
    Needs pip install 'sklazy[serve]'.

    \b
    Examples:
      sklazy explore flats.csv --target heating
      sklazy explore flats.csv -t rent --id flat --no-browser --port 8000
      sklazy explore rent.sklazy
      sklazy explore flats.csv -t heating --beside heating.sklazy --read-only
    """


@click.command()
@click.argument("model", type=click.Path(exists=True), metavar="MODEL|JOURNAL")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
)
@click.option(
    "--port", default=8000, show_default=True, help="Port; 0 for any free port."
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False),
    help="File with a role (ask, explain or change) and a token on each line; made "
    "with new tokens if it does not exist. Needed for --journal and for a --host that "
    "other machines can reach.",
)
@click.option(
    "--receipts",
    type=click.Choice(["none", "aggregate", "ids", "values"]),
    default="aggregate",
    show_default=True,
    help="How much answers reveal about the cases.",
)
@click.option(
    "--min-group",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Size of the smallest group of cases that an answer may describe; not used "
    "with --receipts values.",
)
@click.option(
    "--noise",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="How much wider to spread groups, for example 0.5 for 50 %; not used with "
    "--receipts values.",
)
@click.option(
    "--journal",
    type=click.Path(file_okay=False),
    help="Folder for the changes; without it, clients cannot change the model.",
)
@click.option(
    "--salvage",
    is_flag=True,
    help="Use a damaged journal up to the damage; a copy of it is kept beside it.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Another name of this server in Host headers. Repeat for several.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Time limit for each request.",
)
@click.option(
    "--max-questions",
    type=click.IntRange(1),
    help="Total number of rows that each token may ask about. The file of "
    "--questions-file keeps the count across restarts.",
)
@click.option(
    "--questions-file",
    type=click.Path(dir_okay=False),
    default="questions.json",
    show_default=True,
    help="File with the number of rows that each token has asked about.",
)
@click.option(
    "--name",
    default="model",
    show_default=True,
    help="Name of the model in /v2/models/NAME/infer.",
)
@click.option(
    "--access-log/--no-access-log",
    default=False,
    show_default=True,
    help="Whether to write a line of JSON to stderr for each request, without values, "
    "tokens or addresses.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that answer, over one mapped file; with --journal another one "
    "makes all changes.",
)
@key_option
@click.option(
    "--search",
    multiple=True,
    type=click.Path(exists=True),
    metavar="PATH",
    help="File or folder, such as a backup, to search for the bytes of a person who is "
    "erased. Repeat for several.",
)
@runs("serve")
def serve() -> None:
    """Serve a MODEL over HTTP: predict, explain, add, forget, erase.

    The server can be reached from this machine only, unless --host is given. Changes
    are on disk before the server confirms them; give the JOURNAL in place of the model
    to continue from them. The server describes itself as OpenAPI.

    \b
    Examples:
      sklazy fit flats.csv -t heating --id flat -o heating.sklazy
      sklazy serve heating.sklazy
      sklazy serve heating.sklazy --journal changes --token-file tokens
      sklazy serve changes --token-file tokens --receipts ids
      sklazy serve changes --token-file tokens --workers 4
    """


@click.command()
@click.argument(
    "methods",
    nargs=-1,
    metavar="[METHOD]...",
    shell_complete=complete_methods,
)
@runs("warm")
def warm() -> None:
    """Compile methods ahead of time, for a container image or a test machine.

    Without METHOD everything is compiled, which takes a minute or two. The code is kept
    in the folder NUMBA_CACHE_DIR, or beside the package, or in the user's cache folder,
    where other processes find it.

    \b
    Examples:
      sklazy warm lazy-nb
      sklazy warm blend lazy-bagging
    """


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and column names in a shell.

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
