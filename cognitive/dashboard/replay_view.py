"""Parts of a turn's page that run the turn again: its prompt, and the result under the current policy."""

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

Lines = tuple[tuple[str, str], ...]  # kind ("memory", "heading" or "frame") and text of each line


@dataclass(frozen=True, slots=True)
class PromptView:
    """The memory text that a turn added to the prompt, rendered again for the turn's page.

    `prefix` is the block of shared pinned memories, `user_prefix` that of the user's pinned memories and wishes, and
    `text` the block of the other memories. `verdict` is "identical" if all equal the blocks that the turn added.
    Otherwise `reason` says why they differ.
    """

    prefix: Lines
    user_prefix: Lines
    text: Lines
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReplayView:
    """The memories that a turn would show under the agent's current policy, compared with those that it showed.

    `entered` are the memories that would be shown in addition, and `left` those that would not be shown. `moved` are
    the memories that would be shown at another rank, with the old and the new rank. Each memory has its current text.
    """

    replay: Replay
    entered: tuple[tuple[UUID, str], ...]
    left: tuple[tuple[UUID, str], ...]
    moved: tuple[tuple[UUID, str, int, int], ...]


@dataclass(frozen=True, slots=True)
class ReplayFailure:
    """The reason why a turn could not be run again, as a text for the page."""

    reason: str


Run = Callable[[CognitiveLayer, PageQuery], Awaitable[PromptView | ReplayView | ReplayFailure]]
NOTHING_RAN = ReplayFailure("Memory was not searched in this turn, so there is nothing to run again.")


async def render_prompt(layer: CognitiveLayer, query: PageQuery) -> PromptView | ReplayFailure:
    """Run a turn again under its own policy, and return the prompt text that results.

    Raises:
        UnknownTurn: the agent has no such turn.
    """
    try:
        replay = await layer.explain.replay(query.agent, query.params.get("id", ""), user_id=query.user)
    except CognitiveError as error:
        return _failure(error)
    return NOTHING_RAN if replay is None else prompt(replay)


async def replay_today(layer: CognitiveLayer, query: PageQuery) -> ReplayView | ReplayFailure:
    """Run a turn again under the agent's current policy, and return the differences.

    Raises:
        UnknownTurn: the agent has no such turn.
    """
    try:
        policy = (await layer.policies.running(query.agent)).policy
        replay = await layer.explain.replay(query.agent, query.params.get("id", ""), policy, user_id=query.user)
    except CognitiveError as error:
        return _failure(error)
    if replay is None:
        return NOTHING_RAN
    change = replay.difference
    ids = (*change.entered, *change.left, *(id for id, _, _ in change.moved))
    return replay_view(replay, {memory.id: memory for memory in await layer.get(query.agent, ids, user_id=query.user)})


def prompt(replay: Replay) -> PromptView:
    """Convert a replayed prompt to lines for the template, each with its kind, such as "heading"."""
    return PromptView(
        _lines(replay.prefix), _lines(replay.user_prefix), _lines(replay.text), replay.verdict, replay.reason
    )


def replay_view(replay: Replay, words: Mapping[UUID, Memory]) -> ReplayView:
    """Convert a replay's differences to the form that the template shows, with the current texts of the memories."""

    def text(id: UUID) -> str:
        return words[id].content if id in words else "(erased)"

    change = replay.difference
    return ReplayView(
        replace(replay, text="", prefix="", user_prefix=""),
        tuple((id, text(id)) for id in change.entered),
        tuple((id, text(id)) for id in change.left),
        tuple((id, text(id), was, now) for id, was, now in change.moved),
    )


def _failure(error: CognitiveError) -> ReplayFailure:
    """Convert an error of a replay to a text for the page. An UnknownTurn error is raised again."""
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
    """Render the memory text of a turn's prompt.

    The browser loads this part of the page separately, because it takes longer than the rest.
    """
    return await _part(visit, "prompt", "Memory in the prompt", render_prompt)


async def show_replay(visit: Visit) -> Response:
    """Render the memories that the turn would show under the current policy, compared with those that it showed.

    The browser loads this part of the page separately.
    """
    return await _part(visit, "replay", "Under the current policy", replay_today)


async def _part(visit: Visit, part: str, title: str, run: Run) -> Response:
    try:
        result = await run(visit.layer, visit.query)
    except UnknownTurn:
        raise HTTPException(404, NO_TURN) from None
    return visit.part(part, title, result, error=result.reason if isinstance(result, ReplayFailure) else "")


PAGES = (
    PageRoute("/turn/prompt", show_prompt, parent="/turns"),
    PageRoute("/turn/replay", show_replay, parent="/turns"),
)
