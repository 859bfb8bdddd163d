"""Run a second policy, the shadow, after each turn, and measure how much its results agree with those of the turn.

The memories that the shadow would have shown are recorded. They have no effect on the turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from brain.passage_texts import Key
from brain.turn_records import Shadow, ShadowedTurn
from brain.turns import TurnLog
from brain.users import Scope
from cognitive.background import Background
from cognitive.context.engine import MemoryContext
from cognitive.lab.replay import again
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.recording.record import TurnInputs
from cognitive.tokens import TokenCounter
from cognitive.trace import WindowSimilarity, window_similarities

_MAX_WAITING = 64  # queued turns; if the shadow cannot keep up, it skips turns instead of using more memory


class Shadowing:
    """Selects the memories of every turn a second time under the agent's shadow policy, in the background.

    `policies` is a function that returns the shadow policy of an agent and the version that its results are recorded
    under, or None if the agent has none.
    """

    def __init__(
        self,
        turns: TurnLog,
        policies: Callable[[str], tuple[str, Policy] | None],
        background: Background,
        counter: TokenCounter,
        constants: Constants,
    ) -> None:
        self._turns = turns
        self._policies = policies
        self._counter = counter
        self._constants = constants
        self._queue = background.queue(_MAX_WAITING)

    def follow(self, scope: Scope, turn_id: str, memory_context: MemoryContext) -> None:
        """Start to select a turn's memories under the agent's shadow policy in the background.

        Do nothing if it has none.
        """
        found = self._policies(scope.agent_id)
        if found is None or memory_context.inputs is None:
            return
        shadow = self._shadow(
            scope, turn_id, memory_context.inputs, window_similarities(memory_context.trace.candidates), *found
        )
        self._queue.start(shadow, *scope.key, "shadow of turn", turn_id)

    async def _shadow(
        self,
        scope: Scope,
        turn_id: str,
        inputs: TurnInputs,
        similarity: Mapping[Key, WindowSimilarity],
        version: str,
        policy: Policy,
    ) -> None:
        assembled = await asyncio.to_thread(again, inputs, similarity, policy, self._counter, self._constants)
        shown = tuple(candidate.hit.memory_id for candidate in assembled.shown)
        tokens = sum(candidate.tokens for candidate in assembled.shown)
        await self._turns.shadow(scope, Shadow(turn_id, version, shown, tokens, inputs.now))


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement between a shadow policy and the live policy, over the turns in which both ran.

    Attributes:
        policy: version of the shadow policy.
        turns: number of turns.
        same: turns in which both policies showed the same memories.
        overlap: mean Jaccard overlap |both| / |either| of the shown sets; 1 if both are empty.
        shown: memories shown by the live policy, in all turns.
        shadow_shown: memories that the shadow policy would have shown.
        used: shown memories that the responses used.
        used_kept: used memories that the shadow policy would also have shown.
        tokens: tokens of the memories that the shadow policy would have shown.
    """

    policy: str
    turns: int
    same: int
    overlap: float
    shown: int
    shadow_shown: int
    used: int
    used_kept: int
    tokens: int


def agreements(turns: Sequence[ShadowedTurn]) -> list[Agreement]:
    """Compute the agreement of each shadow policy with the live policy; `turns` must be sorted by shadow policy."""
    return [_agreement(policy, list(own)) for policy, own in groupby(turns, key=lambda turn: turn.policy)]


def _agreement(policy: str, turns: Sequence[ShadowedTurn]) -> Agreement:
    pairs = [(set(turn.shown), set(turn.shadow), set(turn.used)) for turn in turns]
    overlaps = [len(live & shadow) / len(live | shadow) if live | shadow else 1.0 for live, shadow, _ in pairs]
    return Agreement(
        policy=policy,
        turns=len(turns),
        same=sum(live == shadow for live, shadow, _ in pairs),
        overlap=sum(overlaps) / len(overlaps),
        shown=sum(len(live) for live, _, _ in pairs),
        shadow_shown=sum(len(shadow) for _, shadow, _ in pairs),
        used=sum(len(used) for _, _, used in pairs),
        used_kept=sum(len(used & shadow) for _, shadow, used in pairs),
        tokens=sum(turn.tokens for turn in turns),
    )
