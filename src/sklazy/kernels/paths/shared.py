"""Paths through bags that share what is drawn from all rows.

The shared part of a bag is the same for every query, so its nodes are counted once,
when the first query passes, and kept. A query adds the rows drawn from its own
neighbors to the kept counts: what it sees is its whole bag. Only for tables without
missing cells whose attributes all have slots; the answers are those of `bagged_paths`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bags import draw_from_all, draw_places, path_key
from sklazy.kernels.compiling import lean_entry, lean_kernel
from sklazy.kernels.paths.choice import choose_split
from sklazy.kernels.paths.classes import has_value, place_cut
from sklazy.kernels.paths.cuts import TOTAL
from sklazy.kernels.paths.nodes import (
    BY_BITS,
    KEPT,
    N_GONE,
    N_ROWS,
    add_row,
    divide_rows,
    take_away,
)
from sklazy.kernels.paths.table import KIND, NOMINAL, PathTable, padded_slots

ATTRIBUTE, CUT, BRANCH, CHILD, SIBLING, BEGIN, END = range(7)
"""Columns of `Kept.links`."""

SMALL = 32
"""Nodes with fewer shared rows are not kept: a list is as fast."""

_MOST_BYTES = 1 << 26
_MOST_LISTS = 64


class Kept(NamedTuple):
    """The nodes of the shared part of one bag, and a query's own rows.

    Attributes
    ----------
    tables : int32 array of shape (n_most, n_classes * n_padded_slots)
    links : int64 array of shape (n_most, 7)
        The split that leads to a node, its first child and next sibling (0: none),
        and where its rows are.
    rows : int32 array
    near : int32 array of shape (n_neighbors,)
        How often each neighbor of the query was drawn.
    drawn : int32 array of shape (n_neighbors + 1,)
        The neighbors drawn that are still on the path, by place.
    gone : int32 array of shape (n_neighbors + 1,)
        Those that the last split has sent elsewhere.
    extra : int32 array of shape (n_classes * n_padded_slots,)
        Their class weights in every slot.
    now : int64 array of shape (2,)
        How many nodes are kept, and how many of `drawn` count.
    """

    tables: NDArray[np.int32]
    links: NDArray[np.int64]
    rows: NDArray[np.int32]
    near: NDArray[np.int32]
    drawn: NDArray[np.int32]
    gone: NDArray[np.int32]
    extra: NDArray[np.int32]
    now: NDArray[np.int64]


N_NODES, N_DRAWN = 0, 1


def make_kept(data: PathTable, n_classes: int, n_neighbors: int) -> Kept:
    """Room for as many nodes as memory is worth."""
    n_cells, n_rows = n_classes * padded_slots(data.slots), data.classes.size
    n_most = max(1, min(n_rows // 8 + 1, _MOST_BYTES // (4 * n_cells)))
    return Kept(
        tables=np.zeros((n_most, n_cells), np.int32),
        links=np.zeros((n_most, 7), np.int64),
        rows=np.zeros(min(n_most, _MOST_LISTS) * n_rows + 1, np.int32),
        near=np.zeros(n_neighbors, np.int32),
        drawn=np.zeros(n_neighbors + 1, np.int32),
        gone=np.zeros(n_neighbors + 1, np.int32),
        extra=np.zeros(n_cells, np.int32),
        now=np.zeros(2, np.int64),
    )


@lean_entry
def shared_paths(data, rules, queries, neighbors, seeds, node, kept, answers):
    """Write class probabilities of queries that lack no value.

    Parameters
    ----------
    data, rules, queries, neighbors, seeds, node
        As in `bagged_paths`; `data` has no long lists and no missing cells, and the
        second seeds are the same for all queries.
    kept : Kept
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    """
    bag, n_near = node.rows.bag, neighbors.shape[1]
    for b in range(seeds.shape[2]):
        for row in range(bag.size):
            bag[row] = 0
        n_words = draw_from_all(seeds[1, 0, b], bag.size - n_near, bag)
        keep_root(data, node, kept)
        for query in range(neighbors.shape[0]):
            near, key = neighbors[query], seeds[0, query, b]
            add_neighbors(data, near, key, n_words, answers.shape[2], bag, kept)
            codes, values = queries.codes[query], queries.values[query]
            total = walk_path(data, rules, codes, values, near, key, node, kept)
            for c in range(answers.shape[2]):
                answers[query, b, c] = node.sums[TOTAL, c] / total
            for place in range(n_near):
                bag[near[place]] -= kept.near[place]


@lean_kernel
def keep_root(data, node, kept):
    """Begin with the rows of the shared part."""
    n_rows, bag = 0, node.rows.bag
    for row in range(bag.size):
        kept.rows[n_rows] = row
        n_rows += bag[row] > 0
    links = kept.links[0]
    links[CHILD], links[SIBLING], links[BEGIN], links[END] = 0, 0, 0, n_rows
    kept.now[N_NODES] = 1
    n_classes = node.present.size
    count_list(data, bag, kept.rows[:n_rows], n_classes, kept.tables[0])


@lean_kernel
def count_list(data, weights, rows, n_classes, table):
    """Class weights of listed rows in every slot."""
    for cell in range(table.size):
        table[cell] = 0
    width = np.uintp(table.size // n_classes)
    for row in rows:
        c = data.classes[row]
        add_row(data.cells, data.marks, row, c, weights[row], width, table)


@lean_kernel
def add_neighbors(data, near, seed, first_word, n_classes, bag, kept):
    """Draw from the query's neighbors; add them to the bag and count them."""
    for place in range(near.size):
        kept.near[place] = 0
    draw_places(seed, first_word, kept.near)
    extra = kept.extra
    for cell in range(extra.size):
        extra[cell] = 0
    n_drawn = 0
    for place in range(near.size):
        kept.drawn[n_drawn] = place
        n_drawn += kept.near[place] > 0
        bag[near[place]] += kept.near[place]
    add_places(data, near, kept.drawn, n_drawn, 1, n_classes, kept)
    kept.now[N_DRAWN] = n_drawn


