"""What stands in a text before it is stored: secrets and personal data out of it, by a function that a host hands in.

A text that the function fails on is withheld whole: it was handed in so that such a thing is not stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from brain.types import NewMemory

log = logging.getLogger(__name__)

Redact = Callable[[str], str]  # of any text, the same one for the same; fast, since a turn may wait for it
WITHHELD = "[withheld]"


def unchanged(text: str) -> str:
    """Every text as it is."""
    return text


def safely(redact: Redact | None) -> Redact:
    """The function, or none, as one that never fails: what it fails on is withheld, and the log says so."""
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
