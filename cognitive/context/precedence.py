"""What stands first whatever the scores: the identifier that was asked for, the newest version, the replacement.

Scores say how well a memory matches a question. Among memories that match equally well they cannot tell which is right:
a difference of a hundredth is chance. These rules can.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from brain.caches import cached
from brain.text import lexemes
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.trace import Candidate

_TOKEN = re.compile(r"[^\s,;!?()\[\]{}<>\"'`|=]+")
_FEWEST_DIGITS = 3  # beside letters: "covid-19" and "mp3" are words, "E404" and "QB31132" are not
_LONG_NUMBER = 5  # digits; fewer are as often a year or an amount
_DOTTED = re.compile(r"v?\d+(?:\.\d+){2,}(?::\d+)?")
_QUANTITY = re.compile(r"[\d.:,/-]*\d[a-z]{1,4}")  # "500ml", "1990s", "400th"
_YEAR = re.compile(r"(?:[a-z]+-?|\d{1,2}\.\d{1,2}\.)(?:19|20)\d\d")  # "mid-2023", "5.11.2026"
_SNAKE = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_MOST_COMPARED = 64  # best candidates: of versions further down none would be shown
_MOST_KEPT = 4_096  # memories whose stems are kept: the same ones are found again and again
_FEWEST_STEMS = 3  # of fewer, one in the place of another is another statement


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers in a text, in lower case and in order: codes, releases, addresses, long numbers, snake case."""
    tokens = (match.group().strip(".:#*").casefold() for match in _TOKEN.finditer(text))
    return tuple(dict.fromkeys(token for token in tokens if _identifies(token)))


def precede(ordered: Sequence[Candidate], query: RetrievalQuery | None, policy: Policy) -> list[Candidate]:
    """The candidates, best first, as the rules say; without a query only what was replaced is moved."""
    if query is None:
        return _after_their_replacement(ordered)
    return _after_their_replacement(_newest_first(_identified_first(ordered, query), query, policy))


def _identifies(token: str) -> bool:
    digits = sum(char.isdigit() for char in token)
    if _YEAR.fullmatch(token) or _QUANTITY.fullmatch(token):
        return False
    return bool(
        (digits >= _LONG_NUMBER and token.isdigit())
        or (digits >= _FEWEST_DIGITS and any(char.isalpha() for char in token))
        or _DOTTED.fullmatch(token)
        or _SNAKE.fullmatch(token)
    )


def _identified_first(ordered: Sequence[Candidate], query: RetrievalQuery) -> list[Candidate]:
    """Those that hold more of the query's identifiers, literally, before those that hold fewer.

    An identifier is asked for because it is the one and no other: a code that differs in a digit is as wrong as any.
    """
    asked = [re.compile(rf"(?<![\w.-]){re.escape(each)}(?![\w-]|\.\w)") for each in identifiers(query.text)]
    if not asked:
        return list(ordered)

    def held(candidate: Candidate) -> int:
        said = candidate.hit.content.casefold()
        return sum(each.search(said) is not None for each in asked)

    return sorted(ordered, key=lambda candidate: -held(candidate))


@dataclass(slots=True)
class _Versions:
    """Candidates, by their places, that differ in a word or two only, and the stems of the first of them."""

    stems: Counter[str]
    places: list[int]


def _newest_first(ordered: Sequence[Candidate], query: RetrievalQuery, policy: Policy) -> list[Candidate]:
    """Of versions of one statement the newest takes the place of the best, and so on; the places stay.

    Versions are of one type and one speaker, hold the same of the query's words, and share nearly all stems: what they
    differ in was not asked for, so that only their age tells them apart. Where the query names a date, that does.
    """
    if query.dates is not None:
        return list(ordered)
    groups: dict[tuple[object, ...], list[_Versions]] = {}
    for place, candidate in enumerate(ordered[:_MOST_COMPARED]):
        hit = candidate.hit
        asked = hit.scores.get("said_matched", 0.0)
        stems = _stems(hit.content)
        if not asked or len(stems) < _FEWEST_STEMS or hit.superseded_by is not None or hit.partial:
            continue
        alike = groups.setdefault((hit.type, hit.speaker, asked), [])
        group = next((each for each in alike if _shared(each.stems, stems) >= policy.version_threshold), None)
        if group is None:
            alike.append(_Versions(stems, [place]))
        else:
            group.places.append(place)
    arranged = list(ordered)
    for group in (each for alike in groups.values() for each in alike):
        newest = sorted(group.places, key=lambda n: (ordered[n].hit.occurred_at, ordered[n].hit.seq), reverse=True)
        for place, n in zip(group.places, newest, strict=True):
            arranged[place] = ordered[n]
    return arranged


@cached(_MOST_KEPT)
def _stems(said: str) -> Counter[str]:
    return Counter(lexemes(said))


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """The share of the longer one's stems that the other has, too."""
    return (one & other).total() / max(one.total(), other.total())


def _after_their_replacement(ordered: Sequence[Candidate]) -> list[Candidate]:
    """A superseded memory never stands before the one that replaced it, whatever their scores."""
    place = {candidate.hit.memory_id: n for n, candidate in enumerate(ordered)}

    def key(item: tuple[int, Candidate]) -> tuple[int, int]:
        own, candidate = item
        latest, steps = own, 0
        successor: UUID | None = candidate.hit.superseded_by
        while successor is not None and successor in place and steps < len(ordered):
            latest, steps = max(latest, place[successor]), steps + 1
            successor = ordered[place[successor]].hit.superseded_by
        return latest, steps

    return [candidate for _, candidate in sorted(enumerate(ordered), key=key)]
