"""The interface between the conformance suite and a framework.

A harness runs a turn on a scripted model of the framework and returns the requests of that model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Protocol, get_args

from cognitive import Blocking, CognitiveLayer
from cognitive.runtimes.identity import AgentIdSource, UserIdSource

Can = Literal[
    "hides_tools",  # a tool that the plan removes is not offered
    "denies_tools",  # a removed tool does not run if the model calls it
    "compacts",  # the model gets the shortened descriptions
    "thinking",  # the plan's level reaches the model call
    "routes_models",  # the plan's model replaces the agent's own
    "window",  # the conversation of each model call is bounded
    "history",  # the framework keeps the conversation between runs
    "system",  # the placement "system", and the prefix, reach the system prompt
    "journaled",
    "beside",  # the block is in a message of its own, where the framework puts it, not after the user's text
    "streams",
    "abandons",  # a stream that its reader abandons ends the turn
    "errors",  # a model's error ends the turn as failed
    "subagents",  # an agent run within a tool is not planned
    "nested_runs",  # an agent run within a tool is a run of the framework, not of its process
    "recall",  # the model can call recall_context
    "synchronous",  # the framework has a synchronous call, as `run_sync` of the session
]


EVERYTHING: frozenset[Can] = frozenset(get_args(Can)) - {"beside", "synchronous"}
NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Say:
    """A step in which the model answers with text."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A step in which the model calls a tool."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fail:
    """A step in which the model raises ModelDown."""


Step = Say | Call | Fail


class ModelDown(Exception):
    """The error that a scripted model raises."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the model: the system prompt, the other texts with their roles in order, and the tools."""

    system: str
    messages: tuple[tuple[str, str], ...]
    tools: Mapping[str, str]  # descriptions by name, in order
    thinking: Any = None  # in the framework's own form, which contains the level's name
    model: str = "main"

    @property
    def text(self) -> str:
        """All texts of the request."""
        return "\n".join((self.system, *(text for _, text in self.messages)))


@dataclass(slots=True)
class RunResult:
    """The result of a run: the model's requests, the response and the framework's history."""

    requests: list[Request] = field(default_factory=list)
    response: str | None = None
    error: BaseException | None = None
    history: str = ""  # the session's history in the framework, as text
    called: list[str] = field(default_factory=list)  # names of the tools that ran


class Session(Protocol):
    """A conversation with one agent of the framework.

    The agent has the tools `lookup` (returns "tool-says-<q>"), `exec` (returns "ran <command>") and those that `tools`
    adds. Other sessions may run concurrently.
    """

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> RunResult:
        """Run a turn. `abandon` leaves the stream after its first piece. `RunResult` contains errors of the model."""
        ...


class SyncSession(Session, Protocol):
    """A conversation with one agent of a framework that has a synchronous call."""

    def run_sync(self, text: str, script: Sequence[Step]) -> RunResult:
        """Run a turn by the framework's synchronous call. `RunResult` lacks the history."""
        ...


class SharedSession(Session, Protocol):
    """An adapter object that many users use at once."""

    run_result: RunResult
    script: list[Step]

    async def ask(self, user: str, text: str) -> None:
        """Run a turn of a user, in a conversation of the user, with "tenant-<user>" as the tenant of the run's context.

        The requests of all users are in `run_result`.
        """
        ...


class Endless(list[Step]):
    """A script whose only step is repeated."""

    def pop(self, index: Any = 0) -> Step:
        return self[0]


class Harness(Protocol):
    """A framework, as `HARNESS` of its module.

    `name` is the recorded runtime of its turns, and `user` the user that the framework names in `Session.run`.
    """

    name: str
    user: str | None
    can: frozenset[Can]

    def session(
        self,
        layer: CognitiveLayer | Blocking,
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
        """Return a conversation.

        With `nested`, a tool `delegate(q)` runs that session with the script [Say("delegated")]. `models`
        names further models that a plan may choose. `model` is the name of the main model that the adapter gets.
        `tools` maps further tools to descriptions: each takes `q` and returns "tool-says-<q>". `history` lists the
        exchanges (user's and assistant's text) that the framework's own history begins with. `agent_id` and `user_id`
        are those of the adapter.
        """
        ...

    @staticmethod
    def tenant(run_context: Any) -> str:
        """Return the tenant that `SharedSession.ask` put into a run's context."""
        ...


class _Running(Protocol):
    """A session whose tools record their calls in its result."""

    run_result: RunResult


def functions(session: _Running, nested: Session | None, further: Mapping[str, str]) -> list[Callable[..., Any]]:
    """Return the tools of a session with their names and docstrings. Frameworks wrap them."""

    def exec(command: str) -> str:
        """Runs a shell command."""
        session.run_result.called.append("exec")
        return f"ran {command}"

    async def delegate(q: str) -> str:
        """Asks another agent."""
        session.run_result.called.append("delegate")
        return (await nested.run(q, [Say("delegated")])).response or "nothing" if nested is not None else "nobody"

    lookup = _lookup_tool(session, "lookup", "Looks something up.")
    more = [_lookup_tool(session, *each) for each in further.items()]
    return [lookup, exec, *([delegate] if nested is not None else []), *more]


def _lookup_tool(session: _Running, name: str, description: str) -> Callable[..., Any]:
    def lookup(q: str) -> str:
        session.run_result.called.append(name)
        return f"tool-says-{q}"

    lookup.__name__, lookup.__doc__ = name, description
    return lookup
