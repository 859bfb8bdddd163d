"""Embedding with spans: of what is embedded, not of what the cache knows."""

from __future__ import annotations

from collections.abc import Sequence

from brain.embedding.cached import CachedEmbedder
from brain.types import Vectors
from cognitive.telemetry import attributes
from cognitive.telemetry.conventions import EMBEDDINGS
from cognitive.telemetry.spans import Span


class TracedEmbedder(CachedEmbedder):
    """A cached embedder that tells how long its model takes."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `CachedEmbedder.embed`."""
        unknown = sum(self.known(text) is None for text in dict.fromkeys(texts))
        if not unknown:
            return await super().embed(texts)
        with Span(f"{EMBEDDINGS} {self.model}", lambda: attributes.embeddings(self.model, self.dimension, unknown)):
            return await super().embed(texts)
