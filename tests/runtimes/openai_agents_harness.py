"""OpenAI Agents SDK on its own ScriptedModel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents import Agent, FunctionTool, ModelSettings, RunConfig, SQLiteSession, function_tool
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call
from harness import EVERYTHING, NONE, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions
from openai.types.shared import Reasoning

from cognitive import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.openai_agents import CognitiveRunner

QUIET = RunConfig(tracing_disabled=True)


class _Session:
    def __init__(self, session_id: str) -> None:
        self.history = SQLiteSession(session_id)
        self.before: list[Any] = []
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.models: list[ScriptedModel] = []
        self.calls_made = 0
        self.agent: Agent[Any]
        self.runner: CognitiveRunner

    def model(self, name: str) -> ScriptedModel:
        self.models.append(_Scripted(name))
        return self.models[-1]

    def answer(self, name: str) -> Callable[[ModelCall], Any]:
        def answer(call: ModelCall) -> Any:
            self.run_result.requests.append(_request(name, call))
            now = self.script.pop(0)
            if isinstance(now, Fail):
                raise ModelDown
            self.calls_made += 1
            if isinstance(now, Say):
                return [assistant_message(now.text, item_id=f"message-{self.calls_made}")]
            return [function_call(now.name, dict(now.arguments), call_id=f"call-{self.calls_made}")]

        return answer

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        for model in self.models:
            model.extend([ModelStep.respond(self.answer(model.model))] * len(script))
        if self.before:
            await self.history.add_items(self.before)
            self.before = []
        try:
            if stream:
                await self._stream(text, abandon)
            else:
                result = await self.runner.run(self.agent, text, session=self.history, run_config=QUIET)
                self.run_result.response = result.final_output
        except Exception as error:
            self.run_result.error = error
        self.run_result.history = "\n".join(map(repr, await self.history.get_items()))
        return self.run_result

    async def ask(self, user: str, text: str) -> None:
        for model in self.models:
            model.extend([ModelStep.respond(self.answer(model.model))])
        context = {"user_id": user, "tenant": f"tenant-{user}"}
        await self.runner.run(self.agent, text, run_config=QUIET, context=context)

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        for model in self.models:
            model.extend([ModelStep.respond(self.answer(model.model))] * len(script))
        try:
            self.run_result.response = self.runner.run_sync(self.agent, text, run_config=QUIET).final_output
        except ModelDown as error:
            self.run_result.error = error
        return self.run_result

    async def _stream(self, text: str, abandon: bool) -> None:
        result = self.runner.run_streamed(self.agent, text, session=self.history, run_config=QUIET)
        async for event in result.stream_events():
            if abandon and event.type == "raw_response_event":
                result.cancel()
        self.run_result.response = result.final_output


class _Scripted(ScriptedModel):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.model = name


def _request(model: str, call: ModelCall) -> Request:
    return Request(
        system=call.system_instructions or "",
        messages=tuple(map(_pair, call.input)),
        tools={each.name: each.description for each in call.tools if isinstance(each, FunctionTool)},
        thinking=call.model_settings.reasoning.effort if call.model_settings.reasoning else None,
        model=model,
    )


def _pair(item: Mapping[str, Any]) -> tuple[str, str]:
    match item.get("type"):
        case "function_call":
            return "assistant", item["arguments"]
        case "function_call_output":
            return "tool", str(item["output"])
    content = item["content"]
    return item["role"], content if isinstance(content, str) else "".join(part["text"] for part in content)


class _OpenAIAgents:
    name = "openai-agents"
    user = None
    can = EVERYTHING | {"synchronous"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context["tenant"])

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
        further = {name: session.model(name) for name in models}
        session.runner = CognitiveRunner(layer, agent_id, user_id=user_id, model=model, models=further)
        session.agent = Agent(
            name="agent",
            instructions=system,
            model=session.model("main"),
            model_settings=ModelSettings(reasoning=Reasoning()),
            tools=[
                session.runner.recall_tool,
                *map(_tool, functions(session, nested, tools)),
            ],
        )
        for question, reply in history:
            session.before += [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]
        return session


def _tool(function: Callable[..., Any]) -> FunctionTool:
    return function_tool(function, name_override=function.__name__, description_override=function.__doc__)


HARNESS = _OpenAIAgents()
