"""Recording of the turns of a coding agent: their outcomes, and turns whose prompt no daemon saw.

An outcome is read from the event that ends the turn and from the transcript. A turn that began while no daemon was
running is recorded as a whole from the transcript, without memories, since the agent was shown none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from cognitive.errors import CognitiveError, UnknownTurn
from cognitive.hook import transcript
from cognitive.hook.payload import HookPayload
from cognitive.hook.transcript import TranscriptTurn
from cognitive.layer import CognitiveLayer
from cognitive.turn import Outcome, ToolCall, Turn, TurnContext, TurnRef

log = logging.getLogger(__name__)

MAX_CALLS = 200  # tool calls of a turn; more are a loop
_MAX_SETTLING_SECONDS = 0.1  # seconds that a hook waits for its outcome; recording then continues in the background
_NO_MEMORY = {"type": {"eq": "fact", "ne": "fact"}}  # a filter that no memory meets


@dataclass(slots=True)
class HookTurn:
    """A turn whose outcome is not recorded yet. `calls` has its tool calls, by the id that the agent gave each call.

    `prompt` is empty if this daemon did not see it.
    """

    turn_id: str
    prompt: str
    turn: TurnContext | TurnRef
    calls: dict[str, ToolCall] = field(default_factory=dict)


class TurnReporter:
    """Reports the outcomes of turns to a memory layer, in the background if that takes long."""

    def __init__(self, layer: CognitiveLayer) -> None:
        self._layer = layer
        self._recording: set[asyncio.Task[None]] = set()

    async def report(self, pending: HookTurn, outcome: Outcome) -> None:
        """Record the outcome of a turn that this daemon opened."""
        self._layer.settle(pending.turn, outcome)
        with suppress(TimeoutError):
            async with asyncio.timeout(_MAX_SETTLING_SECONDS):
                await self._layer.flush(pending.turn)

    async def report_unseen(
        self, session_id: str, pending: HookTurn, payload: HookPayload, turns: Sequence[TranscriptTurn], answer: str
    ) -> None:
        """Record a turn that this daemon didn't open.

        An earlier daemon may have opened it. If none has, the turn is recorded from the transcript's `turns`.
        """
        task = asyncio.create_task(self._record_unseen(session_id, pending, payload, turns, answer))
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)
        await asyncio.wait([task], timeout=_MAX_SETTLING_SECONDS)

    async def flush(self) -> None:
        """Wait until all pending outcomes are recorded."""
        if self._recording:
            await asyncio.wait(self._recording)
        await self._layer.flush()

    async def _record_unseen(
        self, session_id: str, pending: HookTurn, payload: HookPayload, turns: Sequence[TranscriptTurn], answer: str
    ) -> None:
        outcome = outcome_of(pending, turns, answer)
        try:
            try:
                await self._layer.post_turn(pending.turn, outcome)
            except UnknownTurn:
                if (context := await self._open_unseen(session_id, pending, payload, turns)) is not None:
                    await self._layer.post_turn(context, outcome)
        except CognitiveError as error:
            log.warning("turn %s is not recorded: %s: %s", pending.turn_id, type(error).__name__, error)

    async def _open_unseen(
        self, session_id: str, pending: HookTurn, payload: HookPayload, turns: Sequence[TranscriptTurn]
    ) -> TurnContext | None:
        """Open a turn with the prompt in the transcript and without memories.

        Returns None if there is no prompt, or if anything that the user sees was erased after it: the prompt may repeat
        it.
        """
        place = _place_of(pending, turns)
        if place is None or not turns[place].prompt.strip():
            return None
        agent_id, user_id, at = pending.turn.agent_id, pending.turn.user_id, turns[place].at
        erased = await self._layer.admin.erasures(agent_id, user_id=user_id)
        if any(at is None or each.at >= at for each in erased if each.what != "retention"):
            return None
        turn = Turn(
            agent_id=agent_id,
            user_id=user_id,
            session_id=session_id,
            text=turns[place].prompt,
            conversation=transcript.conversation(turns[:place]),
            model=payload.model,
            turn_id=pending.turn_id,
            runtime=payload.runtime,
            now=turns[place].at,
            where=_NO_MEMORY,
        )
        return await self._layer.pre_turn(turn)


def outcome_of(pending: HookTurn, turns: Sequence[TranscriptTurn], answer: str) -> Outcome:
    """Return a turn's outcome: its answer, tool calls and status. The transcript's `turns` add what the events lack."""
    place = _place_of(pending, turns)
    last = turns[place] if place is not None else TranscriptTurn()
    answer = answer or (last.answer if last.status == "completed" else "")
    status = "completed" if answer else "failed" if last.status == "failed" else "abandoned"
    calls = {**last.calls, **pending.calls}
    return Outcome(response=answer, tool_calls=tuple(calls.values())[:MAX_CALLS], status=status)


def _place_of(pending: HookTurn, turns: Sequence[TranscriptTurn]) -> int | None:
    """Return the index of a pending turn in the transcript's `turns`, or None if it is not there.

    Without ids in the transcript, a turn whose prompt is unknown is the last one.
    """
    for place in reversed(range(len(turns))):
        if is_same_turn(turns[place], pending.turn_id, pending.prompt):
            return place
    return len(turns) - 1 if turns and not pending.prompt and turns[-1].prompt_id is None else None


def is_same_turn(turn: TranscriptTurn, turn_id: str | None, prompt: str) -> bool:
    """Return True if a transcript's turn has this turn id or, if one of the ids is missing, this prompt text."""
    return turn.prompt_id == turn_id if turn.prompt_id is not None and turn_id else turn.prompt == prompt


async def read_transcript(path: str | None) -> Sequence[TranscriptTurn]:
    """Return the turns in a transcript file, or none if it cannot be read.

    A thread reads it, since disks may be slow.
    """
    if not path:
        return ()
    try:
        return await asyncio.to_thread(lambda: transcript.turns_of(transcript.tail(path)))
    except FileNotFoundError:  # the agent has not written its first message yet
        return ()
    except OSError as error:
        log.warning("the transcript cannot be read: %s", error)
        return ()
