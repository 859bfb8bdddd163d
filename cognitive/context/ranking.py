"""Ranking: order the candidate memories of a query by relevance and past use, then apply the rules of `precedence`.

Relevance measures how well a memory answers the query. It is a calibrated sum of named factors, each on a fixed scale
and multiplied by its weight in the policy (`retrieval.relevance`, with the measured effect of each weight). A factor
compares the query with a property of the memory: words, vector, speaker, date, session, neighbours.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from brain.caches import cached
from brain.search import K1, Hit, SearchResult
from brain.text import STOP_WORDS, words
from cognitive.context import talk
from cognitive.context.precedence import precede
from cognitive.context.refusals import only_refuses
from cognitive.context.speakers import ASKS_ASSISTANT, ASSISTANTS, FIRST_PERSON, INSTRUCTS, USERS
from cognitive.plan import DateRange, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Boost, Candidate

_CAPITALISED = re.compile(r"(?<=\s)[A-Z]\w+")
_FULL_MATCH = 4  # words, the rarest of the query; a memory with all of them matches fully
_FULL_LENGTH = 300  # characters from which the factor content_length is 1
_INSTRUCTED_WITHIN = 600  # first characters that are searched for a standing instruction, which opens a message
_REACH = 0.7  # share of its match that the second neighbour counts
_APART = timedelta(days=1)  # between lines of a session that still are neighbours; later ones are of another talk
_OTHER_LINE = 0.5  # factor user_turn of all other memories, if the question asks for what the assistant said
_AFTERTHOUGHT_DAYS = 14.0  # days after an event in which memories still mention it
_FORETHOUGHT_DAYS = 4.0  # days before an event in which memories announce it
_RECENT_DAYS = 30.0  # half-life of the factor recency, in days
_MAX_READ = 8_192  # texts whose traits are cached, because an agent's turns retrieve the same memories again


def candidates(found: SearchResult, query: RetrievalQuery, now: datetime, policy: Policy) -> list[Candidate]:
    """Return a candidate for each memory, with its best passage, sorted by relevance, then by order of storage."""
    found = _with_scores_of_replaced(found)
    weight, facts = policy.retrieval.relevance, _QueryFacts(found, query, now)
    best: dict[UUID, tuple[float, Hit, dict[str, float]]] = {}
    for hit in found.hits:
        weighted = {name: weight[name] * value for name, value in _factors(hit, facts).items() if value}
        relevance = sum(weighted.values())
        rival = best.get(hit.memory_id)
        if rival is None or relevance > rival[0]:
            best[hit.memory_id] = (relevance, hit, weighted)
    ordered = sorted(best.values(), key=lambda scored: (-scored[0], scored[1].seq))
    return [
        Candidate(hit, relevance=relevance, factors=weighted, rank_before=n)
        for n, (relevance, hit, weighted) in enumerate(ordered, 1)
    ]


def factors(found: SearchResult, query: RetrievalQuery, now: datetime) -> list[dict[str, float]]:
    """Return the relevance factors of each hit by name, without weights, and without those that are zero."""
    found = _with_scores_of_replaced(found)
    facts = _QueryFacts(found, query, now)
    return [{name: value for name, value in _factors(hit, facts).items() if value} for hit in found.hits]


def _with_scores_of_replaced(found: SearchResult) -> SearchResult:
    """Return the search result in which a replacement has each score of what it replaced, if that is higher.

    A question may have words of the older text only: "Where do I live?", "I live in Graz", "I moved to Linz".
    """
    if all(hit.replaced_by is None for hit in found.hits):
        return found
    successors = {hit.memory_id: hit.replaced_by for hit in found.hits}
    passed_on = dict[UUID, Mapping[str, float]]()
    for hit in found.hits:
        passed, successor = {hit.memory_id}, hit.replaced_by
        while successor is not None and successor not in passed:
            passed_on[successor] = _highest(hit.scores, passed_on.get(successor, {}))
            passed.add(successor)
            successor = successors.get(successor)
    higher = ((hit, _highest(hit.scores, passed_on.get(hit.memory_id, {}))) for hit in found.hits)
    return replace(found, hits=tuple(hit._replace(scores=scores) for hit, scores in higher))


def _highest(scores: Mapping[str, float], others: Mapping[str, float]) -> dict[str, float]:
    return {**others, **{name: max(value, others.get(name, value)) for name, value in scores.items()}}


class _QueryFacts:
    """Values of a query and its search hits that the relevance factors need, computed once for each query."""

    def __init__(self, found: SearchResult, query: RetrievalQuery, now: datetime) -> None:
        self.now = now
        self.dates = query.dates
        self.recency = query.recency_weight
        self.mass = max(sum(sorted(found.idf.values())[-_FULL_MATCH:]), 1e-6)
        self.session_mass = max(sum(found.session_idf.values()), 1e-6)
        self.asks_assistant = ASKS_ASSISTANT.search(query.text) is not None
        self.named = _named_speakers(found.hits, query.text)
        sessions = [hit.scores.get("session_bm25", 0.0) for hit in found.hits if hit.session_id is not None]
        self.usual_session = _mean(sessions)
        self.best_bm25 = max([hit.scores.get("content_bm25", 0.0) for hit in found.hits], default=0.0) or 1.0
        before = _previous(found.hits)
        self.sides = (before, {previous: id for id, previous in before.items()})
        self.own: dict[UUID, float] = {}
        for hit in found.hits:
            self.own[hit.memory_id] = max(self.own.get(hit.memory_id, 0.0), self._own(hit))
        self.matches = {id: self._neighbours(id) for id in self.own}
        self.usual_neighbour = _mean([self.matches[hit.memory_id] for hit in found.hits if hit.session_id is not None])

    def _own(self, hit: Hit) -> float:
        """Return how well a hit itself matches the query, from 0 to 1: the mean of its normalised BM25 and cosine."""
        lexical = hit.scores.get("content_bm25", 0.0) / ((K1 + 1) * self.mass)
        return 0.5 * lexical + 0.5 * max(0.0, hit.scores.get("content_cosine", 0.0))

    def session(self, hit: Hit) -> float:
        """Return the BM25 score of a hit's session. A hit without a session gets the mean score of the other hits."""
        return hit.scores.get("session_bm25", 0.0) if hit.session_id is not None else self.usual_session

    def neighbours(self, hit: Hit) -> float:
        """Return the best match among a hit's neighbours. A hit without a session gets the mean of the other hits."""
        return self.matches[hit.memory_id] if hit.session_id is not None else self.usual_neighbour

    def _neighbours(self, id: UUID) -> float:
        """Return the best match among a memory's neighbours in its session, two per side; the farther count less."""
        best = 0.0
        for side in self.sides:
            share, at = 1.0, side.get(id)
            while at in self.own and share >= _REACH:
                best = max(best, share * self.own[at])
                share, at = share * _REACH, side.get(at)
        return best


