"""Files of format 1, as sklazy wrote them before format 2: rows and settings alone."""

import hashlib
import json
import struct

import numpy as np


def write_first_format(path, header, arrays):
    """Write a header and arrays without gaps, with one checksum behind them."""
    plain = {n: np.ascontiguousarray(a) for n, a in arrays.items()}
    layout = [(name, a.dtype.str, a.shape) for name, a in plain.items()]
    text = json.dumps({**header, "arrays": layout}).encode("ascii")
    data = struct.pack("<8sIQ", b"SKLAZY\x1a\n", 1, len(text)) + text
    data += b"".join(a.tobytes() for a in plain.values())
    path.write_bytes(data + hashlib.sha256(data).digest())


def in_first_format(cases):
    """The header and the arrays of a case base, rows in order of arrival."""
    rows, coder, bins = (
        cases.rows.take(np.argsort(cases.arrival)),
        cases.coder,
        cases.bins,
    )

    def labels(position):
        own = coder.vocabularies.get(position)
        return ([], 0) if own is None else (own.labels, own.declared)

    attributes = enumerate(cases.schema.attributes)
    text_ids, settled = rows.ids.dtype == object, bins.frozen and bins.current
    header = {
        "attributes": [(a.name, a.kind, *labels(j)) for j, a in attributes],
        "named": cases.schema.named,
        "targets": cases.schema.targets,
        "origins": [],
        "classes": labels(-1),
        "indexed": cases.schema.indexed,
        "clock": cases.schema.clock,
        "half_life": cases.half_life,
        "has_classes": coder.has_classes,
        "criterion": bins.criterion,
        "cuts": "frozen" if bins.frozen else "exact",
        "settled": settled,
        "ids": rows.ids.tolist() if text_ids else None,
        "next_id": cases.next_id,
    }
    arrays = {
        "numbers": rows.numbers,
        "codes": rows.codes[coder.nominal],
        "classes": rows.classes,
        "targets": rows.targets,
        "weights": rows.weights,
        **({"times": rows.times[0]} if len(rows.times) else {}),
        "ids": np.zeros(0, np.int64) if text_ids else rows.ids,
    }
    frozen = bins.cuts if settled else []
    return header, arrays | {f"cuts{i}": cuts for i, cuts in enumerate(frozen)}
