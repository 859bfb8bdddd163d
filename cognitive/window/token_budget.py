"""Reserve room: for what stands around the conversation and for the answer, and say what that leaves of the bounds.

The ledger says what of a model's tokens is spent, on what, and what is set aside; and makes room by pruning the oldest
results.
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
from cognitive.window.sliding_window import WindowSize

NO_BOUND = 1_000_000_000  # tokens, for a model of which nothing is known

MIN_SHARE = 4  # a bound divided by this is the least that the talk has, and the most that a summary may take
_PER_TOKEN = 3  # characters of a summary, about


# --- tokens ---


@dataclass(frozen=True, slots=True)
class Prunable:
    """A tool's result that may become a stub: what it takes now, and what it would take, in tokens."""

    tokens: int
    stub: int


@dataclass(frozen=True, slots=True)
class RoomResult:
    """What making room came to: the ledger after it, the results that must become stubs, and what is lacking still."""

    ledger: TokenLedger
    pruned: tuple[int, ...]
    short: int

    @property
    def fits(self) -> bool:
        """Whether there is room now."""
        return self.short == 0


@dataclass(frozen=True, slots=True)
class TokenLedger:
    """Tokens: `max` the model reads, `used` per kind (system, summary, messages, results), `reserves` set aside per
    kind (system, response, tools, memory). Nothing is ever negative.
    """

    max: int
    used: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    reserves: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, max: int, shares: Mapping[str, float]) -> TokenLedger:
        """An empty ledger that sets aside these shares of `max`."""
        return cls(max, reserves=MappingProxyType({kind: int(max * share) for kind, share in shares.items()}))

    @property
    def spent(self) -> int:
        """Tokens in use, of all kinds."""
        return sum(self.used.values())

    @property
    def available(self) -> int:
        """Tokens that are neither used nor set aside; the seed's own formula could fall below 0."""
        return max(0, self.max - self.spent - sum(self.reserves.values()))

    @property
    def share(self) -> float:
        """The share of `max` in use."""
        return self.spent / self.max if self.max else 1.0

    def fits(self, tokens: int) -> bool:
        """Whether so many tokens can be added; to a ledger that is overdrawn, not even none."""
        return self.spent + sum(self.reserves.values()) + tokens <= self.max

    def spend(self, kind: str, tokens: int) -> TokenLedger:
        """The ledger with so many tokens more of a kind, or fewer if negative, but never below 0."""
        used = {**self.used, kind: max(0, self.used.get(kind, 0) + tokens)}
        return replace(self, used=MappingProxyType(used))

    def room_for(self, tokens: int, results: Sequence[Prunable], kind: str = "results") -> RoomResult:
        """Room for so many tokens: the oldest of `results`, in order, become stubs until there is; `short` says what
        is lacking when all of them are not enough.
        """
        overdrawn = max(0, self.spent + sum(self.reserves.values()) - self.max)
        lacking = overdrawn + tokens - self.available
        pruned = []
        for n, result in enumerate(results):
            if lacking <= 0:
                break
            if result.stub < result.tokens:
                pruned.append(n)
                lacking -= result.tokens - result.stub
        freed = sum(results[n].tokens - results[n].stub for n in pruned)
        return RoomResult(self.spend(kind, -freed), tuple(pruned), max(0, lacking))


# --- what stands around the conversation ---


@dataclass(frozen=True, slots=True)
class ReservedContent:
    """The host's leading system messages, which stand before place `first`, and what closes the prompt: the directive
    and the reminder to go on. `handed` is the summary that the host hands back of an earlier prompt; `refused` is why
    there is no directive though there is a step.
    """

    leading: RenderedMessages
    closing: RenderedMessages
    first: int
    handed: str | None
    refused: str | None = None


def find_reserved(
    conversation: Sequence[Message], plan_step: str | None, place: tuple[int, int], renderer: Renderer
) -> ReservedContent:
    """The surroundings of a talk; `place` says which step of how many `plan_step` is."""
    first, handed = _leading(conversation)
    leading = [each for each in conversation[:first] if each.content.strip()]
    closing, refused = [], None
    if plan_step and plan_step.strip():
        try:
            [step] = engine_messages.validated([plan_step])
            closing.append(engine_messages.directive(step, *place))
        except InvalidInput as error:
            refused = str(error)
    if conversation and engine_messages.is_action(conversation[-1]):
        closing.append(engine_messages.action())
    return ReservedContent(renderer.all_of(leading), renderer.all_of(closing), first, handed, refused)


def _leading(conversation: Sequence[Message]) -> tuple[int, str | None]:
    """Where the host's leading system messages end, and the summary that stands there. A message behind one of the
    engine's own belongs to the talk.
    """
    for n, message in enumerate(conversation):
        if engine_messages.is_summary(message):
            return n, message.content.removeprefix(engine_messages.HEADING).lstrip("\n")
        if message.role != "system" or engine_messages.authored(message):
            return n, None
    return len(conversation), None


def open_ledger(tokens: int | None, reserved: ReservedContent, policy: Policy) -> TokenLedger | None:
    """The ledger of a model of so many tokens before anything of the talk is in: the host's leading system messages use
    what is set aside for the system. None for a model of which nothing is known.
    """
    if tokens is None:
        return None
    leading = reserved.leading.size.tokens
    reserves = {kind: int(tokens * share) for kind, share in policy.window.reserves.items()}
    reserves["system"] = max(0, reserves["system"] - leading)
    return TokenLedger(tokens, {"system": leading}, reserves)


def limit(ledger: TokenLedger | None, policy: Policy) -> WindowSize:
    """The bounds of all that the window shows: the policy's, and what the model's tokens leave up to the threshold."""
    tokens = NO_BOUND
    if ledger is not None:
        threshold = int(ledger.max * policy.window.context_threshold) - ledger.reserves["system"]
        tokens = max(0, min(ledger.available + ledger.spent, threshold))
    return WindowSize(policy.window.max_messages, policy.window.max_chars, tokens)


def summary_characters(limit: WindowSize, policy: Policy) -> int:
    """How many characters a summary may have: at most the policy's, and no more than a part of the bounds."""
    return min(policy.window.max_summary_chars, limit.characters // MIN_SHARE, limit.tokens * _PER_TOKEN // MIN_SHARE)


def room_for_summary(limit: WindowSize, policy: Policy) -> WindowSize:
    """What a summary takes at most; its tokens are an estimate."""
    characters = summary_characters(limit, policy) + len(engine_messages.HEADING) + 1
    return WindowSize(1, characters, characters // _PER_TOKEN)
