"""Capture of completed turns: nothing by default, and each message once if the policy enables it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Sequence

import pytest

from brain.journal import Journal
from brain.opened_turns import written
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn, TurnRef
from cognitive.errors import EmbeddingError
from cognitive.feedback.capture import TAG, CapturedExchange
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.recording.record import open_turn
from tests.internals import internals

ASKED = "Which harbour does the Skagerrak ferry leave from in winter?"
ANSWER = "In winter the Skagerrak ferry leaves from Hirtshals."


class DecisionExtractor:
    """An extractor that turns each response into a decision."""

    def __init__(self) -> None:
        self.seen: list[CapturedExchange] = []

    async def __call__(self, exchange: CapturedExchange) -> Sequence[NewMemory]:
        self.seen.append(exchange)
        return [NewMemory(type="decision", content=f"Decided: {exchange.response}", session_id=exchange.session_id)]


def capturing(urls, embedder, capture="exchange", extractor=None):
    policy = Policy(capture=capture, dedup={"enabled": False}, deadline_ms=8_000, deadlines={"post_turn_ms": 20_000})
    return CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, extractor=extractor)


@pytest.fixture
async def keeping(urls, embedder) -> AsyncIterator[CognitiveLayer]:
    async with capturing(urls, embedder) as layer:
        yield layer


async def run_turn(layer: CognitiveLayer, agent: str, text: str = ASKED, response: str = ANSWER, **fields):
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=text, user_id=fields.pop("user", None)))
    await layer.post_turn(context, Outcome(response=response, **fields))
    return context


async def captured(layer: CognitiveLayer, agent: str, user: str | None = None) -> list[tuple[str, str, str | None]]:
    hits = await layer.recall(agent, "Skagerrak ferry harbour winter", limit=50, user_id=user)
    return sorted((hit.type, hit.content, hit.speaker) for hit in hits)


async def test_nothing_is_captured_by_default(layer, agent):
    await run_turn(layer, agent)
    assert await captured(layer, agent) == []


async def test_exchange_is_captured_as_episodes_and_found_later(keeping, agent):
    await run_turn(keeping, agent, user="Ines")
    assert await captured(keeping, agent, "Ines") == [("episode", ANSWER, "assistant"), ("episode", ASKED, "Ines")]
    assert await captured(keeping, agent) == []
    turn = Turn(
        agent_id=agent, session_id="s2", user_id="Ines", text="Remind me: the winter harbour of the Skagerrak ferry?"
    )
    assert ANSWER in (await keeping.pre_turn(turn)).text


async def test_capture_of_the_user_stores_only_the_users_message(urls, embedder, agent):
    async with capturing(urls, embedder, "user") as layer:
        await run_turn(layer, agent)
        assert await captured(layer, agent) == [("episode", ASKED, "user")]


async def test_captured_memories_carry_a_tag(keeping, agent):
    await keeping.remember(agent, [NewMemory(type="fact", content="The Skagerrak ferry is called Superspeed.")])
    await run_turn(keeping, agent)
    assert len(await keeping.recall(agent, "Skagerrak ferry", limit=50, tags=(TAG,))) == 2


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"status": "failed"}, id="failed"),
        pytest.param({"status": "abandoned"}, id="abandoned"),
        pytest.param({"text": "thanks, great!", "response": "Welcome! The Skagerrak ferry awaits."}, id="small talk"),
    ],
)
async def test_incomplete_turns_and_small_talk_are_not_captured(keeping, agent, fields):
    await run_turn(keeping, agent, **fields)
    assert await captured(keeping, agent) == []


async def test_turn_is_captured_once_despite_retries(keeping, agent):
    context = await run_turn(keeping, agent)
    await keeping.post_turn(context, Outcome(response=ANSWER))
    await keeping.post_turn(TurnRef(agent, context.turn_id), Outcome(response="Something else about the ferry."))
    assert len(await captured(keeping, agent)) == 2


async def test_outcome_by_reference_captures_the_turn(keeping, agent):
    context = await keeping.pre_turn(Turn(agent_id=agent, session_id="s1", text=ASKED))
    await keeping.post_turn(TurnRef(agent, context.turn_id), Outcome(response=ANSWER))
    assert [content for _, content, _ in await captured(keeping, agent)] == [ANSWER, ASKED]


async def test_injected_blocks_are_not_captured(keeping, agent):
    await keeping.remember(agent, [NewMemory(type="fact", content="The Skagerrak ferry sails from Hirtshals.")])
    shown = await keeping.pre_turn(Turn(agent_id=agent, session_id="s1", text=ASKED))
    assert shown.text
    await run_turn(keeping, agent, text=shown.sent(), response=f"{ANSWER}\n\n{shown.text}")
    episodes = [content for type_, content, _ in await captured(keeping, agent) if type_ == "episode"]
    assert episodes == [ANSWER, ASKED]


async def test_extractor_stores_memories_in_the_background(urls, embedder, agent):
    extractor = DecisionExtractor()
    async with capturing(urls, embedder, "off", extractor) as layer:
        context = await run_turn(layer, agent)
    [exchange] = extractor.seen
    assert (exchange.turn_id, exchange.message, exchange.response) == (context.turn_id, ASKED, ANSWER)
    async with capturing(urls, embedder, "off") as layer:
        assert await captured(layer, agent) == [("decision", f"Decided: {ANSWER}", None)]


async def test_extractor_is_called_once_per_turn(urls, embedder, agent):
    extractor = DecisionExtractor()
    async with capturing(urls, embedder, "off", extractor) as layer:
        context = await run_turn(layer, agent)
        await layer.post_turn(context, Outcome(response=ANSWER))
    assert len(extractor.seen) == 1


async def test_failing_extractor_is_logged_and_the_exchange_is_captured(urls, embedder, agent, caplog):
    async def broken(exchange: CapturedExchange) -> Sequence[NewMemory]:
        raise RuntimeError("no model today")

    with caplog.at_level(logging.WARNING, "cognitive.feedback.capture"):
        async with capturing(urls, embedder, "exchange", broken) as layer:
            await run_turn(layer, agent)
            assert len(await captured(layer, agent)) == 2
    assert "no model today" in caplog.text


class HaltingEmbedder:
    """An embedder that waits, or fails, before it embeds the turn's response."""

    def __init__(self, own, *, fails: bool = False) -> None:
        self.model, self.dimension, self._own, self._fails = own.model, own.dimension, own, fails
        self.reached, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]):
        if any(ANSWER in text for text in texts) and not self.go_on.is_set():
            self.reached.set()
            if self._fails:
                raise EmbeddingError("no model today")
            self.go_on.wait(20)
        return self._own.embed(texts)


