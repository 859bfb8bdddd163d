"""Hermes: a memory provider. A folder `cognitive` among its plugins, whose `__init__.py` reads

    from cognitive.runtimes.hermes import CognitiveMemoryProvider

and `memory.provider: cognitive` in its configuration. The layer is what the environment's `COGNITIVE_*` say.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from agent.memory_provider import MemoryProvider  # type: ignore[import-not-found]

from cognitive.runtimes import chat
from cognitive.runtimes.blocking import Blocking, BlockingBinding
from cognitive.runtimes.codec import WrappedMessage
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, RECALL_PARAMETERS
from cognitive.runtimes.turn_session import TurnSession
from cognitive.turn import TurnKind

_MAX_MESSAGES = 40  # messages of a session, for what a short message means and what was just said
_KINDS: dict[str, TurnKind] = {"subagent": "subagent", "cron": "cron", "flush": "heartbeat"}


class CognitiveMemoryProvider(MemoryProvider):  # type: ignore[misc]
    """Memory for every turn, which Hermes puts beside the user's words itself, and the recall tool.

    A provider can neither take tools away, nor set the level of thinking, nor bound the conversation. A turn that fails
    is not told to it: it ends as abandoned when the session's next begins. `layer` and `agent_id` are for a host that
    makes the provider itself; without them it opens its own, for the agent that Hermes names.
    """

    def __init__(self, layer: Blocking | None = None, agent_id: str | None = None) -> None:
        self._layer = layer
        self._agent_id = agent_id
        self._own = ExitStack()
        self._kind: TurnKind = "user"
        self._session = "default"
        self._turns: dict[str, TurnSession] = {}
        self._conversations: dict[str, Sequence[WrappedMessage]] = {}

    @property
    def name(self) -> str:
        """As the configuration names it."""
        return "cognitive"

    def is_available(self) -> bool:
        """It needs nothing but its package."""
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Opens the layer; of a sub-agent, or what a clock started, nothing is planned."""
        self._session = session_id
        self._kind = _KINDS.get(str(kwargs.get("agent_context")), "user")
        layer = self._layer or self._own.enter_context(Blocking.open())
        agent_id = self._agent_id or kwargs.get("agent_identity") or "hermes"
        self._binding = BlockingBinding(layer, agent_id, runtime="hermes", user_id=kwargs.get("user_id"))

    def shutdown(self) -> None:
        """Closes the layer, if it is its own."""
        self._own.close()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """What this turn shows."""
        session = session_id or self._session
        turn = self._turns.get(session)
        if turn is None or turn.has_ended or turn.context is None or turn.context.message != query:
            if turn is not None:
                turn.end("abandoned")
            turn = self._turns[session] = self._binding.turn(session, self._kind)
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
        """Ends the turn with its answer and what its tools gave."""
        session = session_id or self._session
        self._conversations[session] = chat.CODEC.decode(chat.split_system(messages or ())[1])[-_MAX_MESSAGES:]
        if turn := self._turns.pop(session, None):
            for made, result in chat.finished_calls(messages or ()):
                turn.record_tool_call(made.name, made.arguments, result, id=made.id)
            turn.end("completed", assistant_content)

    def on_session_end(self, messages: Sequence[chat.JsonObject]) -> None:
        """Forgets the sessions: what they said is with Hermes, and what they taught is counted."""
        for turn in self._turns.values():
            turn.end("abandoned")
        self._turns.clear()
        self._conversations.clear()

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """The recall tool."""
        return [{"name": RECALL_NAME, "description": RECALL_DESCRIPTION, "parameters": RECALL_PARAMETERS}]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """The recall tool's answer, as JSON."""
        session = kwargs.get("session_id") or self._session
        turn = self._turns.get(session) or self._binding.turn(session)
        given = str(args.get("query") or ""), args.get("memory_type"), args.get("limit", 5)
        return json.dumps({"memories": self._binding.wait(turn.recall(*given))})
