"""What enters a turn and what leaves it: the public values, frozen, checked at the edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import from_json, to_json

from brain.types import InputModel, Label, MemoryType, Moment, Text, Vector
from cognitive.degradation import Degradation
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.tables import Placement
from cognitive.prompt import PlacedPrompt, PromptParts, place
from cognitive.trace import Trace, Trim
from cognitive.validation import require_label

MAX_MESSAGE_LENGTH = 4_000_000  # characters; what is longer is a file, not a message

Role = Literal["system", "user", "assistant", "tool"]
TurnKind = Literal["user", "heartbeat", "subagent", "cron"]
Status = Literal["completed", "failed", "abandoned"]

# Runtimes pass None as the content of a message that only calls tools.
MessageText = Annotated[
    Text, BeforeValidator(lambda value: "" if value is None else value), Field(max_length=MAX_MESSAGE_LENGTH)
]


class ToolCall(InputModel):
    """A call of a tool by the model, and what came of it."""

    name: Label
    arguments: Mapping[str, Any] = Field(default_factory=dict)
    result: Any = None
    ok: bool = True
    id: Label | None = None


class Message(InputModel):
    """A message of the conversation. A tool's answer names the call it belongs to."""

    role: Role
    content: MessageText = ""
    at: Moment | None = None
    kind: Label | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: Label | None = None


def _as_json(value: Any) -> Any:
    """Raises unless the value can be sent and read: what no JSON can hold, a provider cannot be given."""
    try:
        from_json(to_json([[value]]))  # as deep as it will stand, within a list of tools
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None
    return value


Json = Annotated[Mapping[str, Any], AfterValidator(_as_json)]


class Tool(InputModel):
    """A tool that the model may call; `parameters` is a JSON schema.

    A skill, a pack or a pipeline may say more: phrases that ask for it, what it takes and gives, the names of those
    that it makes needless, the steps of a pipeline and the schemas of its input and output. What is given is handed on.
    """

    name: Label
    description: Text = ""
    parameters: Json = Field(default_factory=dict)
    id: Label | None = None
    intent_keywords: tuple[Label, ...] = ()
    typical_use: Text = ""
    limitations: tuple[Text, ...] = ()
    accepts: tuple[Label, ...] = ()
    produces: tuple[Label, ...] = ()
    supersedes: tuple[Label, ...] = ()
    steps: tuple[Json, ...] = ()
    inputs: Json = Field(default_factory=dict)
    outputs: Json = Field(default_factory=dict)


class ToolSpec(dict[str, Any]):
    """A tool as it is sent to a provider: a dict of name, description and parameters, and what else the host gave.

    The three can also be read as attributes.
    """

    @property
    def name(self) -> str:
        """What the model calls it by."""
        return str(self["name"])

    @property
    def description(self) -> str:
        """What is said of it; may be shortened."""
        return str(self["description"])

    @property
    def parameters(self) -> dict[str, Any]:
        """A valid JSON schema of its arguments."""
        return dict(self["parameters"])


class Turn(InputModel):
    """A turn about to begin.

    `conversation` is what the model would see before `text`, oldest first. `now` and `turn_id` are for replay and
    idempotency: given, they are used as they are. Only turns of kind "user" are planned; the others pass untouched.
    `runtime` names the framework that runs the turn, for those who look at many.

    Raises:
        InvalidInput: unknown keys, naive datetimes, NUL or surrogates, a message beyond MAX_MESSAGE_LENGTH characters.
    """

    agent_id: Label
    session_id: Label
    text: MessageText
    user_id: Label | None = None
    conversation: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    model: Label | None = None
    kind: TurnKind = "user"
    thinking: Label | None = None
    attachments: tuple[Any, ...] = ()
    iteration: Annotated[int, Field(ge=0)] | None = None
    plan_step: Text | None = None
    now: Moment | None = None
    turn_id: Label | None = None
    runtime: Label | None = None


