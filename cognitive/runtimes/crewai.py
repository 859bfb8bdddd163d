"""CrewAI: a crew with memory around its kickoffs.

with Blocking.open() as layer:
    CognitiveCrew(crew, layer, "my-agent").kickoff({"topic": "..."}, session_id="s1")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from crewai import Crew  # type: ignore[import-not-found]
from crewai import hooks as crew_hooks

from cognitive.runtimes import chat
from cognitive.runtimes.blocking import Blocking, BlockingBinding
from cognitive.runtimes.codec import WrappedMessage
from cognitive.runtimes.tools import to_tool
from cognitive.runtimes.turn_session import TurnSession
from cognitive.turn import Status, TurnKind


class CognitiveCrew:
    """Memory, and a bounded conversation, for each task of a crew: a task is a turn, its description the user's words.

    CrewAI's hooks can neither hide a tool (its call is blocked) nor set the level of thinking or the model. They are
    registered for the time of a kickoff and see this crew's calls alone; a crew holds one kickoff at a time.
    """

    def __init__(
        self, crew: Crew, layer: Blocking, agent_id: str, *, user_id: str | None = None, model: str | None = None
    ) -> None:
        self.crew = crew
        self._binding = BlockingBinding(layer, agent_id, runtime="crewai", user_id=user_id, model=model)

    def kickoff(self, inputs: Mapping[str, Any] | None = None, *, session_id: str = "default") -> Any:
        """As the crew's own `kickoff`."""
        outer = self._binding.turn(session_id)
        run = _Kickoff(self._binding, self.crew, session_id, "subagent" if outer.has_begun else "user")
        with run.registered(), outer.as_parent():
            return self.crew.kickoff(inputs=dict(inputs or {}))


class _Kickoff:
    """The turns of one kickoff, by task."""

    def __init__(self, binding: BlockingBinding, crew: Crew, session_id: str, kind: TurnKind) -> None:
        self._binding = binding
        self._crew = crew
        self._session_id = session_id
        self._kind = kind
        self._turns: dict[int, tuple[Any, TurnSession]] = {}
        self._own_messages: dict[int, list[chat.JsonObject]] = {}

    @contextmanager
    def registered(self) -> Iterator[None]:
        """The hooks, for as long as the crew works; its turns end with it."""
        points = ("before_llm_call", "after_llm_call", "before_tool_call", "after_tool_call")
        with ExitStack() as stack:
            for point in points:
                hook = getattr(self, f"_{point}")
                getattr(crew_hooks, f"register_{point}_hook")(hook)
                stack.callback(getattr(crew_hooks, f"unregister_{point}_hook"), hook)
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
            if task.output is not None:  # what was done before another task failed was done
                turn.end("completed", str(task.output.raw))
            turn.end(status)

    def _turn(self, context: Any) -> TurnSession | None:
        """The turn of the task at hand, None for what is not this crew's."""
        if context.crew is not self._crew or context.task is None:
            return None
        made = TurnSession(self._binding, self._session_id, self._kind)
        return self._turns.setdefault(id(context.task), (context.task, made))[1]

    def _before_llm_call(self, context: Any) -> None:
        if (turn := self._turn(context)) is None:
            return
        first, rest = chat.split_system(list(context.messages))
        words = context.task.description  # without what CrewAI says around it
        said = [
            WrappedMessage.wrap(each.native, "user", words) if words in each.content else each
            for each in chat.CODEC.decode(rest)
        ]
        if not turn.has_begun:
            given = [to_tool(each.name, each.description, _parameters(each)) for each in _tools(context)]
            self._binding.wait(turn.begin(words, (), given, model=getattr(context.llm, "model", None)))
        self._own_messages[id(context.task)] = list(context.messages)
        shown = self._binding.wait(turn.encode_messages(chat.CODEC, said))
        context.messages[:] = [
            *chat.with_system(first, turn.system("\n\n".join(map(chat.message_text, first)))),
            *shown,
        ]

    def _after_llm_call(self, context: Any) -> None:
        """What was shown was for that call: the crew goes on from what it said itself."""
        bare = self._own_messages.pop(id(context.task), None)
        if bare is not None and context.crew is self._crew:
            context.messages[:] = bare

    def _before_tool_call(self, context: Any) -> bool | None:
        turn = self._turn(context)
        return False if turn is not None and turn.denies(context.tool_name) else None

    def _after_tool_call(self, context: Any) -> None:
        if (turn := self._turn(context)) is not None:
            turn.record_tool_call(context.tool_name, context.tool_input, context.tool_result)


def _tools(context: Any) -> list[Any]:
    """The task's tools, or else its agent's, as CrewAI has it."""
    return list(getattr(context.task, "tools", None) or getattr(context.agent, "tools", None) or ())


def _parameters(tool: Any) -> dict[str, Any] | None:
    schema = getattr(tool, "args_schema", None)
    return schema.model_json_schema() if schema is not None else None
