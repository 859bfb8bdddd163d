"""Fit the tools of a turn to its model: run the stages on what is known of the tools, and learn the rest afterwards.

What was derived from tools, and their vectors, is kept between turns, bounded. No turn waits for a tool's vector: until
it is there, the tool is ranked by its words; a catalog is embedded once, after the first turn that brings it and has
to be cut.
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
from cognitive.turn import Tool, ToolSelection, Turn

log = logging.getLogger(__name__)

_RECENT_MESSAGES = 40  # of a conversation: the tools they called are likely to be called again
_TOLD_SHARE = 0.3  # of the tools' bytes; an operator wants to know of more than that
_FEW = 24  # tools: what they say in each form is written in some 10 ms, which no other turn has to wait behind
_KNOWN = 500  # tools whose forms are known: fitted faster than a thread is asked
DEADLINE_MS = 60.0  # a large catalog may take, even after a search that took all there was
MAX_LISTED = 200  # most relevant tools that the small model chooses from
MIN_RANKED = 12  # most relevant tools that stay beside what it chose (upstream's)
_SHARE = 0.7  # of the turn's time left that a large catalog may take: it has to be recorded as well
_MAX_VECTORS = 16_384  # 25 MB at 384 dimensions
_MAX_TOOLS = 10_000  # in all catalogs that are kept, some 2 KB each
_BATCH = 64  # texts at a time: enough for the embedder's lane of many, which no turn's message waits behind
_HURRY = 512  # texts are embedded as fast as it goes; after that turns shall have half of the machine


@dataclass(frozen=True, slots=True)
class ToolSignals:
    """What is known of a turn: its query, that one's vector, past turns like it, and the tools that its plan names."""

    query: str
    vector: Vector | None = None
    past: tuple[PastTurn, ...] = ()
    wanted: frozenset[str] = frozenset()


