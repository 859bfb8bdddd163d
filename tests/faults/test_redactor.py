"""Redacted text is stored nowhere, and a redactor that hangs or raises does not delay a turn."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator

import pytest
from erased import (
    ASKED,
    POLICY,
    SECRET,
    WORDS,
    drain_background,
    files,
    opened,
    places_of_secret,
    site,
    use_every_feature,
)

from brain.users import Scope
from cognitive import NewMemory, Outcome, Turn
from cognitive.recording.record import open_turn
from tests.internals import internals

__all__ = ["site"]  # a fixture


def without(text: str) -> str:
    """Replace the words that these tests search for."""
    return re.sub("|".join(WORDS), "[flower]", text, flags=re.IGNORECASE)


async def test_redacted_text_is_stored_nowhere_but_reaches_the_model(site, agent):
    async with opened(site, redact=without) as layer:
        secret, contexts = await use_every_feature(layer, agent)
        assert await places_of_secret(site, agent) == []
        assert contexts[1].message == f"Is it true? {SECRET}"
        assert SECRET in contexts[1].prompt()[-1].content
        assert (await layer.get(agent, [secret]))[0].content == without(SECRET)
        assert (await layer.explain.replay(agent, "turn-0")).verdict == "identical"
        recorder = internals(layer).outcomes
        recorder.keep_opening(Scope(agent), open_turn(contexts[2]))
        await recorder.flush()
        assert files(site) == []


class Broken:
    """A redactor that works until `fault` makes it hang or raise."""

    def __init__(self) -> None:
        self.fault, self.released, self.ended = "", threading.Event(), 0
        self.hanging = threading.Event()

    def __call__(self, text: str) -> str:
        if self.fault == "hangs":
            self.hanging.set()
            self.released.wait(60)
        self.ended += 1
        if self.fault == "raises":
            raise RuntimeError(text)
        return without(text)


@pytest.fixture
def redactor() -> Iterator[Broken]:
    broken = Broken()
    yield broken
    broken.released.set()


async def test_text_is_withheld_when_the_redactor_raises(site, agent, redactor):
    async with opened(site, redact=redactor) as layer:
        redactor.fault = "raises"
        [id] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET)])
        assert (await layer.get(agent, [id]))[0].content == "[withheld]"
        assert await places_of_secret(site, agent) == []


@pytest.mark.parametrize("end", ["\x00", "\ud800"], ids=["NUL", "surrogate"])
async def test_text_is_withheld_when_its_redacted_form_cannot_be_stored(site, agent, end):
    async with opened(site, redact=lambda text: without(text) + end) as layer:
        [id] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET)])
        assert (await layer.get(agent, [id]))[0].content == "[withheld]"
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED))
        assert (context.message, context.plan.reasons) == (ASKED, ("withheld",))
        assert (await layer.post_turn(context, Outcome(response=SECRET))).recorded


@pytest.mark.parametrize(
    ("fault", "reason"), [("hangs", "the redactor did not return in time"), ("raises", "the redactor failed")]
)
async def test_turn_with_a_failing_redactor_keeps_its_deadline_and_degrades(site, agent, redactor, fault, reason):
    brief = POLICY.changed({"deadline_ms": 1_000.0, "deadlines.post_turn_ms": 1_000.0})
    async with opened(site, redact=redactor, policy=brief) as layer:
        [crane] = await layer.remember(agent, [NewMemory(type="fact", content="The crane is green.", pinned=True)])
        redactor.fault, redactor.ended = fault, 0
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=SECRET, turn_id="t"))
        assert [each for each in context.degraded if each.startswith(f"redaction: {reason}")]
        assert (context.message, context.shown, context.plan.reasons) == (SECRET, (), ("withheld",))
        assert "green" in context.prefix  # pinned memories do not depend on the message
        rated = Outcome(response=f"Yes. {SECRET}", ratings={crane: True})
        assert not (await layer.post_turn(context, rated)).duplicate
        assert (redactor.ended == 0) == (fault == "hangs")
        redactor.released.set()
        await drain_background(layer)
        while await asyncio.to_thread(internals(layer).journal.count):
            await asyncio.sleep(0.05)
        assert (await layer.explain.turns(agent))[0].status == "completed"
        assert await places_of_secret(site, agent) == []


async def test_turns_continue_while_memories_wait_for_a_redactor(site, agent, redactor):
    async with opened(site, redact=redactor) as layer:
        redactor.fault = "hangs"
        remembering = asyncio.create_task(layer.remember(agent, [NewMemory(type="fact", content="It is old.")]))
        assert await asyncio.to_thread(redactor.hanging.wait, 20)
        redactor.fault = ""
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED))
        assert (context.degraded, remembering.done()) == ((), False)
        redactor.released.set()
        assert len(await remembering) == 1
