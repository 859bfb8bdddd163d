"""Redaction: a function of the host removes secrets and personal data from every text before it is stored.

If the function fails on a text, "[withheld]" is stored instead, since the text may contain what must not be stored. The
function runs in threads, because on the event loop it would delay other turns.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from brain.text import unstorable
from brain.types import NewMemory

log = logging.getLogger(__name__)

T = TypeVar("T")

Redact = Callable[[str], str]  # returns the redacted text; deterministic, and called from any thread
WITHHELD = "[withheld]"
# The fields of a memory that are redacted; the others are identifiers, numbers and times.
REDACTED_FIELDS = ("content", "context", "speaker", "tags", "entities", "attributes", "metadata")
_THREADS = 2  # per pool; with more, the event loop would wait longer for the interpreter


def unchanged(text: str) -> str:
    """Return the text unchanged."""
    return text


def withheld(text: str) -> str:
    """Return "[withheld]" for any text except an empty one, which is returned unchanged."""
    return WITHHELD if text else text


def _safely(redact: Redact | None) -> Redact:
    """Return a function that never fails: instead it logs the failure of `redact` and returns "[withheld]".

    It also returns "[withheld]" if `redact` returns no text, a blank one for a text that is not blank, or one that
    Postgres cannot store for one that it can.
    """
    if redact is None:
        return unchanged

    def redacted(text: str) -> str:
        if not text:
            return text
        try:
            result = redact(text)
        except Exception as error:  # the host's function may raise anything
            log.error("the redactor failed with %s; the text is stored as '[withheld]'", type(error).__name__)
            return WITHHELD
        if not isinstance(result, str) or (text.strip() and not result.strip()):
            return WITHHELD
        return WITHHELD if unstorable(result) and not unstorable(text) else result

    return redacted


class Redactor:
    """The host's redaction function, run in threads because it may be slow or hang.

    Turns and all other work have separate thread pools. A turn's message therefore does not wait for a batch of
    memories, and a call that hangs blocks only its own pool. Without a function, texts are returned unchanged.
    """

    def __init__(self, redact: Redact | None = None) -> None:
        self._redact = _safely(redact)
        self._turns, self._rest = (ThreadPoolExecutor(_THREADS, f"redactor-{pool}") for pool in ("turns", "rest"))

    async def run(self, work: Callable[[Redact], T], *, turn: bool = False) -> T:
        """Call `work` with the redaction function in a thread, and return the result of `work`.

        There is no timeout, but a cancelled caller stops waiting. With `turn`, the call uses the thread pool of turns.
        """
        if self._redact is unchanged:
            return work(unchanged)
        pool = self._turns if turn else self._rest
        return await asyncio.wrap_future(pool.submit(work, self._redact))

    async def text(self, text: str) -> str:
        """Return the redacted form of a text."""
        return await self.run(lambda redact: redact(text))

    def close(self) -> None:
        """Shut the thread pools down without waiting for running calls."""
        for pool in (self._turns, self._rest):
            pool.shutdown(wait=False, cancel_futures=True)


UNREDACTED = Redactor()


def memory(new: NewMemory, redact: Redact) -> NewMemory:
    """Return a memory with its texts redacted; its source, session and times stay unchanged."""
    if redact is unchanged:
        return new
    changed: dict[str, Any] = {name: redact(getattr(new, name)) for name in ("content", "context")}
    changed |= {name: tuple(map(redact, getattr(new, name))) for name in ("tags", "entities")}
    speaker = redact(new.speaker) if new.speaker is not None else None
    changed |= {name: field(name, getattr(new, name), redact) for name in ("attributes", "metadata")}
    return new.model_copy(update={**changed, "speaker": speaker})


def field(name: str, original: Any, redact: Redact) -> Any:
    """Return the value of a memory's field redacted. The names of attributes stay: the memory's type defines them."""
    if name == "attributes" and isinstance(original, Mapping):
        return {attribute: value(each, redact) for attribute, each in original.items()}
    return value(original, redact)


def value(original: Any, redact: Redact) -> Any:
    """Return a JSON value with every text in it redacted, also the keys of objects; equal keys are numbered."""
    return _value(original, redact, cache(redact))


def _value(original: Any, redact: Redact, redact_key: Redact) -> Any:
    if isinstance(original, str):
        return redact(original)
    if isinstance(original, Mapping):
        keys = _numbered([redact_key(key) if isinstance(key, str) else key for key in original])
        return {key: _value(each, redact, redact_key) for key, each in zip(keys, original.values(), strict=True)}
    if isinstance(original, (list, tuple)):
        return [_value(each, redact, redact_key) for each in original]
    return original


def _numbered(keys: Sequence[Any]) -> Iterator[Any]:
    """Yield keys with a number after each that occurred before: two "[mail address]" are no single entry."""
    seen = Counter[Any]()
    for key in keys:
        seen[key] += 1
        yield key if seen[key] == 1 else f"{key} {seen[key]}"
