"""Reserve room in the prompt for the messages around the conversation, and count the tokens in use.

A ledger records the tokens of a model's input that are used and reserved. It makes room by cutting the oldest tool
results to stubs, their first lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from cognitive.errors import InvalidInput
from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import engine_messages
from cognitive.window.rendering import RenderedMessages, Renderer
from cognitive.window.sliding_window import CHARS_PER_TOKEN, WindowSize

NO_BOUND = 1_000_000_000  # tokens, for a model whose limits are unknown

MIN_SHARE = 4  # each limit divided by this is the conversation's minimum, and the maximum of a summary


# --- tokens ---


@dataclass(frozen=True, slots=True)
class Prunable:
    """A tool result that may be cut to a stub, its first line, to save room.

    `tokens` is the size of the result, and `stub` the size of its stub, both in tokens.
    """

    tokens: int
    stub: int


@dataclass(frozen=True, slots=True)
class RoomResult:
    """The result of making room: the new ledger, the indexes of the results to cut, and the tokens still missing."""

    ledger: TokenLedger
    pruned: tuple[int, ...]
    short: int

    @property
    def fits(self) -> bool:
        """True if enough room could be made."""
        return self.short == 0


@dataclass(frozen=True, slots=True)
class TokenLedger:
    """The tokens of a model's input: the limit `max`, and the tokens used and reserved for each kind of content.

    The kinds that use tokens are system, summary, directive, messages and results. The kinds that tokens are reserved
    for are system, response, tools and memory. No number is negative.
    """

    max: int
    used: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    reserves: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, max: int, shares: Mapping[str, float]) -> TokenLedger:
        """Return a ledger without used tokens.

        `shares` maps each kind of content to the share of `max` that is reserved for it.
        """
        return cls(max, reserves=MappingProxyType({kind: int(max * share) for kind, share in shares.items()}))

    @property
    def spent(self) -> int:
        """The number of tokens in use, for all kinds of content together."""
        return sum(self.used.values())

    @property
    def available(self) -> int:
        """The number of tokens that are neither used nor reserved, at least 0."""
        return max(0, self.max - self.spent - sum(self.reserves.values()))

    @property
    def share(self) -> float:
        """The share of the model's limit `max` that is in use."""
        return self.spent / self.max if self.max else 1.0

    def fits(self, tokens: int) -> bool:
        """Return True if this number of tokens can be added. If the ledger is over its limit, not even 0 tokens fit."""
        return self.spent + sum(self.reserves.values()) + tokens <= self.max

    def spend(self, kind: str, tokens: int) -> TokenLedger:
        """Return the ledger with this number of tokens added to those in use for a kind of content.

        A negative number frees tokens, but not more than the kind uses.
        """
        used = {**self.used, kind: max(0, self.used.get(kind, 0) + tokens)}
        return replace(self, used=MappingProxyType(used))

    def room_for(self, tokens: int, results: Sequence[Prunable]) -> RoomResult:
        """Make room for this number of tokens by cutting tool `results` to stubs, their first lines, oldest first.

        If cutting all results does not suffice, `short` in the returned value is the number of tokens still missing.
        """
        overdrawn = max(0, self.spent + sum(self.reserves.values()) - self.max)
        missing = overdrawn + tokens - self.available
        pruned = []
        for n, result in enumerate(results):
            if missing <= 0:
                break
            if result.stub < result.tokens:
                pruned.append(n)
                missing -= result.tokens - result.stub
        freed = sum(results[n].tokens - results[n].stub for n in pruned)
        return RoomResult(self.spend("results", -freed), tuple(pruned), max(0, missing))


# --- messages around the conversation ---


@dataclass(frozen=True, slots=True)
class ReservedContent:
    """The messages of a prompt around the conversation, for which room is reserved.

    Attributes:
        leading: the host's system messages at the beginning.
        closing: the message with the plan's current step, and the message that reminds the model to go on.
        first: the index of the first message of the conversation after the leading ones.
        host_summary: the summary of an earlier prompt that the host passes back, if any.
        directive_error: the reason why the plan's current step was refused, or None.
    """

    leading: RenderedMessages
    closing: RenderedMessages
    first: int
    host_summary: str | None
    directive_error: str | None = None


def find_reserved(
    conversation: Sequence[Message], plan_step: str | None, place: tuple[int, int], renderer: Renderer
) -> ReservedContent:
    """Return the messages of the prompt around a conversation.

    `plan_step` is the text of the current step of the session's plan. `place` has the number of this step and the
    number of all steps.
    """
    first, summary = _leading(conversation)
    leading = [each for each in conversation[:first] if each.content.strip()]
    closing, refusal = [], None
    if plan_step and plan_step.strip():
        try:
            [step] = engine_messages.validated([plan_step])
            closing.append(engine_messages.directive(step, *place))
        except InvalidInput as error:
            refusal = str(error)
    if conversation and engine_messages.is_action(conversation[-1]):
        closing.append(engine_messages.action_prompt())
    return ReservedContent(renderer.all_of(leading), renderer.all_of(closing), first, summary, refusal)


def _leading(conversation: Sequence[Message]) -> tuple[int, str | None]:
    """Return the index after the host's leading system messages, and the text of the summary that follows them.

    The text is None if no summary follows. System messages that come after a message of the layer itself belong to the
    conversation.
    """
    for n, message in enumerate(conversation):
        if engine_messages.is_summary(message):
            return n, message.content.removeprefix(engine_messages.HEADING).lstrip("\n")
        if message.role != "system" or engine_messages.authored(message):
            return n, None
    return len(conversation), None


def open_ledger(tokens: int | None, reserved: ReservedContent, policy: Policy) -> TokenLedger | None:
    """Return the ledger of a model with this limit of input tokens, before the conversation is added.

    Return None if the limit is unknown. The host's leading system messages count as used, and the tokens reserved for
    the kind "system" shrink by the same number.
    """
    if tokens is None:
        return None
    leading = reserved.leading.size.tokens
    reserves = {kind: int(tokens * share) for kind, share in policy.window.reserves.items()}
    reserves["system"] = max(0, reserves["system"] - leading)
    return TokenLedger(tokens, {"system": leading}, reserves)


def limit(ledger: TokenLedger | None, policy: Policy) -> WindowSize:
    """Return the maximum size of the whole window.

    The maximum messages and characters are the policy's. The maximum tokens are those that the ledger (the model's
    token account) has not reserved. They are also limited to the policy's `context_threshold`, a share of the model's
    limit, minus the tokens reserved for the system.
    """
    tokens = NO_BOUND
    if ledger is not None:
        threshold = int(ledger.max * policy.window.context_threshold) - ledger.reserves["system"]
        tokens = max(0, min(ledger.available + ledger.spent, threshold))
    return WindowSize(policy.window.max_messages, policy.window.max_chars, tokens)


def summary_characters(limit: WindowSize, policy: Policy) -> int:
    """Return the maximum characters of a summary: the policy's, or a quarter of the window's limits if that is less."""
    return min(
        policy.window.max_summary_chars, limit.characters // MIN_SHARE, limit.tokens * CHARS_PER_TOKEN // MIN_SHARE
    )


def room_for_summary(limit: WindowSize, policy: Policy) -> WindowSize:
    """Return the maximum size of the message with the summary; its tokens are an estimate."""
    characters = summary_characters(limit, policy) + len(engine_messages.HEADING) + 1
    return WindowSize(1, characters, characters // CHARS_PER_TOKEN)
