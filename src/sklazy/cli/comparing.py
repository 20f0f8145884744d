"""The commands that compare attributes and methods, as a shell sees them."""

import click

from sklazy.cli.options import METHODS, csv_options, train_options
from sklazy.cli.running import runs

_PROTOCOLS = ("both", "honest", "paper")


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
