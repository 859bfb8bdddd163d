"""What this process keeps of texts between turns, so that an erasure can empty it.

A cache of texts is made here and nowhere else: it saves time, holds no truth, and may be emptied at any moment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_emptied: list[Callable[[], object]] = []


def cached(most: int) -> Callable[[F], F]:
    """Keeps a pure function's last results, at most so many; `empty` lets go of them."""

    def decorate(function: F) -> F:
        kept = lru_cache(maxsize=most)(function)
        emptied_by(kept.cache_clear)
        return kept  # type: ignore[return-value]

    return decorate


def emptied_by(clear: Callable[[], object]) -> None:
    """Names a function that empties a cache of this process, for as long as that lives."""
    _emptied.append(clear)


def empty() -> None:
    """Empties every cache of texts in this process. What is asked for again is computed again."""
    for clear in _emptied:
        clear()
