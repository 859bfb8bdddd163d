"""The order of a list, and the place of its page in it: parameters of the URL, columns that sort, and "1–50 of 241"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from cognitive.dashboard.formats import number
from cognitive.dashboard.params import PageQuery
from cognitive.errors import InvalidInput

MAX_SKIPPED = 5_000  # rows that the pages before this one may have
OrderT = TypeVar("OrderT", bound=str)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list, with the link that sorts by it, or None if the list cannot be sorted by it.

    `ascending` is True if the lowest values come first.
    """

    label: str
    link: str | None
    chosen: bool
    ascending: bool = False


def wanted_order(query: PageQuery, orders: Iterable[OrderT], default: OrderT) -> OrderT:
    """Return the order of a list that the URL asks for.

    Raises:
        InvalidInput: the order is unknown.
    """
    names = tuple(orders)
    name = query.params.get("sort") or default
    found = next((each for each in names if each == name), None)
    if found is None:
        raise InvalidInput(f"sort: expected one of {', '.join(names)}")
    return found


def skipped(query: PageQuery) -> int:
    """Return the number of rows on the pages before this one, from the URL.

    Raises:
        InvalidInput: it is not a number from 0 to `MAX_SKIPPED`.
    """
    text = query.params.get("skip") or "0"
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and int(text) <= MAX_SKIPPED):
        raise InvalidInput(f"skip: expected a number from 0 to {MAX_SKIPPED}")
    return int(text)


def place(skip: int, rows: int, total: int, *, more: bool = False) -> str:
    """Return the place of a page in its list, as "51–100 of 241"; with `more`, the total is a lower bound."""
    if not rows:
        return ""
    first = f"{number(skip + 1)}–{number(skip + rows)}" if rows > 1 else number(skip + 1)
    return f"{first} of {'at least ' if more else ''}{number(total)}"


def following(query: PageQuery, path: str, skip: int, total: int) -> str | None:
    """Return the URL of the page of a list after its first `skip` rows, or None if that page has none."""
    return query.with_changes(path, skip=skip) if skip < min(total, MAX_SKIPPED) else None
