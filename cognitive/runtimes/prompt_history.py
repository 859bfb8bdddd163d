"""The memory blocks that earlier turns sent, for the placement "journaled".

A framework's own history contains the user's messages without blocks. They are added again before each model call, so
that each prompt starts with the previous one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from cognitive.turn import Message

_MAX_SESSIONS = 512  # sessions that a process remembers, the latest
_MAX_BLOCKS = 64  # blocks of a session, the latest

Block = tuple[str, str]  # the user's text, and the message that was sent for it


class PromptHistory:
    """The messages that were sent with memory blocks, by session, oldest first. Only the latest sessions are kept."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, list[Block]] = OrderedDict()

    def blocks(self, session_id: str) -> Sequence[Block]:
        """Return the blocks of a session's earlier turns, oldest first."""
        return self._sent.get(session_id, ())

    def add(self, session_id: str, text: str, sent: str) -> None:
        """Store the message that was sent, with its memory block, for a text of the user."""
        blocks = self._sent.setdefault(session_id, [])
        blocks.append((text, sent))
        del blocks[:-_MAX_BLOCKS]
        self._sent.move_to_end(session_id)
        while len(self._sent) > _MAX_SESSIONS:
            self._sent.popitem(last=False)


def with_blocks(messages: Sequence[Message], blocks: Sequence[Block]) -> list[Message]:
    """Return the conversation with each of the user's messages as it was sent, with its memory block.

    `blocks` are matched by the user's text, from the latest to the earliest, without changing their order.
    """
    replaced, remaining = list(messages), list(blocks)
    for index in reversed(list(_user_message_indexes(messages))):
        match = next((n for n in range(len(remaining) - 1, -1, -1) if remaining[n][0] == messages[index].content), None)
        if match is not None:
            replaced[index] = messages[index].model_copy(update={"content": remaining[match][1]})
            del remaining[match:]
    return replaced


def find_user_message(messages: Sequence[Message], text: str | None = None) -> int | None:
    """Return the index of the turn's user message: the last with this text, or else the last user message."""
    indexes = list(_user_message_indexes(messages))
    same_text = [index for index in indexes if messages[index].content == text]
    candidates = same_text or indexes
    return candidates[-1] if candidates else None


def _user_message_indexes(messages: Sequence[Message]) -> Iterator[int]:
    return (index for index, message in enumerate(messages) if message.role == "user")
