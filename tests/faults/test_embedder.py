"""An embedder that hangs, raises or returns no valid vectors: turns search by words, and writes are refused."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from clients import ASKED, AT, KEY, TOLERANT, lines, turn
from sites import opened, recovered_turn, totals

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedding.minilm import MiniLM
from cognitive import NewMemory, Outcome, Policy
from cognitive.errors import EmbeddingError

pytestmark = pytest.mark.promise(number=2)


class Broken(WordEmbedder):
    """An embedder that works until `fault` names a failure."""

    def __init__(self, fault: str | None = None) -> None:
        self.fault = fault
        self.released = threading.Event()
        self.waiting = 0
        self.max_waiting = 0
        self._counting = threading.Lock()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        vectors = super().embed(texts)
        match self.fault:
            case "hangs":
                with self._counting:
                    self.waiting += 1
                    self.max_waiting = max(self.max_waiting, self.waiting)
                self.released.wait(60)
                with self._counting:
                    self.waiting -= 1
            case "raises":
                raise RuntimeError("CUDA out of memory")
            case "NaN":
                vectors[:, 3] = np.nan
            case "infinite":
                vectors[:, 3] = np.inf
            case "zero":
                vectors[:] = 0
            case "wrong dimension":
                vectors = vectors[:, :-1]
            case "too few":
                vectors = vectors[:-1]
            case "nothing":
                return None  # type: ignore[return-value]
            case "words":
                return ["not", "numbers"]  # type: ignore[return-value]
        return vectors


FAULTS = ["raises", "NaN", "infinite", "zero", "wrong dimension", "too few", "nothing", "words"]


@pytest.mark.parametrize("fault", [*FAULTS, "hangs"])
async def test_turn_without_a_vector_is_searched_by_words_and_degraded(site, agent_with_key, fault):
    embedder = Broken()
    policy = Policy(abstention=False, deadline_ms=1_000)
    try:
        async with opened(site, policy, embedder) as layer:
            embedder.fault = fault
            context = await layer.pre_turn(turn(agent_with_key))
            assert KEY in context.text
            assert any("searched by words" in reason for reason in context.degraded)
            assert "dense" not in context.trace.channels
            assert all("content_cosine" not in result.candidate.hit.scores for result in context.trace.candidates)
            await layer.post_turn(context, Outcome(response="It hangs behind the barometer in the boat house."))
            embedder.fault = None
            embedder.released.set()
            await recovered_turn(layer, agent_with_key)
    finally:
        embedder.released.set()


async def test_default_policy_shows_memories_without_a_vector(site, agent_with_key):
    """Abstention, which is calibrated with cosines, must not hide memories of a search without them."""
    async with opened(site, Policy(deadline_ms=2_000), Broken("raises")) as layer:
        context = await layer.pre_turn(turn(agent_with_key))
    assert KEY in context.text


@pytest.mark.parametrize("fault", FAULTS)
async def test_remember_without_vectors_raises_and_stores_nothing(site, agent, fault):
    async with opened(site, embedder=Broken(fault)) as layer:
        with pytest.raises(EmbeddingError):
            await layer.remember(agent, lines(3))
        if fault != "too few":  # one of one text is none, which is not too few
            with pytest.raises(EmbeddingError):
                await layer.remember(agent, lines(1))
    assert set((await totals(site.urls.admin, agent)).values()) == {0}


async def test_hanging_embedder_does_not_accumulate_threads(site, agent_with_key):
    """Otherwise each turn would leave a thread behind until the process has none left."""
    embedder = Broken("hangs")
    try:
        async with opened(site, Policy(abstention=False, deadline_ms=150), embedder) as layer:
            for n in range(6):
                context = await layer.pre_turn(turn(agent_with_key, f"Question {n}: {ASKED}"))
                assert context.degraded
            assert embedder.max_waiting <= 2
            async with asyncio.timeout(30):  # other work still gets a thread
                await asyncio.to_thread(os.getpid)
            embedder.fault = None
            embedder.released.set()
            assert KEY in (await recovered_turn(layer, agent_with_key)).text
    finally:
        embedder.released.set()


async def test_recall_without_a_vector_finds_by_words(site, agent_with_key):
    async with opened(site, embedder=Broken("raises")) as layer:
        hits = await layer.recall(agent_with_key, ASKED)
    assert hits[0].content == KEY
    assert "content_cosine" not in hits[0].scores


async def test_default_embedder_works_in_this_setup(site, agent):
    """The other tests use a small embedder; this one checks the real one."""
    async with opened(site, TOLERANT, MiniLM()) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT)])
        assert KEY in (await recovered_turn(layer, agent)).text
