"""Check a certificate of erasure without sklazy: Python's library and numpy alone.

    python check_certificate.py CERTIFICATE.json MODEL.sklazy [--id ID] [--key FILE]

Written from docs/format.md. It shares no code with sklazy, and computes the digest of
the model's cases from the bytes of the file.
"""

import argparse
import hashlib
import hmac
import json
import struct
import sys
from pathlib import Path

import numpy as np

STEP, MISSING = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)


MALFORMED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What data that is no certificate raises."""


class RefusedError(Exception):
    """The certificate or the file is not what it seems to be."""


def require(holds, text):
    if not holds:
        raise RefusedError(text)


def sha(data):
    return hashlib.sha256(data).digest()


def read_model(data):
    """The header and the arrays of a file of format 2, every byte checked."""
    require(data[:8] == b"SKLAZY\x1a\n" and len(data) >= 52, "not a model file")
    require(data[-8:] != b"SKLADD\x1a\n", "rows behind the file: compact it first")
    version, length = struct.unpack("<IQ", data[8:20])
    begin, last = 20 + length, len(data) - 32
    require(version == 2 and begin <= last, "another format, or truncated")
    end = max(begin, last - -(-(last - begin) // (65536 + 32)) * 32)
    blocks = [sha(data[at : min(at + 65536, end)]) for at in range(begin, end, 65536)]
    require(b"".join(blocks) == data[end:last], "a block was altered")
    require(sha(data[:begin] + data[end:last]) == data[last:], "the header was altered")
    header, arrays, place = json.loads(data[20:begin]), {}, begin
    for name, kind, shape in header["arrays"]:
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        step = 4096 if size >= 4096 else 64
        place = -(-place // step) * step
        require(place + size <= end, "an array is too long")
        arrays[name] = np.frombuffer(data[place : place + size], kind).reshape(shape)
        place += size
    require(place == end, "bytes that belong to no array")
    return header, arrays


def plain(label):
    whole = isinstance(label, bool) or (isinstance(label, float) and label % 1 == 0)
    return int(label) if whole else label


def hash_label(label):
    text = f"s{label}" if isinstance(label, str) else f"n{plain(label)!r}"
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def words_of(numbers):
    words = np.ascontiguousarray(numbers, "<f8").view(np.uint64).copy()
    words[np.isnan(numbers)] = MISSING
    return words


def mix(words):
    z = words + STEP
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def fingerprint(parts):
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            kind = f"{part.dtype.newbyteorder('<').str}{part.shape}"
            body = np.ascontiguousarray(part).tobytes()
        else:
            kind, body = "json", json.dumps(part).encode("ascii")
        digest.update(f"{kind}:{len(body)}:".encode() + body)
    return digest.hexdigest()


def read_rows(cases, arrays):
    """The numbers, targets, weights, times, codes, classes and ids of all rows."""
    kinds = [kind for _, kind, _, _ in cases["attributes"]]
    labels = [len(labels) for _, _, labels, _ in cases["attributes"]]
    cuts = [arrays[f"cuts{i}"] for i in range(kinds.count("numeric"))]
    n_bins = iter(len(c) + 1 for c in cuts)
    widths = [
        next(n_bins) if k == "numeric" else labels[j] for j, k in enumerate(kinds)
    ]
    out = {name: [] for name in ("numbers", "targets", "times", "weights")}
    codes, classes, arrivals, ids = [], [], [], []
    for s, n in enumerate(arrays["sizes"].tolist()):
        part = {
            k.split("/", 1)[1]: a for k, a in arrays.items() if k.startswith(f"{s}/")
        }
        for name in ("numbers", "targets", "times"):
            out[name].append(part[name][:, :n])
        own = part["own_weights"][:, :n]
        out["weights"].append(own if len(own) else np.ones((1, n)))
        classes.append(part["classes"][:n].astype(np.int64))
        bits = np.unpackbits(
            part["value_bits"].view(np.uint8), axis=1, bitorder="little"
        ).astype(bool)
        require(not bits[:, n:].any() and not bits[-1].any(), "bits of no row")
        bits = bits[:, :n]
        place, wide, numeric, here = (
            0,
            iter(part["codes"]),
            iter(zip(part["numbers"], cuts, strict=True)),
            [],
        )
        for width, kind in zip(widths, kinds, strict=True):
            if kind == "numeric":
                values, edges = next(numeric)
                bins = np.searchsorted(edges, values[:n], side="left")
                here.append(np.where(np.isnan(values[:n]), -1, bins))
            if width > 64:
                stored = next(wide)[:n].astype(np.int64)
            else:
                sets = bits[place : place + width]
                require((sets.sum(axis=0) <= 1).all(), "a cell with two values")
                stored = np.where(
                    sets.any(axis=0), sets.argmax(axis=0) if width else 0, -1
                )
                place += width
            if kind == "nominal":
                here.append(stored)
            require((here[-1] == stored).all(), "a bin that its number is not in")
        known = len(cases["classes"][0]) if cases["has_classes"] else 1
        require(not n or 0 <= classes[-1].min() <= classes[-1].max() < known, "a class")
        codes.append(np.array(here, np.int64).reshape(len(kinds), n))
        starts, firsts = part["runs"][: arrays["n_runs"][s]].T
        run = np.searchsorted(starts, np.arange(n), side="right") - 1
        arrivals.append(
            firsts[run] + np.arange(n) - starts[run] if n else np.zeros(0, int)
        )
        texts = (
            [
                bytes(t)[: bytes(t).index(0xFF)].decode("utf-8", "surrogatepass")
                for t in part["texts"][:n]
            ]
            if cases["ids"] == "text"
            else None
        )
        ids += (
            texts
            or (part["ids"][:n] if cases["ids"] == "given" else arrivals[-1]).tolist()
        )
    joined = {name: np.concatenate(found, axis=1) for name, found in out.items()}
    return joined | {
        "codes": np.concatenate(codes, axis=1), "classes": np.concatenate(classes),
        "arrivals": np.concatenate(arrivals), "ids": ids,
        "widths": widths, "cuts": cuts,
    }  # fmt: skip


def digest_of(cases, rows):
    """The digest of cases, from their rows."""
    attributes, (class_labels, _) = cases["attributes"], cases["classes"]
    n_rows, has_classes = len(rows["classes"]), cases["has_classes"]
    columns = [
        words_of(c)
        for name in ("numbers", "targets", "weights", "times")
        for c in rows[name]
    ]
    nominal = [
        (rows["codes"][j], a[2]) for j, a in enumerate(attributes) if a[1] == "nominal"
    ]
    nominal += [(rows["classes"], class_labels)] * has_classes
    for codes, labels in nominal:
        hashes = np.array([*map(hash_label, labels), MISSING], np.uint64)
        columns.append(hashes[codes])
    hashes = np.zeros(n_rows, np.uint64)
    for column in columns:
        hashes = mix(hashes ^ column)
    if cases["half_life"] is not None and not cases["clock"]:
        columns.append(np.argsort(np.argsort(rows["arrivals"])).astype(np.uint64))
    words = np.stack(columns, axis=1)
    order = np.lexsort((*columns, hashes))
    buckets = (hashes[order] >> np.uint64(52)).astype(np.int64)
    present = np.unique(buckets)
    digests = b"".join(
        sha(words[order[buckets == b]].astype("<u8").tobytes()) for b in present
    )
    offsets = np.cumsum([0, *rows["widths"]]).astype(np.int64)
    n_classes = len(class_labels) if has_classes else 0
    counts = np.zeros((offsets[-1], n_classes), np.int64)
    for first, codes in zip(offsets, rows["codes"], strict=False):
        known = codes >= 0
        if n_classes:
            np.add.at(counts, (first + codes[known], rows["classes"][known]), 1)
    edges = [
        [np.fmin.reduce(c, initial=np.nan), np.fmax.reduce(c, initial=np.nan)]
        for c in rows["numbers"]
    ]
    spelled = "Reading(style={!r}, form={!r}, unit={!r})"
    origins = [[n, spelled.format(*r) if r else "None"] for n, _, r in cases["origins"]]
    return fingerprint([
        [[name, kind, labels[:n]] for name, kind, labels, n in attributes],
        *([origins] if origins else []),
        [[plain(l) for l in labels] for _, labels in nominal],
        [has_classes, cases["criterion"], cases["cuts"] == "frozen"],
        [cases["clock"], cases["half_life"], n_rows],
        *(["balanced"] if cases.get("balanced") else []),
        *rows["cuts"], offsets, counts,
        words_of(np.array(edges).reshape(-1, 2)),
        present, np.frombuffer(digests, np.uint8),
    ])  # fmt: skip


def canonical(value):
    if isinstance(value, dict):
        return {k: canonical(v) for k, v in value.items()}
    if isinstance(value, list):
        return [canonical(v) for v in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def written(content, *without):
    kept = {k: v for k, v in canonical(content).items() if k not in without}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def check(certificate, data, name=None, key=None):
    """Refuse a certificate that is not about the model in `data`; return its digest."""
    require(certificate["schema"] == "sklazy-certificate/1", "another schema")
    seal = sha(written(certificate, "seal", "signature")).hex()
    require(seal == certificate["seal"], "the certificate was edited")
    if key is not None:
        signed = hmac.new(
            key, written(certificate, "signature"), hashlib.sha256
        ).hexdigest()
        require(
            hmac.compare_digest(signed, certificate.get("signature", "")),
            "the signature is another's",
        )
    digests, counted = certificate["digests"], certificate["rows"]
    require(certificate["proved"] is True, "it says itself that nothing is proved")
    require(
        digests["after"] == digests["refit"] != digests["before"], "its digests differ"
    )
    require(
        counted["before"] - counted["erased"] == counted["after"], "its counts differ"
    )
    require(len(certificate["erased"]) == counted["erased"] > 0, "its counts differ")
    require(not any(file["hits"] for file in certificate["files"]), "bytes were left")
    models = [file for file in certificate["files"] if file["role"] == "model"]
    require(len(models) == 1, "it names no model, or several")
    require(sha(data).hex() == models[0]["sha256"], "the file has other bytes")
    header, arrays = read_model(data)
    rows = read_rows(header["cases"], arrays)
    digest = digest_of(header["cases"], rows)
    require(digest == digests["after"], f"the model's digest is {digest[:12]}")
    require(len(rows["ids"]) == counted["after"], "another number of rows")
    require(header["estimator"] == certificate["estimator"], "another estimator")
    salt, erased = bytes.fromhex(certificate["salt"]), set(certificate["erased"])
    conceal = lambda one: sha(salt + str(one).encode("utf-8", "surrogatepass")).hex()  # noqa: E731
    require(not erased.intersection(map(conceal, rows["ids"])), "a row is still there")
    require(name is None or conceal(name) in erased, f"it is not about {name}")
    return digest


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificate", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--id")
    parser.add_argument("--key", type=Path)
    given = parser.parse_args(arguments)
    try:
        certificate = json.loads(given.certificate.read_text("utf-8"))
        key = given.key.read_bytes() if given.key else None
        digest = check(certificate, given.model.read_bytes(), given.id, key)
    except (RefusedError, OSError, *MALFORMED) as error:
        print(f"REFUSED: {error or type(error).__name__}")
        return 1
    print(f"OK: {given.model} has the digest {digest}, as certified")
    return 0


if __name__ == "__main__":
    sys.exit(main())