@lean_kernel
def walk_path(data, rules, codes, values, near, key, node, kept):
    """Go down one query's path; the leaf is left in the node. Returns its weight."""
    rows, totals, at = node.rows, node.sums[TOTAL], np.int64(0)
    rows.now[BY_BITS] = 0
    while True:
        if at >= 0:
            for cell in range(node.table.size):
                node.table[cell] = kept.tables[at, cell] + kept.extra[cell]
        elif not rows.now[KEPT]:
            left = rows.rows[: rows.now[N_ROWS]]
            count_list(data, rows.bag, left, totals.size, node.table)
        rows.now[KEPT] = 1
        total = sum_first(node.table, data.slots[1], totals)
        j = choose_split(data, rules, node, key, total)
        if j < 0:
            return total
        cut = place_cut(data.facts, data.lines, rows.bag, node.cuts, j, rules)
        nominal, rank = data.facts[KIND, j] == NOMINAL, node.cuts[0, j]
        branch = np.int64(codes[j]) if nominal else np.int64(values[j] > cut)
        if nominal and not has_value(data.facts, data.slots, node, j, branch):
            return total
        key = path_key(key, j, branch)
        if at < 0:
            divide_rows(rows, data.codes[j], nominal, rank, branch, 1.0)
            if rows.now[N_GONE] < rows.now[N_ROWS]:
                take_away(
                    rows, data.cells, data.marks, data.classes, totals, node.table
                )
            else:
                rows.now[KEPT] = 0
            continue
        divide_neighbors(data, near, totals.size, kept, j, nominal, rank, branch)
        child = find_child(kept.links, at, j, rank, branch)
        if child == 0:
            child = keep_child(data, node, near, kept, at, j, nominal, rank, branch)
        if child == 0:
            list_both(data.codes[j], near, rows, kept, at, nominal, rank, branch)
            rows.now[KEPT] = 0
        at = child if child > 0 else np.int64(-1)


