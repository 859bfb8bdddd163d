"""Adapter for CrewAI: a wrapper of a crew that runs each task as one turn with memory.

    with Blocking.open() as layer:
        CognitiveCrew(crew, layer, "my-agent").kickoff({"topic": "..."}, session_id="s1")

CrewAI is synchronous, so the memory layer is a `Blocking`, or one whose event loop runs in another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from cognitive.extras import extra

with extra("crewai"):
    from crewai import Crew  # type: ignore[import-not-found]
    from crewai import hooks as crew_hooks


from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes import chat
from cognitive.runtimes.codec import WrappedMessage
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.tools import to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import Status

_POINTS = ("before_llm_call", "after_llm_call", "before_tool_call", "after_tool_call")


class CognitiveCrew:
    """A wrapper that adds memories to each task of a crew, and shortens long conversations to fit the model.

    Each task is one turn of the memory layer, with the task's description as the user's message. CrewAI's hooks cannot
    hide a tool, so calls of tools that the turn removed are blocked. They cannot set the level of thinking or the model
    either. The hooks are registered during a kickoff and ignore other crews. A kickoff that begins while another one
    runs uses a copy of the crew. Functions of the run's context get the inputs of the kickoff.
    """

    def __init__(
        self,
        crew: Crew,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
        model: str | None = None,
    ) -> None:
        self.crew = crew
        self._binding = AgentBinding(layer, agent_id, runtime="crewai", user_id=user_id, model=model)
        self._runs: dict[int, _Kickoff] = {}  # by the ids of their crews
        self._hooks = {point: self._hook(point) for point in _POINTS}
        self._unused: Crew | None = None
        self._lock = Lock()

    def kickoff(
        self, inputs: Mapping[str, Any] | None = None, *, session_id: str = "default", user_id: str | None = None
    ) -> Any:
        """Run the crew and return its result. Each task runs as one turn of the session `session_id` of the user."""
        outer = self._binding.turn(session_id, run_context=inputs or {}, user_id=user_id)
        crew, run = self._start(outer)
        try:
            with run.ends_turns(), outer.as_parent():
                return crew.kickoff(inputs=dict(inputs or {}))
        finally:
            self._stop(crew)

    def _start(self, outer: TurnSession) -> tuple[Crew, _Kickoff]:
        """Return the crew and a new run of it, or a copy of the crew while another kickoff runs.

        CrewAI's hooks know crews but no runs. A kickoff writes its inputs into the crew's tasks, so copies are made of
        the crew before its first kickoff.
        """
        with self._lock:
            self._unused = self._unused or self.crew.copy()
            crew = self._unused.copy() if id(self.crew) in self._runs else self.crew
            if not self._runs:
                for point, hook in self._hooks.items():
                    getattr(crew_hooks, f"register_{point}_hook")(hook)
            run = self._runs[id(crew)] = _Kickoff(self._binding, crew, outer)
        return crew, run

    def _stop(self, crew: Crew) -> None:
        with self._lock:
            del self._runs[id(crew)]
            if not self._runs:
                for point, hook in self._hooks.items():
                    getattr(crew_hooks, f"unregister_{point}_hook")(hook)

    def _hook(self, point: str) -> Callable[[Any], bool | None]:
        """Return the hook of a point. CrewAI's agents keep the hooks of their first kickoff, so it finds the run."""

        def hook(context: Any) -> bool | None:
            run = self._runs.get(id(context.crew))
            result: bool | None = getattr(run, point)(context) if run is not None else None
            return result

        return hook


class _Kickoff:
    """The state of one run of a crew: the turn of each task. Its methods are the hooks that CrewAI calls."""

    def __init__(self, binding: AgentBinding, crew: Crew, outer: TurnSession) -> None:
        self._binding = binding
        self._crew = crew
        self._outer = outer
        self._turns: dict[int, tuple[Any, TurnSession]] = {}
        self._own_messages: dict[int, list[chat.JsonObject]] = {}

    @contextmanager
    def ends_turns(self) -> Iterator[None]:
        """End all turns when the block ends."""
        try:
            yield
            self._end("completed")
        except Exception:
            self._end("failed")
            raise
        finally:
            self._end("abandoned")

    def _end(self, status: Status) -> None:
        for task, turn in self._turns.values():
            if task.output is not None:  # this task completed, even if another one failed
                turn.end("completed", str(task.output.raw))
            turn.end(status)

    def _turn(self, context: Any) -> TurnSession | None:
        """Return the turn of a hook's task, or None if the hook was called for another crew or without a task."""
        if context.crew is not self._crew or context.task is None:
            return None
        turn = TurnSession(self._binding, self._outer.session_id, self._outer.kind, self._outer.scope)
        return self._turns.setdefault(id(context.task), (context.task, turn))[1]

    def before_llm_call(self, context: Any) -> None:
        """Begin the turn with its first model call, and prepare the messages for this call only."""
        if (turn := self._turn(context)) is None:
            return
        system, messages = chat.split_system(list(context.messages))
        text = context.task.description  # without the text that CrewAI adds to the description
        conversation = [
            WrappedMessage.wrap(each.native, "user", text) if text in each.content else each
            for each in chat.CODEC.decode(messages)
        ]
        if not turn.has_begun:
            tools = [to_tool(each.name, each.description, _parameters(each)) for each in _tools(context)]
            self._binding.wait(turn.begin(text, (), tools, model=getattr(context.llm, "model", None)))
        self._own_messages[id(context.task)] = list(context.messages)
        prepared = self._binding.wait(turn.encode_messages(chat.CODEC, conversation))
        context.messages[:] = [
            *chat.with_system(system, turn.system("\n\n".join(map(chat.message_text, system)))),
            *prepared,
        ]

    def after_llm_call(self, context: Any) -> None:
        """Restore the crew's own messages after a model call, since the prepared messages were for that call only."""
        own_messages = self._own_messages.pop(id(context.task), None)
        if own_messages is not None and context.crew is self._crew:
            context.messages[:] = own_messages

    def before_tool_call(self, context: Any) -> bool | None:
        """Return False, which blocks the call, if the turn removed the tool."""
        turn = self._turn(context)
        return False if turn is not None and turn.denies(context.tool_name) else None

    def after_tool_call(self, context: Any) -> None:
        """Record a tool call and its result in the turn."""
        if (turn := self._turn(context)) is not None:
            turn.record_tool_call(context.tool_name, context.tool_input, context.tool_result)


def _tools(context: Any) -> list[Any]:
    """Return the tools of a hook's task, or else those of its agent, as CrewAI does."""
    return list(getattr(context.task, "tools", None) or getattr(context.agent, "tools", None) or ())


def _parameters(tool: Any) -> dict[str, Any] | None:
    schema = getattr(tool, "args_schema", None)
    return schema.model_json_schema() if schema is not None else None
