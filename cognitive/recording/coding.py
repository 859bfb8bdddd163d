"""Read plain JSON back as frozen dataclasses, by their type hints, and write the fields of many rows as JSON columns.

`pydantic_core.to_json` writes the values: a dataclass as an object of its fields, a UUID and a time as text, and a
float as the shortest text that reads back as the same float. A dataclass can get a new field without a change of this
module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

_Reading = Callable[[Any], Any]


def typed(hint: Any, value: Any) -> Any:
    """Convert plain JSON back to a value of the type `hint`."""
    return _reading(hint)(value)


@cache
def _reading(hint: Any) -> _Reading:
    """Return the function that converts JSON to values of a type.

    It is cached, since a record has thousands of values of few types.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _reading(_unless_missing(hint))
    if hint is UUID:
        return _unless_none(UUID)
    if hint is datetime:
        return _unless_none(datetime.fromisoformat)
    if origin is tuple and args[-1] is Ellipsis:
        each = _reading(args[0])
        return _unless_none(lambda value: tuple([each(item) for item in value]))
    if origin is tuple:
        places = [_reading(place) for place in args]
        return _unless_none(lambda value: tuple([read(item) for read, item in zip(places, value, strict=False)]))
    if origin is Mapping:
        key, own = _reading(args[0]), _reading(args[1])
        return _unless_none(lambda value: {key(name): own(each) for name, each in value.items()})
    if isinstance(hint, type) and is_dataclass(hint):
        return _unless_none(
            lambda value: hint(**{name: typed(types(hint)[name], each) for name, each in value.items()})
        )
    return _as_it_is


def _unless_missing(hint: Any) -> Any:
    """Return the type `X` of a hint `X | None`; any other hint is returned unchanged."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    return next(each for each in get_args(hint) if each is not NoneType)


def _unless_none(read: _Reading) -> _Reading:
    """Return a reader of JSON that returns None for None, and the result of `read` for other values."""
    return lambda value: None if value is None else read(value)


def _as_it_is(value: Any) -> Any:
    """Return a value unchanged: the reader of values that JSON can express itself."""
    return value


def column(values: Sequence[Any]) -> Any:
    """Return the values that one field has in many rows as a JSON column.

    Mappings become a column for each of their keys, with None where a key is missing.
    """
    if not values or not all(issubclass(kind, Mapping) for kind in set(map(type, values))):
        return values
    names = dict.fromkeys(chain.from_iterable(values))
    return {name: column([value.get(name) for value in values]) for name in names}


def uncolumn(hint: Any, written: Any, rows: int) -> list[Any]:
    """Convert a JSON column of `rows` values back to values of the type `hint`; the reverse of `column`."""
    if isinstance(written, list):
        read = _reading(hint)
        return written if read is _as_it_is else [read(value) for value in written]
    hint = _unless_missing(hint)
    inner = get_args(hint)[1] if get_origin(hint) is Mapping else hint
    columns = {name: uncolumn(inner, each, rows) for name, each in written.items()}
    return [{name: each[n] for name, each in columns.items() if each[n] is not None} for n in range(rows)]


@cache
def types(of: type) -> Mapping[str, Any]:
    """Return the type hints of a dataclass's fields, by name."""
    return get_type_hints(of)
