"""Read filters: the conditions that memories must meet. `brain.filter_sql` translates them to SQL.

A filter is a mapping of fields to operators, all of which a memory must satisfy:

    {"metadata.priority": {"gte": 3}, "tags": {"in": ["billing"]}}

The fields are `type`, `tags`, `speaker`, `source`, `session_id`, `occurred_at`, `attributes.<key>` and
`metadata.<key>`; further dots descend into objects (`metadata.file.path`). The operators are `eq`, `ne`, `in`, `gte`,
`lte` and `exists`. Values are texts, numbers and booleans:

- Values of unlike JSON types match under no operator, not even `ne`. Numbers are compared by value (1 equals 1.0),
  texts by code point, and false is less than true.
- A field that a memory doesn't have matches `{"exists": false}` only.
- `tags` compares with each tag: `eq` is met by a memory that has the tag, `ne` by one that lacks it, and `in` by one
  that has one of the tags. A memory without tags has no field `tags`, but lacks every tag.
- A value of `occurred_at` is an ISO text with a time zone, or an aware datetime.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from reprlib import repr as short_repr
from typing import Literal, get_args

from brain.errors import InvalidInput
from brain.text import unstorable

Operator = Literal["eq", "ne", "in", "gte", "lte", "exists"]
Scalar = str | int | float | bool
Value = Scalar | datetime | tuple[Scalar | datetime, ...]

OPERATORS: tuple[Operator, ...] = get_args(Operator)
TEXT_FIELDS = ("type", "speaker", "source", "session_id")
FIELDS = (*TEXT_FIELDS, "tags", "occurred_at", "attributes.*", "metadata.*")
MAX_BYTES = 4_096  # of a filter, as JSON
MAX_CONDITIONS = 32
MAX_VALUES = 100  # of the operator `in`
MAX_KEYS = 8  # of a path below `attributes` or `metadata`
_TAG_OPERATORS: tuple[Operator, ...] = ("eq", "ne", "in", "exists")
_MAX_BITS = 4_096  # of a whole number


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a filter, such as `metadata.priority` at least 3.

    `column` is the column of the memory, `path` the keys of the value inside a JSON column (else empty). `value` is a
    tuple for the operator `in`. A value of `occurred_at` is an aware datetime.
    """

    column: str
    path: tuple[str, ...]
    operator: Operator
    value: Value

    @property
    def name(self) -> str:
        """The field as it is written in a filter."""
        return ".".join((self.column, *self.path))


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """The conditions that memories must meet; a memory must meet all of them.

    `since` (inclusive) and `until` (exclusive) limit `occurred_at`. With `as_of`, only the memories are admitted that
    were visible at this time: those that had occurred and were not hidden yet.
    """

    conditions: tuple[Condition, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None

    @classmethod
    def parse(
        cls,
        where: object = None,
        *,
        tags: Sequence[str] = (),
        session_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
    ) -> MemoryFilter:
        """Return the filter of a mapping `where` and of the other arguments; see the module.

        A memory must have one of `tags`, if there are any.

        Raises:
            InvalidInput: an unknown field or operator, a value of a wrong kind, a naive time, or a filter above the
                limits on size (4,096 bytes as JSON), conditions (32), values of `in` (100) and keys of a path (8).
        """
        conditions = list(_conditions(where)) if where is not None else []
        if tags:
            conditions.append(_condition("tags", "in", list(tags)))
        if session_id is not None:
            conditions.append(_condition("session_id", "eq", session_id))
        if len(conditions) > MAX_CONDITIONS:
            raise InvalidInput(f"where: expected at most {MAX_CONDITIONS} conditions, got {len(conditions)}")
        for name, at in (("since", since), ("until", until), ("as_of", as_of)):
            if at is not None:
                _moment(name, at)
        return cls(tuple(conditions), since, until, as_of)

    def __bool__(self) -> bool:
        return self != NO_FILTER


NO_FILTER = MemoryFilter()


def _conditions(where: object) -> list[Condition]:
    if not isinstance(where, Mapping):
        raise InvalidInput(f"where: expected a mapping of fields to operators, got {_shown(where)}")
    found = []
    for name, operators in where.items():
        if not isinstance(operators, Mapping) or not operators:
            _field(name)  # an unknown field is named first
            example = json.dumps({"eq": operators if isinstance(operators, str) else 3}, ensure_ascii=False)
            raise InvalidInput(
                f"where: {_shown(name)}: expected operators, as in {example}, got {_shown(operators)};"
                f" known operators: {', '.join(OPERATORS)}"
            )
        found += [_condition(name, operator, value) for operator, value in operators.items()]
        if len(found) > MAX_CONDITIONS:
            raise InvalidInput(f"where: more than {MAX_CONDITIONS} conditions")
    size = len(json.dumps(where, ensure_ascii=False, default=str).encode())
    if size > MAX_BYTES:
        raise InvalidInput(f"where: expected at most {MAX_BYTES} bytes of JSON, got {size}")
    return found


def _condition(name: object, operator: object, value: object) -> Condition:
    column, path = _field(name)
    known = _TAG_OPERATORS if column == "tags" else OPERATORS
    if operator not in known:
        raise InvalidInput(f"where: {name}: unknown operator {_shown(operator)}; known operators: {', '.join(known)}")
    label = f"where: {name}: {operator}"
    if operator == "exists":
        if not isinstance(value, bool):
            raise InvalidInput(f"{label}: expected true or false, got {_shown(value)}")
        return Condition(column, path, "exists", value)
    if operator == "in":
        if not isinstance(value, (list, tuple)):
            raise InvalidInput(f"{label}: expected a list, got {_shown(value)}")
        if len(value) > MAX_VALUES:
            raise InvalidInput(f"{label}: expected at most {MAX_VALUES} values, got {len(value)}")
        return Condition(column, path, "in", tuple(_value(label, column, each) for each in value))
    return Condition(column, path, next(each for each in known if each == operator), _value(label, column, value))


def _field(name: object) -> tuple[str, tuple[str, ...]]:
    """Return the column and the path of a field."""
    if isinstance(name, str):
        if name in (*TEXT_FIELDS, "tags", "occurred_at"):
            return name, ()
        column, _, rest = name.partition(".")
        if column in ("attributes", "metadata") and rest:
            path = tuple(rest.split("."))
            if len(path) > MAX_KEYS:
                raise InvalidInput(f"where: {_shown(name)}: expected at most {MAX_KEYS} keys, got {len(path)}")
            if "" in path:
                raise InvalidInput(f"where: {_shown(name)}: a key is empty")
            _require_storable(f"where: {_shown(name)}", name)
            return column, path
    raise InvalidInput(f"where: unknown field {_shown(name)}; known fields: {', '.join(FIELDS)}")


def _value(label: str, column: str, value: object) -> Scalar | datetime:
    if column == "occurred_at":
        return _moment(label, value)
    if isinstance(value, str):
        return _require_storable(label, value)
    if isinstance(value, int) and value.bit_length() <= _MAX_BITS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if value is None or isinstance(value, (list, tuple)):
        hint = "use exists" if value is None else "use in"
        raise InvalidInput(f"{label}: expected a text, a number or a boolean, got {_shown(value)}; {hint}")
    raise InvalidInput(f"{label}: expected a text, a finite number or a boolean, got {_shown(value)}")


def _require_storable(label: str, text: str) -> str:
    reason = unstorable(text)
    if reason is not None:
        raise InvalidInput(f"{label}: contains {reason}")
    return text


def _moment(label: str, value: object) -> datetime:
    """Return a time, from an aware datetime or an ISO text with a time zone."""
    at = value
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            at = None
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise InvalidInput(f"{label}: expected a time with a time zone, got {_shown(value)}")
    try:
        year = at.astimezone(UTC).year
    except OverflowError:
        year = 0
    if not 2 <= year <= 9998:
        raise InvalidInput(f"{label}: expected a year from 2 to 9998, got {_shown(value)}")
    return at


def _shown(value: object) -> str:
    try:
        return short_repr(value)
    except ValueError:  # a whole number of more than 4,300 digits
        return f"a large {type(value).__name__}"
