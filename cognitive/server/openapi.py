"""The description of the API: that of the routes, with what they have in common."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from cognitive.wire.problems import MEDIA_TYPE, Problem

ABOUT = """Decides before every turn of an LLM agent what its model should see, and learns after it what was worth
showing. A bearer token is for one agent or for an admin; names in paths are percent-encoded. Requests are safe to
repeat: a turn by its `turn_id`, an outcome by its turn, memories by what they say."""

_SAID = {
    400: "Not HTTP that can be read",
    401: "No token, or an unknown one",
    403: "A token of another agent",
    404: "No such memory, turn or artifact",
    409: "The policy of this turn is not known",
    413: "A body that is too large",
    421: "A name that this server does not go by",
    422: "Invalid input; `detail` names the field",
    429: "Too many requests with this token; see Retry-After",
    503: "Postgres is away, or too many requests are running; see Retry-After",
}
_SCHEMA = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": said, "content": _SCHEMA} for status, said in _SAID.items()
}


def describe(app: FastAPI) -> None:
    """Has an app describe the problems that its routes name, and how a caller says who it is."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            components = made().setdefault("components", {})
            components.setdefault("schemas", {})["Problem"] = TypeAdapter(Problem).json_schema()
        return made()

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents
