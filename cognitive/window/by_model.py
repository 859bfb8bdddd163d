"""Summaries by a language model, behind any callable; what it does not do in time and in bounds, extraction does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brain.deadline import Failed, attempt
from cognitive.prompt import quote
from cognitive.turn import Message
from cognitive.window import prompts, salience, summary
from cognitive.window.output import cutting

log = logging.getLogger(__name__)

Model = Callable[[str], Coroutine[Any, Any, str]]  # prompt -> answer
_READ = 24_000  # characters of what happened that the model reads: some 6,000 tokens, the newest whole
_READ_OF_A_TOOL = 24_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model's answer was not used: it came too late, the call failed, or there was nothing in it."""

    reason: Literal["late", "failed", "empty"]
    detail: str


class ModelSummarizer:
    """A `Summarizer` that asks a model, for `seconds` at most; called after a turn, never before one.

    It does not raise: what the model fails to do is extracted, and the reason is logged and kept in `failure`.
    """

    def __init__(self, model: Model, *, seconds: float = 30.0) -> None:
        self._model = model
        self._seconds = seconds
        self.failure: Failure | None = None  # of the latest call, None if the model's answer was used

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        """The model's notes as quoted lines within `limit` characters, or the extracted summary."""
        answer = await self._asked(prompts.work_session(earlier, summary.extract("", messages, _READ), limit))
        if isinstance(answer, Failure):
            return summary.extract(earlier, messages, limit)
        notes = summary.noted(answer)
        return notes if len(notes) <= limit else summary.extract(notes, (), limit)

    async def condense(self, tool: str, results: str, limit: int) -> str:
        """What a tool returned, quoted, within `limit` characters: the model's words, or the lines that matter most."""
        answer = await self._asked(prompts.tool_results(tool, salience.ends(results, _READ_OF_A_TOOL), limit))
        text = salience.essence(results, limit) if isinstance(answer, Failure) else answer
        return _within(text, limit)

    async def _asked(self, prompt: str) -> str | Failure:
        answer = await self._answer(prompt)
        self.failure = answer if isinstance(answer, Failure) else None
        if self.failure:
            log.warning("a summary is extracted, since the model's is %s: %s", self.failure.reason, self.failure.detail)
        return answer

    async def _answer(self, prompt: str) -> str | Failure:
        answer = await attempt(self._model(prompt), self._seconds)
        if isinstance(answer, Failed):
            return Failure("late" if answer.reason == "late" else "failed", answer.detail)
        if not isinstance(answer, str) or not answer.strip():
            return Failure("empty", f"expected a text, got {type(answer).__name__} without one")
        return answer.strip()


def _within(text: str, limit: int) -> str:
    """A text quoted in at most so many characters, at least two: as much of its beginning as fits."""
    room = limit - 2
    while len(quoted := quote(cutting.head(text, room))) > max(2, limit):
        room -= len(quoted) - limit
    return quoted
