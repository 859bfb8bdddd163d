"""Order the candidates: by relevance, by what usage says of them, and by what stands first whatever the scores.

Relevance says how well a candidate answers the query: one calibrated, monotone sum of named factors, each on a fixed
scale. Every factor is a fact of the memory itself (its words, its vector, who said it, when, in which session, beside
what) against the query. The weights stand in the policy with what each was measured to be worth.

Among memories that match equally well scores cannot tell which is right: a difference of a hundredth is chance. The
tie-breaks can: the identifier that was asked for, the newest version, the replacement.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from brain.caches import cached
from brain.search import K1, Hit, SearchResult
from brain.text import STOP_WORDS, lexemes, words
from cognitive.context.answer_types import (
    ANSWER_TYPES,
    ASKS_ASSISTANT,
    ASSISTANTS,
    FIRST_PERSON,
    INSTRUCTS,
    USERS,
    AnswerType,
)
from cognitive.plan import DateRange, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Boost, Candidate

_CAPITALISED = re.compile(r"(?<=\s)[A-Z]\w+")
_FULL_LENGTH = 300  # characters from which a line's length says nothing more
_INSTRUCTED_WITHIN = 600  # characters: a standing instruction opens a message, it does not hide in a listing
_REACH = 0.7  # what the neighbour after next counts for
_OWN_LINE = 0.5  # what an assistant's line counts for where it is asked for, beside a user's line elsewhere
_AFTERTHOUGHT_DAYS = 14.0  # an event is talked about for a while after the day it is asked about
_FORETHOUGHT_DAYS = 4.0
_RECENT_DAYS = 30.0  # half-life of being recent
_MAX_READ = 8_192  # texts whose traits are kept: what an agent's questions find again from turn to turn
_TOKEN = re.compile(r"[^\s,;!?()\[\]{}<>\"'`|=]+")
_MIN_DIGITS = 3  # beside letters: "covid-19" and "mp3" are words, "E404" and "QB31132" are not
_LONG_NUMBER = 5  # digits; fewer are as often a year or an amount
_DOTTED = re.compile(r"v?\d+(?:\.\d+){2,}(?::\d+)?")
_QUANTITY = re.compile(r"[\d.:,/-]*\d[a-z]{1,4}")  # "500ml", "1990s", "400th"
_YEAR = re.compile(r"(?:[a-z]+-?|\d{1,2}\.\d{1,2}\.)(?:19|20)\d\d")  # "mid-2023", "5.11.2026"
_SNAKE = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_MAX_COMPARED = 64  # best candidates: of versions further down none would be shown
_MAX_KEPT = 4_096  # memories whose stems are kept: the same ones are found again and again
_MIN_STEMS = 3  # of fewer, one in the place of another is another statement


def candidates(found: SearchResult, query: RetrievalQuery, now: datetime, policy: Policy) -> list[Candidate]:
    """One candidate per memory, by its most relevant passage, best first; equal ones in the agent's own order."""
    facts = _QueryFacts(found, query, now)
    best: dict[UUID, tuple[float, Hit, dict[str, float]]] = {}
    for hit in found.hits:
        factors = _factors(hit, facts, policy.retrieval.relevance)
        relevance = sum(factors.values())
        rival = best.get(hit.memory_id)
        if rival is None or relevance > rival[0]:
            best[hit.memory_id] = (relevance, hit, factors)
    ordered = sorted(best.values(), key=lambda scored: (-scored[0], scored[1].seq))
    return [
        Candidate(hit, relevance=relevance, factors=factors, rank_before=n)
        for n, (relevance, hit, factors) in enumerate(ordered, 1)
    ]


