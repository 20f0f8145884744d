"""Open the explorer: a server on this machine, and a browser."""

import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from sklazy.estimators.base import LazyEstimator
from sklazy.web.explore.app import LIMITS, make_explorer
from sklazy.web.explore.session import Session
from sklazy.web.running import _Server, address_of, listen, make_config, serve_app
from sklazy.web.tokens import new_token

HOST = "127.0.0.1"
_PATIENCE = 20.0  # seconds for a server to come up


class Explorer:
    """An open explorer, in a thread of this process.

    As the last value of a notebook's cell it is shown in the cell.

    Attributes
    ----------
    url : str
        Its address, with the token.

    Examples
    --------
    >>> import sklazy
    >>> model = sklazy.LazyKNeighborsClassifier(1).fit([[1], [2], [8]], ["a", "a", "b"])
    >>> with model.explore(browser=False) as explorer:
    ...     explorer.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, sessions: Sequence[Session], port: int, browser: bool) -> None:
        self._sessions, self._session, token = sessions, sessions[0], new_token()
        self._listening = listen(HOST, port)
        home = address_of(self._listening, HOST)
        self.url, self._frame = f"{home}/?token={token}", f"{home}/frame/{token}/"
        ready = threading.Event()
        config = make_config(make_explorer(sessions, token, framed=True), LIMITS)
        self._server = _Server(config, ready.set)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._listening],), daemon=True
        )
        self._thread.start()
        ready.wait(_PATIENCE)
        if browser:
            webbrowser.open(self.url)

    @property
    def model(self) -> Any:  # noqa: ANN401 - of the class that was explored
        """A copy of the estimator with the changes made in the explorer."""
        return self._session.state.model

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The changes made in the explorer."""
        return self._session.changes.describe()

    def stop(self) -> None:
        """Close the server."""
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        self._listening.close()
        for session in self._sessions:
            session.close()

    def to_html(self, height: int = 800) -> str:
        """A frame that shows the explorer in a page on this machine.

        Parameters
        ----------
        height : int, default=800
            In pixels.
        """
        return (
            f'<iframe src="{self._frame}" title="sklazy explorer" width="100%" '
            f'height="{int(height)}" style="border: 1px solid #aab4c1"></iframe>'
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Explorer({self.url})"


def explore(
    models: Mapping[str, LazyEstimator],
    *,
    port: int = 0,
    browser: bool = True,
    read_only: bool = False,
) -> Explorer:
    """Open the explorer on estimators by name; see `LazyEstimator.explore`."""
    sessions = [
        Session(model, name, read_only=read_only) for name, model in models.items()
    ]
    return Explorer(sessions, port, browser)


def run_explorer(
    sessions: Sequence[Session], port: int, on_start: Callable[[str], None]
) -> None:
    """Serve the explorer until Ctrl-C; `on_start` receives its address."""
    listening, token = listen(HOST, port), new_token()
    url = f"{address_of(listening, HOST)}/?token={token}"
    app = make_explorer(sessions, token)
    try:
        serve_app(app, listening, LIMITS, on_start=lambda: on_start(url))
    finally:
        for session in sessions:
            session.close()
