"""Who in this process holds texts of agents between turns, and lets go of them when they are erased."""

from __future__ import annotations

from collections.abc import Callable

Held = Callable[[str], bool]  # of a text, whether it holds anything of what is erased
LetGo = Callable[[str, Held], None]  # called with the agent, once what it had is gone from the store


class Forgetting:
    """The holders: the server's prepared turns, the hooks' sessions, a host's own. Caches are `brain.caches`."""

    def __init__(self) -> None:
        self._holders: list[LetGo] = []

    def holds(self, let_go: LetGo) -> None:
        """Has a holder told of every erasure from now on."""
        self._holders.append(let_go)

    def let_go(self, agent_id: str, held: Held) -> None:
        """Tells every holder that something of an agent was erased."""
        for let_go in self._holders:
            let_go(agent_id, held)


def everything(_: str) -> bool:
    """Of an agent that is erased, whatever there is."""
    return True
