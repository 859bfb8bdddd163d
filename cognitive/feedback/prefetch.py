"""What a conversation states is embedded when it arrives, off the reply path, so that the next turn need not."""

from __future__ import annotations

import asyncio

from brain.embedding.embedders import Embedders
from cognitive.background import Background
from cognitive.context.dedup import window_sentences

_MAX_WAITING = 64  # responses; an embedder that cannot keep up misses some: the next turn embeds what it lacks
_AT_ONCE = 4  # sentences; a turn's message waits behind these few at most


class ResponseEmbedder:
    """Embeds responses in the background, into the cache that turns read from."""

    def __init__(self, embedders: Embedders, background: Background) -> None:
        self._embedders = embedders
        self._queue = background.queue(_MAX_WAITING)

    def enqueue(self, agent_id: str, response: str) -> None:
        """Has the sentences of a response embedded by the agent's model. Returns at once; what goes wrong is the next
        turn's to report.
        """
        if response:
            self._queue.start(self._embed(agent_id, response))

    async def _embed(self, agent_id: str, response: str) -> None:
        stated = await asyncio.to_thread(window_sentences, [response])
        for start in range(0, len(stated), _AT_ONCE):
            await self._embedders.of(agent_id).embed(stated[start : start + _AT_ONCE])
