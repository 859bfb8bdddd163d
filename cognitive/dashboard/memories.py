"""The page that lists memories: with filters, in groups by usage, or as the hits of a search."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from starlette.responses import Response

from brain.analytics.memory_rows import GroupSizes, MemoryListFilter, MemoryRow
from brain.analytics.paging import MAX_LOOKED
from brain.analytics.turn_rows import ResultPage
from brain.analytics.turns import TurnAnalytics
from brain.types import MEMORY_TYPES
from brain.upkeep import MIN_SHOWN, MIN_USED
from cognitive.dashboard import filters
from cognitive.dashboard.formats import compact, number
from cognitive.dashboard.formats import moment as format_moment
from cognitive.dashboard.hit_scores import Score, legend, score_of
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import AppliedFilter, PageQuery, parse_time
from cognitive.errors import StoreUnavailable
from cognitive.layer import CognitiveLayer
from cognitive.recall_hits import RecallHit

PAGE = 50  # memories on a page


@dataclass(frozen=True, slots=True)
class MemoriesData:
    """The data of the page that lists memories: a page of the list, or the hits of a search with their memories by id.

    `page` is None for a search. `hits` is None if the search timed out.
    """

    page: ResultPage[MemoryRow] | None
    hits: Sequence[RecallHit] | None
    found: Mapping[UUID, MemoryRow]
    sizes: GroupSizes
    tags: Sequence[str]
    half_life_days: float


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of the page: a group of memories with its size and link. `sampled` is True if the size is estimated."""

    label: str
    count: str
    sampled: bool
    link: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class MemoryFilterSelect:
    """A drop-down filter of memories: its values with their labels. `chosen` is "" if the filter is not set."""

    name: str
    label: str
    values: tuple[tuple[str, str], ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class MemoryListRow:
    """A row of the list of memories; `score` is None if the row is not a search hit."""

    memory: MemoryRow
    link: str
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class MemoriesView:
    """The content of the page that lists memories, as its template shows it.

    `sample` is a note that the group was drawn from a random sample, or "" if all memories were examined. `looked` is
    the number of memories examined, and `back_to` the time of the oldest of them. `whole` is True if the list is
    unfiltered and at its beginning. `total` is the number of memories in an unfiltered list, else None. `legend` names
    the parts of the bars of a search in the order of their colours, and a bar of the sum `top` has the full width.
    """

    tabs: tuple[Tab, ...]
    group: str
    about: str
    empty: str
    sample: str
    search_text: str
    choices: tuple[MemoryFilterSelect, ...]
    applied: tuple[AppliedFilter, ...]
    rows: tuple[MemoryListRow, ...]
    legend: tuple[str, ...]
    top: float
    looked: int
    back_to: datetime | None
    following: str | None
    newest: str | None
    whole: bool
    total: int | None
    file_params: Mapping[str, str]
    timed_out: bool


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> MemoriesData:
    """Read the data of the page that lists memories: rows of the list or hits of a search, group sizes, tags."""
    half_life_days = (await layer.policies.running(query.agent)).policy.usage.half_life_days
    (page, hits, memories), sizes, tags = await asyncio.gather(
        _page_or_hits(layer, analytics, query, half_life_days),
        analytics.group_sizes(query.scope, half_life_days, query.now),
        analytics.tags(query.scope),
    )
    return MemoriesData(page, hits, memories, sizes, tags, half_life_days)


async def _page_or_hits(
    layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery, half_life_days: float
) -> tuple[ResultPage[MemoryRow] | None, Sequence[RecallHit] | None, Mapping[UUID, MemoryRow]]:
    """Read a page of the list of memories, or for a search the hits and the memories of these hits by id.

    The result is (page, hits, memories); the parts that do not apply are None or empty.
    """
    wanted = filters.memory_filter(query)
    if not filters.search_text(query):
        return await _listed(analytics, query, wanted, half_life_days), (), {}
    try:
        hits = await _search(layer, query, wanted)
    except StoreUnavailable:  # a timeout: if Postgres were unreachable, the reads at the same time would fail too
        return None, None, {}
    return None, hits, await analytics.beginnings(query.scope, [hit.memory_id for hit in hits])


async def _search(layer: CognitiveLayer, query: PageQuery, wanted: MemoryListFilter) -> tuple[RecallHit, ...]:
    """Search memories as the agent's recall tool does, but without a turn, so that hits do not count as shown."""
    return await layer.recall(
        query.agent,
        filters.search_text(query),
        wanted.types[0] if len(wanted.types) == 1 else None,
        filters.max_hits(query),
        now=query.now,
        tags=(wanted.tag,) if wanted.tag else (),
        session_id=wanted.session_id,
        since=wanted.since,
        until=wanted.until,
        user_id=query.view,
    )


async def _listed(
    analytics: TurnAnalytics, query: PageQuery, wanted: MemoryListFilter, half_life_days: float
) -> ResultPage[MemoryRow]:
    by_use = next((each for each in filters.USAGE_GROUPS if each == filters.group(query)), None)
    if by_use is None:
        return await analytics.memories(query.scope, wanted, limit=PAGE, after=filters.after(query.params))
    return await analytics.group(
        query.scope,
        by_use,
        half_life_days,
        query.now,
        types=wanted.types,
        tag=wanted.tag,
        limit=PAGE,
        after=filters.after_in_group(query.params),
    )


def view(data: MemoriesData, query: PageQuery) -> MemoriesView:
    """Convert the data of the page that lists memories to the form that its template shows."""
    name, page = filters.group(query), data.page
    params = {each: value for each, value in query.params.items() if each in filters.filter_names(name) and value}
    group, rows = filters.GROUPS[name], list_rows(data, query)
    numbers = {"showings": MIN_SHOWN, "uses": MIN_USED, "days": number(data.half_life_days)}
    return MemoriesView(
        tabs=_tabs(data.sizes, name, query),
        group=name,
        about=group.about.format(**numbers),
        empty=group.empty.format(**numbers),
        sample=_sample(name, page, data.sizes),
        search_text=filters.search_text(query),
        choices=_choices(params, data.tags, name),
        applied=tuple(
            AppliedFilter(
                filters.FILTERS[each],
                _filter_text(each, value, query),
                query.with_changes("memories", **{each: None, "after": None}),
            )
            for each, value in params.items()
        ),
        rows=rows,
        legend=legend(data.hits or ()),
        top=max((sum(value for _, value in row.score.bars) for row in rows if row.score), default=0.0) or 1.0,
        looked=page.looked if page else len(data.hits or ()),
        back_to=page.back_to if page else None,
        following=_following(data, name, query),
        newest=query.with_changes("memories", after=None) if query.params.get("after") else None,
        whole=not params and not name and not query.params.get("after"),
        total=None if params or name else data.sizes.memories,
        file_params={name: value for name, value in query.params.items() if name not in ("agent", "as")},
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

    params = {name: query.params.get(name) or None for name in ("type", "tag")}
    return tuple(
        Tab(group.label, *count(name), query.link("memories", group=name or None, **params), name == chosen)
        for name, group in filters.GROUPS.items()
    )


def _sample(name: str, page: ResultPage[MemoryRow] | None, sizes: GroupSizes) -> str:
    """Return a note that a group of memories was drawn from a random sample, or "" if all memories were examined."""
    if page is None or name not in filters.USAGE_GROUPS or not sizes.sampled:
        return ""
    of = "memories that turns have shown" if name != "never" else f"{number(sizes.memories)} memories"
    return f"From a random sample of {number(page.looked)} of the {of}; the clearest cases first."


def _choices(params: Mapping[str, str], tags: Sequence[str], name: str) -> tuple[MemoryFilterSelect, ...]:
    choices = [
        MemoryFilterSelect("type", "Type", tuple((each, each) for each in MEMORY_TYPES), params.get("type", "")),
        MemoryFilterSelect("tag", "Tag", _with_chosen(params.get("tag"), tags), params.get("tag", "")),
    ]
    if name not in filters.USAGE_GROUPS:
        ages = tuple((age, data) for age, (data, _, _) in filters.AGES.items())
        choices.append(MemoryFilterSelect("age", "Age", ages, params.get("age", "")))
    return tuple(choices)


def _with_chosen(chosen: str | None, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the values of a filter with labels, sorted; the chosen value is added if it is missing."""
    complete = (*values, chosen) if chosen and chosen not in values else values
    return tuple((each, each) for each in sorted(complete))


def list_rows(data: MemoriesData, query: PageQuery) -> tuple[MemoryListRow, ...]:
    """Return the rows of the list: those of the page, or the hits of the search with their scores."""
    if data.page is not None:
        return tuple(MemoryListRow(row, query.link_to_memory(row.id, row.user_id)) for row in data.page.rows)
    names = legend(data.hits or ())
    return tuple(
        MemoryListRow(row, query.link_to_memory(row.id, row.user_id), score_of(n, hit, names))
        for n, hit in enumerate(data.hits or (), 1)
        if (row := data.found.get(hit.memory_id)) is not None
    )


def _following(data: MemoriesData, name: str, query: PageQuery) -> str | None:
    """Return the link to the next page of the list, or to more hits of a search, or None at the end."""
    if data.page is None:
        more = next((count for count in filters.HIT_COUNTS if count > filters.max_hits(query)), None)
        return (
            query.with_changes("memories", hits=more)
            if more and len(data.hits or ()) == filters.max_hits(query)
            else None
        )
    if data.page.after is None:
        return None
    position = (each.isoformat() if isinstance(each, datetime) else str(each or "") for each in data.page.after)
    return query.with_changes("memories", after="~".join(position))


def _filter_text(name: str, value: str, query: PageQuery) -> str:
    if name in ("since", "until"):
        return format_moment(parse_time({name: value}, name), query.zone)
    return filters.AGES[value][0] if name == "age" else value


async def listed(visit: Visit) -> Response:
    """Render the page that lists memories."""
    data = await read(visit.layer, visit.analytics, visit.query)
    return visit.page("memories.html", view=view(data, visit.query), may_erase=visit.visitor.erase)


_ICON = "M8 2.5 2.5 5.2 8 8l5.5-2.8zM2.5 8 8 10.8 13.5 8M2.5 10.8 8 13.5l5.5-2.7"
PAGES = (PageRoute("/memories", listed, label="Memories", icon=_ICON, static_files=("memories.css", "memories.js")),)
