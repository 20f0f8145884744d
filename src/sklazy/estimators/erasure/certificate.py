"""The certificate of an erasure: kept, shown, read back and checked."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.casebase.kinds import rebuilt
from sklazy.errors import BadFileError, CertificateError, ReceiptError
from sklazy.estimators.loading import load
from sklazy.methods import checks as c
from sklazy.receipts.seal import check_seal, check_signature, sealed, signed
from sklazy.report.certificate import certificate_page, certificate_text
from sklazy.storage.searching import search_file

SCHEMA = "sklazy-certificate/1"

_FILE = c.record(
    {
        "name": c.text,
        "role": c.one_of("model", "sidecar", "searched"),
        "bytes": c.count,
        "sha256": c.fingerprint,
        "hits": c.count,
    }
)
_SHAPE = c.record(
    {
        "schema": c.one_of(SCHEMA),
        "sklazy": c.text,
        "created": c.text,
        "estimator": c.text,
        "rows": c.record(dict.fromkeys(("before", "erased", "after"), c.count)),
        "salt": c.fingerprint,
        "erased": c.list_of(c.fingerprint),
        "digests": c.record(dict.fromkeys(("before", "after", "refit"), c.fingerprint)),
        "searched_for": c.record(
            dict.fromkeys(("ids", "texts", "numbers", "too_common"), c.count)
        ),
        "files": c.list_of(_FILE),
        "receipts": c.list_of(c.record({"name": c.text, "seal": c.text})),
        "proved": c.flag,
        "seal": c.fingerprint,
    },
    {"signature": c.fingerprint},
)


@dataclass(frozen=True)
class Certificate:
    """A record that rows were erased from a model, and how that was proved.

    Made by `erase`; read back by `from_json`, which refuses one that is malformed or
    was edited. It names nobody: ids are there as salted hashes.

    Attributes
    ----------
    content : dict
        Plain data, sealed; ``docs/format.md`` has its schema.

    Examples
    --------
    >>> import pathlib, tempfile, sklazy
    >>> model = sklazy.LazyKNeighborsClassifier(1)
    >>> _ = model.fit([["red"], ["blue"], ["red"]], ["a", "b", "a"], ids=[7, 8, 9])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.sklazy"
    ...     model.save(path)
    ...     certificate = sklazy.erase(path, [8])
    ...     certificate.check(path, ids=[8])
    True
    >>> certificate.proved
    True
    """

    content: Mapping[str, Any]

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read the certificate that `to_json` wrote; an edited one is refused.

        Parameters
        ----------
        text : str or bytes
        """
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CertificateError(
                f"this is not a certificate: {error}; give the file that erase wrote."
            ) from None
        return cls(check_content(content))

    @property
    def proved(self) -> bool:
        """Whether the model equals a fit without the rows, and no bytes were left."""
        return self.content["proved"]

    def to_json(self, indent: int | None = 2) -> str:
        """Write the data as JSON.

        Parameters
        ----------
        indent : int, default=2
            Of nested parts; None writes one line.
        """
        return json.dumps(self.content, indent=indent, allow_nan=False)

    def to_html(self) -> str:
        """Draw it as a page that needs nothing but itself (needs jinja2)."""
        return certificate_page(self.content)

    def __str__(self) -> str:
        return certificate_text(self.content)

    def check(
        self,
        model: str | Path,
        *,
        ids: Iterable[int | str] = (),
        key: bytes | None = None,
    ) -> bool:
        """Check the certificate against the file of the model; see `check_certificate`.

        Parameters
        ----------
        model, ids, key
            As for `check_certificate`.
        """
        return check_certificate(self, model, ids=ids, key=key)


def seal_certificate(content: Mapping[str, Any], key: bytes | None) -> Certificate:
    """Seal the content of a certificate, and sign it if there is a key."""
    whole = sealed({"schema": SCHEMA, **content})
    return Certificate(check_content(whole if key is None else signed(whole, key)))


def is_proved(content: Mapping[str, Any]) -> bool:
    """Whether the figures of a certificate prove that rows are gone."""
    digests = content["digests"]
    is_equal: bool = digests["after"] == digests["refit"] != digests["before"]
    return is_equal and not any(file["hits"] for file in content["files"])


def conceal_id(salt: bytes, one: object) -> str:
    """Hash an id with a salt, so that it can be recognized and not read."""
    text = str(one).encode("utf-8", "surrogatepass")
    return hashlib.sha256(salt + text).hexdigest()


def refit_cases(base: CaseBase) -> CaseBase:
    """Build a base anew from the rows that are there."""
    whole = base.joined()
    again = rebuilt(whole, np.arange(whole.n_rows))
    again.refresh()
    return again


