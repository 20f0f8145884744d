"""Races, their tests, and the rankings that races start from."""

import warnings

import numpy as np
from scipy import stats


def race(losses, test, first_test=5, min_effect=0.0, n_winners=1, **rules):
    """Race the columns of a matrix of losses, everything anew after each block."""
    n_blocks, n_candidates = losses.shape
    eliminated_at = [0] * n_candidates
    for used in range(1, n_blocks + 1):
        alive = [c for c in range(n_candidates) if not eliminated_at[c]]
        if used >= first_test and len(alive) > n_winners:
            run = losses[:used].copy()
            for c, last in enumerate(eliminated_at):
                run[last or used :, c] = np.nan
            for c in race_losers(run, alive, test, min_effect, n_winners, **rules):
                eliminated_at[c] = used
                alive.remove(c)
        means = losses[:used][:, alive].mean(axis=0)
        equal = min_effect > 0 and max(means) - min(means) <= min_effect
        if used >= first_test and (len(alive) <= n_winners or equal):
            break
    return alive, eliminated_at, used


def race_losers(run, alive, test, min_effect, n_winners, alpha=0.05, loss_range=None):
    """Candidates out after a block; `run` has NaN where one was not run."""
    losses = run[:, alive]
    means = losses.mean(axis=0)
    if test == "hoeffding":
        width = np.nanmax(run) - np.nanmin(run) if loss_range is None else loss_range
        out, order = hoeffding_losers(losses, alpha, width, run.shape[1])
    else:
        out, order = LOSERS[test](losses, alpha)
    if min_effect > 0:
        out = [i for i in out if means[i] - min(means) > min_effect]
    if len(alive) - len(out) < n_winners:
        best_first = sorted(range(len(alive)), key=lambda i: (order[i], i))
        out = [i for i in out if i not in best_first[:n_winners]]
    return [alive[i] for i in out]


def friedman_losers(losses, alpha):
    n, k = losses.shape
    ranks = stats.rankdata(losses, axis=1)
    sums = ranks.sum(axis=0)
    if k == 2:
        return wilcoxon_losers(losses, alpha), sums
    if not friedman_rejects(losses, alpha):
        return [], sums
    freedom = (n - 1) * (k - 1)
    spread = 2 * (n * (ranks**2).sum() - (sums**2).sum()) / freedom
    margin = stats.t.ppf(1 - alpha / 2, freedom) * np.sqrt(spread)
    return [j for j in range(k) if sums[j] - sums.min() > margin], sums


def friedman_rejects(losses, alpha):
    if np.all(losses == losses[:, :1]):
        return False  # all tied: 0/0
    if losses.shape[1] == 2:  # scipy asks for three
        ranks = stats.rankdata(losses, axis=1)
        n = len(losses)
        off = ranks.sum(axis=0) - 1.5 * n
        statistic = (off**2).sum() / ((ranks**2).sum() - 4.5 * n)
        return stats.chi2.sf(statistic, 1) < alpha
    return stats.friedmanchisquare(*losses.T).pvalue < alpha


