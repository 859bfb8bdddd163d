"""Filters against Postgres: random filters over random memories equal a plain scan, and `recall` obeys them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import admission
from brain.errors import InvalidInput
from cognitive import NewMemory, Turn

START = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = ["", "a", "b", "B", "ä", "10", "9", "true", "z\U0001f600"]
SCALARS = st.sampled_from([*TEXTS, 0, 1, 1.0, -2, 2.5, 10, 10**20, True, False])
JSON = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab0"), inner, max_size=3),
    max_leaves=4,
)
MEMORIES = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["fact", "episode"]),
        "speaker": st.none() | st.sampled_from(["a", "B", "ä"]),
        "session_id": st.none() | st.sampled_from(["a", "b"]),
        "tags": st.lists(st.sampled_from(["a", "B", "10"]), max_size=3, unique=True).map(tuple),
        "metadata": st.dictionaries(st.sampled_from("ab0"), JSON, max_size=3),
        "occurred_at": st.integers(0, 3).map(lambda days: START + timedelta(days=days)),
    }
)
TIMES = st.integers(0, 3).map(lambda days: (START + timedelta(days=days)).isoformat())


def operators(values: st.SearchStrategy[Any], *, ordered: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    known = {"eq": values, "ne": values, "in": st.lists(values, max_size=3), "exists": st.booleans()}
    return some(known | ({"gte": values, "lte": values} if ordered else {}), min_size=1)


def some(items: dict[str, st.SearchStrategy[Any]], min_size: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a mapping with at most two of the items: more conditions rarely have a match."""
    pairs = st.one_of(*(st.tuples(st.just(name), values) for name, values in items.items()))
    return st.lists(pairs, min_size=min_size, max_size=2).map(dict)


FILTERS = some(
    {
        "type": operators(st.sampled_from(["fact", "episode", 1])),
        "speaker": operators(SCALARS),
        "session_id": operators(SCALARS),
        "tags": operators(SCALARS, ordered=False),
        "occurred_at": operators(TIMES),
        "metadata.a": operators(SCALARS),
        "metadata.a.b": operators(SCALARS),
        "metadata.b.0": operators(SCALARS),
    }
)
MISSING = object()


def kind(value: Any) -> str:
    return (
        "boolean" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else type(value).__name__
    )


def scanned(memory: NewMemory, name: str) -> Any:
    """Return the value of a field in a memory, or MISSING. Written without the code that is tested."""
    column, *keys = name.split(".")
    value = getattr(memory, column)
    for key in keys:
        value = value[key] if isinstance(value, dict) and key in value else MISSING
    return MISSING if not keys and value in (None, ()) else value


def meets(value: Any, operator: str, wanted: Any) -> bool:
    if operator == "exists":
        return (value is not MISSING) == wanted
    if operator == "in":
        return any(meets(value, "eq", each) for each in wanted)
    if value is MISSING or kind(value) != kind(wanted):
        return False
    return {"eq": value == wanted, "ne": value != wanted}.get(
        operator, False if kind(value) in ("list", "dict", "NoneType") else _ordered(value, operator, wanted)
    )


def _ordered(value: Any, operator: str, wanted: Any) -> bool:
    return bool(value >= wanted) if operator == "gte" else bool(value <= wanted)


def admits(memory: NewMemory, where: dict[str, Any]) -> bool:
    for name, conditions in where.items():
        for operator, wanted in conditions.items():
            if name == "tags":
                tags = memory.tags
                met = {
                    "eq": wanted in tags if isinstance(wanted, str) else False,
                    "ne": wanted not in tags if isinstance(wanted, str) else False,
                    "in": any(isinstance(each, str) and each in tags for each in (wanted if operator == "in" else ())),
                    "exists": bool(tags) == wanted,
                }[operator]
            else:
                value = scanned(memory, name)
                if name == "occurred_at" and operator != "exists":
                    read = datetime.fromisoformat
                    wanted = [read(each) for each in wanted] if operator == "in" else read(wanted)
                met = meets(value, operator, wanted)
            if not met:
                return False
    return True


@pytest.fixture(scope="module")
async def stored(layer):
    """Store memories of all kinds of metadata for one agent, and return them by id."""
    drawn: list[dict[str, Any]] = []

    @settings(max_examples=150, database=None, derandomize=True)
    @given(MEMORIES)
    def draw(fields: dict[str, Any]) -> None:
        drawn.append(fields)

    draw()
    memories = [NewMemory(content=f"the ferry line {n}", source=str(n), **each) for n, each in enumerate(drawn)]
    ids = await layer.remember("filters", memories)
    return dict(zip(ids, memories, strict=True))


async def test_random_filters_equal_a_plain_scan(layer, stored):
    drawn: list[dict[str, Any]] = []

    @settings(max_examples=300, database=None, derandomize=True)
    @given(FILTERS)
    def draw(where: dict[str, Any]) -> None:
        drawn.append(where)

    draw()
    for where in drawn:
        found = {memory.id for memory in await layer.admin.find("filters", where, limit=1000)}
        assert found == {id for id, memory in stored.items() if admits(memory, where)}, where


