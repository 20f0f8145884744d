"""Tables as they are: frames, arrays and files become typed columns."""

from sklazy.tables.table import Column, Kind, Label, Table

__all__ = ["Column", "Kind", "Label", "Table"]
