"""smolagents on a subclass of its model. The framework is synchronous, so each run has a thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from harness import EVERYTHING, NONE, Call, Fail, ModelDown, Request, RunResult, Say, Session, Step
from smolagents import ChatMessage, MessageRole, Model, Tool, ToolCallingAgent
from smolagents.memory import ActionStep, TaskStep
from smolagents.models import ChatMessageStreamDelta, ChatMessageToolCall, ChatMessageToolCallFunction
from smolagents.models import ChatMessageToolCallStreamDelta as CallDelta
from smolagents.monitoring import Timing

from brain.postgres import event_loop
from cognitive import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.smolagents import CognitiveMultiStepAgent


class _Scripted(Model):
    def __init__(self, name: str, session: _Session) -> None:
        super().__init__(model_id=name)
        self._session = session

    def generate(self, messages: Any, stop_sequences: Any = None, tools_to_call_from: Any = None, **named: Any) -> Any:
        function = self._session.next(self.model_id, messages, tools_to_call_from, named)
        return ChatMessage(MessageRole.ASSISTANT, "", [ChatMessageToolCall(function, "call", "function")])

    def generate_stream(self, messages: Any, **named: Any) -> Iterator[ChatMessageStreamDelta]:
        called = self.generate(messages, **named).tool_calls[0].function
        yield ChatMessageStreamDelta("")
        function = ChatMessageToolCallFunction(json.dumps(called.arguments), called.name)
        yield ChatMessageStreamDelta("", [CallDelta(0, "call", "function", function)])


class _Tool(Tool):
    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, name: str, description: str, argument: str, function: Callable[[str], str]) -> None:
        self.name, self.description = name, description
        self.inputs = {argument: {"type": "string", "description": "What for."}}
        self._function = function
        super().__init__()

    def forward(self, **arguments: str) -> str:
        return self._function(*arguments.values())


class _Session:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.thread = ThreadPoolExecutor(1)  # the loop's own threads stay free for the layer, which the run waits for
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.agent: CognitiveMultiStepAgent

    def next(self, model: str, messages: Any, tools: Any, named: Any) -> ChatMessageToolCallFunction:
        self.run_result.requests.append(_request(model, messages, tools, named))
        match self.script.pop(0):
            case Say(text):
                return ChatMessageToolCallFunction({"answer": text}, "final_answer")
            case Call(name, arguments):
                return ChatMessageToolCallFunction(dict(arguments), name)
            case Fail():
                raise ModelDown
        raise AssertionError

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        run = partial(copy_context().run, self._run, text, stream, abandon)
        return await asyncio.get_running_loop().run_in_executor(self.thread, run)

    async def ask(self, user: str, text: str) -> None:
        named = {"session_id": self.session_id, "user_id": user, "reset": False}
        named["additional_args"] = {"tenant": f"tenant-{user}"}
        await asyncio.to_thread(self.agent.run, text, **named)

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        return self._run(text, False, False)

    def _run(self, text: str, stream: bool, abandon: bool) -> RunResult:
        named = {"session_id": self.session_id, "reset": False, "stream": stream}
        try:
            output = self.agent.run(text, **named)
            if stream:
                for piece in output:
                    if abandon:
                        break
                    self.run_result.response = getattr(piece, "output", None)
            else:
                self.run_result.response = output
        except Exception as error:
            self.run_result.error = error
        self.run_result.history = "\n".join(map(repr, self.agent.agent.memory.steps))
        return self.run_result


_KINDS = {MessageRole.TOOL_CALL: "assistant", MessageRole.TOOL_RESPONSE: "tool"}


def _request(model: str, messages: Sequence[ChatMessage], tools: Sequence[Tool], named: Mapping[str, Any]) -> Request:
    texts = [(each.role, "\n".join(part["text"] for part in each.content)) for each in messages]
    return Request(
        system="\n".join(text for role, text in texts if role == MessageRole.SYSTEM),
        messages=tuple(
            (_KINDS.get(role, role.value), text.removeprefix("New task:\n"))
            for role, text in texts
            if role != MessageRole.SYSTEM
        ),
        tools={each.name: each.description for each in tools},
        thinking=named.get("reasoning_effort"),
        model=model,
    )


class _Smolagents:
    name = "smolagents"
    user = None
    can = EVERYTHING | {"synchronous"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context["additional_args"]["tenant"])

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
        session, loop = _Session(session_id), event_loop.running()
        tool_list = [_tool(session, name, description) for name, description in {**_TOOLS, **tools}.items()]
        if nested is not None:
            tool_list.append(
                _Tool("delegate", "Asks another agent.", "q", lambda q: _delegated(session, nested, loop, q))
            )
        agent = ToolCallingAgent(tool_list, _Scripted("main", session), verbosity_level=0, stream_outputs=True)
        agent.prompt_templates["system_prompt"] = system
        for question, reply in history:
            agent.memory.steps.append(TaskStep(question))
            agent.memory.steps.append(ActionStep(1, Timing(0.0), model_output=reply))
        further = {name: _Scripted(name, session) for name in models}
        session.agent = CognitiveMultiStepAgent(
            agent,
            layer,
            agent_id,
            user_id=user_id,
            model=model,
            models=further,
            thinking_argument="reasoning_effort",
        )
        return session


_TOOLS = {"lookup": "Looks something up.", "exec": "Runs a shell command."}


def _tool(session: _Session, name: str, description: str) -> Tool:
    def run(argument: str) -> str:
        session.run_result.called.append(name)
        return f"ran {argument}" if name == "exec" else f"tool-says-{argument}"

    return _Tool(name, description, "command" if name == "exec" else "q", run)


def _delegated(session: _Session, nested: Session, loop: asyncio.AbstractEventLoop, q: str) -> str:
    session.run_result.called.append("delegate")
    ran = asyncio.run_coroutine_threadsafe(nested.run(q, [Say("delegated")]), loop).result()
    return ran.response or "nothing"


HARNESS = _Smolagents()
