"""The public values of a turn: its inputs, which are validated and frozen, and its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import from_json, to_json

from brain.filters import MemoryFilter
from brain.types import InputModel, Label, MemoryType, Moment, Several, Text, UserLabel, Vector
from brain.users import SHARED, Scope
from cognitive.degradation import Degradation
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.tables import Placement
from cognitive.prompt import PlacedPrompt, PromptParts, place
from cognitive.trace import Trace, Trim
from cognitive.validation import require_label

MAX_MESSAGE_LENGTH = 4_000_000  # characters

Role = Literal["system", "user", "assistant", "tool"]
TurnKind = Literal["user", "heartbeat", "subagent", "cron"]
Status = Literal["completed", "failed", "abandoned"]

# Runtimes pass None as the content of a message that only calls tools.
MessageText = Annotated[
    Text, BeforeValidator(lambda value: "" if value is None else value), Field(max_length=MAX_MESSAGE_LENGTH)
]


class ToolCall(InputModel):
    """A call of a tool by the model, and the tool's result."""

    name: Label
    arguments: Mapping[str, Any] = Field(default_factory=dict)
    result: Any = None
    ok: bool = True
    id: Label | None = None


class Message(InputModel):
    """A message of the conversation. In a tool's answer, `tool_call_id` is the id of the call that it answers.

    `kind` marks the messages that the layer itself writes: "summary", "directive" (the plan's current step) and
    "action" (see `action_prompt`).
    """

    role: Role
    content: MessageText = ""
    at: Moment | None = None
    kind: Label | None = None
    tool_calls: Several[ToolCall] = ()
    tool_call_id: Label | None = None


def _as_json(value: Any) -> Any:
    """Return the value; raise ValueError if it cannot be written as JSON and read again."""
    try:
        from_json(to_json([[value]]))  # nested as deeply as it will be in a list of tools
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None
    return value


Json = Annotated[Mapping[str, Any], AfterValidator(_as_json)]


def _as_filter(value: Any) -> Any:
    """Return the value; raise InvalidInput if it is not a filter (see `brain.filters`)."""
    MemoryFilter.parse(value)
    return value


# Checked before pydantic copies it, which would follow nested mappings to any depth.
Where = Annotated[Mapping[str, Any] | None, BeforeValidator(_as_filter)]


class Tool(InputModel):
    """A tool that the model may call. `parameters` is the JSON schema of its arguments.

    The other fields are optional. `category` names one or more categories of work, such as "coding", whose turns need
    the tool, besides those that its name shows; turns of other categories may leave it out. It is not sent to the
    provider. The rest serve ranking and are passed on if they are set: phrases that ask for the tool
    (`intent_keywords`), the kinds of input and output (`accepts`, `produces`), the names of tools that it makes
    unnecessary (`supersedes`), the steps of a pipeline (`steps`) and the schemas of its input and output.
    """

    name: Label
    description: Text = ""
    parameters: Json = Field(default_factory=dict)
    category: Label | Several[Label] = ()
    id: Label | None = None
    intent_keywords: Several[Label] = ()
    typical_use: Text = ""
    limitations: Several[Text] = ()
    accepts: Several[Label] = ()
    produces: Several[Label] = ()
    supersedes: Several[Label] = ()
    steps: Several[Json] = ()
    inputs: Json = Field(default_factory=dict)
    outputs: Json = Field(default_factory=dict)


class ToolSpec(dict[str, Any]):
    """A tool as it is sent to a provider: a dict of name, description, parameters and the host's other fields.

    Name, description and parameters are also attributes.
    """

    @property
    def name(self) -> str:
        """The tool's name, which the model uses in a call."""
        return str(self["name"])

    @property
    def description(self) -> str:
        """The description of the tool, which may be shortened."""
        return str(self["description"])

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the tool's arguments."""
        return dict(self["parameters"])


