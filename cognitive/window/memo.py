"""Values computed for long texts, kept for a while by digest: the same outputs come with every turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

from brain.caches import emptied_by

T = TypeVar("T")


class Memo(Generic[T]):
    """The values used last, up to `most` of weight in all. Safe between threads; a value may be computed twice."""

    def __init__(self, most: int, weight: Callable[[T], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._held = 0
        self._values: OrderedDict[bytes, T] = OrderedDict()
        self._lock = Lock()
        emptied_by(self.clear)

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


def key(*parts: str) -> bytes:
    """A key of sixteen bytes for these texts."""
    state = blake2b(digest_size=16)
    for part in parts:
        piece = part.encode("utf-8", "surrogatepass")
        state.update(b"%d\0" % len(piece))
        state.update(piece)
    return state.digest()