@lean_kernel
def sum_first(table, n_slots, totals):
    """Class weights of a node, from the slots of the first attribute."""
    total = np.int64(0)
    for c in range(totals.size):
        totals[c] = 0
        for slot in range(n_slots):
            totals[c] += table[c * (table.size // totals.size) + slot]
        total += totals[c]
    return total


@lean_kernel
def stays(code, nominal, rank, branch):
    """Whether a row with a code goes down a branch."""
    return code == branch if nominal else np.int64(code > rank) == branch


@lean_kernel
def divide_neighbors(data, near, n_classes, kept, j, nominal, rank, branch):
    """Leave the query's own rows behind a branch, and count them anew.

    The fewer are counted: those that have gone are subtracted, or the table is
    cleared and those that stay are added.
    """
    n_left, n_gone, near_places, codes = 0, 0, kept.drawn, data.codes[j]
    for t in range(kept.now[N_DRAWN]):
        place = near_places[t]
        stay = stays(codes[near[place]], nominal, rank, branch)
        kept.gone[n_gone] = place
        near_places[n_left] = place
        n_left += stay
        n_gone += not stay
    kept.now[N_DRAWN] = n_left
    if n_gone <= n_left:
        add_places(data, near, kept.gone, n_gone, -1, n_classes, kept)
    else:
        for cell in range(kept.extra.size):
            kept.extra[cell] = 0
        add_places(data, near, near_places, n_left, 1, n_classes, kept)


@lean_kernel
def add_places(data, near, places, n_places, sign, n_classes, kept):
    """Add drawn neighbors to the query's own counts, or subtract them."""
    width = np.uintp(kept.extra.size // n_classes)
    for t in range(n_places):
        row, weight = near[places[t]], sign * kept.near[places[t]]
        c = data.classes[row]
        add_row(data.cells, data.marks, row, c, weight, width, kept.extra)


@lean_kernel
def find_child(links, at, j, rank, branch):
    """The kept node behind a branch, 0 if there is none."""
    child = links[at, CHILD]
    while child > 0:
        link = links[child]
        if link[ATTRIBUTE] == j and link[CUT] == rank and link[BRANCH] == branch:
            return child
        child = link[SIBLING]
    return child


@lean_kernel
def keep_child(data, node, near, kept, at, j, nominal, rank, branch):
    """Keep the node behind a branch; 0 if it is small or there is no room."""
    links, child, bag = kept.links, kept.now[N_NODES], node.rows.bag
    begin = links[child - 1, END]
    parent = kept.rows[links[at, BEGIN] : links[at, END]]
    if child == links.shape[0] or begin + parent.size >= kept.rows.size:
        return np.int64(0)
    end = begin
    for row in parent:
        kept.rows[end] = row
        end += stays(data.codes[j, row], nominal, rank, branch)
    if end - begin < SMALL:
        return np.int64(0)
    link = links[child]
    link[ATTRIBUTE], link[CUT], link[BRANCH], link[CHILD] = j, rank, branch, 0
    link[BEGIN], link[END], link[SIBLING] = begin, end, links[at, CHILD]
    links[at, CHILD] = child
    kept.now[N_NODES] = child + 1
    # The bag holds the query's own draws, too, which are no part of what is kept.
    for place in range(near.size):
        bag[near[place]] -= kept.near[place]
    n_classes = node.present.size
    count_list(data, bag, kept.rows[begin:end], n_classes, kept.tables[child])
    for place in range(near.size):
        bag[near[place]] += kept.near[place]
    return child


@lean_kernel
def list_both(codes, near, rows, kept, at, nominal, rank, branch):
    """List the shared rows behind a branch and the query's own ones."""
    n_rows = 0
    for t in range(kept.links[at, BEGIN], kept.links[at, END]):
        row = kept.rows[t]
        rows.rows[n_rows] = row
        rows.weight[row] = rows.bag[row]
        n_rows += stays(codes[row], nominal, rank, branch)
    for t in range(kept.now[N_DRAWN]):
        row = near[kept.drawn[t]]
        rows.rows[n_rows] = row
        rows.weight[row] = rows.bag[row]
        # A row that the shared part has, too, is listed already.
        n_rows += rows.bag[row] == kept.near[kept.drawn[t]]
    rows.now[N_ROWS] = n_rows
