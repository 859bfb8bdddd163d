"""Pydantic AI on its own FunctionModel."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from harness import EVERYTHING, NONE, Call, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from cognitive import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.pydantic_ai import CognitiveCapability


class _Session:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.history: list[ModelMessage] = []
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.agent: Agent[None, str]

    def model(self, name: str) -> FunctionModel:
        def step(messages: list[ModelMessage], info: AgentInfo) -> Call | Say:
            self.run_result.requests.append(_request(name, messages, info))
            now = self.script.pop(0)
            if isinstance(now, Fail):
                raise ModelDown
            return now

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            now = step(messages, info)
            part = TextPart(now.text) if isinstance(now, Say) else ToolCallPart(now.name, dict(now.arguments))
            return ModelResponse([part])

        async def pieces(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            now = step(messages, info)
            if isinstance(now, Call):
                yield {0: DeltaToolCall(now.name, ToolCallPart(now.name, dict(now.arguments)).args_as_json_str())}
                return
            for word in now.text.split(" "):
                yield word if now.text.startswith(word) else f" {word}"

        return FunctionModel(answer, stream_function=pieces, model_name=name, profile={"supports_thinking": True})

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        conversation: Mapping[str, Any] = {"message_history": self.history, "conversation_id": self.session_id}
        try:
            if stream:
                await self._stream(text, conversation, abandon)
            else:
                result = await self.agent.run(text, **conversation)
                self.run_result.response, self.history = result.output, result.all_messages()
        except Exception as error:
            self.run_result.error = error
        self.run_result.history = "\n".join(map(repr, self.history))
        return self.run_result

    async def ask(self, user: str, text: str) -> None:
        deps: Any = {"user_id": user, "tenant": f"tenant-{user}"}
        await self.agent.run(text, conversation_id=user, deps=deps)

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        try:
            self.run_result.response = self.agent.run_sync(text, conversation_id=self.session_id).output
        except ModelDown as error:
            self.run_result.error = error
        return self.run_result

    async def _stream(self, text: str, conversation: Mapping[str, Any], abandon: bool) -> None:
        async with self.agent.run_stream(text, **conversation) as result:
            async for _ in result.stream_text(delta=True, debounce_by=None):
                if abandon:
                    return
            self.run_result.response, self.history = await result.get_output(), result.all_messages()


def _request(model: str, messages: Sequence[ModelMessage], info: AgentInfo) -> Request:
    return Request(
        system=info.instructions or "",
        messages=tuple(pair for message in messages for pair in _pairs(message)),
        tools={tool.name: tool.description or "" for tool in info.function_tools},
        thinking=info.model_request_parameters.thinking,
        model=model,
    )


_ROLES = {"user-prompt": "user", "tool-return": "tool", "retry-prompt": "tool", "system-prompt": "system"}


def _pairs(message: ModelMessage) -> list[tuple[str, str]]:
    if isinstance(message, ModelRequest):
        return [(_ROLES[part.part_kind], str(part.content)) for part in message.parts]
    return [("assistant", part.content if isinstance(part, TextPart) else repr(part.args)) for part in message.parts]


class _PydanticAI:
    name = "pydantic-ai"
    user = None
    can = EVERYTHING | {"synchronous"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context.deps["tenant"])

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
        session = _Session(session_id)
        capability = CognitiveCapability(
            layer, agent_id, user_id=user_id, model=model, models={name: session.model(name) for name in models}
        )
        session.agent = Agent(
            session.model("main"),
            instructions=system,
            capabilities=[capability],
            tools=[
                Tool(each, name=each.__name__, description=each.__doc__) for each in functions(session, nested, tools)
            ],
        )
        for question, reply in history:
            session.history += [ModelRequest([UserPromptPart(question)]), ModelResponse([TextPart(reply)])]
        return session


HARNESS = _PydanticAI()
