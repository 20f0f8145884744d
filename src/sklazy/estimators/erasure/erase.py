"""Erase rows from the file of a model, and prove that they are gone."""

import datetime
import importlib.metadata
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from sklazy.casebase.incoming import IdsLike, as_ids
from sklazy.casebase.rows import Ids
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.erasure.begun import BEGUN, Begun, find_begun, wipe_begun
from sklazy.estimators.erasure.certificate import (
    Certificate,
    conceal_id,
    is_proved,
    refit_cases,
    seal_certificate,
)
from sklazy.estimators.erasure.held import (
    HeldRows,
    find_digest_before,
    forget_quietly,
    hold_rows,
)
from sklazy.estimators.erasure.naming import find_receipts
from sklazy.estimators.erasure.traces import join_traces
from sklazy.estimators.loading import compact, load
from sklazy.estimators.state import describe_model
from sklazy.receipts.seal import check_key
from sklazy.storage.folders import is_folder
from sklazy.storage.locking import check_names
from sklazy.storage.placing import clear_references, naming_file, scratch_folder
from sklazy.storage.searching import (
    SearchedFile,
    check_readable,
    files_under,
    patterns_in,
    search_file,
    search_if_there,
    sidecars_of,
)
from sklazy.storage.store import StoredBase
from sklazy.storage.stored import write_cases

Places = Iterable[str | Path]


def erase(
    path: str | Path,
    ids: IdsLike,
    *,
    search: Places = (),
    receipts: Places = (),
    copies: Places = (),
    key: bytes | None = None,
) -> Certificate:
    """Erase rows from the file of a model, prove it, and certify it.

    The rows are forgotten, and the file is written anew. Then the digest of the model
    is compared with that of a fit to the rows that are left, and the file and all files
    beside it whose names begin with its own are searched for the bytes of the erased
    rows: ids (texts and long numbers), labels and numbers that no other row has.

    Parameters
    ----------
    path : str or Path
        The file, which `save` wrote. Its rows must fit the memory.
    ids : sequence of int or str
        Ids of the rows to erase.
    search : iterable of str or Path
        Further files and folders to search for the bytes, such as backups.
    receipts : iterable of str or Path
        Files and folders of receipts as JSON; those that name one of the rows are
        listed. They are records of past answers and are not changed.
    copies : iterable of str or Path
        Other files of the model, such as backups. Rows that they have are erased from
        them, too, and they are searched. If the rows were erased from `path` before,
        one copy must be the model as it was then: erasure and search are certified
        again.
    key : bytes, at least 16, optional
        A secret to sign the certificate with.

    Returns
    -------
    certificate : Certificate
        Its `proved` is False if any bytes were found; `files` lists where.

    See Also
    --------
    check_certificate : Check it, with the file.

    Notes
    -----
    Short texts, round numbers and values that other rows have, too, are not searched
    for, since they prove nothing; the certificate counts them. Copies that are
    elsewhere, logs of the operating system and backups are not looked at unless
    `search` names them. Frozen cuts are found anew.

    If it fails or is killed, the same call completes it, as long as nothing else
    changes the model before.

    Examples
    --------
    >>> import pathlib, tempfile, sklazy
    >>> X, y = [[1.25], [2.5], [3.75], [4.125]], ["no", "no", "yes", "yes"]
    >>> names = ["Ada L.", "Grace H.", "Mary S.", "Emmy N."]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.sklazy"
    ...     sklazy.LazyKNeighborsClassifier().fit(X, y, ids=names).save(path)
    ...     certificate = sklazy.erase(path, ["Grace H."])
    ...     left = sklazy.load(path).ids_.tolist()
    >>> left
    ['Ada L.', 'Mary S.', 'Emmy N.']
    >>> certificate.content["rows"]
    {'before': 4, 'erased': 1, 'after': 3}
    """
    names, path = _check_ids(ids), Path(path)
    check_key(key)
    _check_is_file(path)
    others = _list_others(path, copies)
    naming = list(find_receipts(dict.fromkeys(files_under(receipts)), names))
    further = list(dict.fromkeys(files_under(search)))
    check_readable(further)
    held = [hold_rows(file, names) for file in (path, *others)]
    begun = find_begun(path, names)
    clear_references(path)
    with scratch_folder(path, kept_for=BEGUN) as folder:
        with naming_file(path):
            plan = _plan(held, names, begun, folder)
            plan.keep(folder)
        for one in (*held[1:], held[0]):  # the model last: all can be done again
            _erase_rows(one, again=begun is not None)
        model = load(path)
        further += [place for file in others for place in _list_beside(file)]
        content = {
            **_describe_rows(model, names),
            "digests": {
                "before": plan.before,
                "after": model.digest(),
                "refit": plan.after,
            },
            "searched_for": plan.traces.count(),
            "files": _search_files(path, further, plan.traces.patterns, folder),
            "receipts": naming,
        }
        wipe_begun(folder)
    return seal_certificate({**content, "proved": is_proved(content)}, key)


