"""The data sets of the papers: their shapes, and where to get them."""

from dataclasses import dataclass

from sklazy.errors import BadInputError, suggest


@dataclass(frozen=True)
class Known:
    """A data set by name, with the shape by which it is recognized.

    Parameters
    ----------
    name : str
        Also the name of its file, in the folder `group`.
    n_rows, n_attributes, n_classes : int
        Without the class, the columns `dropped` and rows without a class; 0 classes
        for regression.
    openml : int
        The id at OpenML, 0 if there is none of that shape.
    openml_target : str
        The target there, if it is not OpenML's default.
    target : str
        The column to predict; the last one if empty.
    dropped : tuple of str
        Columns that only name the row.
    file : str
        The name of the file, if it differs from that of the set.
    group : str
    first_rows : int
        How many rows a paper has, if the file has more behind them.
    labels : bool
        Whether a paper has the numbers as labels.
    """

    name: str
    n_rows: int
    n_attributes: int
    n_classes: int
    openml: int = 0
    openml_target: str = ""
    target: str = ""
    dropped: tuple[str, ...] = ()
    file: str = ""
    group: str = "classification"
    bundled: str = ""
    first_rows: int = 0
    labels: bool = False

    @property
    def files(self) -> list[str]:
        """Possible files in the data folder, most likely first."""
        names = [self.file] if self.file else []
        names += [f"{self.name}.arff", f"{self.name}.arff.gz"]
        return [f"{self.group}/{name}" for name in names] + names

    @property
    def fetched(self) -> str:
        """The file of the set after a download."""
        return f"{self.group}/{self.name}.arff"


_CLASSIFICATION = (
    Known("anneal.ORIG", 898, 38, 5, 1),
    Known("anneal", 898, 38, 5, 2),
    Known("audiology", 226, 69, 24, 7),
    Known("autos", 205, 25, 6, 9),
    Known("balance-scale", 625, 4, 3, 11),
    Known("balance-labels", 625, 4, 3, 11, file="balance-scale.arff", labels=True),
    Known("breast-cancer", 286, 9, 2, 13),
    Known("breast-w", 699, 9, 2, 15),
    Known("bridges-version1", 105, 11, 6, 327, dropped=("IDENTIF",)),
    Known("bridges-version2", 105, 11, 6, 328, dropped=("IDENTIF",)),
    Known("bupa", 345, 6, 2, 8, openml_target="selector"),
    Known("car", 1728, 6, 4, 21),
    Known("cmc", 1473, 9, 3, 23),
    Known("colic.ORIG", 368, 27, 2, 25),
    Known("colic", 368, 22, 2, 27),
    Known("credit-a", 690, 15, 2, 29),
    Known("credit-g", 1000, 20, 2, 31),
    Known("cylinder-bands", 540, 39, 2, 6332),
    Known("dermatology", 366, 34, 6, 35),
    Known("diabetes", 768, 8, 2, 37),
    Known("ecoli", 336, 7, 8, 39),
    Known("flags", 194, 28, 8, 285, target="religion", dropped=("name",)),
    Known("glass", 214, 9, 6, 41),
    Known("haberman", 306, 3, 2, 43),
    Known("hayes-roth", 160, 4, 3, 329),
    Known("hayes-132", 132, 4, 3, 329, file="hayes-roth.arff", first_rows=132),
    Known("heart-c", 303, 13, 2, 49),
    Known("heart-h", 294, 13, 2, 51),
    Known("heart-statlog", 270, 13, 2, 53),
    Known("hepatitis", 155, 19, 2, 55),
    Known("hypothyroid", 3772, 29, 4, 57),
    Known("ionosphere", 351, 34, 2, 59),
    Known("iris", 150, 4, 3, 61, bundled="iris"),
    Known("kr-vs-kp", 3196, 36, 2, 3),
    Known("labor", 57, 16, 2, 4),
    Known("letter", 20000, 16, 26, 6),
    Known("lung-cancer", 32, 56, 3, 163),
    Known("lymph", 148, 18, 4, 10),
    Known("mushroom", 8124, 22, 2, 24),
    Known("nursery", 12960, 8, 5, 26),
    Known("optdigits", 5620, 64, 10, 28),
    Known("page-blocks", 5473, 10, 5, 30),
    Known("pendigits", 10992, 16, 10, 32),
    Known("postoperative-patient-data", 90, 8, 3, 34),
    Known("primary-tumor", 339, 17, 21, 171),
    Known("promoters", 106, 57, 2, 164),
    Known("segment", 2310, 19, 7, 36),
    Known("sick", 3772, 29, 2, 38),
    Known("solar-flare1", 323, 12, 2, 40686),
    Known("solar-flare2", 1066, 12, 3, 40687),
    Known("sonar", 208, 60, 2, 40),
    Known("soybean", 683, 35, 19, 42),
    Known("spambase", 4601, 57, 2, 44),
    Known("spect", 267, 22, 2, 336),
    Known("splice", 3190, 60, 3, 46, dropped=("Instance_name",)),
    Known("sponge", 76, 44, 3, dropped=("Name",)),
    Known("tae", 151, 5, 3, 48),
    Known("tic-tac-toe", 958, 9, 2, 50),
    Known("vehicle", 846, 18, 4, 54),
    Known("vote", 435, 16, 2, 56),
    Known("vowel", 990, 13, 11, 307),
    Known("waveform-5000", 5000, 40, 3, 60),
    Known("wdbc", 569, 30, 2, 1510, bundled="breast_cancer"),
    Known("wine", 178, 13, 3, 187, bundled="wine"),
    Known("zoo", 101, 16, 7, 62, dropped=("animal",)),
)

