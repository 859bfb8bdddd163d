"""Strands on a subclass of its Model, as it has no model for tests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from harness import EVERYTHING, NONE, Call, Fail, ModelDown, Request, RunResult, Say, Session, Step, functions
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model

from cognitive import CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.strands import CognitiveStrandsPlugin


class _Session:
    def __init__(self) -> None:
        self.run_result = RunResult()
        self.script: list[Step] = []
        self.calls_made = 0
        self.agent: Agent
        self.plugin: CognitiveStrandsPlugin

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        try:
            if stream:
                await self._stream(text, abandon)
            else:
                self.run_result.response = str(await self.agent.invoke_async(text)).strip()
        except Exception as error:
            self.run_result.error = error
        self.run_result.history = "\n".join(map(repr, self.agent.messages))
        return self.run_result

    async def ask(self, user: str, text: str) -> None:
        agent = Agent(model=self.agent.model, plugins=[self.plugin], callback_handler=None)  # one conversation each
        await agent.invoke_async(text, invocation_state={"user_id": user, "tenant": f"tenant-{user}"})

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        self.run_result, self.script = RunResult(), list(script)
        try:
            self.run_result.response = str(self.agent(text)).strip()
        except Exception as error:
            self.run_result.error = error
        return self.run_result

    async def _stream(self, text: str, abandon: bool) -> None:
        async with aclosing(self.agent.stream_async(text)) as events:
            async for event in events:
                if abandon and "data" in event:
                    return
                if "result" in event:
                    self.run_result.response = str(event["result"]).strip()


class _Scripted(Model):
    def __init__(self, session: _Session, name: str) -> None:
        self.session = session
        self.name = name

    def update_config(self, **_: Any) -> None:
        raise NotImplementedError  # concurrent calls share the model, so its settings must not change

    def get_config(self) -> Any:
        return {"model_id": self.name}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **_: Any
    ) -> AsyncIterator[Any]:
        session = self.session
        session.run_result.requests.append(_request(self.name, messages, tool_specs or [], system_prompt))
        now = session.script.pop(0)
        if isinstance(now, Fail):
            raise ModelDown
        session.calls_made += 1
        yield {"messageStart": {"role": "assistant"}}
        async for event in _block(now, f"call-{session.calls_made}"):
            yield event
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if isinstance(now, Call) else "end_turn"}}


async def _block(now: Call | Say, id: str) -> AsyncIterator[Any]:
    if isinstance(now, Call):
        yield {"contentBlockStart": {"start": {"toolUse": {"name": now.name, "toolUseId": id}}}}
        yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(dict(now.arguments))}}}}
        return
    yield {"contentBlockStart": {"start": {}}}
    for n, word in enumerate(now.text.split(" ")):
        yield {"contentBlockDelta": {"delta": {"text": f" {word}" if n else word}}}


def _request(model: str, messages: Sequence[Any], tools: Sequence[Any], system: Any) -> Request:
    return Request(
        system=system if isinstance(system, str) else "\n\n".join(block["text"] for block in system or []),
        messages=tuple(pair for message in messages for pair in _pairs(message)),
        tools={each["name"]: each["description"] for each in tools},
        model=model,
    )


def _pairs(message: Any) -> list[tuple[str, str]]:
    text = "\n".join(block["text"] for block in message["content"] if "text" in block)
    calls = [repr(block["toolUse"]["input"]) for block in message["content"] if "toolUse" in block]
    results = [block["toolResult"]["content"] for block in message["content"] if "toolResult" in block]
    return [
        *([(message["role"], text)] if text else []),
        *(("assistant", each) for each in calls),
        *(("tool", "\n".join(block["text"] for block in each)) for each in results),
    ]


class _Strands:
    name = "strands"
    user = None
    can = EVERYTHING - {"thinking"} | {"synchronous"}

    @staticmethod
    def tenant(run_context: Any) -> str:
        return str(run_context.invocation_state["tenant"])

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
        session = _Session()
        further = {name: _Scripted(session, name) for name in models}
        session.plugin = CognitiveStrandsPlugin(
            layer, agent_id, user_id=user_id, session_id=session_id, model=model, models=further
        )
        session.agent = Agent(
            model=_Scripted(session, "main"),
            system_prompt=system,
            tools=[
                tool(name=each.__name__, description=each.__doc__)(each) for each in functions(session, nested, tools)
            ],
            plugins=[session.plugin],
            conversation_manager=NullConversationManager(),  # its default manager deletes messages that do not fit
            callback_handler=None,
        )
        for question, reply in history:
            session.agent.messages += [
                {"role": "user", "content": [{"text": question}]},
                {"role": "assistant", "content": [{"text": reply}]},
            ]
        return session


HARNESS = _Strands()