def _plan(
    held: Sequence[HeldRows], names: Ids, begun: Begun | None, folder: Path
) -> Begun:
    """Find what the proof needs, before a file is changed."""
    traces = join_traces([one.traces for one in held])
    if begun is not None:
        traces = join_traces([begun.traces, traces])
    digests = []
    for one in held:
        refit, common = _find_common(one, traces.patterns, folder)
        traces = traces.drop(common)
        digests.append(refit)
    is_same = begun is not None and begun.after == digests[0] and not len(held[0].names)
    before = begun.before if is_same and begun else find_digest_before(held, names)
    return Begun(names.tolist(), before, digests[0], traces)


def _check_is_file(path: Path) -> None:
    if is_folder(path):
        raise BadInputError(
            f"path={os.fspath(path)!r} is a folder of files; rows are erased from one "
            "file, with a certificate. Save it as one, by sklazy.load(path, "
            "mmap_mode='c').save(FILE), and remove the folder; or forget the rows "
            "without a certificate: load it so, forget them, save it there again."
        )


def _erase_rows(held: HeldRows, *, again: bool) -> None:
    """Erase rows from a file, which is written anew."""
    if not len(held.names) and not again:
        return
    if not held.changes_in_place:
        check_names(Path(os.path.realpath(held.path)))
        whole: LazyEstimator = load(held.path)
        forget_quietly(whole, held.names)
        whole.save(held.path)
        return
    model: LazyEstimator = load(held.path, mmap_mode="r+")
    try:
        forget_quietly(model, held.names)
    finally:  # an error keeps the model, which keeps others from the file
        cast(StoredBase, model.cases_).held.close()
    compact(held.path)


def _find_common(
    held: HeldRows, patterns: Sequence[bytes], folder: Path
) -> tuple[str, set[bytes]]:
    """Fit a model without the rows: its digest, and the patterns in its file.

    They are parts of what other rows have, or of settings, and prove nothing.
    """
    model: LazyEstimator = load(held.path)
    forget_quietly(model, held.names)
    refit, reference = refit_cases(model.cases_), folder / "refit"
    write_cases(reference, describe_model(model), refit)
    common = patterns_in(reference, patterns)
    reference.unlink()
    return refit.digest(), common


def _describe_rows(model: LazyEstimator, names: Ids) -> dict[str, Any]:
    """Describe the model, and which rows went, by hashes of their ids."""
    salt, n_rows = secrets.token_bytes(32), model.cases_.n_rows
    return {
        "sklazy": importlib.metadata.version("sklazy"),
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "estimator": type(model).__name__,
        "rows": {"before": n_rows + len(names), "erased": len(names), "after": n_rows},
        "salt": salt.hex(),
        "erased": sorted(conceal_id(salt, one) for one in names.tolist()),
    }


def _check_ids(ids: IdsLike) -> Ids:
    names = as_ids(ids)
    if not len(names) or len(set(names.tolist())) < len(names):
        raise BadInputError(f"ids={ids!r}; give at least one id, and none twice.")
    return names


def _list_others(path: Path, copies: Places) -> list[Path]:
    """Copies that are other files than a model's own, each once."""
    by_place = {os.path.realpath(copy): Path(copy) for copy in copies}
    own = os.path.realpath(path)
    return [copy for place, copy in by_place.items() if place != own]


def _search_files(
    path: Path, further: list[Path], patterns: Sequence[bytes], own: Path
) -> list[dict[str, Any]]:
    real = Path(os.path.realpath(path))
    sidecars = [p for p in sidecars_of(path) if own not in p.parents]
    known = {real, *sidecars}
    by_place = {Path(os.path.realpath(p)): p for p in reversed(further)}
    others = [by_place[real] for real in reversed(by_place) if real not in known]
    found = [_describe_file("model", real.name, search_file(real, patterns))]
    for role, files in (("sidecar", sidecars), ("searched", others)):
        for file in files:
            name = _name_file(file, path) if role == "sidecar" else str(file)
            searched = search_if_there(file, patterns)
            if searched is not None:  # else it holds nothing any more
                found.append(_describe_file(role, name, searched))
    return found


def _list_beside(copy: Path) -> list[Path]:
    """A copy and the files that belong to it, named by the same folder."""
    real, files = Path(os.path.realpath(copy)).parent, [copy]
    for place in sidecars_of(copy):
        is_near = place.is_relative_to(real)
        files.append(copy.parent / place.relative_to(real) if is_near else place)
    return files


def _name_file(file: Path, model: Path) -> str:
    """Name a file by its place beside the model."""
    for beside in (Path(os.path.realpath(model)).parent, model.absolute().parent):
        if file.is_relative_to(beside):
            return file.relative_to(beside).as_posix()
    return str(file)


def _describe_file(role: str, name: str, file: SearchedFile) -> dict[str, Any]:
    return {
        "name": name,
        "role": role,
        "bytes": file.n_bytes,
        "sha256": file.sha256,
        "hits": file.hits,
    }
