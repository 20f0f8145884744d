"""Options that several commands share, and the records that hold their values.

Nothing heavy is imported here, so that help and completion are fast. Names that other
rooms define (formats, kinds) are repeated for that reason; a test compares them.
"""

import functools
import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from sklazy.cli.completing import column_names, complete_columns, complete_kinds
from sklazy.cli.late_modules import import_late
from sklazy.cli.methods import METHODS
from sklazy_command import ending_at_once

Command = Callable[..., None]
Decorator = Callable[[Command], Command]

OUT_FILE = click.Path(dir_okay=False)
"""A file to write."""

IN_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
"""A file to read; a dash is standard input."""


class SourcePath(click.Path):
    """Files to read: one, a directory, a pattern or a URL; a dash is standard input."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Refuse what is not there; patterns and URLs are looked up when read."""
        named = isinstance(value, str) and ("://" in value or set("*?[") & set(value))
        return value if named else super().convert(value, param, ctx)


class CommandOfOneSource(click.Command):
    """A command of one source of rows, which may be many files."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Say how to give several files, where these come one after another."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            raise click.UsageError(
                f"{error.message}. For rows in several files give their folder, or a "
                "pattern in quotes, such as 'rows/*.csv'.",
                error.ctx,
            ) from None


IN_SOURCE = SourcePath(exists=True, allow_dash=True)
"""Files to read."""

KEY_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A file whose bytes are a secret key."""

FORMATS = ("csv", "arff", "parquet", "feather", "jsonl", "excel")
KINDS = (
    *("numeric", "nominal", "date", "day-first", "month-first"),
    *("decimal-point", "decimal-comma", "at-limit", "ignore"),
)
AUTO = "auto"
"""Name of the method that `choose_method` replaces by the default."""

BY_CLASSES = ("none", "class", "nearness")
BY_NUMBERS = (AUTO, "none", "ratio", "both", "nearness")
"""What ``--by`` may be for sets of classes and for intervals of numbers."""

_SMALL_FILE = 1 << 24  # bytes, read in less time than it takes to import all
_ABOVE_0 = click.FloatRange(min=0, min_open=True)

READING = "sklazy.reading"
"""Key of the options of reading in a command's context."""

SAFE_CSV = "sklazy.safe_csv"
"""Key of ``--safe-csv`` in a command's context."""


class TrainingFile(NamedTuple):
    """A file to learn from, or a model that `sklazy fit` wrote."""

    train: str
    target: str | None
    kind: str
    ignore: Sequence[str]
    id_column: str | None = None


class MethodChoice(NamedTuple):
    """A method by name, its parameters as ``NAME=VALUE``, and its seed."""

    method: str
    settings: Sequence[str] = ()
    seed: int = 0


class Confidence(NamedTuple):
    """How often sets, intervals and answers should be right.

    Attributes
    ----------
    coverage : float, or None
        Share of rows whose set or interval should hold the truth. None: intervals of
        the usual coverage where a model has them, and no sets; 0: neither.
    abstain : float, or None
        Accuracy that the answers given should have; others are withheld.
    by : str, or None
        What the coverage of sets holds for, or how widths of intervals follow the row.
    """

    coverage: float | None = None
    abstain: float | None = None
    by: str | None = None


_RECORDS: Mapping[str, Any] = {
    "source": TrainingFile,
    "choice": MethodChoice,
    "confidence": Confidence,
}


def bundle_options(options: Mapping[str, object]) -> dict[str, object]:
    """Options that belong together become one record; one without a file is None.

    Examples
    --------
    >>> bundle_options({"coverage": 0.9, "abstain": None, "out": "a.csv"})
    {'out': 'a.csv', 'confidence': Confidence(coverage=0.9, abstain=None, by=None)}
    """
    bundled = dict(options)
    for name, record in _RECORDS.items():
        required = set(record._fields) - {"id_column", "by"}
        if required <= options.keys():
            fields = {f: bundled.pop(f) for f in record._fields if f in bundled}
            is_absent = fields.get("train", "") is None
            bundled[name] = None if is_absent else record(**fields)
    return bundled


