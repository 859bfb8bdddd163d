"""What running a turn again brings: the prompt that was rendered, and what today's policy would make of the turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.types import Memory
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.turn_detail import NO_TURN
from cognitive.errors import CognitiveError, UnknownTurn
from cognitive.lab.questions import Replay
from cognitive.layer import CognitiveLayer

Lines = tuple[tuple[str, str], ...]  # each with its kind: a memory, a heading of a section, or what frames them


@dataclass(frozen=True, slots=True)
class PromptView:
    """What was rendered. `verdict` says whether it is what was rendered then; `reason` why not."""

    prefix: Lines
    text: Lines
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReplayView:
    """The turn under the policy of today: what would have entered, left and moved, with their words."""

    replay: Replay
    entered: tuple[tuple[UUID, str], ...]
    left: tuple[tuple[UUID, str], ...]
    moved: tuple[tuple[UUID, str, int, int], ...]


@dataclass(frozen=True, slots=True)
class ReplayFailure:
    """Why a turn could not be run again."""

    reason: str


Run = Callable[[CognitiveLayer, PageQuery], Awaitable[PromptView | ReplayView | ReplayFailure]]
NOTHING_RAN = ReplayFailure("No stage ran in this turn, so there is nothing to run again.")


async def render_prompt(layer: CognitiveLayer, query: PageQuery) -> PromptView | ReplayFailure:
    """The prompt of a turn, made again under its own policy.

    Raises:
        UnknownTurn: the agent does not have it.
    """
    try:
        replay = await layer.explain.replay(query.agent, query.params.get("id", ""))
    except CognitiveError as error:
        return _failure(error)
    return NOTHING_RAN if replay is None else prompt(replay)


async def replay_today(layer: CognitiveLayer, query: PageQuery) -> ReplayView | ReplayFailure:
    """A turn under the policy of today.

    Raises:
        UnknownTurn: the agent does not have it.
    """
    try:
        replay = await layer.explain.replay(
            query.agent, query.params.get("id", ""), layer.policies.current(query.agent)
        )
    except CognitiveError as error:
        return _failure(error)
    if replay is None:
        return NOTHING_RAN
    change = replay.difference
    ids = (*change.entered, *change.left, *(id for id, _, _ in change.moved))
    return replay_view(replay, {memory.id: memory for memory in await layer.get(query.agent, ids)})


def prompt(replay: Replay) -> PromptView:
    """What a turn rendered, in lines."""
    return PromptView(_lines(replay.prefix), _lines(replay.text), replay.verdict, replay.reason)


def replay_view(replay: Replay, words: Mapping[UUID, Memory]) -> ReplayView:
    """What would change, in the words of the memories."""

    def said(id: UUID) -> str:
        return words[id].content if id in words else "(erased)"

    change = replay.difference
    return ReplayView(
        replace(replay, text="", prefix=""),
        tuple((id, said(id)) for id in change.entered),
        tuple((id, said(id)) for id in change.left),
        tuple((id, said(id), was, now) for id, was, now in change.moved),
    )


def _failure(error: CognitiveError) -> ReplayFailure:
    """Its policy is not known any more, say: the rest of the story still is. A turn that is not there is no story."""
    if isinstance(error, UnknownTurn):
        raise error
    return ReplayFailure(str(error))


def _lines(text: str) -> Lines:
    return tuple((_kind(line), line) for line in text.strip("\n").split("\n")) if text.strip() else ()


def _kind(line: str) -> str:
    if line.startswith("- "):
        return "memory"
    return "heading" if line.endswith(":") and len(line) < 20 else "frame"


async def show_prompt(visit: Visit) -> Response:
    """The prompt of a turn, rendered again: on demand, since it is the slowest thing that is told of a turn."""
    return await _part(visit, "prompt", "The prompt as it was rendered", render_prompt)


async def show_replay(visit: Visit) -> Response:
    """A turn under the policy of today, likewise."""
    return await _part(visit, "replay", "Under the policy of today", replay_today)


async def _part(visit: Visit, part: str, title: str, run: Run) -> Response:
    try:
        told = await run(visit.layer, visit.query)
    except UnknownTurn:
        raise HTTPException(404, NO_TURN) from None
    return visit.part(part, title, told, error=told.reason if isinstance(told, ReplayFailure) else "")


PAGES = (
    PageRoute("/turn/prompt", show_prompt, parent="/turns"),
    PageRoute("/turn/replay", show_replay, parent="/turns"),
)
