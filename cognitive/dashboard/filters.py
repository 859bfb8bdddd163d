"""The list of memories as an address asks for it: which group of them, which filters, from where on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, get_args
from uuid import UUID

from brain.analytics.memories import MemoryFilter, UsageGroup
from brain.types import MEMORY_TYPES
from cognitive.dashboard.params import PageQuery, parse_time
from cognitive.errors import InvalidInput

HIT_COUNTS = (25, 100, 200)  # of a search: what is shown first, and what a click more brings
_LONGEST = 200  # characters of a filter; what is longer is pasted by mistake
_MAX_QUERY_LENGTH = 1_000
USAGE_GROUPS: tuple[UsageGroup, ...] = get_args(UsageGroup)
FLAG_GROUPS: Mapping[str, MemoryFilter] = {
    "pinned": MemoryFilter(pinned=True),
    "superseded": MemoryFilter(superseded=True),
}
# name -> (what it says, since so long ago, until so long ago)
AGES: Mapping[str, tuple[str, timedelta | None, timedelta | None]] = {
    "1d": ("last 24 hours", timedelta(days=1), None),
    "7d": ("last 7 days", timedelta(days=7), None),
    "30d": ("last 30 days", timedelta(days=30), None),
    "90d": ("last 90 days", timedelta(days=90), None),
    "over30d": ("older than 30 days", None, timedelta(days=30)),
    "over90d": ("older than 90 days", None, timedelta(days=90)),
    "over1y": ("older than a year", None, timedelta(days=365)),
}
FILTERS = {
    "q": "search",
    "type": "type",
    "tag": "tag",
    "age": "age",
    "session": "session",
    "since": "since",
    "until": "until",
}


@dataclass(frozen=True, slots=True)
class GroupText:
    """A group: its name, what is in it and in which order, and what it means that nothing is."""

    label: str
    about: str
    empty: str


GROUPS: Mapping[str, GroupText] = {
    "": GroupText("All", "Newest first.", "Nothing was remembered yet."),
    "never": GroupText(
        "Never shown",
        "In no turn that counts, and not pinned; what was stored longest ago comes first.",
        "Every memory looked at was shown in some turn.",
    ),
    "ignored": GroupText(
        "Always ignored",
        "Shown {showings} times or more and never used: they cost tokens. The most shown come first.",
        "No memory was shown {showings} times without being used once. Nothing to throw away here.",
    ),
    "rising": GroupText(
        "Rising",
        "Used {uses} times or more, most of it within the half-life of {days} days.",
        "No memory was used {uses} times with most of it lately.",
    ),
    "stale": GroupText(
        "Gone stale",
        "Used {uses} times or more, hardly lately: by the half-life of {days} days little is left of it.",
        "No memory was once used {uses} times and is not any more.",
    ),
    "pinned": GroupText(
        "Pinned",
        "They stand in the prefix of every turn, whatever is asked.",
        "Nothing is pinned. What every turn must know, pin on the memory's page.",
    ),
    "superseded": GroupText(
        "Superseded",
        "A newer memory replaced them; they rank below it.",
        "No memory was replaced by another.",
    ),
}


def search_text(query: PageQuery) -> str:
    """What is searched for, "" for nothing."""
    return query.params.get("q", "").strip()[:_MAX_QUERY_LENGTH]


def group(query: PageQuery) -> str:
    """The group that an address names; "" for all, and where something is searched for.

    Raises:
        InvalidInput: there is no such group.
    """
    name = query.params.get("group", "")
    if name not in GROUPS:
        raise InvalidInput(f"group: expected one of {', '.join(filter(None, GROUPS))}")
    return "" if search_text(query) else name


def memory_filter(query: PageQuery) -> MemoryFilter:
    """The filter that an address names.

    Raises:
        InvalidInput: it names one that makes no sense.
    """
    values = {name: value[:_LONGEST] for name, value in query.params.items() if value}
    if values.get("type", MEMORY_TYPES[0]) not in MEMORY_TYPES:
        raise InvalidInput(f"type: expected one of {', '.join(MEMORY_TYPES)}")
    if values.get("age", "1d") not in AGES:
        raise InvalidInput(f"age: expected one of {', '.join(AGES)}")
    _, min_age, max_age = AGES.get(values.get("age", ""), ("", None, None))
    flags = FLAG_GROUPS.get(group(query), MemoryFilter())
    return MemoryFilter(
        types=tuple(each for each in MEMORY_TYPES if values.get("type", each) == each),
        session_id=values.get("session"),
        tag=values.get("tag"),
        pinned=flags.pinned,
        superseded=flags.superseded,
        since=parse_time(values, "since") or (query.now - min_age if min_age else None),
        until=parse_time(values, "until") or (query.now - max_age if max_age else None),
    )


def filter_names(name: str) -> tuple[str, ...]:
    """The filters that a list has: groups by use know no time, and no session."""
    return ("type", "tag") if name in USAGE_GROUPS else tuple(FILTERS)


def max_hits(query: PageQuery) -> int:
    """How many of what a search found are shown: the first of `HITS`, or what was clicked for."""
    return next((most for most in HIT_COUNTS if str(most) == query.params.get("hits")), HIT_COUNTS[0])


def after(params: Mapping[str, str]) -> tuple[Any, ...] | None:
    """Where a list goes on, as `memories.view` wrote it.

    Raises:
        InvalidInput: it did not.
    """
    if not params.get("after"):
        return None
    at, _, seq = params["after"].partition("~")
    if not seq.isdecimal() or len(seq) > 18:
        raise InvalidInput("after: expected what a page before this one gave")
    return parse_time({"after": at}, "after"), int(seq)


def after_in_group(params: Mapping[str, str]) -> tuple[Any, ...] | None:
    """The same for a group: a window, and within it a score and an id."""
    if not params.get("after"):
        return None
    try:
        window, score, id = params["after"].split("~")
        return UUID(window), float(score) if score else None, UUID(id) if id else None
    except ValueError:
        raise InvalidInput("after: expected what a page before this one gave") from None
