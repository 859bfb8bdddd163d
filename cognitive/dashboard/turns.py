"""The page that lists an agent's turns, with search and filters; it also shows how many turns the search examined."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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

PAGE = 50  # turns on a page
_PAGE_OF_WHY = 10  # turns on a page that explains a memory in each turn; each explanation reads a whole record
STATUSES = ("open", "completed", "failed", "abandoned", "unfinished")
HELD_BACK = ("deduped", "trimmed")
YES_NO = ("yes", "no")
_FLAGS = (
    ("degraded", "Degraded"),
    ("abstained", "Abstained"),
    ("used", "Used a memory"),
    ("used_unshown", "Used but not shown"),
)
_RATINGS: Mapping[str, bool] = {"useful": True, "not useful": False}
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
_MAX_FILTER_LENGTH = 200  # characters; longer values are cut


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
class AppliedTurnFilter:
    """A filter of the list of turns that is in effect, with the link that removes the filter."""

    name: str
    value: str
    remove_link: str


@dataclass(frozen=True, slots=True)
class TurnsView:
    """The content of the page that lists turns, as its template shows it.

    The search for matching turns examined `looked` turns, back to the time `back_to`. `whole` is True if no filter is
    set and the list begins with the newest turn.
    """

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
    file_params: Mapping[str, str]


async def read(
    analytics: TurnAnalytics, query: PageQuery
) -> tuple[RowPage[TurnListRow], Mapping[str, tuple[str, ...]]]:
    """Read a page of the agent's turns, and the values that the drop-down filters offer."""
    lately = Period(query.now - _CHOICES_OF, query.now)
    page, totals = await asyncio.gather(
        analytics.turns(
            query.scope,
            turn_filter(query),
            limit=_PAGE_OF_WHY if query.params.get("why") else PAGE,
            after=after(query.params),
        ),
        asyncio.gather(*(analytics.totals(query.scope, lately, by, timed=False) for by in _CHOSEN.values())),
    )
    return page, {name: _values(name, each) for name, each in zip(_CHOSEN, totals, strict=True)}


def turn_filter(query: PageQuery) -> TurnFilter:
    """Return the filter of turns that the URL's parameters describe.

    Raises:
        InvalidInput: a value is unknown, or a time or number is invalid.
    """
    params = {name: value[:_MAX_FILTER_LENGTH] for name, value in query.params.items() if value}
    since, until = query.bounds()
    if "range" in params:
        period = query.period()
        since, until = since or period.since, until or period.until
    for name, known in (
        ("status", STATUSES),
        ("dropped", HELD_BACK),
        ("shown_type", MEMORY_TYPES),
        ("rated", tuple(_RATINGS)),
    ):
        if params.get(name, known[0]) not in known:
            raise InvalidInput(f"{name}: expected one of {', '.join(known)}")
    return TurnFilter(
        words=params.get("q"),
        session_id=params.get("session"),
        status=params.get("status"),
        frame=params.get("frame"),
        category=params.get("category"),
        runtime=params.get("runtime"),
        policies=tuple(filter(None, params.get("policy", "").split(","))),
        tool=params.get("tool"),
        degraded=_yes(params, "degraded"),
        abstained=_yes(params, "abstained"),
        user_id=query.user,
        showed=params.get("shown_type"),
        used=_yes(params, "used"),
        used_unshown=bool(_yes(params, "used_unshown")),
        rating=_RATINGS[params["rated"]] if "rated" in params else None,
        held_back=params.get("dropped"),
        stage=params.get("stage"),
        min_ms=_number(params, "min_ms"),
        model=params.get("model"),
        tools_cut=_yes(params, "tools_cut"),
        reason=params.get("degradation"),
        since=since,
        until=until,
    )


def after(params: Mapping[str, str]) -> tuple[Any, ...] | None:
    """Return the position (time, turn id) in the list of turns after which this page begins; None for the first page.

    Raises:
        InvalidInput: the position has no valid time.
    """
    if not params.get("after"):
        return None
    at, _, turn_id = params["after"].partition("~")
    return parse_time({"after": at}, "after"), turn_id


def view(page: RowPage[TurnListRow], values: Mapping[str, tuple[str, ...]], query: PageQuery) -> TurnsView:
    """Convert a page of turns and the filters' values to the form that the template shows."""
    params = {name: value for name, value in query.params.items() if name in _NAMES and value}
    choices = [TurnFilterSelect("status", "Status", STATUSES, params.get("status", ""))]
    choices += [TurnFilterSelect(name, name.capitalize(), own, params.get(name, "")) for name, own in values.items()]
    choices += [TurnFilterSelect("shown_type", "Showed", MEMORY_TYPES, params.get("shown_type", ""))]
    choices += [TurnFilterSelect("range", "Any time", tuple(RANGES), params.get("range", ""))]
    choices += [TurnFilterSelect(name, label, YES_NO, params.get(name, "")) for name, label in _FLAGS]
    choices += [TurnFilterSelect("rated", "Rated", tuple(_RATINGS), params.get("rated", ""))]
    return TurnsView(
        rows=page.rows,
        choices=tuple(_with_chosen(choice) for choice in choices),
        fields=tuple(Field(name, label, kind, params.get(name, "")) for name, label, kind in _TEXT_FIELDS),
        expanded=any(params.get(name) for name, _, _ in _TEXT_FIELDS),
        hidden_params=tuple((name, params[name]) for name in _HIDDEN_PARAMS if name in params),
        applied=tuple(
            AppliedTurnFilter(
                _NAMES[name],
                _filter_text(name, value, query),
                query.with_changes("turns", **{name: None, "after": None}),
            )
            for name, value in params.items()
        ),
        words=params.get("q", ""),
        why=query.params.get("why", ""),
        older=query.with_changes("turns", after=f"{page.after[0].isoformat()}~{page.after[1]}") if page.after else None,
        newest=query.with_changes("turns", after=None) if query.params.get("after") else None,
        looked=page.looked,
        back_to=page.back_to,
        whole=not params and not query.params.get("after"),
        file_params={name: value for name, value in query.params.items() if name not in ("agent", "as")},
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


def _yes(params: Mapping[str, str], name: str) -> bool | None:
    if name not in params:
        return None
    if params[name] not in YES_NO:
        raise InvalidInput(f"{name}: expected yes or no")
    return params[name] == "yes"


def _number(params: Mapping[str, str], name: str) -> float | None:
    if name not in params:
        return None
    try:
        value = float(params[name])
    except ValueError:
        raise InvalidInput(f"{name}: expected milliseconds, a number from 0 to 1e9") from None
    if not 0 <= value < 1e9:
        raise InvalidInput(f"{name}: expected milliseconds, a number from 0 to 1e9")
    return value


async def listed(visit: Visit) -> Response:
    """Render the page that lists turns."""
    return visit.page("turns.html", view=view(*await read(visit.analytics, visit.query), visit.query))


PAGES = (
    PageRoute("/turns", listed, label="Turns", icon="M2.5 3.5h11M2.5 8h11M2.5 12.5h7", static_files=("turns.css",)),
)
