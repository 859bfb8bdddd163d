"""The list of memories: searched as an agent searches, filtered, and in groups by what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from starlette.responses import Response

from brain.analytics.memories import GroupSizes, MemoryFilter, MemoryRow, UsageThresholds
from brain.analytics.paging import MAX_LOOKED
from brain.analytics.turn_rows import ResultPage as RowPage
from brain.analytics.turns import TurnAnalytics
from brain.types import MEMORY_TYPES, MemoryType
from cognitive.dashboard import filters
from cognitive.dashboard.formats import compact, number
from cognitive.dashboard.formats import moment as format_moment
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery, parse_time
from cognitive.errors import StoreUnavailable
from cognitive.lab.descriptions import FACTORS
from cognitive.layer import CognitiveLayer
from cognitive.turn import RecallHit

PAGE = 50
_PART = "relevance."  # how recall names the weighted factors of a score


@dataclass(frozen=True, slots=True)
class MemoriesData:
    """What the page is made of: a page of a list, or what a search found, with the rows of that by id.

    `hits` None: the search was not done in time.
    """

    page: RowPage[MemoryRow] | None
    hits: Sequence[RecallHit] | None
    found: Mapping[UUID, MemoryRow]
    sizes: GroupSizes
    tags: Sequence[str]
    habit: UsageThresholds


@dataclass(frozen=True, slots=True)
class Tab:
    """A group with how many are in it, as far as that is known, and its address."""

    label: str
    count: str
    sampled: bool
    link: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class MemoryFilterSelect:
    """A filter with its values, each with what it says, and the one that was chosen."""

    name: str
    label: str
    values: tuple[tuple[str, str], ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class AppliedMemoryFilter:
    """A filter that holds, and the address without it."""

    name: str
    value: str
    remove_link: str


@dataclass(frozen=True, slots=True)
class Score:
    """Why a search found a memory: its rank, what its relevance is made of, and what each channel said."""

    rank: int
    score: float
    relevance: float
    boost: float
    parts: tuple[tuple[str, float, float], ...]
    channels: tuple[tuple[str, float], ...]

    @property
    def bars(self) -> list[tuple[str, float]]:
        """The parts as one bar: what speaks for it."""
        return [(f"{name} {value:.3f}", value) for name, value, _ in self.parts if value > 0]


@dataclass(frozen=True, slots=True)
class MemoryListRow:
    """A memory in the list; `score` if it was searched for."""

    memory: MemoryRow
    link: str
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class MemoriesView:
    """The page. `sample` says of what its group is told where not all memories were looked at; `late` that a search
    was given up.
    """

    tabs: tuple[Tab, ...]
    group: str
    about: str
    empty: str
    sample: str
    search_text: str
    choices: tuple[MemoryFilterSelect, ...]
    applied: tuple[AppliedMemoryFilter, ...]
    rows: tuple[MemoryListRow, ...]
    looked: int
    back_to: datetime | None
    following: str | None
    newest: str | None
    whole: bool
    timed_out: bool


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> MemoriesData:
    """What a search finds, or a page of the list or of a group; and what there is to choose from."""
    agent, habit = query.agent, UsageThresholds(layer.policies.current(query.agent).usage.half_life_days)
    (page, hits, found), sizes, tags = await asyncio.gather(
        _found(layer, analytics, query, habit), analytics.group_sizes(agent, habit, query.now), analytics.tags(agent)
    )
    return MemoriesData(page, hits, found, sizes, tags, habit)


async def _found(
    layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery, habit: UsageThresholds
) -> tuple[RowPage[MemoryRow] | None, Sequence[RecallHit] | None, Mapping[UUID, MemoryRow]]:
    """A page of a list, or else what a search brings, and the rows of that."""
    wanted = filters.memory_filter(query)
    if not filters.search_text(query):
        return await _listed(analytics, query, wanted, habit), (), {}
    try:
        hits = await _search(layer, query, wanted)
    except StoreUnavailable:  # too much to search: if Postgres were away, the reads beside it would say so
        return None, None, {}
    return None, hits, await analytics.beginnings(query.agent, [hit.memory_id for hit in hits])


async def _search(layer: CognitiveLayer, query: PageQuery, wanted: MemoryFilter) -> tuple[RecallHit, ...]:
    """The real recall; without a turn it leaves no trace in usage."""
    return await layer.recall(
        query.agent,
        filters.search_text(query),
        _one_type(wanted),
        filters.max_hits(query),
        now=query.now,
        tags=(wanted.tag,) if wanted.tag else (),
        session_id=wanted.session_id,
        since=wanted.since,
        until=wanted.until,
    )


async def _listed(
    analytics: TurnAnalytics, query: PageQuery, wanted: MemoryFilter, habit: UsageThresholds
) -> RowPage[MemoryRow]:
    by_use = next((each for each in filters.USAGE_GROUPS if each == filters.group(query)), None)
    if by_use is None:
        return await analytics.memories(query.agent, wanted, limit=PAGE, after=filters.after(query.params))
    return await analytics.group(
        query.agent,
        by_use,
        habit,
        query.now,
        types=wanted.types,
        tag=wanted.tag,
        limit=PAGE,
        after=filters.after_in_group(query.params),
    )


def view(data: MemoriesData, query: PageQuery) -> MemoriesView:
    """The page from what was read."""
    name, page = filters.group(query), data.page
    given = {each: value for each, value in query.params.items() if each in filters.filter_names(name) and value}
    group, habit = filters.GROUPS[name], data.habit
    numbers = {"showings": habit.showings, "uses": habit.uses, "days": number(habit.half_life_days)}
    return MemoriesView(
        tabs=_tabs(data.sizes, name, query),
        group=name,
        about=group.about.format(**numbers),
        empty=group.empty.format(**numbers),
        sample=_sample(name, page, data.sizes),
        search_text=filters.search_text(query),
        choices=_choices(given, data.tags, name),
        applied=tuple(
            AppliedMemoryFilter(
                filters.FILTERS[each],
                _told(each, value, query),
                query.with_changes("memories", **{each: None, "after": None}),
            )
            for each, value in given.items()
        ),
        rows=_rows(data, query),
        looked=page.looked if page else len(data.hits or ()),
        back_to=page.back_to if page else None,
        following=_following(data, name, query),
        newest=query.with_changes("memories", after=None) if query.params.get("after") else None,
        whole=not given and not name and not query.params.get("after"),
        timed_out=data.hits is None,
    )


def _tabs(sizes: GroupSizes, chosen: str, query: PageQuery) -> tuple[Tab, ...]:
    scale = sizes.memories / sizes.looked if sizes.looked else 0.0

    def count(name: str) -> tuple[str, bool]:
        if not name:
            return compact(sizes.memories), False
        size = getattr(sizes, name)
        if name in filters.FLAG_GROUPS:
            return (f"{compact(size)}+" if size >= MAX_LOOKED else compact(size)), False
        return (f"≈ {compact(round(size * scale))}" if sizes.sampled else compact(size)), sizes.sampled

    kept = {name: query.params.get(name) or None for name in ("type", "tag")}
    return tuple(
        Tab(group.label, *count(name), query.link("memories", group=name or None, **kept), name == chosen)
        for name, group in filters.GROUPS.items()
    )


def _sample(name: str, page: RowPage[MemoryRow] | None, sizes: GroupSizes) -> str:
    """What a group by use is told of where that is not all."""
    if page is None or name not in filters.USAGE_GROUPS or not sizes.sampled:
        return ""
    of = "of those that were ever shown" if name != "never" else f"of {number(sizes.memories)}"
    return (
        f"A random sample: {number(page.looked)} memories {of} were looked at, and these are the clearest among them."
    )


def _choices(given: Mapping[str, str], tags: Sequence[str], name: str) -> tuple[MemoryFilterSelect, ...]:
    choices = [
        MemoryFilterSelect("type", "Type", tuple((each, each) for each in MEMORY_TYPES), given.get("type", "")),
        MemoryFilterSelect("tag", "Tag", _with(given.get("tag"), tags), given.get("tag", "")),
    ]
    if name not in filters.USAGE_GROUPS:
        ages = tuple((age, data) for age, (data, _, _) in filters.AGES.items())
        choices.append(MemoryFilterSelect("age", "Age", ages, given.get("age", "")))
    return tuple(choices)


def _with(chosen: str | None, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """A value that is rare is still what holds."""
    own = (*values, chosen) if chosen and chosen not in values else values
    return tuple((each, each) for each in sorted(own))


def _rows(data: MemoriesData, query: PageQuery) -> tuple[MemoryListRow, ...]:
    if data.page is not None:
        return tuple(MemoryListRow(row, query.link("memory", id=row.id)) for row in data.page.rows)
    return tuple(
        MemoryListRow(data.found[hit.memory_id], query.link("memory", id=hit.memory_id), _score(n, hit))
        for n, hit in enumerate(data.hits or (), 1)
        if hit.memory_id in data.found
    )


def _score(rank: int, hit: RecallHit) -> Score:
    parts = {name.removeprefix(_PART): value for name, value in hit.scores.items() if name.startswith(_PART)}
    most = max((abs(value) for value in parts.values()), default=0.0) or 1.0
    data = sorted(parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    channels = {name: value for name, value in hit.scores.items() if not name.startswith(_PART)}
    relevance, boost = channels.pop("relevance", 0.0), channels.pop("boost", 1.0)
    return Score(
        rank,
        hit.score,
        relevance,
        boost,
        tuple((FACTORS.get(name, name), value, abs(value) / most) for name, value in data if value),
        tuple((name.replace("_", " "), value) for name, value in sorted(channels.items())),
    )


def _following(data: MemoriesData, name: str, query: PageQuery) -> str | None:
    """Where the list goes on; a search shows more of what it found."""
    if data.page is None:
        more = next((most for most in filters.HIT_COUNTS if most > filters.max_hits(query)), None)
        return (
            query.with_changes("memories", hits=more)
            if more and len(data.hits or ()) == filters.max_hits(query)
            else None
        )
    if data.page.after is None:
        return None
    written = (each.isoformat() if isinstance(each, datetime) else str(each or "") for each in data.page.after)
    return query.with_changes("memories", after="~".join(written))


def _one_type(wanted: MemoryFilter) -> MemoryType | None:
    return wanted.types[0] if len(wanted.types) == 1 else None


def _told(name: str, value: str, query: PageQuery) -> str:
    if name in ("since", "until"):
        return format_moment(parse_time({name: value}, name), query.zone)
    return filters.AGES[value][0] if name == "age" else value


async def listed(visit: Visit) -> Response:
    """The list: searched, filtered, or a group."""
    data = await read(visit.layer, visit.analytics, visit.query)
    return visit.page("memories.html", view=view(data, visit.query), may_erase=visit.visitor.erase)


_ICON = "M8 2.5 2.5 5.2 8 8l5.5-2.8zM2.5 8 8 10.8 13.5 8M2.5 10.8 8 13.5l5.5-2.7"
PAGES = (PageRoute("/memories", listed, label="Memories", icon=_ICON, static_files=("memories.css", "memories.js")),)
