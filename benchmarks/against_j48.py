"""Paths beside Weka's unpruned J48: the share of equal class distributions.

    python benchmarks/against_j48.py

The sets are those of `tests/golden`, and of `SKLAZY_GOLDEN` where it has more. A third
of each set is asked, the rest learned, raw and with Weka's MDL cuts. A path is that of
the tree as it was grown; J48 -U still replaces a subtree that errs no less often than
its root would, which needs the whole tree. The last columns have the slow tree of the
tests with this last step.
"""

import pathlib
import sys

import numpy as np
from rich.console import Console
from rich.table import Table

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / ".." / "tests" / part) for part in ("", "helpers")]


def main():
    from golden_files import find_golden
    from weka_sets import SETS

    heads = [
        f"{kind}, {what}"
        for kind in ("raw", "discretized")
        for what in ("path", "path's class", "collapsed")
    ]
    table = Table("set", "asked", *heads, box=None)
    every = []
    for name in SETS:
        if not find_golden(f"weka/outputs/{name}.json"):
            continue
        both = [compare(name, binned) for binned in (False, True)]
        shares = np.concatenate([shares for _, shares in both])
        every.append(shares)
        table.add_row(name, str(both[0][0]), *(f"{share:.1%}" for share in shares))
    table.add_row("mean", "", *(f"{share:.1%}" for share in np.mean(every, axis=0)))
    Console(width=120).print(table)


def compare(name, discretized):
    """Queries, and the shares of equal distributions and classes."""
    import oracle
    from path_tables import weka_table
    from sklazy.flow import Queries
    from sklazy.methods.paths.model import PathRules, answer_by_given_bags, make_paths

    table, expected = weka_table(name, discretized)
    ones = np.ones((1, table.classes.size), np.int32)
    answers = answer_by_given_bags(
        make_paths(*table[:5]),
        Queries(table.query_codes, table.query_values),
        ones,
        np.zeros(1, np.uint64),
        PathRules(),
    )[:, 0]
    collapsed = oracle.collapse_tree(
        oracle.grow_tree(
            table.columns(),
            table.sizes(),
            table.classes.tolist(),
            table.n_classes,
            ones[0].tolist(),
            oracle.TREE_RULES,
        )
    )
    closed = [
        oracle.tree_answer(collapsed, q, table.n_classes) for q in table.queries()
    ]
    expected = np.array(expected)
    same = np.abs(answers - expected).max(axis=1) < 1e-9
    alike = answers.argmax(axis=1) == expected.argmax(axis=1)
    equal = np.abs(np.array(closed) - expected).max(axis=1) < 1e-9
    return len(answers), np.array([same.mean(), alike.mean(), equal.mean()])


if __name__ == "__main__":
    main()