def _previous(hits: Sequence[Hit]) -> dict[UUID, UUID]:
    """Return the hit before each hit in its session, by memory id, if there is one within a day."""
    last, before = dict[tuple[str | None, str], Hit](), dict[UUID, UUID]()
    for hit in sorted(hits, key=attrgetter("occurred_at", "seq")):
        if hit.session_id is None:
            continue
        session = hit.user_id, hit.session_id
        earlier, last[session] = last.get(session, hit), hit
        if earlier.memory_id != hit.memory_id and hit.occurred_at - earlier.occurred_at <= _APART:
            before[hit.memory_id] = earlier.memory_id
    return before


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _named_speakers(hits: Sequence[Hit], text: str) -> frozenset[str]:
    """Return the speakers that a text names, by a word that is no stop word and no part of another speaker's name."""
    named = {word.removesuffix("'s") for word in words(text)} - STOP_WORDS
    named |= {name.casefold() for name in _CAPITALISED.findall(text)}  # "Will" is a name, "will" is not
    speakers = {hit.speaker for hit in hits if hit.speaker}
    people = {speaker: set(words(speaker)) for speaker in speakers if speaker.casefold() not in USERS | ASSISTANTS}
    shared = Counter(word for own in people.values() for word in own)
    return frozenset(name for name, own in people.items() if any(shared[word] == 1 for word in own & named))


