"""The list of turns: searched, filtered, page by page; it says how far it looked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from brain.analytics.turn_rows import Dimension, Period, Total, TurnFilter, TurnListRow
from brain.analytics.turn_rows import ResultPage as RowPage
from brain.analytics.turns import TurnAnalytics
from brain.types import MEMORY_TYPES
from cognitive.dashboard.formats import moment as format_moment
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import RANGES, PageQuery, parse_time
from cognitive.errors import InvalidInput

PAGE = 50
_PAGE_OF_WHY = 10  # turns that are asked what became of a memory in them: each answer reads a whole record
STATUSES = ("open", "completed", "failed", "abandoned", "unfinished")
HELD_BACK = ("deduped", "trimmed")
YES_NO = ("yes", "no")
_CHOSEN: Mapping[str, Dimension] = {"frame": "frame", "category": "category", "runtime": "runtime", "tool": "tool"}
_CHOICES_OF = RANGES["90d"][1]  # values that turns of the last quarter had
_NAMES = {
    "q": "words",
    "session": "session",
    "status": "status",
    "frame": "frame",
    "category": "category",
    "runtime": "runtime",
    "policy": "policy",
    "tool": "called",
    "degraded": "degraded",
    "abstained": "abstained",
    "min_ms": "at least",
    "since": "since",
    "until": "until",
    "range": "last",
    "from": "from",
    "to": "to",
    "user": "user",
    "shown_type": "showed",
    "used": "used",
    "dropped": "found and",
    "stage": "stage",
    "model": "for",
    "tools_cut": "tools cut",
    "degradation": "lacked",
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
    "used",
    "dropped",
    "stage",
    "model",
    "tools_cut",
    "degradation",
)  # which links choose, and no field of the form
_LONGEST = 200  # characters of a filter; what is longer is pasted by mistake


@dataclass(frozen=True, slots=True)
class TurnFilterSelect:
    """A filter's values, and the one that was chosen."""

    name: str
    label: str
    values: tuple[str, ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class Field:
    """A filter that is typed, and what stands in it."""

    name: str
    label: str
    kind: str
    given: str


@dataclass(frozen=True, slots=True)
class AppliedTurnFilter:
    """A filter that holds, and the address without it."""

    name: str
    value: str
    remove_link: str


@dataclass(frozen=True, slots=True)
class TurnsView:
    """The page."""

    rows: tuple[TurnListRow, ...]
    choices: tuple[TurnFilterSelect, ...]
    fields: tuple[Field, ...]
    expanded: bool
    hidden_params: tuple[tuple[str, str], ...]
    applied: tuple[AppliedTurnFilter, ...]
    words: str
    why: str
    older: str | None
    newest: str | None
    looked: int
    back_to: datetime | None
    whole: bool


async def read(
    analytics: TurnAnalytics, query: PageQuery
) -> tuple[RowPage[TurnListRow], Mapping[str, tuple[str, ...]]]:
    """A page of turns, and what there is to choose from."""
    lately = Period(query.now - _CHOICES_OF, query.now)
    page, totals = await asyncio.gather(
        analytics.turns(
            query.agent,
            turn_filter(query),
            limit=_PAGE_OF_WHY if query.params.get("why") else PAGE,
            after=after(query.params),
        ),
        asyncio.gather(*(analytics.totals(query.agent, lately, by, timed=False) for by in _CHOSEN.values())),
    )
    return page, {name: _values(name, own) for name, own in zip(_CHOSEN, totals, strict=True)}


def turn_filter(query: PageQuery) -> TurnFilter:
    """The filter that an address names.

    Raises:
        InvalidInput: it names one that makes no sense.
    """
    given = {name: value[:_LONGEST] for name, value in query.params.items() if value}
    since = parse_time(given, "since") or _local(given, "from", query)
    until = parse_time(given, "until") or _local(given, "to", query)
    if "range" in given:
        period = query.period()
        since, until = since or period.since, until or period.until
    for name, known in (("status", STATUSES), ("dropped", HELD_BACK), ("shown_type", MEMORY_TYPES)):
        if given.get(name, known[0]) not in known:
            raise InvalidInput(f"{name}: expected one of {', '.join(known)}")
    return TurnFilter(
        words=given.get("q"),
        session_id=given.get("session"),
        status=given.get("status"),
        frame=given.get("frame"),
        category=given.get("category"),
        runtime=given.get("runtime"),
        policy=given.get("policy"),
        tool=given.get("tool"),
        degraded=_yes(given, "degraded"),
        abstained=_yes(given, "abstained"),
        user_id=given.get("user"),
        showed=given.get("shown_type"),
        used=_yes(given, "used"),
        held_back=given.get("dropped"),
        stage=given.get("stage"),
        min_ms=_number(given, "min_ms"),
        model=given.get("model"),
        tools_cut=_yes(given, "tools_cut"),
        reason=given.get("degradation"),
        since=since,
        until=until,
    )


def after(params: Mapping[str, str]) -> tuple[Any, ...] | None:
    """Where a page goes on, as `view` wrote it.

    Raises:
        InvalidInput: it did not.
    """
    if not params.get("after"):
        return None
    at, _, turn_id = params["after"].partition("~")
    return parse_time({"after": at}, "after"), turn_id


def view(page: RowPage[TurnListRow], values: Mapping[str, tuple[str, ...]], query: PageQuery) -> TurnsView:
    """The page from what was read."""
    given = {name: value for name, value in query.params.items() if name in _NAMES and value}
    choices = [TurnFilterSelect("status", "Status", STATUSES, given.get("status", ""))]
    choices += [TurnFilterSelect(name, name.capitalize(), own, given.get(name, "")) for name, own in values.items()]
    choices += [TurnFilterSelect("shown_type", "Showed", MEMORY_TYPES, given.get("shown_type", ""))]
    choices += [TurnFilterSelect("range", "Any time", tuple(RANGES), given.get("range", ""))]
    choices += [
        TurnFilterSelect(name, name.capitalize(), YES_NO, given.get(name, "")) for name in ("degraded", "abstained")
    ]
    return TurnsView(
        rows=page.rows,
        choices=tuple(_with_chosen(choice) for choice in choices),
        fields=tuple(Field(name, label, kind, given.get(name, "")) for name, label, kind in _TEXT_FIELDS),
        expanded=any(given.get(name) for name, _, _ in _TEXT_FIELDS),
        hidden_params=tuple((name, given[name]) for name in _HIDDEN_PARAMS if name in given),
        applied=tuple(
            AppliedTurnFilter(
                _NAMES[name], _told(name, value, query), query.with_changes("turns", **{name: None, "after": None})
            )
            for name, value in given.items()
        ),
        words=given.get("q", ""),
        why=query.params.get("why", ""),
        older=query.with_changes("turns", after=f"{page.after[0].isoformat()}~{page.after[1]}") if page.after else None,
        newest=query.with_changes("turns", after=None) if query.params.get("after") else None,
        looked=page.looked,
        back_to=page.back_to,
        whole=not given and not query.params.get("after"),
    )


def _with_chosen(choice: TurnFilterSelect) -> TurnFilterSelect:
    """A value that was rare lately is still what holds."""
    if not choice.chosen or choice.chosen in choice.values:
        return choice
    return TurnFilterSelect(choice.name, choice.label, (*choice.values, choice.chosen), choice.chosen)


def _values(name: str, totals: Sequence[Total]) -> tuple[str, ...]:
    """A tool is chosen by its name, whatever category called it."""
    values = (total.value.partition("/")[2] if name == "tool" else total.value for total in totals)
    return tuple(sorted(set(values)))


def _told(name: str, value: str, query: PageQuery) -> str:
    if name in ("from", "to"):
        return value.replace("T", " ")
    if name in ("since", "until"):
        return format_moment(parse_time({name: value}, name), query.zone)
    if name == "min_ms":
        return f"{value} ms"
    return RANGES[value][0] if name == "range" and value in RANGES else value


def _local(given: Mapping[str, str], name: str, query: PageQuery) -> datetime | None:
    """A time as the clock of the viewer has it."""
    if name not in given:
        return None
    try:
        return datetime.fromisoformat(given[name]).replace(tzinfo=query.zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(f"{name}: expected a time such as 2026-11-02T09:00") from None


def _yes(given: Mapping[str, str], name: str) -> bool | None:
    if name not in given:
        return None
    if given[name] not in YES_NO:
        raise InvalidInput(f"{name}: expected yes or no")
    return given[name] == "yes"


def _number(given: Mapping[str, str], name: str) -> float | None:
    if name not in given:
        return None
    try:
        value = float(given[name])
    except ValueError:
        raise InvalidInput(f"{name}: expected a number of milliseconds") from None
    if not 0 <= value < 1e9:
        raise InvalidInput(f"{name}: expected a number of milliseconds")
    return value


async def listed(visit: Visit) -> Response:
    """The list of turns."""
    return visit.page("turns.html", view=view(*await read(visit.analytics, visit.query), visit.query))


PAGES = (
    PageRoute("/turns", listed, label="Turns", icon="M2.5 3.5h11M2.5 8h11M2.5 12.5h7", static_files=("turns.css",)),
)
