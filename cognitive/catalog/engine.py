"""The catalogue of a turn: runs the stages on what is known of its tools, and learns the rest afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from brain.deadline import Deadline
from brain.embedding.cached import CachedEmbedder
from brain.search import PastTurn
from brain.types import Vector
from cognitive.catalog.entry import Catalogue
from cognitive.catalog.fit import cut_late, fit, untouched
from cognitive.catalog.library import Library
from cognitive.catalog.rank import Evidence, Ranking, glance, rank
from cognitive.catalog.refine import Chooser, Refined, ask
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.turn import Offer, Tool, Turn

log = logging.getLogger(__name__)

_RECENT_MESSAGES = 40  # of a conversation: the tools they called are likely to be called again
_TOLD_SHARE = 0.3  # of the tools' bytes; an operator wants to know of more than that
_FEW = 24  # tools: what they say in each form is written in some 10 ms, which no other turn has to wait behind
_KNOWN = 500  # tools whose forms are known: fitted faster than a thread is asked
_SHARE = 0.7  # of the turn's time left that a large catalogue may take: it has to be recorded as well


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a turn: its query, that one's vector, past turns like it, and the tools that its plan names."""

    query: str
    vector: Vector | None = None
    past: tuple[PastTurn, ...] = ()
    wanted: frozenset[str] = frozenset()


class Catalog:
    """Fits tools to models, and remembers what that takes."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self.library = Library(embedder)

    def whole(self, tools: Sequence[Tool], model: str | None) -> Offer:
        """The tools as they were given."""
        return untouched(self.library.catalogue(tools), model)

    async def offer(self, turn: Turn, tools: Sequence[Tool], known: Known, deadline: Deadline, policy: Policy) -> Offer:
        """The tools of a turn as its model can carry them, by all that is known of the turn; see `fit`."""
        recent = frozenset(call.name for said in turn.conversation[-_RECENT_MESSAGES:] for call in said.tool_calls)
        always = frozenset(policy.always_include)
        evidence = Evidence(known.query or turn.text, known.vector, known.past, recent, always, known.wanted)
        offer = await self.fit(tools, turn.model, evidence, deadline, policy)
        if offer.trim is not None and offer.trim.share > _TOLD_SHARE:
            log.info(
                "tools of turn %s for %s: %d bytes of %d; went: %s", turn.turn_id, turn.model, offer.trim.after_bytes,
                offer.trim.before_bytes, ", ".join(offer.trim.dropped),
            )  # fmt: skip
        return offer

    async def fit(
        self, tools: Sequence[Tool], model: str | None, evidence: Evidence, deadline: Deadline, policy: Policy
    ) -> Offer:
        """The tools as this model can carry them; of no model, as they were given.

        Many that are not read in time are cut by their names. Reading them goes on, for the next turn.
        """
        limit = _limit(model, policy)
        if not limit:
            return self.whole(tools, model)
        catalogue = self.library.catalogue(tools)
        if len(tools) <= (_KNOWN if catalogue.read else _FEW):
            offer = self._fit(catalogue, model, limit, evidence, policy)
        elif catalogue.reading and not catalogue.read:  # a second reader would only slow down the first
            offer = cut_late(catalogue, model, limit, glance(catalogue, evidence))
        else:
            milliseconds = max(deadline.left() * 1000 * _SHARE, policy.catalog_deadline_ms)
            work = asyncio.to_thread(self._fit, catalogue, model, limit, evidence, policy)
            try:
                offer = await Deadline(milliseconds).within(work)
            except TimeoutError:
                offer = cut_late(catalogue, model, limit, glance(catalogue, evidence))
        if offer.ranking:
            self.library.learn(catalogue)
        return offer

    async def refine(self, offer: Offer, message: str, chooser: Chooser, policy: Policy) -> Refined:
        """The tools after a small model has chosen among them, if the budget's model may need that."""
        kept = Refined(offer.tools, "not_needed", trim=offer.trim, gap=offer.trim.gap if offer.trim else None)
        if offer.trim is None or not offer.trim.low_confidence:
            return kept
        if not budget_for(offer.model, policy.models).refine:
            return replace(kept, reason="not_allowed")
        ranked = [offer.given[n] for n in offer.ranking]
        picked, reason, detail = await ask(chooser, message, ranked[: policy.refine_listed], policy.refine_deadline_ms)
        if picked is None:
            return replace(kept, reason=reason, detail=detail)
        if picked.none:
            return replace(kept, reason=reason, gap="the model that was asked found no tool for this")
        return _chosen(offer, ranked, picked.names, _limit(offer.model, policy), policy)

    async def close(self) -> None:
        """Gives up what is still being learnt."""
        await self.library.close()

    def _fit(self, catalogue: Catalogue, model: str | None, limit: int, evidence: Evidence, policy: Policy) -> Offer:
        def ranked() -> Ranking:
            return rank(catalogue, self.library.meaning(catalogue), evidence, policy)

        catalogue.reading = True
        try:
            offer = fit(catalogue, model, limit, ranked, policy)
            catalogue.read = True
        finally:
            catalogue.reading = False
        return offer


def _limit(model: str | None, policy: Policy) -> int:
    if model is None or not policy.catalog:
        return 0
    return budget_for(model, policy.models).catalog_bytes


def _chosen(offer: Offer, ranked: Sequence[Tool], names: Sequence[str], limit: int, policy: Policy) -> Refined:
    """The chosen tools and the most relevant others, few enough to say more of each, fitted to the budget again."""
    place = {name: n for n, name in enumerate(names)}
    chosen = sorted((tool for tool in ranked if tool.name in place), key=lambda tool: place[tool.name])
    others = [tool for tool in ranked if tool.name not in place][: policy.refine_ranked]
    catalogue = Catalogue([*chosen, *others])
    order = sorted(range(len(catalogue)), key=lambda n: catalogue.tools[n].name not in policy.always_include)
    by_choice = Ranking(tuple(order), ("chosen",), 1.0)
    fitted = fit(catalogue, offer.model, limit, lambda: by_choice, policy)
    return Refined(fitted.tools, "chosen", tuple(names), fitted.trim)
