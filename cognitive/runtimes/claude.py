"""Adapter for the Claude Agent SDK: hooks that add memory to a client.

    hooks = CognitiveHooks(layer, "my-agent")
    async with ClaudeSDKClient(hooks.options(ClaudeAgentOptions(...))) as client:

The memory layer's session is Claude Code's own, and its user is that of `options`. Functions of the run's context get
the input of the hook UserPromptSubmit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from cognitive.extras import extra

with extra("claude"):
    from claude_agent_sdk import (
        ClaudeAgentOptions,
        HookMatcher,
        McpSdkServerConfig,
        ToolAnnotations,
        create_sdk_mcp_server,
        tool,
    )


from brain.text import storable
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, RECALL_PARAMETERS
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import Tool
from cognitive.turn import Message, TurnKind

T = TypeVar("T")

_SERVER = "cognitive"
_MAX_MESSAGES = 40  # latest messages of a session that its next turn gets as conversation
_NOTICE = "<task-notification>"  # begins a user message in which Claude Code reports a background task


class CognitiveHooks:
    """Hooks that add memories to each prompt of a client, and refuse calls of tools that the turn removed.

    `tools` are the tools that the plan of a turn may remove. By default, they are those that the options name.
    `recall_tool` adds the tool `recall_context`, with which the model searches its memory, if the options hold their
    MCP servers as a dict. The other parameters are those of `AgentBinding`.

    Hooks cannot hide a tool, set effort or model, shorten the conversation or change the system prompt. Pinned memories
    are therefore added to the prompt, and with the placement "system" all other memories too. Claude Code keeps added
    text in its transcript: choose `Policy(placement="journaled")`, with which no memory is added twice.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
        model: str | None = None,
        recall_tool: bool = True,
        tools: Sequence[Tool] = (),
    ) -> None:
        self._binding = AgentBinding(layer, agent_id, runtime="claude-agent-sdk", user_id=user_id, model=model)
        self._tools = tuple(tools)
        self._recall_tool = recall_tool
        self._turns: MutableMapping[str, TurnSession] = WeakValueDictionary()

    def options(self, own: ClaudeAgentOptions | None = None, *, user_id: str | None = None) -> ClaudeAgentOptions:
        """Return a client's options with these hooks added after the hooks of `own`.

        Call it once for each client, because each client needs its own turns. `user_id` names the client's user.
        """
        own = own or ClaudeAgentOptions()
        client = _ClientHooks(self._binding, self._turns, self._tools or _tools_of(own), own.model, user_id)
        hooks = {
            event: [*(own.hooks or {}).get(event, ()), HookMatcher(hooks=[hook])] for event, hook in client.hooks()
        }
        with_hooks = replace(own, hooks={**(own.hooks or {}), **hooks})
        if not self._recall_tool or not isinstance(own.mcp_servers, dict):
            return with_hooks
        return replace(
            with_hooks,
            mcp_servers={**own.mcp_servers, _SERVER: _recall_server(client)},
            allowed_tools=[*own.allowed_tools, f"mcp__{_SERVER}__{RECALL_NAME}"],
        )

    async def track(self, messages: AsyncIterator[T]) -> AsyncIterator[T]:
        """Yield the messages of `receive_response` or `query`, and end the turn if they end without an answer.

        Its use is optional. Without it, the layer ends an interrupted turn only when the next turn begins.
        """
        turn: TurnSession | None = None
        try:
            async for message in messages:
                turn = self._turns.get(_session_id(message)) or turn
                yield message
        except Exception:
            if turn is not None:
                turn.end("failed")
            raise
        finally:
            if turn is not None:
                turn.end("abandoned")


