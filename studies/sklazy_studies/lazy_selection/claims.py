"""Single statements of the paper on lazy selection, and our results."""

from collections.abc import Iterator, Mapping

from sklazy.estimators.advice.advantage import PERCENTAGES
from sklazy_studies.document import Table
from sklazy_studies.lazy_selection import paper
from sklazy_studies.lazy_selection.results import Results
from sklazy_studies.lazy_selection.run import HOSTS


def claims(runs: Mapping[str, Results]) -> Table:
    """The statements that can be checked with these sets, one column per protocol."""
    columns = [[*_on_sets(run), *_on_all(run)] for run in runs.values()]
    rows = [
        [together[0][0], *(what for _, what in together)]
        for together in zip(*columns, strict=True)
    ]
    return Table(
        "claims",
        ["the paper says", *(_HERE[protocol] for protocol in runs)],
        rows,
        "Single statements of the paper's text, and what is found. Honest: cuts from "
        "the training fold alone.",
        left=1 + len(runs),
    )


_HERE = {"honest": "here, honest", "paper": "here, paper's protocol"}


def _on_sets(run: Results) -> Iterator[tuple[str, str]]:
    """Statements on single sets, and our results."""
    every = "lazy better at all nine percentages for k = 1, 3, 5"
    some = "lazy better at all nine percentages for some k = 1, 3, 5"
    stated = [(name, every, _nine) for name in paper.ALL_NINE]
    stated += [(name, some, _nine) for name in paper.NINE_FOR_SOME_K]
    stated.append(("wine", "100 % with 3 of 13 attributes, k = 3 and 5", _wine))
    stated.append(("heart-h", "eager better up to 50 %, equal above 60 %", _heart))
    stated.append(("vowel", "no selection beats all attributes", _vowel))
    place = {name: i for i, name in enumerate(run.sets)}
    for name, claim, look in stated:
        if name in place:
            yield f"{name}: {claim}", look(run, place[name])


def _on_all(run: Results) -> Iterator[tuple[str, str]]:
    """Statements on all sets together, and our results."""
    for host, name in enumerate(("1-NN", "3-NN", "5-NN")):
        claim = f"most of the nine: lazy on 28 of 40 sets, eager on 7 ({name})"
        yield claim, _mostly(run, host)
    yield "eager better at all nine percentages: on no set, for no k", _never(run)
    yield (
        "beyond chance, eager better at no percentage on 33 of 40 sets (1-NN)",
        _significantly(run),
    )


def _nine(run: Results, place: int) -> str:
    wins = [run.tally_set(host, place).better for host in range(3)]
    return "{} of 9, {} of 9, {} of 9".format(*wins)


def _wine(run: Results, place: int) -> str:
    lazy = [run.accuracy(run.lazy[h])[place] for h in (1, 2)]
    rounded, cut = ([x[PERCENTAGES.index(p)] for x in lazy] for p in (20, 30))
    return (
        "{:.1f} % and {:.1f} % with 20 % of them, which is 3 rounded; "
        "{:.1f} % and {:.1f} % with 30 %, which is 3 cut off and 4 rounded"
    ).format(*rounded, *cut)


def _heart(run: Results, place: int) -> str:
    lazy, eager = (run.accuracy(c[0])[place] for c in (run.lazy, run.eager))
    ahead = [str(x) for x, a, b in zip(PERCENTAGES, lazy, eager, strict=True) if b > a]
    return f"1-NN: eager better at {', '.join(ahead)} %" if ahead else "nowhere (1-NN)"


def _vowel(run: Results, place: int) -> str:
    best = max(run.best(c[0])[0][place] for c in (run.lazy, run.eager))
    none = run.accuracy(run.none[0])[place]
    return f"1-NN: best selection {best:.1f} %, all {none:.1f} %"


def _mostly(run: Results, host: int) -> str:
    tallies = [run.tally_set(host, i) for i in range(len(run.sets))]
    lazy = sum(t.better > max(t.worse, t.ties) for t in tallies)
    eager = sum(t.worse > max(t.better, t.ties) for t in tallies)
    return f"{lazy} and {eager} of {len(run.sets)}"


def _never(run: Results) -> str:
    never_better = [
        f"{name} ({host})"
        for i, name in enumerate(run.sets)
        for h, host in enumerate(list(HOSTS)[:3])
        if run.tally_set(h, i).worse == len(PERCENTAGES)
    ]
    return ", ".join(never_better) or "on none"


def _significantly(run: Results) -> str:
    tallies = [run.tally_set(0, i) for i in range(len(run.sets))]
    n_not_worse = sum(not t.significantly_worse for t in tallies)
    return f"{n_not_worse} of {len(tallies)} ({100 * n_not_worse / len(tallies):.1f} %)"
