"""Who in this process holds texts of agents between turns, and lets go of them when they are erased."""

from __future__ import annotations

from collections.abc import Callable

IsErased = Callable[[str], bool]  # of a text, whether it holds anything of what is erased
ErasureListener = Callable[[str, IsErased], None]  # called with the agent, once what it had is gone from the store


class ErasureListeners:
    """The holders: the server's prepared turns, the hooks' sessions, a host's own. Caches are `brain.caches`."""

    def __init__(self) -> None:
        self._listeners: list[ErasureListener] = []

    def add(self, listener: ErasureListener) -> None:
        """Has a holder told of every erasure from now on."""
        self._listeners.append(listener)

    def notify(self, agent_id: str, is_erased: IsErased) -> None:
        """Tells every holder that something of an agent was erased."""
        for listener in self._listeners:
            listener(agent_id, is_erased)


def all_texts(_: str) -> bool:
    """Of an agent that is erased, whatever there is."""
    return True
