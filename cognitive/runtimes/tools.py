"""A framework's tools as a turn is given them and as it offers them to the model, and the recall tool beside them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from brain.text import storable
from brain.types import MEMORY_TYPES
from cognitive.context.render import NOTICE, line
from cognitive.errors import InvalidInput
from cognitive.policy import Policy
from cognitive.prompt import CLOSING, OPENING, sealed
from cognitive.turn import RecallHit, Tool, ToolSpec, TurnContext

log = logging.getLogger(__name__)

T = TypeVar("T")

DENIED = "This tool is not part of the plan for this turn; go on without it."

RECALL_NAME = "recall_context"
RECALL_DESCRIPTION = (
    "Searches your long-term memory in your own words, deeper than what the prompt shows. "
    f"memory_type narrows it to one of {', '.join(MEMORY_TYPES)}; leave it out to search all."
)
RECALL_PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "memory_type": {"type": "string", "enum": list(MEMORY_TYPES)},
        "limit": {"type": "integer", "minimum": 1},
    },
    "required": ["query"],
}
RECALL_UNAVAILABLE = "Memory cannot be searched at the moment; go on without it."
_NO_HITS = "Nothing more is remembered about that."


def recall_answer(hits: Sequence[RecallHit], policy: Policy) -> str:
    """Return the hits as a sealed block of records like those of the prompt, best first."""
    if not hits:
        return _NO_HITS
    return sealed(OPENING, [NOTICE, *(line(hit, policy) for hit in hits)], CLOSING)


def to_tool(name: str, description: str | None, parameters: Mapping[str, Any] | None) -> Tool | None:
    """Return a tool as a turn is given it; None for one that no provider accepts: it is left to the framework."""
    try:
        return Tool(name=name, description=storable(description or ""), parameters=dict(parameters or {}))
    except InvalidInput as error:
        log.warning("a tool is left as it is: %s", error)
        return None


def select_tools(
    context: TurnContext,
    tools: Sequence[T],
    name: Callable[[T], str],
    rewritten: Callable[[T, ToolSpec], T] | None = None,
) -> list[T]:
    """Return the tools that the turn keeps, in order. With `rewritten`, each as the catalog shortened it.

    A tool that was not known when the turn began stays as it is, and so does the recall tool.
    """
    specs, given = {spec.name: spec for spec in context.tools}, _tools_of_turn(context)
    kept = [tool for tool in tools if not denies(context, name(tool))]
    if rewritten is None:
        return kept
    return [
        rewritten(tool, specs[name(tool)])
        if name(tool) in specs and _is_shortened(specs[name(tool)], given.get(name(tool)))
        else tool
        for tool in kept
    ]


def denies(context: TurnContext, name: str) -> bool:
    """Return whether the turn took a tool away, by its plan or because the model cannot carry it."""
    return name in (_tools_of_turn(context).keys() | set(context.plan.removed)) - {spec.name for spec in context.tools}


def _tools_of_turn(context: TurnContext) -> dict[str, Tool]:
    return {
        tool.name: tool for tool in (context.tool_selection.available if context.tool_selection is not None else ())
    }


def _is_shortened(spec: ToolSpec, given: Tool | None) -> bool:
    return given is None or (spec.description, spec.parameters) != (given.description, dict(given.parameters))
