"""The commands as a shell sees them: names, options, help. Their work is elsewhere."""

from pathlib import Path

import click
from click.shell_completion import get_completion_class

from sklazy.cli.exploring import explore
from sklazy.cli.options import (
    IN_FILE,
    METHODS,
    OUT_FILE,
    coverage_options,
    csv_options,
    id_option,
    key_option,
    limit_options,
    method_options,
    reading_options,
    store_options,
    target_option,
    task_options,
    train_options,
)
from sklazy.cli.running import runs

_PROTOCOLS = ("both", "honest", "paper")


@click.command()
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="Page of receipts to write.",
)
@runs("demo")
def demo() -> None:
    """Show lazy selection on the wine data: predict, explain, advise.

    \b
    Example:
      sklazy demo
    """


@click.command()
@runs("example")
def example() -> None:
    """Write two small files to try the other commands on.

    flats.csv holds 200 flats that were made up, with their rents; new-flats.csv holds
    20 more, without. Files that are there are left alone.

    \b
    Examples:
      sklazy example
      sklazy predict flats.csv new-flats.csv --target rent
    """


@click.command()
@train_options
@id_option
@method_options
@click.option("--out", "-o", type=OUT_FILE, required=True, help="File to write.")
@runs("fit")
def fit() -> None:
    """Learn from a file, and write the model to another, for predict and explain.

    The file holds data only (the cases, the method and its parameters); nothing in it
    is executed when it is read.

    \b
    Examples:
      sklazy fit flats.csv --target rent -o rent.sklazy
      sklazy fit flats.csv -t heating -m lazy-knn --id flat -o heating.sklazy
    """


@click.command()
@train_options
@id_option
@store_options
@click.option("--out", "-o", type=OUT_FILE, required=True, help="File to write.")
@runs("store")
def store() -> None:
    """Write the model of a file of any size, without holding its rows in memory.

    FILE is CSV, ARFF, Parquet or Feather and is read some rows at a time, twice. The
    method is lazy-knn unless -m says otherwise. The model is what fit would write, for
    predict, explain and sklazy.load(..., mmap_mode="c"), which leaves the rows in it.

    \b
    Examples:
      sklazy store flats.csv --target heating -o heating.sklazy
      sklazy store flats.csv -t rent -m lazy-learning -o rent.sklazy
    """


@click.command()
@click.argument("train", type=IN_FILE, metavar="TRAIN|MODEL")
@click.argument("test", type=IN_FILE, required=False)
@target_option(required=False)
@task_options
@id_option
@reading_options
@method_options
@click.option(
    "--folds",
    default=10,
    show_default=True,
    help="Folds of the cross-validation, without TEST.",
)
@click.option(
    "--probabilities", is_flag=True, help="Write the probability of every class."
)
@coverage_options("Default: intervals of 0.9 where the method has them, no sets.")
@click.option(
    "--novelty",
    is_flag=True,
    help="Write how unlike all cases each row is, from 0 to 1; always with --json.",
)
@csv_options("Write the predictions to this CSV file.")
@limit_options(
    "Predict the first rows of TEST alone, or cross-validate a random sample."
)
@runs("predict")
def predict() -> None:
    """Predict the rows of TEST from those of TRAIN, or by a MODEL that fit wrote.

    Files are CSV, Excel, JSON lines, ARFF, Parquet or Feather, - is standard input;
    labels, dates, amounts and missing cells need no preparation. Without TEST the rows
    of TRAIN are cross-validated and the quality is reported. Predictions go to standard
    output as CSV, or to the file of -o. After Ctrl-C, or --max-seconds, the rows done
    by then are written, to a file named .partial.

    \b
    Examples:
      sklazy predict flats.csv --target heating
      sklazy predict flats.csv new-flats.csv -t rent --id flat -o rents.csv
      sklazy predict flats.csv new-flats.csv -t heating --ignore rent -m lazy-nb
      sklazy predict flats.csv new-flats.csv -t heating --ignore rent --coverage 0.9
      sklazy predict rent.sklazy new-flats.csv
    """


@click.command()
@click.argument("train", type=IN_FILE, metavar="TRAIN|MODEL")
@click.argument("test", type=IN_FILE, required=False)
@target_option(required=False)
@task_options
@id_option
@reading_options
@click.option(
    "--row",
    "rows",
    multiple=True,
    help="Row to explain, counted from 0, or its name in the column of --id; repeat "
    "for several. Default: 0.",
)
@method_options
@coverage_options("Default: neither.")
@key_option
@click.option("--html", type=OUT_FILE, help="Write the receipts to this HTML page.")
@click.option(
    "--out", "-o", type=OUT_FILE, help="Write the receipts to this JSON file."
)
@limit_options("Without --row: explain the first so many rows.")
@runs("explain")
def explain() -> None:
    """Explain the prediction of a row by a receipt: what, why, from which cases.

    Rows of TEST are predicted from those of TRAIN, or by a MODEL that fit wrote.
    Without TEST a row of TRAIN is left out itself and predicted from all others. With
    --key receipts are signed; verify checks them.

    \b
    Examples:
      sklazy explain flats.csv --target heating --row 12
      sklazy explain flats.csv -t heating --row 12 --row 60 --html why.html
      sklazy explain flats.csv new-flats.csv -t rent --id flat --row N07 -o why.json
      sklazy explain rent.sklazy new-flats.csv --row 0
    """


