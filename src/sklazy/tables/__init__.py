"""Tables as they are: frames, arrays and files become typed columns."""

from sklazy.tables.align import align, match
from sklazy.tables.convert import as_table
from sklazy.tables.labels import canonical, recode
from sklazy.tables.read import read_table
from sklazy.tables.sources import Source
from sklazy.tables.table import Column, Kind, Label, Table, label_array
from sklazy.tables.targets import as_target

__all__ = [
    "Column",
    "Kind",
    "Label",
    "Source",
    "Table",
    "align",
    "as_table",
    "as_target",
    "canonical",
    "label_array",
    "match",
    "read_table",
    "recode",
]
