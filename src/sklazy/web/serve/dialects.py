"""Requests as other servers take them: KServe's open inference protocol, and MLflow's.

Both become the rows of ``/v1/predict`` and its answer, so that levels, limits and
refusals are the same.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sklazy.casebase.schema import Schema
from sklazy.web.problems import Problem

Plain = dict[str, Any]
Predict = Callable[[Plain], Plain]

_TYPES = {"FP64", "FP32", "INT64", "INT32", "INT16", "INT8", "BYTES", "BOOL"}
_TYPES |= {"UINT64", "UINT32", "UINT16", "UINT8"}


def describe_model(name: str, schema: Schema, classifies: bool) -> Plain:
    """The metadata of a model in the open inference protocol."""
    inputs = [
        {
            "name": one.name,
            "datatype": "FP64" if one.kind == "numeric" else "BYTES",
            "shape": [-1],
        }
        for one in schema.user_columns
    ]
    outputs: list[Plain] = [
        {"name": "predictions", "datatype": "BYTES" if classifies else "FP64"}
        | {"shape": [-1]}
    ]
    if classifies:
        outputs.append({"name": "probabilities", "datatype": "FP64", "shape": [-1, -1]})
    return {
        "name": name,
        "versions": ["1"],
        "platform": "sklazy",
        "inputs": inputs,
        "outputs": outputs,
    }


def infer(name: str, columns: Sequence[str], predict: Predict, body: Plain) -> Plain:
    """Answer a request of the open inference protocol.

    A tensor per column, of shape [n] or [n, 1], or one tensor of shape [n, columns].
    """
    inputs = body.get("inputs")
    if not isinstance(inputs, list) or not inputs:
        raise Problem(422, "inputs must be a list of at least one tensor.")
    tensors = [_read_tensor(one, i) for i, one in enumerate(inputs)]
    if len(tensors) == 1 and len(tensors[0]["shape"]) == 2:
        rows = _rows_of_matrix(tensors[0], len(columns))
    else:
        rows = _rows_of_columns(tensors)
    reply = predict({"rows": rows})
    outputs = [_tensor("predictions", reply["predictions"])]
    if "probabilities" in reply:
        shares = reply["probabilities"]
        flat = [share for row in shares for share in row]
        shape = [len(shares), len(reply["classes"])]
        outputs.append(
            {"name": "probabilities", "datatype": "FP64", "shape": shape, "data": flat}
        )
        outputs.append(_tensor("classes", reply["classes"]))
    answer: Plain = {"model_name": name, "model_version": "1", "outputs": outputs}
    if "notes" in reply:
        answer["parameters"] = {"notes": " ".join(reply["notes"])}
    return answer | ({"id": str(body["id"])[:200]} if "id" in body else {})


def _read_tensor(tensor: object, i: int) -> Plain:
    if not isinstance(tensor, dict) or not isinstance(tensor.get("data"), list):
        raise Problem(422, f"inputs, entry {i}: expected an object with data, a list.")
    shape, kind = tensor.get("shape"), tensor.get("datatype")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise Problem(
            422, f"inputs, entry {i}: datatype must be FP64, INT64, BYTES or BOOL."
        )
    if not isinstance(shape, list) or not all(type(n) is int and n > 0 for n in shape):
        raise Problem(422, f"inputs, entry {i}: shape must be a list of numbers.")
    if not isinstance(tensor.get("name"), str):
        raise Problem(422, f"inputs, entry {i}: expected a name.")
    return tensor


def _rows_of_matrix(tensor: Plain, width: int) -> list[Any]:
    n_rows, n_columns = tensor["shape"]
    data = tensor["data"]
    if data and isinstance(data[0], list):
        return data
    if n_columns != width or len(data) != n_rows * n_columns:
        raise Problem(
            422,
            f"the tensor {tensor['name'][:100]!r} has {len(data)} cells of shape "
            f"{tensor['shape']}; expected [rows, {width}].",
        )
    return [data[i : i + width] for i in range(0, len(data), width)]


def _rows_of_columns(tensors: Sequence[Plain]) -> list[Plain]:
    lengths = {len(tensor["data"]) for tensor in tensors}
    for tensor in tensors:
        if tensor["shape"] not in ([len(tensor["data"])], [len(tensor["data"]), 1]):
            raise Problem(
                422,
                f"the tensor {tensor['name'][:100]!r} has {len(tensor['data'])} cells, "
                f"but its shape is {tensor['shape'][:5]}.",
            )
    if len(lengths) != 1 or len({tensor["name"] for tensor in tensors}) != len(tensors):
        raise Problem(422, "inputs: expected tensors of one length and other names.")
    return [
        {tensor["name"]: tensor["data"][i] for tensor in tensors}
        for i in range(lengths.pop())
    ]


def _tensor(name: str, cells: list[Any]) -> Plain:
    are_texts = any(isinstance(cell, str) for cell in cells)
    are_whole = all(type(cell) is int for cell in cells)
    kind = "BYTES" if are_texts else "INT64" if are_whole else "FP64"
    data = [str(cell) for cell in cells] if are_texts else cells
    return {"name": name, "datatype": kind, "shape": [len(cells)], "data": data}


def invoke(predict: Predict, body: Plain) -> Plain:
    """Answer a request of MLflow's scoring server: one of its four forms of rows."""
    known = {
        "dataframe_split": _rows_of_split,
        "dataframe_records": lambda content: content,
        "instances": lambda content: content,
        "inputs": _rows_of_inputs,
    }
    forms = [form for form in known if form in body]
    if len(forms) != 1:
        raise Problem(422, f"expected exactly one of {', '.join(known)}.")
    reply = predict({"rows": known[forms[0]](body[forms[0]])})
    return {key: reply[key] for key in ("predictions", "notes") if key in reply}


def _rows_of_split(content: object) -> object:
    if not isinstance(content, dict) or not isinstance(content.get("data"), list):
        raise Problem(422, "dataframe_split must be an object with columns and data.")
    columns = content.get("columns")
    if columns is None:
        return content["data"]
    if not isinstance(columns, list) or not all(isinstance(c, str) for c in columns):
        raise Problem(422, "dataframe_split: columns must be a list of names.")
    for i, row in enumerate(content["data"]):
        if not isinstance(row, list) or len(row) != len(columns):
            raise Problem(
                422, f"dataframe_split, row {i}: expected {len(columns)} cells."
            )
    return [dict(zip(columns, row, strict=True)) for row in content["data"]]


def _rows_of_inputs(content: object) -> object:
    """Rows, or an object of columns."""
    if not isinstance(content, dict):
        return content
    if not all(isinstance(cells, list) for cells in content.values()):
        raise Problem(422, "inputs must be a list of rows, or an object of lists.")
    lengths = {len(cells) for cells in content.values()}
    if len(lengths) != 1:
        raise Problem(
            422,
            "inputs: the columns have different lengths; give one cell for each row.",
        )
    return [
        {name: cells[i] for name, cells in content.items()}
        for i in range(lengths.pop())
    ]
