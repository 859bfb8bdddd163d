"""What the matched categories need together: the union of their tools, the largest caps, the hardest thinking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cognitive.plan import THINKING, Caps, Thinking
from cognitive.policy import Policy
from cognitive.preflight.categories import table
from cognitive.preflight.rules.categories import FALLBACK_THINKING, FULL


@dataclass(frozen=True, slots=True)
class Needs:
    """What a message needs by its categories.

    `tools` are names in the order of the categories; with `whole` every tool stays. `thinking` is None where no rule
    fired. `skip` is True if every category that matched asks for no memory.
    """

    tools: tuple[str, ...]
    whole: bool
    caps: Caps
    thinking: Thinking | None
    model: str | None
    skip: bool


def together(categories: Sequence[str], policy: Policy) -> Needs:
    """The needs of a message of these categories; without any, those of a message that no rule understood.

    A category that the policy does not have (one of a recorded turn, replayed) needs nothing of its own.
    """
    known = table(policy)
    matched = [need for need in known.needs if need.name in categories]
    if not matched:
        return Needs((), policy.fallback_to_full, FULL, None, None, skip=False)
    return Needs(
        tools=tuple(dict.fromkeys(tool for need in matched for tool in need.tools)),
        whole=any(need.whole for need in matched),
        caps=Caps(max(need.caps.facts for need in matched), max(need.caps.tokens for need in matched)),
        thinking=max((need.thinking for need in matched), key=THINKING.index),
        model=next((known.models[need.name] for need in matched if need.name in known.models), None),
        skip=all(need.caps.facts == 0 for need in matched),
    )


def thinking(needs: Needs, session: str | None, policy: Policy) -> str | None:
    """How hard to think. Where no rule fired, the session's own level stands, and only without one the fallback's."""
    if not policy.thinking_tuning:
        return session
    return needs.thinking or session or FALLBACK_THINKING
