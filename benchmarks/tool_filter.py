"""Measure which tools the plan of a turn removes: needed ones that are lost, and foreign ones that go.

    python -m benchmarks.tool_filter

200 ordinary messages, each with the catalogs of three coding agents and three MCP servers, which were written by an
author who had not seen the rules. Each row of the table is one way to know a tool's categories: by its name alone, or
also by what it states. The shares are, over all messages and catalogs:

- kept: needed tools that are kept. Of alternatives, one suffices.
- removed: removed tools, of those that have categories of which none is the message's by the labels.
- without: tools that have no category; they are never removed and count in neither share.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from brain.turns import TurnLog
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.preflight.category_learning import CategoryLearner
from cognitive.preflight.category_table import category_table
from cognitive.preflight.planner import Planner
from cognitive.tool import Tool
from cognitive.turn import Message, Turn

DATA = Path(__file__).parents[1] / "tests" / "data" / "agent_tools.json"
NOW = datetime(2026, 11, 18, tzinfo=UTC)
POLICY = Policy(categories={"learned_weights": False})
PLANNER = Planner(POLICY, CategoryLearner(cast(TurnLog, None), POLICY))  # without learning, no past turn is read


@dataclass(frozen=True, slots=True)
class FilterCounts:
    """Counts of tools over all messages and catalogs; `lost` are pairs of a message and the tools that it lacks."""

    needed: int
    lost: tuple[tuple[str, str], ...]
    foreign: int
    removed: int
    tools: int
    without: int

    @property
    def kept_share(self) -> float:
        """The share of needed tools that are kept."""
        return 1 - len(self.lost) / self.needed

    @property
    def removed_share(self) -> float:
        """The share of foreign tools that are removed."""
        return self.removed / self.foreign


def measure(*, stated: bool) -> FilterCounts:
    """Filter every catalog for every message; with `stated`, the tools state their labelled categories."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    needed = foreign = removed = tools = without = 0
    lost: list[tuple[str, str]] = []
    for row in data["messages"]:
        for name, labels in data["catalogues"].items():
            offered = [Tool(name=tool, category=tuple(label) if stated else ()) for tool, label in labels.items()]
            gone = frozenset(_planned(row, offered).removed)
            wants = [[each] if isinstance(each, str) else each for each in row["needed"].get(name, ())]
            needed += len(wants)
            lost += [(row["message"], f"{name}: {' or '.join(want)}") for want in wants if gone.issuperset(want)]
            owners = {tool.name: labels[tool.name] if stated else _recognised(tool) for tool in offered}
            apart = [tool for tool, own in owners.items() if own and not set(own) & set(row["categories"])]
            foreign += len(apart)
            removed += len(gone.intersection(apart))
            tools += len(offered)
            without += sum(not own for own in owners.values())
    return FilterCounts(needed, tuple(lost), foreign, removed, tools, without)


def _recognised(tool: Tool) -> frozenset[str]:
    return category_table(POLICY).of_tool(tool)


def _planned(row: Mapping[str, Any], tools: list[Tool]) -> Plan:
    said = [Message(role=role, content=content) for role, content in row.get("history", ())]
    turn = Turn(agent_id="a", session_id="s", text=row["message"], conversation=said, tools=tools, now=NOW)
    return PLANNER.plan(turn, NOW, POLICY)


def main() -> None:
    """Print the table, and the messages that lack a needed tool."""
    write = sys.stdout.write
    write("| categories | needed | kept | foreign | removed | without category |\n|---|---|---|---|---|---|\n")
    for label, counts in (("by name", measure(stated=False)), ("by name and stated", measure(stated=True))):
        shares = f"{counts.kept_share:.1%} | {counts.foreign} | {counts.removed_share:.1%}"
        write(f"| {label} | {counts.needed} | {shares} | {counts.without} of {counts.tools} |\n")
        sys.stderr.writelines(f"lost by {message!r}: {tool}\n" for message, tool in counts.lost)


if __name__ == "__main__":
    main()
