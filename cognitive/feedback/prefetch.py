"""Embed the sentences of a response in the background, so that the next turn finds their vectors in the cache."""

from __future__ import annotations

from brain.embedding.embedders import Embedders
from cognitive import threads
from cognitive.background import Background
from cognitive.context.dedup import window_sentences

_MAX_WAITING = 64  # responses in the queue; others are skipped, and the next turn embeds their sentences itself
_AT_ONCE = 4  # sentences per call, so that the message of a turn waits for few of them


class ResponseEmbedder:
    """Embeds the sentences of responses in the background, so that the next turn finds their vectors in the cache."""

    def __init__(self, embedders: Embedders, background: Background) -> None:
        self._embedders = embedders
        self._queue = background.queue(_MAX_WAITING)

    def enqueue(self, agent_id: str, response: str) -> None:
        """Start to embed the sentences of a response with the agent's embedding model, and return at once.

        Errors are only logged. The next turn embeds the sentences that are still missing, and reports its own errors.
        """
        if response:
            self._queue.start(self._embed(agent_id, response))

    async def _embed(self, agent_id: str, response: str) -> None:
        stated = await threads.in_thread_if_long(len(response), window_sentences, [response])
        for start in range(0, len(stated), _AT_ONCE):
            await self._embedders.of(agent_id).embed(stated[start : start + _AT_ONCE])
