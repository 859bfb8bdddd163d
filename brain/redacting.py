"""Redaction: secrets and personal data are taken out of every text before it is stored, by a host's own function.

A text that the function fails on is withheld whole, since it may hold what must not be stored. The function never runs
on the event loop, where other turns would wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from brain.types import NewMemory

log = logging.getLogger(__name__)

T = TypeVar("T")

Redact = Callable[[str], str]  # of any text, the same one for the same, in any thread
WITHHELD = "[withheld]"
REDACTED_FIELDS = (
    "content",
    "context",
    "speaker",
    "tags",
    "entities",
    "attributes",
)  # of a memory's fields; the others name
_AT_ONCE = 2  # texts of a lane; more would only take the interpreter from the event loop


def unchanged(text: str) -> str:
    """Every text as it is."""
    return text


def withheld(text: str) -> str:
    """Nothing of a text but that there was one."""
    return WITHHELD if text else text


def _safely(redact: Redact | None) -> Redact:
    """The function as one that never fails: a text that it fails on is withheld, and the log says so."""
    if redact is None:
        return unchanged

    def redacted(text: str) -> str:
        if not text:
            return text
        try:
            told = redact(text)
        except Exception as error:  # it is the host's, and may raise anything
            log.error("a text is withheld, since the redactor failed on it: %s", type(error).__name__)
            return WITHHELD
        return told if isinstance(told, str) and (told.strip() or not text.strip()) else WITHHELD

    return redacted


class Redactor:
    """A host's function, which may be slow and may hang, on threads of its own.

    There are two lanes, so that a turn's message does not wait behind a batch of memories, and no lane waits for a call
    that hangs in the other. Without a function nothing is redacted, at no cost.
    """

    def __init__(self, redact: Redact | None = None) -> None:
        self._redact = _safely(redact)
        self._turns, self._rest = (ThreadPoolExecutor(_AT_ONCE, f"redactor-{lane}") for lane in ("turns", "rest"))

    async def run(self, work: Callable[[Redact], T], *, turn: bool = False) -> T:
        """What `work` makes with the function, however long that takes; a caller who is cancelled does not wait. With
        `turn` it runs in the lane of the turns.
        """
        if self._redact is unchanged:
            return work(unchanged)
        lane = self._turns if turn else self._rest
        return await asyncio.wrap_future(lane.submit(work, self._redact))

    async def text(self, text: str) -> str:
        """A text as it may be stored."""
        return await self.run(lambda redact: redact(text))

    def close(self) -> None:
        """Lets go of the threads; what they are still doing is not waited for."""
        for lane in (self._turns, self._rest):
            lane.shutdown(wait=False, cancel_futures=True)


UNREDACTED = Redactor()


def memory(new: NewMemory, redact: Redact) -> NewMemory:
    """A memory with all that it says redacted; its source, session and times are names, and stay."""
    if redact is unchanged:
        return new
    changed: dict[str, Any] = {name: redact(getattr(new, name)) for name in ("content", "context")}
    changed |= {name: tuple(map(redact, getattr(new, name))) for name in ("tags", "entities")}
    speaker = redact(new.speaker) if new.speaker is not None else None
    return new.model_copy(update={**changed, "speaker": speaker, "attributes": value(new.attributes, redact)})


def value(given: Any, redact: Redact) -> Any:
    """A value as JSON can hold it with every text in it redacted, names of fields excepted."""
    if isinstance(given, str):
        return redact(given)
    if isinstance(given, Mapping):
        return {name: value(each, redact) for name, each in given.items()}
    if isinstance(given, (list, tuple)):
        return [value(each, redact) for each in given]
    return given
