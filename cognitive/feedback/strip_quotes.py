"""Remove quotations from a response, because quoted text is no evidence that the model used a memory.

Quotations are memory blocks that the model repeats, and runs of words from tool results or the user's message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from brain.text import normalise, word_spans
from cognitive.prompt import TAGS, without_injected

# Minimum length of a quotation: words in a row, or characters in scripts without spaces. Measured on responses about
# hotels and encyclopedia articles against 100,000 words on the same subjects that they did not quote: the share of
# their words in common runs was 3.0 % for runs of five words, 1.1 % for six, and 0 for seven.
MIN_QUOTED = 7
_MAX_READ = 200_000  # maximum number of values that are read of a tool's result

# A model that repeats a block may omit its seal or a line, so the tags suffice here. The quantifiers are possessive and
# stop at another tag of the same kind, so that the time is linear even if many blocks are not closed.
_BLOCK = re.compile(
    "|".join(rf"{opening}(?:[^<]++|<(?!{opening[1:]}|{closing[1:]}))*+{closing}" for opening, closing in TAGS)
)
_QUOTED = r'"(?:[^"\\\n]++|\\.)*+"'
_RECORD = re.compile(
    rf"^[ \t>]*- \d{{4}}-\d{{2}}-\d{{2}} {_QUOTED}(?: \(excerpt\))?(?: from {_QUOTED})?[ \t]*$", re.MULTILINE
)


def own_words(response: str, *, quoted: Sequence[str], recalled: Sequence[str] = ()) -> str:
    """Return the response without memory blocks, memory lines, and quotations from the `quoted` texts.

    A quotation is a run of at least MIN_QUOTED equal words; white space, punctuation and case are ignored. Text of a
    `recalled` memory, or of a memory block within a quoted text, is kept: a tool returned it, but quoting it means
    using the memory. The time is linear in the length of all texts together.
    """
    own = _RECORD.sub("", _BLOCK.sub("\n", response))
    spans = list(word_spans(own))
    words = _words(own, spans)
    places = _quoted_places(words, map(without_injected, quoted))
    return _without(own, spans, places - _quoted_places(words, recalled) if places else places)


def texts(result: Any) -> list[str]:
    """Return all strings in a tool's result, at any depth, in no particular order.

    A string that is a JSON object or array is parsed, and its strings are returned. A value that occurs several times,
    or contains itself, is read once. At most `_MAX_READ` values are read. Iterators are not read, because the host
    could not read them again.
    """
    strings: list[str] = []
    pending, seen = [result], dict[int, Any]()
    for _ in range(_MAX_READ):
        if not pending:
            break
        value = pending.pop()
        if isinstance(value, str):
            parsed = _json(value)
            (strings if parsed is None else pending).append(value if parsed is None else parsed)
        elif id(value) not in seen and (parts := _parts(value, _MAX_READ - len(pending))):
            seen[id(value)] = value  # kept, so that no other value gets its id
            pending.extend(parts)
    return strings


def _parts(value: Any, limit: int) -> list[Any]:
    """Return at most `limit` elements of a value in a tool's result; none if it has none or cannot be iterated."""
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray | Iterator):
        return []
    try:
        return list(islice(value.values() if isinstance(value, Mapping) else value, limit))
    except Exception:  # foreign code, which may raise anything
        return []


def _json(text: str) -> Any:
    """Return the parsed value of a text that is a JSON object or array, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _quoted_places(words: Sequence[str], texts: Iterable[str]) -> Set[int]:
    """Return the indexes of the words that are part of a quotation.

    A quotation is a run of at least MIN_QUOTED words that one of `texts` contains too.
    """
    own = list(_runs(words))
    if not own:
        return set()
    distinct = set(own)
    quoted = {run for text in texts for run in distinct.intersection(_runs(_words(text, word_spans(text))))}
    return {place + n for place, run in enumerate(own) if run in quoted for n in range(MIN_QUOTED)}


def _words(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return the normalised words at these [start, end) spans of a text."""
    written = [text[start:end] for start, end in spans]
    normal = {word: normalise(word) for word in set(written)}
    return [normal[word] for word in written]


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Return each run of MIN_QUOTED consecutive words."""
    return zip(*(words[n:] for n in range(MIN_QUOTED)), strict=False)


def _without(text: str, spans: Sequence[tuple[int, int]], places: Set[int]) -> str:
    """Return a text without the words whose indexes are in `places`, and without the characters between two such words.

    `spans` are the [start, end) offsets of all words of the text.
    """
    parts, position = [], 0
    for place in sorted(places):
        start, end = spans[place]
        if place - 1 not in places:
            parts.append(text[position:start])
        position = end
    return "\n".join([*parts, text[position:]])
