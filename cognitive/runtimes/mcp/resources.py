"""The resources that an MCP client may read, as JSON: memories, context sizes of models, and data of past turns."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp_types import Resource, ResourceTemplate
from pydantic_core import to_jsonable_python

from cognitive.errors import InvalidInput
from cognitive.policy.models import context_budgets
from cognitive.prompt import quote
from cognitive.runtimes.mcp.scope import ScopedRequest
from cognitive.validation import require_id

JSON = "application/json"
_MEMORY = "cognitive://memory/"


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """A resource that clients can list, with the function that reads it.

    That function returns None if there is no data yet.
    """

    resource: Resource
    read: Callable[[ScopedRequest], Awaitable[Any]]


async def _budgets(request: ScopedRequest) -> Any:
    return context_budgets(request.policy.budgets.models)


async def _plans(request: ScopedRequest) -> Any:
    return await request.layer.explain.past_plans(request.agent_id, user_id=request.user_id)


async def _last_turn(request: ScopedRequest) -> Any:
    agent_id, user_id, explain = request.agent_id, request.user_id, request.layer.explain
    turns = await explain.turns(agent_id, 1, session_id=request.scope.session_id, user_id=user_id)
    return await explain.turn(agent_id, turns[0].turn_id, user_id=user_id) if turns else None


async def _memory(request: ScopedRequest, id: str) -> Any:
    """Return the memory with this id, or None if the id is invalid or not that of one of the agent's memories.

    Clients cannot distinguish these cases, so they learn nothing about other agents.
    """
    try:
        memory_id = require_id("id", id)
    except InvalidInput:
        return None
    return next(iter(await request.layer.get(request.agent_id, [memory_id], user_id=request.user_id)), None)


def _row(
    name: str, title: str, description: str, uri: str, read: Callable[[ScopedRequest], Awaitable[Any]]
) -> ResourceRow:
    return ResourceRow(Resource(name=name, title=title, description=description, uri=uri, mime_type=JSON), read)


ROWS = {
    row.resource.uri: row
    for row in (
        _row(
            "context-budgets",
            "What each model can carry",
            "Tokens of input and output and bytes of tools that each model handles safely.",
            "cognitive://context-budgets",
            _budgets,
        ),
        _row(
            "my-plans",
            "What this agent's turns called",
            "Groups of earlier turns that asked alike, with the tools that they called.",
            "cognitive://my-plans",
            _plans,
        ),
        _row(
            "last-turn",
            "What the last turn showed, and why",
            "The plan of the latest turn, the memories it showed, what it went without, and what became of each other.",
            "cognitive://turn/last",
            _last_turn,
        ),
    )
}
TEMPLATE = ResourceTemplate(
    name="memory",
    title="A memory, whole",
    description="One memory of this agent by its id, with all that was stored of it.",
    uri_template=_MEMORY + "{id}",
    mime_type=JSON,
)


async def read(request: ScopedRequest, uri: str) -> str | None:
    """Return the resource at an address as JSON, or None if there is no such resource."""
    row = ROWS.get(uri)
    if row is not None:
        return _quoted_json(to_jsonable_python(await row.read(request)))
    memory = await _memory(request, uri.removeprefix(_MEMORY)) if uri.startswith(_MEMORY) else None
    return _quoted_json(to_jsonable_python(memory)) if memory is not None else None


def _quoted_json(value: Any) -> str:
    """Convert a value to JSON in which every string is quoted as in a prompt.

    A model can then not take stored text for markup of the prompt.
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quote(name)}: {_quoted_json(each)}' for name, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted_json, value))}]"
    return quote(value) if isinstance(value, str) else json.dumps(value)
