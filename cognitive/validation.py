"""Validate the arguments of the layer's methods; the error message names the argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set, ValuesView
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.errors import InvalidInput, UnknownTurn
from brain.text import unstorable
from brain.types import MAX_LABEL_LENGTH
from brain.users import Scope

_MAX_SHOWN = 60  # characters of a value in a message


def require_id(name: str, value: object) -> UUID:
    """Return a memory's id as a UUID, from a UUID or a text; raise InvalidInput otherwise."""
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError:
        raise InvalidInput(f"{name}: expected a memory's id, got {value!r}") from None


def require_ids(name: str, values: object) -> list[UUID]:
    """Return a sequence of memories' ids as UUIDs, each once; raise InvalidInput for anything else, such as one id."""
    return list(dict.fromkeys(require_id(name, each) for each in require_sequence(name, values, "ids")))


def require_sequence(name: str, values: object, items: str) -> Sequence[Any]:
    """Return a sequence of `items`; raise InvalidInput for anything else, such as a single one of them."""
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        return values
    if isinstance(values, (Set, ValuesView, Iterator)):
        return list(values)
    raise InvalidInput(f"{name}: expected a list of {items}, got {_shown(values)}; pass [{type(values).__name__}, …]")


def require_instance(name: str, value: object, types: type | tuple[type, ...], example: str) -> None:
    """Raise InvalidInput if a value has none of the types. `example` says in the message what to pass."""
    if not isinstance(value, types):
        raise InvalidInput(f"{name}: got {_shown(value)}; pass {example}")


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + '…'}"


def require_label(name: str, value: object, *, max_length: int = MAX_LABEL_LENGTH) -> str:
    """Return the text `value` if it is not blank, not too long and can be stored; raise InvalidInput otherwise."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name}: expected a non-empty string, got {value!r}")
    if len(value) > max_length:
        raise InvalidInput(f"{name}: longer than {max_length} characters")
    reason = unstorable(value)
    if reason is not None:
        raise InvalidInput(f"{name}: contains {reason}")
    return value


def require_aware(name: str, at: datetime | None) -> None:
    """Raise InvalidInput if a datetime has no time zone."""
    if at is not None and at.tzinfo is None:
        raise InvalidInput(f"{name}: expected an aware datetime, got the naive {at.isoformat()}")


def unknown_turn(scope: Scope, turn_id: str) -> UnknownTurn:
    """Return the error for a turn that a view does not have. A missing or wrong user is one of the causes."""
    cause = (
        "was opened without this user; pass the user_id of the turn, and none for a turn without a user"
        if scope.user
        else "has a user; pass the user_id of the turn"
    )
    return UnknownTurn(f"turn_id: {scope} has no turn {turn_id!r}: it was never opened, or {cause}")