class Outcome(InputModel):
    """How a turn ended. Only completed turns teach; citations and ratings override the measured overlap.

    What the response quotes from the results of `tool_calls` proves no use of a memory, save one that was recalled.
    """

    response: MessageText = ""
    tool_calls: tuple[ToolCall, ...] = ()
    status: Status = "completed"
    citations: tuple[UUID, ...] = ()
    ratings: Mapping[UUID, bool] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnRef:
    """A turn by its name, for a process that does not hold its context."""

    agent_id: str
    turn_id: str

    def __post_init__(self) -> None:
        for name in ("agent_id", "turn_id"):
            require_label(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that the prompt shows: its text as shown, its score, and the chance it had of being shown.

    `relevance_gap` is how far its relevance stood below the best of the turn.
    """

    memory_id: UUID
    type: MemoryType
    content: str
    source: str | None
    score: float
    tokens: int
    propensity: float = 1.0
    relevance_gap: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolSelection:
    """The tools of a turn as they were given, the model they were fitted to, and what came of it.

    `ranking` are places in `available`, the most relevant first; empty where no tool had to go. `trim` is None where
    nothing had to be left out.
    """

    available: tuple[Tool, ...]
    model: str | None
    tools: tuple[ToolSpec, ...]
    ranking: tuple[int, ...] = ()
    trim: Trim | None = None


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What the model should see in this turn, and how that came about.

    `tools` is the catalog as the model can carry it, in the order given. `prefix` belongs to the system prompt: its
    bytes change only when a pinned memory does. `text` is the block of this turn's memories; `prompt` puts both where
    `placement` says. `degraded` names what could not be done in time; it is empty when all is well.
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
    embedding_model: str | None = field(default=None, repr=False)  # the model that made `query_vector`
    query_vector: Vector | None = field(
        default=None, repr=False, compare=False
    )  # the message's vector, if it came in time
    policy: Policy | None = field(default=None, repr=False)  # the one that the turn was planned under
    placement: Placement = "user_tail"
    language_model: str | None = None  # the language model that the prompt is for, as the turn names it
    plan_step: str | None = None
    runtime: str | None = None
    tool_selection: ToolSelection | None = field(
        default=None, repr=False
    )  # what `tools` was made from, for `refine_tools`
    redacted_message: str | None = field(
        default=None, repr=False
    )  # the message as it is recorded, where redaction changed it
    received_at: float | None = None  # when it came in, by the wall clock, in seconds since the epoch

    @property
    def trim(self) -> Trim | None:
        """What the tools lost to fit the model, None if nothing."""
        return self.trace.trim

    @property
    def thinking(self) -> str | None:
        """How hard the model should think, or None where the caller's own setting stands."""
        return self.plan.thinking

    @property
    def user_message(self) -> Message:
        """The user's message as the host should keep it in its history, for the `conversation` of later turns.

        Under "journaled" it holds the block, byte for byte as it was sent, so that each prompt begins with the one
        before; under the other placements it holds the user's words and nothing else.
        """
        return _message("user", self._placed("").user_message)

    def system(self, own: str = "") -> str:
        """The system message's text: the host's own with what belongs behind it, the prefix at least."""
        return self._placed(own).system

    def sent(self, words: str | None = None) -> str:
        """The user's message as it is sent; of these words, where the host's message holds more than the turn's."""
        return self._placed("", words).sent

    def prompt(self, system: str = "") -> tuple[Message, ...]:
        """All that the model should see, in order: the system message, the conversation, the user's message.

        The first is the host's `system` with the prefix behind it, and is left out if that is nothing; the host's own
        system message is given here and not in the turn's conversation. Pure: called again, it gives the same bytes.
        """
        placed = self._placed(system)
        first = (_message("system", placed.system),) if placed.system else ()
        return (*first, *self.messages, _message("user", placed.sent))

    def _placed(self, system: str, words: str | None = None) -> PlacedPrompt:
        spoken = self.message if words is None else words
        return place(PromptParts(system, self.prefix, spoken, self.plan.hint, self.text), self.placement)


def _message(role: Role, content: str) -> Message:
    """Unchecked: the words were, and a message of the utmost length must not fail for what is added to it."""
    return Message(role=role).model_copy(update={"content": content})


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whether the response used a shown memory: overlap in [0, 1], and the verdict at the policy's threshold."""

    memory_id: UUID
    overlap: float
    referenced: bool
    type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a turn taught. `recorded` is False while Postgres is away: it is safe in the journal, and counted later.

    `duplicate` is True if this turn's outcome was known before: nothing is counted again.
    """

    turn_id: str
    attributions: tuple[Attribution, ...]
    recorded: bool
    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A memory that `recall` found; `scores` holds each factor of its score by name.

    `content` is the passage that was found, the whole memory unless `partial`.
    """

    memory_id: UUID
    type: MemoryType
    content: str
    source: str | None
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    occurred_at: datetime | None = None
    speaker: str | None = None
    session_id: str | None = None
    partial: bool = False
