"""Models of a cluster in a folder: each worker writes and opens its own files."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dask.delayed import delayed
from sklearn.utils.validation import check_is_fitted

from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part
from sklazy.dask.client import TIMEOUT, find_client
from sklazy.dask.engine import DaskEngine
from sklazy.dask.model import DaskModel, warm_up
from sklazy.dask.shards import Shards
from sklazy.errors import BadFileError, BadInputError
from sklazy.estimators.loading import restore_estimator
from sklazy.estimators.state import describe_model
from sklazy.storage.folders import (
    OpenedFolder,
    PartPlace,
    PartRequest,
    begin_folder,
    finish_folder,
    is_folder,
    name_file,
    open_part,
    write_part,
)


def save(model: DaskModel, path: str | Path) -> None:
    """Write a model of a cluster to a folder; each worker writes its own rows.

    Nothing is brought to this machine. The folder must be one that this machine and all
    workers see under this name. An older model there is replaced once all files are
    complete.

    Parameters
    ----------
    model : fitted model of `sklazy.dask`
    path : str or Path
        A new or empty folder, or one that holds a model.
    """
    check_is_fitted(model.model)
    path = os.path.abspath(path)
    begin_folder(path)
    header = describe_model(model.model)
    with model.model.cases_.snapshot() as cases:
        bins = cases.bins
        has_cuts = bool(bins.cuts) and bool(cases.coder.n_classes) and bins.current
        requests = [
            PartRequest(
                os.path.join(path, name_file(number)),
                header,
                bins.frozen,
                has_cuts,
                cases.next_id,
            )
            for number in range(len(cases.sizes))
        ]
        files = cases.ask_each(write_part, requests)
    finish_folder(path, [file for file in files if file is not None])


def load(
    path: str | Path,
    client: Any = None,  # noqa: ANN401 - distributed has no types
    *,
    timeout: float = TIMEOUT,
) -> DaskModel:
    """Open a folder on a cluster: each worker maps its files, no rows come here.

    Parameters
    ----------
    path : str or Path
        A folder that `sklazy.dask.save`, or ``save(path, n_parts=...)`` of a model, has
        written, which all workers see under this name.
    client : distributed.Client, optional
        The current one by default.
    timeout : float, default=300
        As for the estimators.

    Returns
    -------
    model : fitted model of `sklazy.dask`
        It answers from the files until rows are added or forgotten, which changes the
        model, not the folder; see `save`.
    """
    path = os.path.abspath(path)
    if not is_folder(path):
        raise BadInputError(
            f"{path} is not a model's folder. Load a single file with sklazy.load, and "
            "write a folder with model.save(path, n_parts=4)."
        )
    client = find_client(client)
    opened = OpenedFolder(path)
    sources = [[delayed(place, pure=False)] for place in opened.places]
    engine = DaskEngine(client, _open_part, sources, timeout)
    engine.start_all([[place] for place in opened.places])
    shards = Shards(engine, len(sources), timeout)
    base = PartedBase(opened.head(), shards, opened.sizes)
    local = restore_estimator(opened.header, lambda: base, path)
    import sklazy.dask  # noqa: PLC0415 (its classes are made there)

    model: DaskModel = getattr(sklazy.dask, type(local).__name__)(
        client=client, timeout=timeout
    )
    model.model = local
    if model.by_parts:
        warm_up(local)
    return model


def _open_part(places: Sequence[PartPlace], number: int) -> Part:
    """Map a part on a worker."""
    place = PartPlace(*places[0])
    if not os.path.exists(place.path):
        raise BadFileError(
            "this worker does not see the file; give a folder that is under the same "
            "name on all machines of the cluster.",
            place.path,
        )
    return open_part(place, number)
