"""Convert frozen dataclasses and their values to plain JSON and back, by their type hints, to record turns.

A UUID is written as its index in a list of ids, a dataclass as an object of its fields, and a number unchanged: Python
writes a float as the shortest text that reads back as the same float. A dataclass can get a new field without a change
of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

_Reading = Callable[[Any, Sequence[UUID]], Any]
_Writing = Callable[[Any, "Ids"], Any]

_PLAIN = frozenset({str, int, float, bool, NoneType})
_IDS = (UUID, NoneType)


class Ids:
    """A list of distinct ids in order of their first use. JSON contains the index of an id in place of the id."""

    def __init__(self, ids: Iterable[UUID] = ()) -> None:
        self._places: dict[UUID, int] = {}
        for id in ids:
            self.place(id)

    def place(self, id: UUID) -> int:
        """Return the index of an id in the list; append the id if it is new."""
        return self._places.setdefault(id, len(self._places))

    def __iter__(self) -> Iterator[UUID]:
        return iter(self._places)


def plain(value: Any, ids: Ids) -> Any:
    """Convert a value to plain JSON. Its ids are written as indexes in `ids`, to which new ids are added."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    return _writing(kind)(value, ids)


@cache
def _writing(kind: Any) -> _Writing:
    """Return the function that converts values of a type to JSON.

    It is cached, since a record has thousands of values of few types.
    """
    if issubclass(kind, UUID):
        return lambda value, ids: ids.place(value)
    if issubclass(kind, datetime):
        return lambda value, _: value.isoformat()
    if issubclass(kind, Mapping):
        return lambda value, ids: {plain(key, ids): plain(each, ids) for key, each in value.items()}
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return lambda value, ids: {name: plain(getattr(value, name), ids) for name in names}
    return lambda value, ids: [plain(each, ids) for each in value]


def typed(hint: Any, value: Any, ids: Sequence[UUID]) -> Any:
    """Convert plain JSON back to a value of the type `hint`; the reverse of `plain`."""
    return _reading(hint)(value, ids)


@cache
def _reading(hint: Any) -> _Reading:
    """Return the function that converts JSON to values of a type.

    It is cached, since a record has thousands of values of few types.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _reading(_unless_missing(hint))
    if hint is UUID:
        return _unless_none(lambda value, ids: ids[int(value)])
    if hint is datetime:
        return _unless_none(lambda value, _: datetime.fromisoformat(value))
    if origin is tuple and args[-1] is Ellipsis:
        each = _reading(args[0])
        return _unless_none(lambda value, ids: tuple([each(item, ids) for item in value]))
    if origin is tuple:
        places = [_reading(place) for place in args]
        return _unless_none(
            lambda value, ids: tuple([read(item, ids) for read, item in zip(places, value, strict=False)])
        )
    if origin is Mapping:
        key, own = _reading(args[0]), _reading(args[1])
        return _unless_none(lambda value, ids: {key(name, ids): own(each, ids) for name, each in value.items()})
    if isinstance(hint, type) and is_dataclass(hint):
        return _unless_none(
            lambda value, ids: hint(**{name: typed(types(hint)[name], each, ids) for name, each in value.items()})
        )
    return _as_it_is


def _unless_missing(hint: Any) -> Any:
    """Return the type `X` of a hint `X | None`; any other hint is returned unchanged."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    return next(each for each in get_args(hint) if each is not NoneType)


def _unless_none(read: _Reading) -> _Reading:
    """Return a reader of JSON that returns None for None, and the result of `read` for other values."""
    return lambda value, ids: None if value is None else read(value, ids)


def _as_it_is(value: Any, _ids: Sequence[UUID]) -> Any:
    """Return a value unchanged: the reader of values that JSON can express itself."""
    return value


def column(values: Sequence[Any], ids: Ids) -> Any:
    """Convert the values that one field has in many rows to a JSON column.

    Mappings become a column for each of their keys, with None where a key is missing.
    """
    kinds = set(map(type, values))
    if kinds <= _PLAIN:
        return values
    if all(issubclass(kind, _IDS) for kind in kinds):
        return [None if value is None else ids.place(value) for value in values]
    if not all(issubclass(kind, Mapping) for kind in kinds):
        return [plain(value, ids) for value in values]
    names = dict.fromkeys(chain.from_iterable(values))
    return {name: column([value.get(name) for value in values], ids) for name in names}


def uncolumn(hint: Any, written: Any, ids: Sequence[UUID], rows: int) -> list[Any]:
    """Convert a JSON column of `rows` values back to values of the type `hint`; the reverse of `column`."""
    if isinstance(written, list):
        read = _reading(hint)
        return written if read is _as_it_is else [read(value, ids) for value in written]
    hint = _unless_missing(hint)
    inner = get_args(hint)[1] if get_origin(hint) is Mapping else hint
    columns = {name: uncolumn(inner, each, ids, rows) for name, each in written.items()}
    return [{name: each[n] for name, each in columns.items() if each[n] is not None} for n in range(rows)]


@cache
def types(of: type) -> Mapping[str, Any]:
    """Return the type hints of a dataclass's fields, by name."""
    return get_type_hints(of)
