"""Options that several commands share; nothing heavy is imported for them.

Names that other rooms know (formats, kinds, methods) are written down here, so that a
shell's help and completion need not wait for these rooms; a test compares them.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from sklazy.cli.completing import complete_columns, complete_kinds

Command = Callable[..., None]
Decorator = Callable[[Command], Command]

OUT_FILE = click.Path(dir_okay=False)
"""A file to write."""

IN_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
"""A file to read; a dash is standard input."""

KEY_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A file whose bytes are a secret key."""

FORMATS = ("csv", "arff", "parquet", "feather", "jsonl", "excel")
KINDS = (
    *("numeric", "nominal", "date", "day-first", "month-first"),
    *("decimal-point", "decimal-comma", "ignore"),
)
METHODS = (
    *("lazy-knn", "lazy-nb", "lazy-learning", "lazy-bagging", "lazy-stacking"),
    *("kernel", "lazy-tree", "blend", "lazy-bayes-rules", "lazy-rules"),
    *("guess", "knn", "tree", "bagging", "logistic", "svm", "random-forest"),
    *("gradient-boosting", "lazy-pls", "racsam", "ridge"),
)
MOST_BLENDED = 5000
"""Rows up to which a blend is the default method; see docs/accuracy.md."""

READING = "sklazy.reading"
"""Key of the options of reading in a command's context."""

SAFE_CSV = "sklazy.safe_csv"
"""Key of ``--safe-csv`` in a command's context."""


def _together(*options: Decorator) -> Decorator:
    """Several options as one decorator, listed in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _keep_kinds(
    context: click.Context, _: click.Parameter, given: Sequence[str]
) -> None:
    """Keep what columns are said to be for the reader."""
    pairs = [pair.rpartition("=") for pair in given]
    wrong = [pair for pair in pairs if not pair[0] or pair[2] not in KINDS]
    if wrong:
        raise click.BadParameter(
            f"{''.join(wrong[0])!r}; expected NAME=KIND with a kind of "
            f"{', '.join(KINDS)}."
        )
    if pairs:
        kinds = {name: kind for name, _, kind in pairs}
        context.meta.setdefault(READING, {})["kinds"] = kinds


def _reading(
    name: str, text: str, choices: Sequence[str] | None = None, **more: object
) -> Decorator:
    """An option that the reader gets for all files of a command."""
    kind = None if choices is None else click.Choice(choices)
    return click.option(
        f"--{name}",
        type=kind,
        help=text,
        callback=_keep_reading,
        expose_value=False,
        **more,  # type: ignore[arg-type]
    )


def _keep_reading(
    context: click.Context, option: click.Parameter, value: object
) -> None:
    if value is not None:
        context.meta.setdefault(READING, {})[option.name] = value


def target_option(required: bool = True) -> Decorator:
    """Add the target's name."""
    return click.option(
        "--target",
        "-t",
        required=required,
        shell_complete=complete_columns,
        help="Column to predict." + ("" if required else " Not needed with a MODEL."),
    )


task_options = _together(
    click.option(
        "--task",
        "kind",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        show_default=True,
        help="Target type; inferred if omitted.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        shell_complete=complete_columns,
        help="Column to leave out; repeat for several.",
    ),
)
"""Add what the target is and what is left out."""

reading_options = _together(
    _reading("format", "Format of the files; by their names if omitted.", FORMATS),
    _reading(
        "encoding", "Encoding of text files, for example latin-1; default: utf-8."
    ),
    _reading("delimiter", "Delimiter of CSV, for example ';'; inferred if omitted."),
    _reading("decimal", "Decimal mark of CSV; default: '.'.", (".", ",")),
    _reading(
        "header/--no-header",
        "Whether the first row of CSV and Excel files holds names; inferred if "
        "omitted. Without names columns are x0, x1, ...",
        default=None,
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        callback=_keep_kinds,
        expose_value=False,
        metavar="NAME=KIND",
        shell_complete=complete_kinds,
        help=f"What a column is: {', '.join(KINDS)}; repeat for several.",
    ),
)
"""Add the options of reading files."""

train_options = _together(
    click.argument("train", type=IN_FILE),
    target_option(),
    task_options,
    reading_options,
)
"""Add a training file, its target and the options of reading it."""

_settings_options = _together(
    click.option(
        "--seed", default=0, show_default=True, help="Seed of random choices."
    ),
    click.option(
        "--set",
        "-s",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Parameter of the method, for example n_neighbors=3, or beta=0.9 of the "
        "ensembles; repeat for several.",
    ),
)
"""Add the seed and the parameters of a method."""

method_options = _together(
    click.option(
        "--method",
        "-m",
        type=click.Choice(METHODS),
        help=f"Method; default: blend, the most accurate; kernel for more than "
        f"{MOST_BLENDED} rows, where a blend takes long.",
    ),
    _settings_options,
)
"""Add the options of a method and its parameters."""

store_options = _together(
    click.option(
        "--method",
        "-m",
        type=click.Choice(METHODS),
        default="lazy-knn",
        show_default=True,
        help="Method; lazy-knn, lazy-nb and lazy-learning can leave the rows in the "
        "file, others read all of them.",
    ),
    _settings_options,
)
"""Add the options of a method that is stored, and its parameters."""

id_option = click.option(
    "--id",
    "id_column",
    shell_complete=complete_columns,
    help="Column that names the rows: it is not learned from, and stands beside "
    "predictions and in receipts.",
)
"""Add the column that names rows."""

key_option = click.option(
    "--key", type=KEY_FILE, help="File with the secret key, at least 16 bytes."
)
"""Add the key of signatures."""


def coverage_options(default: str) -> Decorator:
    """Add --coverage and --abstain to a command."""
    return _together(
        click.option(
            "--coverage",
            type=click.FloatRange(0, 1, max_open=True),
            help="Give the set of classes, or the interval of numbers, that should "
            f"hold the true one in this share of rows; 0: none. {default}",
        ),
        click.option(
            "--abstain",
            metavar="ACCURACY",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            help="Withhold answers that are not sure, the fewest such that those "
            "given are right this often by leave-one-out, for example 0.95.",
        ),
    )


def limit_options(rows: str) -> Decorator:
    """Add --max-seconds and --max-rows to a command; `rows` says what these bound."""
    return _together(
        click.option("--max-rows", type=click.IntRange(min=1), help=rows),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            help="Stop after so many seconds, and keep what was done by then.",
        ),
    )


def csv_options(text: str) -> Decorator:
    """Add ``--out`` with this help, and ``--safe-csv``, which `to_csv` finds."""

    def keep(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[SAFE_CSV] = value

    return _together(
        click.option("--out", "-o", type=OUT_FILE, help=text),
        click.option(
            "--safe-csv",
            is_flag=True,
            callback=keep,
            expose_value=False,
            help="Put an apostrophe before texts of the CSV output that begin with =, "
            "+, -, @, a tab or a carriage return: a spreadsheet may run them as "
            "formulas.",
        ),
    )
