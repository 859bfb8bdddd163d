"""What stands around the talk, and what that leaves of the bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cognitive.errors import InvalidInput
from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import before, directive, groups, summary
from cognitive.window.display import Display, Shown
from cognitive.window.ledger import TokenLedger
from cognitive.window.strides import Rules, Size

NO_BOUND = 1_000_000_000  # tokens, for a model of which nothing is known

_LEAST_SHARE = 4  # a bound divided by this is the least that the talk has, and the most that a summary may take
_PER_TOKEN = 3  # characters of a summary, about


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The host's leading system messages, which stand before place `first`, and what closes the prompt: the directive
    and the reminder to go on. `handed` is the summary that the host hands back of an earlier prompt; `refused` is why
    there is no directive though there is a step.
    """

    leading: Shown
    closing: Shown
    first: int
    handed: str | None
    refused: str | None = None


def find(conversation: Sequence[Message], plan_step: str | None, place: tuple[int, int], show: Display) -> Surroundings:
    """The surroundings of a talk; `place` says which step of how many `plan_step` is."""
    first, handed = _leading(conversation)
    leading = [each for each in conversation[:first] if each.content.strip()]
    closing, refused = [], None
    if plan_step and plan_step.strip():
        try:
            [step] = directive.validated([plan_step])
            closing.append(directive.message(step, *place))
        except InvalidInput as error:
            refused = str(error)
    if conversation and directive.is_action(conversation[-1]):
        closing.append(directive.action())
    return Surroundings(show.all_of(leading), show.all_of(closing), first, handed, refused)


def _leading(conversation: Sequence[Message]) -> tuple[int, str | None]:
    """Where the host's leading system messages end, and the summary that stands there. A message behind one of the
    engine's own belongs to the talk.
    """
    for n, message in enumerate(conversation):
        if summary.is_summary(message):
            return n, message.content.removeprefix(summary.HEADING).lstrip("\n")
        if message.role != "system" or groups.authored(message):
            return n, None
    return len(conversation), None


def ledger(tokens: int | None, around: Surroundings, policy: Policy) -> TokenLedger | None:
    """The ledger of a model of so many tokens before anything of the talk is in: the host's leading system messages use
    what is set aside for the system. None for a model of which nothing is known.
    """
    if tokens is None:
        return None
    leading = around.leading.size.tokens
    reserves = {kind: int(tokens * share) for kind, share in policy.reserves.items()}
    reserves["system"] = max(0, reserves["system"] - leading)
    return TokenLedger(tokens, {"system": leading}, reserves)


def limit(ledger: TokenLedger | None, policy: Policy) -> Size:
    """The bounds of all that the window shows: the policy's, and what the model's tokens leave up to the threshold."""
    tokens = NO_BOUND
    if ledger is not None:
        threshold = int(ledger.max * policy.context_threshold) - ledger.reserves["system"]
        tokens = max(0, min(ledger.available + ledger.spent, threshold))
    return Size(policy.window_messages, policy.window_characters, tokens)


def rules(limit: Size, around: Surroundings, conversation: Sequence[Message], policy: Policy) -> Rules:
    """The bounds of the talk alone: room is kept for what stands around it, also for what may only come tomorrow, so
    that the window does not move for it.
    """
    side = limit.times(1 / before.SIDE_SHARE)
    aside = around.leading.size + around.closing.size + room_for_summary(limit, policy)
    aside += Size(1, side.characters, side.tokens)
    if before.any_kept(conversation, around.first, policy):
        aside += limit.times(1 / before.KEPT_SHARE)
    left, least = limit - aside, limit.times(1 / _LEAST_SHARE)
    return Rules(
        Size(
            max(1, least.messages, left.messages),
            max(least.characters, left.characters),
            max(least.tokens, left.tokens),
        ),
        low=policy.window_low_water,
        keep_last=policy.keep_last_messages,
        keep_recent=policy.keep_recent_ms / 1000,
        every=policy.summarize_after_iterations,
    )


def summary_characters(limit: Size, policy: Policy) -> int:
    """How many characters a summary may have: at most the policy's, and no more than a part of the bounds."""
    return min(policy.summary_characters, limit.characters // _LEAST_SHARE, limit.tokens * _PER_TOKEN // _LEAST_SHARE)


def room_for_summary(limit: Size, policy: Policy) -> Size:
    """What a summary takes at most; its tokens are an estimate."""
    characters = summary_characters(limit, policy) + len(summary.HEADING) + 1
    return Size(1, characters, characters // _PER_TOKEN)
