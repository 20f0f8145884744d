"""`sklazy erase` and `sklazy check-certificate`."""

import sys
from pathlib import Path

import click

import sklazy
from sklazy.cli.console import FAILED, Console
from sklazy.cli.writing import check_out, write_text
from sklazy.errors import BadInputError


def erase(
    console: Console,
    model: str,
    ids: tuple[str, ...],
    certificate: str,
    html: str | None,
    search: tuple[str, ...],
    receipts: tuple[str, ...],
    copies: tuple[str, ...],
    key: Path | None,
) -> None:
    """Erase rows from a model, and certify it."""
    check_out(certificate, model)
    check_out(html, model)
    console.after_interrupt = "The rows may be erased already; run it again to see."
    issued = sklazy.erase(
        model,
        _read_ids(model, ids),
        search=search,
        receipts=receipts,
        copies=copies,
        key=None if key is None else key.read_bytes(),
    )
    try:
        write_text(certificate, issued.to_json())
    except OSError:  # the rows are gone: there is no other certificate of it
        console.note(
            f"the rows are erased, but {certificate} cannot be written. This is the "
            "certificate; keep it:"
        )
        click.echo(issued.to_json())
        raise
    console.note(f"certificate written: {certificate}")
    if html is not None:
        write_text(html, issued.to_html())
        console.note(f"page written: {html}")
    console.result(dict(issued.content), lambda _: click.echo(str(issued)))
    if not issued.proved:
        console.note(
            "remove the files that have the rows, or erase the rows there, too: run it "
            "again with --copy FILE for a file that is a copy of the model."
        )
        sys.exit(FAILED)


def check_certificate(
    console: Console,
    certificate: str,
    model: str,
    ids: tuple[str, ...],
    key: Path | None,
) -> None:
    """Check a certificate with the model that it is about."""
    is_piped = certificate == "-"
    text = sys.stdin.read() if is_piped else Path(certificate).read_text("utf-8")
    secret = None if key is None else key.read_bytes()
    issued = sklazy.Certificate.from_json(text)
    issued.check(model, ids=ids, key=secret)
    rows, digest = issued.content["rows"], issued.content["digests"]["after"]
    plain = {"checked": True, "signed": key is not None, "digest": digest, **rows}
    lines = (
        f"{certificate}: not edited{', signed with this key' if key else ''}.\n"
        f"{model}: has the digest {digest[:12]}... of a fit without the rows; "
        "none of the erased ids is in it."
    )
    console.result(plain, lambda _: click.echo(lines))


def _read_ids(model: str, ids: tuple[str, ...]) -> list[int] | list[str]:
    """Read ids as the model has them: texts, or whole numbers."""
    if sklazy.load(model, mmap_mode="c").ids_.dtype == object:
        return list(ids)
    try:
        return [int(one) for one in ids]
    except ValueError:
        raise BadInputError(
            f"--id {' '.join(ids)}: the ids of {model} are numbers; give whole numbers."
        ) from None
