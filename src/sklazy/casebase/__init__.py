"""The memory of cases: coded columns, bins, counts and bit sets."""
