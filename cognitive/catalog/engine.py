"""The catalogue of a turn: the stages are run on what is known of its tools, and what is not is learnt afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from brain.deadline import Deadline
from brain.embedding.cached import CachedEmbedder
from cognitive.catalog.entry import Catalogue
from cognitive.catalog.fit import fit, untouched
from cognitive.catalog.library import Library
from cognitive.catalog.rank import Evidence, Ranking, rank
from cognitive.catalog.refine import Chooser, Refined, ask
from cognitive.models import budget_for
from cognitive.policy import Policy
from cognitive.turn import Offer, Tool

_FEW = 500  # tools: fitted faster than a thread is asked


class Catalog:
    """Fits tools to models, and remembers what that takes."""

    def __init__(self, embedder: CachedEmbedder, policy: Policy) -> None:
        self.library = Library(embedder)
        self._policy = policy

    def whole(self, tools: Sequence[Tool], model: str | None) -> Offer:
        """The tools as they were given."""
        return untouched(self.library.catalogue(tools), model)

    async def fit(self, tools: Sequence[Tool], model: str | None, evidence: Evidence, deadline: Deadline) -> Offer:
        """The tools as this model can carry them; of no model, as they were given.

        Raises:
            TimeoutError: there are very many, and they are not fitted in time. What was derived of them stays.
        """
        limit = self._limit(model)
        if not limit:
            return self.whole(tools, model)
        catalogue = self.library.catalogue(tools)
        if len(tools) <= _FEW:
            offer = self._fit(catalogue, model, limit, evidence)
        else:
            milliseconds = max(deadline.left() * 1000, self._policy.catalog_deadline_ms)
            work = asyncio.to_thread(self._fit, catalogue, model, limit, evidence)
            offer = await Deadline(milliseconds).within(work)
        if offer.ranking:
            self.library.learn(catalogue)
        return offer

    async def refine(self, offer: Offer, message: str, chooser: Chooser) -> Refined:
        """The tools after a small model has chosen among them, if the budget's model may need that."""
        kept = Refined(offer.tools, "not_needed", trim=offer.trim, gap=offer.trim.gap if offer.trim else None)
        if offer.trim is None or not offer.trim.low_confidence:
            return kept
        if not budget_for(offer.model, self._policy.models).refine:
            return replace(kept, reason="not_allowed")
        ranked = [offer.given[n] for n in offer.ranking]
        picked, reason, detail = await ask(
            chooser, message, ranked[: self._policy.refine_listed], self._policy.refine_deadline_ms
        )
        if picked is None:
            return replace(kept, reason=reason, detail=detail)
        if picked.none:
            return replace(kept, reason=reason, gap="the model that was asked found no tool for this")
        return self._chosen(offer, ranked, picked.names, self._limit(offer.model))

    async def close(self) -> None:
        """Gives up what is still being learnt."""
        await self.library.close()

    def _limit(self, model: str | None) -> int:
        if model is None or not self._policy.catalog:
            return 0
        return budget_for(model, self._policy.models).catalog_bytes

    def _fit(self, catalogue: Catalogue, model: str | None, limit: int, evidence: Evidence) -> Offer:
        def ranked() -> Ranking:
            return rank(catalogue, self.library.meaning(catalogue), evidence, self._policy)

        return fit(catalogue, model, limit, ranked, self._policy)

    def _chosen(self, offer: Offer, ranked: Sequence[Tool], names: Sequence[str], limit: int) -> Refined:
        """The chosen tools and the most relevant others, few enough to say more of each, fitted to the budget again."""
        place = {name: n for n, name in enumerate(names)}
        chosen = sorted((tool for tool in ranked if tool.name in place), key=lambda tool: place[tool.name])
        others = [tool for tool in ranked if tool.name not in place][: self._policy.refine_ranked]
        by_choice = Ranking(tuple(range(len(chosen) + len(others))), ("chosen",), 1.0)
        catalogue = Catalogue([*chosen, *others])
        fitted = fit(catalogue, offer.model, limit, lambda: by_choice, self._policy)
        return Refined(fitted.tools, "chosen", tuple(names), fitted.trim)