def runs(module: str) -> Decorator:
    """Let a command call the function of its name in a module of this folder.

    The module is imported when the command runs. ``--json`` and ``--debug`` are added;
    the function's first argument is the `Console`.
    """

    def declare(function: Command) -> Command:
        @click.option(
            "--json", "as_json", is_flag=True, help="Write the result as JSON."
        )
        @click.option("--debug", is_flag=True, help="Show the traceback of an error.")
        @functools.wraps(function)
        def command(as_json: bool, debug: bool, **options: object) -> None:
            if click.get_current_context().invoked_subcommand:
                return  # which has options of its own
            with ending_at_once():
                import_late("pandas")
                console = importlib.import_module("sklazy.cli.console")
                if _seems_to_lack_target(options):
                    tasks = importlib.import_module("sklazy.cli.tasks")
                    console.run_command(tasks.check_target, as_json, debug, options)
                import_late("scipy.stats")
                work = _find_work(module, function.__name__)
            console.run_command(work, as_json, debug, options)

        return command

    return declare


def _find_work(module: str, name: str) -> Callable[..., None]:
    """The function of a command; one that raises if a library for it is missing."""
    try:
        work: Callable[..., None] = getattr(
            importlib.import_module(f"sklazy.cli.{module}"), name
        )
    except ImportError as error:
        absence = error

        def refuse(*_: object, **__: object) -> None:
            raise absence

        return refuse
    return work


def _seems_to_lack_target(options: Mapping[str, object]) -> bool:
    """Whether a small file has no column of the target's name, at a first look.

    Then it is worth reading before scikit-learn and numba are imported.
    """
    train, target = options.get("train"), options.get("target")
    if not isinstance(train, str) or not isinstance(target, str):
        return False
    try:
        is_small = Path(train).is_file() and Path(train).stat().st_size < _SMALL_FILE
        with warnings.catch_warnings(action="ignore"):  # of another sheet, for one
            return is_small and target not in column_names(train)
    except Exception:  # whoever reads it in earnest finds better words
        return False


def _combine(*options: Decorator) -> Decorator:
    """Several options as one decorator, listed in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _keep_kinds(
    context: click.Context, _: click.Parameter, settings: Sequence[str]
) -> None:
    """Keep the kinds of columns for the reader."""
    pairs = [setting.rpartition("=") for setting in settings]
    wrong = [pair for pair in pairs if not pair[0] or pair[2] not in KINDS]
    if wrong:
        raise click.BadParameter(
            f"{''.join(wrong[0])!r}; expected NAME=KIND, where KIND is one of "
            f"{', '.join(KINDS)}."
        )
    if pairs:
        kinds = {name: kind for name, _, kind in pairs}
        context.meta.setdefault(READING, {})["kinds"] = kinds


def _reading(
    name: str,
    text: str,
    kind: "click.ParamType[Any] | None" = None,
    **more: object,
) -> Decorator:
    """An option for reading all files of a command."""
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
    if value not in (None, ()):
        # Commands may have --max-seconds of their own.
        name = "max_seconds" if option.name == "max_read_seconds" else option.name
        context.meta.setdefault(READING, {})[name] = value


def target_option(required: bool = True) -> Decorator:
    """Add the target's name."""
    return click.option(
        "--target",
        "-t",
        required=required,
        shell_complete=complete_columns,
        help="Column to predict." + ("" if required else " Not needed with a MODEL."),
    )


task_options = _combine(
    click.option(
        "--task",
        "kind",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        show_default=True,
        help="Kind of prediction; by default inferred from the target.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        shell_complete=complete_columns,
        help="Column to leave out. Repeat for several.",
    ),
)
"""Add the kind of prediction and the columns to leave out."""

reading_options = _combine(
    _reading(
        "format",
        "Format of the files; by default inferred from their names.",
        click.Choice(FORMATS),
    ),
    _reading(
        "encoding", "Encoding of text files, for example latin-1; default: utf-8."
    ),
    _reading(
        "delimiter", "Delimiter of CSV files, for example ';'; by default inferred."
    ),
    _reading(
        "decimal", "Decimal mark of CSV files; default: '.'.", click.Choice((".", ","))
    ),
    _reading(
        "header/--no-header",
        "Whether the first row of CSV and Excel files holds the column names; by "
        "default inferred. Columns without names are called x0, x1, ...",
        default=None,
    ),
    _reading(
        "sheet",
        "Sheet of Excel files, by its name or its place counted from 0; default: the "
        "first.",
    ),
    _reading(
        "skip-rows",
        "Rows of Excel files above the header to leave out; default: 0.",
        click.IntRange(0),
    ),
    _reading(
        "missing",
        "Cell of CSV and Excel files that means missing, besides the usual ones (the "
        "empty cell, ?, NA, n/a, NULL, ...). Repeat for several.",
        multiple=True,
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        callback=_keep_kinds,
        expose_value=False,
        metavar="NAME=KIND",
        shell_complete=complete_kinds,
        help=f"Kind of a column: {', '.join(KINDS)}. Repeat for several.",
    ),
    _reading(
        "max-cells",
        "Refuse files with more cells; default: what fits in memory; inf: no limit.",
        _ABOVE_0,
    ),
    _reading(
        "max-bytes",
        "Refuse files with more bytes after decompression; default: what fits in "
        "memory, and at most 500 times the size of a compressed file; inf: no limit.",
        _ABOVE_0,
    ),
    _reading(
        "max-read-seconds",
        "Refuse a file that takes longer to read; default: no limit.",
        _ABOVE_0,
    ),
)
"""Add the options for reading files."""

