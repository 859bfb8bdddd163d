"""What long-term memory is made of: the values that go into the store and come out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from brain.errors import InvalidInput
from brain.memory_types import MEMORY_TYPES as MEMORY_TYPES
from brain.memory_types import TYPE_ROWS, TypeRow
from brain.memory_types import MemoryType as MemoryType
from brain.text import unstorable

# Whose word a memory is, the least trusted first. It follows from the way in by which the words came, and from nothing
# that happens to them later: being shown, used or rated well is no reason to trust.
Trust = Literal[
    "foreign",  # a tool's output, a web page, another system's export
    "talk",  # what a user or a model said, captured
    "agent",  # what the model kept by a tool of its own
    "host",  # what the program or its operator handed over
]
TRUSTS: tuple[Trust, ...] = get_args(Trust)


def above(trust: Trust, other: Trust) -> bool:
    """Whether one level of trust is above another."""
    return TRUSTS.index(trust) > TRUSTS.index(other)


Vector = NDArray[np.float32]  # shape (dimension,), unit length
Vectors = NDArray[np.float32]  # shape (texts, dimension), unit rows

MAX_CONTENT_LENGTH = 1_000_000  # characters of one memory; a book is many memories
MAX_LABEL_LENGTH = 1_000  # characters of an id, a name, a tag
MAX_LABELS = 100  # tags of a memory, or entities; a list of more is content


def _storable(text: str) -> str:
    reason = unstorable(text)
    if reason is not None:
        raise PydanticCustomError("unstorable", "holds {reason}, which Postgres cannot store", {"reason": reason})
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "is blank")
    return text


def _of_the_years(at: datetime) -> datetime:
    """ValueError in the first and last years of the calendar, some moments of which no time zone can express."""
    try:
        year = at.astimezone(UTC).year
    except OverflowError:
        year = 0
    if not 2 <= year <= 9998:
        raise PydanticCustomError("no_year", "is of no year from 2 to 9998")
    return at


Text = Annotated[str, AfterValidator(_storable)]
Moment = Annotated[AwareDatetime, AfterValidator(_of_the_years)]
Label = Annotated[Text, Field(max_length=MAX_LABEL_LENGTH), AfterValidator(_not_blank)]
Labels = Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS)]
MemoryText = Annotated[Text, Field(max_length=MAX_CONTENT_LENGTH), AfterValidator(_not_blank)]


class InputModel(BaseModel):
    """A value that enters from outside: frozen, unknown keys forbidden, errors typed and naming the field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _typed_errors(cls, data: Any, handler: Any) -> Self:
        try:
            return handler(data)  # type: ignore[no-any-return]
        except ValidationError as error:
            raise invalid(cls.__name__, error) from None


def invalid(subject: str, error: ValidationError) -> InvalidInput:
    """The first few complaints of pydantic as one sentence that names each field."""
    complaints = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'value'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)[:3]
    ]
    return InvalidInput(f"{subject}: " + "; ".join(complaints))


_ATTRIBUTE: Mapping[str, Any] = {"label": Label, "text": Text}


def _attributes_model(row: TypeRow) -> type[InputModel]:
    """Return the model of a type's attributes: each is optional, and is a label, a text or one of some words."""
    fields: Any = {
        name: ((_ATTRIBUTE[kind] if isinstance(kind, str) else Literal[kind]) | None, None)
        for name, kind in row.attributes.items()
    }
    made: type[InputModel] = create_model(f"{row.name.capitalize()}Attributes", __base__=InputModel, **fields)
    return made


ATTRIBUTES: Mapping[MemoryType, type[InputModel]] = MappingProxyType(
    {row.name: _attributes_model(row) for row in TYPE_ROWS}
)


class NewMemory(InputModel):
    """A memory to be stored.

    `content` is what is shown; content longer than a passage is indexed in passages, and the best one is shown.
    `speaker` is indexed and shown before the content; `context` (the preceding line, a title) is indexed, not shown.
    `occurred_at` must be aware; None means the moment of remembering. `source` is the caller's own id: with it, the
    memory is the same as an earlier one of equal (agent, type, source); without it, of equal (agent, type, speaker,
    session, occurred_at, content). `supersedes` is the id of the memory that this one replaces, unless that is trusted
    more: then both stand. `trust` says whose word it is; a memory that is there already keeps its own.

    Raises:
        InvalidInput: unknown keys, naive datetimes, NUL or surrogates, blank or over-long content, too many
            tags or entities.
    """

    type: MemoryType
    content: MemoryText
    speaker: Label | None = None
    context: Annotated[Text, Field(max_length=MAX_CONTENT_LENGTH)] = ""
    occurred_at: Moment | None = None
    session_id: Label | None = None
    source: Label | None = None
    tags: Labels = ()
    entities: Labels = ()
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    pinned: bool = False
    supersedes: UUID | None = None
    attributes: Mapping[str, Any] = Field(default_factory=dict)
    trust: Trust = "host"

    @model_validator(mode="after")
    def _typed_attributes(self) -> Self:
        try:
            known = ATTRIBUTES[self.type].model_validate(dict(self.attributes))
        except InvalidInput as error:
            raise InvalidInput(f"NewMemory.attributes of a {self.type}: {error}") from None
        object.__setattr__(self, "attributes", known.model_dump(exclude_none=True))
        return self


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory, whole."""

    id: UUID
    type: MemoryType
    content: str
    speaker: str | None
    context: str
    occurred_at: datetime
    session_id: str | None
    source: str | None
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    confidence: float
    pinned: bool
    supersedes: UUID | None
    superseded_by: UUID | None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    trust: Trust = "host"


@dataclass(frozen=True, slots=True)
class Revision:
    """A change of a memory, numbered from 1: `previous` holds the values that it replaced at `changed_at`."""

    memory_id: UUID
    number: int
    previous: Mapping[str, Any]
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed, in rows.

    `policies` are those saved and chosen, `journaled` turns that waited in the journal of this machine, `responses`
    those that may have held a memory's words. Of what else held the words of an erased memory, `turns_cut`,
    `sessions_cut`, `subtasks_cut`, `notes_cut` (beside policies) and `memories_cut` are left without them. `restated`
    are memories that say the same and stay: somebody handed them over, and did not name them here.
    """

    agent_id: str
    memories: int
    passages: int
    embeddings: int
    postings: int
    exposures: int
    usage: int
    revisions: int = 0
    turns: int = 0
    sessions: int = 0
    artifacts: int = 0
    subtasks: int = 0
    policies: int = 0
    journaled: int = 0
    responses: int = 0
    turns_cut: int = 0
    sessions_cut: int = 0
    subtasks_cut: int = 0
    notes_cut: int = 0
    memories_cut: int = 0
    restated: int = 0


@dataclass(frozen=True, slots=True)
class Erasure:
    """That something of an agent was erased: all of it, some memories, or what had been kept for long enough."""

    at: datetime
    what: Literal["agent", "memories", "retention"]
    counts: Mapping[str, int]
