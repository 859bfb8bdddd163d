"""Ranking: order the candidate memories of a query by relevance and past use, then apply the tie-breaks.

Relevance measures how well a memory answers the query. It is a calibrated sum of named factors, each on a fixed scale
and multiplied by its weight in the policy (`retrieval.relevance`, with the measured effect of each weight). A factor
compares the query with a property of the memory: words, vector, speaker, date, session, neighbours.

Scores cannot order memories that match equally well: a difference of 0.01 is chance. The tie-breaks of `precede` prefer
the identifier that the query names, the newest of several versions, and the replacement of a superseded memory.
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
_FULL_LENGTH = 300  # characters from which the factor content_length is 1
_INSTRUCTED_WITHIN = 600  # first characters that are searched for a standing instruction, which opens a message
_REACH = 0.7  # share of its match that the second neighbour counts
_OWN_LINE = 0.5  # factor user_turn of an assistant's line, if the question asks for what the assistant said
_AFTERTHOUGHT_DAYS = 14.0  # days after an event in which memories still mention it
_FORETHOUGHT_DAYS = 4.0  # days before an event in which memories announce it
_RECENT_DAYS = 30.0  # half-life of the factor recency, in days
_MAX_READ = 8_192  # texts whose traits are cached, because an agent's turns retrieve the same memories again
_TOKEN = re.compile(r"[^\s,;!?()\[\]{}<>\"'`|=]+")
_MIN_DIGITS = 3  # of an identifier with letters: "covid-19" and "mp3" are words, "E404" and "QB31132" are identifiers
_LONG_NUMBER = 5  # digits of an identifier without letters; shorter numbers are as often a year or an amount
_DOTTED = re.compile(r"v?\d+(?:\.\d+){2,}(?::\d+)?")
_QUANTITY = re.compile(r"[\d.:,/-]*\d[a-z]{1,4}")  # "500ml", "1990s", "400th"
_YEAR = re.compile(r"(?:[a-z]+-?|\d{1,2}\.\d{1,2}\.)(?:19|20)\d\d")  # "mid-2023", "5.11.2026"
_SNAKE = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_MAX_COMPARED = 64  # best candidates that are compared as versions; lower ones would not be shown
_MAX_KEPT = 4_096  # memories whose stems are cached, because turns retrieve the same ones again
_MIN_STEMS = 3  # of a memory that can be a version of another; one different word changes a shorter statement


def candidates(found: SearchResult, query: RetrievalQuery, now: datetime, policy: Policy) -> list[Candidate]:
    """Return a candidate for each memory, with its best passage, sorted by relevance, then by order of storage."""
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
    """Values of a query and its search hits that the relevance factors need, computed once for each query."""

    def __init__(self, found: SearchResult, query: RetrievalQuery, now: datetime) -> None:
        self.now = now
        self.dates = query.dates
        self.recency = query.recency_weight
        self.mass = max(sum(found.idf.values()), 1e-6)
        self.session_mass = max(sum(found.session_idf.values()), 1e-6)
        self.answer_types = [kind for kind in ANSWER_TYPES if kind.question_pattern.search(query.text)]
        self.asks_assistant = ASKS_ASSISTANT.search(query.text) is not None
        self.named = _named_speakers(found.hits, query.text)
        sessions = [hit.scores.get("session_bm25", 0.0) for hit in found.hits if hit.session_id is not None]
        self.usual_session = sum(sessions) / len(sessions) if sessions else 0.0
        self.adjacent = {hit.memory_id: (hit.previous_id, hit.next_id) for hit in found.hits}
        self.own: dict[UUID, float] = {}
        for hit in found.hits:
            self.own[hit.memory_id] = max(self.own.get(hit.memory_id, 0.0), self._own(hit))

    def _own(self, hit: Hit) -> float:
        """Return how well a hit itself matches the query, from 0 to 1: the mean of its normalised BM25 and cosine."""
        lexical = hit.scores.get("content_bm25", 0.0) / ((K1 + 1) * self.mass)
        return 0.5 * lexical + 0.5 * max(0.0, hit.scores.get("content_cosine", 0.0))

    def session(self, hit: Hit) -> float:
        """Return the BM25 score of a hit's session. A hit without a session gets the mean score of the other hits."""
        return hit.scores.get("session_bm25", 0.0) if hit.session_id is not None else self.usual_session

    def neighbours(self, hit: Hit) -> float:
        """Return the best match among a hit's neighbours in its session, two on each side; the farther count less."""
        best = 0.0
        for side in (0, 1):
            share, at = 1.0, self.adjacent[hit.memory_id][side]
            while at in self.own and share >= _REACH:
                best = max(best, share * self.own[at])
                share, at = share * _REACH, self.adjacent[at][side]
        return best


