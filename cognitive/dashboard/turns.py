"""The page that lists an agent's turns, with search and filters; it also shows how many turns the search examined."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.responses import Response

from brain.analytics.paging import MAX_LOOKED
from brain.analytics.turn_rows import Dimension, Period, ResultPage, Total, TurnListRow
from brain.analytics.turns import TurnAnalytics, TurnOrder
from brain.types import MEMORY_TYPES
from cognitive.dashboard import sorting, turn_filters
from cognitive.dashboard.formats import moment as format_moment
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import RANGES, AppliedFilter, PageQuery, parse_time

PAGE = 50  # turns on a page
_PAGE_OF_WHY = 10  # turns on a page that explains a memory in each turn; each explanation reads a whole record
_ORDERS: Mapping[TurnOrder, str] = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "slowest": "Slowest first",
    "tokens": "Most tokens first",
    "used": "Most used first",
}
_FLAGS = (
    ("degraded", "Degraded"),
    ("abstained", "Abstained"),
    ("used", "Used a memory"),
    ("used_unshown", "Used but not shown"),
)
_CHOSEN: Mapping[str, Dimension] = {"frame": "frame", "category": "category", "runtime": "runtime", "tool": "tool"}
_CHOICES_OF = RANGES["90d"][1]  # the selects offer the values of turns in this time
_NAMES = {
    "q": "question or answer contains",
    "session": "session",
    "status": "status",
    "frame": "frame",
    "category": "category",
    "runtime": "runtime",
    "policy": "policy",
    "tool": "called tool",
    "degraded": "degraded",
    "abstained": "abstained",
    "min_ms": "at least",
    "since": "since",
    "until": "until",
    "range": "last",
    "from": "from",
    "to": "to",
    "user": "user",
    "shown_type": "showed type",
    "used": "used a memory",
    "used_unshown": "used but not shown",
    "rated": "rated",
    "dropped": "memories",
    "stage": "stage",
    "model": "model",
    "tools_cut": "tools cut",
    "degradation": "degradation",
}
_TEXT_FIELDS = (
    ("session", "Session", "text"),
    ("user", "User", "text"),
    ("policy", "Policy", "text"),
    ("from", "From", "datetime-local"),
    ("to", "To", "datetime-local"),
)
_HIDDEN_PARAMS = (
    "since",
    "until",
    "min_ms",
    "dropped",
    "stage",
    "model",
    "tools_cut",
    "degradation",
)  # filters that only links set; the form has no fields for them
_NOT_IN_FILES = ("agent", "as", "sort", "skip")  # parameters of pages; files are newest first


@dataclass(frozen=True, slots=True)
class TurnFilterSelect:
    """A drop-down filter of the list of turns, with the values that it offers.

    `chosen` is "" if the filter is not set.
    """

    name: str
    label: str
    values: tuple[str, ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class Field:
    """A filter of the list of turns that the user types into an input field, with its current value."""

    name: str
    label: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class TurnsView:
    """The content of the page that lists turns, as its template shows it.

    The search for matching turns examined `looked` turns, back to the time `back_to`. `place` says which of the
    matching turns the page has. `heads` are the columns with numbers. `whole` is True if no filter is set and the list
    begins with the newest turn.
    """

    rows: tuple[TurnListRow, ...]
    choices: tuple[TurnFilterSelect, ...]
    fields: tuple[Field, ...]
    expanded: bool
    hidden_params: tuple[tuple[str, str], ...]
    applied: tuple[AppliedFilter, ...]
    words: str
    why: str
    older: str | None
    newest: str | None
    looked: int
    back_to: datetime | None
    place: str
    order: TurnOrder
    orders: Mapping[TurnOrder, str]
    heads: tuple[sorting.Column, ...]
    whole: bool
    file_params: Mapping[str, str]


async def read(
    analytics: TurnAnalytics, query: PageQuery
) -> tuple[ResultPage[TurnListRow], Mapping[str, tuple[str, ...]]]:
    """Read a page of the agent's turns, and the values that the drop-down filters offer."""
    lately = Period(query.now - _CHOICES_OF, query.now)
    page, totals = await asyncio.gather(
        analytics.turns(
            query.scope,
            turn_filters.turn_filter(query),
            limit=_PAGE_OF_WHY if query.params.get("why") else PAGE,
            after=turn_filters.after(query.params),
            order=_order(query),
            skip=sorting.skipped(query),
            counted=True,
        ),
        asyncio.gather(*(analytics.totals(query.scope, lately, by, timed=False) for by in _CHOSEN.values())),
    )
    return page, {name: _values(name, each) for name, each in zip(_CHOSEN, totals, strict=True)}


