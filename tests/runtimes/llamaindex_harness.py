"""LlamaIndex on its own mock of a function-calling model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from inspect import iscoroutinefunction
from typing import Any

from harness import EVERYTHING, NONE, Call, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions
from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, LLMMetadata, ToolCallBlock
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool

from cognitive import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.llamaindex import CognitiveWorkflowAgent


class _Scripted(MockFunctionCallingLLM):
    name: str = "main"
    reasoning_effort: str | None = None
    session: Any = None

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True, model_name=self.name)

    def _get_response_generator(self) -> Callable[..., Any]:
        return lambda messages, **named: self.session.next(self, messages, named.get("tools") or [])


TENANT: ContextVar[str] = ContextVar("tenant")  # the options of a run have no place for it


class _Session:
    def __init__(self, session_id: str) -> None:
        self.memory = ChatMemoryBuffer.from_defaults(chat_store_key=session_id, token_limit=10_000_000)
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.agent: CognitiveWorkflowAgent

    def next(self, model: _Scripted, messages: Sequence[ChatMessage], tools: Sequence[Any]) -> ChatMessage:
        self.run_result.requests.append(
            Request(
                system="\n".join(each.content or "" for each in messages if each.role == "system"),
                messages=tuple((each.role.value, _text(each)) for each in messages if each.role != "system"),
                tools={each.metadata.get_name(): each.metadata.description for each in tools},
                thinking=model.reasoning_effort,
                model=model.name,
            )
        )
        match self.script.pop(0):
            case Say(text):
                return ChatMessage(role="assistant", content=text)
            case Call(name, arguments):
                id = f"call-{len(self.script)}"
                block = ToolCallBlock(tool_call_id=id, tool_name=name, tool_kwargs=dict(arguments))
                return ChatMessage(role="assistant", blocks=[block])
            case Fail():
                raise ModelDown
        raise AssertionError

    async def ask(self, user: str, text: str) -> None:
        TENANT.set(f"tenant-{user}")
        memory = ChatMemoryBuffer.from_defaults(chat_store_key=user, token_limit=10_000_000)
        await self.agent.run(text, memory=memory, user_id=user)

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        self.agent.agent.streaming = stream
        try:
            running = self.agent.run(text, memory=self.memory)
            if stream:
                async for event in running.stream_events():
                    if abandon and isinstance(event, AgentStream):
                        await running.cancel_run()
                        break
            self.run_result.response = (await running).response.content
        except Exception as error:
            self.run_result.error = error
        self.run_result.history = "\n".join(map(repr, self.memory.get_all()))
        return self.run_result


def _text(message: ChatMessage) -> str:
    calls = [str(each.tool_kwargs) for each in message.blocks if isinstance(each, ToolCallBlock)]
    return "\n".join([*([message.content] if message.content else []), *calls])


class _LlamaIndex:
    name = "llamaindex"
    user = None
    can = EVERYTHING - {"compacts"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(TENANT.get())

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
        agent = FunctionAgent(
            llm=_Scripted(session=session),
            system_prompt=system,
            tools=[_tool(each) for each in functions(session, nested, tools)],
        )
        further = {name: _Scripted(session=session, name=name) for name in models}
        session.agent = CognitiveWorkflowAgent(agent, layer, agent_id, user_id=user_id, model=model, models=further)
        for question, reply in history:
            session.memory.put(ChatMessage(role="user", content=question))
            session.memory.put(ChatMessage(role="assistant", content=reply))
        return session


def _tool(function: Callable[..., Any]) -> FunctionTool:
    how = "async_fn" if iscoroutinefunction(function) else "fn"
    return FunctionTool.from_defaults(**{how: function}, name=function.__name__, description=function.__doc__)


HARNESS = _LlamaIndex()
