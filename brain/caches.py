"""What this process keeps of texts between turns, so that an erasure can empty it.

A cache of texts is made here and nowhere else: it saves time, holds no truth, and may be emptied at any moment.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

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
    for cache in list(_text_caches):
        cache.clear()


class TextCache(Generic[T]):
    """The values used last, up to `most` of weight in all. Safe between threads; a value may be computed twice.

    An erasure empties it for as long as it lives, whoever owns it.
    """

    def __init__(self, most: int, weight: Callable[[T], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._held = 0
        self._values: OrderedDict[bytes, T] = OrderedDict()
        self._lock = Lock()
        _text_caches.add(self)

    def clear(self) -> None:
        """Lets go of all values."""
        with self._lock:
            self._values.clear()
            self._held = 0

    def get(self, key: bytes, make: Callable[[], T]) -> T:
        """The value of a key, made if it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._held += self._weight(value)
            while self._held > self._most and len(self._values) > 1:
                self._held -= self._weight(self._values.popitem(last=False)[1])
        return value

    def __len__(self) -> int:
        return len(self._values)


_text_caches: WeakSet[TextCache[Any]] = WeakSet()


def key(*parts: str) -> bytes:
    """A key of sixteen bytes for these texts."""
    state = blake2b(digest_size=16)
    for part in parts:
        piece = part.encode("utf-8", "surrogatepass")
        state.update(b"%d\0" % len(piece))
        state.update(piece)
    return state.digest()
