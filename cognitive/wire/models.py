"""What requests and answers hold where the layer's own values are not enough. Those stand in `cognitive.turn` and
`brain.types`, and cross as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from brain.policies import MAX_NOTE_LENGTH, PolicyActivation, Role
from brain.types import MAX_CONTENT_LENGTH, InputModel, Label, Labels, MemoryText, MemoryType, Moment, NewMemory, Text
from cognitive.recall import MAX_HITS
from cognitive.turn import MAX_MESSAGE_LENGTH, Message, MessageText, Tool, Turn

MAX_MESSAGES = 20_000  # of a conversation: about a second of work, while others wait
MAX_TOOLS = 2_000  # of a turn; twenty times what any model is offered
MAX_MEMORIES = 1_000  # of one request; a file of them is many requests
MAX_IDS = 500  # of one request; as a query they take 22 KB
MAX_TURNS = 1_000
MAX_PLANS = 500
MAX_LINES = 200
MAX_TUNABLES = 200  # more than there are

# Only white space is refused beyond what the schema says.
Query = Annotated[Label, Field(max_length=MAX_MESSAGE_LENGTH, examples=["which database did we choose?"])]
Conversation = Annotated[tuple[Message, ...], Field(max_length=MAX_MESSAGES)]
Ids = Annotated[tuple[UUID, ...], Field(max_length=MAX_IDS)]
LiveChanges = Annotated[
    Mapping[str, float | int],
    Field(
        max_length=MAX_TUNABLES,
        description="By the setting's dotted name, as `cognitive policy show --live-settings` lists them.",
    ),
]
Note = Annotated[Text, Field(max_length=MAX_NOTE_LENGTH, description="Why; kept with it.")]
After = Annotated[
    Annotated[int, Field(ge=0)] | None,
    Field(description="The number of the choice that the caller saw holding, 0 for none; refused if another was made."),
]


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


class TurnBody(Turn):
    """A turn about to begin; whose it is, the path says. A `turn_id` makes the request safe to repeat."""

    model_config = _example(
        session_id="s1",
        text="Which database did we choose?",
        conversation=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello. What is it?"}],
        tools=[{"name": "search_files", "description": "Search the files", "parameters": {"type": "object"}}],
        model="openai/gpt-4o",
    )

    agent_id: Annotated[str, Field(description="May be left out; else it is that of the path.")] = ""
    conversation: Conversation = ()
    tools: Annotated[tuple[Tool, ...], Field(max_length=MAX_TOOLS)] = ()


class FitBody(InputModel):
    """A conversation that has grown within a turn, whole, and what the turn said of itself."""

    model_config = _example(
        session_id="s1",
        message="Which database did we choose?",
        conversation=[{"role": "user", "content": "Which database did we choose?"}],
        model="openai/gpt-4o",
    )

    session_id: Label
    message: MessageText
    conversation: Conversation
    model: Label | None = None
    plan_step: Text | None = None
    iteration: Annotated[int, Field(ge=0)] | None = None


class RatingBody(InputModel):
    """Somebody's verdict on a memory that a turn showed."""

    useful: bool


class RememberBody(InputModel):
    """Memories to be stored."""

    model_config = _example(
        memories=[{"type": "decision", "content": "We chose Postgres over MongoDB.", "session_id": "s1"}]
    )

    memories: Annotated[tuple[NewMemory, ...], Field(max_length=MAX_MEMORIES)]


class RecallBody(InputModel):
    """What is looked for. With a `turn_id` the hits count as shown in that turn."""

    model_config = _example(query="which database did we choose?", memory_type="decision", limit=5)

    query: Query
    memory_type: MemoryType | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_HITS)] = 10
    turn_id: Label | None = None
    now: Moment | None = None
    tags: Labels = ()
    session_id: Label | None = None
    since: Moment | None = None
    until: Moment | None = None


class MemoryChanges(InputModel):
    """The fields of a memory that change: those that are given."""

    model_config = _example(content="We chose Postgres 18 over MongoDB.", pinned=True)

    content: MemoryText = ""
    speaker: Label | None = None
    context: Annotated[Text, Field(max_length=MAX_CONTENT_LENGTH)] = ""
    occurred_at: Moment | None = None
    tags: Labels = ()
    entities: Labels = ()
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    pinned: bool = False
    attributes: Mapping[str, Any] = Field(default_factory=dict)

    def changed_fields(self) -> dict[str, Any]:
        """What was said, and not what was left out."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class IdsBody(InputModel):
    """Memories by their ids."""

    ids: Ids


class LineBody(InputModel):
    """Part of a line that is looked for in an artifact."""

    model_config = _example(literal="ERROR")

    literal: Text
    limit: Annotated[int, Field(ge=1, le=MAX_LINES)] = 20


class PlansBody(InputModel):
    """A message; what is looked for are turns that asked the like."""

    model_config = _example(message="Deploy the service to staging")

    message: Query
    limit: Annotated[int, Field(ge=0, le=MAX_PLANS)] = 25


class PolicyVersionBody(InputModel):
    """What a candidate changes of the operator's policy."""

    model_config = _example(changes={"usage.half_life_days": 3, "evidence.threshold": 0.4}, note="shorter memory")

    changes: LiveChanges
    note: Note = ""


class ActivationBody(InputModel):
    """The version that is chosen; null is the operator's own again."""

    model_config = _example(version="0f1e2d3c4b5a", note="kept more of what was used", after=0)

    version: Label | None
    note: Note = ""
    after: After = None


class RollBackBody(InputModel):
    """Why the latest choice is taken back."""

    note: Note = ""
    after: After = None


class WhatIfBody(InputModel):
    """Settings with other values, and the stretch of time whose turns they are tried on: [since, until)."""

    model_config = _example(changes={"evidence.threshold": 0.2}, since="2026-11-01T00:00:00Z")

    changes: LiveChanges
    since: Moment
    until: Annotated[Moment | None, Field(description="Now, where it is left out.")] = None
    whole: Annotated[bool, Field(description="All turns of the sample, however long that takes.")] = False


@dataclass(frozen=True, slots=True)
class EffectivePolicies:
    """The versions that hold for an agent: the operator's own, the live one, the one that runs beside it; what the live
    one changes; and the choices that they come from, by role.
    """

    base: str
    live: str
    shadow: str | None
    changes: Mapping[str, float | int]
    activations: Mapping[Role, PolicyActivation]


@dataclass(frozen=True, slots=True)
class StoredMemories:
    """The ids of memories, in the order they were given; one that was there already stands in its place."""

    ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A recorded turn, in short."""

    turn_id: str
    session_id: str
    at: Moment
    status: str
    message: str


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """Whether there was such a session."""

    ended: bool


@dataclass(frozen=True, slots=True)
class WindowView:
    """The bounded window over a conversation, and the numbers of how it came about."""

    messages: tuple[Message, ...]
    trace: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Health:
    """How a server is: "ok", or what is wrong, by part."""

    status: Literal["ok", "unavailable"]
    parts: Mapping[str, str]
