"""One turn as a story: what was asked, what was understood, what was found, what became of each, what was rendered,
what came of it, and what would come of it now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from brain.figure_rows import TurnNumbers
from brain.figures import Figures
from brain.types import Memory
from cognitive.dashboard.asked import Asked
from cognitive.errors import CognitiveError
from cognitive.lab.stories import FACTORS
from cognitive.lab.why import Explanation
from cognitive.layer import CognitiveLayer
from cognitive.questions import Account, Replay

Tone = Literal["good", "warn", "info", "plain"]
FATES: Mapping[str, tuple[str, Tone, str]] = {
    "shown": ("Shown", "good", "it is in the prompt"),
    "pinned": ("Pinned", "good", "it stands in the prefix of every turn"),
    "restated": ("Restated", "info", "the conversation says it already"),
    "standing": ("Standing", "info", "the conversation still shows it from an earlier turn"),
    "duplicate": ("Duplicate", "info", "another candidate says it better"),
    "superseded": ("Superseded", "info", "a newer memory replaced it"),
    "distrusted": ("Distrusted", "warn", "its source is not trusted enough for its type"),
    "source_cap": ("Source cap", "warn", "more of one source than a turn shows"),
    "displaced": ("Displaced", "info", "exploration tried another in its place"),
    "over_budget": ("Over budget", "warn", "its section or the total had no room"),
    "over_limit": ("Over limit", "warn", "more of its type than the plan asks for"),
    "irrelevant": ("Irrelevant", "plain", "nothing, or not this, was worth showing"),
}
_FIRST = 25  # candidates of a page by rank; a click brings the others
_LOOKED_UP = 5  # memories that words bring, each with why it was or was not shown


@dataclass(frozen=True, slots=True)
class Part:
    """A weighted part of a candidate's relevance; `share` is of its largest part."""

    name: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory in the turn: what became of it, why, and what it says now (None: it was erased since)."""

    told: Explanation
    label: str
    tone: Tone
    type: str
    words: str | None
    moved: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """A disposition with how many candidates had it, and the address of these."""

    label: str
    count: int
    tone: Tone
    about: str
    link: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was rendered, in lines of a kind each. `verdict` says whether it is what was rendered then."""

    prefix: tuple[tuple[str, str], ...]
    text: tuple[tuple[str, str], ...]
    verdict: str
    because: str


