"""The values of the upkeep lists, and the cursors that continue them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain.types import Memory
from cognitive.errors import InvalidInput

MAX_PAGE = 200  # items of a page
_CURSOR = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class MemoryPair:
    """Two memories that say the same or contradict each other, the older one first.

    `score` is from 0 to 1; it orders the pairs of a list. `reason` is a sentence for the reader.
    """

    older: Memory
    newer: Memory
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class PairPage:
    """A page of pairs. `next` continues the list, or is None at its end. `compared` is how many memories were compared.

    A page may have fewer pairs than asked for, even none, although `next` is set.
    """

    items: tuple[MemoryPair, ...]
    next: str | None
    compared: int


@dataclass(frozen=True, slots=True)
class StaleMemory:
    """A memory that turns show without use, or no longer use; `reason` is a sentence for the reader."""

    memory: Memory
    reason: str


@dataclass(frozen=True, slots=True)
class StalePage:
    """A page of stale memories. `next` continues the list, or is None at its end."""

    items: tuple[StaleMemory, ...]
    next: str | None


def offset_of(after: str | None) -> int:
    """Return the position at which a page begins.

    Raises:
        InvalidInput: `after` is not the `next` of a page.
    """
    if after is None:
        return 0
    if not isinstance(after, str) or _CURSOR.fullmatch(after) is None:
        raise InvalidInput(f"after: expected the `next` of a page, got {after!r}")
    return int(after)


def require_page(limit: object) -> int:
    """Return the size of a page; raise InvalidInput unless it is 1 to 200."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"limit: expected 1 to {MAX_PAGE}, got {limit!r}")
    return limit
