"""Stored versions of one value replace each other by their times, whatever the order of storing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from cognitive import CognitiveLayer, NewMemory, Policy

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=Policy(detect_updates=True), embedder=embedder) as layer:
        yield layer


def hour(n: int) -> datetime:
    return AT + timedelta(hours=n)


def rent(euros: int, at: int, *, text: str = "Our rent is {} euros.", **fields) -> NewMemory:
    return NewMemory(type="fact", content=text.format(euros), occurred_at=hour(at), **fields)


async def links(layer, agent, *batches: dict[str, NewMemory]) -> dict[str, tuple]:
    """Store batches; return when and why each memory is hidden, which replaces it, and which it supersedes."""
    ids: dict[str, UUID] = {}
    for batch in batches:
        ids |= zip(batch, await layer.remember(agent, list(batch.values())), strict=True)
    names = {id: name for name, id in ids.items()} | {None: None}
    return {
        name: (each.hidden_at, each.hidden_reason, names[each.replaced_by], names[each.supersedes])
        for name, each in zip(ids, await layer.get(agent, list(ids.values())), strict=True)
    }


@pytest.mark.parametrize("order", ["a b", "b a", "ab", "ba"])
@pytest.mark.parametrize(
    ("expires", "expected"),
    [
        (9, {"a": (hour(3), "superseded", "b", None), "b": (None, None, None, "a")}),
        (2, {"a": (hour(2), "expired", None, None), "b": (None, None, None, None)}),
    ],
)
async def test_value_that_expires_is_replaced_until_then(layer, agent, order, expires, expected):
    versions = {"a": rent(900, 1, expires_at=hour(expires)), "b": rent(950, 3)}
    batches = [{name: versions[name] for name in batch} for batch in order.split()]
    assert await links(layer, agent, *batches) == expected


async def test_replaced_value_is_not_replaced_again(layer, agent):
    old = NewMemory(type="fact", content="The door code is 4711.", occurred_at=hour(0))
    same = rent(950, 5, text="Our rent is now {} euros.")
    found = await links(layer, agent, {"a": rent(900, 1)}, {"b": rent(950, 3)}, {"x": same, "door": old})
    assert found["a"] == (hour(3), "superseded", "b", None)
    assert found["x"] == (None, None, None, None)


async def test_memory_that_the_host_named_stays_superseded(layer, agent):
    [named] = await layer.remember(agent, [NewMemory(type="fact", content="The gate is blue.", occurred_at=hour(0))])
    [new, old] = [(await layer.remember(agent, [each]))[0] for each in (rent(950, 5, supersedes=named), rent(900, 2))]
    first, second, third = await layer.get(agent, [named, old, new])
    assert (first.replaced_by, second.replaced_by) == (new, new)
    assert (second.supersedes, third.supersedes) == (None, named)


@pytest.mark.parametrize("names", ["xy", "yx"])
async def test_latest_of_equal_values_stored_late_is_superseded(layer, agent, names):
    late = {"x": rent(950, 3), "y": rent(950, 5, text="Our rent is now {} euros.")}
    found = await links(layer, agent, {"a": rent(900, 1), "c": rent(990, 9)}, {name: late[name] for name in names})
    assert {name: supersedes for name, (*_, supersedes) in found.items()} == {"a": None, "c": "y", "x": "a", "y": None}
    assert [found[name][2] for name in "axyc"] == ["x", "c", "c", None]
