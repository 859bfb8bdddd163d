"""Settings of the window: how a conversation is shortened until it fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from cognitive.policy.annotations import BEFORE_RECORD, AtLeastOne, BeforeRecord, Count, SettingsGroup, Share
from cognitive.policy.tables import RESERVES, TOOL_OUTPUTS, ToolOutputKind, with_default_rows

# With journaled placement the window decides which blocks the model still sees, and those are not shown again: the
# record holds what stood in the window of its own turn alone.
JOURNALED = BeforeRecord(lambda new, old: new.placement == old.placement == "journaled")


class WindowSettings(SettingsGroup):
    """Bounds of the messages that the model is sent, and the rules by which older ones leave."""

    max_messages: Annotated[AtLeastOne, JOURNALED] = 40
    """Messages in the window, from 1, the engine's own included. Raise it for long tool loops on large models."""

    max_chars: Annotated[AtLeastOne, JOURNALED] = 80_000
    """Characters of all messages in the window, from 1; 80,000 are about 20,000 tokens. Raise it for models with large
    contexts."""

    max_message_chars: Annotated[int, Field(ge=1_000), JOURNALED] = 20_000
    """Characters of one message that is no tool result, from 1,000; what is longer is a pasted file and is cut. Raise
    it where users paste documents that must be read whole."""

    max_tool_output_chars: Annotated[
        Mapping[str, Annotated[int, Field(ge=500)]], with_default_rows(TOOL_OUTPUTS), JOURNALED
    ] = Field(default_factory=lambda: dict(TOOL_OUTPUTS))
    """Characters of one tool result in the window, from 500, by the kind of its tool; a longer one is shortened, and
    the whole is kept aside behind a pointer. Lower a kind whose end the model never reads, raise one that it asks for
    again and again."""

    tool_output_kinds: Annotated[Mapping[str, ToolOutputKind], JOURNALED] = Field(default_factory=dict)
    """Kind of output of each tool whose name does not say it. Add a tool whose output is cut by the wrong limit."""

    max_summary_chars: Annotated[Count, JOURNALED] = 4_000
    """Characters of the whole session summary, from 0. Raise it for sessions that last for days."""

    context_threshold: Annotated[float, Field(gt=0, le=1), JOURNALED] = 0.7
    """Share of the model's tokens from which older messages are summarized, above 0 to 1. The default is what the
    reserves leave. Lower it where the model loses track before its context is full."""

    summarize_after_iterations: Annotated[Count, JOURNALED] = 5
    """Tool calls in a row after which finished work is summarized, from 0; 0 never does for that reason. Raise it where
    long chains of calls need every result."""

    reserves: Annotated[Mapping[str, Share], with_default_rows(RESERVES), BEFORE_RECORD] = Field(
        default_factory=lambda: dict(RESERVES)
    )
    """Shares of the model's input tokens that the messages in the window may not use, from 0 to 1: `system` for the
    system prompt, `response` for the answer, `tools` for results that are still to come, `memory` for this turn's
    memories, which are also cut to that share. Raise a share where the model's limit is exceeded by what it stands
    for; lower one where older messages leave too early."""

    keep_last_messages: Annotated[Count, JOURNALED] = 10
    """Latest messages that are never pruned, from 0. Raise it where steps refer far back."""

    keep_recent_ms: Annotated[Count, JOURNALED] = 30_000
    """Age in milliseconds up to which a tool result stays whole, even where room is short, from 0. 0 spares none for
    its age. Raise it where a tool loop compares results of the last minutes, lower it where one burst of results fills
    the window."""

    prune_tool_results_after_ms: Annotated[AtLeastOne, JOURNALED] = 300_000
    """Age in milliseconds from which tool results are pruned, from 1. The default is also how long providers keep a
    cached prompt. The seed keeps what is younger than 5 min and prunes results older than 1 min, so that its 1 min
    never decides; here the age that prunes is the greater one. Lower it where results go stale fast."""

    protected_kinds: Annotated[tuple[str, ...], JOURNALED] = ("plan", "error", "human_input")
    """Kinds of messages that stay in the window when others of their age leave. The kind of a message is the label
    that the host gives it (`Message.kind`); calls that failed count as "error" without a label. Add the labels of the
    host's messages that must not be lost, such as instructions to the agent."""

    summarize_before_prune: Annotated[bool, JOURNALED] = True
    """Whether a pruned message leaves its gist and enters the summary. Off, a pointer alone is left. Switch it off
    where results must not be repeated in summaries."""
