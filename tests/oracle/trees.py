"""The lazy decision tree."""

from oracle.paths import class_weights_of, information


def lazy_tree_answer(codes, classes, n_classes, query):
    """Friedman, Kohavi, Yun (1996): class counts of the rows left on the query's path.

    `codes[j][row]` and `query[j]` are codes; below 0 they agree with nothing.
    """
    rows = list(range(len(classes)))
    while True:
        counts = class_weights_of([(r, 1.0) for r in rows], classes, n_classes)
        if sum(count > 0 for count in counts) < 2:
            return counts
        best, chosen = (1e-9, 0), None
        for j, value in enumerate(query):
            known = [r for r in rows if codes[j][r] >= 0]
            agree = [r for r in known if codes[j][r] == value]
            if value < 0 or not agree or len(agree) == len(known):
                continue
            gain = _balanced_gain(known, agree, classes, counts) * len(known)
            gain /= len(rows)
            better = gain > best[0] + 1e-9
            tied = abs(gain - best[0]) <= 1e-9 and len(agree) > best[1]
            if better or (chosen is not None and tied):
                best, chosen = (gain, len(agree)), j
        if chosen is None:
            return counts
        rows = [r for r in rows if codes[chosen][r] == query[chosen]]


def _balanced_gain(known, agree, classes, counts):
    """Gain of "agrees or not" when every class of the node weighs the same."""

    def sums(rows):
        pairs = [(r, 1.0 / counts[classes[r]]) for r in rows]
        return class_weights_of(pairs, classes, len(counts))

    others = [r for r in known if r not in set(agree)]
    whole = sums(known)
    left = information(whole) - information(sums(agree)) - information(sums(others))
    return left / sum(whole)
