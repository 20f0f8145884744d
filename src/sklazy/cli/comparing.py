"""Declarations of the commands that compare features and methods."""

import click

from sklazy.cli.completing import complete_methods
from sklazy.cli.options import csv_options, id_option, runs, train_options

_PROTOCOLS = ("both", "honest", "paper")


@click.command()
@train_options
@id_option
@click.option(
    "--max-candidates",
    default=1000,
    show_default=True,
    help="Try at most this many sets of features.",
)
@click.option(
    "--max-seconds",
    type=float,
    help="Stop the search after this many seconds, for example 30; default: no limit.",
)
@click.option(
    "--winners", default=5, show_default=True, help="Sets kept from race to race."
)
@click.option("--seed", default=0, show_default=True, help="Seed of random choices.")
@csv_options("Write the selected columns and the target to this CSV file.")
@runs("select")
def select() -> None:
    """Find a small set of features that predicts well, by racing sets (RACSAM).

    Sets of features predict row after row with a lazy learner. Sets that are
    significantly worse are eliminated, and neighbors of the winners race next.

    \b
    Examples:
      sklazy select flats.csv --target rent
      sklazy select flats.csv -t rent --max-seconds 30 -o small.csv
    """


@click.command()
@train_options
@id_option
@click.option(
    "--candidates",
    "-c",
    help="Methods to race, separated by commas, for example lazy-knn,tree; default: "
    "all for the task.",
    shell_complete=complete_methods,
)
@click.option("--folds", default=10, show_default=True, help="Folds per repetition.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Repetitions of the cross-validation, each with new folds.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of the tests.")
@click.option(
    "--min-effect",
    default=0.0,
    show_default=True,
    help="Smallest difference in mean error that matters, for example 0.01.",
)
@click.option(
    "--max-seconds",
    type=float,
    help="Begin no further fold after this many seconds; default: no limit.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of folds and methods.")
@runs("race")
def race() -> None:
    """Race methods on a file: poor ones are eliminated early.

    All methods predict the same rows, fold by fold. After each fold, those that are
    significantly worse (Friedman's test) are eliminated.

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
    help="For lazy-selection: cut points from the training folds (honest) or from all "
    "rows (paper).",
)
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes to use.")
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
@click.option(
    "--max-minutes",
    type=click.FloatRange(min=0),
    help="Start no unit of work after this time, and report the results so far.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Run a small recorded part of a report again, and compare every digit.",
)
@runs("reproduce")
def reproduce() -> None:
    """Repeat the experiments of the papers and compare the results.

    Each unit of work (a fold of a data set) is saved as soon as it is done. Run the
    command again to continue; after a change of data, parameters or code, the units
    that depend on it are computed again.

    \b
    Examples:
      sklazy reproduce --list
      sklazy reproduce --quick
      sklazy reproduce lazy-selection --sets wine,vowel --jobs 2
      sklazy reproduce racsam --data DIR -o results
      sklazy reproduce racsam --check -o docs/results
    """
