"""Declarations of the commands: names, options, help. Their work is elsewhere."""

from pathlib import Path

import click

from sklazy.cli.comparing import race, reproduce, select
from sklazy.cli.erasing import check_certificate, erase
from sklazy.cli.hosting import completion, explore, serve, warm
from sklazy.cli.options import (
    IN_FILE,
    IN_SOURCE,
    OUT_FILE,
    CommandOfOneSource,
    coverage_options,
    csv_options,
    id_option,
    key_option,
    limit_options,
    method_options,
    reading_options,
    runs,
    store_options,
    target_option,
    task_options,
    train_options,
)


@click.group(invoke_without_command=True)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="HTML page to write the receipts to.",
)
@runs("demo")
def demo() -> None:
    """Show lazy learning on the wine data: predict, explain, advise.

    \b
    Examples:
      sklazy demo
      sklazy demo erase
    """


@demo.command("erase")
@click.option("--html", type=OUT_FILE, help="Write the certificate to this HTML page.")
@runs("demo_erase")
def demo_erase() -> None:
    """Show which stores on this machine really forget a person.

    Made-up people are put into SQLite, DuckDB, LanceDB, usearch, faiss and hnswlib, if
    installed. One person is deleted and cleaned up as the documentation of each store
    describes, and the files are searched. Then the same is done with sklazy, with a
    certificate. Everything happens in a temporary folder.

    \b
    Example:
      sklazy demo erase
    """


@click.command()
@runs("example")
def example() -> None:
    """Write two small files to try the other commands on.

    flats.csv has 200 made-up flats with their rents; new-flats.csv has 20 more, without
    rents. Existing files are not changed.

    \b
    Examples:
      sklazy example
      sklazy predict flats.csv new-flats.csv --target rent
    """


@click.command(cls=CommandOfOneSource)
@train_options
@id_option
@method_options
@click.option("--out", "-o", type=OUT_FILE, required=True, help="File to write.")
@runs("fit")
def fit() -> None:
    """Fit a model to a file and save it, for predict, explain, serve and explore.

    The saved model contains data only (the cases, the method and its parameters);
    loading it runs no code from it.

    \b
    Examples:
      sklazy fit flats.csv --target rent -o rent.sklazy
      sklazy fit flats.csv -t heating -m lazy-knn --id flat -o heating.sklazy
    """


@click.command(cls=CommandOfOneSource)
@train_options
@id_option
@store_options
@click.option("--out", "-o", type=OUT_FILE, required=True, help="File to write.")
@runs("fit")
def store() -> None:
    """Fit a model to a file that is larger than memory, and save it.

    TRAIN is a CSV, ARFF, Parquet or Feather file. It is read twice, some rows at a
    time. The model is the same as that of fit. sklazy.load(..., mmap_mode="c") opens
    it without loading its rows.

    \b
    Examples:
      sklazy store flats.csv --target heating -o heating.sklazy
      sklazy store flats.csv -t rent -m lazy-learning -o rent.sklazy
    """


@click.command()
@click.argument("file", type=IN_SOURCE)
@reading_options
@runs("describe")
def describe() -> None:
    """Show the columns of a file: kinds, missing cells, ranges, ids, repeated rows.

    A look before anything is learned. How columns were understood (dates, amounts,
    limits, columns set aside) is written to standard error.

    \b
    Examples:
      sklazy describe flats.csv
      sklazy describe lab.xlsx --sheet Data --skip-rows 2
    """


