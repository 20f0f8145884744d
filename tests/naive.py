"""The slow oracle: every method in its plainest form, from the papers' formulas.

Nothing here may import sklazy. Clarity over speed: plain loops, no tricks. Each
section has the twin of one room.
"""

# --- tables ---------------------------------------------------------------------------

# --- cuts (MDL discretisation) --------------------------------------------------------

# --- measures -------------------------------------------------------------------------

# --- case base ------------------------------------------------------------------------


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


# --- selection ------------------------------------------------------------------------

# --- neighbours -----------------------------------------------------------------------

# --- naive Bayes ----------------------------------------------------------------------

# --- local regression -----------------------------------------------------------------

# --- races ----------------------------------------------------------------------------

# --- trees, paths and bags ------------------------------------------------------------

# --- diversity ------------------------------------------------------------------------