def check_certificate(
    certificate: Certificate | str | bytes,
    model: str | Path,
    *,
    ids: Iterable[int | str] = (),
    key: bytes | None = None,
) -> bool:
    """Check that a certificate is whole, and that it is about a model.

    The model is read, every block checked; its digest is computed, and once more from
    a fit to its rows. Both must be the certificate's, its file must be the one that was
    searched, byte by byte, and no erased id may be among the rows. Anything else raises
    `CertificateError`.

    Parameters
    ----------
    certificate : Certificate, or its JSON
    model : str or Path
        The file that the rows were erased from.
    ids : iterable of int or str, optional
        Ids that the certificate must be about.
    key : bytes, optional
        The key that the certificate must be signed with. Without one, whoever can
        write the file can write a certificate for it.

    Examples
    --------
    >>> import pathlib, tempfile, sklazy
    >>> model = sklazy.LazyLearningRegressor().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.sklazy"
    ...     model.save(path)
    ...     text = sklazy.erase(path, [2]).to_json()
    ...     sklazy.check_certificate(text, path)
    True
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.from_json(certificate)
    content = check_content(certificate.content)
    if key is not None:
        _rename_errors(check_signature, content, key)
    if not content["proved"]:
        raise CertificateError(
            "the certificate itself records that the erasure was not proved: see its "
            "digests and files. The rows are gone from the model, so after removing "
            "what is left, search again by a copy of the model as it was: erase(path, "
            "ids, copies=[FILE]); see docs/erase.md."
        )
    _check_model(content, model)
    salt = bytes.fromhex(content["salt"])
    strangers = [one for one in ids if conceal_id(salt, one) not in content["erased"]]
    if strangers:
        raise CertificateError(
            f"the certificate is not about ids={strangers}; give ids that were erased."
        )
    return True


def check_content(content: object) -> dict[str, Any]:
    """Refuse data that is not a certificate, was edited, or contradicts itself."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise CertificateError(
            f"this is not a certificate of {SCHEMA!r}; give the file that erase wrote."
        )
    _rename_errors(_SHAPE, content, "certificate")
    _rename_errors(check_seal, content)
    for part, fits in _parts(content):
        if not fits:
            raise CertificateError(
                f"the certificate contradicts itself: its {part} do not fit its other "
                "parts."
            )
    return content


def _parts(content: Mapping[str, Any]) -> list[tuple[str, bool]]:
    rows = content["rows"]
    n_models = sum(file["role"] == "model" for file in content["files"])
    return [
        ("rows", rows["before"] - rows["erased"] == rows["after"] > 0),
        ("erased ids", len(set(content["erased"])) == rows["erased"] > 0),
        ("digests and files", content["proved"] == is_proved(content)),
        ("files", n_models == 1),
    ]


def _check_model(content: Mapping[str, Any], path: str | Path) -> None:
    """Refuse a model that is not as the certificate describes it."""
    try:
        model = load(path)
    except BadFileError as error:
        raise CertificateError(f"the model cannot be read: {error}") from error
    rows, salt = content["rows"], bytes.fromhex(content["salt"])
    digest, after = model.digest(), content["digests"]["after"]
    if digest != after:
        raise CertificateError(
            f"the model has the digest {digest[:12]}..., the certificate is about "
            f"{after[:12]}.... Rows were added, changed or erased since, or it is "
            "another model's."
        )
    if refit_cases(model.cases_).digest() != content["digests"]["refit"]:
        raise CertificateError(
            "a fit to the rows of the model has another digest than the certificate "
            "names: the file was altered, or another version of sklazy wrote it."
        )
    _check_bins(model.cases_.joined())
    if (
        type(model).__name__ != content["estimator"]
        or model.cases_.n_rows != rows["after"]
    ):
        raise CertificateError(
            f"the model is a {type(model).__name__} of {model.cases_.n_rows} rows, the "
            f"certificate is about a {content['estimator']} of {rows['after']}."
        )
    if search_file(Path(os.path.realpath(path)), []).sha256 != _sha256_of(content):
        raise CertificateError(
            "the model has the rows of the certificate, but its file has other bytes "
            "than the one that was searched: it was written again since, or altered. "
            "Give the file as erase left it, or a copy of that."
        )
    hidden = {conceal_id(salt, one) for one in model.ids_.tolist()}
    if hidden.intersection(content["erased"]):
        raise CertificateError(
            "a row that was erased is in the model again; erase it once more."
        )


def _check_bins(base: CaseBase) -> None:
    """Refuse numbers that the file has in other bins: no digest sees them."""
    for i, j in enumerate(base.coder.numeric):
        numbers = base.rows.numbers[i, : base.n_rows]
        if (base.bins.code(i, numbers) != base.rows.codes[j, : base.n_rows]).any():
            raise CertificateError(
                f"the model has numbers of {base.names[j]!r} in bins that they are not "
                "in: the file was altered. Restore it from a copy."
            )


def _sha256_of(content: Mapping[str, Any]) -> str:
    """The hash of the model's file when it was searched."""
    return next(f["sha256"] for f in content["files"] if f["role"] == "model")


def _rename_errors(check: Any, *arguments: object) -> None:  # noqa: ANN401 - a check
    """Call a check of receipts; its errors become those of a certificate."""
    try:
        check(*arguments)
    except ReceiptError as error:
        text = str(error).replace("receipt", "certificate")
        text = text.replace("ask explain() again", "erase again")
        raise CertificateError(text) from None
