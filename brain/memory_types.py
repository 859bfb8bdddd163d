"""The memory types, one row each; everything that depends on the type is derived from its row.

The sections of a prompt are in the order of the rows. To add a type, add a row here, the type's name to `MemoryType`, a
field to `cognitive.policy.tables.FrameBudget`, and a migration that allows the name in the column `memory.type`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

MemoryType = Literal["decision", "fact", "procedure", "episode"]

# What a policy may delete when it is old enough: memories by type, and rows of other kinds.
RetentionKind = Literal["hidden", "turns", "artifacts", "subtasks", "sessions", "erasures"]
Retained = MemoryType | RetentionKind

# The kind of an attribute: a short name, a text, an id (which is not indexed), or one of the listed words.
AttributeKind = Literal["label", "text", "id"] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeRow:
    """The definition of a memory type, from which everything that depends on the type is derived.

    `heading` is the heading of the type's section in a prompt, `colour` the type's CSS colour on the dashboard.
    `attributes` are the attributes that a memory of the type may have, with their kinds; those in `shown` are part of
    the memory's line in a prompt. `tokens` has the section's default token budget for each frame (the kind of turn).
    """

    name: MemoryType
    heading: str
    colour: str
    attributes: Mapping[str, AttributeKind]
    tokens: Mapping[str, int]
    shown: tuple[str, ...] = ()


TYPE_ROWS: tuple[TypeRow, ...] = (
    TypeRow(
        name="decision",
        heading="Decisions",
        colour="var(--c6)",
        attributes={
            "outcome": ("pending", "success", "partial", "failure"),
            "rationale": "text",
            "stakes": ("low", "medium", "high", "critical"),
            "category": "label",
            "formed_by": "id",
            "evidence": "text",
        },
        tokens={"conversation": 500, "question": 1000, "task": 2000, "decision": 3500, "creative": 1000, "debug": 1500},
        shown=("rationale", "outcome"),
    ),
    TypeRow(
        name="fact",
        heading="Facts",
        colour="var(--c4)",
        attributes={
            "subject": "label",
            "category": "label",
            "kind": ("preference", "instruction"),
            "formed_by": "id",
            "evidence": "text",
        },
        tokens={"conversation": 500, "question": 1500, "task": 1500, "decision": 2000, "creative": 1500, "debug": 1000},
    ),
    TypeRow(
        name="procedure",
        heading="Procedures",
        colour="var(--c1)",
        attributes={"name": "label", "domain": "label", "formed_by": "id", "evidence": "text"},
        tokens={"conversation": 0, "question": 500, "task": 1500, "decision": 2000, "creative": 500, "debug": 2500},
    ),
    TypeRow(
        name="episode",
        heading="Episodes",
        colour="var(--c2)",
        attributes={
            "title": "label",
            "outcome": "label",
            "kind": ("plan",),
            "date": "id",
            "formed_by": "id",
            "evidence": "text",
        },
        # A conversation needs a budget too: without it, "continue what we were doing" would show nothing.
        tokens={"conversation": 600, "question": 500, "task": 1000, "decision": 1000, "creative": 500, "debug": 1000},
        shown=("outcome",),
    ),
)
MEMORY_TYPES: tuple[MemoryType, ...] = tuple(row.name for row in TYPE_ROWS)
