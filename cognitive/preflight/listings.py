"""Recognise messages that ask for a list of memories, by the rules in `rules.listings` and `rules.listings_by_date`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from cognitive.plan import DateRange, Listing
from cognitive.preflight.rules.listings import ALL, DATED, KINDS, MINE, TOPIC, TYPES, UNDATED, USER
from cognitive.preflight.rules.listings_by_date import BY_DATE
from cognitive.preflight.rules.matching import Rule, RuleTable, compile_pattern
from cognitive.preflight.rules.words import GENERAL_TOPICS, NO_LIST_TOPIC

MAX_LENGTH = 200  # characters; a longer message says more than that it wants a list
MAX_TOPIC = 3  # words; a longer topic asks for one answer
_MAX_BROAD = timedelta(days=31)  # the longest time of which everything is listed if nothing is about the topic

LISTING_RULES = (*UNDATED, *BY_DATE, *KINDS)

_requests, _kinds = RuleTable((*UNDATED, *BY_DATE)), RuleTable(KINDS)
_object = compile_pattern(
    r"\b(?:(?:about|on|in|of|regarding|concerning) (?:my|our|the|this|that|his|her|their)"
    r"|(?:list|show|me|all) (?:my|our))"
    rf" (?:\w+ ){{0,2}}(?:{'|'.join(sorted(GENERAL_TOPICS))})\b",
    name="listing.object",
)
_past = compile_pattern(r"\b(?:did|had|was|were) (?:i|we|my|our)\b", name="listing.past_of_user")


def read(
    content: str, lower: bytes, dates: DateRange | None, topics: Sequence[str]
) -> tuple[Listing | None, tuple[Rule, ...]]:
    """Return the list of memories that a message asks for, and the rules that say so; None if it asks for no list.

    Args:
        content: the message without its greeting.
        lower: the folded message in lower case (see `rules.matching.fold`).
        dates: the range of time that the message names.
        topics: the message's topic words.
    """
    if len(content) > MAX_LENGTH:
        return None, ()
    requests = [rule for rule in _requests.fired(lower) if rule.signal != DATED or dates is not None]
    if not requests:
        return None, ()
    scopes = [rule.signal for rule in requests]
    # what happened in a range of time is not in episodes alone
    kinds = [rule for rule in _kinds.fired(lower) if rule.signal != "episode" or dates is None]
    about = _topic(topics, dates)
    general = _general_topic(topics, lower) if not about else ()
    about, by_topic = about or general, set(scopes) == {TOPIC}
    if len(about) > MAX_TOPIC or (by_topic and not (kinds or about)):
        return None, ()
    kind = kinds[0].signal if kinds else next((scope for scope in (USER, MINE) if scope in scopes), ALL)
    mine = MINE in scopes
    listing = Listing(
        TYPES[kind],
        about,
        own=mine or TOPIC in scopes,
        broad=mine or (TOPIC in scopes and bool(kinds)) or (bool(general) and not by_topic) or _is_past(lower, dates),
        about_user=USER in scopes,
    )
    return listing, (*requests, *kinds)


def _is_past(lower: bytes, dates: DateRange | None) -> bool:
    """Return True if a message asks what the user did or had in a range of time that is not too long."""
    short = dates is not None and dates.end - dates.start <= _MAX_BROAD
    return short and _past.search(lower) is not None


def _topic(topics: Sequence[str], dates: DateRange | None) -> tuple[str, ...]:
    """Return the topic words without those of the request itself and of the date."""
    dated = frozenset(dates.phrase.lower().replace("'s", "").split()) if dates is not None else frozenset()
    return tuple(word for word in topics if word not in NO_LIST_TOPIC and word not in dated)


def _general_topic(topics: Sequence[str], lower: bytes) -> tuple[str, ...]:
    """Return the general nouns among the topic words that stand where a message names its topic: "about my team"."""
    named = {word for match in _object.finditer(lower) for word in match.group().decode().split()}
    return tuple(word for word in topics if word in GENERAL_TOPICS and word in named)
