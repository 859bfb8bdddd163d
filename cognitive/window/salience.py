"""What of a text is worth keeping when most of it must go: errors, decisions, paths, identifiers, figures, requests."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from brain.text import STOP_WORDS, sentences
from cognitive.window import cutting, weight

_READ = 24_000  # characters at either end of a text; a message of megabytes is a file
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
    r"hey|let me|let's|i'll|i will|i am going to|i'm going to|now i|now let|happy to|nice|cool|yes|yep|good morning)\b",
    re.IGNORECASE,
)
_KEPT_WORDS = frozenset({"no", "not", "nor", "without", "never", "cannot", "before", "after", "until", "because"})
_MARKS = "`'\"()[]{},;:!?*“”‘’"


def essence(text: str, limit: int, *, request: bool = False, known: Collection[str] = ()) -> str:
    """What of a text is worth `limit` characters: whole sentences or lines by their weight, in their order.

    In a `request` the first sentence and the questions weigh more. Facts in `known` are said elsewhere and weigh
    nothing. Chatter without a fact is left out: the result may be empty.
    """
    pieces = list(dict.fromkeys(" ".join(piece.split()) for piece in sentences(_ends(text))))
    weighed = [_weight(piece, place, request, known) for place, piece in enumerate(pieces)]
    chosen: dict[int, str] = {}
    left = limit
    for place in sorted(range(len(pieces)), key=lambda n: (-weighed[n], n)):
        if weighed[place] <= 0 or left < min(limit, 24):
            break
        chosen[place] = piece = squeezed(pieces[place], left, known)
        left -= len(piece) + 1
    return " ".join(chosen[place] for place in sorted(chosen) if chosen[place])


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
    """0 for a fact, 1 for the word before one, 2 for the rest."""
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
    named = sum(1 for fact in set(facts(piece[:2_000])) if fact not in known)
    read = piece[:400]
    score = 1.2 * min(named, 4)
    score += 4.0 if weight.severe.search(read) else 1.5 if weight.notable.search(read) else 0.0
    score += 3.0 if _DECIDES.search(read) else 0.0
    if request:
        score += (2.5 if place == 0 else 0.5) + (2.0 if read.endswith("?") else 0.0)
    if _CHATTER.match(read):
        score -= 3.0
    return score


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _READ else f"{cutting.head(text, _READ)}\n{cutting.tail(text, _READ)}"


def _bare(word: str) -> str:
    return word.strip(_MARKS).rstrip(".")