def _named_speakers(hits: Sequence[Hit], text: str) -> frozenset[str]:
    """Return the speakers that a text names, by a word that is no stop word and no part of another speaker's name."""
    named = {word.removesuffix("'s") for word in words(text)} - STOP_WORDS
    named |= {name.casefold() for name in _CAPITALISED.findall(text)}  # "Will" is a name, "will" is not
    speakers = {hit.speaker for hit in hits if hit.speaker}
    people = {speaker: set(words(speaker)) for speaker in speakers if speaker.casefold() not in USERS | ASSISTANTS}
    shared = Counter(word for own in people.values() for word in own)
    return frozenset(name for name, own in people.items() if any(shared[word] == 1 for word in own & named))


def _factors(hit: Hit, query: _QueryFacts, weight: Mapping[str, float]) -> dict[str, float]:
    """Return the relevance factors of a hit by name, multiplied by their weights, without those that are zero.

    BM25 scores are divided by their maximum, (k1 + 1) · Σ idf of the query (Robertson and Zaragoza, "The Probabilistic
    Relevance Framework: BM25 and Beyond", 2009), so that every factor is on a fixed scale.
    """
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
        "answer_type": max((kind.weight for kind in query.answer_types if _may_answer(kind, hit.content)), default=0.0),
        "user_turn": _OWN_LINE * (speaker in ASSISTANTS) if query.asks_assistant else float(speaker in USERS),
        "instruction": float(speaker not in ASSISTANTS and traits.instructs),
        "date": _dated(hit.occurred_at, query.dates) if query.dates else 0.0,
        "recency": query.recency * _recent(hit.occurred_at, query.now) if query.recency else 0.0,
        "content_length": traits.length,
    }
    return {name: weight[name] * value for name, value in raw.items() if value}


class _Traits(NamedTuple):
    """Properties of a memory's text that are the same for every query; `instructs` means a standing instruction."""

    first_person: float
    instructs: bool
    length: float


@cached(_MAX_READ)
def _traits(content: str) -> _Traits:
    """Return the properties of a text that relevance depends on: first person, standing instruction, length."""
    return _Traits(
        float(FIRST_PERSON.search(content) is not None),
        INSTRUCTS.search(content[:_INSTRUCTED_WITHIN]) is not None,
        min(1.0, math.log1p(len(content)) / math.log1p(_FULL_LENGTH)),
    )


@cached(_MAX_READ)
def _may_answer(kind: AnswerType, content: str) -> bool:
    """Return True if a text may contain an answer of this type, for example a date for a "when" question."""
    return kind.answer_pattern.search(content) is not None


def _dated(at: datetime, dates: DateRange) -> float:
    """Return the relevance factor "date" of a memory from the time `at`: 1 in the range that the query names.

    It falls linearly from 0.8 after the range and from 0.5 before it, because people talk about an event later, and
    less often before.
    """
    if dates.start <= at < dates.end:
        return 1.0
    if at >= dates.end:
        return 0.8 * max(0.0, 1 - (at - dates.end).total_seconds() / 86_400 / _AFTERTHOUGHT_DAYS)
    return 0.5 * max(0.0, 1 - (dates.start - at).total_seconds() / 86_400 / _FORETHOUGHT_DAYS)


def _recent(at: datetime, now: datetime) -> float:
    """Return the relevance factor "recency" of a memory from the time `at`: 0.5 ^ (age / 30 days)."""
    age_days = max(0.0, (now - at).total_seconds() / 86_400)
    return float(0.5 ** (age_days / _RECENT_DAYS))


