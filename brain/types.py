"""The values that the store takes and returns: memories, revisions, receipts of erasures."""

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

# The origin of a memory, the least trusted first. It is set by the way in which the memory was stored and never rises:
# being shown, used or rated well is no reason to trust a text more.
Trust = Literal[
    "foreign",  # the output of a tool, a web page, the export of another system
    "talk",  # a message of a user or a model, captured
    "agent",  # stored by the model with a tool
    "host",  # stored by the program or its operator
]
TRUSTS: tuple[Trust, ...] = get_args(Trust)


def above(trust: Trust, other: Trust) -> bool:
    """Return True if a memory with the trust `trust` is trusted more than one with the trust `other`."""
    return TRUSTS.index(trust) > TRUSTS.index(other)


Vector = NDArray[np.float32]  # shape (dimension,), unit length
Vectors = NDArray[np.float32]  # shape (texts, dimension), unit rows

MAX_CONTENT_LENGTH = 1_000_000  # characters of a memory; split longer texts into several
MAX_LABEL_LENGTH = 1_000  # characters of an id, a name, a tag
MAX_LABELS = 100  # tags, or entities, of a memory


def _storable(text: str) -> str:
    reason = unstorable(text)
    if reason is not None:
        raise PydanticCustomError("unstorable", "contains {reason}, which Postgres cannot store", {"reason": reason})
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "is blank")
    return text


def _in_supported_years(at: datetime) -> datetime:
    """Return a time; raise ValueError unless its year is 2 to 9998, so that it is a valid date in every time zone."""
    try:
        year = at.astimezone(UTC).year
    except OverflowError:
        year = 0
    if not 2 <= year <= 9998:
        raise PydanticCustomError("no_year", "is not in the years 2 to 9998")
    return at


Text = Annotated[str, AfterValidator(_storable)]
Moment = Annotated[AwareDatetime, AfterValidator(_in_supported_years)]
Label = Annotated[Text, Field(max_length=MAX_LABEL_LENGTH), AfterValidator(_not_blank)]
Labels = Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS)]
MemoryText = Annotated[Text, Field(max_length=MAX_CONTENT_LENGTH), AfterValidator(_not_blank)]


class InputModel(BaseModel):
    """The base class of input values. Their fields cannot be changed, and unknown keys are not allowed.

    Errors in the values are raised as InvalidInput, with the name of the field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _typed_errors(cls, data: Any, handler: Any) -> Self:
        try:
            return handler(data)  # type: ignore[no-any-return]
        except ValidationError as error:
            raise invalid(cls.__name__, error) from None


def invalid(subject: str, error: ValidationError) -> InvalidInput:
    """Return an InvalidInput about `subject` that lists the first three errors of pydantic, each with its field."""
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'value'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)[:3]
    ]
    return InvalidInput(f"{subject}: " + "; ".join(problems))


_ATTRIBUTE: Mapping[str, Any] = {"label": Label, "text": Text}


def _attributes_model(row: TypeRow) -> type[InputModel]:
    """Return the pydantic model of the attributes that a memory of this type may have.

    Each attribute is optional. Its value is a label (a short text), a text, or one word of a list.
    """
    fields: Any = {
        name: ((_ATTRIBUTE[kind] if isinstance(kind, str) else Literal[kind]) | None, None)
        for name, kind in row.attributes.items()
    }
    model: type[InputModel] = create_model(f"{row.name.capitalize()}Attributes", __base__=InputModel, **fields)
    return model


ATTRIBUTES: Mapping[MemoryType, type[InputModel]] = MappingProxyType(
    {row.name: _attributes_model(row) for row in TYPE_ROWS}
)


class NewMemory(InputModel):
    """A memory to be stored.

    `content` is the text that is shown. If it is long, it is indexed in parts (passages), and only the best passage is
    shown. `speaker` is indexed and shown before the content. `context` (the preceding line, a title) is indexed, but
    not shown. `occurred_at` must have a time zone; None means the time of storing. `source` is the caller's own id of
    the memory. Two memories are the same, and stored once, if they have the same agent, type and source or, without a
    source, the same agent, type, speaker, session, occurred_at and content. `confidence` is in [0, 1]. `pinned`
    memories are part of every prompt. `supersedes` is the id of the memory that this one replaces; a memory with higher
    trust is not replaced. `attributes` are those of the type (`brain.memory_types`). `trust` is the origin of the
    memory; storing a memory again does not change it.

    Raises:
        InvalidInput: a key is unknown, a time has no time zone, a text contains NUL or lone surrogates, or is blank or
            too long, or there are too many tags or entities.
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
    """A stored memory, with the fields of `NewMemory` and the id of the memory that superseded it, if any."""

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
    """A change of a memory. `number` counts the memory's changes from 1.

    `previous` holds the old values of the fields that were changed at `changed_at`.
    """

    memory_id: UUID
    number: int
    previous: Mapping[str, Any]
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an erasure: how many rows of each kind were deleted or changed.

    `policies` are saved policies and activations, `journaled` turns in the journal of this machine, and `responses` the
    recorded responses that may have contained text of an erased memory. `turns_cut`, `sessions_cut`, `subtasks_cut`,
    `notes_cut` (notes of policies) and `memories_cut` count the rows that were kept without the erased text. `restated`
    counts the memories that have the text of an erased one, but were kept: the host stored them, and did not ask to
    erase them.
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
    """An entry of the log of erasures. It records that an agent, some memories, or data past its retention was erased.

    `counts` has the number of deleted rows of each kind.
    """

    at: datetime
    what: Literal["agent", "memories", "retention"]
    counts: Mapping[str, int]
