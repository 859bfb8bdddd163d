"""Each component of a turn fails open alone: the turn names it and keeps the output of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from typing import NoReturn

import pytest

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, Turn, TurnRef
from cognitive.errors import StoreUnavailable
from tests.internals import internals

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
POLICY = Policy(deadline_ms=30_000, abstention=False)
CONVERSATION = (Message(role="user", content="Hello."), Message(role="assistant", content="Hello, what shall I do?"))
TOOLS = tuple(
    Tool(name=name) for name in ("exec", "web_search", "message", "read")
)  # the last belongs to another category
VIEW = ("prefix", "shown", "messages", "tools", "categories")

OWNERS = {
    "planner": "memories",
    "engine": "memories",
    "session_manager": "window",
    "catalog": "tools",
    "turns": "recorder",
    "redactor": "memories",
}


class Changed:
    """A component with one method replaced."""

    def __init__(self, part: object, method: str, does: Callable[..., object]) -> None:
        self._part, self._method, self._does = part, method, does

    def __getattr__(self, name: str) -> object:
        return self._does if name == self._method else getattr(self._part, name)


@pytest.fixture
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def stocked(layer, agent):
    pinned = NewMemory(type="fact", content="I am a careful assistant.", pinned=True)
    await layer.remember(agent, [pinned, NewMemory(type="fact", content="The SOL wallet is the blue one.")])
    return agent


def without(layer: CognitiveLayer, part: str, method: str, error: Exception) -> CognitiveLayer:
    """Return the layer with a component that fails."""

    def fails(*_: object, **__: object) -> NoReturn:
        raise error

    return changed(layer, part, method, fails)


def changed(layer: CognitiveLayer, part: str, method: str, does: Callable[..., object]) -> CognitiveLayer:
    """Return the layer with one method of a component replaced."""
    other, owner = copy(layer), OWNERS[part]
    caller = copy(getattr(layer._preparation, owner))
    setattr(caller, f"_{part}", Changed(getattr(caller, f"_{part}"), method, does))
    other._preparation = replace(layer._preparation, **{owner: caller})
    return other


def make_turn(agent: str, turn_id: str) -> Turn:
    return Turn(
        agent_id=agent,
        session_id="s",
        text="Swap 1 SOL for USDC from my wallet.",
        conversation=CONVERSATION,
        tools=TOOLS,
        now=NOW,
        turn_id=turn_id,
    )


def view(context) -> dict[str, object]:
    return {name: context.plan.categories if name == "categories" else getattr(context, name) for name in VIEW}


@pytest.mark.parametrize(
    ("part", "method", "named", "lost"),
    [
        ("planner", "plan", "memory: ", {"prefix", "shown", "categories", "tools"}),
        ("engine", "build", "memory: ", {"prefix", "shown"}),
        ("planner", "refine", None, set()),
        ("session_manager", "window", "window: ", set()),  # the plain window holds two short messages, too
        ("catalog", "select", "tools: ", set()),  # three tools fit without selection
        ("turns", "open", "record: ", set()),
    ],
)
async def test_failed_component_loses_only_its_own_output(layer, stocked, part, method, named, lost):
    error = StoreUnavailable("away") if part == "turns" else ZeroDivisionError("a defect")
    lacking = await without(layer, part, method, error).pre_turn(make_turn(stocked, "t1"))
    whole = await layer.pre_turn(make_turn(stocked, "t2"))

    assert whole.degraded == ()
    assert [reason.startswith(named) and str(error) in reason for reason in lacking.degraded] == [True] * bool(named)
    assert {name for name in VIEW if view(whole)[name] != view(lacking)[name]} == lost


async def test_unrecorded_turn_is_recorded_together_with_its_outcome(layer, stocked):
    context = await without(layer, "turns", "open", StoreUnavailable("away")).pre_turn(make_turn(stocked, "t1"))
    assert [reason.partition(":")[0] for reason in context.degraded] == ["record"]
    await internals(layer).outcomes.flush()
    by_name = TurnRef(stocked, context.turn_id)  # as another process refers to it
    assert (await layer.post_turn(by_name, Outcome(response="The blue one."))).recorded
    assert [turn.turn_id for turn in await layer.explain.turns(stocked)] == ["t1"]


async def test_message_is_withheld_when_redaction_fails(layer, stocked):
    gone = without(layer, "redactor", "run", RuntimeError("cannot schedule new futures after shutdown"))
    context = await gone.pre_turn(make_turn(stocked, "t1"))

    assert [each.code for each in context.degraded] == ["redaction_failed"]
    assert (context.message, context.redacted_message, context.shown) == (
        make_turn(stocked, "t1").text,
        "[withheld]",
        (),
    )
    assert "careful" in context.prefix
    assert [turn.message for turn in await layer.explain.turns(stocked)] == ["[withheld]"]


async def test_unexpected_error_is_raised_unchanged(layer, stocked):
    async def fails(*_: object) -> NoReturn:
        raise ZeroDivisionError("a defect of the window")

    broken = copy(layer)
    window = Changed(layer._preparation.window, "build", fails)
    broken._preparation = replace(layer._preparation, window=window)
    with pytest.raises(ZeroDivisionError, match="a defect of the window"):
        await broken.pre_turn(make_turn(stocked, "t1"))
    with pytest.raises(ZeroDivisionError, match="a defect of the plan"):
        await without(layer, "planner", "default_plan", ZeroDivisionError("a defect of the plan")).pre_turn(
            make_turn(stocked, "t2")
        )


@pytest.mark.parametrize(
    ("part", "method"),
    [("session_manager", "window"), ("engine", "build"), ("catalog", "select"), ("turns", "open")],
)
async def test_cancelled_turn_leaves_no_task_and_the_next_turn_is_complete(layer, stocked, part, method):
    hangs, ended = asyncio.Event(), asyncio.Event()

    async def hang(*_: object, **__: object) -> None:
        hangs.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    whole = await layer.pre_turn(make_turn(stocked, "t0"))  # starts what the first turn starts permanently
    await internals(layer).background.drain()
    others = asyncio.all_tasks()
    turn = asyncio.create_task(changed(layer, part, method, hang).pre_turn(make_turn(stocked, "t1")))
    await hangs.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert ended.is_set()
    reads = asyncio.all_tasks() - others  # they were cancelled, too, and return their connections
    await asyncio.wait_for(asyncio.gather(*reads, return_exceptions=True), 10)

    following = await layer.pre_turn(make_turn(stocked, "t2"))
    assert (following.degraded, view(following)) == ((), view(whole))
