"""A turn while `pre_turn` prepares it, and the context that its parts are put together into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter, time
from uuid import uuid4

from brain.deadline import Deadline
from cognitive.context import dedup
from cognitive.context.engine import Built
from cognitive.degradation import Degradation
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.session.continuity import Continued
from cognitive.trace import ELAPSED
from cognitive.turn import Offer, Turn, TurnContext


@dataclass(frozen=True, slots=True)
class Preparation:
    """What every part of a turn is prepared from: the turn, its time, what is left of its deadline, and its policy."""

    turn: Turn
    now: datetime
    deadline: Deadline
    policy: Policy

    @classmethod
    def of(cls, turn: Turn, deadline: Deadline, policy: Policy) -> Preparation:
        """The turn gets an id and a time, where it has none. The conversation of a user's turn is read without what
        the prompt no longer shows of earlier turns.
        """
        spoken = dedup.history(turn.conversation, policy.placement) if turn.kind == "user" else turn.conversation
        named = turn.model_copy(update={"turn_id": turn.turn_id or str(uuid4()), "conversation": spoken})
        return cls(named, turn.now or datetime.now(UTC), deadline, policy)

    @property
    def planned(self) -> bool:
        """Whether the turn is a user's. Any other is answered as it came."""
        return self.turn.kind == "user"

    @property
    def room(self) -> int | None:
        """The tokens that the turn's model leaves for memory, None where the host does not name the model."""
        if self.turn.model is None:
            return None
        return int(budget_for(self.turn.model, self.policy.models).input_tokens * self.policy.reserves["memory"])

    def context(
        self, plan: Plan, built: Built, offer: Offer, talk: Continued, *, degraded: tuple[Degradation, ...],
        heard: str | None, embedding: str,
    ) -> TurnContext:  # fmt: skip
        """All parts together. `heard` is the message as it is recorded, where that differs from the message as it came;
        `embedding` names the model of the agent's vectors.
        """
        turn = self.turn
        return TurnContext(
            agent_id=turn.agent_id,
            session_id=turn.session_id,
            turn_id=turn.turn_id or "",
            now=self.now,
            message=turn.text,
            text=built.text,
            prefix=built.prefix,
            shown=built.shown,
            plan=plan,
            messages=talk.messages,
            tools=offer.tools,
            degraded=degraded,
            trace=replace(built.trace, trim=offer.trim, window=talk.trace),
            user_id=turn.user_id,
            model=built.model or embedding,
            query=built.vector,
            policy=self.policy,
            placement=self.policy.placement,
            reader=turn.model,
            plan_step=turn.plan_step,
            runtime=turn.runtime,
            offer=offer,
            heard=heard,
            prepared=time(),
        )


def timed(context: TurnContext, began: float) -> TurnContext:
    """The context with the milliseconds that preparing it took, from `began` by the performance counter, and as of when
    it came in; recording the turn is not among them.
    """
    elapsed = perf_counter() - began
    timings = {**context.trace.timings, ELAPSED: elapsed * 1000}
    return replace(context, prepared=time() - elapsed, trace=replace(context.trace, timings=timings))