class Turn(InputModel):
    """The input of a turn that is about to begin: a message to the agent, with the conversation before it.

    `user_id` scopes the turn: it reads shared memories and the user's, and writes the user's. Without a user it reads
    and writes shared memories. `text` is the user's message and `conversation` the messages before it, oldest first.
    `turn_id` makes a retry
    idempotent, and `now` sets the time; both are generated by default. Only turns of kind "user" are planned; others
    pass through unchanged. `runtime` names the framework, for statistics. Only memories that meet the conditions of
    `where` are shown, pinned ones included (see `brain.filters`).

    Raises:
        InvalidInput: unknown keys, naive datetimes, NUL or surrogates, or a message over MAX_MESSAGE_LENGTH characters.
    """

    agent_id: Label
    session_id: Label
    text: MessageText
    user_id: UserLabel | None = None
    conversation: Several[Message] = ()
    tools: Several[Tool] = ()
    model: Label | None = None
    kind: TurnKind = "user"
    thinking: Label | None = None
    attachments: Several[Any] = ()
    iteration: Annotated[int, Field(ge=0)] | None = None
    plan_step: Text | None = None
    now: Moment | None = None
    turn_id: Label | None = None
    runtime: Label | None = None
    where: Where = None

    @property
    def scope(self) -> Scope:
        """The agent and the view of its memories in which the turn runs: that of its user, or without a user."""
        return Scope(self.agent_id, self.user_id or SHARED)


