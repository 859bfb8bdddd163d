"""The URL parameters of the list of turns: filters and position."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from brain.analytics.turn_rows import TurnFilter
from brain.types import MEMORY_TYPES
from cognitive.dashboard.params import PageQuery, parse_time
from cognitive.errors import InvalidInput

STATUSES = ("open", "completed", "failed", "abandoned", "unfinished")
HELD_BACK = ("deduped", "trimmed")
YES_NO = ("yes", "no")
RATINGS: Mapping[str, bool] = {"useful": True, "not useful": False}
_MAX_FILTER_LENGTH = 200  # characters; longer values are cut


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
        ("rated", tuple(RATINGS)),
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
        rating=RATINGS[params["rated"]] if "rated" in params else None,
        held_back=params.get("dropped"),
        stage=params.get("stage"),
        min_ms=_number(params, "min_ms"),
        model=params.get("model"),
        tools_cut=_yes(params, "tools_cut"),
        reason=params.get("degradation"),
        since=since,
        until=until,
    )


def after(params: Mapping[str, str]) -> tuple[datetime, str] | None:
    """Return the position (time, turn id) in the list of turns after which this page begins; None for the first page.

    Raises:
        InvalidInput: the position has no valid time.
    """
    at, _, turn_id = params.get("after", "").partition("~")
    time = parse_time({"after": at}, "after")
    return (time, turn_id) if time is not None else None


def position(at: tuple[Any, ...]) -> str:
    """Return the position (time, turn id) in the form in which `after` reads it."""
    return f"{at[0].isoformat()}~{at[1]}"


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
