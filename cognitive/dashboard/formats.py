"""How numbers and times are written on a page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo

NOTHING = "–"  # where there is nothing to tell

_STEPS = ((1e9, "bn"), (1e6, "m"), (1e3, "k"))
_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_AGES = ((86_400 * 365, "y"), (86_400 * 30, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"))

NumberFormat = Callable[[float | None], str]


def number(value: float | None) -> str:
    """Whole numbers with their thousands apart; small fractions with what tells."""
    if value is None:
        return NOTHING
    return (
        f"{value:,.0f}"
        if abs(value) >= 100 or float(value).is_integer()
        else f"{value:,.{3 if abs(value) >= 1 else 2}g}"
    )


def compact(value: float | None) -> str:
    """At most three digits: 1.2k, 34m."""
    if value is None:
        return NOTHING
    for step, unit in _STEPS:
        if abs(value) >= step:
            return f"{value / step:.3g}{unit}"
    return number(value)


def percent(value: float | None) -> str:
    """Of a share: one digit behind the point, below ten."""
    if value is None:
        return NOTHING
    return f"{value:.0%}" if abs(value) >= 0.0995 or value == 0 else f"{value:.1%}"


def milliseconds(value: float | None) -> str:
    """In the unit that reads well."""
    if value is None:
        return NOTHING
    if value >= 1_000:
        return f"{value / 1_000:.3g} s"
    return f"{value:.0f} ms" if value >= 10 or not value else f"{value:.1f} ms"


def moment(at: datetime | None, zone: tzinfo) -> str:
    """A time as its viewer's clock has it; in the first and the last hours that there are, as its own clock has it."""
    if at is None:
        return NOTHING
    with suppress(OverflowError):
        at = at.astimezone(zone)
    return f"{at:%Y-%m-%d %H:%M}"


def ago(at: datetime | None, now: datetime) -> str:
    """How long ago: one number, one unit."""
    if at is None:
        return NOTHING
    seconds = (now - at).total_seconds()
    return next((f"{seconds // size:.0f} {unit} ago" for size, unit in _AGES if seconds >= size), "just now")


def bytes_(value: float | None) -> str:
    """In powers of 1000."""
    if value is None:
        return NOTHING
    return next((f"{value / size:.3g} {unit}" for size, unit in _SIZES if abs(value) >= size), f"{value:.0f} B")
