"""Prepared turns that wait for their outcome in this process: bounded, the oldest go first, nothing depends on them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from cognitive.privacy.erasure_listeners import IsErased, all_texts
from cognitive.turn import TurnContext, TurnRef


class ContextCache:
    """What `post_turn` needs of a turn, for as long as there is room.

    A turn that Postgres could not record when it was prepared is recorded with its outcome, which takes its context.
    Without one, as in another process, the turn's name suffices if it was recorded or is in the journal.
    """

    def __init__(self, max_contexts: int) -> None:
        self._max_contexts = max_contexts
        self._contexts: OrderedDict[tuple[str, str], TurnContext] = OrderedDict()

    def put(self, context: TurnContext) -> None:
        """Keeps a turn without its window and tools, which no outcome needs. The first of a name stays."""
        key = context.agent_id, context.turn_id
        self._contexts.setdefault(key, replace(context, messages=(), tools=(), tool_selection=None))
        while len(self._contexts) > self._max_contexts:
            self._contexts.popitem(last=False)

    def get(self, agent_id: str, turn_id: str) -> TurnContext | TurnRef:
        """The turn's context if it is still here, else its name."""
        return self._contexts.get((agent_id, turn_id)) or TurnRef(agent_id, turn_id)

    def remove(self, agent_id: str, turn_id: str) -> None:
        """Lets go of a turn whose outcome is safe."""
        self._contexts.pop((agent_id, turn_id), None)

    def erase(self, agent_id: str) -> None:
        """Lets go of all turns of an agent."""
        self.forget(agent_id, all_texts)

    def forget(self, agent_id: str, is_erased: IsErased) -> None:
        """Lets go of an agent's turns that said, showed or found what is erased; their names suffice for an outcome."""
        for key in [
            key for key, context in self._contexts.items() if key[0] == agent_id and _holds(context, is_erased)
        ]:
            del self._contexts[key]

    def __len__(self) -> int:
        return len(self._contexts)


def _holds(context: TurnContext, is_erased: IsErased) -> bool:
    found = (result.candidate.hit.content for result in context.trace.candidates)
    return any(map(is_erased, (context.message, context.prefix, context.text, *found)))
