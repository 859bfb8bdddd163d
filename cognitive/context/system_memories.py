"""Select the memories that stand in the system message of each turn: the shared ones, and those of the turn's user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.text import normalise
from brain.types import Memory
from cognitive.context import render, trust
from cognitive.policy import Policy
from cognitive.tokens import TokenCounter

MAX_WISHES = 5  # preferences and standing instructions of the user
MAX_WISH_TOKENS = 150  # of all of them together


@dataclass(frozen=True, slots=True)
class SystemMemories:
    """The memories of the two blocks in the system message; each part is oldest first.

    `shared` are pinned for everyone who talks to the agent, `pinned` for the turn's user. `wishes` are the latest
    preferences and standing instructions of the user.
    """

    shared: tuple[Memory, ...]
    pinned: tuple[Memory, ...]
    wishes: tuple[Memory, ...]

    @property
    def of_user(self) -> tuple[Memory, ...]:
        """The memories of the user's block, in its order."""
        return (*self.pinned, *self.wishes)


def select(memories: Sequence[Memory], policy: Policy, counter: TokenCounter) -> SystemMemories:
    """Return those of a turn's pinned memories and wishes that the system message shows.

    The shared ones are chosen without regard to the user's, so that they are the same for all users.
    """
    pinned = [memory for memory in memories if memory.pinned or not _is_wish(memory)]
    of_user = [memory for memory in pinned if memory.user_id is not None and trust.is_trusted(memory, policy)]
    return SystemMemories(
        trust.trusted_pinned([memory for memory in pinned if memory.user_id is None], policy),
        trust.trusted_pinned(_newest_of_each_text(of_user), policy),
        _wishes([memory for memory in memories if not memory.pinned and _is_wish(memory)], policy, counter),
    )


def _newest_of_each_text(memories: Sequence[Memory]) -> list[Memory]:
    """Return memories without those whose text a later one repeats, as a name given in each session."""
    texts = [normalise(memory.content).rstrip(".!") for memory in memories]
    return [memory for n, memory in enumerate(memories) if texts[n] not in texts[n + 1 :]]


def _is_wish(memory: Memory) -> bool:
    return memory.user_id is not None and memory.attributes.get("kind") in ("preference", "instruction")


def _wishes(memories: Sequence[Memory], policy: Policy, counter: TokenCounter) -> tuple[Memory, ...]:
    """Return the newest wishes that fit, without repetitions."""
    kept: list[Memory] = []
    seen: set[str] = set()
    left = MAX_WISH_TOKENS
    newest = sorted(enumerate(memories), key=lambda each: (each[1].occurred_at, each[0]), reverse=True)
    for _, memory in newest:
        text = normalise(memory.content)
        if len(kept) == MAX_WISHES or text in seen or not trust.is_trusted(memory, policy):
            continue
        seen.add(text)
        tokens = counter(f"{render.line(memory, policy)}\n")
        if tokens <= left:
            kept.append(memory)
            left -= tokens
    return tuple(memory for memory in memories if memory in kept)
