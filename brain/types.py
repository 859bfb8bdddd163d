"""The values that the store takes and returns: memories and their revisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from brain.errors import InvalidInput
from brain.input_model import InputModel
from brain.memory_types import MEMORY_TYPES as MEMORY_TYPES
from brain.memory_types import TYPE_ROWS, TypeRow
from brain.memory_types import MemoryType as MemoryType
from brain.text import unstorable
from brain.users import AllUsers

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
MAX_METADATA_BYTES = 16_384  # the metadata of a memory, as JSON in UTF-8

# Why a memory is hidden: a newer one replaced it, it was retired by a call, its `expires_at` is past, or it was merged
# into another memory.
HiddenReason = Literal["superseded", "retired", "expired", "merged"]


def _storable(text: str) -> str:
    reason = unstorable(text)
    if reason is not None:
        raise PydanticCustomError("unstorable", "contains {reason}, which Postgres cannot store", {"reason": reason})
    return text


def not_blank(text: str) -> str:
    """Return a text; raise ValueError if it is blank."""
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


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return metadata; raise an error unless it is JSON that Postgres can store, of at most MAX_METADATA_BYTES."""
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PydanticCustomError("not_json", "is not JSON: {reason}", {"reason": str(error)}) from None
    if len(written.encode(errors="surrogatepass")) > MAX_METADATA_BYTES:
        raise PydanticCustomError("too_large", "is larger than {limit} bytes as JSON", {"limit": MAX_METADATA_BYTES})
    for text in _texts(value):
        _storable(text)
    stored: Mapping[str, Any] = json.loads(written)  # a copy, as it will be read: tuples as lists, keys as texts
    return stored


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def max_keys(limit: int) -> BeforeValidator:
    """Return a validator that refuses a mapping with more than `limit` keys before pydantic reads its values.

    pydantic reads them all, and builds an error for each wrong one, before it compares their number with a limit.
    """

    def few(value: Any) -> Any:
        if isinstance(value, Mapping) and len(value) > limit:
            numbers = {"keys": len(value), "limit": limit}
            raise PydanticCustomError("too_long", "has {keys} keys; at most {limit} are allowed", numbers)
        return value

    return BeforeValidator(few)


def _one_user(value: object) -> object:
    if isinstance(value, AllUsers):  # pydantic would take its name for a user's id
        raise PydanticCustomError("all_users", "is not one user")
    return value


if TYPE_CHECKING:
    _T = TypeVar("_T")
    # The type of a field that takes any sequence, such as a list, and holds a tuple.
    Several = Sequence[_T]
else:

    class Several:
        """`Several[X]` is `tuple[X, ...]` while the program runs: pydantic makes a tuple of any sequence."""

        def __class_getitem__(cls, item: Any) -> Any:
            return tuple[item, ...]


Text = Annotated[str, AfterValidator(_storable)]
Moment = Annotated[AwareDatetime, AfterValidator(_in_supported_years)]
Label = Annotated[Text, Field(max_length=MAX_LABEL_LENGTH), AfterValidator(not_blank)]
UserLabel = Annotated[Label, BeforeValidator(_one_user)]
# `fail_fast` ends at the first wrong item. Without it, pydantic builds an error for each item, however many there are.
Labels = Annotated[Several[Label], Field(max_length=MAX_LABELS, fail_fast=True)]
MemoryText = Annotated[Text, Field(max_length=MAX_CONTENT_LENGTH), AfterValidator(not_blank)]
Metadata = Annotated[Mapping[str, Any], AfterValidator(_metadata)]


