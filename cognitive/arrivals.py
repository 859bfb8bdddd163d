"""What a conversation states is embedded when it arrives, off the reply path, so that the next turn need not."""

from __future__ import annotations

import asyncio
import logging

from brain.embedding.cached import CachedEmbedder
from brain.errors import EmbeddingError
from cognitive.context.statements import window_sentences

log = logging.getLogger(__name__)

_MOST_WAITING = 64  # responses; an embedder that cannot keep up misses some: the next turn embeds what it lacks
_AT_ONCE = 4  # sentences; a turn's message waits behind these few at most


class Arrivals:
    """Embeds responses in the background, into the cache that turns read from."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._running: set[asyncio.Task[None]] = set()

    def heard(self, response: str) -> None:
        """Has the sentences of a response embedded. Returns at once; what goes wrong is the next turn's to report."""
        if not response or len(self._running) >= _MOST_WAITING:
            return
        task = asyncio.create_task(self._embed(response), name="embedding a response")
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def finished(self) -> None:
        """Returns when all that was heard is embedded, or has failed."""
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _embed(self, response: str) -> None:
        stated = await asyncio.to_thread(window_sentences, [response])
        for start in range(0, len(stated), _AT_ONCE):
            await self._embedder.embed(stated[start : start + _AT_ONCE])

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, EmbeddingError):
            log.warning("a response is not embedded: %s", error)
        else:
            log.error("a response is not embedded: %s", error, exc_info=error)
