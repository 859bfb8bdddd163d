"""A cache of prepared turns that wait for their outcome. Its size is limited, since turns also work without it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from brain.turn_records import reused_turn_id
from brain.users import Scope
from cognitive.privacy.erasure_listeners import IsErased, all_texts
from cognitive.turn import TurnContext, TurnRef


class ContextCache:
    """Caches the latest turns that `pre_turn` prepared, until `post_turn` records their outcomes.

    If Postgres was away when a turn was prepared, `post_turn` stores the turn together with its outcome, and needs the
    cached context for that. For all other turns, the ids suffice.
    """

    def __init__(self, max_contexts: int) -> None:
        self._max_contexts = max_contexts
        self._contexts: OrderedDict[tuple[Scope, str], TurnContext] = OrderedDict()

    def put(self, context: TurnContext) -> None:
        """Add a turn's context without the conversation and tools, which `post_turn` does not need.

        A context that is already cached is not replaced.

        Raises:
            InvalidInput: the cached turn of this id has another text.
        """
        key = context.scope, context.turn_id
        first = self._contexts.setdefault(key, replace(context, messages=(), tools=(), tool_selection=None))
        if first.message != context.message:
            raise reused_turn_id(context.turn_id)
        while len(self._contexts) > self._max_contexts:
            self._contexts.popitem(last=False)

    def get(self, turn: TurnRef) -> TurnContext | TurnRef:
        """Return the context of a turn if it is cached, or else only its ids."""
        return self._contexts.get((turn.scope, turn.turn_id)) or turn

    def remove(self, turn: TurnRef) -> None:
        """Remove a turn from the cache once its outcome is stored."""
        self._contexts.pop((turn.scope, turn.turn_id), None)

    def erase(self, agent_id: str) -> None:
        """Remove all turns of an agent from the cache."""
        self.forget(Scope.all_users(agent_id), all_texts)

    def forget(self, scope: Scope, is_erased: IsErased) -> None:
        """Remove the turns that an erasure reaches if their message, memories or candidates contain erased text."""
        for key in [
            key for key, context in self._contexts.items() if scope.reaches(key[0]) and _holds(context, is_erased)
        ]:
            del self._contexts[key]

    def __len__(self) -> int:
        return len(self._contexts)


def _holds(context: TurnContext, is_erased: IsErased) -> bool:
    candidates = (result.candidate.hit.content for result in context.trace.candidates)
    return any(map(is_erased, (context.message, context.prefix, context.user_prefix, context.text, *candidates)))
