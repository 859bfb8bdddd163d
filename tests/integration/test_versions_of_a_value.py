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
