"""The page of one turn: its message, plan, candidates with their dispositions, tools, response and used memories.

`replay_view.py` renders the parts that need the turn to be run again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.turn_rows import TurnMeasurements
from brain.analytics.turns import TurnAnalytics
from brain.judgements import ExposureRow
from brain.redacting import WITHHELD
from brain.types import Memory
from cognitive import degradation
from cognitive.dashboard.degradation_labels import DegradationLabel, degradation_label
from cognitive.dashboard.highlight import HighlightedResponse, highlight
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.rendering import styles
from cognitive.dashboard.tools_view import TurnToolsView, turn_tools
from cognitive.lab.questions import TurnExplanation
from cognitive.lab.why import Explanation
from cognitive.layer import CognitiveLayer

Tone = Literal["good", "warn", "info", "plain"]
DISPOSITIONS: Mapping[str, tuple[str, Tone, str]] = {
    "shown": ("Shown", "good", "in the prompt"),
    "pinned": ("In system message", "good", "which every turn has"),
    "restated": ("Restated", "info", "the conversation says the same already"),
    "already_in_prompt": ("Already in prompt", "info", "an earlier turn's block, still in the conversation, shows it"),
    "duplicate": ("Duplicate", "info", "another candidate says the same"),
    "superseded": ("Superseded", "info", "a newer memory replaced it"),
    "distrusted": ("Distrusted", "warn", "its trust is too low for its type"),
    "source_cap": ("Source cap", "warn", "its speaker or session has enough places already"),
    "displaced": ("Displaced", "info", "exploration gave its place to another memory"),
    "over_budget": ("Over budget", "warn", "the token budget is full"),
    "over_limit": ("Over limit", "warn", "its type has enough memories"),
    "irrelevant": ("Irrelevant", "plain", "it does not match the message well enough"),
}
NO_TURN = "This view has no such turn. It was erased, or it belongs to another agent or user."
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_MAX_CANDIDATES = 25  # shown at first; a click shows all


@dataclass(frozen=True, slots=True)
class FactorShare:
    """The part that one factor contributes to a candidate's relevance score, drawn as a bar.

    `share` is the length of the bar: this part divided by the candidate's largest part.
    """

    name: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate memory of a turn: why it was shown or dropped, its factors, and its text.

    `words` is the current text, or None if the memory was erased after the turn. `moved` is the number of ranks that
    the candidate gained by past use and the rules of precedence; it is negative if the candidate lost ranks. `source`
    has the memory's user, speaker, kind and source.
    """

    explanation: Explanation
    label: str
    tone: Tone
    type: str
    words: str | None
    moved: int
    parts: tuple[FactorShare, ...]
    source: tuple[str, str, str, str] = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A memory that a turn showed: how it came there ("prompt" or "recall"), its kind, such as "preference", its user.

    `owner` is "" for a shared memory.
    """

    memory: ExposureRow
    via: str
    kind: str
    owner: str


@dataclass(frozen=True, slots=True)
class DispositionChip:
    """A link that restricts the list of candidates to those with one disposition.

    A disposition is the reason why a candidate was shown or dropped. `count` candidates have the link's disposition.
    """

    label: str
    count: int
    tone: Tone
    about: str
    link: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class TurnData:
    """The data of the page of one turn: its explanation, measurements, and the texts of its memories.

    `strategy` is the attribution strategy, which measured which memories the response used. At most
    `max_response_chars` characters of a response are stored.
    """

    account: TurnExplanation
    numbers: TurnMeasurements
    words: Mapping[UUID, Memory]
    strategy: str
    max_response_chars: int


@dataclass(frozen=True, slots=True)
class TurnView:
    """The content of the page of one turn, as its template shows it.

    `degradations` are the parts of the turn that failed or were late, each with its effect and remedy. `shown_by` says
    how the shown memories came there. `max_match` is the best match of a candidate. `abstained` is the reason why the
    turn showed no memory, or "".
    """

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
    shown: tuple[ShownRow, ...]
    shown_by: str
    pinned: tuple[Memory, ...]
    pinned_tokens: int
    max_match: float
    abstained: str
    memory_link: Callable[[UUID], str]


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> TurnData:
    """Read the data of the page of one turn, or raise HTTPException 404 if the view has no such turn."""
    agent, turn_id = query.agent, query.params.get("id", "")
    numbers = await analytics.turn(query.one, turn_id)
    if numbers is None:
        raise HTTPException(404, NO_TURN)
    account = await layer.explain.turn(agent, turn_id, user_id=query.user)
    ids = [explanation.memory_id for explanation in _listed(account, query)]
    ids += [*(shown.memory_id for shown in account.shown), *account.pinned]
    memories = {memory.id: memory for memory in await layer.get(agent, list(dict.fromkeys(ids)), user_id=query.user)}
    policy = layer.policies.current(agent)
    return TurnData(
        account,
        numbers,
        memories,
        numbers.attribution or policy.feedback.attribution,
        policy.retention.max_response_chars,
    )


def view(data: TurnData, query: PageQuery) -> TurnView:
    """Convert the data of the page of one turn to the form that its template shows."""
    account, chosen = data.account, query.params.get("disposition", "")
    counts = Counter(explanation.disposition or "" for explanation in account.candidates)
    listed = _listed(account, query)
    pinned = tuple(data.words[id] for id in account.pinned if id in data.words)
    pinned_tokens = data.numbers.measures.get("pinned_tokens", 0)
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
        cut=len(data.numbers.response or "") == data.max_response_chars,
        used=sum(bool(shown.used) for shown in account.shown),
        tokens=sum(shown.tokens for shown in account.shown) + pinned_tokens,
        shown=tuple(_shown_row(shown, data.words.get(shown.memory_id)) for shown in account.shown),
        shown_by=_shown_by(account, len(pinned)),
        pinned=pinned,
        pinned_tokens=pinned_tokens,
        max_match=max((each.match for each in account.candidates if each.match is not None), default=0.0),
        abstained=_abstained(account),
        memory_link=lambda memory_id: query.link("memory", id=memory_id),
    )


def candidate_view(explanation: Explanation, memory: Memory | None) -> CandidateView:
    """Convert the explanation of a candidate, and the memory's current text, to the form that the page shows.

    The factors of the candidate's relevance are sorted by size, and named as in the API.
    """
    label, tone, _ = DISPOSITIONS.get(explanation.disposition or "", ("Not found", "plain", ""))
    parts = sorted(explanation.factors.items(), key=lambda item: -abs(item[1]))
    largest = max((abs(value) for _, value in parts), default=0.0) or 1.0
    return CandidateView(
        explanation,
        label,
        tone,
        memory.type if memory else "",
        memory.content if memory else None,
        (explanation.rank_before or 0) - (explanation.rank or 0),
        tuple(FactorShare(name.replace("_", " "), value, abs(value) / largest) for name, value in parts),
        (memory.user_id or "", memory.speaker or "", _kind(memory), memory.source or "") if memory else ("",) * 4,
    )


def _shown_row(shown: ExposureRow, memory: Memory | None) -> ShownRow:
    return ShownRow(shown, shown.via, _kind(memory), (memory.user_id or "") if memory else "")


def _kind(memory: Memory | None) -> str:
    return str(memory.attributes.get("kind", "")) if memory else ""


def _shown_by(account: TurnExplanation, pinned: int) -> str:
    """Return how the memories of a turn came to be shown, as in "5 prompt · 2 recall · 1 system message"."""
    ways = Counter(shown.via for shown in account.shown)
    return " · ".join(f"{n} {way}" for way, n in (*sorted(ways.items()), ("system message", pinned)) if n)


def _abstained(account: TurnExplanation) -> str:
    """Return why a turn dropped all its candidates together, or "" if it did not."""
    if any(each.disposition == "shown" for each in account.candidates):
        return ""
    together = [each for each in account.candidates if each.disposition == "irrelevant" and each.threshold is None]
    return together[0].reason if together else ""


def _listed(account: TurnExplanation, query: PageQuery) -> list[Explanation]:
    """Return the candidates that the page lists: all, or those with the disposition that the URL selects.

    Candidates in the prompt come first, then the others by rank. The list is cut to `_MAX_CANDIDATES`, unless the URL
    asks for all.
    """
    chosen = query.params.get("disposition", "")
    wanted = [explanation for explanation in account.candidates if not chosen or explanation.disposition == chosen]
    wanted.sort(key=lambda explanation: (explanation.disposition not in ("shown", "pinned"), explanation.rank or 0))
    return wanted if query.params.get("all") else wanted[:_MAX_CANDIDATES]


def _rules(reasons: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the planning rules that a message matched, grouped by the table that contains the rule.

    For example, "memory.of_ours" is the rule of_ours of the table memory. Rules without a table are in the group "".
    """
    tables: dict[str, list[str]] = {}
    for reason in reasons:
        table, _, rule = reason.partition(".")
        tables.setdefault(table if rule else "", []).append((rule or table).replace("_", " "))
    return tuple((table, tuple(rules)) for table, rules in tables.items())


