"""What earlier turns sent, where blocks are journaled: a framework's history holds the user's bare words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from cognitive.turn import Message

_MAX_SESSIONS = 512  # whose blocks a process remembers
_MAX_BLOCKS = 64  # of one session, the latest

Block = tuple[str, str]  # the user's words, and what was sent for them


class PromptHistory:
    """The blocks of the latest sessions, each oldest first."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, list[Block]] = OrderedDict()

    def blocks(self, session_id: str) -> Sequence[Block]:
        """Return those of a session's earlier turns."""
        return self._sent.get(session_id, ())

    def add(self, session_id: str, words: str, sent: str) -> None:
        """Keep what was sent for the user's words."""
        blocks = self._sent.setdefault(session_id, [])
        blocks.append((words, sent))
        del blocks[:-_MAX_BLOCKS]
        self._sent.move_to_end(session_id)
        while len(self._sent) > _MAX_SESSIONS:
            self._sent.popitem(last=False)


def with_blocks(messages: Sequence[Message], blocks: Sequence[Block]) -> list[Message]:
    """Return the conversation with what earlier turns put behind the user's words, where a host keeps the bare words.

    `blocks` are the words and what was sent for them, oldest first; they are matched from the end, in order.
    """
    placed, left = list(messages), list(blocks)
    for place in reversed(list(_user_message_indexes(messages))):
        at = next((n for n in range(len(left) - 1, -1, -1) if left[n][0] == messages[place].content), None)
        if at is not None:
            placed[place] = messages[place].model_copy(update={"content": left[at][1]})
            del left[at:]
    return placed


def find_user_message(messages: Sequence[Message], words: str | None = None) -> int | None:
    """Return where the user's message of this turn stands: the last with these words, or else the user's last."""
    places = list(_user_message_indexes(messages))
    same = [place for place in places if messages[place].content == words]
    found = same or places
    return found[-1] if found else None


def _user_message_indexes(messages: Sequence[Message]) -> Iterator[int]:
    return (place for place, message in enumerate(messages) if message.role == "user")
