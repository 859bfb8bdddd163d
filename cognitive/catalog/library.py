"""What is known of tools between turns, bounded: what was derived from them, and their vectors, made in the background.

No turn waits for a tool's vector. Until it is there, the tool is ranked by its words; a catalogue is embedded once,
after the first turn that brings it and has to be cut.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TypeVar

from brain.embedding.cached import CachedEmbedder
from brain.errors import EmbeddingError
from brain.types import Vector
from cognitive.catalog.entry import Offered
from cognitive.turn import Tool

log = logging.getLogger(__name__)

K = TypeVar("K")
V = TypeVar("V")

_MOST_KEPT = 16_384  # tools; at 384 dimensions their vectors are 25 MB
_BATCH = 64  # texts at a time: enough for the embedder's lane of many, which no turn's message waits behind


class Library:
    """Tools that were offered of late. What is kept of one is a function of the tool alone: no agent's, no turn's."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._lock = Lock()  # large catalogues are fitted in threads
        self._by_identity: OrderedDict[int, Offered] = OrderedDict()  # a host mostly hands in the same objects again
        self._by_content: OrderedDict[bytes, Offered] = OrderedDict()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._wanted: dict[str, None] = {}
        self._embedding: asyncio.Task[None] | None = None

    def offered(self, tools: Sequence[Tool]) -> list[Offered]:
        """The tools with what is derived from them, which is made once per tool while it stays among the latest."""
        with self._lock:
            return [self._offered(tool) for tool in tools]

    def vectors(self, tools: Sequence[Offered]) -> list[Vector | None]:
        """The vectors of `Offered.text`, None where it is not embedded yet."""
        return [self._vectors.get(tool.text) for tool in tools]

    def learn(self, tools: Sequence[Offered]) -> None:
        """Has what is not embedded yet embedded in the background."""
        new = [tool.text for tool in tools if tool.text not in self._vectors]
        self._wanted.update(dict.fromkeys(new[:_MOST_KEPT]))
        if self._wanted and (self._embedding is None or self._embedding.done()):
            self._embedding = asyncio.create_task(self._embed(), name="embedding of tools")

    async def learnt(self) -> None:
        """Returns when all that was asked for is embedded, or has failed."""
        if self._embedding is not None:
            await self._embedding

    async def close(self) -> None:
        """Gives up what is not embedded yet."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.gather(self._embedding, return_exceptions=True)

    def _offered(self, tool: Tool) -> Offered:
        known = self._by_identity.get(id(tool))
        if known is not None and known.tool is tool:
            self._by_identity.move_to_end(id(tool))
            return known
        offered = Offered(tool)
        offered = self._by_content.get(offered.whole, offered)
        _keep(self._by_content, offered.whole, offered)
        if offered.tool is tool:
            _keep(self._by_identity, id(tool), offered)
        return offered

    async def _embed(self) -> None:
        while self._wanted:
            batch = list(self._wanted)[:_BATCH]
            try:
                vectors = await self._embedder.embed(batch)
            except EmbeddingError as error:
                log.warning("tools are ranked by their words: %s", error)
                self._wanted.clear()
                return
            for text, vector in zip(batch, vectors, strict=True):
                _keep(self._vectors, text, vector)
                self._wanted.pop(text, None)
            self._embedder.forget(batch)  # they are kept here, and would crowd out what turns ask for


def _keep(cache: OrderedDict[K, V], key: K, value: V) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > _MOST_KEPT:
        cache.popitem(last=False)
