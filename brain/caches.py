"""Caches of texts in this process, which are emptied after an erasure.

Every cache that holds text must be made here, so that the function `empty` reaches it. A cache may be emptied at any
moment.
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

_clear_functions: list[Callable[[], object]] = []


def cached(max_results: int) -> Callable[[F], F]:
    """Return a decorator that caches the last `max_results` results of a pure function until `empty` is called."""

    def decorate(function: F) -> F:
        wrapped = lru_cache(maxsize=max_results)(function)
        emptied_by(wrapped.cache_clear)
        return wrapped  # type: ignore[return-value]

    return decorate


def emptied_by(clear: Callable[[], object]) -> None:
    """Register a function that empties a cache of texts, so that `empty` calls it too.

    It stays registered for the lifetime of the process.
    """
    _clear_functions.append(clear)


def empty() -> None:
    """Empty every cache of texts in this process."""
    for clear in _clear_functions:
        clear()
    for cache in list(_text_caches):
        cache.clear()


class TextCache(Generic[T]):
    """A thread-safe LRU cache for values derived from texts, which is emptied after an erasure.

    `weight` returns the weight of a value, 1 by default. The oldest values are removed when all values together weigh
    more than `max_weight`. Two threads that miss a value at once may both compute it.
    """

    def __init__(self, max_weight: int, weight: Callable[[T], int] = lambda _: 1) -> None:
        self._max_weight = max_weight
        self._weight = weight
        self._total = 0
        self._values: OrderedDict[bytes, T] = OrderedDict()
        self._lock = Lock()
        _text_caches.add(self)

    def clear(self) -> None:
        """Remove all values from the cache."""
        with self._lock:
            self._values.clear()
            self._total = 0

    def get(self, key: bytes, make: Callable[[], T]) -> T:
        """Return the cached value of a key. If it is missing, call `make`, store its result and return it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._total += self._weight(value)
            while self._total > self._max_weight and len(self._values) > 1:
                self._total -= self._weight(self._values.popitem(last=False)[1])
        return value

    def __len__(self) -> int:
        return len(self._values)


_text_caches: WeakSet[TextCache[Any]] = WeakSet()


def key(*parts: str) -> bytes:
    """Return a 16-byte hash of a sequence of texts, for use as a cache key."""
    state = blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(b"%d\0" % len(encoded))
        state.update(encoded)
    return state.digest()
