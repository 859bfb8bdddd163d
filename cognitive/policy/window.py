"""Settings of the window: the part of the conversation that is sent to the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from cognitive.policy.annotations import BEFORE_RECORD, AtLeastOne, BeforeRecord, Count, SettingsGroup, Share
from cognitive.policy.tables import RESERVES, TOOL_OUTPUTS, ToolOutputKind, with_default_rows

# With the placement "journaled", memories in the window are not shown again, and a record contains the window of its
# own policy only, so that a replay cannot judge another window.
JOURNALED = BeforeRecord(lambda new, old: new.placement == old.placement == "journaled")


class WindowSettings(SettingsGroup):
    """Limits of the messages that are sent to the model, and rules for shortening older ones."""

    max_messages: Annotated[AtLeastOne, JOURNALED] = 40
    """Messages in the window, including the layer's own. Raise it for long tool loops on large models."""

    max_chars: Annotated[AtLeastOne, JOURNALED] = 80_000
    """Characters of all messages in the window; 80,000 are about 20,000 tokens. Raise it for models with large
    contexts."""

    max_message_chars: Annotated[int, Field(ge=1_000), JOURNALED] = 20_000
    """Characters of one message that is no tool result; the rest is cut. Raise it if users paste documents."""

    max_tool_output_chars: Annotated[
        Mapping[str, Annotated[int, Field(ge=500)]], with_default_rows(TOOL_OUTPUTS), JOURNALED
    ] = Field(default_factory=lambda: dict(TOOL_OUTPUTS))
    """Characters of one tool result by the kind of its tool; the whole is kept behind a pointer. Lower a kind whose end
    the model never reads, raise one that it requests repeatedly."""

    tool_output_kinds: Annotated[Mapping[str, ToolOutputKind], JOURNALED] = Field(default_factory=dict)
    """Output kinds of tools whose name does not show it. Add a tool whose output is cut by the wrong limit."""

    max_summary_chars: Annotated[Count, JOURNALED] = 4_000
    """Characters of the session summary. Raise it for sessions that last for days."""

    context_threshold: Annotated[float, Field(gt=0, le=1), JOURNALED] = 0.7
    """Share of the model's tokens above which older messages are summarized. Lower it if the model loses track
    earlier."""

    summarize_after_iterations: Annotated[Count, JOURNALED] = 5
    """Consecutive tool calls after which finished work is summarized; 0 disables it. Raise it if long chains need every
    result."""

    reserves: Annotated[Mapping[str, Share], with_default_rows(RESERVES), BEFORE_RECORD] = Field(
        default_factory=lambda: dict(RESERVES)
    )
    """Shares of the model's input tokens kept free for the system prompt, the response, further tool results, and
    memories, whose room they also limit. Raise a share if the model's limit is exceeded, lower it if messages leave too
    early."""

    keep_last_messages: Annotated[Count, JOURNALED] = 10
    """Newest messages that are never pruned. Raise it if steps refer far back."""

    keep_recent_ms: Annotated[Count, JOURNALED] = 30_000
    """Milliseconds for which a tool result stays whole, even if room is short. Raise it if a tool loop compares results
    of the last minutes, lower it if a burst of results fills the window."""

    prune_tool_results_after_ms: Annotated[AtLeastOne, JOURNALED] = 300_000
    """Milliseconds after which tool results are pruned; the default is how long providers cache a prompt. Lower it if
    results go stale fast."""

    protected_kinds: Annotated[tuple[str, ...], JOURNALED] = ("plan", "error", "human_input")
    """Values of `Message.kind` that stay in the window; failed calls count as "error". Add the kinds of messages that
    must not be lost."""

    summarize_before_prune: Annotated[bool, JOURNALED] = True
    """Keep the gist of a pruned message and add it to the summary. Off, only a pointer stays. Switch it off if
    summaries must not repeat results."""
