"""What is kept of tools between turns, bounded: what was derived from them, and their vectors, made in the background.

No turn waits for a tool's vector. Until it is there, the tool is ranked by its words; a catalogue is embedded once,
after the first turn that brings it and has to be cut.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from time import monotonic
from weakref import WeakKeyDictionary

from brain.embedding.cached import CachedEmbedder
from brain.errors import EmbeddingError
from brain.types import Vector, Vectors
from cognitive.catalog.entry import Catalogue
from cognitive.catalog.rank import Meaning
from cognitive.turn import Tool

log = logging.getLogger(__name__)

_MOST_VECTORS = 16_384  # 25 MB at 384 dimensions
_MOST_TOOLS = 10_000  # in all catalogues that are kept, some 2 KB each
_BATCH = 64  # texts at a time: enough for the embedder's lane of many, which no turn's message waits behind
_HURRY = 512  # texts are embedded as fast as it goes; after that turns shall have half of the machine


class Library:
    """Catalogues offered of late, and vectors of tools: functions of the tools alone, no agent's and no turn's."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._catalogues: OrderedDict[tuple[int, ...], Catalogue] = OrderedDict()
        self._meanings: WeakKeyDictionary[Catalogue, tuple[int, Meaning | None]] = WeakKeyDictionary()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._learnt = 0  # batches: what was put together before the last one lacks something
        self._unread: dict[Catalogue, None] = {}
        self._wanted: dict[str, None] = {}
        self._embedding: asyncio.Task[None] | None = None

    def catalogue(self, tools: Sequence[Tool]) -> Catalogue:
        """The tools with what is derived from them: known again if these very objects were offered before."""
        key = tuple(map(id, tools))  # theirs as long as the catalogue is kept, which holds them
        catalogue = self._catalogues.pop(key) if key in self._catalogues else Catalogue(tools)
        self._catalogues[key] = catalogue
        while len(self._catalogues) > 1 and sum(map(len, self._catalogues.values())) > _MOST_TOOLS:
            self._catalogues.popitem(last=False)
        return catalogue

    def meaning(self, catalogue: Catalogue) -> Meaning | None:
        """The vectors of the tools, as far as they are known."""
        learnt, meaning = self._meanings.get(catalogue, (0, None))
        if learnt != self._learnt:
            learnt, meaning = self._learnt, Meaning.of([self._vectors.get(text) for text in catalogue.texts])
            self._meanings[catalogue] = learnt, meaning
        return meaning

    def learn(self, catalogue: Catalogue) -> None:
        """Has what is not embedded yet embedded in the background."""
        _, meaning = self._meanings.get(catalogue, (0, None))  # as of the last ranking: nothing is put together here
        if meaning is not None and len(meaning.places) == len(catalogue):
            return
        self._unread[catalogue] = None
        if self._embedding is None or self._embedding.done():
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

    async def _embed(self) -> None:
        done = 0
        while await self._wants():
            batch = list(islice(self._wanted, _BATCH))
            started = monotonic()
            try:
                vectors = await self._embedder.embed(batch)
            except EmbeddingError as error:
                log.warning("tools are ranked by their words: %s", error)
                self._wanted.clear()
                return
            self._embedder.forget(batch)  # they are kept here, and would crowd out what turns ask for
            self._keep(batch, vectors)
            done += len(batch)
            await asyncio.sleep(monotonic() - started if done > _HURRY else 0)

    async def _wants(self) -> bool:
        """Whether anything is to be embedded; what a large catalogue says is read off the event loop."""
        while self._unread:
            catalogue = next(iter(self._unread))
            texts = await asyncio.to_thread(getattr, catalogue, "texts")
            new = [text for text in texts if text not in self._vectors]
            self._wanted.update(dict.fromkeys(new[: _MOST_VECTORS - len(self._wanted)]))
            self._unread.pop(catalogue, None)
        return bool(self._wanted)

    def _keep(self, batch: Sequence[str], vectors: Vectors) -> None:
        for text, vector in zip(batch, vectors, strict=True):
            self._vectors[text] = vector
            self._wanted.pop(text, None)
        while len(self._vectors) > _MOST_VECTORS:
            self._vectors.popitem(last=False)
        self._learnt += 1
