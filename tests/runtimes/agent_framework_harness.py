"""Microsoft Agent Framework on a scripted client of its BaseChatClient, as it has no client for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
    ResponseStream,
)
from harness import EVERYTHING, NONE, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions

from cognitive import CognitiveLayer
from cognitive.runtimes.agent_framework import CognitiveContextProvider
from cognitive.runtimes.identity import AgentIdSource, UserIdSource


class _Client(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    def __init__(self, session: _Session) -> None:
        super().__init__()
        self.session = session

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        if stream:
            return ResponseStream(self._pieces(messages, options), finalizer=ChatResponse.from_updates)
        return self._answer(messages, options)

    async def _answer(self, messages: Any, options: Any) -> ChatResponse[Any]:
        return ChatResponse(messages=[Message("assistant", [self.session.step(messages, options)])])

    async def _pieces(self, messages: Any, options: Any) -> AsyncIterator[ChatResponseUpdate]:
        content = self.session.step(messages, options)
        words = content.text.split(" ") if content.type == "text" else []
        pieces = [Content.from_text(f" {word}" if n else word) for n, word in enumerate(words)] or [content]
        for piece in pieces:
            yield ChatResponseUpdate(role="assistant", contents=[piece])


class _Session:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.calls_made = 0
        self.before: list[Message] = []
        self.agent: Agent
        self.stored_session: Any = None

    def step(self, messages: Any, options: Any) -> Content:
        self.run_result.requests.append(_request(messages, options))
        now = self.script.pop(0)
        if isinstance(now, Fail):
            raise ModelDown
        self.calls_made += 1
        if isinstance(now, Say):
            return Content.from_text(now.text)
        return Content.from_function_call(f"call-{self.calls_made}", now.name, arguments=dict(now.arguments))

    async def ask(self, user: str, text: str) -> None:
        session = self.agent.create_session(session_id=self.session_id)
        session.state.update(user_id=user, tenant=f"tenant-{user}")
        await self.agent.run(text, session=session)

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        if self.stored_session is None:
            self.stored_session = self.agent.create_session(session_id=self.session_id)
            self.stored_session.state["history"] = {"messages": self.before}
        try:
            if stream:
                await self._stream(text, abandon)
            else:
                self.run_result.response = (await self.agent.run(text, session=self.stored_session)).text
        except Exception as error:
            self.run_result.error = error
        stored = self.stored_session.state["history"].get("messages", [])
        self.run_result.history = "\n".join(repr(message.to_dict()) for message in stored)
        return self.run_result

    async def _stream(self, text: str, abandon: bool) -> None:
        async with self.agent.run(text, session=self.stored_session, stream=True) as stream:
            async for _ in stream:
                if abandon:
                    return
            self.run_result.response = (await stream.get_final_response()).text


def _request(messages: Sequence[Message], options: Mapping[str, Any]) -> Request:
    return Request(
        system=options.get("instructions") or "",
        messages=tuple(_pair(message) for message in messages),
        tools={each.name: each.description for each in options.get("tools") or []},
        thinking=options["reasoning"].get("effort"),
        model=options.get("model", "main"),
    )


def _pair(message: Message) -> tuple[str, str]:
    parts = [
        str(each.result) if each.type == "function_result" else each.text or str(each.arguments)
        for each in message.contents
    ]
    return str(message.role), "\n".join(parts)


class _AgentFramework:
    name = "agent-framework"
    user = None
    can = EVERYTHING

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context.state["tenant"])

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
        provider = CognitiveContextProvider(
            layer, agent_id, user_id=user_id, model=model, models={name: name for name in models}
        )
        session.agent = Agent(
            _Client(session),
            system,
            tools=[
                FunctionTool(name=each.__name__, description=each.__doc__ or "", func=each)
                for each in functions(session, nested, tools)
            ],
            context_providers=[InMemoryHistoryProvider("history"), provider],
            default_options={"reasoning": {}},
        )
        for question, reply in history:
            session.before += [Message("user", [question]), Message("assistant", [reply])]
        return session


HARNESS = _AgentFramework()
