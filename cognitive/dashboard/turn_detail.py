"""One turn as a story: what was asked, what was understood, what was found, what became of each, what was answered and
what of it came from which memory. What takes running the turn again, `replay_view.py` tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.turn_rows import TurnMeasurements
from brain.analytics.turns import TurnAnalytics
from brain.redacting import WITHHELD
from brain.types import Memory
from cognitive import degradation
from cognitive.dashboard.degradation_labels import DegradationLabel, degradation_label
from cognitive.dashboard.highlight import HighlightedResponse, highlight
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.tools_view import TurnToolsView, turn_tools
from cognitive.lab.descriptions import FACTORS
from cognitive.lab.questions import TurnExplanation
from cognitive.lab.why import Explanation
from cognitive.layer import CognitiveLayer

Tone = Literal["good", "warn", "info", "plain"]
DISPOSITIONS: Mapping[str, tuple[str, Tone, str]] = {
    "shown": ("Shown", "good", "it is in the prompt"),
    "pinned": ("Pinned", "good", "it stands in the prefix of every turn"),
    "restated": ("Restated", "info", "the conversation says it already"),
    "already_in_prompt": ("In prompt", "info", "the conversation still shows it from an earlier turn"),
    "duplicate": ("Duplicate", "info", "another candidate says it better"),
    "superseded": ("Superseded", "info", "a newer memory replaced it"),
    "distrusted": ("Distrusted", "warn", "its source is not trusted enough for its type"),
    "source_cap": ("Source cap", "warn", "more of one source than a turn shows"),
    "displaced": ("Displaced", "info", "exploration tried another in its place"),
    "over_budget": ("Over budget", "warn", "its section or the total had no room"),
    "over_limit": ("Over limit", "warn", "more of its type than the plan asks for"),
    "irrelevant": ("Irrelevant", "plain", "nothing, or not this, was worth showing"),
}
NO_TURN = "This agent has no such turn. It was erased, or is another agent's."
_FIRST = 25  # candidates of a page by rank; a click brings the others


@dataclass(frozen=True, slots=True)
class FactorShare:
    """A weighted part of a candidate's relevance; `share` is of its largest part."""

    name: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A memory in the turn: what became of it, why, and what it says now (None: it was erased since)."""

    explanation: Explanation
    label: str
    tone: Tone
    type: str
    words: str | None
    moved: int
    parts: tuple[FactorShare, ...]


@dataclass(frozen=True, slots=True)
class DispositionChip:
    """A disposition with how many candidates had it, and the address of these."""

    label: str
    count: int
    tone: Tone
    about: str
    link: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class TurnData:
    """What the page is made of; `strategy` is how overlaps were measured, `longest` how much of a response is kept."""

    account: TurnExplanation
    numbers: TurnMeasurements
    words: Mapping[UUID, Memory]
    strategy: str
    longest: int


@dataclass(frozen=True, slots=True)
class TurnView:
    """The page; `lacked` is each reason of degradation with what is told of its part."""

    account: TurnExplanation
    numbers: TurnMeasurements
    degradations: tuple[tuple[str, DegradationLabel], ...]
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    stages: tuple[tuple[str, float, float], ...]
    chips: tuple[DispositionChip, ...]
    candidates: tuple[CandidateView, ...]
    more: int
    lookup: str
    tools: TurnToolsView
    response: HighlightedResponse | None
    withheld: bool
    cut: bool
    used: int
    tokens: int


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> TurnData | None:
    """The record of a turn, and its memories' words of today; None: no such turn."""
    agent, turn_id = query.agent, query.params.get("id", "")
    numbers = await analytics.turn(agent, turn_id)
    if numbers is None:
        return None
    account = await layer.explain.turn(agent, turn_id)
    ids = [explanation.memory_id for explanation in _listed(account, query)]
    memories, policy = {memory.id: memory for memory in await layer.get(agent, ids)}, layer.policies.current(agent)
    return TurnData(
        account,
        numbers,
        memories,
        numbers.attribution or policy.feedback.attribution,
        policy.retention.max_response_chars,
    )