@dataclass(frozen=True, slots=True)
class Again:
    """The turn under the policy of today: what would have entered, left and moved, with their words."""

    replay: Replay
    entered: tuple[tuple[UUID, str], ...]
    left: tuple[tuple[UUID, str], ...]
    moved: tuple[tuple[UUID, str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What the page is made of. `failed` is why the turn could not be run again."""

    account: Account
    numbers: TurnNumbers
    words: Mapping[UUID, Memory]
    own: Replay | None
    current: Replay | None
    looked_up: Sequence[Explanation]
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """The page."""

    account: Account
    numbers: TurnNumbers
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    stages: tuple[tuple[str, float, float], ...]
    chips: tuple[Chip, ...]
    candidates: tuple[Candidate, ...]
    more: int
    looked_up: tuple[Candidate, ...]
    lookup: str
    prompt: Prompt | None
    again: Again | None
    used: int
    tokens: int
    failed: str


async def read(layer: CognitiveLayer, figures: Figures, asked: Asked) -> Read | None:
    """The record of a turn, its memories' words of today, and what running it again brings; None: no such turn."""
    agent, turn_id = asked.agent, asked.params.get("id", "")
    numbers = await figures.turn(agent, turn_id)
    if numbers is None:
        return None
    account = await layer.account(agent, turn_id)
    looked_up = await _look_up(layer, account, asked)
    own, current, failed = None, None, ""
    try:
        own = await layer.replay(agent, turn_id)
        current = await layer.replay(agent, turn_id, layer.policy(agent)) if asked.params.get("replay") else None
    except CognitiveError as error:  # its policy is not known any more: the rest of the story still is
        failed = str(error)
    ids = dict.fromkeys(fate.memory_id for fate in (*account.fates, *looked_up))
    memories = {memory.id: memory for memory in await layer.get(agent, list(ids))}
    return Read(account, numbers, memories, own, current, looked_up, failed)


def view(told: Read, asked: Asked) -> Story:
    """The page from what was read."""
    account, chosen = told.account, asked.params.get("fate", "")
    counts = Counter(fate.disposition or "" for fate in account.fates)
    wanted = [fate for fate in account.fates if not chosen or fate.disposition == chosen]
    wanted.sort(key=lambda fate: (fate.disposition not in ("shown", "pinned"), fate.rank or 0))
    most = len(wanted) if asked.params.get("all") else _FIRST
    return Story(
        account=account,
        numbers=told.numbers,
        rules=_rules(account.plan.get("reasons", ())),
        stages=_stages(told.numbers.timings),
        chips=_chips(counts, chosen, asked),
        candidates=tuple(candidate(fate, told.words.get(fate.memory_id)) for fate in wanted[:most]),
        more=max(0, len(wanted) - most),
        looked_up=tuple(candidate(fate, told.words.get(fate.memory_id)) for fate in told.looked_up),
        lookup=asked.params.get("why", ""),
        prompt=_prompt(told.own),
        again=_again(told.current, told.words),
        used=sum(bool(shown.used) for shown in account.shown),
        tokens=sum(shown.tokens for shown in account.shown),
        failed=told.failed,
    )


def candidate(fate: Explanation, memory: Memory | None) -> Candidate:
    """A candidate as it is told, the largest part of its relevance first."""
    label, tone, _ = FATES.get(fate.disposition or "", ("Not found", "plain", ""))
    parts = sorted(fate.factors.items(), key=lambda item: -abs(item[1]))
    most = max((abs(value) for _, value in parts), default=0.0) or 1.0
    return Candidate(
        fate, label, tone, memory.type if memory else "", memory.content if memory else None,
        (fate.rank_before or 0) - (fate.rank or 0),
        tuple(Part(FACTORS.get(name, name), value, abs(value) / most) for name, value in parts),
    )  # fmt: skip


async def _look_up(layer: CognitiveLayer, account: Account, asked: Asked) -> list[Explanation]:
    """Why a memory of this id was or was not shown; given words, the memories that they bring today."""
    words = asked.params.get("why", "").strip()
    if not words:
        return []
    id = _id(words)
    if id is not None:
        return [await layer.why(asked.agent, account.turn_id, id)]
    hits = await layer.recall(asked.agent, words[:1_000], limit=_LOOKED_UP, now=account.at)
    return [await layer.why(asked.agent, account.turn_id, hit.memory_id) for hit in hits]


def _id(words: str) -> UUID | None:
    try:
        return UUID(words)
    except ValueError:
        return None


def _rules(reasons: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The rules that fired by the table they are of: "memory.of_ours" is the rule of_ours of memory."""
    tables: dict[str, list[str]] = {}
    for reason in reasons:
        table, _, rule = reason.partition(".")
        tables.setdefault(table, []).append(rule.replace("_", " ") or table)
    return tuple((table, tuple(rules)) for table, rules in tables.items())


def _stages(timings: Mapping[str, float]) -> tuple[tuple[str, float, float], ...]:
    """The stages in the order they ran, in milliseconds and as a share of the slowest; the whole comes last."""
    most = max(timings.values(), default=0.0) or 1.0
    return tuple((name, ms, ms / most) for name, ms in sorted(timings.items(), key=lambda item: item[0] == "pre_turn"))


def _chips(counts: Mapping[str, int], chosen: str, asked: Asked) -> tuple[Chip, ...]:
    told = [
        Chip(label, counts[name], tone, about, asked.again("turn", fate=name, all=None) + "#candidates", name == chosen)
        for name, (label, tone, about) in FATES.items()
        if counts.get(name)
    ]
    every = asked.again("turn", fate=None) + "#candidates"
    return (Chip("All", sum(counts.values()), "plain", "every candidate", every, not chosen), *told)


def _prompt(replay: Replay | None) -> Prompt | None:
    if replay is None:
        return None
    return Prompt(_lines(replay.prefix), _lines(replay.text), replay.verdict, replay.because)


def _lines(text: str) -> tuple[tuple[str, str], ...]:
    """Each line with its kind: a memory, a heading of a section, or what frames them."""
    return tuple((_kind(line), line) for line in text.strip("\n").split("\n")) if text.strip() else ()


def _kind(line: str) -> str:
    if line.startswith("- "):
        return "memory"
    return "heading" if line.endswith(":") and len(line) < 20 else "frame"


def _again(replay: Replay | None, words: Mapping[UUID, Memory]) -> Again | None:
    if replay is None:
        return None

    def said(id: UUID) -> str:
        return words[id].content if id in words else "(erased)"

    change = replay.difference
    return Again(
        replace(replay, text="", prefix=""),
        tuple((id, said(id)) for id in change.entered),
        tuple((id, said(id)) for id in change.left),
        tuple((id, said(id), was, now) for id, was, now in change.moved),
    )
