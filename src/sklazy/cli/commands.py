"""The commands as a shell sees them: names, options, help. Their work is elsewhere."""

from pathlib import Path

import click

from sklazy.cli.comparing import race, reproduce, select
from sklazy.cli.exploring import explore
from sklazy.cli.hosting import completion, serve, warm
from sklazy.cli.options import (
    IN_FILE,
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
@click.argument("receipt", type=IN_FILE, metavar="RECEIPT|MODEL")
@click.argument("train", type=IN_FILE, required=False, metavar="[TRAIN|MODEL]")
@target_option(required=False)
@task_options
@id_option
@reading_options
@key_option
@runs("verify")
def verify() -> None:
    """Check receipts: that nobody edited them, and that the cases say so.

    A MODEL by itself is checked block by block, whatever its size. With a MODEL that
    fit wrote, or with the TRAIN file and its target as explain had them, every answer
    is computed again and compared. Without them only the seal is checked, and with
    --key the signature.

    \b
    Examples:
      sklazy verify why.json
      sklazy verify why.json rent.sklazy --key secret.key
      sklazy verify why.json flats.csv --target rent --id flat
      sklazy verify rent.sklazy
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


COMMANDS = (
    *(demo, example, fit, store, predict, explain, verify, advise, audit, explore),
    *(select, race, serve, reproduce, warm, completion),
)
"""All commands, in the order of the help."""
