"""LiteLLM: a logger that prepares what it is about to see.

litellm.callbacks = [CognitiveLogger(layer, "my-agent")]
await litellm.acompletion(model=..., messages=..., metadata={"session_id": "s1"})
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import litellm  # type: ignore[import-not-found]
from litellm.integrations.custom_logger import CustomLogger  # type: ignore[import-not-found]

from cognitive.layer import CognitiveLayer
from cognitive.runtimes import chat
from cognitive.runtimes.turn_session import AgentBinding, TurnSession

_MAX_OPEN_TURNS = 512  # turns in flight; one that is pushed out was abandoned long ago


class CognitiveLogger(CustomLogger):  # type: ignore[misc]
    """Memory, planned tools and a bounded conversation for `acompletion`, called with names: LiteLLM tells its loggers
    of nothing else, and `completion` passes by them.

    LiteLLM knows calls, not turns: a turn begins with a call that the user's words end, and goes on through the calls
    that bring results of tools, until an answer calls none. The session is `session_id` in the call's metadata, or its
    `litellm_session_id`; a call without one is a turn of its own. A stream that is left tells LiteLLM nothing: its turn
    ends when the session's next begins. The level of thinking reaches models that LiteLLM knows to reason; the recall
    tool is the host's to offer, since it runs the tools: `recall`. Everything else is as in `AgentBinding`.
    """

    def __init__(
        self, layer: CognitiveLayer, agent_id: str, *, user_id: str | None = None, model: str | None = None
    ) -> None:
        super().__init__()
        self._binding = AgentBinding(layer, agent_id, runtime="litellm", user_id=user_id, model=model)
        self._open: OrderedDict[str, TurnSession] = OrderedDict()
        self._keys: OrderedDict[str, str] = OrderedDict()  # of calls: what is told of their end leaves out the session

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any] | None:
        """What the model sees: for this call alone."""
        messages = kwargs.get("messages")
        if not messages:
            return None
        first, rest = chat.split_system(messages)
        turn = await self._turn(kwargs, rest)
        shown: dict[str, Any] = {
            "messages": [
                *chat.with_system(first, turn.system("\n\n".join(map(chat.message_text, first)))),
                *await turn.encode_messages(chat.CODEC, chat.CODEC.decode(rest)),
            ]
        }
        if tools := kwargs.get("tools"):
            shown["tools"] = turn.select_tools(tools, chat.tool_name, chat.rewrite_tool) or None
        if turn.thinking is not None and litellm.supports_reasoning(kwargs["model"]):
            shown["reasoning_effort"] = _EFFORT.get(turn.thinking, turn.thinking)
        return {**kwargs, **shown}

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Ends the turn with its answer; one that calls tools goes on."""
        key = self._keys.pop(str(kwargs.get("litellm_call_id")), "")
        turn, choices = self._open.get(key), getattr(response_obj, "choices", None)
        if turn is None or not choices or getattr(choices[0].message, "tool_calls", None):
            return
        for made, result in chat.finished_calls(kwargs.get("messages") or ()):
            turn.record_tool_call(made.name, made.arguments, result, id=made.id)
        turn.end("completed", choices[0].message.content or "")
        self._open.pop(key)

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Ends the turn as failed."""
        key = self._keys.pop(str(kwargs.get("litellm_call_id")), "")
        if turn := self._open.pop(key, None):
            turn.end("failed")

    async def recall(self, session_id: str, query: str, memory_type: Any = None, limit: int = 5) -> str:
        """The recall tool's answer, for the host that offers it: `tools` has its name and description."""
        turn = self._open.get(session_id) or self._binding.turn(session_id)
        return await turn.recall(query, memory_type, limit)

    async def _turn(self, kwargs: Mapping[str, Any], messages: Sequence[chat.JsonObject]) -> TurnSession:
        """The turn that a call belongs to, begun."""
        call = str(kwargs.get("litellm_call_id"))
        key = self._keys[call] = _session_id(kwargs) or call
        turn = self._open.get(key)
        if turn is not None and messages and messages[-1].get("role") != "user":
            return turn
        if turn is not None:
            turn.end("abandoned")
        turn = self._open[key] = self._binding.turn(_session_id(kwargs) or "default")
        if len(self._open) > _MAX_OPEN_TURNS:
            self._open.popitem(last=False)[1].end("abandoned")
        if len(self._keys) > _MAX_OPEN_TURNS:
            self._keys.popitem(last=False)
        if messages and messages[-1].get("role") == "user":  # the loop of a turn that is not known stays as it is
            tools = chat.to_tools(kwargs.get("tools") or ())
            own = kwargs.get("reasoning_effort")
            await turn.begin_from_conversation(
                chat.CODEC.decode(messages), tools, model=kwargs.get("model"), thinking=own
            )
        return turn


_EFFORT: Mapping[str, str] = {"off": "none"}  # the other levels have the names that LiteLLM gives them


def _session_id(kwargs: Mapping[str, Any]) -> str | None:
    metadata = kwargs.get("metadata") or {}
    named = metadata.get("session_id") or kwargs.get("litellm_session_id")
    return str(named) if named else None