@click.command()
@click.argument("receipt", type=IN_FILE)
@click.argument("train", type=IN_FILE, required=False, metavar="[TRAIN|MODEL]")
@target_option(required=False)
@task_options
@id_option
@reading_options
@key_option
@runs("verify")
def verify() -> None:
    """Check receipts: that nobody edited them, and that the cases say so.

    With a MODEL that fit wrote, or with the TRAIN file and its target as explain had
    them, every answer is computed again and compared. Without them only the seal is
    checked, and with --key the signature.

    \b
    Examples:
      sklazy verify why.json
      sklazy verify why.json rent.sklazy --key secret.key
      sklazy verify why.json flats.csv --target rent --id flat
    """


@click.command()
@train_options
@click.option(
    "--max-seconds",
    default=30.0,
    show_default=True,
    help="Start nothing new after this many seconds.",
)
@click.option(
    "--max-rows",
    default=1000,
    show_default=True,
    help="Measure on a sample of this many rows.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the sampled rows and folds."
)
@click.option("--html", type=OUT_FILE, help="Write the advice to this HTML page.")
@runs("advise")
def advise() -> None:
    """Measure which lazy method suits a file, or whether an eager model is better.

    All methods predict the same rows. Ctrl-C ends the measuring and shows what is
    known so far.

    \b
    Examples:
      sklazy advise flats.csv --target heating
      sklazy advise flats.csv -t rent --max-seconds 20
    """


@click.command()
@train_options
@id_option
@csv_options("Write the findings to this CSV file, a line for each row concerned.")
@click.option("--html", type=OUT_FILE, help="Write the report to this HTML page.")
@runs("audit")
def audit() -> None:
    """Find labels that other rows contradict, duplicates, novel rows, leaks.

    Rows are counted from 0, without the header, or named by the column of --id. The
    file itself is never written to.

    \b
    Examples:
      sklazy audit flats.csv --target heating
      sklazy audit flats.csv -t heating -o findings.csv --html report.html
    """


@click.command()
@train_options
@click.option(
    "--max-candidates",
    default=1000,
    show_default=True,
    help="Try no new set of attributes after this many.",
)
@click.option(
    "--max-seconds",
    type=float,
    help="End the search after this many seconds, for example 30; default: no limit.",
)
@click.option(
    "--winners", default=5, show_default=True, help="Sets kept from race to race."
)
@click.option("--seed", default=0, show_default=True, help="Seed of random choices.")
@csv_options("Write the selected columns and the target to this CSV file.")
@runs("select")
def select() -> None:
    """Find a small set of attributes that predicts well, by racing sets (RACSAM).

    Sets of attributes predict row after row with a lazy learner; significantly worse
    sets are eliminated, and neighbors of the winners race next.

    \b
    Examples:
      sklazy select flats.csv --target rent
      sklazy select flats.csv -t rent --max-seconds 30 -o small.csv
    """


@click.command()
@train_options
@click.option(
    "--candidates",
    "-c",
    help="Methods to race, separated by commas, for example lazy-knn,tree; default: "
    "all for the task.",
    shell_complete=lambda context, option, incomplete: [
        name for name in METHODS if name.startswith(incomplete)
    ],
)
@click.option("--folds", default=10, show_default=True, help="Folds per repetition.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Repetitions of the cross-validation, each with new folds.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of each test.")
@click.option(
    "--min-effect",
    default=0.0,
    show_default=True,
    help="Difference in mean error that does not matter, for example 0.01.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of folds and methods.")
@runs("race")
def race() -> None:
    """Race methods on a file: losers are eliminated early.

    Fold by fold all methods left predict the same rows; after each fold, those that
    are significantly worse (Friedman's test) are eliminated.

    \b
    Examples:
      sklazy race flats.csv --target heating
      sklazy race flats.csv -t heating -c lazy-knn,lazy-nb,random-forest
    """


@click.command()
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option(
    "--list", "listing", is_flag=True, help="List the experiments and their data sets."
)
@click.option("--quick", is_flag=True, help="Run a small part, in minutes.")
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="Folder of the data sets; default: SKLAZY_DATA, ../shared/data or "
    "scikit-learn's data home.",
)
@click.option(
    "--sets",
    help="Data sets to use, separated by commas, for example wine,vowel; default: all.",
)
@click.option(
    "--protocol",
    type=click.Choice(_PROTOCOLS),
    default="both",
    show_default=True,
    help="For lazy-selection: cuts from the training fold alone (honest) or from all "
    "rows (paper).",
)
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes to run.")
@click.option(
    "--out",
    "-o",
    default="sklazy-results",
    show_default=True,
    type=click.Path(file_okay=False),
    help="Folder for results and reports.",
)
@click.option("--fetch", is_flag=True, help="Download missing data sets from OpenML.")
@click.option("--verbose", "-v", is_flag=True, help="Print a line per unit of work.")
@runs("reproduce")
def reproduce() -> None:
    """Repeat the experiments of the papers and compare their figures with ours.

    Each unit of work (a fold of a set) is recorded as soon as it is done. A run that
    was stopped continues when the command is given again; changed data or parameters
    are computed anew.

    \b
    Examples:
      sklazy reproduce --list
      sklazy reproduce --quick
      sklazy reproduce lazy-selection --sets wine,vowel --jobs 2
      sklazy reproduce racsam --data DIR -o results
    """


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


COMMANDS = (
    *(demo, example, fit, store, predict, explain, verify, advise, audit, explore),
    *(select, race, serve, reproduce, warm, completion),
)
"""All commands, in the order of the help."""
