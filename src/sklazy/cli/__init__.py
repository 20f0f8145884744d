"""The front door, from a shell."""

import io
import sys

try:
    import click
    import jinja2  # noqa: F401 - the pages need it
    import rich  # noqa: F401 - and the terminal this
except ModuleNotFoundError as error:  # pragma: no cover - depends on the install
    sys.exit(f"sklazy's command line needs {error.name}: pip install 'sklazy[cli]'")

import sklazy
from sklazy.cli.demo import completion, demo
from sklazy.cli.explain import advise, explain
from sklazy.cli.predict import predict
from sklazy.cli.race import race
from sklazy.cli.reproduce import reproduce
from sklazy.cli.select import select


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong input, 3 data sets missing, 130 "
    "interrupted.",
)
@click.version_option(sklazy.__version__, prog_name="sklazy")
def main() -> None:
    """Learn when asked: the attributes, cases and model for each query.

    \b
    Try:
      sklazy demo
      sklazy advise data.csv --target class
      sklazy predict data.csv --target class
    """
    # A terminal or a pipe that cannot show a bar gets question marks, not a crash.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


for _command in (demo, predict, explain, advise, select, race, reproduce, completion):
    main.add_command(_command)
