"""The grammar of filters: what is read, and which error each mistake gives."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from brain import filter_sql
from brain.errors import InvalidInput
from brain.filters import FIELDS, MAX_CONDITIONS, MAX_KEYS, MAX_VALUES, NO_FILTER, OPERATORS, Condition, MemoryFilter

MAY = datetime(2026, 5, 1, tzinfo=UTC)


def test_where_is_read_as_conditions() -> None:
    found = MemoryFilter.parse({"metadata.priority": {"gte": 3, "lte": 5}, "tags": {"in": ["billing"]}})
    assert found.conditions == (
        Condition("metadata", ("priority",), "gte", 3),
        Condition("metadata", ("priority",), "lte", 5),
        Condition("tags", (), "in", ("billing",)),
    )


def test_older_arguments_become_conditions() -> None:
    found = MemoryFilter.parse(tags=["a", "b"], session_id="s", since=MAY)
    assert found == MemoryFilter(
        (Condition("tags", (), "in", ("a", "b")), Condition("session_id", (), "eq", "s")), since=MAY
    )


@pytest.mark.parametrize("where", [None, {}])
def test_empty_filter_is_false(where: Any) -> None:
    assert MemoryFilter.parse(where) == NO_FILTER
    assert not NO_FILTER


@pytest.mark.parametrize("value", ["2026-05-01T00:00:00Z", "2026-05-01T02:00:00+02:00", MAY])
def test_times_are_texts_or_datetimes(value: Any) -> None:
    [condition] = MemoryFilter.parse({"occurred_at": {"gte": value}}).conditions
    assert condition.value == MAY


ERRORS: list[tuple[Any, str]] = [
    ([], "expected a mapping"),
    ({"colour": {"eq": 1}}, "unknown field 'colour'; known fields: " + ", ".join(FIELDS)),
    ({"type": "fact"}, 'expected operators, as in {"eq": "fact"}, got \'fact\''),
    ({"colour": "red"}, "unknown field 'colour'"),
    ({"metadata": {"exists": True}}, "unknown field 'metadata'"),
    ({"speaker.name": {"eq": "x"}}, "unknown field 'speaker.name'"),
    ({3: {"eq": 1}}, "unknown field 3"),
    ({"metadata.a": {"near": 1}}, "metadata.a: unknown operator 'near'; known operators: " + ", ".join(OPERATORS)),
    ({"metadata.a": {3: 1}}, "unknown operator 3"),
    ({"tags": {"gte": "a"}}, "tags: unknown operator 'gte'; known operators: eq, ne, in, exists"),
    ({"metadata.a": 3}, "expected operators"),
    ({"metadata.a": {}}, "expected operators"),
    ({"metadata.a": {"eq": None}}, "use exists"),
    ({"metadata.a": {"eq": [1]}}, "use in"),
    ({"metadata.a": {"eq": {"b": 1}}}, "expected a text, a finite number or a boolean"),
    ({"metadata.a": {"in": "b"}}, "expected a list"),
    ({"metadata.a": {"in": [None]}}, "use exists"),
    ({"metadata.a": {"in": [[1]]}}, "expected a text, a number or a boolean"),
    ({"metadata.a": {"in": [0] * (MAX_VALUES + 1)}}, "at most 100 values"),
    ({"metadata.a": {"exists": 1}}, "expected true or false"),
    ({"metadata.a": {"eq": float("nan")}}, "finite"),
    ({"metadata.a": {"eq": float("inf")}}, "finite"),
    ({"metadata.a": {"eq": 10**5000}}, "finite"),
    ({"metadata.a": {"eq": "\x00"}}, "NUL"),
    ({"metadata.a": {"eq": "\ud800"}}, "surrogate"),
    ({"metadata.\x00": {"eq": 1}}, "NUL"),
    ({"metadata.a..b": {"eq": 1}}, "a key is empty"),
    ({"metadata.": {"eq": 1}}, "unknown field"),
    ({".".join(["metadata", *"abcdefghij"]): {"eq": 1}}, f"at most {MAX_KEYS} keys, got 10"),
    ({f"metadata.k{n}": {"eq": 1} for n in range(MAX_CONDITIONS + 1)}, "more than 32 conditions"),
    ({"metadata.a": {"eq": "x" * 10_000}}, "at most 4096 bytes of JSON"),
    ({"occurred_at": {"gte": "2026-05-01T00:00:00"}}, "a time with a time zone"),
    ({"occurred_at": {"gte": datetime(2026, 5, 1)}}, "a time with a time zone"),  # noqa: DTZ001
    ({"occurred_at": {"eq": "yesterday"}}, "a time with a time zone"),
    ({"occurred_at": {"eq": 3}}, "a time with a time zone"),
    ({"occurred_at": {"eq": "0001-01-01T00:00:00Z"}}, "a year from 2"),
]


@pytest.mark.parametrize(("where", "message"), ERRORS, ids=[str(n) for n in range(len(ERRORS))])
def test_mistakes_are_typed_errors(where: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        MemoryFilter.parse(where)
    assert message in str(raised.value)


def test_nesting_of_any_depth_is_a_typed_error() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = {"metadata.a": nested}
    with pytest.raises(InvalidInput):
        MemoryFilter.parse({"metadata.a": {"eq": nested}})
    while isinstance(nested, dict):  # taken apart without recursion
        nested = nested.popitem()[1]


def test_sql_contains_no_text_of_the_filter() -> None:
    strange = "x'); DROP TABLE cognitive.memory; --"
    where = {
        f"metadata.{strange}": {"eq": strange, "gte": strange},
        "speaker": {"ne": strange},
        "tags": {"eq": strange},
    }
    condition = filter_sql.condition(MemoryFilter.parse(where))
    assert "DROP" not in condition.sql
    assert strange in condition.values.values()


def test_filters_of_one_form_share_their_sql() -> None:
    one, other = (MemoryFilter.parse({f"metadata.{key}": {"eq": value}}) for key, value in (("a", 1), ("b", 2)))
    assert filter_sql.condition(one).sql == filter_sql.condition(other).sql
