"""Selection of a framework's tools for a turn, and the recall tool, with which a model searches its memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from brain.text import storable
from brain.types import MEMORY_TYPES
from cognitive.context.render import NOTICE, line
from cognitive.errors import InvalidInput
from cognitive.policy import Policy
from cognitive.prompt import CLOSING, OPENING, sealed
from cognitive.recall_hits import RecallHits
from cognitive.tool import Tool, ToolSpec
from cognitive.turn import TurnContext

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


def recall_answer(hits: RecallHits, policy: Policy) -> str:
    """Return the found memories as text for the model, best first, or a message that nothing was found.

    The text says how many memories a line represents, and at least how many more there are.
    """
    if not hits:
        return _NO_HITS
    lines = [line(hit, policy) + (f" ({hit.count} times)" if hit.count > 1 else "") for hit in hits]
    more = [f"At least {hits.more} more were found; a higher limit shows more of them."] if hits.more else []
    return sealed(OPENING, [NOTICE, *lines, *more], CLOSING)


@dataclass(slots=True)
class ToolCallResult:
    """An object to call with the result of a tracked tool call. `ok=False` marks the result as an error message."""

    result: Any = None
    ok: bool = True

    def __call__(self, result: Any, *, ok: bool = True) -> None:
        """Store the result of the tool call."""
        self.result, self.ok = result, ok


def to_tool(
    name: str,
    description: str | None,
    parameters: Mapping[str, Any] | None,
    metadata: Mapping[str, Any] | None = None,
) -> Tool | None:
    """Convert a framework's tool to a `Tool` of the memory layer.

    The tool states the `category` in its metadata, if there is one. Log a warning and return None if the tool's name,
    schema or category is invalid.
    """
    stated = {"category": metadata["category"]} if metadata and metadata.get("category") else {}
    try:
        return Tool(name=name, description=storable(description or ""), parameters=dict(parameters or {}), **stated)
    except InvalidInput as error:
        log.warning("tool %r is not planned and stays unchanged: %s", name, error)
        return None


def select_tools(
    context: TurnContext,
    tools: Sequence[T],
    name: Callable[[T], str],
    rewritten: Callable[[T, ToolSpec], T] | None = None,
) -> list[T]:
    """Return the tools that the turn offers to the model, in their original order.

    `name` returns the name of a tool. `rewritten` returns a copy of a tool with the shortened description and
    parameters of a `ToolSpec`. Without `rewritten`, tools are not shortened. Tools that the turn did not know when it
    began, such as the recall tool, stay unchanged.
    """
    specs, originals = {spec.name: spec for spec in context.tools}, _tools_of_turn(context)
    selected = [tool for tool in tools if not denies(context, name(tool))]
    if rewritten is None:
        return selected
    return [
        rewritten(tool, specs[name(tool)])
        if name(tool) in specs and _is_shortened(specs[name(tool)], originals.get(name(tool)))
        else tool
        for tool in selected
    ]


def denies(context: TurnContext, name: str) -> bool:
    """Return True if the turn removed the tool of this name.

    A tool is removed by the turn's plan, or because not all tools fit the model.
    """
    return name in (_tools_of_turn(context).keys() | set(context.plan.removed)) - {spec.name for spec in context.tools}


def _tools_of_turn(context: TurnContext) -> dict[str, Tool]:
    return {
        tool.name: tool for tool in (context.tool_selection.available if context.tool_selection is not None else ())
    }


def _is_shortened(spec: ToolSpec, original: Tool | None) -> bool:
    return original is None or (spec.description, spec.parameters) != (original.description, dict(original.parameters))
