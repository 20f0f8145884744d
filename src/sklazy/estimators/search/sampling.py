"""New candidates of an iterated race, drawn around the survivors as irace does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from sklazy.errors import BadInputError
from sklazy.estimators.search.candidates import Space

Params = dict[str, Any]

_TRIES = 30  # draws until a new candidate is given up
_FIRST_SPREAD = 0.5  # standard deviation of the first race, of quantiles


class NearbySampler:
    """Draws settings around others.

    A parameter with a distribution is drawn from a normal distribution around the
    parent's quantile, cut off at 0 and 1, whose spread shrinks from race to race. One
    with a list keeps the parent's value ever more often, else any is drawn.

    Parameters
    ----------
    space : dict or list of dicts
        Lists of values, or distributions, by parameter.
    n_drawn : int
        Candidates of a race; the more, the faster the spread shrinks.
    n_races : int
    rng : numpy Generator

    References
    ----------
    M. Lopez-Ibanez, J. Dubois-Lacoste, L. Perez Caceres, M. Birattari, T. Stuetzle: The
    irace package: iterated racing for automatic algorithm configuration. Operations
    Research Perspectives 3, 2016.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> rng = np.random.default_rng(0)
    >>> sampler = NearbySampler({"C": loguniform(1, 1e4)}, 20, 3, rng)
    >>> (near,) = sampler.draw([{"C": 100.0}], 1, 1)
    >>> 50 < near["C"] < 200
    True
    """

    def __init__(
        self,
        space: Space,
        n_drawn: int,
        n_races: int,
        rng: np.random.Generator,
    ) -> None:
        self.grids = [space] if isinstance(space, Mapping) else list(space)
        self.n_drawn, self.n_races, self.rng = n_drawn, n_races, rng
        self._seen: set[str] = set()

    def draw(self, parents: Sequence[Params], n_new: int, number: int) -> list[Params]:
        """Draw settings that have not been drawn before; fewer if there are none.

        Parameters
        ----------
        parents : sequence of dict
            The survivors, best first: the first has the most offspring.
        n_new : int
        number : int
            Of the race, from 0.
        """
        self.remember(parents)
        ranks = np.arange(len(parents), 0, -1)
        drawn: list[Params] = []
        for _ in range(n_new):
            for _ in range(_TRIES):
                parent = parents[self.rng.choice(len(parents), p=ranks / ranks.sum())]
                candidate = self._vary(parent, number)
                if _key(candidate) not in self._seen:
                    self.remember([candidate])
                    drawn.append(candidate)
                    break
        return drawn

    def remember(self, candidates: Sequence[Params]) -> None:
        """Never draw these again."""
        self._seen |= {_key(params) for params in candidates}

    def _vary(self, parent: Params, number: int) -> Params:
        grid = self._grid_of(parent)
        spread = _FIRST_SPREAD * (1 / self.n_drawn) ** (number / max(len(grid), 1))
        return {
            name: self._vary_one(values, parent[name], number, spread)
            for name, values in grid.items()
        }

    def _vary_one(
        self,
        values: Any,  # noqa: ANN401
        value: object,
        number: int,
        spread: float,
    ) -> object:
        if hasattr(values, "ppf") and hasattr(values, "cdf"):
            return self._near(values, value, spread)
        if self.rng.random() < number / self.n_races:
            return value
        if hasattr(values, "rvs"):
            seed = int(self.rng.integers(2**31))
            return values.rvs(random_state=seed)
        return values[self.rng.integers(len(values))]

    def _near(self, distribution: Any, value: Any, spread: float) -> object:  # noqa: ANN401
        """A value near to another in terms of the distribution's quantiles."""
        below = distribution.cdf(np.nextafter(value, -np.inf))
        quantile = (below + distribution.cdf(value)) / 2  # amid the step of a number
        bounds = (0 - quantile) / spread, (1 - quantile) / spread
        near = stats.truncnorm.rvs(
            *bounds, loc=quantile, scale=spread, random_state=self.rng
        )
        drawn = distribution.ppf(min(max(near, 1e-12), 1 - 1e-12))
        return int(drawn) if _is_discrete(distribution) else float(drawn)

    def _grid_of(self, params: Params) -> Mapping[str, Any]:
        """The part of the space that a setting is from."""
        return next(grid for grid in self.grids if set(grid) == set(params))


def check_rounds(n_rounds: int, n_iter: int | None, space: Space) -> None:
    """Raise an error unless later races can have new candidates."""
    if not isinstance(n_rounds, int | np.integer) or n_rounds < 1:
        raise BadInputError(f"n_rounds={n_rounds!r}; expected a number of 1 or more.")
    if n_rounds == 1:
        return
    grids = [space] if isinstance(space, Mapping) else list(space)
    drawn = any(hasattr(values, "rvs") for grid in grids for values in grid.values())
    if n_iter is None and not drawn:
        raise BadInputError(
            f"n_rounds={n_rounds} draws new candidates, but n_iter=None races all of "
            "the grid. Set n_iter, give distributions such as scipy.stats.loguniform, "
            "or use n_rounds=1."
        )


def _key(params: Params) -> str:
    return repr(sorted((name, repr(value)) for name, value in params.items()))


def _is_discrete(distribution: Any) -> bool:  # noqa: ANN401
    return isinstance(getattr(distribution, "dist", distribution), stats.rv_discrete)
