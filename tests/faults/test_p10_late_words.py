"""Promise P10: work in progress while a memory is forgotten, or after it, does not restore its text.

Each test stops a writer in the middle of its work and forgets the memory at that point.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import asyncpg
import pytest
from erased import (
    ASKED,
    AT,
    POLICY,
    SECRET,
    WORDS,
    InterruptingEmbedder,
    WordEmbedder,
    drain_background,
    opened,
    places_of_secret,
    site,
)

from cognitive import Message, NewMemory, Outcome, ToolCall, Turn
from tests.internals import internals

__all__ = ["site"]  # a fixture

UNRELATED = "What is the plan for this week?"
TALK = [Message(role="user", content=f"Note: {SECRET}"), Message(role="assistant", content=f"Noted. {SECRET}")]
LONG = [*TALK, *(Message(role="user" if n % 2 == 0 else "assistant", content="crane " * 60) for n in range(12))]
SAID = Outcome(
    response=f"Well. {SECRET}",
    tool_calls=[ToolCall(name="read_file", arguments={}, result=f"{SECRET}\n" + "log line\n" * 4_000)],
)


class Plugin:
    """A redactor, summarizer and extractor that runs `meanwhile` once.

    The redactor waits for a text that begins with "Well".
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.meanwhile: Callable[[], Coroutine[Any, Any, object]] | None = None

    async def _interrupt(self) -> None:
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()

    def redact(self, text: str) -> str:
        if text.startswith("Well"):
            asyncio.run_coroutine_threadsafe(self._interrupt(), self._loop).result()
        return text

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        await self._interrupt()
        return f"They said: {SECRET}"

    async def extract(self, exchange: Any) -> list[NewMemory]:
        await self._interrupt()
        return [NewMemory(type="fact", content=f"They hold that {SECRET}")]


async def store_secret(layer, agent: str, **more: Any):
    [id] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT, **more)])
    return id


async def store_talk(layer, agent: str, content: str):
    [id] = await layer.remember(agent, [NewMemory(type="episode", content=content, occurred_at=AT, trust="talk")])
    return id


def turn(agent: str, text: str = UNRELATED, talk: Sequence[Message] = ()) -> Turn:
    return Turn(agent_id=agent, session_id="s", text=text, turn_id="t", conversation=talk)


# --- outcomes ---


async def test_response_that_quotes_a_forgotten_memory_is_not_stored(site, agent):
    async with opened(site) as layer:
        secret = await store_secret(layer, agent)
        context = await layer.pre_turn(turn(agent, ASKED))
        assert secret in {shown.memory_id for shown in context.shown}
        await layer.forget(agent, [secret])
        assert (await layer.post_turn(context, SAID)).recorded
        await drain_background(layer)
        assert [memory.content for memory in await layer.admin.find(agent, {"tags": {"eq": "captured"}})] == [ASKED]
        assert await places_of_secret(site, agent) == []
        assert [text for text in internals(layer).embedders.first._cache if SECRET in text] == []


async def test_repeated_outcome_does_not_restore_a_forgotten_memory(site, agent):
    async with opened(site) as layer:
        secret = await store_secret(layer, agent)
        context = await layer.pre_turn(turn(agent))
        await layer.post_turn(context, SAID)
        await drain_background(layer)
        await layer.forget(agent, [secret])
        assert (await layer.post_turn(context, SAID)).duplicate
        await drain_background(layer)
        assert await places_of_secret(site, agent) == []


async def test_forget_during_redaction_removes_the_text_from_the_outcome(site, agent):
    plugin = Plugin()
    async with opened(site, redact=plugin.redact) as layer, opened(site) as another:
        secret = await store_secret(layer, agent)
        context = await layer.pre_turn(turn(agent))
        plugin.meanwhile = lambda: another.forget(agent, [secret])
        assert (await layer.post_turn(context, SAID)).recorded
        await drain_background(layer)
        assert plugin.meanwhile is None
        assert [memory.content for memory in await layer.admin.find(agent, {"tags": {"eq": "captured"}})] == [UNRELATED]
        assert await places_of_secret(site, agent) == []


async def test_forget_during_capture_removes_the_exchange(site, agent):
    embedder = InterruptingEmbedder("Well")
    async with opened(site, embedder=embedder) as layer:
        secret = await store_secret(layer, agent)
        context = await layer.pre_turn(turn(agent))
        embedder.meanwhile = lambda: layer.forget(agent, [secret])
        assert (await layer.post_turn(context, SAID)).recorded
        await drain_background(layer)
        assert embedder.meanwhile is None
        assert await places_of_secret(site, agent) == []