class CatalogEngine:
    """Fits tools to models, and remembers what that takes."""

    def __init__(self, embedder: CachedEmbedder, *, deadline_ms: float = DEADLINE_MS) -> None:
        self.tool_cache = ToolCache(embedder)
        self._deadline_ms = deadline_ms

    def select_all(self, tools: Sequence[Tool], model: str | None) -> ToolSelection:
        """The tools as they were given."""
        return select_all(self.tool_cache.catalog(tools), model)

    async def select(
        self, turn: Turn, tools: Sequence[Tool], signals: ToolSignals, deadline: Deadline, policy: Policy
    ) -> ToolSelection:
        """The tools of a turn as its model can carry them, by all that is known of the turn; see `fit`."""
        recent = frozenset(call.name for said in turn.conversation[-_RECENT_MESSAGES:] for call in said.tool_calls)
        always = frozenset(policy.categories.always_include)
        query = signals.query or turn.text
        evidence = ToolEvidence(query, signals.vector, signals.past, recent, always, signals.wanted)
        selection = await self.fit(tools, turn.model, evidence, deadline, policy)
        if selection.trim is not None and selection.trim.share > _TOLD_SHARE:
            log.info(
                "tools of turn %s for %s: %d bytes of %d; went: %s",
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
        """The tools as this model can carry them; of no model, as they were given.

        Many that are not read in time are cut by their names. Reading them goes on, for the next turn.
        """
        limit = _limit(model, policy)
        if not limit:
            return self.select_all(tools, model)
        catalog = self.tool_cache.catalog(tools)
        if len(tools) <= (_KNOWN if catalog.read else _FEW):
            selection = self._fit(catalog, model, limit, evidence)
        elif catalog.reading and not catalog.read:  # a second reader would only slow down the first
            selection = cut_late(catalog, model, limit, rank_by_name(catalog, evidence))
        else:
            milliseconds = max(deadline.left() * 1000 * _SHARE, self._deadline_ms)
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
        """The tools after a small model has chosen among them, if the budget's model may need that."""
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
            return replace(kept, reason=reason, gap="the model that was asked found no tool for this")
        return _chosen(selection, ranked, picked.names, _limit(selection.model, policy), policy)

    async def close(self) -> None:
        """Gives up what is still being learnt."""
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


def _chosen(
    selection: ToolSelection, ranked: Sequence[Tool], names: Sequence[str], limit: int, policy: Policy
) -> RefinedTools:
    """The chosen tools and the most relevant others, few enough to say more of each, fitted to the budget again."""
    place = {name: n for n, name in enumerate(names)}
    chosen = sorted((tool for tool in ranked if tool.name in place), key=lambda tool: place[tool.name])
    others = [tool for tool in ranked if tool.name not in place][:MIN_RANKED]
    catalog = ToolCatalog([*chosen, *others])
    order = sorted(range(len(catalog)), key=lambda n: catalog.tools[n].name not in policy.categories.always_include)
    by_choice = ToolRanking(tuple(order), ("chosen",), 1.0)
    fitted = fit(catalog, selection.model, limit, lambda: by_choice)
    return RefinedTools(fitted.tools, "chosen", tuple(names), fitted.trim)


class ToolCache:
    """Catalogs offered of late, and vectors of tools: functions of the tools alone, no agent's and no turn's."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._catalogs: OrderedDict[tuple[int, ...], ToolCatalog] = OrderedDict()
        self._tool_vectors: WeakKeyDictionary[ToolCatalog, tuple[int, ToolVectors | None]] = WeakKeyDictionary()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._embedded = 0  # batches: what was put together before the last one lacks something
        self._unread: dict[ToolCatalog, None] = {}
        self._wanted: dict[str, None] = {}
        self._embedding: asyncio.Task[None] | None = None

    def catalog(self, tools: Sequence[Tool]) -> ToolCatalog:
        """The tools with what is derived from them: known again if these very objects were offered before."""
        key = tuple(map(id, tools))  # theirs as long as the catalog is kept, which holds them
        catalog = self._catalogs.pop(key) if key in self._catalogs else ToolCatalog(tools)
        self._catalogs[key] = catalog
        while len(self._catalogs) > 1 and sum(map(len, self._catalogs.values())) > _MAX_TOOLS:
            self._catalogs.popitem(last=False)
        return catalog

    def tool_vectors(self, catalog: ToolCatalog) -> ToolVectors | None:
        """The vectors of the tools, as far as they are known."""
        embedded, tool_vectors = self._tool_vectors.get(catalog, (0, None))
        if embedded != self._embedded:
            embedded, tool_vectors = self._embedded, ToolVectors.of([self._vectors.get(text) for text in catalog.texts])
            self._tool_vectors[catalog] = embedded, tool_vectors
        return tool_vectors

    def start_embedding(self, catalog: ToolCatalog) -> None:
        """Has what is not embedded yet embedded in the background."""
        _, tool_vectors = self._tool_vectors.get(
            catalog, (0, None)
        )  # as of the last ranking: nothing is put together here
        if tool_vectors is not None and len(tool_vectors.places) == len(catalog):
            return
        self._unread[catalog] = None
        if self._embedding is None or self._embedding.done():
            self._embedding = asyncio.create_task(self._embed(), name="embedding of tools")

    async def embedded(self) -> None:
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
        """Whether anything is to be embedded; what a large catalog says is read off the event loop."""
        while self._unread:
            catalog = next(iter(self._unread))
            texts = await asyncio.to_thread(getattr, catalog, "texts")
            new = [text for text in texts if text not in self._vectors]
            self._wanted.update(dict.fromkeys(new[: _MAX_VECTORS - len(self._wanted)]))
            self._unread.pop(catalog, None)
        return bool(self._wanted)

    def _keep(self, batch: Sequence[str], vectors: Vectors) -> None:
        for text, vector in zip(batch, vectors, strict=True):
            self._vectors[text] = vector
            self._wanted.pop(text, None)
        while len(self._vectors) > _MAX_VECTORS:
            self._vectors.popitem(last=False)
        self._embedded += 1
