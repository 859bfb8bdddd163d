"""Notify the components of this process that hold an agent's texts between turns when the texts are erased."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod

from brain.users import Scope

IsErased = Callable[[str], bool]  # True for a text that contains erased text
ErasureListener = Callable[[Scope, IsErased], None]  # called after the store has erased


class ErasureListeners:
    """The components that must forget a text when it is erased, each with a callback.

    They are the server's prepared turns, the sessions of coding agents' hooks, the prompts of agent frameworks, what
    was learned from turns, and components that the host adds. Caches of texts are not among them; see `brain.caches`.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[], ErasureListener | None]] = []

    def add(self, listener: ErasureListener, *, weak: bool = False) -> None:
        """Add a callback that is called after every erasure from now on.

        With `weak`, it is a method, and is called only as long as its object exists.
        """
        self._listeners.append(WeakMethod(listener, self._listeners.remove) if weak else lambda: listener)

    def notify(self, scope: Scope, is_erased: IsErased) -> None:
        """Call all listeners after an erasure of a user's data, or of an agent's shared data or all of its data.

        `is_erased` returns True for a text that contains erased text. `scope.reaches` says whose texts it may be.
        """
        for reference in list(self._listeners):
            if (listener := reference()) is not None:
                listener(scope, is_erased)


def all_texts(_: str) -> bool:
    """Return True for any text: a test of erased texts (`is_erased`) for the erasure of a whole agent or user."""
    return True
