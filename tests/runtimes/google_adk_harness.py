"""Google ADK on a subclass of its BaseLlm, as it has no model for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from harness import EVERYTHING, NONE, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions

from cognitive import CognitiveLayer
from cognitive.runtimes.google_adk import CognitiveADKPlugin
from cognitive.runtimes.identity import AgentIdSource, UserIdSource

MAIN = "gemini-3-main"  # the plugin derives the form of thinking from the model family


class _Session:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.sessions = InMemorySessionService()
        self.before: list[tuple[str, str]] = []
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.runner: Runner

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        await self._remember()
        config = RunConfig(streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        events = self.runner.run_async(user_id="u", session_id=self.session_id, new_message=message, run_config=config)
        try:
            async with aclosing(events):
                async for event in events:
                    if abandon:
                        break
                    if event.is_final_response() and event.content:
                        self.run_result.response = "".join(part.text or "" for part in event.content.parts)
        except Exception as error:
            self.run_result.error = error
        stored = await self.sessions.get_session(app_name="app", user_id="u", session_id=self.session_id)
        self.run_result.history = "\n".join(repr(event.content) for event in stored.events)
        return self.run_result

    async def ask(self, user: str, text: str) -> None:
        named = {"app_name": "app", "user_id": user, "session_id": self.session_id}
        if await self.sessions.get_session(**named) is None:
            await self.sessions.create_session(**named, state={"tenant": f"tenant-{user}"})
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in self.runner.run_async(user_id=user, session_id=self.session_id, new_message=message):
            pass

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        try:
            for event in self.runner.run(user_id="u", session_id=self.session_id, new_message=message):
                if event.is_final_response() and event.content:
                    self.run_result.response = "".join(part.text or "" for part in event.content.parts)
        except ModelDown as error:
            self.run_result.error = error
        return self.run_result

    async def _remember(self) -> None:
        if not self.before:
            return
        session = await self.sessions.create_session(app_name="app", user_id="u", session_id=self.session_id)
        for author, text in self.before:
            role = "user" if author == "user" else "model"
            content = types.Content(role=role, parts=[types.Part(text=text)])
            await self.sessions.append_event(session, Event(author=author, content=content))
        self.before = []


class _Scripted(BaseLlm):
    session: Any

    async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        session: _Session = self.session
        session.run_result.requests.append(_request(request))
        now = session.script.pop(0)
        if isinstance(now, Fail):
            raise ModelDown
        if isinstance(now, Say):
            for piece in now.text.split(" ") if stream else ():
                yield LlmResponse(content=_content(types.Part(text=piece)), partial=True)
            yield LlmResponse(content=_content(types.Part(text=now.text)))
        else:
            yield LlmResponse(content=_content(types.Part.from_function_call(name=now.name, args=dict(now.arguments))))


def _content(part: types.Part) -> types.Content:
    return types.Content(role="model", parts=[part])


def _request(request: LlmRequest) -> Request:
    declared = [each for group in request.config.tools or [] for each in group.function_declarations or []]
    thinking = request.config.thinking_config
    return Request(
        system=str(request.config.system_instruction or ""),
        messages=tuple(pair for content in request.contents for pair in _pairs(content)),
        tools={each.name: each.description or "" for each in declared},
        thinking=thinking.thinking_level if thinking is not None else None,
        model=request.model.removeprefix("gemini-3-"),
    )


def _pairs(content: types.Content) -> list[tuple[str, str]]:
    text = "\n".join(part.text for part in content.parts if part.text)
    calls = [("assistant", repr(part.function_call.args)) for part in content.parts if part.function_call]
    results = [
        part.function_response.response.get("result", part.function_response.response)
        for part in content.parts
        if part.function_response
    ]
    texts = [("assistant" if content.role == "model" else "user", text)] if text else []
    return [*texts, *calls, *(("tool", str(result)) for result in results)]


class _GoogleADK:
    name = "google-adk"
    user = "u"
    can = EVERYTHING | {"synchronous"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context.session.state["tenant"])

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
        agent = LlmAgent(
            name="agent",
            model=_Scripted(model=MAIN, session=session),
            instruction=system,
            tools=functions(session, nested, tools),
        )
        further = {name: f"gemini-3-{name}" for name in models}
        session.runner = Runner(
            app=App(
                name="app",
                root_agent=agent,
                plugins=[CognitiveADKPlugin(layer, agent_id, user_id=user_id, model=model, models=further)],
            ),
            session_service=session.sessions,
            auto_create_session=True,
        )
        for question, reply in history:
            session.before += [("user", question), ("agent", reply)]
        return session


HARNESS = _GoogleADK()
