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

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], TurnContext] = OrderedDict()

    def keep(self, context: TurnContext) -> None:
        """Keeps a turn without its window and tools, which no outcome needs. The first of a name stays."""
        key = context.agent_id, context.turn_id
        self._kept.setdefault(key, replace(context, messages=(), tools=(), tool_selection=None))
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def of(self, agent_id: str, turn_id: str) -> TurnContext | TurnRef:
        """The turn's context if it is still here, else its name."""
        return self._kept.get((agent_id, turn_id)) or TurnRef(agent_id, turn_id)

    def drop(self, agent_id: str, turn_id: str) -> None:
        """Lets go of a turn whose outcome is safe."""
        self._kept.pop((agent_id, turn_id), None)

    def erase(self, agent_id: str) -> None:
        """Lets go of all turns of an agent."""
        self.forget(agent_id, all_texts)

    def forget(self, agent_id: str, is_erased: IsErased) -> None:
        """Lets go of an agent's turns that said, showed or found what is erased; their names suffice for an outcome."""
        for key in [key for key, context in self._kept.items() if key[0] == agent_id and _holds(context, is_erased)]:
            del self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)


def _holds(context: TurnContext, is_erased: IsErased) -> bool:
    found = (result.candidate.hit.content for result in context.trace.candidates)
    return any(map(is_erased, (context.message, context.prefix, context.text, *found)))
