"""Erase rows from the file of a model, and prove that they are gone."""

import datetime
import importlib.metadata
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike, as_ids
from sklazy.casebase.rows import Ids
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
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
from sklazy.estimators.erasure.traces import join_traces
from sklazy.estimators.loading import compact, load
from sklazy.estimators.state import describe_model
from sklazy.storage.placing import clear_references, scratch_folder
from sklazy.storage.searching import (
    SearchedFile,
    files_under,
    patterns_in,
    search_file,
    sidecars_of,
)
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
    rows: text ids, labels and numbers that no other row has.

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
    others = _list_others(path, copies)
    kept_receipts = list(dict.fromkeys(files_under(receipts)))
    further = list(dict.fromkeys(files_under(search)))
    held = [hold_rows(file, names) for file in (path, *others)]
    before = find_digest_before(held, names)
    traces = join_traces([one.traces for one in held])
    clear_references(path)
    model, refit = _erase_rows(held[0])
    traces = traces.drop(_find_common(model, refit, path, traces.patterns))
    for one in held[1:]:
        traces = traces.drop(_find_common(*_erase_rows(one), one.path, traces.patterns))
        further += [one.path, *sidecars_of(one.path)]
    content = {
        **_describe_rows(model, names),
        "digests": {
            "before": before,
            "after": model.digest(),
            "refit": refit.digest(),
        },
        "searched_for": traces.count(),
        "files": _search_files(path, further, traces.patterns),
        "receipts": list(_naming_receipts(kept_receipts, names)),
    }
    return seal_certificate({**content, "proved": is_proved(content)}, key)


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


def _erase_rows(held: HeldRows) -> tuple[LazyEstimator, CaseBase]:
    """Erase rows from a file, which is written anew; its model, and a refit then."""
    if len(held.names):
        model: LazyEstimator = load(held.path, mmap_mode="r+")
        forget_quietly(model, held.names)
        del model
        compact(held.path)
    model = load(held.path)
    return model, refit_cases(model.cases_)


def _find_common(
    model: LazyEstimator, refit: CaseBase, path: Path, patterns: Sequence[bytes]
) -> set[bytes]:
    """Find patterns in the file of a model that never had the rows.

    They are parts of what other rows have, or of settings, and prove nothing.
    """
    with scratch_folder(path) as folder:  # if this is killed, the next one removes it
        reference = folder / "refit"
        write_cases(reference, describe_model(model), refit)
        return patterns_in(reference, patterns)


def _search_files(
    path: Path, further: list[Path], patterns: Sequence[bytes]
) -> list[dict[str, Any]]:
    real = Path(os.path.realpath(path))
    sidecars = sidecars_of(path)
    known = {real, *sidecars}
    others = [p for p in further if Path(os.path.realpath(p)) not in known]
    roles = [("model", [real]), ("sidecar", sidecars), ("searched", others)]
    return [
        _describe_file(role, search_file(file, patterns))
        for role, files in roles
        for file in files
    ]


def _describe_file(role: str, file: SearchedFile) -> dict[str, Any]:
    return {
        "name": file.path.name if role != "searched" else str(file.path),
        "role": role,
        "bytes": file.n_bytes,
        "sha256": file.sha256,
        "hits": file.hits,
    }


def _naming_receipts(files: list[Path], names: Ids) -> Iterator[dict[str, str]]:
    """Find receipts that name one of some rows; other files are passed over."""
    for file in files:
        try:
            content = json.loads(file.read_text("utf-8"))
        except (ValueError, RecursionError):
            continue
        for one in content if isinstance(content, list) else [content]:
            is_receipt = str(_get(one, "schema")).startswith("sklazy-receipt/")
            if is_receipt and _names_any(one, set(names.tolist())):
                yield {"name": str(file), "seal": str(_get(one, "seal"))}


def _get(content: object, key: str) -> object:
    return content.get(key) if isinstance(content, dict) else None


def _names_any(content: object, names: set[int | str]) -> bool:
    """Whether any part of a receipt has one of some ids."""
    if isinstance(content, list):
        return any(_names_any(item, names) for item in content)
    if not isinstance(content, dict):
        return False
    one = content.get("id")
    is_id = isinstance(one, int | str) and not isinstance(one, bool) and one in names
    return is_id or any(_names_any(item, names) for item in content.values())
