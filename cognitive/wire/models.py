"""Bodies of HTTP requests for which the memory layer's own classes do not suffice.

All other bodies are values of `cognitive.turn` and `brain.types`, sent unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from brain.input_model import InputModel
from brain.policies import MAX_NOTE_LENGTH
from brain.types import (
    MAX_CONTENT_LENGTH,
    Label,
    Labels,
    MemoryText,
    MemoryType,
    Metadata,
    Moment,
    NewMemory,
    Text,
    max_keys,
    not_blank,
)
from cognitive.recall import MAX_HITS
from cognitive.tool import Tool
from cognitive.turn import MAX_MESSAGE_LENGTH, Message, MessageText, Turn, Where

MAX_MESSAGES = 20_000  # and tool calls per conversation; they take about a second, in which other requests wait
MAX_TOOLS = 2_000  # per turn; about twenty times what hosts send to a model
MAX_MEMORIES = 1_000  # per request; larger imports are split into several requests
MAX_IDS = 500  # per request; in a query string they take 22 KB
MAX_FOUND = 1_000  # memories of a page
MAX_TURNS = 1_000
MAX_PLANS = 500
MAX_LINES = 200
MAX_TUNABLES = 200  # more than there are settings


def _countable(messages: Any) -> Any:
    """Return the messages of a conversation; raise an error if they and their tool calls exceed MAX_MESSAGES.

    They are counted before pydantic reads them. A call without an answer takes as long as a message.
    """
    if isinstance(messages, Sequence) and not isinstance(messages, str):
        count = len(messages)
        if count <= MAX_MESSAGES:
            count += sum(map(_tool_calls, messages))
        if count > MAX_MESSAGES:
            numbers = {"count": count, "limit": MAX_MESSAGES}
            raise PydanticCustomError(
                "too_long", "has {count} messages and tool calls; at most {limit} are allowed", numbers
            )
    return messages


def _tool_calls(message: Any) -> int:
    calls = message.get("tool_calls") if isinstance(message, Mapping) else getattr(message, "tool_calls", ())
    return len(calls) if isinstance(calls, Sequence) else 0


# Text of white space only is also refused, which the JSON schema does not express.
Query = Annotated[
    Text,
    Field(max_length=MAX_MESSAGE_LENGTH, examples=["which database did we choose?"]),
    AfterValidator(not_blank),
]
Conversation = Annotated[tuple[Message, ...], Field(max_length=MAX_MESSAGES), BeforeValidator(_countable)]
Ids = Annotated[tuple[UUID, ...], Field(max_length=MAX_IDS, fail_fast=True)]
LiveChanges = Annotated[
    Mapping[str, float | int],
    Field(
        max_length=MAX_TUNABLES,
        description="New values by the setting's dotted name; `cognitive policy show --live-settings` lists the names.",
    ),
    max_keys(MAX_TUNABLES),
]
Note = Annotated[Text, Field(max_length=MAX_NOTE_LENGTH, description="The reason, stored with the change.")]
After = Annotated[
    Annotated[int, Field(ge=0)] | None,
    Field(
        description="The number of the latest activation that the caller knows, 0 for none. The request is refused if"
        " there is a newer one."
    ),
]

RequestUser = Annotated[
    Label | None,
    Field(description="The user of this request; by default that of the token, or none, which is the shared view."),
]
AllUsersField = Annotated[
    bool, Field(description="Use the view of all users, which needs an operator's or an admin's token.")
]


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


class TurnBody(Turn):
    """A turn to prepare, for the agent in the request's path.

    A request whose turn has a `turn_id` may be repeated safely.
    """

    model_config = _example(
        session_id="s1",
        text="Which database did we choose?",
        conversation=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello. What is it?"}],
        tools=[{"name": "search_files", "description": "Search the files", "parameters": {"type": "object"}}],
        model="openai/gpt-4o",
    )

    agent_id: Annotated[str, Field(description="Optional; if set, it must be the agent of the path.")] = ""
    conversation: Conversation = ()
    tools: Annotated[tuple[Tool, ...], Field(max_length=MAX_TOOLS)] = ()


class FitBody(InputModel):
    """A conversation that has grown within a turn, to be fitted into the model's context again.

    `conversation` has all messages. `iteration` is the number of the model call within the turn. The other fields are
    those of the turn.
    """

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
    user_id: RequestUser = None


class RatingBody(InputModel):
    """A user's rating of a memory that a turn showed."""

    useful: bool


