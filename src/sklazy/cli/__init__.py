"""The command line."""

import io
import sys
from importlib.util import find_spec

try:
    import click
except ModuleNotFoundError:  # pragma: no cover - depends on the install
    sys.exit("sklazy's command line needs click: pip install 'sklazy[cli]'")

import sklazy
from sklazy.cli.commands import COMMANDS

for _needed in ("jinja2", "rich"):  # imported when something is shown
    if find_spec(_needed) is None:  # pragma: no cover - depends on the install
        sys.exit(f"sklazy's command line needs {_needed}: pip install 'sklazy[cli]'")


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong input, 3 missing data sets, 130 "
    "interrupted.",
)
@click.version_option(sklazy.__version__, prog_name="sklazy")
def main() -> None:
    """Lazy learning: each row gets its own features, cases and model.

    \b
    Try:
      sklazy demo
      sklazy example
      sklazy advise flats.csv --target heating
      sklazy predict flats.csv --target heating
    """
    # A terminal or a pipe that cannot show a character gets a question mark.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


for _command in COMMANDS:
    main.add_command(_command)
