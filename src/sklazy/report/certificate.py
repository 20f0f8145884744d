"""A certificate of erasure as text and as a page."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.blocks import (
    WIDTH,
    Block,
    Grid,
    Heading,
    Lead,
    Mark,
    Paragraph,
    to_text,
)
from sklazy.report.html import render
from sklazy.report.words import pluralize

Plain = Mapping[str, Any]

_ROLES = {
    "model": "the model",
    "sidecar": "beside the model",
    "searched": "named by the operator",
}


def certificate_text(content: Plain, width: int = WIDTH) -> str:
    """Write a certificate as plain text."""
    return to_text(certificate_blocks(content), width)


def certificate_page(content: Plain) -> str:
    """Draw a certificate as a whole page."""
    articles = [("certificate", "Certificate", certificate_blocks(content))]
    title = "Certificate of erasure"
    return render("page", title=title, headed=False, opening=[], articles=articles)


def certificate_blocks(content: Plain) -> list[Block]:
    """List the parts of a certificate."""
    rows = content["rows"]
    verdict = "proved" if content["proved"] else "NOT proved"
    return [
        Heading(f"Erasure of {pluralize(rows['erased'], 'row')}: {verdict}", 1),
        Lead(_sentences(content)),
        Heading("Fingerprints of the model"),
        _draw_digests(content["digests"]),
        Heading("Files searched for the bytes of the rows"),
        _draw_files(content["files"]),
        Paragraph(_search_note(content["searched_for"]), "soft"),
        *_draw_receipts(content["receipts"]),
        Heading("Ids erased, as salted hashes"),
        Paragraph(", ".join(content["erased"])),
        Paragraph(_check_note(content), "soft"),
    ]


def _sentences(content: Plain) -> list[str]:
    rows, digests = content["rows"], content["digests"]
    hits = [file["hits"] for file in content["files"] if file["hits"]]
    is_equal = digests["after"] == digests["refit"]
    same = "the same" if is_equal else "NOT the same"
    n_files = pluralize(len(content["files"]), "file")
    return [
        f"A {content['estimator']} of {rows['before']} rows has {rows['after']} since "
        f"{content['created']}.",
        f"Its fingerprint is {same} as that of a model fitted without the erased rows.",
        _search_sentence(sum(hits), len(hits), n_files),
    ]


def _search_sentence(n_hits: int, n_with: int, n_files: str) -> str:
    """Whether the bytes of the rows were found.

    Examples
    --------
    >>> _search_sentence(0, 0, "3 files")
    'Their bytes were not found in 3 files.'
    """
    if not n_hits:
        return f"Their bytes were not found in {n_files}."
    return (
        f"Their bytes were found {pluralize(n_hits, 'time')}, in {n_with} of {n_files}."
    )


def _draw_digests(digests: Plain) -> Grid:
    names = {
        "before": "before",
        "after": "after the erasure",
        "refit": "fitted without the rows",
    }
    rows = [[text, digests[name]] for name, text in names.items()]
    return Grid(["model", "SHA-256"], "ll", rows)


def _draw_files(files: list[Plain]) -> Grid:
    rows = [
        [
            file["name"],
            _ROLES[file["role"]],
            str(file["bytes"]),
            Mark(str(file["hits"]), "differs" if file["hits"] else "agrees"),
        ]
        for file in sorted(files, key=lambda file: not file["hits"])
    ]
    return Grid(["file", "which", "bytes", "found"], "lLrl", rows)


def _search_note(counts: Plain) -> str:
    return (
        f"Searched for {pluralize(counts['ids'], 'id')}, "
        f"{pluralize(counts['texts'], 'text')} and "
        f"{pluralize(counts['numbers'], 'number')} that no other row has. "
        f"Not searched for: {pluralize(counts['too_common'], 'further value')}, which "
        "other rows have, too, columns declare, or are too short or round to prove "
        "anything. Copies elsewhere were not looked at."
    )


def _draw_receipts(receipts: list[Plain]) -> list[Block]:
    if not receipts:
        return []
    rows = [[one["name"], one["seal"]] for one in receipts]
    return [
        Heading("Receipts that named the rows, for the operator to decide on"),
        Grid(["file", "seal"], "ll", rows),
    ]


def _check_note(content: Plain) -> str:
    signed = "It is signed with a key. " if "signature" in content else ""
    return (
        f"Seal {content['seal']}. {signed}Check it with: sklazy check-certificate "
        "CERTIFICATE MODEL, or with the checker that docs/format.md describes."
    )
