"""Embed the sentences of a response in the background, so that the next turn finds their vectors in the cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from brain.embedding.embedders import CachedEmbedder, Embedders
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

    def begin(self, agent_id: str) -> Callable[[str], None]:
        """Return a function that starts to embed the sentences of a response, and returns at once.

        They are embedded with the agent's embedding model. An erasure after `begin` ends the work, because the response
        may contain what was erased. Errors are only logged. The next turn embeds the sentences that are still missing,
        and reports its own errors.
        """
        embedder = self._embedders.of(agent_id)
        return partial(self._start, embedder, embedder.drops)

    def _start(self, embedder: CachedEmbedder, drops: int, response: str) -> None:
        if response:
            self._queue.start(_embed(embedder, drops, response))


async def _embed(embedder: CachedEmbedder, drops: int, response: str) -> None:
    """Embed the sentences of a response as long as the number of the embedder's drops is `drops`."""
    stated = await threads.in_thread_if_long(len(response), window_sentences, [response])
    for start in range(0, len(stated), _AT_ONCE):
        if embedder.drops != drops:
            break
        await embedder.embed(stated[start : start + _AT_ONCE])
