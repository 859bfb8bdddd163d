"""How well a candidate answers the query: one calibrated, monotone sum of named factors, each on a fixed scale.

Every factor is a fact of the memory itself (its words, its vector, who said it, when, in which session, whether it
asks or tells) against the query. The weights stand in the policy with what each was measured to be worth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from brain.search import K1, Found, Hit
from brain.text import words
from cognitive.plan import DateRange, RetrievalQuery
from cognitive.policy import Policy
from cognitive.trace import Candidate

USERS = frozenset({"user", "human", "customer", "client", "me", "i"})
ASSISTANTS = frozenset({"assistant", "ai", "bot", "agent", "system", "model"})

_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|time|month|year|week)|which (?:date|day|month|year|week)|how long"
    r"|how (?:many|much) (?:days?|weeks?|months?|years?|time)|since when)\b",
    re.IGNORECASE,
)
_SAYS_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|recently|soon|(?:week|month|year|day)s?|weekend|morning"
    r"|afternoon|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august"
    r"|september|october|november|december|summer|winter|spring|fall|autumn|(?:19|20)\d\d|\d+(?:st|nd|rd|th)"
    r"|\d{1,2}[:/.]\d{1,2})\b",
    re.IGNORECASE,
)
_ASKS_ASSISTANT = re.compile(
    r"\b(?:(?:did|have|had) you\b|you (?:ha(?:ve|d) )?(?:recommended|suggested|advised|said|told|mentioned|explained"
    r"|proposed|gave|given|provided|described|showed|wrote|answered)\b"
    r"|your (?:earlier |previous |last )?(?:advice|suggestions?|recommendations?|answers?|explanations?)\b)",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(
    r"(?:^|[.!?]\s+)(?:please\s+|and\s+|so\s+)?(?:always|never|from now on|whenever i|when i ask|going forward"
    r"|in (?:the )?future,? (?:please|always|never|don.?t)|make sure (?:you|to) always|remember to)\b"
    r"|\bwhen(?:ever)? i ask\b",
    re.IGNORECASE,
)
_FULL_LENGTH = 300  # characters from which a line's length says nothing more
_INSTRUCTED_WITHIN = 600  # characters: a standing instruction opens a message, it does not hide in a listing
_AFTERTHOUGHT_DAYS = 14.0  # an event is talked about for a while after the day it is asked about
_FORETHOUGHT_DAYS = 4.0
_RECENT_DAYS = 30.0  # half-life of being recent


def candidates(found: Found, query: RetrievalQuery, now: datetime, policy: Policy) -> list[Candidate]:
    """One candidate per memory, by its most relevant passage, best first; equal ones in the agent's own order."""
    best: dict[object, Candidate] = {}
    context = _QueryFacts(found, query, now)
    for hit in found.hits:
        factors = _factors(hit, context, policy.relevance)
        candidate = Candidate(hit, relevance=sum(factors.values()), factors=factors)
        rival = best.get(hit.memory_id)
        if rival is None or candidate.relevance > rival.relevance:
            best[hit.memory_id] = candidate
    ordered = sorted(best.values(), key=lambda c: (-c.relevance, c.hit.seq))
    return [replace(candidate, rank_before=n) for n, candidate in enumerate(ordered, 1)]


class _QueryFacts:
    """What the factors need to know of the query, once per query."""

    def __init__(self, found: Found, query: RetrievalQuery, now: datetime) -> None:
        text = query.text
        self.now = now
        self.dates = query.dates
        self.recency = query.recency_weight
        self.best_bm25 = max((K1 + 1) * sum(found.idf.values()), 1e-6)
        self.best_session = max((hit.scores.get("session_bm25", 0.0) for hit in found.hits), default=0.0)
        self.asks_when = _ASKS_WHEN.search(text) is not None
        self.asks_assistant = _ASKS_ASSISTANT.search(text) is not None
        self.named = _named_speakers(found.hits, text)


def _named_speakers(hits: Sequence[Hit], text: str) -> frozenset[str]:
    asked = set(words(text))
    speakers = {hit.speaker for hit in hits if hit.speaker}
    return frozenset(
        speaker for speaker in speakers if speaker.casefold() not in USERS | ASSISTANTS and asked & set(words(speaker))
    )


def _factors(hit: Hit, query: _QueryFacts, weight: Mapping[str, float]) -> dict[str, float]:
    """The weighted factors of one hit, those that are zero left out."""
    said_cosine = hit.scores.get("said_cosine", 0.0)
    speaker = (hit.speaker or "").casefold()
    from_user, from_assistant = speaker in USERS, speaker in ASSISTANTS
    content = hit.content
    raw = {
        "said_words": hit.scores.get("said_bm25", 0.0) / query.best_bm25,
        "around_words": hit.scores.get("around_bm25", 0.0) / query.best_bm25,
        "said_meaning": said_cosine,
        "around_meaning": hit.scores.get("around_cosine", said_cosine),
        "session": hit.scores.get("session_bm25", 0.0) / query.best_session if query.best_session else 0.0,
        "speaker": float(len(query.named) == 1 and hit.speaker in query.named),
        "asks": float(content.rstrip().endswith("?")),
        "says_when": float(query.asks_when and _SAYS_WHEN.search(content) is not None),
        "from_user": float(from_user and not query.asks_assistant),
        "from_assistant": float(from_assistant and query.asks_assistant),
        "instructs": float(not from_assistant and _INSTRUCTS.search(content[:_INSTRUCTED_WITHIN]) is not None),
        "dated": _dated(hit.occurred_at, query.dates) if query.dates else 0.0,
        "recent": query.recency * _recent(hit.occurred_at, query.now),
        "length": min(1.0, math.log1p(len(content)) / math.log1p(_FULL_LENGTH)),
    }
    return {name: weight[name] * value for name, value in raw.items() if value}


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
