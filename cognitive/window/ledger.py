"""What of a model's tokens is spent, on what, and what is set aside; and room, made by pruning the oldest results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Prunable:
    """A tool's result that may become a stub: what it takes now, and what it would take, in tokens."""

    tokens: int
    stub: int


@dataclass(frozen=True, slots=True)
class Room:
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

    def room_for(self, tokens: int, results: Sequence[Prunable], kind: str = "results") -> Room:
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
        return Room(self.spend(kind, -freed), tuple(pruned), max(0, lacking))