async def start_closing(layer: CognitiveLayer, agent: str, halting: HaltingEmbedder):
    """Return a turn and its post_turn task, which waits between closing the turn and capturing it."""
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=ASKED))
    posting = asyncio.create_task(layer.post_turn(context, Outcome(response=ANSWER)))
    assert await asyncio.to_thread(halting.reached.wait, 20)
    async with asyncio.timeout(20):  # the messages are embedded while the turn is being closed
        while [turn.status for turn in await layer.explain.turns(agent)] != ["completed"]:
            pass
    return context, posting


async def test_agent_erased_before_capture_leaves_no_text(urls, embedder, agent, keeping):
    halting = HaltingEmbedder(embedder)
    async with capturing(urls, halting) as layer:
        _, posting = await start_closing(layer, agent, halting)
        await keeping.erase_agent(agent)
        halting.go_on.set()
        await posting
    assert await captured(keeping, agent) == []
    assert await keeping.explain.turns(agent) == []


async def test_retry_captures_a_turn_whose_capture_was_cancelled(urls, embedder, agent, keeping):
    halting = HaltingEmbedder(embedder)
    async with capturing(urls, halting) as layer:
        context, posting = await start_closing(layer, agent, halting)
        posting.cancel()
        await asyncio.wait({posting})
        halting.go_on.set()
    assert await captured(keeping, agent) == []
    assert (await keeping.post_turn(context, Outcome(response=ANSWER))).duplicate
    assert [content for _, content, _ in await captured(keeping, agent)] == [ANSWER, ASKED]


async def test_failed_turn_is_not_captured_by_a_later_completion(keeping, agent):
    context = await run_turn(keeping, agent, status="failed")
    await keeping.post_turn(context, Outcome(response=ANSWER))
    assert await captured(keeping, agent) == []


async def test_completion_from_the_journal_does_not_capture_a_failed_turn(keeping, agent, tmp_path):
    context = await run_turn(keeping, agent, status="failed")
    journal = Journal(tmp_path / "journal" / "x.sqlite")
    outcome = Outcome(response=ANSWER).model_dump_json()
    journal.put(Scope(agent), context.turn_id, opening=written(open_turn(context)), outcome=outcome)
    turns, resolver, capture = (getattr(internals(keeping), name) for name in ("turns", "resolver", "capture"))
    await OutcomeRecorder(turns, journal, resolver, capture).drain(journal.find(Scope(agent), context.turn_id))
    assert await captured(keeping, agent) == []


async def test_capture_waits_in_the_journal_when_embedding_fails(urls, embedder, agent, keeping):
    halting = HaltingEmbedder(embedder, fails=True)
    async with capturing(urls, halting) as layer:
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=ASKED))
        assert not (await layer.post_turn(context, Outcome(response=ANSWER))).recorded
        assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]
        halting.go_on.set()
    assert [content for _, content, _ in await captured(keeping, agent)] == [ANSWER, ASKED]


async def test_running_extraction_does_not_restore_an_erased_agent(urls, embedder, agent, keeping):
    called, go_on = asyncio.Event(), asyncio.Event()

    async def slow(exchange: CapturedExchange) -> Sequence[NewMemory]:
        called.set()
        await go_on.wait()
        return [NewMemory(type="fact", content=exchange.response)]

    async with capturing(urls, embedder, "off", slow) as layer:
        await run_turn(layer, agent)
        await called.wait()
        await keeping.erase_agent(agent)  # like another process, which does not know of the extraction
        go_on.set()
    assert await captured(keeping, agent) == []


async def test_erasing_the_agent_deletes_captured_memories(keeping, agent):
    await run_turn(keeping, agent)
    await keeping.erase_agent(agent)
    assert await captured(keeping, agent) == []