@pytest.mark.parametrize("max_listed", [0, 20, 10_000])
async def test_recall_finds_all_that_a_filter_admits(layer, stored, monkeypatch, max_listed):
    monkeypatch.setattr(admission, "SAMPLE", 40)
    monkeypatch.setattr(admission, "MAX_LISTED", max_listed)
    for where in (
        {"metadata.a": {"exists": True}},
        {"tags": {"eq": "a"}, "type": {"eq": "fact"}},
        {"speaker": {"ne": "a"}},
    ):
        hits = await layer.recall("filters", "the ferry line", limit=200, where=where)
        assert {hit.memory_id for hit in hits} == {id for id, memory in stored.items() if admits(memory, where)}


async def test_types_without_enough_near_memories_are_listed(layer, agent, monkeypatch):
    monkeypatch.setattr(admission, "SAMPLE", 100)
    monkeypatch.setattr(admission, "MAX_LISTED", 5)
    near = [NewMemory(type="fact", content=f"the ferry leaves at {n} today") for n in range(300)]
    far = [NewMemory(type="fact", content=f"apples and pears number {n}", speaker="far") for n in range(300)]
    ids = await layer.remember(agent, near + far)
    hits = await layer.recall(agent, "When does the ferry leave?", where={"speaker": {"eq": "far"}})
    assert len(hits) == 10
    assert {hit.memory_id for hit in hits} <= set(ids[300:])


@pytest.mark.parametrize("max_whole", [0, 10_000])
async def test_nearest_of_many_admitted_memories_are_found(layer, agent, monkeypatch, max_whole):
    monkeypatch.setattr(admission, "SAMPLE", 100)
    monkeypatch.setattr(admission, "MAX_LISTED", 5)
    monkeypatch.setattr(admission, "_MAX_WHOLE", max_whole)
    lines = [
        NewMemory(type="fact", content=f"the {'ferry' if n < 10 else 'train'} leaves at {n}", tags=("a", f"t {n % 2}"))
        for n in range(300)
    ]
    ids = await layer.remember(agent, lines)
    for where in ({"tags": {"eq": "t 1"}}, {"tags": {"eq": "a"}, "source": {"exists": False}}):
        hits = await layer.recall(agent, "When does the ferry leave?", where=where)
        wanted = [id for n, id in enumerate(ids[:10]) if n % 2 or "source" in where]
        assert len(hits) == 10
        assert {hit.memory_id for hit in hits[: len(wanted)]} == set(wanted)


async def test_recall_as_of_sees_what_was_visible_then(layer, agent, now):
    def said(day, content, **fields):
        return NewMemory(type="fact", content=content, occurred_at=START + timedelta(days=day), **fields)

    [old] = await layer.remember(agent, [said(0, "The pump is green.")])
    [new] = await layer.remember(agent, [said(10, "The pump is blue.", supersedes=old)])
    [gone] = await layer.remember(agent, [said(1, "The pump is rented.", expires_at=START + timedelta(days=5))])

    async def seen(day):
        hits = await layer.recall(agent, "What is the pump?", as_of=START + timedelta(days=day), now=now)
        return {hit.memory_id: hit.hidden_reason for hit in hits}

    assert await seen(-1) == {}
    assert await seen(2) == {old: None, gone: None}
    assert await seen(6) == {old: None}
    assert await seen(10) == {new: None}
    present = await layer.recall(agent, "What is the pump?", now=now)
    assert {hit.memory_id: hit.hidden_reason for hit in present} == {new: None, old: "superseded"}


async def test_retired_memories_leave_no_gap_among_the_hits(layer, agent):
    ids = await layer.remember(agent, [NewMemory(type="fact", content=f"the ferry leaves at {n}") for n in range(300)])
    await layer.retire(agent, ids[:280])
    hits = await layer.recall(agent, "When does the ferry leave?", limit=20)
    assert {hit.memory_id for hit in hits} == set(ids[280:])


async def test_where_limits_a_turn_with_its_pinned_memories(layer, agent):
    kept, other = {"metadata": {"site": "north"}}, {"metadata": {"site": "south"}}
    await layer.remember(
        agent,
        [
            NewMemory(type="fact", content="The north gate code is 4471.", **kept),
            NewMemory(type="fact", content="The south gate code is 9902.", **other),
            NewMemory(type="fact", content="Speak briefly in the north.", pinned=True, **kept),
            NewMemory(type="fact", content="Speak loudly in the south.", pinned=True, **other),
        ],
    )
    where = {"metadata.site": {"eq": "north"}}
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="What is the gate code?", where=where))
    assert "4471" in context.text
    assert "briefly" in context.prefix
    assert "9902" not in context.text
    assert "loudly" not in context.prefix


async def test_export_contains_only_what_the_filter_admits(layer, stored):
    where = {"type": {"eq": "episode"}}
    lines = [json.loads(line) async for line in layer.admin.export("filters", where)]
    found = [line for line in lines if "content" in line]
    assert len(found) == sum(memory.type == "episode" for memory in stored.values())


@pytest.mark.parametrize(
    "bad",
    [{"where": {"colour": {"eq": 1}}}, {"as_of": datetime(2999, 1, 1, tzinfo=UTC)}, {"as_of": datetime(2026, 1, 1)}],  # noqa: DTZ001
)
async def test_bad_filters_of_a_recall_are_typed_errors(layer, agent, bad):
    with pytest.raises(InvalidInput):
        await layer.recall(agent, "anything", **bad)


def test_bad_filter_of_a_turn_is_a_typed_error():
    with pytest.raises(InvalidInput, match="unknown field"):
        Turn(agent_id="a", session_id="s", text="hi", where={"colour": {"eq": 1}})