_ATTRIBUTE: Mapping[str, Any] = {"label": Label, "text": Text, "id": Label}


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

    Attributes:
        type: decision, fact, procedure or episode.
        content: The text that is shown. If it is long, it is indexed in parts (passages), and only the best passage is
            shown.
        speaker: Who said it; indexed, and shown before the content.
        context: Text that helps to find the memory (the preceding line, a title); indexed, but not shown.
        occurred_at: When it was said or happened, with a time zone; None means the time of storing.
        expires_at: When it stops being true, after `occurred_at`. From then on it is hidden.
        session_id: The conversation that it comes from.
        source: The caller's own id of the memory. Two memories are the same, and stored once, if they have the same
            agent, user, type and source or, without a source, the same agent, user, type, speaker, session,
            occurred_at and content.
        tags: Labels to filter by.
        entities: Names of people and things that the memory is about; indexed with the context.
        confidence: From 0 to 1; the lower, the lower the memory ranks.
        pinned: True if the memory is part of every prompt.
        supersedes: The id of the memory that this one replaces, unless that one has higher trust.
        attributes: Those of the type (`brain.memory_types`). Texts and names are indexed with the context, and some are
            shown.
        metadata: Free JSON of at most MAX_METADATA_BYTES, to filter by; returned as it was stored.
        trust: The origin of the memory; storing a memory again does not change it.
        user_id: The user whose memory it is. None is a shared memory, which everyone who talks to the agent may see.

    Raises:
        InvalidInput: a key or attribute is unknown, a time has no time zone, `expires_at` is not after `occurred_at`, a
            text contains NUL or lone surrogates, or is blank or too long, or there are too many tags or entities.
    """

    type: MemoryType
    content: MemoryText
    speaker: Label | None = None
    context: Annotated[Text, Field(max_length=MAX_CONTENT_LENGTH)] = ""
    occurred_at: Moment | None = None
    expires_at: Moment | None = None
    session_id: Label | None = None
    source: Label | None = None
    tags: Labels = ()
    entities: Labels = ()
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    pinned: bool = False
    supersedes: UUID | None = None
    attributes: Mapping[str, Any] = Field(default_factory=dict)
    metadata: Metadata = Field(default_factory=dict)
    trust: Trust = "host"
    user_id: UserLabel | None = None

    @model_validator(mode="after")
    def _typed_attributes(self) -> Self:
        known = ATTRIBUTES[self.type]
        for name in self.attributes.keys() - known.model_fields.keys():
            raise InvalidInput(
                f"NewMemory.attributes: a {self.type} has no attribute {name!r}; it has {', '.join(known.model_fields)}"
            )
        try:
            attributes = known.model_validate(dict(self.attributes))
        except InvalidInput as error:
            raise InvalidInput(f"NewMemory.attributes of a {self.type}: {error}") from None
        object.__setattr__(self, "attributes", attributes.model_dump(exclude_none=True))
        return self

    @model_validator(mode="after")
    def _expires_later(self) -> Self:
        if self.occurred_at is not None:
            self.require_expiry_after(self.occurred_at)
        return self

    def require_expiry_after(self, occurred_at: datetime) -> None:
        """Raise InvalidInput if the memory expires before it occurred, or at that time."""
        if self.expires_at is not None and self.expires_at <= occurred_at:
            raise InvalidInput(
                f"NewMemory.expires_at: {self.expires_at.isoformat()} is not after occurred_at, "
                f"{occurred_at.isoformat()}"
            )


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory, with the fields of `NewMemory` and its state.

    `hidden_at` is when the memory ceases to be visible, for the reason `hidden_reason`; both are None for a memory that
    stays visible. The time may lie in the future. `replaced_by` is the memory that superseded it, or into which it was
    merged. `user_id` is None for a shared memory.
    """

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
    replaced_by: UUID | None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    trust: Trust = "host"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None
    hidden_at: datetime | None = None
    hidden_reason: HiddenReason | None = None
    user_id: str | None = None

    @property
    def owner(self) -> str:
        """The user whose rows store the memory, as in `Scope.user_id`."""
        return self.user_id or ""

    def hidden(self, at: datetime) -> bool:
        """Return True if the memory is hidden at a time."""
        return self.hidden_at is not None and self.hidden_at <= at


@dataclass(frozen=True, slots=True)
class Revision:
    """A change of a memory. `number` counts the memory's changes from 1.

    `previous` holds the old values of the fields that were changed at `changed_at`.
    """

    memory_id: UUID
    number: int
    previous: Mapping[str, Any]
    changed_at: datetime