class Outcome(InputModel):
    """The outcome of a turn: its status, the response, and the tools that were called.

    Only completed turns count as use of memories. `citations` and `ratings`, if given, decide which memories count as
    used; otherwise the overlap of response and memories does. Text that the response quotes from the results of
    `tool_calls` does not count as use of a memory, unless the recall tool returned the memory.
    """

    response: MessageText = ""
    tool_calls: Several[ToolCall] = ()
    status: Status = "completed"
    citations: Several[UUID] = ()
    ratings: Mapping[UUID, bool] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnRef:
    """The ids of a turn. With them a process that does not have the turn's context can report its outcome.

    `user_id` is the turn's user; it is None for a turn without a user.
    """

    agent_id: str
    turn_id: str
    user_id: str | None = None

    def __post_init__(self) -> None:
        require_label("turn_id", self.turn_id)
        Scope.of(self.agent_id, self.user_id).require_one("a turn")

    @property
    def scope(self) -> Scope:
        """The agent and the view in which the turn ran."""
        return Scope(self.agent_id, self.user_id or SHARED)


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that the prompt shows.

    Attributes:
        memory_id: the memory's id.
        type: decision, fact, procedure or episode.
        content: the text as shown, which may be an excerpt.
        source: the memory's source, if it has one.
        score: the score by which the memory was ranked.
        tokens: its size in the prompt.
        propensity: the probability with which it was shown; below 1 only if the policy shows some memories at random.
        relevance_gap: the highest relevance of any memory in this turn minus that of this memory.
        user_id: the user whose memory it is, or None for a shared memory.
    """

    memory_id: UUID
    type: MemoryType
    content: str
    source: str | None
    score: float
    tokens: int
    propensity: float = 1.0
    relevance_gap: float = 0.0
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSelection:
    """The tools of a turn before and after they are fitted to its model.

    `available` are the tools before, `tools` those that are sent to `model`. `ranking` has indexes into `available`,
    most relevant first; it is empty if all tools fit. `trim` is the record of what was removed, or None.
    """

    available: tuple[Tool, ...]
    model: str | None
    tools: tuple[ToolSpec, ...]
    ranking: tuple[int, ...] = ()
    trim: Trim | None = None


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The result of `pre_turn`: what the model should see in this turn.

    Attributes:
        message: the user's message.
        text: the block with this turn's memories. `prompt` inserts `text` and the prefixes where `placement` says.
        prefix: the block with shared pinned memories for the system prompt; it changes only when one of them does.
        user_prefix: the block behind `prefix`, with the user's pinned memories and latest preferences and standing
            instructions; empty without a user. It changes only when one of them does.
        user_prefix_tokens: the number of tokens of `user_prefix`.
        shown: the memories in `text`.
        plan: what the turn was planned to retrieve, and why.
        messages: the conversation, fitted into the window.
        tools: the selected tools, shortened to fit the model, in the order in which the host passed them.
        degraded: what failed or was not ready in time; empty if everything worked.
        trace: candidates with their scores, and timings.
        embedding_model: the model that made `query_vector`.
        query_vector: the embedded message, if it was ready in time.
        policy: the policy that the turn was planned with.
        language_model: the model that the turn names.
        tool_selection: the tools before and after selection, for `refine_tools`.
        redacted_message: the message as it is stored, if redaction changed it.
        received_at: the arrival of the turn, in seconds since the epoch.
    """

    agent_id: str
    session_id: str
    turn_id: str
    now: datetime
    message: str
    text: str
    prefix: str
    shown: tuple[Shown, ...]
    plan: Plan
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    degraded: tuple[Degradation, ...]
    trace: Trace
    user_id: str | None = None
    embedding_model: str | None = field(default=None, repr=False)
    query_vector: Vector | None = field(default=None, repr=False, compare=False)
    policy: Policy | None = field(default=None, repr=False)
    placement: Placement = "user_tail"
    language_model: str | None = None
    plan_step: str | None = None
    runtime: str | None = None
    tool_selection: ToolSelection | None = field(default=None, repr=False)
    redacted_message: str | None = field(default=None, repr=False)
    received_at: float | None = None
    user_prefix: str = ""
    user_prefix_tokens: int = 0

    @property
    def scope(self) -> Scope:
        """The agent and the view of its memories in which the turn runs."""
        return Scope(self.agent_id, self.user_id or SHARED)

    @property
    def trim(self) -> Trim | None:
        """The record of how tools were shortened or removed to fit the model, or None if all tools fit unchanged."""
        return self.trace.trim

    @property
    def thinking(self) -> str | None:
        """The planned thinking effort of the model, or None if the caller's own setting should stay."""
        return self.plan.thinking

    @property
    def user_message(self) -> Message:
        """The user's message to store in the host's history, for the `conversation` of later turns.

        With the placement "journaled" it contains the memory block exactly as it was sent, so that each prompt starts
        with the previous prompt and provider caches apply. With the other placements it is the user's text alone.
        """
        return _message("user", self._placed("").user_message)

    def system(self, own: str = "") -> str:
        """Return the text of the system message: the host's text `own`, followed by `prefix` and `user_prefix`."""
        return self._placed(own).system

    def sent(self, words: str | None = None) -> str:
        """Return the user's message as it is sent, with the memory block.

        `words` replaces the turn's text. Pass it if the message that the host sends has more text than the turn had.
        """
        return self._placed("", words).sent

    def prompt(self, system: str = "") -> tuple[Message, ...]:
        """Return the complete prompt: the system message, the conversation, the user's message.

        The system message is the host's text `system` followed by `prefix` and `user_prefix`. It is omitted if all are
        empty. Pass the host's system message here, not in the turn's conversation. Repeated calls return the same
        bytes.
        """
        placed = self._placed(system)
        first = (_message("system", placed.system),) if placed.system else ()
        return (*first, *self.messages, _message("user", placed.sent))

    def _placed(self, system: str, words: str | None = None) -> PlacedPrompt:
        message = self.message if words is None else words
        parts = PromptParts(system, self.prefix, message, self.plan.hint, self.text, self.user_prefix)
        return place(parts, self.placement)


def _message(role: Role, content: str) -> Message:
    """Return a message without checking its length, which a memory block may increase above the maximum."""
    return Message(role=role).model_copy(update={"content": content})


@dataclass(frozen=True, slots=True)
class Attribution:
    """The measured use of a shown memory: its overlap with the response, and whether it counts as used.

    `overlap` is from 0 to 1. `referenced` is True if the overlap reaches the policy's threshold.
    """

    memory_id: UUID
    overlap: float
    referenced: bool
    type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of `post_turn`: which of the shown memories the response used.

    `recorded` is False while Postgres is down. The outcome is then in the local journal, and is counted when Postgres
    is back. `duplicate` is True if an outcome of this turn was already recorded; nothing is counted a second time.
    """

    turn_id: str
    attributions: tuple[Attribution, ...]
    recorded: bool
    duplicate: bool = False
