"""Summaries by a language model, behind any callable; what it fails to do in time is done by extraction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from cognitive.turn import Message
from cognitive.window import prompts, summary

log = logging.getLogger(__name__)

Model = Callable[[str], Awaitable[str]]  # prompt -> answer


class ModelSummarizer:
    """A `Summarizer` that asks a model, for at most `seconds`; called after a turn, never before one."""

    def __init__(self, model: Model, *, seconds: float = 30.0) -> None:
        self._model = model
        self._seconds = seconds

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        """The model's summary within `limit` characters, or the extracted one."""
        happened = summary.extract("", messages, 40_000)
        prompt = prompts.WORK_SESSION.format(fence="=====", earlier=earlier, happened=happened, limit=limit)
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._model(prompt)
        except Exception as error:
            log.warning("summary by extraction: the model failed: %r", error)
            return summary.extract(earlier, messages, limit)
        return answer.strip()[:limit] or summary.extract(earlier, messages, limit)
