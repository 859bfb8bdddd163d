"""Fit the tools of a turn to its model, and cache values derived from tools between turns.

Shortened forms, word indexes and vectors of tools are cached, within limits. No turn waits for the vector of a tool: a
tool without one is ranked by shared words. All tools are embedded once, in the background, after the first turn in
which some of them had to be cut.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from weakref import WeakKeyDictionary

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder
from brain.errors import EmbeddingError
from brain.past_turns import PastTurn
from brain.types import Vector, Vectors
from cognitive.catalog.fit import cut_late, fit, select_all
from cognitive.catalog.ranking import ToolEvidence, ToolRanking, ToolVectors, rank, rank_by_name
from cognitive.catalog.refine import RefinedTools, ToolChooser, ask
from cognitive.catalog.tool_variants import ToolCatalog
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.tool import Tool, ToolSelection
from cognitive.turn import Turn

log = logging.getLogger(__name__)

_RECENT_MESSAGES = 40  # latest messages whose called tools are likely to be called again
_LOGGED_TRIM_SHARE = 0.3  # share of the tools' bytes; a larger trim is logged
_MAX_INLINE_NEW = 24  # tools of a new catalog that are fitted on the event loop: some 10 ms
_MAX_INLINE_KNOWN = 500  # tools of a known catalog that are fitted on the event loop: faster than starting a thread
_MIN_DEADLINE_MS = 60.0  # minimum time for a large catalog, even after a search that used up the turn's deadline
MAX_LISTED = 200  # most relevant tools that the small model chooses from
MIN_RANKED = 12  # most relevant tools that are kept beside those that the small model chose
_DEADLINE_SHARE = 0.7  # share of the turn's remaining time for a large catalog; recording the turn needs the rest
_MAX_VECTORS = 16_384  # vectors in the cache: 25 MB at 384 dimensions
_MAX_TOOLS = 10_000  # tools in all cached catalogs, some 2 KB each
_BATCH = 64  # texts per batch: enough to use the embedder's batch lane, so that no message of a turn waits
_FULL_SPEED_TEXTS = 512  # texts embedded without pauses; after them, embedding pauses half of the time


@dataclass(frozen=True, slots=True)
class ToolSignals:
    """Results of a turn's earlier stages, by which the turn's tools are ranked.

    `query` is the search query, `vector` its embedding, `past` the similar past turns, and `wanted` the tools that the
    categories of the plan name.
    """

    query: str
    vector: Vector | None = None
    past: tuple[PastTurn, ...] = ()
    wanted: frozenset[str] = frozenset()


class CatalogEngine:
    """Selects the tools that a model is given, within the model's budget, and caches values derived from tools."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self.tool_cache = ToolCache(embedder)

    def select_all(self, tools: Sequence[Tool], model: str | None) -> ToolSelection:
        """Return a selection of all tools, unchanged."""
        return select_all(self.tool_cache.catalog(tools), model)

    async def select(
        self, turn: Turn, tools: Sequence[Tool], signals: ToolSignals, deadline: Deadline, policy: Policy
    ) -> ToolSelection:
        """Return the tools of a turn, fitted to the budget of the turn's model; see `fit`."""
        messages = turn.conversation[-_RECENT_MESSAGES:]
        recent = frozenset(call.name for message in messages for call in message.tool_calls)
        always = frozenset(policy.categories.always_include)
        query = signals.query or turn.text
        evidence = ToolEvidence(query, signals.vector, signals.past, recent, always, signals.wanted)
        selection = await self.fit(tools, turn.model, evidence, deadline, policy)
        if selection.trim is not None and selection.trim.share > _LOGGED_TRIM_SHARE:
            log.info(
                "tools of turn %s for model %s: %d of %d bytes; dropped: %s",
                turn.turn_id,
                turn.model,
                selection.trim.after_bytes,
                selection.trim.before_bytes,
                ", ".join(selection.trim.dropped),
            )
        return selection

    async def fit(
        self, tools: Sequence[Tool], model: str | None, evidence: ToolEvidence, deadline: Deadline, policy: Policy
    ) -> ToolSelection:
        """Fit tools to the model's budget in bytes: shorten them all, then cut the least relevant.

        If `model` is None, the tools stay unchanged. If a large catalog cannot be ranked within the deadline, its tools
        are ranked by their names and first words only. The full ranking is then completed in the background, for later
        turns.
        """
        limit = _limit(model, policy)
        if not limit:
            return self.select_all(tools, model)
        catalog = self.tool_cache.catalog(tools)
        if len(tools) <= (_MAX_INLINE_KNOWN if catalog.read else _MAX_INLINE_NEW):
            selection = self._fit(catalog, model, limit, evidence)
        elif catalog.reading and not catalog.read:  # another turn processes it; a second thread would slow that down
            selection = cut_late(catalog, model, limit, rank_by_name(catalog, evidence))
        else:
            milliseconds = max(deadline.left() * 1000 * _DEADLINE_SHARE, _MIN_DEADLINE_MS)
            work = asyncio.to_thread(self._fit, catalog, model, limit, evidence)
            try:
                selection = await Deadline(milliseconds).within(work)
            except TimeoutError:
                selection = cut_late(catalog, model, limit, rank_by_name(catalog, evidence))
        if selection.ranking:
            self.tool_cache.start_embedding(catalog)
        return selection

    async def refine(
        self, selection: ToolSelection, message: str, chooser: ToolChooser, policy: Policy
    ) -> RefinedTools:
        """Let a small model choose among the tools of a selection whose ranking was uncertain.

        The selection is returned unchanged if its ranking was confident, if the model's budget does not allow
        refinement, or if the small model gives no usable answer; `reason` says which.
        """
        kept = RefinedTools(
            selection.tools, "not_needed", trim=selection.trim, gap=selection.trim.gap if selection.trim else None
        )
        if selection.trim is None or not selection.trim.low_confidence:
            return kept
        if not budget_for(selection.model, policy.budgets.models).refine:
            return replace(kept, reason="not_allowed")
        ranked = [selection.available[n] for n in selection.ranking]
        picked, reason, detail = await ask(chooser, message, ranked[:MAX_LISTED], policy.tools.refine_deadline_ms)
        if picked is None:
            return replace(kept, reason=reason, detail=detail)
        if picked.none:
            return replace(kept, reason=reason, gap="the refining model found no suitable tool")
        return _refined(selection, ranked, picked.names, _limit(selection.model, policy), policy)

    async def close(self) -> None:
        """Cancel the background embedding of tools."""
        await self.tool_cache.close()

    def _fit(self, catalog: ToolCatalog, model: str | None, limit: int, evidence: ToolEvidence) -> ToolSelection:
        def ranked() -> ToolRanking:
            return rank(catalog, self.tool_cache.tool_vectors(catalog), evidence)

        catalog.reading = True
        try:
            selection = fit(catalog, model, limit, ranked)
            catalog.read = True
        finally:
            catalog.reading = False
        return selection