def rank(
    candidates: Sequence[Candidate],
    boosts: Mapping[UUID, Boost],
    policy: Policy,
    constants: Constants,
    query: RetrievalQuery | None = None,
) -> list[Candidate]:
    """Rank the candidates by score, best first, and apply the tie-breaks of `precede`.

    score = relevance + usage.weight · log2(boost) + lift, times `superseded_factor` for a superseded memory, and times
    1 - `max_doubt` · (1 - confidence). The boost
    is a factor from the memory's past use. At the default weight it changes the score by -0.005 to +0.003, so it
    settles near-ties and cannot raise an irrelevant memory over an exact match. The lift is learned from past turns
    with a similar message (see `usage.lifts`); it is at most 0.2 at the default weight. With `usage.combine` =
    "multiply" the score is relevance · boost + lift. Candidates with equal scores are in the order of storage. The
    formulas are this project's own (docs/decisions/0010-association.md for the lift).
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


def _score(candidate: Candidate, boost: Boost, policy: Policy, constants: Constants) -> float:
    """Return the score by which a candidate is ranked; `rank` gives the formula."""
    if policy.usage.combine == "multiply":
        score = candidate.relevance * boost.factor
    else:
        score = candidate.relevance + policy.usage.weight * math.log2(boost.factor)
    score += boost.lift
    score *= 1 - constants.max_doubt * (1 - candidate.hit.confidence)
    return score * constants.superseded_factor if candidate.hit.hidden_reason is not None else score


def identifiers(text: str) -> tuple[str, ...]:
    """Return the identifiers in a text, lower-cased, in order: codes, versions, addresses, long numbers, snake_case."""
    tokens = (match.group().strip(".:#*").casefold() for match in _TOKEN.finditer(text))
    return tuple(dict.fromkeys(token for token in tokens if _identifies(token)))


def precede(ordered: Sequence[Candidate], query: RetrievalQuery | None, constants: Constants) -> list[Candidate]:
    """Reorder ranked candidates by three rules (tie-breaks); without a query only the last rule applies.

    Candidates that contain more of the query's identifiers come first. Of several versions of one statement, the newest
    takes the best place. A superseded memory comes after its replacement.
    """
    if query is None:
        return _after_their_replacement(ordered)
    return _after_their_replacement(_newest_first(_identified_first(ordered, query), query, constants))


def _identifies(token: str) -> bool:
    """Return True if a token is an identifier, and not a year, a quantity or a plain word."""
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
    """Put the candidates first that literally contain the most identifiers of the query, such as codes or versions.

    An identifier means exactly one thing: a code that differs in one digit is as wrong as any other.
    """
    patterns = [re.compile(rf"(?<![\w.-]){re.escape(each)}(?![\w-]|\.\w)") for each in identifiers(query.text)]
    if not patterns:
        return list(ordered)

    def matches(candidate: Candidate) -> int:
        content = candidate.hit.content.casefold()
        return sum(each.search(content) is not None for each in patterns)

    return sorted(ordered, key=lambda candidate: -matches(candidate))


@dataclass(slots=True)
class _Versions:
    """A group of candidates that are versions of one statement: the stems of the first, and the indexes of all."""

    stems: Counter[str]
    places: list[int]


def _newest_first(ordered: Sequence[Candidate], query: RetrievalQuery, constants: Constants) -> list[Candidate]:
    """Order versions of one statement newest first, within the places that they have among the candidates.

    Versions have the same type and speaker, match the query's words equally, and share at least `version_threshold` of
    their stems. The query does not ask for their difference, so the newest is most likely right. If the query names a
    date, the order is unchanged, because the date decides.
    """
    if query.dates is not None:
        return list(ordered)
    groups: dict[tuple[object, ...], list[_Versions]] = {}
    for place, candidate in enumerate(ordered[:_MAX_COMPARED]):
        hit = candidate.hit
        matched = hit.scores.get("content_matched", 0.0)
        stems = _stems(hit.content)
        if not matched or len(stems) < _MIN_STEMS or hit.hidden_reason is not None or hit.partial:
            continue
        alike = groups.setdefault((hit.type, hit.speaker, matched), [])
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
def _stems(content: str) -> Counter[str]:
    """Return how often each word stem occurs in a text."""
    return Counter(lexemes(content))


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """Return how much two texts agree: the share of the longer text's word stems that the other text has too."""
    return (one & other).total() / max(one.total(), other.total())


def _after_their_replacement(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Move each superseded memory behind its replacement, if this is a candidate too. The others keep their order."""
    place = {candidate.hit.memory_id: n for n, candidate in enumerate(ordered)}

    def key(item: tuple[int, Candidate]) -> tuple[int, int]:
        own, candidate = item
        latest, steps = own, 0
        successor: UUID | None = candidate.hit.replaced_by
        while successor is not None and successor in place and steps < len(ordered):
            latest, steps = max(latest, place[successor]), steps + 1
            successor = ordered[place[successor]].hit.replaced_by
        return latest, steps

    return [candidate for _, candidate in sorted(enumerate(ordered), key=key)]