def _factors(hit: Hit, query: _QueryFacts) -> dict[str, float]:
    """Return the relevance factors of a hit by name.

    Every factor is from 0 to about 1. `lexical` is the BM25 score as a share of the best hit's. The other sums over the
    query's words are divided by their values for the query's four rarest words, since no memory has all words of a long
    request, or all character pairs of a Chinese one. `first_person` and `content_length` compare lines of a
    conversation with each other. A memory without a speaker is no line. It gets their full value, so that they do not
    prefer lines to other memories.
    """
    scores, traits = hit.scores, _traits(hit.content)
    content_cosine = scores.get("content_cosine", 0.0)
    line, speaker = hit.speaker is not None, (hit.speaker or "").casefold()
    assistant = speaker in ASSISTANTS
    return {
        "lexical": scores.get("content_bm25", 0.0) / query.best_bm25,
        "lexical_context": scores.get("context_matched", 0.0) / query.mass,
        "semantic": content_cosine,
        "semantic_context": scores.get("context_cosine", content_cosine),
        "session": query.session(hit) / ((K1 + 1) * query.session_mass),
        "neighbor": query.neighbours(hit),
        "speaker": float(len(query.named) == 1 and hit.speaker in query.named),
        "first_person": traits.first_person if line else 1.0,
        "user_turn": _by_user(assistant, query.asks_assistant),
        "instruction": float(line and not assistant and traits.instructs),
        "date": _dated(hit.occurred_at, query.dates) if query.dates else 0.0,
        "recency": query.recency * _recent(hit.occurred_at, query.now) if query.recency else 0.0,
        "content_length": traits.length if line else 1.0,
    }


def _by_user(assistant: bool, asks_assistant: bool) -> float:
    """Return the factor user_turn: 1 for what the assistant did not say, and 0 for an assistant's line.

    If the question asks for what the assistant said, it is 1 for an assistant's line, and 0.5 for all others.
    """
    if asks_assistant:
        return 1.0 if assistant else _OTHER_LINE
    return float(not assistant)


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
    """Rank the candidates by score, best first, and apply the rules of `precede`.

    score = relevance + usage.weight · log2(boost) + lift, times `question_factor` for a line that only asks, refuses or
    says that something is not known, and times 1 - `max_doubt` · (1 - confidence). The boost is a factor from the
    memory's past use. At the default weight it changes the score by -0.005 to +0.003, so it settles near-ties and
    cannot raise an irrelevant memory over an exact match. The lift is learned from past turns with a similar message
    (see `usage.lifts`); it is at most 0.2 at the default weight. With `usage.combine` = "multiply" the score is
    relevance · boost + lift. Candidates with equal scores are in the order of storage. The formulas are this project's
    own (docs/decisions/0010-association.md for the lift).
    """
    scored = []
    for each in candidates:
        hit, boost = each.hit, boosts[each.hit.memory_id]
        reductions = _reductions(hit, constants)
        factor = math.prod(factor for factor, _ in reductions) if reductions else 1.0
        score = (_score(each, boost, policy) + boost.lift) * factor
        lowered = _lowered(factor, reductions) if reductions else ""
        # not by `_replace`, which takes four times as long
        scored.append(Candidate(hit, each.relevance, each.factors, boost, score, each.rank_before, lowered=lowered))
    by_score = sorted(scored, key=lambda candidate: (-candidate.score, candidate.hit.seq))
    return precede(by_score, query, constants)


def _score(candidate: Candidate, boost: Boost, policy: Policy) -> float:
    """Return the score of a candidate before its lift and reductions; `rank` gives the formula."""
    if policy.usage.combine == "multiply":
        return candidate.relevance * boost.factor
    return candidate.relevance + policy.usage.weight * math.log2(boost.factor)


def score_factor(hit: Hit, constants: Constants) -> float:
    """Return the factor on a memory's score, below 1 if it is doubted or states nothing (see `talk`)."""
    return math.prod(factor for factor, _ in _reductions(hit, constants))


def _lowered(factor: float, reductions: Sequence[tuple[float, str]]) -> str:
    """Return the factor on a memory's score and its causes in words; empty if the factor is about 1."""
    if f"{factor:.2f}" == "1.00":
        return ""
    return f"multiplied by {factor:.2f}, because {' and '.join(cause for _, cause in reductions)}"


def _reductions(hit: Hit, constants: Constants) -> list[tuple[float, str]]:
    """Return the factors below 1 on a memory's score, each with its cause in words."""
    reductions = []
    if hit.confidence < 1:
        reductions.append((1 - constants.max_doubt * (1 - hit.confidence), f"its confidence is {hit.confidence:.2f}"))
    if talk.states_nothing(hit) or only_refuses(hit):
        reductions.append((constants.question_factor, "it only asks, refuses or says that something is not known"))
    return reductions
