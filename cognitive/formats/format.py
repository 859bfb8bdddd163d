"""The values that the readers of other systems' formats return, and what these readers have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from brain.text import storable
from brain.types import MAX_LABEL_LENGTH, MAX_LABELS, NewMemory
from cognitive.errors import InvalidInput
from cognitive.formats.records import Record
from cognitive.turn import Message

_MILLISECONDS = 10**11  # a time that is a larger number counts milliseconds, not seconds


@dataclass(frozen=True, slots=True)
class Dropped:
    """A record, or a part of one, that is not imported, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """A conversation, whose exchanges are stored as those of turns are."""

    session_id: str
    messages: tuple[Message, ...]


Content = NewMemory | ExportedConversation | Dropped
Read = Iterator[Content]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of record of another system: its name, how to recognise it, and what to import of it.

    `first_keys` are keys with which such a record begins, and other objects do not.
    """

    name: str
    matches: Callable[[Record], bool]
    read: Callable[[Record], Iterable[Content]]
    first_keys: frozenset[str] = frozenset()


def has(*keys: str) -> Callable[[Record], bool]:
    """Return a function that recognises records with all these keys."""
    return lambda record: all(key in record for key in keys)


def dropped(reason: str) -> Callable[[Record], Iterable[Dropped]]:
    """Return a function that drops each record for this reason."""
    return lambda record: (Dropped(reason),)


def memory(content: Any, source: str, *, user_id: Any = None, metadata: Any = None, **fields: Any) -> Read:
    """Yield a memory with the fields of `NewMemory`, and the parts of it that cannot be stored.

    Its type is fact and its trust "foreign", unless `fields` say otherwise. It belongs to the user `user_id`; without
    one it is shared. Tags and entities are shortened to what a memory may have, and metadata that is too large is
    dropped. An id of a user is never shortened, because two users could then become one.
    """
    text = storable(content).strip() if isinstance(content, str) else ""
    if not text:
        yield Dropped("a record without text")
        return
    labels = {name: _labels(fields.pop(name, ())) for name in ("tags", "entities")}
    for name in (name for name, each in labels.items() if len(each) > MAX_LABELS):
        labels[name] = labels[name][:MAX_LABELS]
        yield Dropped(f"{name} above {MAX_LABELS}, of a memory that is kept")
    owner = storable(str(user_id)).strip() or None if user_id is not None else None
    given: dict[str, Any] = {"type": "fact", "trust": "foreign", **labels, **fields}
    given |= {"content": text, "source": label(source), "user_id": owner}
    try:
        imported = NewMemory(**given, metadata=_storable(metadata) if isinstance(metadata, Mapping) else {})
    except InvalidInput as error:
        try:
            imported = NewMemory(**given)
        except InvalidInput:
            yield Dropped(f"a record that cannot be stored: {error}")
            return
        yield Dropped("metadata that cannot be stored, of a memory that is kept")
    yield imported


def moment(*values: Any) -> datetime | None:
    """Return the first of these values that is a time: ISO 8601, or a number of seconds or milliseconds since 1970.

    A time without a zone is in UTC.
    """
    for value in values:
        try:
            if isinstance(value, (int, float)) and value > 0:
                return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
            if isinstance(value, str) and value.strip():
                at = datetime.fromisoformat(value.strip())
                return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def later(at: datetime | None, begin: datetime | None) -> datetime | None:
    """Return `at`, or None if it is not after `begin`."""
    return at if at is not None and begin is not None and at > begin else None


def label(value: Any) -> str:
    """Return a value as a label: the last characters of its text, at most MAX_LABEL_LENGTH; "" for None."""
    return storable(str(value)).strip()[-MAX_LABEL_LENGTH:] if value is not None else ""


def strings(value: Any) -> list[str]:
    """Return all strings in a JSON value, in order, including nested ones."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for each in value for text in strings(each)] if isinstance(value, list) else []


def _labels(names: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(short for name in names if (short := label(name))))


def _storable(value: Any) -> Any:
    """Return a JSON value without empty members, and with texts that Postgres can store."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): _storable(each) for name, each in value.items() if each not in (None, "", [], {})}
    return [_storable(each) for each in value] if isinstance(value, list) else value
