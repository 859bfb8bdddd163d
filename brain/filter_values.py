"""Find the memories that a filter may admit by an index, without reading the others.

The table `cognitive.memory_value` has the tags of memories and the values in `attributes` and `metadata` as texts (see
migration 0103). A range of values is a range of texts there. Texts are cut and numbers rounded, and two keys that
contain dots may have one path. Memories with too many values have the path `*` instead. So too many memories may be
found, but never too few, and the condition of the filter must be checked on each.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from brain import filter_sql
from brain.filter_sql import SqlCondition
from brain.filters import Condition, MemoryFilter, Value

MAX_CHARACTERS = 100  # of a path and of a value in the table
_LAST_KIND = "s"
_INVERTED = str.maketrans("0123456789abcdef", "fedcba9876543210")
_TINY, _HUGE = 1e-300, 10**308  # beyond these, all numbers are equal
_EQUALITIES = ("eq", "in")
_COMPARISONS = ("eq", "in", "gte", "lte")
_MEMORIES = (
    "SELECT m.id AS memory_id, m.type FROM cognitive.memory AS m"
    " WHERE m.agent_id = :agent_id AND m.type = ANY(:types::text[])"
)
_BY_PATH = (
    "(SELECT memory_id, type FROM cognitive.memory_value WHERE agent_id = :agent_id AND type = ANY(:types::text[])"
    " AND path = :{name}_path::text AND value {compared} UNION ALL"
    " SELECT memory_id, type FROM cognitive.memory_value WHERE agent_id = :agent_id AND type = ANY(:types::text[])"
    " AND path = '*')"
)


def encoded(value: Value) -> str:
    """Return a text, a number or a boolean as it is in the table. The order of values of one kind is kept."""
    if isinstance(value, str):
        return f"s{value}"[:MAX_CHARACTERS]
    if isinstance(value, bool):
        return f"b{value:d}"
    if not isinstance(value, (int, float)):
        raise TypeError(f"expected a text, a number or a boolean, got {value!r}")
    number = 0.0 if abs(value) < _TINY else float(max(-_HUGE, min(_HUGE, value)))
    digits = struct.pack(">d", number).hex()
    return f"n1{digits}" if number >= 0 else f"n0{digits.translate(_INVERTED)}"


def candidates(wanted: MemoryFilter) -> tuple[SqlCondition, ...]:
    """Return queries for the ids and types of the memories that a filter may admit, as SQL with named parameters.

    Each query finds all of them, by another condition of the filter; equalities come first. The parameter `types` has
    the types of the memories. One memory may be found repeatedly. If no condition names a tag, or a value in
    `attributes` or `metadata`, that a memory must have, its session or time is looked up. Return () if no condition
    names these either.
    """
    named = [each for each in wanted.conditions if each.column in ("tags", "attributes", "metadata")]
    lists = [each for each in named if each.operator in _EQUALITIES]
    ranges: dict[str, list[Condition]] = {}
    for each in named:
        if each.operator in ("gte", "lte") or (each.operator == "exists" and each.value):
            ranges.setdefault(each.name, []).append(each)
    parts = [_in_list(f"value_{n}", each) for n, each in enumerate(lists)]
    parts += [_in_range(f"value_{n}", bounds) for n, bounds in enumerate(ranges.values(), start=len(lists))]
    return tuple(parts) or _by_column(wanted)


def _by_column(wanted: MemoryFilter) -> tuple[SqlCondition, ...]:
    """Return a query by session, or else by time; () if the filter limits neither."""
    sessions = tuple(each for each in wanted.conditions if each.column == "session_id" and each.operator in _EQUALITIES)
    times = tuple(each for each in wanted.conditions if each.column == "occurred_at" and each.operator in _COMPARISONS)
    if not sessions and not times and wanted.since is None and wanted.until is None:
        return ()
    named = filter_sql.condition(
        MemoryFilter(sessions) if sessions else MemoryFilter(times, wanted.since, wanted.until)
    )
    return (SqlCondition(f"{_MEMORIES} AND {named.sql}", named.values),)


def _in_list(name: str, each: Condition) -> SqlCondition:
    values = each.value if isinstance(each.value, tuple) else (each.value,)
    return _rows(name, each, "= ANY(:{name}_texts::text[])", texts=sorted({encoded(value) for value in values}))


def _in_range(name: str, bounds: Sequence[Condition]) -> SqlCondition:
    """Return the range of the values that meet all conditions on one path: gte, lte and exists."""
    compared = [(each.operator, encoded(each.value)) for each in bounds if each.operator != "exists"]
    kind = compared[0][1][0] if compared else ""
    low = max((text for operator, text in compared if operator == "gte"), default=kind)
    high = min((text for operator, text in compared if operator == "lte"), default=chr(ord(kind or _LAST_KIND) + 1))
    return _rows(name, bounds[0], "BETWEEN :{name}_low::text AND :{name}_high::text", low=low, high=high)


def _rows(name: str, each: Condition, compared: str, **values: Any) -> SqlCondition:
    """Return a query for the memories with a value on the path of a condition. `name` names parameters."""
    values["path"] = each.name[:MAX_CHARACTERS]
    sql = _BY_PATH.format(name=name, compared=compared.format(name=name))
    return SqlCondition(sql, {f"{name}_{key}": value for key, value in values.items()})