class RememberBody(InputModel):
    """Memories to store."""

    model_config = _example(
        memories=[{"type": "decision", "content": "We chose Postgres over MongoDB.", "session_id": "s1"}]
    )

    memories: Annotated[tuple[NewMemory, ...], Field(max_length=MAX_MEMORIES)]


class ConversationBody(InputModel):
    """A conversation to store, held elsewhere: its messages, oldest first. `now` is when it ended."""

    model_config = _example(
        messages=[{"role": "user", "content": "I prefer trains."}, {"role": "assistant", "content": "Noted."}],
        session_id="s1",
    )

    messages: Conversation
    session_id: Label = "imported"
    now: Moment | None = None
    user_id: RequestUser = None


class RecallBody(InputModel):
    """A search for memories.

    If `turn_id` is set, the memories that are found count as shown in that turn. With `since` and `until`, only
    memories of that time are searched; with `where`, those that meet its conditions; with `as_of`, those that were
    visible at that time; with `related_only`, memories that have nothing in common with the query are left out. With
    `max_lag_seconds`, a standby is read if it lags no more; this is refused with `turn_id`.
    """

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
    where: Where = None
    as_of: Moment | None = None
    related_only: bool = False
    max_lag_seconds: Annotated[float, Field(ge=0)] | None = None
    user_id: RequestUser = None
    all_users: AllUsersField = False


class FindBody(InputModel):
    """A page of the memories that meet the conditions of `where`, oldest first."""

    model_config = _example(where={"metadata.priority": {"gte": 3}, "tags": {"in": ["billing"]}}, limit=20)

    where: Where = None
    limit: Annotated[int, Field(ge=0, le=MAX_FOUND)] = 100
    offset: Annotated[int, Field(ge=0, le=2**48)] = 0
    user_id: RequestUser = None
    all_users: AllUsersField = False


class MemoryChanges(InputModel):
    """New values for fields of a memory. Fields that are not sent keep their values."""

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
    metadata: Metadata = Field(default_factory=dict)
    expires_at: Moment | None = None

    def changed_fields(self) -> dict[str, Any]:
        """Return the fields that were sent, with their new values, by name."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class IdsBody(InputModel):
    """The ids of memories to erase, to hide or to show again."""

    ids: Ids


class MergeBody(IdsBody):
    """The ids of memories to hide, and the id of the memory that says the same and is kept."""

    into: UUID


class LineBody(InputModel):
    """A search for the lines of an artifact that contain the string `literal`.

    An artifact is a long text stored outside the prompt.
    """

    model_config = _example(literal="ERROR")

    literal: Text
    limit: Annotated[int, Field(ge=1, le=MAX_LINES)] = 20
    user_id: RequestUser = None


class PlansBody(InputModel):
    """A search for the tools that past turns with a message similar to `message` called."""

    model_config = _example(message="Deploy the service to staging")

    message: Query
    limit: Annotated[int, Field(ge=0, le=MAX_PLANS)] = 25
    user_id: RequestUser = None
    all_users: AllUsersField = False


class PolicyVersionBody(InputModel):
    """A policy version to save: the settings in which it differs from the base policy."""

    model_config = _example(changes={"usage.half_life_days": 3, "evidence.threshold": 0.4}, note="shorter memory")

    changes: LiveChanges
    note: Note = ""


class ActivationBody(InputModel):
    """The saved policy version to activate. Null returns to the base policy."""

    model_config = _example(version="0f1e2d3c4b5a", note="kept more of what was used", after=0)

    version: Label | None
    note: Note = ""
    after: After = None


class RollBackBody(InputModel):
    """A request to undo the latest activation of a policy version."""

    note: Note = ""
    after: After = None


class WhatIfBody(InputModel):
    """Changed settings, and the period whose recorded turns are used to estimate the effect of the changes.

    The period begins at `since` and ends before `until`.
    """

    model_config = _example(changes={"evidence.threshold": 0.2}, since="2026-11-01T00:00:00Z")

    changes: LiveChanges
    since: Moment
    until: Annotated[Moment | None, Field(description="The default is the current time.")] = None
    whole: Annotated[bool, Field(description="Replay all turns of the sample, without a time limit.")] = False
    user_id: RequestUser = None
    all_users: AllUsersField = False
