"""Blocking twins of asynchronous methods, with the same parameters, result and errors for type checkers.

class BlockingSessions(Namespace):
resume = waits(SessionsApi.resume)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from brain.postgres import event_loop

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class Namespace:
    """An object of the layer, called from threads other than that of the layer's event loop."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the layer's event loop, and return its result.

        Raises:
            WrongEventLoop: called in the thread of the layer's event loop, or after the layer was closed.
        """
        return event_loop.wait_in(self._loop, work)


class Method(Generic[P, T]):
    """A method that calls the method of the same name of the layer in the layer's event loop, and waits.

    `call` runs the layer's method, and returns what the caller gets.
    """

    def __init__(self, method: Callable[..., Any], call: Callable[..., T]) -> None:
        self.__doc__ = method.__doc__
        self._method = method
        self._call = call

    @overload
    def __get__(self, instance: None, owner: Any) -> Method[P, T]: ...
    @overload
    def __get__(self, instance: Namespace, owner: Any) -> Callable[P, T]: ...
    def __get__(self, instance: Namespace | None, owner: Any) -> Method[P, T] | Callable[P, T]:
        if instance is None:
            return self

        @wraps(self._method)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return self._call(instance, getattr(instance._target, self._method.__name__), *args, **kwargs)

        return call


def waits(method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]]) -> Method[P, T]:
    """Make the blocking twin of an asynchronous method."""
    return Method(method, lambda instance, bound, *args, **kwargs: instance.wait(bound(*args, **kwargs)))


def runs(method: Callable[Concatenate[S, P], T]) -> Method[P, T]:
    """Make the blocking twin of a method that is no coroutine, but must run in the thread of the event loop."""

    def call(instance: Namespace, bound: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        async def work() -> T:
            return bound(*args, **kwargs)

        return instance.wait(work())

    return Method(method, call)


def iterates(method: Callable[Concatenate[S, P], AsyncIterator[T]]) -> Method[P, Iterator[T]]:
    """Make the blocking twin of a method that yields its results."""

    def call(instance: Namespace, bound: Callable[..., AsyncIterator[T]], *args: Any, **kwargs: Any) -> Iterator[T]:
        results, end = bound(*args, **kwargs), object()

        async def following() -> Any:
            return await anext(results, end)

        while (result := instance.wait(following())) is not end:
            yield result

    return Method(method, call)