@click.command()
@click.argument("train", type=IN_SOURCE, metavar="TRAIN|MODEL")
@click.argument("test", type=IN_SOURCE, required=False)
@target_option(required=False)
@task_options
@id_option
@reading_options
@method_options
@click.option(
    "--folds",
    default=10,
    show_default=True,
    help="Folds of the cross-validation, if there is no TEST.",
)
@click.option(
    "--probabilities", is_flag=True, help="Write the probability of every class."
)
@coverage_options("Default: 0.9 for intervals, if the method has them; no sets.")
@click.option(
    "--novelty",
    is_flag=True,
    help="Write the novelty of each row, from 0 to 1: how unlike all cases it is. "
    "Always written with --json.",
)
@csv_options(
    "Write the predictions to this CSV file, or Parquet if it ends so; or, with a "
    "MODEL, to this folder, a file for each file of TEST.",
    folders=True,
)
@limit_options(
    "Predict only this many rows of TEST, or cross-validate a random sample of TRAIN."
)
@runs("predict")
def predict() -> None:
    """Predict the rows of TEST from those of TRAIN, or with a saved MODEL.

    Files can be CSV, Excel, JSON lines, ARFF, Parquet or Feather; - is standard input.
    Labels, dates, amounts and missing cells need no preparation. Without TEST, TRAIN is
    cross-validated. Predictions are written as CSV to standard output, or to the file
    of -o. After Ctrl-C or --max-seconds, the predictions so far are written; a file
    then has .partial in its name.

    \b
    Examples:
      sklazy predict flats.csv --target heating
      sklazy predict flats.csv new-flats.csv -t rent --id flat -o rents.csv
      sklazy predict rent.sklazy lake -o answers
      sklazy predict flats.csv new-flats.csv -t heating --ignore rent -m lazy-nb
      sklazy predict flats.csv new-flats.csv -t heating --ignore rent --coverage 0.9
      sklazy predict rent.sklazy new-flats.csv
    """


@click.command()
@click.argument("train", type=IN_SOURCE, metavar="TRAIN|MODEL")
@click.argument("test", type=IN_SOURCE, required=False)
@target_option(required=False)
@task_options
@id_option
@reading_options
@click.option(
    "--row",
    "rows",
    multiple=True,
    help="Row to explain, counted from 0, or its id in the column of --id. Repeat for "
    "several. Default: 0.",
)
@method_options
@coverage_options("Default: none.")
@key_option
@click.option("--html", type=OUT_FILE, help="Write the receipts to this HTML page.")
@click.option(
    "--out", "-o", type=OUT_FILE, help="Write the receipts to this JSON file."
)
@limit_options("Without --row: explain this many rows, from the first.")
@runs("explain")
def explain() -> None:
    """Explain a prediction by a receipt: which features and cases it is based on.

    Rows of TEST are predicted from those of TRAIN, or with a saved MODEL. Without TEST,
    a row of TRAIN is left out and predicted from the others. With --key, receipts are
    signed; verify checks them.

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
    """Check that receipts were not edited, and that their predictions are right.

    Without TRAIN or MODEL, only the seal of a receipt is checked, and with --key its
    signature. With a MODEL, or with the TRAIN file and the options of explain, every
    prediction is computed again and compared. A MODEL by itself is checked for damage.

    \b
    Examples:
      sklazy verify why.json
      sklazy verify why.json rent.sklazy --key secret.key
      sklazy verify why.json flats.csv --target rent --id flat
      sklazy verify rent.sklazy
    """


@click.command()
@train_options
@id_option
@click.option(
    "--max-seconds",
    default=30.0,
    show_default=True,
    help="Start no new measurement after this many seconds.",
)
@click.option(
    "--max-rows",
    default=1000,
    show_default=True,
    help="Measure on a sample of this many rows.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the sample and the folds."
)
@click.option("--html", type=OUT_FILE, help="Write the advice to this HTML page.")
@runs("reports")
def advise() -> None:
    """Measure which lazy method suits a file, or whether an eager model is better.

    All methods predict the same rows. Ctrl-C stops and shows the results so far.

    \b
    Examples:
      sklazy advise flats.csv --target heating
      sklazy advise flats.csv -t rent --max-seconds 20
    """


@click.command()
@train_options
@id_option
@csv_options("Write the findings to this CSV file, one line per row concerned.")
@click.option("--html", type=OUT_FILE, help="Write the report to this HTML page.")
@runs("reports")
def audit() -> None:
    """Find doubtful labels, duplicates, unusual rows and leaks of the target.

    Rows are counted from 0, without the header, or named by the column of --id. The
    file itself is not changed.

    \b
    Examples:
      sklazy audit flats.csv --target heating
      sklazy audit flats.csv -t heating -o findings.csv --html report.html
    """


COMMANDS = (
    *(
        demo,
        example,
        describe,
        fit,
        store,
        predict,
        explain,
        verify,
        advise,
        audit,
        explore,
    ),
    *(erase, check_certificate),
    *(select, race, serve, reproduce, warm, completion),
)
"""All commands, in the order of the help."""
