"""Notify the components of this process that hold an agent's texts between turns when they are erased."""

from __future__ import annotations

from collections.abc import Callable

IsErased = Callable[[str], bool]  # True for a text that contains erased text
ErasureListener = Callable[[str, IsErased], None]  # called with the agent's id after the store has erased


class ErasureListeners:
    """The components to notify of an erasure: the server's prepared turns, the hooks' sessions, and the host's own.

    Caches of texts are not among them; see `brain.caches`.
    """

    def __init__(self) -> None:
        self._listeners: list[ErasureListener] = []

    def add(self, listener: ErasureListener) -> None:
        """Notify a listener of every erasure from now on."""
        self._listeners.append(listener)

    def notify(self, agent_id: str, is_erased: IsErased) -> None:
        """Notify all listeners that data of an agent was erased."""
        for listener in self._listeners:
            listener(agent_id, is_erased)


def all_texts(_: str) -> bool:
    """Return True for any text, for the erasure of a whole agent."""
    return True
