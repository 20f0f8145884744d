"""Cells and counts of a case base."""


def cell(table, column, row):
    """A cell as a person writes it: a number, a label, or None."""
    found = table.columns[column]
    value = found.data[row]
    if found.kind == "numeric":
        return None if value != value else float(value)
    return None if value < 0 else found.categories[value]


def value_counts(cells, values, labels, classes):
    """How many rows have each value and each class."""
    return [
        [
            sum(c == value and l == name for c, l in zip(cells, labels, strict=True))
            for name in classes
        ]
        for value in values
    ]


def rows_of_values(codes, offsets):
    """For each (attribute, value) the list of its rows, and one of none."""
    members = [[] for _ in range(int(offsets[-1]) + 1)]
    for attribute in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            if codes[attribute, row] >= 0:
                members[offsets[attribute] + codes[attribute, row]].append(row)
    return members


def count_values(codes, offsets, classes, n_classes):
    """Class counts of each (attribute, value), as nested lists."""
    counts = [[0] * n_classes for _ in range(int(offsets[-1]))]
    for attribute in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            if codes[attribute, row] >= 0:
                value = offsets[attribute] + codes[attribute, row]
                counts[value][classes[row]] += 1
    return counts