class _ClientHooks:
    """The hooks of one client. They begin a turn with each prompt, and end it with the answer."""

    def __init__(
        self,
        binding: AgentBinding,
        turns: MutableMapping[str, TurnSession],
        tools: Sequence[Tool],
        model: str | None,
        user_id: str | None,
    ) -> None:
        self.binding = binding
        self.turn = TurnSession(binding, "none", "user", None)
        self._user_id = user_id
        self._turns = turns
        self._tools = tools
        self._model = model
        self._messages: deque[Message] = deque(maxlen=_MAX_MESSAGES)
        self._shown_system = ""  # the latest system part that was added to the transcript

    def hooks(self) -> list[tuple[Any, Any]]:
        """Return pairs of an event's name and the hook for the event.

        The names are not typed, because the SDK's type lacks StopFailure, an event of Claude Code.
        """
        return [
            ("UserPromptSubmit", self._on_prompt),
            ("PreToolUse", self._on_tool_call),
            ("PostToolUse", self._on_tool_result),
            ("PostToolUseFailure", self._on_tool_failure),
            ("PreCompact", self._on_compact),
            ("Stop", self._on_stop),
            ("StopFailure", self._on_stop_failure),
        ]

    async def _on_prompt(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        self.turn.end("abandoned")  # an interrupted turn has no Stop event
        session, text = payload["session_id"], payload["prompt"]
        if session != self.turn.session_id:
            self._forget()
        kind: TurnKind = "subagent" if text.startswith(_NOTICE) else "user"
        self.turn = turn = self.binding.turn(session, kind, run_context=payload, user_id=self._user_id)
        self._turns[session] = turn
        await turn.begin(text, tuple(self._messages), self._tools, model=self._model)
        added = self._additional_context(turn)
        self._messages.append(Message(role="user", content=storable(text)))
        if not added:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": added}}

    def _additional_context(self, turn: TurnSession) -> str:
        """Return the text to add to the prompt: pinned memories if they have changed, then this turn's memories."""
        if turn.context is None:
            return ""
        system, last_system = turn.system(), self._shown_system
        self._shown_system = system
        return "\n\n".join(part for part in (system if system != last_system else "", turn.context.sent("")) if part)

    async def _on_tool_call(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        if "agent_id" in payload or not self.turn.denies(_short_name(payload["tool_name"])):
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": DENIED,
            }
        }

    async def _on_tool_result(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        return self._record_tool_call(payload, payload["tool_response"])

    async def _on_tool_failure(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        return self._record_tool_call(payload, payload["error"], ok=False)

    def _record_tool_call(self, payload: Any, result: Any, *, ok: bool = True) -> dict[str, Any]:
        if "agent_id" not in payload:  # a sub-agent's results do not reach the turn's model
            name, arguments = _short_name(payload["tool_name"]), payload["tool_input"]
            self.turn.record_tool_call(name, arguments, result, ok=ok, id=payload["tool_use_id"])
        return {}

    async def _on_compact(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        self._forget()
        return {}

    async def _on_stop(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        response = payload.get("last_assistant_message") or ""
        self._messages.append(Message(role="assistant", content=storable(response)))
        self.turn.end("completed", response)
        return {}

    async def _on_stop_failure(self, payload: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        self.turn.end("failed")
        return {}

    def _forget(self) -> None:
        """Discard what these hooks know of the transcript, because its session has changed or it was compacted."""
        self._messages.clear()
        self._shown_system = ""


def _recall_server(client: _ClientHooks) -> McpSdkServerConfig:
    """Return an MCP server with the recall tool, which searches the memory in the client's current turn."""
    annotations = ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)

    @tool(RECALL_NAME, RECALL_DESCRIPTION, RECALL_PARAMETERS, annotations)
    async def recall_context(arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await client.turn.recall(arguments["query"], arguments.get("memory_type"), arguments.get("limit", 5))
        return {"content": [{"type": "text", "text": answer}]}

    return create_sdk_mcp_server(_SERVER, tools=[recall_context])


def _tools_of(options: ClaudeAgentOptions) -> tuple[Tool, ...]:
    """Return the tools that a client's options name, without duplicates.

    Claude Code does not pass hooks a list of tools.
    """
    base = options.tools if isinstance(options.tools, list) else []
    names = dict.fromkeys(_short_name(name) for name in (*base, *options.allowed_tools) if "*" not in name)
    return tuple(Tool(name=name) for name in names if name.strip())


def _short_name(name: str) -> str:
    """Return a tool's name without the prefix of its MCP server, and without the arguments of a permission."""
    return name.split("(")[0].split("__", 2)[-1] if name.startswith("mcp__") else name.split("(")[0]


def _session_id(message: Any) -> str:
    """Return the session id of a message of the SDK, or "" if the message has none."""
    named = getattr(message, "session_id", None) or (getattr(message, "data", None) or {}).get("session_id")
    return str(named or "")