train_options = _combine(
    click.argument("train", type=IN_SOURCE),
    target_option(),
    task_options,
    reading_options,
)
"""Add a training file, its target and the options for reading it."""

_settings_options = _combine(
    click.option(
        "--seed", default=0, show_default=True, help="Seed of random choices."
    ),
    click.option(
        "--set",
        "-s",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Parameter of the method, for example n_neighbors=3 or, for ensembles, "
        "beta=0.9. Repeat for several.",
    ),
)
"""Add the seed and the parameters of a method."""

method_options = _combine(
    click.option(
        "--method",
        "-m",
        type=click.Choice(METHODS),
        callback=lambda context, option, method: method or AUTO,
        help="Method; default: blend, the most accurate.",
    ),
    _settings_options,
)
"""Add the options of a method and its parameters."""

store_options = _combine(
    click.option(
        "--method",
        "-m",
        type=click.Choice(METHODS),
        default="lazy-knn",
        show_default=True,
        help="Method. lazy-knn, lazy-nb and lazy-learning can leave the rows in the "
        "file; the others load all of them.",
    ),
    _settings_options,
)
"""Add the options of a method that is stored, and its parameters."""

id_option = click.option(
    "--id",
    "id_column",
    shell_complete=complete_columns,
    help="Column with the ids of the rows, which must differ where rows of TRAIN are "
    "named. It is shown with predictions and in receipts, and is not used as a "
    "feature.",
)
"""Add the column with the ids of the rows."""

key_option = click.option(
    "--key", type=KEY_FILE, help="File with the secret key, at least 16 bytes."
)
"""Add the key of signatures."""


def coverage_options(default: str) -> Decorator:
    """Add --coverage, --by and --abstain to a command."""
    return _combine(
        click.option(
            "--coverage",
            type=click.FloatRange(0, 1, max_open=True),
            help="Add a set of classes, or an interval of numbers, that should hold "
            f"the true value for this share of the rows; 0: none. {default}",
        ),
        click.option(
            "--by",
            type=click.Choice([*BY_CLASSES, "ratio", "both", AUTO]),
            help="Sets: 'class' makes the coverage hold within every class, also a "
            "rare one, 'nearness' weighs rows by how near they are. Intervals: wider "
            "where near rows are predicted worse ('nearness'), in proportion to the "
            "prediction ('ratio'), 'both', the same for all ('none'), or what suits "
            "the rows best ('auto', the default).",
        ),
        click.option(
            "--abstain",
            metavar="ACCURACY",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            help="Withhold uncertain predictions: as few as possible, so that the "
            "others reach this accuracy in leave-one-out, for example 0.95.",
        ),
    )


def limit_options(rows: str) -> Decorator:
    """Add --max-rows, with the help text `rows`, and --max-seconds to a command."""
    return _combine(
        click.option("--max-rows", type=click.IntRange(min=1), help=rows),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            help="Stop after this many seconds and keep the results so far.",
        ),
    )


def csv_options(text: str, *, folders: bool = False) -> Decorator:
    """Add ``--out`` with this help, and ``--safe-csv``, which `to_csv` reads.

    The output may be a folder where `folders` are allowed.
    """

    def keep(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[SAFE_CSV] = value

    return _combine(
        click.option("--out", "-o", type=click.Path(dir_okay=folders), help=text),
        click.option(
            "--safe-csv",
            is_flag=True,
            callback=keep,
            expose_value=False,
            help="Put an apostrophe before every text in the CSV output that starts "
            "with =, +, -, @, a tab or a carriage return, because a spreadsheet may "
            "run it as a formula.",
        ),
    )
