"""What earlier turns sent, where blocks are journaled: a framework's history holds the user's bare words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

_SESSIONS = 512  # whose blocks a process remembers
_BLOCKS = 64  # of one session, the latest

Block = tuple[str, str]  # the user's words, and what was sent for them


class Journaled:
    """The blocks of the latest sessions, each oldest first."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, list[Block]] = OrderedDict()

    def blocks(self, session_id: str) -> Sequence[Block]:
        """Those of a session's earlier turns."""
        return self._sent.get(session_id, ())

    def keep(self, session_id: str, words: str, sent: str) -> None:
        """Keeps what was sent for the user's words."""
        blocks = self._sent.setdefault(session_id, [])
        blocks.append((words, sent))
        del blocks[:-_BLOCKS]
        self._sent.move_to_end(session_id)
        while len(self._sent) > _SESSIONS:
            self._sent.popitem(last=False)
