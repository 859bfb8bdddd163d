"""The memory blocks that earlier turns added to the user's messages, kept for the policy's placement "journaled".

With this placement, a memory block stays in the conversation for later turns. A framework's own history has the user's
messages without blocks, so the blocks are added again before each model call. Each prompt then begins with the whole
previous prompt.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock

from brain.users import Scope
from cognitive.privacy.erasure_listeners import IsErased
from cognitive.turn import Message

_MAX_SESSIONS = 512  # sessions that a process remembers, the latest
_MAX_BLOCKS = 64  # blocks of a session, the latest

Conversation = tuple[Scope, str]  # the agent and user, and the session's id, which is unique for them
Block = tuple[str, str]  # the user's text, and the message that was sent for it


class PromptHistory:
    """Remembers, by agent, user and session, the user's messages as they were sent, with the memories added to them.

    Later model calls of a session send these messages again. Only the latest sessions are kept. Frameworks and the
    layer may call it from different threads.
    """

    def __init__(self) -> None:
        self._sent: OrderedDict[Conversation, list[Block]] = OrderedDict()
        self._lock = Lock()

    def blocks(self, conversation: Conversation) -> Sequence[Block]:
        """Return pairs of the user's text and the message that was sent for it, for earlier turns.

        The oldest pair comes first.
        """
        with self._lock:
            return tuple(self._sent.get(conversation, ()))

    def add(self, conversation: Conversation, text: str, sent: str) -> None:
        """Store the message `sent` (with its memory block) for the user's own text of a turn."""
        with self._lock:
            blocks = self._sent.setdefault(conversation, [])
            blocks.append((text, sent))
            del blocks[:-_MAX_BLOCKS]
            self._sent.move_to_end(conversation)
            while len(self._sent) > _MAX_SESSIONS:
                self._sent.popitem(last=False)

    def forget(self, scope: Scope, is_erased: IsErased) -> None:
        """Remove the messages that an erasure reaches if they contain erased text."""
        with self._lock:
            for conversation in [each for each in self._sent if scope.reaches(each[0])]:
                blocks = self._sent[conversation]
                blocks[:] = [block for block in blocks if not any(map(is_erased, block))]
                if not blocks:
                    del self._sent[conversation]


def with_blocks(messages: Sequence[Message], blocks: Sequence[Block]) -> list[Message]:
    """Return a copy of a conversation in which earlier messages of the user have their memory blocks again.

    Each pair of `blocks` is a user's own text, and the message with its memory block that was sent for this text. A
    message gets the block of the latest pair that has its text and is older than the pairs of all later messages.
    """
    replaced, remaining = list(messages), list(blocks)
    for index in reversed(list(_user_message_indexes(messages))):
        match = next((n for n in range(len(remaining) - 1, -1, -1) if remaining[n][0] == messages[index].content), None)
        if match is not None:
            replaced[index] = messages[index].model_copy(update={"content": remaining[match][1]})
            del remaining[match:]
    return replaced


def find_user_message(messages: Sequence[Message], text: str | None = None) -> int | None:
    """Return the index of the last user message with this text, or else of the last user message.

    Return None if there is no user message.
    """
    indexes = list(_user_message_indexes(messages))
    same_text = [index for index in indexes if messages[index].content == text]
    candidates = same_text or indexes
    return candidates[-1] if candidates else None


def _user_message_indexes(messages: Sequence[Message]) -> Iterator[int]:
    return (index for index, message in enumerate(messages) if message.role == "user")
