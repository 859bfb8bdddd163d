"""Claude Agent SDK on a transport that speaks Claude Code's control protocol, without the binary."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, Transport, create_sdk_mcp_server, tool
from harness import NONE, Call, Can, Fail, ModelDown, Request, RunResult, Say, Session, Step

from cognitive import CognitiveLayer
from cognitive.runtimes.claude import CognitiveHooks
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.tools import RECALL_NAME

_TOOLS = {"lookup": "Looks something up.", "exec": "Runs a shell command."}


class ClaudeCode(Transport):
    """A stand-in for Claude Code: it runs hooks and tools, answers a prompt and keeps a transcript."""

    def __init__(self, session_id: str, system: str) -> None:
        self.session_id = session_id
        self.system = system
        self.servers: Sequence[str] = ()
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.transcript: list[tuple[str, str]] = []
        self._messages: asyncio.Queue[dict[str, Any] | None]
        self._hooks: dict[str, list[str]] = {}
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._numbers = itertools.count()
        self._greeted: set[str] = set()
        self.turn: asyncio.Task[None]

    async def connect(self) -> None:
        self._messages = asyncio.Queue()
        self._greeted.clear()

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...

    async def close(self) -> None:
        self.turn.cancel()
        self._hang_up()

    def _hang_up(self) -> None:
        self._messages.put_nowait(None)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (message := await self._messages.get()) is not None:
            yield message

    async def write(self, data: str) -> None:
        message = json.loads(data)
        match message["type"]:
            case "control_request" if message["request"]["subtype"] == "initialize":
                hooks = message["request"].get("hooks") or {}
                self._hooks = {
                    event: [id for m in each for id in m["hookCallbackIds"]] for event, each in hooks.items()
                }
                answer = {"subtype": "success", "request_id": message["request_id"], "response": {}}
                await self._messages.put({"type": "control_response", "response": answer})
            case "control_response":
                self._waiting.pop(message["response"]["request_id"]).set_result(message["response"])
            case "user":
                self.turn = asyncio.create_task(self._prompted(message["message"]["content"]))
                self.turn.add_done_callback(lambda turn: turn.cancelled() or (turn.exception() and self._hang_up()))

    async def _request(self, **request: Any) -> Any:
        """Return the SDK's answer to a request."""
        id = f"request-{next(self._numbers)}"
        waiting = self._waiting[id] = asyncio.get_running_loop().create_future()
        await self._messages.put({"type": "control_request", "request_id": id, "request": request})
        answer = await waiting
        assert answer["subtype"] == "success", answer
        return answer["response"]

    async def _fire(self, event: str, **data: Any) -> list[dict[str, Any]]:
        data |= {"hook_event_name": event, "session_id": self.session_id, "transcript_path": "", "cwd": "/"}
        answers = [
            await self._request(subtype="hook_callback", callback_id=id, tool_use_id=None, input=data)
            for id in self._hooks.get(event, ())
        ]
        return [answer["hookSpecificOutput"] for answer in answers if answer]

    async def _rpc(self, server: str, method: str, **params: Any) -> Any:
        if method != "initialize" and server not in self._greeted:
            self._greeted.add(server)
            client = {"name": "claude-code", "version": "2"}
            await self._rpc(server, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        answer = await self._request(subtype="mcp_message", server_name=server, message=message)
        return answer["mcp_response"]["result"]

    async def _prompted(self, prompt: str) -> None:
        for answer in await self._fire("UserPromptSubmit", prompt=prompt):
            self.transcript.append(("user", f"<system-reminder>\n{answer['additionalContext']}\n</system-reminder>"))
        self.transcript.append(("user", prompt))
        offered_tools = [each for server in self.servers for each in (await self._rpc(server, "tools/list"))["tools"]]
        tools = {each["name"]: each["description"] for each in offered_tools}
        for step in self.script:
            self.run_result.requests.append(Request(self.system, tuple(self.transcript), tools))
            match step:
                case Fail():
                    await self._fire("StopFailure", error="unknown", last_assistant_message="API Error: 400 down")
                    return await self._result(None)
                case Say(text):
                    await self._says([{"type": "text", "text": piece} for piece in text.split("\n")])
                    self.transcript.append(("assistant", text))
                    await self._fire("Stop", stop_hook_active=False, last_assistant_message=text)
                    return await self._result(text)
                case Call(name, arguments):
                    await self._called(name, dict(arguments))
        raise AssertionError("the script ends without an answer")

    async def _called(self, name: str, arguments: dict[str, Any], **within: Any) -> str:
        server = "cognitive" if name == RECALL_NAME else "shop"
        call = {
            "tool_name": f"mcp__{server}__{name}",
            "tool_input": arguments,
            "tool_use_id": f"toolu_{name}",
            **within,
        }
        await self._says(
            [{"type": "tool_use", "id": call["tool_use_id"], "name": call["tool_name"], "input": arguments}]
        )
        self.transcript.append(("assistant", json.dumps(arguments)))
        denied = [a for a in await self._fire("PreToolUse", **call) if a.get("permissionDecision") == "deny"]
        if denied:
            text = denied[0]["permissionDecisionReason"]
        else:
            content = (await self._rpc(server, "tools/call", name=name, arguments=arguments))["content"]
            text = content[0]["text"]
            if name == "delegate" and not within:  # a sub-agent of Claude Code has no prompt to hook
                await self._called("lookup", {"q": "of the sub-agent"}, agent_id="a1", agent_type="general-purpose")
                await self._fire("SubagentStop", stop_hook_active=False, agent_id="a1", agent_type="general-purpose")
            await self._fire("PostToolUse", **call, tool_response=content)
        self.transcript.append(("tool", text))
        return str(text)

    async def _says(self, content: list[dict[str, Any]]) -> None:
        message = {"role": "assistant", "model": "m", "content": content}
        event = {"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": self.session_id}
        await self._messages.put(event)

    async def _result(self, text: str | None) -> None:
        result = {
            "type": "result",
            "subtype": "success",
            "duration_ms": 1,
            "duration_api_ms": 1,
            "is_error": text is None,
            "num_turns": 1,
            "session_id": self.session_id,
            "result": text,
            "usage": {},
            "total_cost_usd": 0,
        }
        await self._messages.put(result)


class _Session:
    def __init__(self, code: ClaudeCode, hooks: CognitiveHooks, options: ClaudeAgentOptions) -> None:
        self._code = code
        self._hooks = hooks
        self._options = options
        self.run_result = RunResult()
        self.script: list[Step] = []

    async def ask(self, user: str, text: str) -> None:
        code = ClaudeCode(f"tenant-{user}", "base")
        code.run_result, code.script = self.run_result, self.script
        options = self._hooks.options(self._options, user_id=user)
        code.servers = list(options.mcp_servers)
        async with ClaudeSDKClient(options, transport=code) as client:
            await client.query(text)
            async for _ in client.receive_response():
                pass
            await code.turn

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        code = self._code
        code.run_result, code.script = RunResult(), list(script)
        options = self._hooks.options(self._options)
        code.servers = list(options.mcp_servers)
        async with ClaudeSDKClient(options, transport=code) as client:
            await client.query(text)
            async with aclosing(self._hooks.track(client.receive_response())) as messages:
                async for message in messages:
                    if abandon:
                        break
                    if isinstance(message, ResultMessage):
                        code.run_result.response = message.result
                        code.run_result.error = ModelDown() if message.is_error else None
            if not abandon:
                await code.turn
        return code.run_result


class _Claude:
    name = "claude-agent-sdk"
    user = None
    can: frozenset[Can] = frozenset({"denies_tools", "beside", "streams", "abandons", "errors", "subagents", "recall"})

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context["session_id"])

    def session(
        self,
        layer: CognitiveLayer,
        agent_id: AgentIdSource,
        session_id: str,
        *,
        system: str = "base",
        nested: Session | None = None,
        models: Sequence[str] = (),
        model: str | None = None,
        tools: Mapping[str, str] = NONE,
        history: Sequence[tuple[str, str]] = (),
        user_id: UserIdSource = None,
    ) -> Session:
        offered_tools = {**_TOOLS, **({"delegate": "Asks another agent."} if nested is not None else {}), **tools}
        code = ClaudeCode(session_id, system)
        code.transcript += [pair for a, b in history for pair in (("user", a), ("assistant", b))]
        options = ClaudeAgentOptions(
            allowed_tools=[f"mcp__shop__{name}" for name in offered_tools],
            mcp_servers={
                "shop": create_sdk_mcp_server("shop", tools=[_tool(code, *each) for each in offered_tools.items()])
            },
        )
        return _Session(code, CognitiveHooks(layer, agent_id, user_id=user_id, model=model), options)


def _tool(code: ClaudeCode, name: str, description: str) -> Any:
    @tool(name, description, {"command" if name == "exec" else "q": str})
    async def run(data: dict[str, Any]) -> dict[str, Any]:
        code.run_result.called.append(name)
        text = f"ran {data['command']}" if name == "exec" else f"tool-says-{data['q']}"
        return {"content": [{"type": "text", "text": text}]}

    return run


HARNESS = _Claude()
