"""Adapter for LiteLLM: a logger that adds memory to each model call.

    litellm.callbacks = [CognitiveLogger(layer, "my-agent")]
    await litellm.acompletion(model=..., messages=..., metadata={"session_id": "s1"})

Synchronous code calls `logger.completion(...)` in place of `litellm.completion(...)`.

The memory layer's session is `session_id` in the call's metadata, or else `litellm_session_id`. Its user is `user_id`
in the metadata, or else the call's `user`. Functions of the run's context get the call's arguments.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from cognitive.extras import extra

with extra("litellm"):
    import litellm  # type: ignore[import-not-found]
    from litellm.integrations.custom_logger import CustomLogger  # type: ignore[import-not-found]


from brain.users import Scope
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes import chat
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.turn_session import AgentBinding, TurnSession

log = logging.getLogger(__name__)

_Key = tuple[Scope | None, str]  # the agent and user, and the id of the session, or else of the call

_MAX_OPEN_TURNS = 512  # open turns; the oldest beyond them are abandoned


class CognitiveLogger(CustomLogger):  # type: ignore[misc]
    """A logger of LiteLLM that adds memories to model calls, selects their tools and shortens long conversations.

    It works for `acompletion` with keyword arguments, and for its own method `completion`. LiteLLM's function
    `completion`, and calls with positional arguments, give loggers no way to change the call: they go without memory,
    and a warning is logged. LiteLLM knows calls but no turns. A turn therefore begins with a call whose last
    message is the user's. It continues with the calls that bring tool results, and ends with an answer that calls no
    tool. A call without a session is a separate turn. LiteLLM does not report that a reader left a stream. The turn of
    such a stream ends when the next turn of the session begins.

    The level of thinking is set for models that LiteLLM lists as reasoning models. The host runs the tools, so it must
    also offer the recall tool itself, and answer calls of this tool with the method `recall`. The other parameters are
    those of `AgentBinding`.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
        model: str | None = None,
    ) -> None:
        super().__init__()
        self._binding = AgentBinding(layer, agent_id, runtime="litellm", user_id=user_id, model=model)
        self._open: OrderedDict[_Key, TurnSession] = OrderedDict()
        self._keys: OrderedDict[str, _Key] = OrderedDict()  # by call id: the events of a call's end lack the session

    def completion(self, **options: Any) -> Any:
        """Call `litellm.completion` with memory, and return its response or stream. `options` are passed on."""
        call = {"litellm_call_id": str(uuid4()), **options}
        return litellm.completion(**(self._binding.wait(self._prepare(call)) or call))

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any] | None:
        """Prepare a model call: add memories, shorten a long conversation and select the tools, for that call only."""
        return await self._prepare(kwargs)

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """As `log_success_event`, for asynchronous calls."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Record the tool calls, and end the turn with the response.

        A response that calls tools does not end the turn.
        """
        key = self._session_of(kwargs)
        turn, choices = self._open.get(key) if key else None, getattr(response_obj, "choices", None)
        if key is None or turn is None or not choices or getattr(choices[0].message, "tool_calls", None):
            return
        for call, result in chat.finished_calls(kwargs.get("messages") or ()):
            turn.record_tool_call(call.name, call.arguments, result, id=call.id)
        turn.end("completed", choices[0].message.content or "")
        self._open.pop(key)

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """As `log_failure_event`, for asynchronous calls."""
        self.log_failure_event(kwargs, response_obj, start_time, end_time)

    def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """End the turn of a failed call as failed."""
        key = self._session_of(kwargs)
        if key is not None and (turn := self._open.pop(key, None)):
            turn.end("failed")

    def _session_of(self, kwargs: Any) -> _Key | None:
        """Return the key of a finished call's turn. Log a warning if the call went without memory."""
        key = self._keys.pop(str(kwargs.get("litellm_call_id")), None)
        if key is None and kwargs.get("messages"):
            log.warning(
                "a call went without memory: use `acompletion` with keyword arguments, or the logger's own `completion`"
            )
        return key

    async def recall(self, session_id: str, query: str, memory_type: Any = None, limit: int = 5, **call: Any) -> str:
        """Search the memory in the current turn of a session, and return the recall tool's answer.

        `call` holds the arguments that name the user, as in `acompletion`: `metadata={"user_id": …}` or `user`.
        `cognitive.runtimes.tools` has the tool's name, description and parameters.
        """
        key, turn = self._new_turn({**call, "litellm_session_id": session_id})
        turn = self._open.get(key) or turn
        return await turn.recall(query, memory_type, limit)

    async def _prepare(self, kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments of a call with memory, or None if the call has no messages."""
        messages = kwargs.get("messages")
        if not messages:
            return None
        system, conversation = chat.split_system(messages)
        turn = await self._turn(kwargs, conversation)
        changes: dict[str, Any] = {
            "messages": [
                *chat.with_system(system, turn.system("\n\n".join(map(chat.message_text, system)))),
                *await turn.encode_messages(chat.CODEC, chat.CODEC.decode(conversation)),
            ]
        }
        if tools := kwargs.get("tools"):
            changes["tools"] = turn.select_tools(tools, chat.tool_name, chat.rewrite_tool) or None
        if turn.thinking is not None and litellm.supports_reasoning(kwargs["model"]):
            changes["reasoning_effort"] = _EFFORT.get(turn.thinking, turn.thinking)
        return {**kwargs, **changes}

    async def _turn(self, kwargs: Mapping[str, Any], messages: Sequence[chat.JsonObject]) -> TurnSession:
        """Return the turn of a model call. Begin a new turn if the last message of the call is the user's."""
        key, new = self._new_turn(kwargs)
        self._keys[str(kwargs.get("litellm_call_id"))] = key
        turn = self._open.get(key)
        if turn is not None and messages and messages[-1].get("role") != "user":
            return turn
        if turn is not None:
            turn.end("abandoned")
        turn = self._open[key] = new
        if len(self._open) > _MAX_OPEN_TURNS:
            self._open.popitem(last=False)[1].end("abandoned")
        if len(self._keys) > _MAX_OPEN_TURNS:
            self._keys.popitem(last=False)
        if messages and messages[-1].get("role") == "user":  # else the call continues an unknown turn
            tools = chat.to_tools(kwargs.get("tools") or ())
            effort = kwargs.get("reasoning_effort")
            await turn.begin_from_conversation(
                chat.CODEC.decode(messages), tools, model=kwargs.get("model"), thinking=effort
            )
        return turn

    def _new_turn(self, kwargs: Mapping[str, Any]) -> tuple[_Key, TurnSession]:
        """Return a turn for a call, and the key of its session and user among the open turns."""
        session_id = _session_id(kwargs)
        turn = self._binding.turn(session_id or "default", run_context=kwargs, user_id=_user_of(kwargs))
        return (turn.scope, session_id or str(kwargs.get("litellm_call_id"))), turn


_EFFORT: Mapping[str, str] = {"off": "none"}  # the other levels have the same names in LiteLLM


def _user_of(kwargs: Mapping[str, Any]) -> object:
    named = (kwargs.get("metadata") or {}).get("user_id")
    return named if named is not None else kwargs.get("user")


def _session_id(kwargs: Mapping[str, Any]) -> str | None:
    metadata = kwargs.get("metadata") or {}
    session_id = metadata.get("session_id") or kwargs.get("litellm_session_id")
    return str(session_id) if session_id else None
