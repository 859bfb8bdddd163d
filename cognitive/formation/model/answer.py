"""Read a model's answer: JSON, alone or within other text, as an object or as a list of entries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cognitive.errors import CognitiveError

_MAX_ANSWER = 100_000  # characters that are read
_MAX_TRIED = 50  # brackets at which JSON may begin
_LISTS = ("memories", "additions", "add", "facts", "entries")  # names that models give to the list
_NOTHING = frozenset({"", "none", "nothing", "null", "n/a", "no memories"})


class UnreadableAnswer(CognitiveError):
    """The model's answer has no JSON of the requested form."""


def entries(answer: str) -> list[Mapping[str, Any]]:
    """Return the entries of a model's answer, unchecked; an empty list if it says that there is nothing.

    Raises:
        UnreadableAnswer: the answer has no list of entries.
    """
    if not isinstance(answer, str):
        raise UnreadableAnswer(f"the model returned {type(answer).__name__}, expected text")
    if answer.strip("`. \n").lower() in _NOTHING:
        return []
    for value in _values(answer[:_MAX_ANSWER]):
        found = _listed(value)
        if found is not None:
            return [each for each in found if isinstance(each, dict)]
    raise UnreadableAnswer(f"no list of memories in the answer: {answer[:80]!r}")


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values that begin at a bracket, the outermost first."""
    decoder, start, tried = json.JSONDecoder(), 0, 0
    while tried < _MAX_TRIED:
        places = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
        if not places:
            return
        start, tried = min(places), tried + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        yield value
        start = end


def _listed(value: Any) -> list[Any] | None:
    """Return the list of entries in a JSON value, or None if it has none."""
    if isinstance(value, list):
        return value if all(isinstance(each, dict) for each in value) else None
    for name in _LISTS:
        if isinstance(value.get(name), list):
            return list(value[name])
    return [value] if "text" in value else None
