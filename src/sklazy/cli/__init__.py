"""The command line."""

import io
import sys

try:
    import click
    import jinja2  # noqa: F401 - the pages need it
    import rich  # noqa: F401 - and the terminal this
except ModuleNotFoundError as error:  # pragma: no cover - depends on the install
    sys.exit(f"sklazy's command line needs {error.name}: pip install 'sklazy[cli]'")

import sklazy
from sklazy.cli import advise, audit, demo, explain, predict, race, reproduce, select


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong input, 3 missing data sets, 130 "
    "interrupted.",
)
@click.version_option(sklazy.__version__, prog_name="sklazy")
def main() -> None:
    """Lazy learning: each query gets its own attributes, cases and model.

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


for _command in (
    demo.demo,
    predict.predict,
    explain.explain,
    advise.advise,
    audit.audit,
    select.select,
    race.race,
    reproduce.reproduce,
    demo.completion,
):
    main.add_command(_command)