def wilcoxon_losers(losses, alpha):
    differences = losses[:, 0] - losses[:, 1]
    if not differences.any():
        return []
    # scipy renamed the normal approximation in 1.15.
    renamed = "asymptotic" in (stats.wilcoxon.__doc__ or "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # older ones complain of few blocks
        answer = stats.wilcoxon(
            differences,
            zero_method="wilcox",
            correction=True,
            method="asymptotic" if renamed else "approx",
        )
    if answer.pvalue >= alpha:
        return []
    ranks = stats.rankdata(np.abs(differences[differences != 0]))
    signs = np.sign(differences[differences != 0])
    return [0] if (ranks * signs).sum() > 0 else [1]


def friedman_paper_losers(losses, alpha):
    here = list(range(losses.shape[1]))
    means = losses.mean(axis=0)
    out = []
    while len(here) > 1 and friedman_rejects(losses[:, here], alpha):
        worst = max(here, key=lambda j: (means[j], j))
        here.remove(worst)
        out.append(worst)
    return out, means


def paired_p_values(losses):
    """P-values of paired t-tests against the best; the best's own is 1."""
    best = int(np.argmin(losses.mean(axis=0)))
    values = []
    for j in range(losses.shape[1]):
        differences = losses[:, j] - losses[:, best]
        if np.ptp(differences) == 0:  # no spread to judge by: a sign test
            values.append(2 * 0.5 ** len(losses) if differences[0] > 0 else 1.0)
        else:
            values.append(stats.ttest_rel(losses[:, j], losses[:, best]).pvalue)
    return np.array(values), best


def t_losers(losses, alpha, adjust):
    values, best = paired_p_values(losses)
    others = [j for j in range(len(values)) if j != best]
    if adjust == "bonferroni":
        values = values * len(others)
    if adjust == "holm":
        largest = 0.0
        for step, j in enumerate(sorted(others, key=lambda j: values[j])):
            largest = max(largest, values[j] * (len(others) - step))
            values[j] = largest
    return [j for j in others if values[j] < alpha], losses.mean(axis=0)


def brace_losers(losses, alpha):
    n, k = losses.shape
    means = losses.mean(axis=0)
    best = int(np.argmin(means))
    out = []
    for j in range(k):
        differences = losses[:, j] - losses[:, best]
        error = differences.std(ddof=1) / np.sqrt(n)
        lower = differences.mean() - stats.norm.ppf(1 - alpha / 2) * error
        if np.ptp(differences) == 0:  # no spread to judge by: a sign test
            lower = alpha / 2 - 0.5**n if differences[0] > 0 else 0
        if lower > 0:
            out.append(j)
    return out, means


def hoeffding_losers(losses, alpha, width, n_candidates):
    means = losses.mean(axis=0)
    chance = alpha / n_candidates
    reach = width * np.sqrt(np.log(2 / chance) / (2 * len(losses)))
    out = [j for j, mean in enumerate(means) if mean - reach > min(means) + reach]
    return out, means


LOSERS = {
    "friedman": friedman_losers,
    "friedman-paper": friedman_paper_losers,
    "brace": brace_losers,
    "t": lambda losses, alpha: t_losers(losses, alpha, "none"),
    "t-holm": lambda losses, alpha: t_losers(losses, alpha, "holm"),
    "t-bonferroni": lambda losses, alpha: t_losers(losses, alpha, "bonferroni"),
}


def correlation_ranking(columns, target):
    """Columns by absolute correlation; a constant one has none."""
    strength = []
    for column in columns.T:
        constant = np.ptp(column) == 0
        strength.append(0.0 if constant else abs(np.corrcoef(column, target)[0, 1]))
    return sorted(range(len(strength)), key=lambda j: (-strength[j], j))


def bent_ranking(columns, target):
    """Columns by absolute correlation, or by that of their squared deviation."""
    strength = []
    for column in columns.T:
        both = [column, (column - column.mean()) ** 2]
        known = [abs(np.corrcoef(c, target)[0, 1]) for c in both if np.ptp(c) > 0]
        strength.append(max(known, default=0.0))
    return sorted(range(len(strength)), key=lambda j: (-strength[j], j))


def gram_schmidt_ranking(columns, target, most):
    """Forward regression: next is what lowers the residual sum of squares most."""
    ranking = []
    for _ in range(most):
        rest = {}
        for j in range(columns.shape[1]):
            if j not in ranking:
                design = np.column_stack(
                    [np.ones(len(target)), columns[:, [*ranking, j]]]
                )
                fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
                rest[j] = np.sum((target - fitted) ** 2)
        ranking.append(min(rest, key=lambda j: (round(rest[j], 8), j)))
    return ranking


def iterated_race(losses, sizes, n_elites, test, first_test=3, n_winners=1, alpha=0.05):
    """Race again and again: `sizes` has the first candidates, then the new ones.

    A candidate that was run on some blocks before is not out by fewer.
    """
    n_blocks, run = len(losses), {}
    members, n_used = list(range(sizes[0])), sizes[0]
    for number in range(len(sizes)):
        is_last = number == len(sizes) - 1
        n_left = min(n_winners if is_last else n_elites, len(members))
        before, alive = dict(run), list(members)
        for used in range(1, n_blocks + 1):
            run |= {c: max(run.get(c, 0), used) for c in alive}
            if used >= first_test and len(alive) > n_left:
                out, order = LOSERS[test](losses[:used, alive], alpha)
                out = [i for i in out if before.get(alive[i], 0) <= used]
                if len(alive) - len(out) < n_left:
                    best = sorted(range(len(alive)), key=lambda i: (order[i], i))
                    out = [i for i in out if i not in best[:n_left]]
                alive = [c for i, c in enumerate(alive) if i not in out]
            if used >= first_test and len(alive) <= n_left:
                break
        most = max(run[c] for c in alive)
        run |= dict.fromkeys(alive, most)
        winners = sorted(alive, key=lambda c: (losses[:most, c].mean(), c))
        if not is_last:
            new = range(n_used, n_used + sizes[number + 1])
            members, n_used = [*winners[:n_elites], *new], n_used + sizes[number + 1]
    return winners, [run[c] for c in range(n_used)]
