"""`sklazy explore` as a shell sees it; its work is in `explore`."""

import click

from sklazy.cli.options import (
    IN_FILE,
    id_option,
    method_options,
    reading_options,
    target_option,
    task_options,
)
from sklazy.cli.running import runs


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
    help="Port on 127.0.0.1; 0 for any that is free.",
)
@click.option("--browser/--no-browser", default=True, help="Whether to open a browser.")
@runs("explore")
def explore() -> None:
    """Look at cases, receipts, what-if, a map and an audit in a browser.

    The page is for this machine alone and needs the token in the address that is
    printed. Changes made there are a list that can be undone; the file itself is never
    written to. Ctrl-C ends it. Needs pip install 'sklazy[serve]'.

    \b
    Examples:
      sklazy explore flats.csv --target heating
      sklazy explore flats.csv -t rent --id flat --no-browser --port 8000
      sklazy explore rent.sklazy
    """