async def test_forget_during_extraction_in_another_process_stores_nothing(site, agent):
    plugin = Plugin()
    async with opened(site, extractor=plugin.extract) as layer, opened(site) as another:
        secret = await store_secret(layer, agent)
        context = await layer.pre_turn(turn(agent))
        plugin.meanwhile = lambda: another.forget(agent, [secret])
        await layer.post_turn(context, SAID)
        await internals(layer).background.drain()
        await drain_background(layer)
        assert plugin.meanwhile is None
        assert await places_of_secret(site, agent) == []


# --- turns ---


@pytest.mark.parametrize("erased", ["the memory", "the agent"])
async def test_erasure_during_pre_turn_removes_the_text_from_the_turn(site, agent, erased):
    embedder = InterruptingEmbedder("Is it so")
    async with opened(site, embedder=embedder) as layer, opened(site, embedder=WordEmbedder()) as another:
        secret = await store_secret(layer, agent)
        forget = {
            "the memory": lambda: another.forget(agent, [secret]),
            "the agent": lambda: another.erase_agent(agent),
        }
        embedder.meanwhile = forget[erased]
        await layer.pre_turn(turn(agent, f"Is it so? {SECRET}", TALK))
        await drain_background(layer)
        assert embedder.meanwhile is None
        assert [each.message for each in await layer.explain.turns(agent)] == (
            ["[erased]"] if erased == "the memory" else []
        )
        assert await places_of_secret(site, agent) == []


async def test_forget_during_summarizing_in_another_process_drops_the_summary(site, agent):
    plugin = Plugin()
    async with opened(site, summarizer=plugin) as layer, opened(site) as another:
        secret = await store_secret(layer, agent)
        plugin.meanwhile = lambda: another.forget(agent, [secret])
        await layer.pre_turn(turn(agent, talk=LONG))
        await drain_background(layer)
        assert plugin.meanwhile is None
        assert await places_of_secret(site, agent) == []


async def test_turn_after_an_erasure_is_stored_whole(site, agent):
    async with opened(site) as layer:
        await layer.forget(agent, [await store_secret(layer, agent)])
        context = await layer.pre_turn(turn(agent, talk=[Message(role="user", content="The crane is green.")]))
        await layer.post_turn(context, Outcome(response="We paint the crane."))
        await drain_background(layer)
        assert [memory.content for memory in await layer.admin.find(agent, {"tags": {"eq": "captured"}})] == [
            UNRELATED,
            "We paint the crane.",
        ]
        kept = (await layer.resume(agent, "s")).messages
        assert [each.content for each in kept] == ["The crane is green.", UNRELATED, "We paint the crane."]


# --- memories ---


async def test_concurrent_forgets_both_succeed(site, agent):
    embedder = InterruptingEmbedder("[erased]")
    async with opened(site, embedder=embedder) as layer, opened(site, embedder=WordEmbedder()) as another:
        one, two = await store_secret(layer, agent, source="one"), await store_secret(layer, agent, source="two")
        await store_talk(layer, agent, SECRET)  # holds nothing but the secret, so that both erase it
        await store_talk(layer, agent, f"Well then. {SECRET}")
        embedder.meanwhile = lambda: another.forget(agent, [two])
        await layer.forget(agent, [one])
        assert embedder.meanwhile is None
        assert await places_of_secret(site, agent) == []


async def test_retention_during_an_erasure_does_not_stop_it(site, agent):
    embedder, brief = (
        InterruptingEmbedder("[erased]"),
        POLICY.model_copy(update={"retention": POLICY.retention.model_copy(update={"days": {"procedure": 0.0}})}),
    )
    async with opened(site, embedder=embedder) as layer, opened(site, policy=brief) as another:
        secret = await store_secret(layer, agent)
        await layer.remember(agent, [NewMemory(type="procedure", content=SECRET, trust="talk")])
        await store_talk(layer, agent, f"Well then. {SECRET}")
        embedder.meanwhile = lambda: another.admin.apply_retention(agent)
        await layer.forget(agent, [secret])
        assert embedder.meanwhile is None
        assert await places_of_secret(site, agent) == []


