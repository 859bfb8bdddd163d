"""The URL parameters of the list of memories: group, search text, filters and position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, get_args
from uuid import UUID

from brain.analytics.memory_rows import MemoryListFilter, UsageGroup
from brain.types import MEMORY_TYPES
from cognitive.dashboard.params import PageQuery, parse_time
from cognitive.errors import InvalidInput

HIT_COUNTS = (25, 100, 200)  # hits of a search: at first, and after each click on "More"
_MAX_FILTER_LENGTH = 200  # characters; longer values are cut
_MAX_QUERY_LENGTH = 1_000  # characters; a longer search text is cut
USAGE_GROUPS: tuple[UsageGroup, ...] = get_args(UsageGroup)
FLAG_GROUPS: Mapping[str, MemoryListFilter] = {
    "pinned": MemoryListFilter(pinned=True),
    "hidden": MemoryListFilter(hidden=True),
}
# value in the URL -> (label, maximum age, minimum age)
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
    "user": "seen by user",
}


@dataclass(frozen=True, slots=True)
class GroupText:
    """The texts for a group of memories: its label, a description, and a text for an empty group."""

    label: str
    about: str
    empty: str


GROUPS: Mapping[str, GroupText] = {
    "": GroupText("All", "Newest first.", "No memory is stored yet."),
    "never": GroupText(
        "Never shown",
        "No completed turn showed them, and they are not pinned. Oldest first.",
        "Every memory examined was shown in a turn.",
    ),
    "ignored": GroupText(
        "Always ignored",
        "Shown at least {showings} times and never used, so they only cost tokens. Most shown first.",
        "No memory was shown {showings} times without being used.",
    ),
    "rising": GroupText(
        "Rising",
        "Used at least {uses} times, mostly within the last {days} days (the half-life of usage).",
        "No memory was used {uses} times, mostly recently.",
    ),
    "stale": GroupText(
        "Stale",
        "Used at least {uses} times, but hardly in recent weeks. Usage has a half-life of {days} days.",
        "No memory that was used {uses} times has fallen out of use.",
    ),
    "pinned": GroupText(
        "Pinned",
        "They are in the prefix of every turn, for any message.",
        "No memory is pinned. Pin a memory that every turn needs on its page.",
    ),
    "hidden": GroupText(
        "Hidden",
        "They were superseded, retired or merged, or have expired. Turns do not show them.",
        "No memory is hidden.",
    ),
}


def search_text(query: PageQuery) -> str:
    """Return the text to search memories for, from the URL; "" if there is none."""
    return query.params.get("q", "").strip()[:_MAX_QUERY_LENGTH]


def group(query: PageQuery) -> str:
    """Return the name of the group of memories that the URL selects; "" for all memories, or if there is a search.

    Raises:
        InvalidInput: the URL names an unknown group.
    """
    name = query.params.get("group", "")
    if name not in GROUPS:
        raise InvalidInput(f"group: expected one of {', '.join(filter(None, GROUPS))}")
    return "" if search_text(query) else name


def memory_filter(query: PageQuery) -> MemoryListFilter:
    """Return the filter of memories that the URL's parameters describe.

    Raises:
        InvalidInput: the type or age is unknown, or a time is invalid.
    """
    values = {name: value[:_MAX_FILTER_LENGTH] for name, value in query.params.items() if value}
    if values.get("type", MEMORY_TYPES[0]) not in MEMORY_TYPES:
        raise InvalidInput(f"type: expected one of {', '.join(MEMORY_TYPES)}")
    if values.get("age", "1d") not in AGES:
        raise InvalidInput(f"age: expected one of {', '.join(AGES)}")
    _, max_age, min_age = AGES.get(values.get("age", ""), ("", None, None))
    flags = FLAG_GROUPS.get(group(query), MemoryListFilter())
    return MemoryListFilter(
        types=tuple(each for each in MEMORY_TYPES if values.get("type", each) == each),
        session_id=values.get("session"),
        tag=values.get("tag"),
        pinned=flags.pinned,
        hidden=flags.hidden,
        since=parse_time(values, "since") or (query.now - max_age if max_age else None),
        until=parse_time(values, "until") or (query.now - min_age if min_age else None),
    )


def filter_names(name: str) -> tuple[str, ...]:
    """Return the names of the filters that a group of memories offers.

    Groups by usage cannot be filtered by time or session.
    """
    return ("type", "tag", "user") if name in USAGE_GROUPS else tuple(FILTERS)


def max_hits(query: PageQuery) -> int:
    """Return the maximum number of hits of a search that the URL requests, one of HIT_COUNTS."""
    return next((count for count in HIT_COUNTS if str(count) == query.params.get("hits")), HIT_COUNTS[0])


def after(params: Mapping[str, str]) -> tuple[Any, ...] | None:
    """Return the position in the list of memories, (time, sequence number), from which the page continues.

    The position is None for the beginning of the list.

    Raises:
        InvalidInput: the position is not from the link of a previous page.
    """
    if not params.get("after"):
        return None
    at, _, seq = params["after"].partition("~")
    if not seq.isdecimal() or len(seq) > 18:
        raise InvalidInput("after: expected the position in the link of a previous page")
    return parse_time({"after": at}, "after"), int(seq)


def after_in_group(params: Mapping[str, str]) -> tuple[Any, ...] | None:
    """Return the position after which the page of a group continues: (sampling window, score, id) of a memory.

    The position is None for the beginning of the group.

    Raises:
        InvalidInput: the position is not from the link of a previous page.
    """
    if not params.get("after"):
        return None
    try:
        window, score, id = params["after"].split("~")
        return UUID(window), float(score) if score else None, UUID(id) if id else None
    except ValueError:
        raise InvalidInput("after: expected the position in the link of a previous page") from None
