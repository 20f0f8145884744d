"""Nearest neighbors where cases have weights."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Votes
from sklazy.flow import Selected
from sklazy.neighbors import vote_by_weight

if TYPE_CHECKING:
    from sklazy.answer.selection.nearest import NearestHost


class WeightedSearch:
    """Cases of weight w vote like w cases: measured one query after the other."""

    def __init__(self, host: "NearestHost", batch: Batch, selected: Selected) -> None:
        self.host, self.batch, self.selected = host, batch, selected
        self.votes = np.zeros((len(batch), batch.n_classes))
        self.thresholds = np.zeros(len(batch))
        self.shares = np.ones(len(batch))

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        cases, host = self.batch.cases, self.host
        live = slice(0, cases.n_rows)
        for query in range(first, last):
            used = self.selected.attributes[query, : self.selected.counts[query]]
            measured = host.measure(self.batch, query, used)
            found = vote_by_weight(
                measured,
                cases.classes[live],
                np.where(np.isinf(measured), 0.0, cases.weights[live]),
                host.n_neighbors,
                self.votes.shape[1],
                shares=host.shares,
                by_distance=host.by_distance,
            )
            self.votes[query], self.thresholds[query], self.shares[query] = found


def vote_with_each_by_weight(
    host: "NearestHost", part: Batch, order: NDArray[np.int32]
) -> Votes:
    """Votes with the first attribute, the first two, ..., where cases have weights."""
    votes = []
    for last in range(order.shape[1]):
        counts = np.full(len(part), last + 1, np.int32)
        search = WeightedSearch(host, part, Selected(order, counts))
        search.run(0, len(part))
        votes.append(search.votes)
    return np.stack(votes, axis=1)
