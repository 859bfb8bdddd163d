"""Rows as typed values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

Value = TypeVar("Value")


def as_value(kind: Callable[..., Value], row: Mapping[str, Any], **others: Any) -> Value:
    """Return a dataclass of the columns of a row that are its fields, and of `others`. An array becomes a tuple."""
    names = _fields(kind)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items() if name in names}
    return kind(**{**values, **others})


@cache
def _fields(kind: Callable[..., object]) -> frozenset[str]:
    return frozenset(each.name for each in fields(cast("type[Any]", kind)))
