"""Listing: keep the memories that a message asks to list, whatever the evidence that they match it.

A listed memory has one of the listing's types, lies in the range of time that the message names, and is about the
listing's topic. A list without a topic replaces abstention, and its newest memories come first. A list with a topic
adds memories to those that pass abstention.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from datetime import UTC, date, datetime, time

from brain.search import Hit
from brain.text import stem, stem_counts
from cognitive.context import talk
from cognitive.context.speakers import ASSISTANTS, FIRST_PERSON
from cognitive.plan import DateRange, Listing, Signals
from cognitive.trace import Candidate, CandidateResult, StageResult

# Cosine from which a memory is about a topic although they share no word: for something of the user's own ("my
# allergies"), which the user expects in memory, and for anything else. The threshold grows with the logarithm of the
# store's size, as the best cosine of unrelated memories does. Of the 40 requests in tests/data/requests.json, two show
# nothing expected with an own cosine of 0.25 or a growth of 0.06; with 0.15 or 0.02, a third or a seventh more other
# memories are shown. With 0.2 instead of 0.35, twice as many questions about unrelated topics ("chess") show something.
_MIN_OWN_COSINE, _MIN_COSINE = 0.2, 0.35
_GROWTH, _SMALL_STORE = 0.04, 10  # per factor e in size; passages
# Words that a memory has in place of a general word.
_MEMBERS = {
    "family": """wife husband spouse partner son daughter kid child children brother sister sibling mother mum mom
        father dad parent grandmother grandma grandfather grandpa aunt uncle cousin niece nephew"""
}
_MEMBER_STEMS = {stem(general): frozenset(map(stem, words.split())) for general, words in _MEMBERS.items()}


def keep_listed(
    candidates: Sequence[Candidate],
    signals: Signals,
    passages: int,
    abstain: Callable[[Sequence[Candidate]], StageResult],
    *,
    abstention: bool,
) -> StageResult:
    """Keep the candidates that the message asks to list, each with a note that says so.

    `passages` is the size of the store. `abstain` decides about the others if the list has a topic, and about all
    candidates if there is nothing to list. Without a topic, the others are dropped as "irrelevant". If the policy's
    `abstention` is off, nothing is dropped, and the listed candidates come first.
    """
    listing = signals.listing
    listed = _listed(candidates, listing, signals.dates, passages) if listing is not None else []
    if listing is None or not listed:
        return abstain(candidates)
    note = f"listed: the message asks for {described(listing, signals.dates)}"
    if listing.topic and abstention:
        return _added(listed, candidates, abstain(candidates), listing, note)
    chosen = {candidate.hit.memory_id for candidate in listed}
    noted = tuple(_noted(candidate, note) for candidate in listed)
    others = tuple(candidate for candidate in candidates if candidate.hit.memory_id not in chosen)
    if not abstention:
        return StageResult((*noted, *others))
    return StageResult(noted, tuple(CandidateResult(each, "irrelevant", each.score, f"not {note}") for each in others))


def _added(
    listed: Sequence[Candidate], candidates: Sequence[Candidate], passed: StageResult, listing: Listing, note: str
) -> StageResult:
    """Return the result `passed` of abstention on the candidates, with the listed ones kept too."""
    if passed.kept and not listing.own:  # a cosine decides only where there is nothing more certain
        stems = stem_counts(" ".join(listing.topic)).keys()
        listed = [candidate for candidate in listed if _names(candidate.hit, stems)]
    chosen = {candidate.hit.memory_id for candidate in listed}
    kept = chosen | {candidate.hit.memory_id for candidate in passed.kept}
    remaining = [
        _noted(candidate, note) if candidate.hit.memory_id in chosen else candidate
        for candidate in candidates
        if candidate.hit.memory_id in kept
    ]
    if len(listing.types[0]) == 1:  # the message names the type, such as "decisions": they answer it
        remaining.sort(key=lambda candidate: candidate.hit.memory_id not in chosen)
    dropped = tuple(result for result in passed.dropped if result.candidate.hit.memory_id not in chosen)
    return StageResult(tuple(remaining), dropped)


def _noted(candidate: Candidate, note: str) -> Candidate:
    """Return a candidate with a further note."""
    return candidate._replace(note=f"{candidate.note}; {note}" if candidate.note else note)


def described(listing: Listing, dates: DateRange | None) -> str:
    """Return what a message asks to list, in words: "all decisions", or "all memories about garden, last week"."""
    types = listing.types[0]
    kinds = (
        f"all {types[0]}s" if len(types) == 1 else "everything about the user" if listing.about_user else "all memories"
    )
    about = f" about {' '.join(listing.topic)}" if listing.topic else ""
    return f"{kinds}{about}{f' ({dates.phrase})' if dates is not None else ''}"


def _listed(
    candidates: Sequence[Candidate], listing: Listing, dates: DateRange | None, passages: int
) -> list[Candidate]:
    """Return the candidates that belong to a list.

    With a topic, they keep their order. Without one, the newest come first, after those that speak of the user if the
    list is about the user. Lines that state nothing are left out, unless the message names a time or there are only
    such lines.
    """
    in_time = [each for each in candidates if dates is None or _within(each.hit, dates)]
    groups = [[each for each in in_time if each.hit.type in types] for types in listing.types]
    if listing.topic:
        min_cosine = _MIN_OWN_COSINE if listing.own else _MIN_COSINE
        min_cosine += _GROWTH * math.log(max(1.0, passages / _SMALL_STORE))
        stems = stem_counts(" ".join(listing.topic)).keys()
        matching = [[each for each in group if _is_about(each, stems, min_cosine)] for group in groups]
        if listing.broad and not any(_names(each.hit, stems) for each in in_time):
            matching = groups  # a topic such as "meetings" or "family" is often only a general word for what is stored
        return next((group for group in matching if group), [])
    listed = _of_user(in_time) if listing.about_user else []
    listed = listed or next((group for group in groups if group), [])
    if dates is None:
        listed = [each for each in listed if not talk.states_nothing(each.hit)] or listed
    listed.sort(key=lambda each: (each.hit.occurred_at, each.hit.seq), reverse=True)
    return sorted(listed, key=lambda each: listing.about_user and not _about_user(each.hit))


def _of_user(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the turn's user's own memories, and the shared ones that speak of the user; none without own ones."""
    own = [each for each in candidates if each.hit.user_id is not None]
    return own and [each for each in candidates if each.hit.user_id is not None or _about_user(each.hit)]


