"""Run work on texts beside the event loop if the texts are long; short ones take less time than the thread does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_MAX_AT_ONCE = 8_000  # characters


async def run(characters: int, work: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Return the result of `work`; run it in a thread if its arguments have many `characters` of text."""
    if characters <= _MAX_AT_ONCE:
        return work(*arguments, **named)
    return await asyncio.to_thread(work, *arguments, **named)