class _QueryFacts:
    """What the factors need to know of the query and of the other hits, once per query."""

    def __init__(self, found: SearchResult, query: RetrievalQuery, now: datetime) -> None:
        self.now = now
        self.dates = query.dates
        self.recency = query.recency_weight
        self.mass = max(sum(found.idf.values()), 1e-6)
        self.session_mass = max(sum(found.session_idf.values()), 1e-6)
        self.asked = [kind for kind in ANSWER_TYPES if kind.question_pattern.search(query.text)]
        self.asks_assistant = ASKS_ASSISTANT.search(query.text) is not None
        self.named = _named_speakers(found.hits, query.text)
        sessions = [hit.scores.get("session_bm25", 0.0) for hit in found.hits if hit.session_id is not None]
        self.usual_session = sum(sessions) / len(sessions) if sessions else 0.0
        self.beside = {hit.memory_id: (hit.previous_id, hit.next_id) for hit in found.hits}
        self.own: dict[UUID, float] = {}
        for hit in found.hits:
            self.own[hit.memory_id] = max(self.own.get(hit.memory_id, 0.0), self._own(hit))

    def _own(self, hit: Hit) -> float:
        """How well a hit matches by itself, in [0, 1]."""
        lexical = hit.scores.get("content_bm25", 0.0) / ((K1 + 1) * self.mass)
        return 0.5 * lexical + 0.5 * max(0.0, hit.scores.get("content_cosine", 0.0))

    def session(self, hit: Hit) -> float:
        """The raw score of the hit's session; a memory of no session is taken for one of a usual session."""
        return hit.scores.get("session_bm25", 0.0) if hit.session_id is not None else self.usual_session

    def neighbours(self, hit: Hit) -> float:
        """The best match among the two memories before and the two behind in the session, where they are hits."""
        best = 0.0
        for side in (0, 1):
            worth, at = 1.0, self.beside[hit.memory_id][side]
            while at in self.own and worth >= _REACH:
                best = max(best, worth * self.own[at])
                worth, at = worth * _REACH, self.beside[at][side]
        return best


def _named_speakers(hits: Sequence[Hit], text: str) -> frozenset[str]:
    """Speakers of the hits whose name is in the text: by a word that is no common one and no other speaker's."""
    asked = {word.removesuffix("'s") for word in words(text)} - STOP_WORDS
    asked |= {name.casefold() for name in _CAPITALISED.findall(text)}  # "Will" is a name where "will" is none
    speakers = {hit.speaker for hit in hits if hit.speaker}
    people = {speaker: set(words(speaker)) for speaker in speakers if speaker.casefold() not in USERS | ASSISTANTS}
    shared = Counter(word for own in people.values() for word in own)
    return frozenset(name for name, own in people.items() if any(shared[word] == 1 for word in own & asked))


def _factors(hit: Hit, query: _QueryFacts, weight: Mapping[str, float]) -> dict[str, float]:
    """The weighted factors of one hit, those that are zero left out."""
    scores, traits = hit.scores, _traits(hit.content)
    content_cosine = scores.get("content_cosine", 0.0)
    speaker = (hit.speaker or "").casefold()
    raw = {
        "lexical": scores.get("content_bm25", 0.0) / ((K1 + 1) * query.mass),
        "lexical_context": scores.get("context_matched", 0.0) / query.mass,
        "semantic": content_cosine,
        "semantic_context": scores.get("context_cosine", content_cosine),
        "session": query.session(hit) / ((K1 + 1) * query.session_mass),
        "neighbor": query.neighbours(hit),
        "speaker": float(len(query.named) == 1 and hit.speaker in query.named),
        "first_person": traits.first_person,
        "answer_type": max((kind.weight for kind in query.asked if _says(kind, hit.content)), default=0.0),
        "user_turn": _OWN_LINE * (speaker in ASSISTANTS) if query.asks_assistant else float(speaker in USERS),
        "instruction": float(speaker not in ASSISTANTS and traits.instructs),
        "date": _dated(hit.occurred_at, query.dates) if query.dates else 0.0,
        "recency": query.recency * _recent(hit.occurred_at, query.now) if query.recency else 0.0,
        "content_length": traits.length,
    }
    return {name: weight[name] * value for name, value in raw.items() if value}


class _Traits(NamedTuple):
    """What is true of a text whatever is asked."""

    first_person: float
    instructs: bool
    length: float


@cached(_MAX_READ)
def _traits(content: str) -> _Traits:
    return _Traits(
        float(FIRST_PERSON.search(content) is not None),
        INSTRUCTS.search(content[:_INSTRUCTED_WITHIN]) is not None,
        min(1.0, math.log1p(len(content)) / math.log1p(_FULL_LENGTH)),
    )


@cached(_MAX_READ)
def _says(kind: AnswerType, content: str) -> bool:
    return kind.answer_pattern.search(content) is not None