async def test_new_content_of_a_memory_updated_during_forget_is_erased(site, agent):
    embedder, changed = (
        InterruptingEmbedder("[erased]"),
        "The cellar door yields to heliotrope nine and marzipan four only.",
    )
    async with opened(site, embedder=embedder) as layer, opened(site, embedder=WordEmbedder()) as another:
        secret = await store_secret(layer, agent)
        await store_talk(layer, agent, f"Well then. {SECRET}")
        await layer.pre_turn(turn(agent, f"Is it so? {changed}"))
        embedder.meanwhile = lambda: another.update(agent, secret, content=changed)
        await layer.forget(agent, [secret])
        assert embedder.meanwhile is None
        assert await places_of_secret(site, agent) == []


async def test_other_memory_updated_during_forget_keeps_its_new_content(site, agent):
    embedder = InterruptingEmbedder("[erased]")
    async with opened(site, embedder=embedder) as layer, opened(site, embedder=WordEmbedder()) as another:
        secret, other = await store_secret(layer, agent), await store_talk(layer, agent, f"Well then. {SECRET}")
        embedder.meanwhile = lambda: another.update(agent, other, content="The crane is blue.")
        await layer.forget(agent, [secret])
        assert [memory.content for memory in await layer.get(agent, [other])] == ["The crane is blue."]
        assert await places_of_secret(site, agent) == []


async def test_memory_stored_while_an_erasure_waits_is_erased(site, agent):
    async with opened(site) as layer:
        secret = await store_secret(layer, agent)
        holding = await asyncpg.connect(site.urls.admin)
        try:
            async with holding.transaction():
                await holding.execute("SELECT 1 FROM cognitive.agent_state WHERE agent_id = $1 FOR UPDATE", agent)
                storing = asyncio.create_task(store_talk(layer, agent, f"Well then. {SECRET}"))
                await waiting(holding, 1)
                forgetting = asyncio.create_task(layer.forget(agent, [secret]))
                await waiting(holding, 2)
        finally:
            await holding.close()
        await asyncio.gather(storing, forgetting)
        assert await places_of_secret(site, agent) == []


async def waiting(connection: asyncpg.Connection, number: int) -> None:
    """Wait until `number` server processes wait for a lock."""
    while await connection.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted") < number:
        await asyncio.sleep(0.01)


# --- this process ---


async def test_vector_computed_during_forget_is_not_cached(site, agent):
    stated = SECRET.replace("The vault", "One vault")
    embedder = InterruptingEmbedder("One vault")
    async with opened(site, embedder=embedder) as layer:
        secret = await store_secret(layer, agent)
        embedder.meanwhile = lambda: layer.forget(agent, [secret])
        internals(layer).prefetch.begin(agent)(stated)
        await drain_background(layer)
        assert embedder.meanwhile is None
        assert internals(layer).embedders.first.known(stated) is None


@pytest.mark.parametrize("erased", ["the memory", "the user", "the agent"])
async def test_response_still_being_embedded_is_not_cached_after_an_erasure(site, agent, erased):
    embedder, policy = InterruptingEmbedder("bolt 1"), POLICY.model_copy(update={"capture": "off"})
    async with opened(site, embedder=embedder, policy=policy) as layer:
        secret = await store_secret(layer, agent, user_id="ada")
        context = await layer.pre_turn(Turn(agent_id=agent, user_id="ada", session_id="s", text=UNRELATED, turn_id="t"))
        forget = {
            "the memory": lambda: layer.forget(agent, [secret], user_id="ada"),
            "the user": lambda: layer.forget_user(agent, "ada"),
            "the agent": lambda: layer.erase_agent(agent),
        }
        embedder.meanwhile = forget[erased]
        before = " ".join(f"We paint the old crane in green and tighten bolt {n} of it." for n in range(8))
        await layer.post_turn(context, Outcome(response=f"{before} {SECRET}"))
        await drain_background(layer)
        assert embedder.meanwhile is None
        assert [text for text in internals(layer).embedders.first._cache if WORDS[0] in text] == []


async def test_response_of_a_turn_closed_before_an_erasure_is_not_cached(site, agent):
    embedder = InterruptingEmbedder("Well")
    async with opened(site, embedder=embedder) as layer:
        secret = await store_secret(layer, agent)
        context = await layer.pre_turn(turn(agent))

        async def forget() -> None:
            while (await layer.explain.turns(agent))[0].status != "completed":
                await asyncio.sleep(0.01)
            await layer.forget(agent, [secret])

        embedder.meanwhile = forget
        await layer.post_turn(context, SAID)
        await drain_background(layer)
        assert embedder.meanwhile is None
        assert [text for text in internals(layer).embedders.first._cache if WORDS[0] in text] == []
