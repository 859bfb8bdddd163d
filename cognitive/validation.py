"""Validate the arguments of the layer's methods; the error message names the argument."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Sequence, Set, ValuesView
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import wraps
from inspect import signature
from types import TracebackType
from typing import Any, NoReturn, ParamSpec, TypeVar
from uuid import UUID

from brain.errors import InvalidInput, UnknownTurn
from brain.text import unstorable
from brain.types import MAX_LABEL_LENGTH, TRUSTS
from brain.users import Scope

P = ParamSpec("P")
T = TypeVar("T")

_MAX_SHOWN = 60  # characters of a value in a message


def require_id(name: str, value: object) -> UUID:
    """Return a memory's id as a UUID, from a UUID or a text; raise InvalidInput otherwise."""
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError:
        got = repr(value) if isinstance(value, str) else _shown(value)
        raise InvalidInput(f"{name}: expected a memory's id, got {got}") from None


def require_ids(name: str, values: object) -> list[UUID]:
    """Return a sequence of memories' ids as UUIDs, each once; raise InvalidInput for anything else, such as one id."""
    return list(dict.fromkeys(require_id(name, each) for each in require_sequence(name, values, "ids")))


def require_sequence(name: str, values: object, items: str) -> Sequence[Any]:
    """Return a sequence of `items`; raise InvalidInput for anything else, such as a single one of them."""
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        return values
    if isinstance(values, (Set, ValuesView, Iterator)):
        return list(values)
    item = items.removesuffix(" values") if items.endswith(" values") else type(values).__name__
    raise InvalidInput(f"{name}: expected a list of {items}, got {_shown(values)}; pass [{item}, …]")


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
    """Raise InvalidInput for anything else than a datetime with a time zone, or None."""
    if at is None:
        return
    require_instance(name, at, datetime, "datetime.now(UTC), or another datetime with a time zone")
    if at.tzinfo is None:
        raise InvalidInput(f"{name}: expected an aware datetime, got the naive {at.isoformat()}")


def require_trust(name: str, value: object) -> None:
    """Raise InvalidInput if a value is no level of trust."""
    if value not in TRUSTS:
        raise InvalidInput(f"{name}: expected one of {', '.join(TRUSTS)}, got {_shown(value)}")


def unknown_turn(scope: Scope, turn_id: str) -> UnknownTurn:
    """Return the error for a turn that a view does not have. A missing or wrong user is one of the causes."""
    cause = (
        "was opened without this user; pass the user_id of the turn, and none for a turn without a user"
        if scope.user
        else "has a user; pass the user_id of the turn"
    )
    return UnknownTurn(f"turn_id: {scope} has no turn {turn_id!r}: it was never opened, or {cause}")


def called_as(example: str) -> Callable[[Callable[P, Coroutine[Any, Any, T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Return a decorator for methods: arguments that do not fit raise InvalidInput, which shows a call that does."""

    def decorate(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        @wraps(method)
        async def call(*args: P.args, **named: P.kwargs) -> T:
            try:
                return await method(*args, **named)
            except TypeError:
                try:
                    signature(method).bind(*args, **named)
                except TypeError as misfit:
                    raise InvalidInput(f"{method.__name__}: {misfit}; call {example}") from None
                raise

        return call

    return decorate


def async_with(
    how: str, synchronous: str
) -> Callable[[Callable[P, AsyncIterator[T]]], Callable[P, AbstractAsyncContextManager[T]]]:
    """Return a decorator like `asynccontextmanager`, whose result explains every other use than `async with`.

    `how` is the statement to write, and `synchronous` the one for code without an event loop.
    """

    def decorate(function: Callable[P, AsyncIterator[T]]) -> Callable[P, AbstractAsyncContextManager[T]]:
        manager = asynccontextmanager(function)

        @wraps(function)
        def opening(*args: P.args, **named: P.kwargs) -> AbstractAsyncContextManager[T]:
            return _Unopened(manager(*args, **named), how, synchronous)

        return opening

    return decorate


class _Unopened(AbstractAsyncContextManager[T]):
    """A context manager that is not entered yet: any use but `async with` raises an error that says what to write."""

    def __init__(self, manager: AbstractAsyncContextManager[T], how: str, synchronous: str) -> None:
        self._manager = manager
        self._how = how
        self._synchronous = synchronous

    async def __aenter__(self) -> T:
        return await self._manager.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._manager.__aexit__(kind, error, trace)

    def __await__(self) -> Generator[Any, Any, NoReturn]:
        stack = self._how.removeprefix("async with ").partition(" as ")[0]
        raise TypeError(
            f"write `{self._how}:`; to keep it open beyond a block, write"
            f" `await AsyncExitStack().enter_async_context({stack})`, and close the stack at the end"
        )

    def __enter__(self) -> NoReturn:
        raise TypeError(f"write `{self._how}:`, or `{self._synchronous}:` in synchronous code")

    def __exit__(self, *_: object) -> None:
        """Do nothing; Python looks the method up before it calls `__enter__`."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name!r}: it is not open yet; write `{self._how}:`")
