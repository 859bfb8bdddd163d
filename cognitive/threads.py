"""Run work on texts beside the event loop if the texts are long; short ones take less time than a thread does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from math import inf
from typing import Any, TypeVar

T = TypeVar("T")

_MAX_AT_ONCE = 8_000  # characters


def characters(texts: Iterable[str], calls: Collection[Any] = ()) -> float:
    """Return the number of characters of texts; infinity with tool calls, whose results may have any size."""
    return inf if calls else sum(map(len, texts))


async def in_thread_if_long(size: float, work: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Return the result of `work`; run it in a thread if its arguments have more than 8,000 characters of text."""
    if size <= _MAX_AT_ONCE:
        return work(*arguments, **named)
    return await asyncio.to_thread(work, *arguments, **named)
