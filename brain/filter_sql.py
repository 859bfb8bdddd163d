"""Translate filters to SQL conditions on a row `m` of `cognitive.memory`, with named parameters.

Values are never part of the SQL, and the SQL depends only on the fields, operators and kinds of values. Filters of one
form therefore share a prepared statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from brain.caches import cached
from brain.filters import TEXT_FIELDS, Condition, MemoryFilter, Value
from brain.statements import SqlStatement

_COMPARISONS = {"eq": "=", "ne": "<>", "gte": ">=", "lte": "<="}
_NEVER = "FALSE"


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """An SQL condition with named parameters, and the values of the parameters."""

    sql: str
    values: Mapping[str, Any] = field(default_factory=dict)


def condition(wanted: MemoryFilter) -> SqlCondition:
    """Return the condition that a row `m` meets if the filter admits its memory."""
    terms = [_compiled(each, f"where_{n}") for n, each in enumerate(wanted.conditions)]
    if wanted.since is not None:
        terms.append(SqlCondition("m.occurred_at >= :since::timestamptz", {"since": wanted.since}))
    if wanted.until is not None:
        terms.append(SqlCondition("m.occurred_at < :until::timestamptz", {"until": wanted.until}))
    if wanted.as_of is not None:
        visible = "m.occurred_at <= :as_of::timestamptz AND (m.hidden_at IS NULL OR m.hidden_at > :as_of)"
        terms.append(SqlCondition(visible, {"as_of": wanted.as_of}))
    return all_of(terms)


def findable(wanted: MemoryFilter, at: datetime | None) -> SqlCondition:
    """Return the condition of a filter, and that the memory can be found at the time `at` (default: now).

    Retired, merged and expired memories cannot be found. Superseded ones can. With `as_of`, the filter itself decides.
    """
    if wanted.as_of is not None:
        return condition(wanted)
    found = "m.hidden_at IS NULL OR m.hidden_reason = 'superseded' OR m.hidden_at > coalesce(:at::timestamptz, now())"
    return all_of([condition(wanted), SqlCondition(found, {"at": at})])


def all_of(terms: Sequence[SqlCondition]) -> SqlCondition:
    """Return the conjunction of conditions, whose parameters must have different names; TRUE if there are none."""
    sql = " AND ".join(f"({term.sql})" for term in terms) or "TRUE"
    return SqlCondition(sql, {name: value for term in terms for name, value in term.values.items()})


@cached(64)
def filled(statement: SqlStatement, condition: str) -> SqlStatement:
    """Return a statement with its slot `condition` filled by SQL. Cached, because every turn reads pinned memories."""
    return statement.fill(condition=condition)


def _compiled(each: Condition, name: str) -> SqlCondition:
    if each.column in TEXT_FIELDS:
        return _text(each, name)
    if each.column == "tags":
        return _tags(each, name)
    if each.column == "occurred_at":
        return _time(each, name)
    return _json(each, name)


def _text(each: Condition, name: str) -> SqlCondition:
    """Compare a column of texts. Numbers and booleans equal no text, and differ from none either."""
    column, value = f"m.{each.column}", each.value
    if each.operator == "exists":
        return _exists(column, value)
    if each.operator == "in":
        return SqlCondition(f"{column} = ANY(:{name}::text[])", {name: _texts(value)})
    if not isinstance(value, str):
        return SqlCondition(_NEVER)
    # only equality can use the indexes, which have another collation
    collation = "" if each.operator in ("eq", "ne") else ' COLLATE "C"'
    return SqlCondition(f"{column}{collation} {_COMPARISONS[each.operator]} :{name}::text", {name: value})


def _tags(each: Condition, name: str) -> SqlCondition:
    value = each.value
    if each.operator == "exists":
        return SqlCondition("m.tags <> '{}'" if value else "m.tags = '{}'")
    if each.operator == "in":
        return SqlCondition(f"m.tags && :{name}::text[]", {name: _texts(value)})
    if not isinstance(value, str):
        return SqlCondition(_NEVER)
    has = f":{name}::text = ANY(m.tags)"
    return SqlCondition(has if each.operator == "eq" else f"NOT {has}", {name: value})


def _time(each: Condition, name: str) -> SqlCondition:
    if each.operator == "exists":
        return _exists("m.occurred_at", each.value)
    if each.operator == "in":
        values = list(each.value) if isinstance(each.value, tuple) else []
        return SqlCondition(f"m.occurred_at = ANY(:{name}::timestamptz[])", {name: values})
    return SqlCondition(f"m.occurred_at {_COMPARISONS[each.operator]} :{name}::timestamptz", {name: each.value})


def _json(each: Condition, name: str) -> SqlCondition:
    """Compare a value in a JSON column. The operator `->` with a text descends into objects, never into arrays."""
    keys = {f"{name}_key_{n}": key for n, key in enumerate(each.path)}
    found = " -> ".join((f"m.{each.column}", *(f":{key}::text" for key in keys)))
    if each.operator == "exists":
        return SqlCondition(_exists(f"({found})", each.value).sql, keys)
    if each.operator == "in":
        values = list(each.value) if isinstance(each.value, tuple) else []
        return SqlCondition(f"({found}) = ANY(:{name}::jsonb[])", {**keys, name: values})
    sign = _COMPARISONS[each.operator]
    if each.operator == "eq":
        return SqlCondition(f"({found}) = :{name}::jsonb", {**keys, name: each.value})
    kind = "string" if isinstance(each.value, str) else "boolean" if isinstance(each.value, bool) else "number"
    if kind == "string" and each.operator != "ne":
        compared = f"({found} #>> '{{}}') COLLATE \"C\" {sign} :{name}::text"  # jsonb compares in the default collation
    else:
        compared = f"({found}) {sign} :{name}::jsonb"
    return SqlCondition(f"jsonb_typeof({found}) = '{kind}' AND {compared}", {**keys, name: each.value})


def _exists(expression: str, wanted: Value) -> SqlCondition:
    return SqlCondition(f"{expression} IS NOT NULL" if wanted else f"{expression} IS NULL")


def _texts(values: Value) -> list[str]:
    return [each for each in values if isinstance(each, str)] if isinstance(values, tuple) else []