def view(data: TurnData, query: PageQuery) -> TurnView:
    """The page from what was read."""
    account, chosen = data.account, query.params.get("disposition", "")
    counts = Counter(explanation.disposition or "" for explanation in account.candidates)
    listed = _listed(account, query)
    return TurnView(
        account=account,
        numbers=data.numbers,
        degradations=tuple(
            (reason, degradation_label(reason.code))
            for reason in degradation.read(data.numbers.degraded, data.numbers.degraded_codes)
        ),
        rules=_rules(account.plan.get("reasons", ())),
        stages=_stages(data.numbers.timings),
        chips=_chips(counts, chosen, query),
        candidates=tuple(candidate_view(explanation, data.words.get(explanation.memory_id)) for explanation in listed),
        more=(counts[chosen] if chosen else len(account.candidates)) - len(listed),
        lookup=query.params.get("why", ""),
        tools=turn_tools(account.plan, data.numbers.trim, data.numbers.tools_called),
        response=highlight(data.numbers.response, account.shown, data.numbers.excerpts, data.strategy),
        withheld=data.numbers.response == WITHHELD,
        cut=len(data.numbers.response or "") == data.longest,
        used=sum(bool(shown.used) for shown in account.shown),
        tokens=sum(shown.tokens for shown in account.shown),
    )


def candidate_view(explanation: Explanation, memory: Memory | None) -> CandidateView:
    """A candidate as it is told, the largest part of its relevance first."""
    label, tone, _ = DISPOSITIONS.get(explanation.disposition or "", ("Not found", "plain", ""))
    parts = sorted(explanation.factors.items(), key=lambda item: -abs(item[1]))
    most = max((abs(value) for _, value in parts), default=0.0) or 1.0
    return CandidateView(
        explanation,
        label,
        tone,
        memory.type if memory else "",
        memory.content if memory else None,
        (explanation.rank_before or 0) - (explanation.rank or 0),
        tuple(FactorShare(FACTORS.get(name, name), value, abs(value) / most) for name, value in parts),
    )


def _listed(account: TurnExplanation, query: PageQuery) -> list[Explanation]:
    """The candidates of a page: those of one result, if it was chosen; what is in the prompt first, then by rank."""
    chosen = query.params.get("disposition", "")
    wanted = [explanation for explanation in account.candidates if not chosen or explanation.disposition == chosen]
    wanted.sort(key=lambda explanation: (explanation.disposition not in ("shown", "pinned"), explanation.rank or 0))
    return wanted if query.params.get("all") else wanted[:_FIRST]


def _rules(reasons: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The rules that fired by their table, "" without one: "memory.of_ours" is the rule of_ours of memory."""
    tables: dict[str, list[str]] = {}
    for reason in reasons:
        table, _, rule = reason.partition(".")
        tables.setdefault(table if rule else "", []).append((rule or table).replace("_", " "))
    return tuple((table, tuple(rules)) for table, rules in tables.items())


def _stages(timings: Mapping[str, float]) -> tuple[tuple[str, float, float], ...]:
    """The stages in the order they ran, in milliseconds and as a share of the slowest; the whole comes last."""
    most = max(timings.values(), default=0.0) or 1.0
    return tuple((name, ms, ms / most) for name, ms in sorted(timings.items(), key=lambda item: item[0] == "pre_turn"))


def _chips(counts: Mapping[str, int], chosen: str, query: PageQuery) -> tuple[DispositionChip, ...]:
    data = [
        DispositionChip(
            label,
            counts[name],
            tone,
            about,
            query.with_changes("turn", disposition=name, all=None) + "#candidates",
            name == chosen,
        )
        for name, (label, tone, about) in DISPOSITIONS.items()
        if counts.get(name)
    ]
    every = query.with_changes("turn", disposition=None) + "#candidates"
    return (DispositionChip("All", sum(counts.values()), "plain", "every candidate", every, not chosen), *data)


async def turn(visit: Visit) -> Response:
    """One turn."""
    data = await read(visit.layer, visit.analytics, visit.query)
    if data is None:
        raise HTTPException(404, NO_TURN)
    return visit.page("turn.html", view=view(data, visit.query))


PAGES = (PageRoute("/turn", turn, parent="/turns"),)