def _stages(timings: Mapping[str, float]) -> tuple[tuple[str, float, float], ...]:
    """Return the durations of a turn's stages, each as (name, milliseconds, share of the slowest).

    The total, called pre_turn, comes last.
    """
    slowest = max(timings.values(), default=0.0) or 1.0
    return tuple(
        (name, ms, ms / slowest) for name, ms in sorted(timings.items(), key=lambda item: item[0] == "pre_turn")
    )


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
    return (DispositionChip("All", sum(counts.values()), "plain", "all candidates", every, not chosen), *data)


async def turn(visit: Visit) -> Response:
    """Render the page of one turn."""
    data = await read(visit.layer, visit.analytics, visit.query)
    return visit.page("turn.html", view=view(data, visit.query))


async def save(visit: Visit) -> Response:
    """Return a turn as an HTML file that a browser saves. The file loads nothing and runs nothing."""
    data = await read(visit.layer, visit.analytics, visit.query)
    response = visit.page("turn_file.html", view=view(data, visit.query), styles=styles("app.css", "turns.css"))
    name = _UNSAFE.sub("-", data.numbers.turn_id)[:80].strip("-") or "turn"
    response.headers["Content-Disposition"] = f'attachment; filename="turn-{name}.html"'
    return response


PAGES = (PageRoute("/turn", turn, parent="/turns"), PageRoute("/turn/file", save, parent="/turns"))
