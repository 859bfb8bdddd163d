"""What of a text is worth keeping when most of it must go: errors, decisions, paths, identifiers, figures, requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from brain.text import STOP_WORDS, sentences
from cognitive.window.output import cutting, weight

_READ = 48_000  # characters of a text, at its ends; a message of megabytes is a file
_A_TABLE, _OF_A_TABLE = 5, 0.3  # so many lines of one build are rows of a table, each worth that much of its own
_WORDS = re.compile(r"\w+")
_ELLIPSIS = "…"
# A word that is worth its place by itself: with a digit, a path, a dotted or joined name, upper case, camel case.
_FACT = re.compile(
    r"[^\s\d]*\d|\S*[^\s/]/[^\s/]|[~.]?/\w|\w+\.\w{1,10}\b|\w+_\w|\S+::\S|\S+@\S|\S+=\S|--\w|[A-Z]{2,}\b|"
    r"[A-Z]?[a-z]+[A-Z]"
)
_DECIDES = re.compile(
    r"\b(?:decid\w+|chose|choos\w+|agreed?|settled|instead|rather than|because|root cause|turned out|must|never|always|"
    r"don't|do not|prefer\w*|fixed|resolved|caused|created|changed|renamed|removed|added|deployed|merged|reverted|"
    r"pending|todo|next step|remaining|blocked|waiting|open question|still)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"^(?:sure|ok(?:ay)?|great|thanks?|thank you|perfect|got it|sounds good|of course|certainly|absolutely|hello|hi|"
    r"hm+|fine|take your time|go on|carry on|no worries|hey|"
    r"let me|let's|i'll|i will|i am going to|i'm going to|now i|now let|happy to|nice|cool|yes|yep|good morning)\b",
    re.IGNORECASE,
)
_KEPT_WORDS = frozenset({"no", "not", "nor", "without", "never", "cannot", "before", "after", "until", "because"})
_MARKS = "`'\"()[]{},;:!?*“”‘’"


def essence(text: str, limit: int, *, request: bool = False, known: Collection[str] = ()) -> str:
    """What of a text is worth `limit` characters: whole sentences or lines by their weight, in their order.

    In a `request` the first sentence and the questions weigh more. Facts in `known` are said elsewhere and weigh
    nothing. Chatter without a fact is left out: the result may be empty.
    """
    pieces = list(dict.fromkeys(" ".join(piece.split()) for piece in sentences(ends(text, _READ))))
    shapes = Counter(map(_shape, pieces))
    weighed = [
        _weight(piece, place, request, known) * (1.0 if shapes[_shape(piece)] < _A_TABLE else _OF_A_TABLE)
        for place, piece in enumerate(pieces)
    ]
    chosen: dict[int, str] = {}
    left = limit
    for place in sorted(range(len(pieces)), key=lambda n: (-weighed[n], n)):
        if weighed[place] <= 0 or left < min(limit, 24):
            break
        chosen[place] = piece = squeezed(pieces[place], left, known)
        left -= len(piece) + 1
    return " ".join(chosen[place] for place in sorted(chosen) if chosen[place])


def worth(text: str, known: Collection[str] = ()) -> float:
    """How much the best of a text's sentences or lines says that `known` does not; 0 for chatter and for noise."""
    return max((_weight(piece, 1, False, known) for piece in sentences(ends(text, _READ))), default=0.0)


def ends(text: str, characters: int) -> str:
    """The text, or its head and its tail, in so many characters."""
    if len(text) <= characters:
        return text
    half = (characters - 1) // 2
    return f"{cutting.head(text, half)}\n{cutting.tail(text, half)}"


def facts(text: str) -> list[str]:
    """The words of a text that are worth their place by themselves, in order."""
    return [bare for word in text.split() if (bare := _bare(word)) and _FACT.match(bare)]


def squeezed(text: str, limit: int, known: Collection[str] = ()) -> str:
    """A sentence within `limit` characters: without its stop words, then with its facts and what stands before them."""
    if len(text) <= limit:
        return text
    words = [word for word in text.split() if word.lower() not in STOP_WORDS or word.lower() in _KEPT_WORDS]
    if len(" ".join(words)) <= limit:
        return " ".join(words)
    ranks = _ranks(words, known)
    chosen: set[int] = set()
    left = limit
    for place in sorted(range(len(words)), key=lambda n: (ranks[n], n)):
        cost = len(words[place]) + 1 + (0 if place - 1 in chosen or place == 0 else 2)
        if cost <= left:
            chosen.add(place)
            left -= cost
    return _with_gaps(words, chosen) or cutting.head(text, limit)


def _ranks(words: Sequence[str], known: Collection[str]) -> list[int]:
    """The rank of each word: 0 for a fact, 1 for the word before one, 2 for the rest."""
    telling = [bool(_FACT.match(bare := _bare(word)) and bare not in known) for word in words]
    return [0 if here else 1 if after else 2 for here, after in zip(telling, [*telling[1:], False], strict=True)]


def _with_gaps(words: Sequence[str], chosen: Collection[int]) -> str:
    parts: list[str] = []
    for place in sorted(chosen):
        if parts and place - 1 not in chosen and parts[-1] != _ELLIPSIS:
            parts.append(_ELLIPSIS)
        parts.append(words[place])
    return " ".join(parts)


def _weight(piece: str, place: int, request: bool, known: Collection[str]) -> float:
    read = piece[:400]
    named = sum(1 for fact in set(facts(piece[:2_000])) if fact not in known)
    if weight.progress.search(read) or (weight.record.search(read) and not weight.severe.search(read)):
        return 0.0
    score = 1.2 * min(named, 4)
    score += 4.0 if weight.severe.search(read) else 1.5 if weight.notable.search(read) else 0.0
    score += 3.0 if _DECIDES.search(read) else 0.0
    if request:
        score += (2.5 if place == 0 else 0.5) + (2.0 if read.endswith("?") else 0.0)
    if _CHATTER.match(read):
        score -= 3.0
    return max(0.0, score)


def _shape(piece: str) -> str:
    return _WORDS.sub("w", piece[:200])


def _bare(word: str) -> str:
    return word.strip(_MARKS).rstrip(".")
