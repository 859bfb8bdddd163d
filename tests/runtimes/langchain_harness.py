"""LangChain on a scripted chat model, with LangGraph's checkpointer as the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness import EVERYTHING, NONE, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver

from cognitive import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.langchain import CognitiveMiddleware

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}


class _Model(BaseChatModel):
    """A model that runs the next step of the session's script."""

    session: Any
    name_: str

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **settings: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool)["function"] for tool in tools], **settings)

    def _next(self, messages: Sequence[BaseMessage], settings: Mapping[str, Any]) -> AIMessage:
        ran, script = self.session.run_result, self.session.script
        ran.requests.append(_request(self.name_, messages, settings))
        step = script.pop(0)
        if isinstance(step, Fail):
            raise ModelDown
        if isinstance(step, Say):
            return AIMessage(step.text)
        return AIMessage("", tool_calls=[{"name": step.name, "args": dict(step.arguments), "id": f"c{len(script)}"}])

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **settings: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, settings))])

    async def _astream(self, messages: Any, stop: Any = None, run_manager: Any = None, **settings: Any) -> Any:
        message = self._next(messages, settings)
        if message.tool_calls:
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_calls=message.tool_calls))
            return
        for word in message.text.split(" "):
            piece = AIMessageChunk(word if message.text.startswith(word) else f" {word}")
            yield ChatGenerationChunk(message=piece)


def _request(name: str, messages: Sequence[BaseMessage], settings: Mapping[str, Any]) -> Request:
    system = [message.text for message in messages[:1] if message.type == "system"]
    return Request(
        system="".join(system),
        messages=tuple((_ROLES[m.type], m.text or repr(getattr(m, "tool_calls", ""))) for m in messages[len(system) :]),
        tools={tool["name"]: tool["description"] for tool in settings.get("tools", ())},
        thinking=settings.get("reasoning_effort"),
        model=name,
    )


class _Session:
    def __init__(self, session_id: str) -> None:
        self.config: Any = {"configurable": {"thread_id": session_id}}
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.history: list[BaseMessage] = []
        self.agent: Any

    def model(self, name: str) -> _Model:
        levels: Any = {"reasoning_effort_levels": ["low", "medium", "high"]}
        return _Model(session=self, name_=name, profile=levels)

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        state = {"messages": [*self.history, HumanMessage(text)]}
        self.history = []
        try:
            if stream:
                await self._stream(state, abandon)
            else:
                await self.agent.ainvoke(state, self.config)
        except ModelDown as error:
            self.run_result.error = error
        values = (await self.agent.aget_state(self.config)).values
        if self.run_result.error is None and not abandon:
            self.run_result.response = values["messages"][-1].text
        self.run_result.history = repr(values)
        return self.run_result

    async def ask(self, user: str, text: str) -> None:
        named = {"thread_id": user, "user_id": user, "tenant": f"tenant-{user}"}
        await self.agent.ainvoke({"messages": [HumanMessage(text)]}, {"configurable": named})

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        try:
            values = self.agent.invoke({"messages": [HumanMessage(text)]}, self.config)
            self.run_result.response = values["messages"][-1].text
        except ModelDown as error:
            self.run_result.error = error
        return self.run_result

    async def _stream(self, state: Any, abandon: bool) -> None:
        pieces = self.agent.astream(state, self.config, stream_mode="messages")
        async for _ in pieces:
            if abandon:
                break
        await pieces.aclose()


class _LangChain:
    name = "langchain"
    user = None
    can = EVERYTHING | {"synchronous"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context.configurable["tenant"])

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
        middleware = CognitiveMiddleware(
            layer, agent_id, user_id=user_id, model=model, models={name: session.model(name) for name in models}
        )
        session.agent = create_agent(
            session.model("main"),
            functions(session, nested, tools),
            system_prompt=system,
            middleware=[middleware],
            checkpointer=InMemorySaver(),
        )
        for question, reply in history:
            session.history += [HumanMessage(question), AIMessage(reply)]
        return session


HARNESS = _LangChain()