def _limit(model: str | None, policy: Policy) -> int:
    if model is None or not policy.tools.fit_to_model:
        return 0
    return budget_for(model, policy.budgets.models).catalog_bytes


def _refined(
    selection: ToolSelection, ranked: Sequence[Tool], names: Sequence[str], limit: int, policy: Policy
) -> RefinedTools:
    """Return the tools that the small model chose and the most relevant others, fitted to the budget again.

    Because these tools are few, each keeps more of its description and parameters.
    """
    place = {name: n for n, name in enumerate(names)}
    chosen = sorted((tool for tool in ranked if tool.name in place), key=lambda tool: place[tool.name])
    others = [tool for tool in ranked if tool.name not in place][:MIN_RANKED]
    catalog = ToolCatalog([*chosen, *others])
    order = sorted(range(len(catalog)), key=lambda n: catalog.tools[n].name not in policy.categories.always_include)
    by_choice = ToolRanking(tuple(order), ("chosen",), 1.0)
    fitted = fit(catalog, selection.model, limit, lambda: by_choice)
    return RefinedTools(fitted.tools, "chosen", tuple(names), fitted.trim)


class ToolCache:
    """Caches values that turns derive from tools: catalogs with shortened forms and word indexes, and embeddings.

    The values depend on the tools alone, not on an agent or a turn.
    """

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._catalogs: OrderedDict[tuple[int, ...], ToolCatalog] = OrderedDict()
        self._tool_vectors: WeakKeyDictionary[ToolCatalog, tuple[int, ToolVectors | None]] = WeakKeyDictionary()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._batches = 0  # embedded batches; `_tool_vectors` of an earlier count may lack vectors
        self._pending_catalogs: dict[ToolCatalog, None] = {}
        self._pending_texts: dict[str, None] = {}
        self._embedding: asyncio.Task[None] | None = None

    def catalog(self, tools: Sequence[Tool]) -> ToolCatalog:
        """Return the tools as a catalog with derived values; the same tool objects get the cached catalog."""
        key = tuple(map(id, tools))  # ids stay valid while the cached catalog holds the tools
        catalog = self._catalogs.pop(key) if key in self._catalogs else ToolCatalog(tools)
        self._catalogs[key] = catalog
        while len(self._catalogs) > 1 and sum(map(len, self._catalogs.values())) > _MAX_TOOLS:
            self._catalogs.popitem(last=False)
        return catalog

    def tool_vectors(self, catalog: ToolCatalog) -> ToolVectors | None:
        """Return the vectors of those tools that are embedded already, or None if there are none."""
        batches, tool_vectors = self._tool_vectors.get(catalog, (0, None))
        if batches != self._batches:
            batches, tool_vectors = self._batches, ToolVectors.of([self._vectors.get(text) for text in catalog.texts])
            self._tool_vectors[catalog] = batches, tool_vectors
        return tool_vectors

    def start_embedding(self, catalog: ToolCatalog) -> None:
        """Start to embed the catalog's tools that have no vector yet, in the background."""
        _, tool_vectors = self._tool_vectors.get(catalog, (0, None))  # as of the last ranking, to return fast
        if tool_vectors is not None and len(tool_vectors.places) == len(catalog):
            return
        self._pending_catalogs[catalog] = None
        if self._embedding is None or self._embedding.done():
            self._embedding = asyncio.create_task(self._embed(), name="embedding of tools")

    async def embedded(self) -> None:
        """Wait until the background embedding of tools is finished or has failed."""
        if self._embedding is not None:
            await self._embedding

    async def close(self) -> None:
        """Cancel the background embedding of tools."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.gather(self._embedding, return_exceptions=True)

    async def _embed(self) -> None:
        done = 0
        while await self._has_pending_texts():
            batch = list(islice(self._pending_texts, _BATCH))
            started = monotonic()
            try:
                vectors = await self._embedder.embed(batch)
            except EmbeddingError as error:
                log.warning("tools could not be embedded and are ranked by shared words: %s", error)
                self._pending_texts.clear()
                return
            self._embedder.forget(batch)  # they are cached here; in the embedder they would displace texts of turns
            self._store_vectors(batch, vectors)
            done += len(batch)
            await asyncio.sleep(monotonic() - started if done > _FULL_SPEED_TEXTS else 0)

    async def _has_pending_texts(self) -> bool:
        """Return True if texts of tools remain to be embedded.

        First collect the texts of the catalogs that wait for embedding, in a thread.
        """
        while self._pending_catalogs:
            catalog = next(iter(self._pending_catalogs))
            texts = await asyncio.to_thread(getattr, catalog, "texts")
            new = [text for text in texts if text not in self._vectors]
            self._pending_texts.update(dict.fromkeys(new[: _MAX_VECTORS - len(self._pending_texts)]))
            self._pending_catalogs.pop(catalog, None)
        return bool(self._pending_texts)

    def _store_vectors(self, batch: Sequence[str], vectors: Vectors) -> None:
        for text, vector in zip(batch, vectors, strict=True):
            self._vectors[text] = vector
            self._pending_texts.pop(text, None)
        while len(self._vectors) > _MAX_VECTORS:
            self._vectors.popitem(last=False)
        self._batches += 1