def view(page: ResultPage[TurnListRow], values: Mapping[str, tuple[str, ...]], query: PageQuery) -> TurnsView:
    """Convert a page of turns and the filters' values to the form that the template shows."""
    params = {name: value for name, value in query.params.items() if name in _NAMES and value}
    choices = [TurnFilterSelect("status", "Status", turn_filters.STATUSES, params.get("status", ""))]
    choices += [TurnFilterSelect(name, name.capitalize(), own, params.get(name, "")) for name, own in values.items()]
    choices += [TurnFilterSelect("shown_type", "Showed", MEMORY_TYPES, params.get("shown_type", ""))]
    choices += [TurnFilterSelect("range", "Any time", tuple(RANGES), params.get("range", ""))]
    choices += [TurnFilterSelect(name, label, turn_filters.YES_NO, params.get(name, "")) for name, label in _FLAGS]
    choices += [TurnFilterSelect("rated", "Rated", tuple(turn_filters.RATINGS), params.get("rated", ""))]
    return TurnsView(
        rows=page.rows,
        choices=tuple(_with_chosen(choice) for choice in choices),
        fields=tuple(Field(name, label, kind, params.get(name, "")) for name, label, kind in _TEXT_FIELDS),
        expanded=any(params.get(name) for name, _, _ in _TEXT_FIELDS),
        hidden_params=tuple((name, params[name]) for name in _HIDDEN_PARAMS if name in params),
        applied=tuple(
            AppliedFilter(
                _NAMES[name],
                _filter_text(name, value, query),
                query.with_changes("turns", **{name: None, "after": None, "skip": None}),
            )
            for name, value in params.items()
        ),
        words=params.get("q", ""),
        why=query.params.get("why", ""),
        older=_next(page, query),
        newest=query.with_changes("turns", after=None, skip=None) if _later(query) else None,
        looked=page.looked,
        back_to=page.back_to,
        place=_place(page, query),
        order=_order(query),
        orders=_ORDERS,
        heads=_heads(query),
        whole=not params and not _later(query),
        file_params={name: value for name, value in query.params.items() if name not in _NOT_IN_FILES},
    )


def _order(query: PageQuery) -> TurnOrder:
    return sorting.wanted_order(query, _ORDERS, "newest")


def _later(query: PageQuery) -> bool:
    """Return True if the page is not the first of its list."""
    return bool(query.params.get("after")) or sorting.skipped(query) > 0


def _next(page: ResultPage[TurnListRow], query: PageQuery) -> str | None:
    """Return the link to the next page: further matching turns, or those before the examined ones."""
    skip = sorting.skipped(query) + len(page.rows)
    if _order(query) != "newest" and skip < (page.matching or 0):
        return query.with_changes("turns", skip=skip)
    if page.after is None:
        return None
    after, by_time = turn_filters.position(page.after), _order(query) == "newest"
    return query.with_changes("turns", after=after, skip=min(skip, sorting.MAX_SKIPPED) or None if by_time else None)


def _place(page: ResultPage[TurnListRow], query: PageQuery) -> str:
    skip = sorting.skipped(query)
    total = (page.matching or 0) + (skip if _order(query) == "newest" else 0)
    return sorting.place(skip, len(page.rows), total, more=page.looked == MAX_LOOKED)


def _heads(query: PageQuery) -> tuple[sorting.Column, ...]:
    """Return the columns with numbers. That of the time alternates between the newest and the oldest turns first."""
    order = _order(query)
    by_time: TurnOrder = "oldest" if order == "newest" else "newest"
    columns: tuple[tuple[str, TurnOrder], ...] = (
        ("Used of shown", "used"),
        ("Tokens", "tokens"),
        ("Prepared in", "slowest"),
        ("Time", by_time),
    )
    return tuple(
        sorting.Column(
            label,
            query.with_changes("turns", sort=name, after=None, skip=None),
            name == order or (label == "Time" and order in ("newest", "oldest")),
            ascending=order == "oldest",
        )
        for label, name in columns
    )


def _with_chosen(choice: TurnFilterSelect) -> TurnFilterSelect:
    """Return a drop-down filter that also offers its chosen value, even if no recent turn had this value."""
    if not choice.chosen or choice.chosen in choice.values:
        return choice
    return TurnFilterSelect(choice.name, choice.label, (*choice.values, choice.chosen), choice.chosen)


def _values(name: str, totals: Sequence[Total]) -> tuple[str, ...]:
    """Return the values that a drop-down filter of turns offers, sorted.

    `totals` has one entry per value. For tools, an entry is named "category/tool", and only the tool's name is offered.
    """
    values = (total.value.partition("/")[2] if name == "tool" else total.value for total in totals)
    return tuple(sorted(set(values)))


def _filter_text(name: str, value: str, query: PageQuery) -> str:
    if name in ("from", "to"):
        return value.replace("T", " ")
    if name in ("since", "until"):
        return format_moment(parse_time({name: value}, name), query.zone)
    if name == "min_ms":
        return f"{value} ms"
    return RANGES[value][0] if name == "range" and value in RANGES else value


async def listed(visit: Visit) -> Response:
    """Render the page that lists turns."""
    return visit.page("turns.html", view=view(*await read(visit.analytics, visit.query), visit.query))


PAGES = (
    PageRoute("/turns", listed, label="Turns", icon="M2.5 3.5h11M2.5 8h11M2.5 12.5h7", static_files=("turns.css",)),
)
