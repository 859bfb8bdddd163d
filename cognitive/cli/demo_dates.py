"""Move the dates of the demo's conversation, so that its last turn is now.

The conversation is written for fixed dates. A text marks a date as "{2026-10-12: day month}"; without the marks, a
memory would say another date than the one on which it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from brain.languages import ENGLISH, MONTHS

_WEEK = timedelta(weeks=1)
_MARKED = re.compile(r"\{(\d{4}-\d\d-\d\d): ([a-z ]+)\}")
_WORD = re.compile(r"[a-z]+")
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def moved(document: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the demo's conversation with later (or earlier) dates: its last turn is at `now`.

    Items, and the dates in texts, move by whole weeks, because the texts name days of the week. Turns move by the exact
    time, so that up to seven days more lie between the last item and the first turn.
    """
    end = max(datetime.fromisoformat(turn["at"]) for turn in document["turns"])
    exact = now.astimezone(UTC).replace(second=0, microsecond=0) - end
    weeks = exact // _WEEK * _WEEK
    return {
        **document,
        "items": [_at(item, weeks, weeks) for item in document["items"]],
        "turns": [_at(turn, exact, weeks) for turn in document["turns"]],
    }


def _at(row: Mapping[str, Any], by: timedelta, weeks: timedelta) -> dict[str, Any]:
    """Return an item or turn with its time moved by `by`, and the dates in its texts moved by `weeks`."""
    return {**_filled(row, weeks), "at": (datetime.fromisoformat(row["at"]) + by).isoformat()}


def _filled(value: Any, weeks: timedelta) -> Any:
    """Return a JSON value in which each marked date is written out, moved by `weeks`."""
    if isinstance(value, str):
        return _MARKED.sub(lambda mark: _written(date.fromisoformat(mark[1]) + weeks, mark[2]), value)
    if isinstance(value, list):
        return [_filled(each, weeks) for each in value]
    if isinstance(value, Mapping):
        return {name: _filled(each, weeks) for name, each in value.items()}
    return value


def _written(day: date, form: str) -> str:
    """Return a date in the form that a mark names, such as "day month": "12 October"."""
    parts = {
        "day": str(day.day),
        "nth": f"{day.day}{_ENDINGS.get(day.day, 'th')}",
        "month": MONTHS[ENGLISH][day.month - 1],
        "iso": day.isoformat(),
    }
    return _WORD.sub(lambda word: parts[word[0]], form)
