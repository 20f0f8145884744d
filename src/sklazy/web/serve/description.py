"""The OpenAPI description of a server, with the columns of its model."""

from typing import Any

import sklazy
from sklazy.casebase.schema import Schema
from sklazy.tables.origins import Origin
from sklazy.tables.understand import describe_reading
from sklazy.web.bodies import RequestLimits
from sklazy.web.serve.levels import Level, Privacy

Plain = dict[str, Any]

_LABEL: Plain = {"type": ["string", "number", "boolean"]}
_ID: Plain = {"type": ["string", "integer"]}


def describe_api(
    schema: Schema,
    classifies: bool,
    privacy: Privacy,
    limits: RequestLimits,
    name: str = "model",
) -> Plain:
    """The description as plain data; columns are listed without their labels."""
    rows = {"type": "array", "minItems": 1, "maxItems": limits.rows, "items": _ROW}
    paths = {
        "/v1/predict": _post("Predict rows.", {"rows": rows}, _predicted(classifies)),
        "/v1/explain": _post(
            f"Explain predictions with receipts of the level "
            f"{privacy.level.name.lower()}.",
            {"rows": rows},
            _listed("receipts"),
        ),
        "/v1/suggest": _post(
            "Suggest the missing feature of each row to measure next.",
            {"rows": rows, "costs": {"type": "object"}},
            _listed("suggestions"),
        ),
        "/v1/add": _post(
            "Add rows; they are on disk before the response is sent.",
            {
                "rows": rows,
                "targets": {"type": "array", "items": _LABEL},
                "ids": {"type": "array", "items": _ID},
                "times": {"type": "array", "items": {"type": ["string", "number"]}},
            },
            {"ids": {"type": "array", "items": _ID}, "cases": {"type": "integer"}},
            ["rows", "targets"],
        ),
        "/v1/forget": _post(
            "Erase rows, also from the disk.",
            {"ids": {"type": "array", "items": _ID}},
            {"forgotten": {"type": "integer"}, "cases": {"type": "integer"}},
            ["ids"],
        ),
        "/v1/cases": _delete(
            "Erase all rows of a person from files and processes, with a certificate.",
            {"ids": {"type": "array", "items": _ID}},
            {
                "forgotten": {"type": "integer"},
                "cases": {"type": "integer"},
                "proved": {"type": "boolean"},
                "certificate": {"type": "object"},
                "processes_replaced": {"type": "boolean"},
            },
        ),
        "/invocations": _post(
            "Predict rows, as MLflow's scoring server does.",
            {form: {"type": ["object", "array"]} for form in _FORMS},
            {"predictions": {"type": "array"}},
            [],
        ),
        f"/v2/models/{name}/infer": _post(
            "Predict rows by KServe's open inference protocol.",
            {"id": {"type": "string"}, "inputs": {"type": "array"}},
            {"outputs": {"type": "array"}},
            ["inputs"],
        ),
        "/v1/digest": _get("The fingerprint of the cases.", "application/json"),
        "/health": _get("Whether the process is up.", "application/json"),
        "/ready": _get("Whether it accepts requests.", "application/json"),
        "/metrics": _get("Metrics for Prometheus.", "text/plain"),
    }
    if privacy.level >= Level.IDS:
        count = {"type": "integer", "minimum": 1, "maximum": 100}
        paths["/v1/similar"] = _post(
            "The most similar cases.", {"rows": rows, "k": count}, _listed("similar")
        )
    _add_examples(paths, schema, name)
    return {
        "openapi": "3.1.0",
        "info": {"title": "sklazy serve", "version": sklazy.__version__},
        "paths": paths,
        "security": [{"token": []}, {}],
        "components": {
            "schemas": {"Row": _row(schema), "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _add_examples(paths: Plain, schema: Schema, name: str) -> None:
    """Give requests of predictions an example that can be sent as it is."""
    row = {one.name: _example_cell(one) for one in schema.user_columns}
    tensors = [
        {"name": column, "datatype": "FP64", "shape": [1], "data": [cell]}
        for column, cell in row.items()
    ]
    examples: dict[str, Plain] = {
        "/v1/predict": {"rows": [row]},
        "/v1/explain": {"rows": [row]},
        "/v1/suggest": {"rows": [row]},
        "/invocations": {"dataframe_records": [row]},
        f"/v2/models/{name}/infer": {"inputs": tensors},
    }
    for path, example in examples.items():
        content = paths[path]["post"]["requestBody"]["content"]["application/json"]
        content["example"] = example


def _example_cell(origin: Origin) -> float | None:
    """A cell that every model takes; labels and dates of cases are not shown."""
    return 1.0 if origin.kind == "numeric" and origin.reading is None else None


_FORMS = ("dataframe_split", "dataframe_records", "instances", "inputs")
_ROW: Plain = {"$ref": "#/components/schemas/Row"}
_PROBLEM: Plain = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


def _row(schema: Schema) -> Plain:
    """A row: an object by column, or a list in their order."""
    kinds = {origin.name: _cell(origin) for origin in schema.user_columns}
    cells = list(kinds.values())
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": kinds,
                "required": list(kinds),
                "additionalProperties": False,
            },
            {
                "type": "array",
                "prefixItems": cells,
                "minItems": len(cells),
                "maxItems": len(cells),
            },
        ]
    }


def _cell(origin: Origin) -> Plain:
    """Types that a cell may have, and how texts are read."""
    style = origin.reading.style if origin.reading else None
    if origin.kind == "numeric" and style in (None, "amount"):
        kinds = ["number", "string", "null"]
    elif origin.kind == "numeric":
        kinds = ["string", "null"]  # a number is not a date
    else:
        kinds = ["string", "number", "boolean", "null"]
    if origin.reading is None or style == "aside":
        return {"type": kinds}
    return {"type": kinds, "description": describe_reading(origin.reading)}


def _predicted(classifies: bool) -> Plain:
    if not classifies:
        return {"predictions": {"type": "array"}}
    shares = {"type": "array", "items": {"type": "number"}}
    return {
        "predictions": {"type": "array", "items": _LABEL},
        "classes": {"type": "array", "items": _LABEL},
        "probabilities": {"type": "array", "items": shares},
    }


def _listed(name: str) -> Plain:
    return {name: {"type": "array"}}


def _post(
    summary: str, request: Plain, response: Plain, required: list[str] | None = None
) -> Plain:
    body = {
        "type": "object",
        "properties": request,
        "required": ["rows"] if required is None else required,
        "additionalProperties": False,
    }
    content = {"application/json": {"schema": body}}
    notes: Plain = {"notes": {"type": "array", "items": {"type": "string"}}}
    properties = response | (notes if "rows" in request else {})
    answer = {"type": "object", "properties": properties}
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": content},
            "responses": _responses("application/json", answer),
        }
    }


def _delete(summary: str, request: Plain, response: Plain) -> Plain:
    return {"delete": _post(summary, request, response, ["ids"])["post"]}


def _get(summary: str, kind: str) -> Plain:
    return {"get": {"summary": summary, "responses": _responses(kind, {})}}


def _responses(kind: str, schema: Plain) -> Plain:
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        "200": {"description": "Success.", "content": {kind: {"schema": schema}}},
        "default": {
            "description": "Why the request was refused.",
            "content": {"application/problem+json": problem},
        },
    }
