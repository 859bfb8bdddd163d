"""Adapter for Hermes: a memory provider that gives Hermes a memory layer.

Make a folder `cognitive` among Hermes's plugins with an `__init__.py` that contains

    from cognitive.runtimes.hermes import CognitiveMemoryProvider

and set `memory.provider: cognitive` in Hermes's configuration. The `COGNITIVE_*` environment variables configure the
memory layer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from cognitive.extras import extra

with extra("hermes"):
    from agent.memory_provider import MemoryProvider  # type: ignore[import-not-found]


from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes import chat
from cognitive.runtimes.codec import WrappedMessage
from cognitive.runtimes.identity import AgentIdSource, UserIdSource, user_in
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, RECALL_PARAMETERS
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import TurnKind

_MAX_MESSAGES = 40  # latest messages of a session that its next turn gets as conversation
_KINDS: dict[str, TurnKind] = {"subagent": "subagent", "cron": "cron", "flush": "heartbeat"}


class CognitiveMemoryProvider(MemoryProvider):  # type: ignore[misc]
    """A memory provider of Hermes that prepares memories for every turn and offers the recall tool.

    Hermes itself puts the memories into the prompt. A provider cannot remove tools, set the level of thinking or
    shorten the conversation. Hermes does not report failed turns: such a turn ends as abandoned when the session's next
    turn begins. A host that creates the provider itself may pass `layer` and `agent_id`. By default, the provider opens
    a memory layer for the agent that Hermes names.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking | None = None,
        agent_id: AgentIdSource | None = None,
        user_id: UserIdSource = None,
    ) -> None:
        self._layer = layer
        self._agent_id = agent_id
        self._user_id = user_id
        self._exit_stack = ExitStack()
        self._kind: TurnKind = "user"
        self._session = "default"
        self._turns: dict[str, TurnSession] = {}
        self._conversations: dict[str, Sequence[WrappedMessage]] = {}

    @property
    def name(self) -> str:
        """The provider's name in Hermes's configuration."""
        return "cognitive"

    def is_available(self) -> bool:
        """Return True, since the provider needs nothing but this package."""
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Open the memory layer for a session. Sub-agents and scheduled runs get no memories.

        Open turns end as abandoned, because the session may be another user's.
        """
        self.on_session_end(())
        self._run_context = kwargs
        self._session = session_id
        self._kind = _KINDS.get(str(kwargs.get("agent_context")), "user")
        layer = self._layer = self._layer or self._exit_stack.enter_context(Blocking.open())
        agent_id = self._agent_id or kwargs.get("agent_identity") or "hermes"
        self._binding = AgentBinding(layer, agent_id, runtime="hermes", user_id=self._user_id)

    def _new_turn(self, session: str) -> TurnSession:
        context = self._run_context
        return self._binding.turn(session, self._kind, run_context=context, user_id=user_in(context))

    def shutdown(self) -> None:
        """Close the memory layer if the provider itself opened it."""
        self._exit_stack.close()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return the memories for the user's message `query`, as text for the prompt.

        A new turn begins, unless the session's open turn has this message. An open turn with another message ends as
        abandoned.
        """
        session = session_id or self._session
        turn = self._turns.get(session)
        if turn is None or turn.has_ended or turn.context is None or turn.text != query:
            if turn is not None:
                turn.end("abandoned")
            turn = self._turns[session] = self._new_turn(session)
            self._binding.wait(turn.begin(query, self._conversations.get(session, ())))
        return turn.system_with_memories()

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: Sequence[chat.JsonObject] | None = None,
    ) -> None:
        """End the session's turn with the assistant's response, and record the tool calls in `messages`."""
        session = session_id or self._session
        self._conversations[session] = chat.CODEC.decode(chat.split_system(messages or ())[1])[-_MAX_MESSAGES:]
        if turn := self._turns.pop(session, None):
            for call, result in chat.finished_calls(messages or ()):
                turn.record_tool_call(call.name, call.arguments, result, id=call.id)
            turn.end("completed", assistant_content)

    def on_session_end(self, messages: Sequence[chat.JsonObject]) -> None:
        """End open turns as abandoned, and discard the stored conversations."""
        for turn in self._turns.values():
            turn.end("abandoned")
        self._turns.clear()
        self._conversations.clear()

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the description of the recall tool, with which the model searches its memory."""
        return [{"name": RECALL_NAME, "description": RECALL_DESCRIPTION, "parameters": RECALL_PARAMETERS}]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run the recall tool and return its answer as JSON."""
        session = kwargs.get("session_id") or self._session
        turn = self._turns.get(session) or self._new_turn(session)
        arguments = str(args.get("query") or ""), args.get("memory_type"), args.get("limit", 5)
        return json.dumps({"memories": self._binding.wait(turn.recall(*arguments))})