_REGRESSION = (
    Known("ailerons", 13750, 40, 0, 296, group="regression"),
    Known("elevators", 16599, 18, 0, 216, group="regression"),
    Known("house_16H", 22784, 16, 0, 574, group="regression"),
    Known("house_8L", 22784, 8, 0, 218, group="regression"),
    Known("pol", 15000, 48, 0, 201, group="regression"),
    Known("triazines", 186, 60, 0, 206, group="regression"),
    Known("wisconsin", 194, 32, 0, 191, group="regression"),
)

# Dexter and Dorothea are the training parts alone (the others have no labels, or are
# not aligned with them), so those at OpenML differ in shape. 4 against 9 stands in for
# Gisette, which is made of the same digits.
_NIPS = (
    Known("arcene", 200, 10000, 2, 1458, file="arcene.csv.gz", group="nips2003"),
    Known("madelon", 2600, 500, 2, 1485, file="madelon.csv.gz", group="nips2003"),
    Known("dexter", 300, 20000, 2, file="dexter_train.svm.gz", group="nips2003"),
    Known("dorothea", 800, 100000, 2, file="dorothea_train.svm.gz", group="nips2003"),
    Known("gisette", 7000, 5000, 2, 41026, group="nips2003"),
    Known(
        "mnist-4v9",
        1000,
        784,
        2,
        file="mnist_4v9_gisette_substitute.csv.gz",
        group="nips2003",
    ),
)

CATALOG = {known.name: known for known in (*_CLASSIFICATION, *_REGRESSION, *_NIPS)}
"""All sets by name."""


def find_known(name: str) -> Known:
    """The set of that name, or an error with suggestions.

    Examples
    --------
    >>> find_known("wine").n_classes
    3
    >>> find_known("whine")
    Traceback (most recent call last):
    ...
    sklazy.errors.BadInputError: there is no data set 'whine'. Did you mean 'wine'?
    """
    for known in CATALOG.values():
        if known.name.lower() == name.lower():
            return known
    raise BadInputError(f"there is no data set {name!r}.{suggest(name, CATALOG)}")
