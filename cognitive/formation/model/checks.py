"""Keep the entries of a model's answer that are allowed, and say why the others are not.

A model may only form memories of the requested kinds, of what the exchanges say in the words that it quotes, and may
only replace memories that it was shown. Trust is never its to choose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal
from uuid import UUID

from brain.text import unstorable
from cognitive.formation.memories import memory_type
from cognitive.formation.model.prompt import MAX_ENTRIES, MAX_TEXT, Exchange, Nearby, handle
from cognitive.policy.outcomes import FormationKind as Kind

Role = Literal["user", "assistant"]
Rejection = Literal["kind", "text", "quote", "replaces", "date", "repeated", "too_many"]

_OWN = frozenset({"preference", "instruction"})  # only the user may state them
_MIN_QUOTE = 3  # words, unless the whole line is shorter
_MAX_QUOTE = 600  # characters; more is no quotation that states one thing
_GIVEN = re.compile(r"(?s)```.*?(?:```|\Z)|(?m:^[ \t]*>.*$)|[\"“][^\"”\n]*[\"”]")  # code and quotations


@dataclass(frozen=True, slots=True)
class FormedByModel:
    """A memory that a model formed: its kind and text, the words that state it and whose they are.

    `exchange` is the position of the exchange with these words, from 0; `replaces` is the memory that it replaces.
    """

    kind: Kind
    text: str
    quote: str
    exchange: int
    line: Role
    replaces: UUID | None = None
    day: date | None = None


def allowed(
    entries: Sequence[Mapping[str, Any]], exchanges: Sequence[Exchange], nearby: Sequence[Nearby], kinds: Sequence[Kind]
) -> tuple[list[FormedByModel], list[Rejection]]:
    """Return the entries that are allowed as memories, and for each of the others why it is not."""
    shown = {handle(n): each for n, each in enumerate(nearby)}
    formed: list[FormedByModel] = []
    rejected: list[Rejection] = []
    counts = Counter[int]()
    for entry in entries:
        checked = _checked(entry, exchanges, shown, kinds)
        if isinstance(checked, str):
            rejected.append(checked)
        elif any(_same(checked, each) for each in formed) or _is_known(checked, nearby):
            rejected.append("repeated")
        elif counts[checked.exchange] == MAX_ENTRIES:
            rejected.append("too_many")
        else:
            counts[checked.exchange] += 1
            formed.append(checked)
    return formed, rejected


def _checked(
    entry: Mapping[str, Any], exchanges: Sequence[Exchange], shown: Mapping[str, Nearby], kinds: Sequence[Kind]
) -> FormedByModel | Rejection:
    """Return an entry as a memory, or the first reason against it."""
    kind = next((each for each in kinds if each == entry.get("kind")), None)
    if kind is None:
        return "kind"
    text = _words(entry.get("text"))
    if not 0 < len(text) <= MAX_TEXT or unstorable(text) is not None:
        return "text"
    quote = _words(entry.get("quote"))
    place = _place(quote, kind, exchanges)
    if place is None:
        return "quote"
    replaced = shown.get(str(entry["replaces"])) if entry.get("replaces") is not None else None
    if entry.get("replaces") is not None and (replaced is None or place[1] != "user"):
        return "replaces"
    if replaced is not None and replaced.type != memory_type(kind):  # "The trip is cancelled", a fact, replaces a plan
        kind = next((each for each in kinds if memory_type(each) == replaced.type and each not in _OWN), None)
        if kind is None:
            return "replaces"
    try:
        day = date.fromisoformat(entry["date"]) if entry.get("date") is not None else None
    except (TypeError, ValueError):
        return "date"
    return FormedByModel(kind, text, quote, *place, replaced.id if replaced else None, day)


def _place(quote: str, kind: Kind, exchanges: Sequence[Exchange]) -> tuple[int, Role] | None:
    """Return the latest exchange that has the quotation word for word, and whose line it is, or None.

    Preferences and instructions must be the user's own. Words within code or quotation marks are not the user's own.
    """
    if not 0 < len(quote) <= _MAX_QUOTE:
        return None
    for n, exchange in reversed(list(enumerate(exchanges))):
        own = _GIVEN.sub(" | ", exchange.message) if kind in _OWN else exchange.message
        if _has(_words(own), quote):
            return n, "user"
        if kind not in _OWN and _has(_words(exchange.response), quote):
            return n, "assistant"
    return None


def _has(line: str, quote: str) -> bool:
    """Return True if a line has a quotation of at least three words, or is the quotation."""
    enough = len(quote.split()) >= _MIN_QUOTE or quote == line
    return enough and re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", line) is not None


def _words(value: Any) -> str:
    """Return a text with single spaces, and "" for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def _same(one: FormedByModel, other: FormedByModel) -> bool:
    return one.text.casefold() == other.text.casefold() or (one.replaces is not None and one.replaces == other.replaces)


def _is_known(formed: FormedByModel, nearby: Sequence[Nearby]) -> bool:
    """Return True if a memory that was shown says this in the same words, as that of a rule from the same line."""
    said = {formed.text.casefold().rstrip("."), formed.quote.casefold().rstrip(".")}
    return any(_words(each.text).casefold().rstrip(".") in said for each in nearby)
