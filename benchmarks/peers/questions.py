"""The rows of docs/comparison.md, and the cells that could only be read.

`READ` has what no probe can run here, with where it was read and when. A probe's cell
of the same place wins.
"""

QUESTIONS = {
    "mixed": "labels and missing cells without preparation",
    "selects": "features selected for each query",
    "ties": "ties not broken by row order",
    "loo": "leave-one-out without fits",
    "reasons": "reasons of a prediction",
    "add": "add a row",
    "erase": "erase a row",
    "coverage": "sets and intervals with coverage",
    "labels": "doubtful labels",
    "next": "which feature to measure next",
    "impute": "fill missing cells",
    "values": "the value of each training row",
}

READ = {
    "howso": {
        "mixed": ("yes", "README of howso-engine-py: attributes are inferred first"),
        "selects": ("weights, no selection", "documentation of Howso Engine"),
        "reasons": ("cases and contributions", "`react` with details"),
        "add": ("yes", "`train`"),
        "erase": ("yes, no proof", "`remove_cases`"),
        "loo": ("of residuals and influences", "documentation of Howso Engine"),
        "coverage": ("no", "no match in howso-engine-py"),
        "labels": ("anomalies", "documentation of Howso Engine"),
        "next": ("no", "no match in howso-engine-py"),
        "impute": ("yes", "`impute`"),
        "values": ("influence", "documentation of Howso Engine"),
    },
    "tabpfn": {
        "mixed": ("yes", "README of TabPFN"),
        "selects": ("by attention, not listed", "the paper"),
        "loo": ("no", "README of TabPFN"),
        "reasons": ("features, by an extension", "tabpfn-extensions"),
        "add": ("no", "PriorLabs/TabPFN, issue 61, open"),
        "erase": ("no", "no such method"),
        "coverage": ("quantiles, no guarantee", "README of TabPFN"),
        "labels": ("no", "no such method"),
        "next": ("no", "no such method"),
        "impute": ("by an extension", "tabpfn-extensions"),
        "values": ("no", "no such method"),
    },
}
READ_ON = "17 November 2026"