def _within(hit: Hit, dates: DateRange) -> bool:
    return any(dates.start <= moment < dates.end for moment in _moments(hit))


def _is_about(candidate: Candidate, topic: Set[str], min_cosine: float) -> bool:
    return _names(candidate.hit, topic) or candidate.hit.scores.get("content_cosine", 0.0) >= min_cosine


def _moments(hit: Hit) -> list[datetime]:
    """Return when a memory occurred, and the date that is planned in it."""
    try:
        planned = datetime.combine(date.fromisoformat(str(hit.attributes.get("date", ""))[:10]), time(12), UTC)
    except ValueError:
        return [hit.occurred_at]
    return [hit.occurred_at, planned]


def _names(hit: Hit, topic: Set[str]) -> bool:
    """Return True if a memory has at least half of the stems of a topic."""
    attributes = (value for value in hit.attributes.values() if isinstance(value, str))
    own = stem_counts(" ".join((hit.speaker or "", hit.content, *attributes))).keys()
    named = [each for each in topic if each in own or not own.isdisjoint(_MEMBER_STEMS.get(each, ()))]
    return bool(topic) and 2 * len(named) >= len(topic)


def _about_user(hit: Hit) -> bool:
    """Return True if a memory speaks of its user: it names the user, or is in the first person and states something.

    A user's own memories of other types than episode are taken to speak of the user. In the first person an assistant
    speaks of itself.
    """
    if hit.user_id is not None and hit.type != "episode":
        return True
    if "user" in hit.content.lower().replace("'s", "").split():
        return True
    own = FIRST_PERSON.search(hit.content) is not None and (hit.speaker or "").casefold() not in ASSISTANTS
    return own and not talk.states_nothing(hit) and talk.states(hit.content)
