"""Formats of numbers, sizes and times on pages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo

from markupsafe import Markup, escape

NOTHING = "–"  # a missing value

_STEPS = ((1e9, "bn"), (1e6, "m"), (1e3, "k"))
_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_AGES = ((86_400 * 365, "y"), (86_400 * 30, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"))

NumberFormat = Callable[[float | None], str]


def number(value: float | None) -> str:
    """Format a number: integers with thousands separators, small fractions with two or three significant digits."""
    if value is None:
        return NOTHING
    return (
        f"{value:,.0f}"
        if abs(value) >= 100 or float(value).is_integer()
        else f"{value:,.{3 if abs(value) >= 1 else 2}g}"
    )


def counted(value: float, noun: str, plural: str = "") -> str:
    """Format a number with its noun: "1 turn", "2 turns". `plural` is needed only for an irregular noun."""
    return f"{number(value)} {noun if value == 1 else plural or f'{noun}s'}"


def code(text: str) -> Markup:
    """Return a text as HTML in which words between backticks are code."""
    parts = text.split("`")
    marked = [Markup("<code>{}</code>").format(part) if n % 2 else escape(part) for n, part in enumerate(parts)]
    return Markup("").join(marked)


def compact(value: float | None) -> str:
    """Format a number with at most three digits and a suffix for thousands or millions: 1.2k, 34m."""
    if value is None:
        return NOTHING
    for step, unit in _STEPS:
        if abs(value) >= step:
            return f"{value / step:.3g}{unit}"
    return number(value)


def percent(value: float | None) -> str:
    """Format a share from 0 to 1 as a percentage, with one decimal below 10 %."""
    if value is None:
        return NOTHING
    return f"{value:.0%}" if abs(value) >= 0.0995 or value == 0 else f"{value:.1%}"


def milliseconds(value: float | None) -> str:
    """Format a duration in milliseconds; from 1,000 on, it is shown in seconds."""
    if value is None:
        return NOTHING
    if value >= 1_000:
        return f"{value / 1_000:.3g} s"
    return f"{value:.0f} ms" if value >= 10 or not value else f"{value:.1f} ms"


def moment(at: datetime | None, zone: tzinfo) -> str:
    """Format a time in the viewer's time zone, or unconverted if the conversion would leave the range of datetime."""
    if at is None:
        return NOTHING
    with suppress(OverflowError):
        at = at.astimezone(zone)
    return f"{at:%Y-%m-%d %H:%M}"


def ago(at: datetime | None, now: datetime) -> str:
    """Format the time since `at` in its largest unit: "3 d ago"."""
    if at is None:
        return NOTHING
    seconds = (now - at).total_seconds()
    return next((f"{seconds // size:.0f} {unit} ago" for size, unit in _AGES if seconds >= size), "just now")


def bytes_(value: float | None) -> str:
    """Format a number of bytes with a decimal unit: 1.2 MB."""
    if value is None:
        return NOTHING
    return next((f"{value / size:.3g} {unit}" for size, unit in _SIZES if abs(value) >= size), f"{value:.0f} B")
