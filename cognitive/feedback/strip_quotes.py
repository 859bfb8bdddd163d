"""What of a response the model wrote itself: our own block and what it quotes from tools prove no use of a memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from brain.text import normalise, word_spans
from cognitive.prompt import TAGS, without_injected

# Words in a row that make a quotation (in unspaced scripts characters). Responses about hotels and encyclopedia
# articles had 3.0 % of their words in runs of five in common with 100,000 words on the same subjects that they did not
# quote, 1.1 % in runs of six, none in runs of seven.
MIN_QUOTED = 7
_MAX_READ = 200_000  # parts of a tool's result

# A model that repeats a block may leave its seal or a line out, so here the tags suffice.
# Possessive, and never past another tag of its kind: the time stays linear however many are left open.
_BLOCK = re.compile(
    "|".join(rf"{opening}(?:[^<]++|<(?!{opening[1:]}|{closing[1:]}))*+{closing}" for opening, closing in TAGS)
)
_QUOTED = r'"(?:[^"\\\n]++|\\.)*+"'
_RECORD = re.compile(
    rf"^[ \t>]*- \d{{4}}-\d{{2}}-\d{{2}} {_QUOTED}(?: \(excerpt\))?(?: from {_QUOTED})?[ \t]*$", re.MULTILINE
)


def own_words(response: str, *, quoted: Sequence[str], recalled: Sequence[str] = ()) -> str:
    """The response without our rendered records and without what stands word by word in one of the `quoted` texts.

    White space, punctuation and case do not count; MIN_QUOTED words in a row make a quotation. What stands in one of
    the `recalled` texts stays, and so does what stands in a block of ours within a quoted text: these are a tool's
    output too, but quoting them is using a memory. Linear in the lengths of all texts together.
    """
    own = _RECORD.sub("", _BLOCK.sub("\n", response))
    spans = list(word_spans(own))
    words = _words(own, spans)
    standing = _standing(words, map(without_injected, quoted))
    return _without(own, spans, standing - _standing(words, recalled) if standing else standing)


def texts(result: Any) -> list[str]:
    """The texts in a tool's result, at whatever depth, in no order; a text that is JSON is read as such.

    A value that stands in several places, or holds itself, is read once; of an endless one, the first `_MAX_READ`
    parts are. What can be read only once is the host's to read.
    """
    found: list[str] = []
    pending, met = [result], dict[int, Any]()
    for _ in range(_MAX_READ):
        if not pending:
            break
        value = pending.pop()
        if isinstance(value, str):
            read = _json(value)
            (found if read is None else pending).append(value if read is None else read)
        elif id(value) not in met and (parts := _parts(value, _MAX_READ - len(pending))):
            met[id(value)] = value  # held, so that its id stays its own
            pending.extend(parts)
    return found


def _parts(value: Any, most: int) -> list[Any]:
    """What a foreign value holds, if anything, and if it lets itself be read."""
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray | Iterator):
        return []
    try:
        return list(islice(value.values() if isinstance(value, Mapping) else value, most))
    except Exception:  # foreign code, which may raise anything
        return []


def _json(text: str) -> Any:
    """What a text that holds a JSON object or array says, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _standing(words: Sequence[str], texts: Iterable[str]) -> Set[int]:
    """The places of the words that lie in a run of MIN_QUOTED words which one of the texts has too."""
    own = list(_runs(words))
    if not own:
        return set()
    sought = set(own)
    found = {run for text in texts for run in sought.intersection(_runs(_words(text, word_spans(text))))}
    return {place + n for place, run in enumerate(own) if run in found for n in range(MIN_QUOTED)}


def _words(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    written = [text[start:end] for start, end in spans]
    normal = {word: normalise(word) for word in set(written)}
    return [normal[word] for word in written]


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(words[n:] for n in range(MIN_QUOTED)), strict=False)


def _without(text: str, spans: Sequence[tuple[int, int]], places: Set[int]) -> str:
    """The text without the words at these places and what stands between them."""
    kept, position = [], 0
    for place in sorted(places):
        start, end = spans[place]
        if place - 1 not in places:
            kept.append(text[position:start])
        position = end
    return "\n".join([*kept, text[position:]])
