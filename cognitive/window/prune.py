"""Which results of tools are pruned, and what is left of them: a first line and a pointer, never nothing.

A result that is simply gone makes models invent what it said. The rules are applied as of the last full period of twice
`prune_tool_results_after_ms`, and to the last messages by half of `keep_last_messages`: a prompt changes in its middle
now and then, not with every turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window.groups import Group
from cognitive.window.output import cutting, normalise
from cognitive.window.output.limits import LIMITS, OutputLimit, OutputLimits
from cognitive.window.output.normalise import Output
from cognitive.window.remembered import normalised

_FIRST_LINE = 200  # characters of a result's first line that say what it was


@dataclass(frozen=True, slots=True)
class Cut:
    """Results before this place of the conversation and before this time are pruned by their age."""

    before: int
    until: float


def cut(messages: int, now: datetime, policy: Policy) -> Cut:
    """The cut of a conversation of so many messages."""
    step = max(1, policy.keep_last_messages // 2)
    period = 2 * policy.prune_tool_results_after_ms / 1000
    asof = now.timestamp() // period * period
    return Cut(
        (messages - policy.keep_last_messages) // step * step,
        asof - max(policy.prune_tool_results_after_ms, policy.keep_recent_ms) / 1000,
    )


def protected(group: Group, policy: Policy) -> bool:
    """Whether a group is of a kind that is always kept. A call that failed is an error, whatever its messages' kind."""
    kinds = {message.kind for message in group.messages}
    if not all(call.ok for call in group.calls):
        kinds.add("error")
    return not kinds.isdisjoint(policy.always_keep)


def stale(group: Group, at: float | None, cut: Cut, policy: Policy) -> bool:
    """Whether the results of a group are pruned by their age. Where neither the group nor anything later has a time,
    the age is not known: it is pruned only when room is needed.
    """
    old = group.first < cut.before and at is not None and at < cut.until
    return old and bool(group.calls) and not protected(group, policy)


def stub(message: Message, *, tool: str, session_id: str, policy: Policy) -> tuple[Message, Output | None]:
    """What is left of a result, and what to store for it. A result that is no longer than its stub stays."""
    if len(message.content) <= policy.pruned_characters:
        return message, None
    known = normalise.pointers(message.content)
    limits = exactly(policy.pruned_characters)
    whole = normalised(message.content, tool=tool, session_id=session_id, limits=limits)
    pointer = known[0] if known else whole.pointer
    if pointer is None:
        return message, None
    first = _first_line(message.content) if policy.summarize_before_prune else ""
    before = len(message.content)
    text = "\n".join([*filter(None, [first]), normalise.marker(before - len(first), before, pointer)])
    return message.model_copy(update={"content": text}), None if known else whole


@lru_cache(maxsize=256)
def exactly(characters: int) -> OutputLimits:
    """A limit of so many characters, for any text: it is cut and never cleaned."""
    return OutputLimits(rows={kind: OutputLimit(kind, characters, characters, exact=True) for kind in LIMITS})


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text[: 4 * _FIRST_LINE].splitlines() if line.strip()), "")
    return "" if normalise.pointers(line) else cutting.head(line, _FIRST_LINE)
