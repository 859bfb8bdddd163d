"""Settings of the window: how a conversation is shortened until it fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from cognitive.policy.annotations import BEFORE_RECORD, OUTSIDE, AtLeastOne, Count, Group, Share
from cognitive.policy.tables import RESERVES, TOOL_OUTPUTS, ToolOutputKind, over


class Window(Group):
    """Bounds of the messages that the model is sent, and the rules by which older ones leave."""

    max_messages: Annotated[AtLeastOne, OUTSIDE] = 40
    """Messages in the window, from 1, the engine's own included. Raise it for long tool loops on large models."""

    max_chars: Annotated[AtLeastOne, OUTSIDE] = 80_000
    """Characters of all messages in the window, from 1; 80,000 are about 20,000 tokens. Raise it for models with large
    contexts."""

    max_message_chars: Annotated[int, Field(ge=1_000), OUTSIDE] = 20_000
    """Characters of one message that is no tool result, from 1,000; what is longer is a pasted file and is cut. Raise
    it where users paste documents that must be read whole."""

    max_tool_output_chars: Annotated[
        Mapping[str, Annotated[int, Field(ge=500)]], over(TOOL_OUTPUTS), OUTSIDE
    ] = Field(default_factory=lambda: dict(TOOL_OUTPUTS))  # fmt: skip
    """Characters of a tool's output, from 500, by its kind. Lower a kind whose end is never read."""

    tool_output_kinds: Annotated[Mapping[str, ToolOutputKind], OUTSIDE] = Field(default_factory=dict)
    """Kind of output of each tool whose name does not say it. Add a tool whose output is cut by the wrong limit."""

    max_summary_chars: Annotated[Count, OUTSIDE] = 4_000
    """Characters of the whole session summary, from 0. Raise it for sessions that last for days."""

    context_threshold: Annotated[float, Field(gt=0, le=1), OUTSIDE] = 0.7
    """Share of the model's tokens from which older messages are summarized, above 0 to 1. The default is what the
    reserves leave. Lower it where the model loses track before its context is full."""

    summarize_after_iterations: Annotated[Count, OUTSIDE] = 5
    """Tool calls in a row after which finished work is summarized, from 0; 0 never does for that reason. Raise it where
    long chains of calls need every result."""

    reserves: Annotated[Mapping[str, Share], over(RESERVES), BEFORE_RECORD] = Field(
        default_factory=lambda: dict(RESERVES)
    )
    """Shares of the model's tokens that the window leaves free, from 0 to 1: for the system prompt, the response, tool
    results to come, and this turn's memories, which may not take more. Raise one that overflows."""

    keep_last_messages: Annotated[Count, OUTSIDE] = 10
    """Latest messages that are never pruned, from 0. Raise it where steps refer far back."""

    keep_recent_ms: Annotated[Count, OUTSIDE] = 30_000
    """Age in milliseconds up to which tool results are spared even when room is short, from 0. Raise it where results
    that arrive together are read together."""

    prune_tool_results_after_ms: Annotated[AtLeastOne, OUTSIDE] = 300_000
    """Age in milliseconds from which tool results are pruned, from 1. The default is also how long providers keep a
    cached prompt. The seed keeps what is younger than 5 min and prunes results older than 1 min, so that its 1 min
    never decides; here the age that prunes is the greater one. Lower it where results go stale fast."""

    protected_kinds: Annotated[tuple[str, ...], OUTSIDE] = ("plan", "error", "human_input")
    """Kinds of messages that are never pruned; a failed call is an "error". Add the host's own kinds."""

    summarize_before_prune: Annotated[bool, OUTSIDE] = True
    """Whether a pruned message leaves its gist and enters the summary. Off, a pointer alone is left. Switch it off
    where results must not be repeated in summaries."""