def _dated(at: datetime, dates: DateRange) -> float:
    """1 within the range that the query names, less after it, as things are talked about later; a little before."""
    if dates.start <= at < dates.end:
        return 1.0
    if at >= dates.end:
        return 0.8 * max(0.0, 1 - (at - dates.end).total_seconds() / 86_400 / _AFTERTHOUGHT_DAYS)
    return 0.5 * max(0.0, 1 - (dates.start - at).total_seconds() / 86_400 / _FORETHOUGHT_DAYS)


def _recent(at: datetime, now: datetime) -> float:
    age_days = max(0.0, (now - at).total_seconds() / 86_400)
    return float(0.5 ** (age_days / _RECENT_DAYS))


def rank(
    candidates: Sequence[Candidate],
    boosts: Mapping[UUID, Boost],
    policy: Policy,
    constants: Constants,
    query: RetrievalQuery | None = None,
) -> list[Candidate]:
    """Candidates by score, best first, equal ones in the agent's own order; and as `precede` says for the query.

    score = relevance + usage.weight · log2(boost) + lift, halved for what was superseded. The boost is an addition of
    at most 0.005 at the default weight: it settles near-ties and cannot lift the irrelevant over an exact match. The
    lift is what the search lacked for the same question before, at most 0.2 at the default weight.
    """
    scores = {c.hit.memory_id: _score(c, boosts[c.hit.memory_id], policy, constants) for c in candidates}
    by_score = sorted(candidates, key=lambda c: (-scores[c.hit.memory_id], c.hit.seq))
    return [
        Candidate(
            candidate.hit,
            relevance=candidate.relevance,
            factors=candidate.factors,
            rank_before=candidate.rank_before,
            boost=boosts[candidate.hit.memory_id],
            score=scores[candidate.hit.memory_id],
            rank=n,
        )
        for n, candidate in enumerate(precede(by_score, query, constants), 1)
    ]


def _score(candidate: Candidate, earned: Boost, policy: Policy, constants: Constants) -> float:
    if policy.usage.combine == "multiply":
        score = candidate.relevance * earned.factor
    else:
        score = candidate.relevance + policy.usage.weight * math.log2(earned.factor)
    score += earned.lift
    return score * constants.superseded_factor if candidate.hit.superseded_by is not None else score


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers in a text, in lower case and in order: codes, releases, addresses, long numbers, snake case."""
    tokens = (match.group().strip(".:#*").casefold() for match in _TOKEN.finditer(text))
    return tuple(dict.fromkeys(token for token in tokens if _identifies(token)))


def precede(ordered: Sequence[Candidate], query: RetrievalQuery | None, constants: Constants) -> list[Candidate]:
    """The candidates, best first, as the rules say; without a query only what was replaced is moved."""
    if query is None:
        return _after_their_replacement(ordered)
    return _after_their_replacement(_newest_first(_identified_first(ordered, query), query, constants))


def _identifies(token: str) -> bool:
    digits = sum(char.isdigit() for char in token)
    if _YEAR.fullmatch(token) or _QUANTITY.fullmatch(token):
        return False
    return bool(
        (digits >= _LONG_NUMBER and token.isdigit())
        or (digits >= _MIN_DIGITS and any(char.isalpha() for char in token))
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


def _newest_first(ordered: Sequence[Candidate], query: RetrievalQuery, constants: Constants) -> list[Candidate]:
    """Of versions of one statement the newest takes the place of the best, and so on; the places stay.

    Versions are of one type and one speaker, hold the same of the query's words, and share nearly all stems: what they
    differ in was not asked for, so that only their age tells them apart. Where the query names a date, that does.
    """
    if query.dates is not None:
        return list(ordered)
    groups: dict[tuple[object, ...], list[_Versions]] = {}
    for place, candidate in enumerate(ordered[:_MAX_COMPARED]):
        hit = candidate.hit
        asked = hit.scores.get("content_matched", 0.0)
        stems = _stems(hit.content)
        if not asked or len(stems) < _MIN_STEMS or hit.superseded_by is not None or hit.partial:
            continue
        alike = groups.setdefault((hit.type, hit.speaker, asked), [])
        group = next((each for each in alike if _shared(each.stems, stems) >= constants.version_threshold), None)
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


@cached(_MAX_KEPT)
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
