"""A cache of prepared turns that wait for their outcome. It is bounded, and turns work without it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from cognitive.privacy.erasure_listeners import IsErased, all_texts
from cognitive.turn import TurnContext, TurnRef


class ContextCache:
    """The newest prepared turns of this process, for `post_turn`.

    If Postgres could not record a turn when it was prepared, the turn is recorded with its outcome, from the cached
    context. Without a context, as in another process, the ids suffice for a turn that was recorded or is in the
    journal.
    """

    def __init__(self, max_contexts: int) -> None:
        self._max_contexts = max_contexts
        self._contexts: OrderedDict[tuple[str, str], TurnContext] = OrderedDict()

    def put(self, context: TurnContext) -> None:
        """Cache a turn without its window and tools, which `post_turn` does not need.

        An existing context is not replaced.
        """
        key = context.agent_id, context.turn_id
        self._contexts.setdefault(key, replace(context, messages=(), tools=(), tool_selection=None))
        while len(self._contexts) > self._max_contexts:
            self._contexts.popitem(last=False)

    def get(self, agent_id: str, turn_id: str) -> TurnContext | TurnRef:
        """Return the turn's context if it is cached, else its ids."""
        return self._contexts.get((agent_id, turn_id)) or TurnRef(agent_id, turn_id)

    def remove(self, agent_id: str, turn_id: str) -> None:
        """Remove a turn whose outcome is stored."""
        self._contexts.pop((agent_id, turn_id), None)

    def erase(self, agent_id: str) -> None:
        """Remove all turns of an agent."""
        self.forget(agent_id, all_texts)

    def forget(self, agent_id: str, is_erased: IsErased) -> None:
        """Remove an agent's turns that contain erased text in their message, memory blocks or candidates."""
        for key in [
            key for key, context in self._contexts.items() if key[0] == agent_id and _holds(context, is_erased)
        ]:
            del self._contexts[key]

    def __len__(self) -> int:
        return len(self._contexts)


def _holds(context: TurnContext, is_erased: IsErased) -> bool:
    candidates = (result.candidate.hit.content for result in context.trace.candidates)
    return any(map(is_erased, (context.message, context.prefix, context.text, *candidates)))
