"""Write the hint: one line that summarises a turn's plan for the model, such as its tools and thinking level."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, islice

from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.preflight.category_table import category_table
from cognitive.preflight.rules.matching import compile_pattern
from cognitive.tool import Tool, ToolSelection

MAX_NAMED = 12  # tools that a hint names; the model sees all of them anyway
_plain = compile_pattern(r"^[\w.:/-]{1,64}$", name="hint.tool")


def wanted_tools(tools: Sequence[Tool], categories: Collection[str], policy: Policy) -> tuple[str, ...]:
    """Return the names of the tools that the given categories need, those that the categories list first."""
    table, names = category_table(policy), [tool.name for tool in tools]
    listed = [name for each in table.definitions if each.name in categories for name in each.tools if name in names]
    shown = [tool.name for tool in tools if not table.of_tool(tool).isdisjoint(categories)]
    return tuple(dict.fromkeys((*listed, *shown)))


def hinted(plan: Plan, selection: ToolSelection, policy: Policy) -> Plan:
    """Return the plan with a hint that names only the tools that were selected for the model.

    These may be fewer than the tools of the plan, because some are left out if their definitions do not fit the model.
    """
    if plan.hint is None or len(selection.tools) == len(plan.tools):
        return plan
    selected = replace(plan, tools=tuple(tool.name for tool in selection.tools))
    return replace(plan, hint=hint(selected, wanted_tools(selection.available, plan.categories, policy)))


def hint(plan: Plan, wanted: Sequence[str]) -> str | None:
    """Return the line that summarises a plan for the model, or None if its message has no category.

    Example: `[Context: research + crypto task | tools: exec, web_search | thinking: low]`.

    `wanted` are the tools that the categories need. Of the plan's tools, these are listed first, in the order of
    `wanted`. Tool names are untrusted text: a name with unusual characters is counted but not written.
    """
    if not plan.categories:
        return None
    parts = [f"Context: {' + '.join(plan.categories)} task"]
    if plan.tools:
        parts.append(f"tools: {_tool_list(plan.tools, wanted)}")
    if plan.thinking:
        parts.append(f"thinking: {plan.thinking}")
    return f"[{' | '.join(parts)}]"


def _tool_list(kept: Sequence[str], wanted: Sequence[str]) -> str:
    present = frozenset(kept)
    first = dict.fromkeys(name for name in wanted if name in present)
    ordered = chain(first, (name for name in kept if name not in first))
    named = list(islice((name for name in ordered if _plain.match(name)), MAX_NAMED))
    more = len(kept) - len(named)
    return ", ".join([*named, f"{more} more"] if more else named)
