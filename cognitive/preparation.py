"""Prepare a turn: run the parts of `pipeline`, some of them at the same time, and record the result."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from cognitive.formation.former import Former
from cognitive.pipeline import (
    MemoryFetcher,
    ToolSelector,
    TurnRecorder,
    TurnRequest,
    WindowBuilder,
    create_context,
)
from cognitive.policy.resolver import PolicyResolver
from cognitive.turn import Turn, TurnContext


@dataclass(frozen=True, slots=True)
class TurnPreparation:
    """The parts of `pre_turn`, each of which fails open."""

    policies: PolicyResolver
    window: WindowBuilder
    memories: MemoryFetcher
    tools: ToolSelector
    recorder: TurnRecorder
    former: Former

    async def prepare(self, turn: Turn) -> TurnContext:
        """Return what the model should see in a turn. A user's turn is recorded."""
        request = await TurnRequest.create(turn, self.policies)
        reads = self.memories.begin_reads(request)
        try:
            if request.planned:
                await reads.wait_for_place()
            async with asyncio.TaskGroup() as tasks:  # the parts fail open, so that none cancels another
                window_task = tasks.create_task(self.window.build(request, reads))
                plan, memories = await self.memories.fetch(request, window_task, reads)
                tools = await self.tools.select(request, plan, memories)
        except ExceptionGroup as defects:  # a defect of ours: a part raised after all
            raise defects.exceptions[0] from None
        finally:
            reads.close()
        window = window_task.result()
        context = create_context(request, plan, memories, tools, window)
        self.former.catch_up(turn.agent_id)
        return await self.recorder.record(request, context, memories, window) if request.planned else context
