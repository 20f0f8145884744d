"""The OpenAPI description of a server, with the columns of its model."""

from typing import Any

import sklazy
from sklazy.casebase.schema import Schema
from sklazy.web.limits import Limits
from sklazy.web.serve.levels import Level, Privacy

Plain = dict[str, Any]

_LABEL: Plain = {"type": ["string", "number", "boolean"]}
_ID: Plain = {"type": ["string", "integer"]}


def describe(
    schema: Schema, classifies: bool, privacy: Privacy, limits: Limits
) -> Plain:
    """The description as plain data.

    Columns are told by name and kind; labels that cases have are not.
    """
    rows = {"type": "array", "minItems": 1, "maxItems": limits.rows, "items": _ROW}
    paths = {
        "/v1/predict": _post("Predict rows.", {"rows": rows}, _predicted(classifies)),
        "/v1/explain": _post(
            f"Explain predictions, at the level {privacy.level.name.lower()}.",
            {"rows": rows},
            _listed("receipts"),
        ),
        "/v1/suggest": _post(
            "Which missing attribute of each row to measure next.",
            {"rows": rows, "costs": {"type": "object"}},
            _listed("suggestions"),
        ),
        "/v1/add": _post(
            "Add rows; they are on the disk when this is answered.",
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
            "Erase rows, from the disk too.",
            {"ids": {"type": "array", "items": _ID}},
            {"forgotten": {"type": "integer"}, "cases": {"type": "integer"}},
            ["ids"],
        ),
        "/v1/digest": _get("The fingerprint of the cases.", "application/json"),
        "/health": _get("Whether the process answers.", "application/json"),
        "/ready": _get("Whether it takes requests.", "application/json"),
        "/metrics": _get("Counts for Prometheus.", "text/plain"),
    }
    if privacy.level >= Level.IDS:
        asked = {"rows": rows, "k": {"type": "integer", "minimum": 1, "maximum": 100}}
        paths["/v1/similar"] = _post(
            "The most similar cases.", asked, _listed("similar")
        )
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
    columns = schema.origins or schema.attributes
    read = bool(schema.origins)  # dates and amounts may be texts
    kinds = {
        c.name: ["number", "null"]
        if c.kind == "numeric" and not read
        else ["string", "number", "boolean", "null"]
        for c in columns
    }
    cells: list[Plain] = [{"type": kind} for kind in kinds.values()]
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": dict(zip(kinds, cells, strict=True)),
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
    summary: str, asked: Plain, told: Plain, needed: list[str] | None = None
) -> Plain:
    body = {
        "type": "object",
        "properties": asked,
        "required": needed or ["rows"],
        "additionalProperties": False,
    }
    content = {"application/json": {"schema": body}}
    answer = {"type": "object", "properties": told}
    request = {"required": True, "content": content}
    return {
        "post": {
            "summary": summary,
            "requestBody": request,
            "responses": _responses("application/json", answer),
        }
    }


def _get(summary: str, kind: str) -> Plain:
    return {"get": {"summary": summary, "responses": _responses(kind, {})}}


def _responses(kind: str, schema: Plain) -> Plain:
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        "200": {"description": "The answer.", "content": {kind: {"schema": schema}}},
        "default": {
            "description": "Why not.",
            "content": {"application/problem+json": problem},
        },
    }
