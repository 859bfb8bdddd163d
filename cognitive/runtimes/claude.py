"""Claude Agent SDK: hooks of a client.

    hooks = CognitiveHooks(layer, "my-agent")
    async with ClaudeSDKClient(hooks.options(ClaudeAgentOptions(...))) as client:

The session is Claude Code's own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    McpSdkServerConfig,
    ToolAnnotations,
    create_sdk_mcp_server,
    tool,
)

from brain.text import storable
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, RECALL_PARAMETERS
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import Message, Tool

T = TypeVar("T")

_SERVER = "cognitive"
_MAX_MESSAGES = 40  # messages of a session, for what a short message means and what was just said
_NOTICE = "<task-notification>"  # begins what Claude Code tells its model of a background task, as if a user had


class CognitiveHooks:
    """Memory for each prompt of a client, and a refusal for each call of a tool that its turn does without.

    `tools` are those that a plan may take away; without them, those that the options name. `recall_tool` offers the
    model `recall_context`, where the options hold their servers as a dict; everything else is as in `AgentBinding`.

    A hook can neither hide a tool, nor set effort or model, nor bound the conversation, nor reach the system prompt:
    pinned memories, and all others under the placement "system", stand beside the prompt. Claude Code keeps what it was
    shown in its transcript, so that `Policy(placement="journaled")` fits it best: nothing is shown twice.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        user_id: str | None = None,
        model: str | None = None,
        recall_tool: bool = True,
        tools: Sequence[Tool] = (),
    ) -> None:
        self._binding = AgentBinding(layer, agent_id, runtime="claude-agent-sdk", user_id=user_id, model=model)
        self._tools = tuple(tools)
        self._recall_tool = recall_tool
        self._turns: MutableMapping[str, TurnSession] = WeakValueDictionary()

    def options(self, own: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """The options with the hooks behind the host's own. Call it for each client: two at once do not mix."""
        own = own or ClaudeAgentOptions()
        client = _ClientHooks(self._binding, self._turns, self._tools or _tools_of(own), own.model)
        ours = {event: [*(own.hooks or {}).get(event, ()), HookMatcher(hooks=[hook])] for event, hook in client.hooks()}
        with_hooks = replace(own, hooks={**(own.hooks or {}), **ours})
        if not self._recall_tool or not isinstance(own.mcp_servers, dict):
            return with_hooks
        return replace(
            with_hooks,
            mcp_servers={**own.mcp_servers, _SERVER: _recall_server(client)},
            allowed_tools=[*own.allowed_tools, f"mcp__{_SERVER}__{RECALL_NAME}"],
        )

    async def track(self, messages: AsyncIterator[T]) -> AsyncIterator[T]:
        """The messages of `receive_response` or `query`; a turn that ends without an answer ends with them.

        Hooks alone know of an interrupted turn when the next one begins.
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
    """The hooks of one client, and its turn in flight."""

    def __init__(
        self, binding: AgentBinding, turns: MutableMapping[str, TurnSession], tools: Sequence[Tool], model: str | None
    ) -> None:
        self.binding = binding
        self.turn = binding.turn("none")
        self._turns = turns
        self._tools = tools
        self._model = model
        self._messages: deque[Message] = deque(maxlen=_MAX_MESSAGES)
        self._shown_system = ""  # what belongs to the system prompt, as the transcript shows it already

    def hooks(self) -> list[tuple[Any, Any]]:
        """Hooks by event. The SDK's list of events lacks StopFailure, which Claude Code knows."""
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
        self.turn.end("abandoned")  # one that Stop did not end
        session, words = payload["session_id"], payload["prompt"]
        if session != self.turn.session_id:
            self._forget()
        self.turn = turn = self.binding.turn(session, "subagent" if words.startswith(_NOTICE) else "user")
        self._turns[session] = turn
        await turn.begin(words, tuple(self._messages), self._tools, model=self._model)
        added = self._additional_context(turn)
        self._messages.append(Message(role="user", content=storable(words)))
        if not added:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": added}}

    def _additional_context(self, turn: TurnSession) -> str:
        """What stands beside the prompt: the block, and what belongs to the system prompt where it changed."""
        if turn.context is None:
            return ""
        system, stood = turn.system(), self._shown_system
        self._shown_system = system
        return "\n\n".join(part for part in (system if system != stood else "", turn.context.sent("")) if part)

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
        if "agent_id" not in payload:  # what a sub-agent's tools gave, it alone has seen
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
        """The transcript no longer shows what it did."""
        self._messages.clear()
        self._shown_system = ""


def _recall_server(client: _ClientHooks) -> McpSdkServerConfig:
    """The recall tool, of the client's turn in flight."""
    annotations = ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)

    @tool(RECALL_NAME, RECALL_DESCRIPTION, RECALL_PARAMETERS, annotations)
    async def recall_context(arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await client.turn.recall(arguments["query"], arguments.get("memory_type"), arguments.get("limit", 5))
        return {"content": [{"type": "text", "text": answer}]}

    return create_sdk_mcp_server(_SERVER, tools=[recall_context])


def _tools_of(options: ClaudeAgentOptions) -> tuple[Tool, ...]:
    """The tools that the options name, each once: hooks are not told which there are."""
    base = options.tools if isinstance(options.tools, list) else []
    names = dict.fromkeys(_short_name(name) for name in (*base, *options.allowed_tools) if "*" not in name)
    return tuple(Tool(name=name) for name in names if name.strip())


def _short_name(name: str) -> str:
    """A tool's own name: without the server that offers it, or the arguments that are allowed."""
    return name.split("(")[0].split("__", 2)[-1] if name.startswith("mcp__") else name.split("(")[0]


def _session_id(message: Any) -> str:
    """The session that a message of the SDK's belongs to, "" where it does not say."""
    named = getattr(message, "session_id", None) or (getattr(message, "data", None) or {}).get("session_id")
    return str(named or "")
