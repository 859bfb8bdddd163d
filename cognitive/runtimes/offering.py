"""A framework's tools as a turn offers them to the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from cognitive.turn import Tool, ToolSpec, TurnContext

T = TypeVar("T")

DENIED = "This tool is not part of the plan for this turn; go on without it."


def offered(
    context: TurnContext,
    tools: Sequence[T],
    name: Callable[[T], str],
    rewritten: Callable[[T, ToolSpec], T] | None = None,
) -> list[T]:
    """The tools that the turn keeps, in order. With `rewritten`, each as the catalogue shortened it.

    A tool that was not known when the turn began stays as it is, and so does the recall tool.
    """
    specs, given = {spec.name: spec for spec in context.tools}, _given(context)
    kept = [tool for tool in tools if not denies(context, name(tool))]
    if rewritten is None:
        return kept
    return [
        rewritten(tool, specs[name(tool)])
        if name(tool) in specs and _shortened(specs[name(tool)], given.get(name(tool)))
        else tool
        for tool in kept
    ]


def denies(context: TurnContext, name: str) -> bool:
    """Whether the turn took a tool away, by its plan or because the model cannot carry it."""
    return name in (_given(context).keys() | set(context.plan.removed)) - {spec.name for spec in context.tools}


def _given(context: TurnContext) -> dict[str, Tool]:
    return {tool.name: tool for tool in (context.offer.given if context.offer is not None else ())}


def _shortened(spec: ToolSpec, given: Tool | None) -> bool:
    return given is None or (spec.description, spec.parameters) != (given.description, dict(given.parameters))
