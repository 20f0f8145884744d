"""The door from an estimator to the explorer."""

import importlib
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from collections.abc import Callable


class Explorable:
    """An estimator that can be looked at in a browser."""

    def explore(self, *, port: int = 0, browser: bool = True) -> Any:  # noqa: ANN401
        """Open a page on this machine: cases, receipts, what-if, a map, an audit.

        Changes made there are made to a copy, which is the `model` of what is returned;
        this estimator stays as it is. It needs ``pip install 'sklazy[serve]'``.

        Parameters
        ----------
        port : int, default=0
            Where the page is served, on 127.0.0.1; 0 for any port that is free.
        browser : bool, default=True
            Whether a browser is opened; `url` has the address otherwise.

        Returns
        -------
        explorer : Explorer
            With `url`, `model`, `changes` and `stop()`; also a context manager.
        """
        check_is_fitted(self)
        # By name: that room is above this one, and is opened only when asked for.
        opening = importlib.import_module("sklazy.web.explore.opening")
        explore: Callable[..., Any] = opening.explore
        return explore(self, source=type(self).__name__, port=port, browser=browser)
