"""What the conformance suite asks of a framework: run a turn on a scripted model of its own, and tell what that saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Protocol, get_args

from cognitive import CognitiveLayer

Can = Literal[
    "hides_tools",  # a tool that the plan leaves out is not offered
    "denies_tools",  # nor does it run if the model names it all the same
    "compacts",  # descriptions that the catalog shortened are what the model is given
    "thinking",  # the plan's level reaches the model call
    "routes_models",  # the plan's model is called in place of the agent's own
    "window",  # the conversation of each model call is bounded
    "history",  # the framework keeps the conversation between runs
    "system",  # the placement "system", and the prefix, reach the system prompt
    "journaled",
    "beside",  # what is shown stands beside the user's words, where the framework puts it, and not behind them
    "streams",
    "abandons",  # a stream that its reader leaves ends the turn
    "errors",  # a model's error ends the turn as failed
    "subagents",  # an agent run within a tool is not planned
    "recall",  # the model can call recall_context
    "blocks",  # the framework blocks, so that its runs are in other threads than the layer
]


EVERYTHING: frozenset[Can] = frozenset(get_args(Can)) - {"beside", "blocks"}
NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Say:
    """The model answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls a tool."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fail:
    """The call of the model raises ModelDown."""


Step = Say | Call | Fail


class ModelDown(Exception):
    """What a scripted model raises."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a call of the model was given: texts by role in order, the system prompt apart."""

    system: str
    messages: tuple[tuple[str, str], ...]
    tools: Mapping[str, str]  # descriptions by name, in order
    thinking: Any = None  # as the framework spells it, the level's name in it
    model: str = "main"

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((self.system, *(text for _, text in self.messages)))


@dataclass(slots=True)
class Ran:
    """A run: what the model was given each time, what the user got, what the framework's history then holds."""

    requests: list[Request] = field(default_factory=list)
    response: str | None = None
    error: BaseException | None = None
    history: str = ""  # all that the framework keeps of the session, as text
    called: list[str] = field(default_factory=list)  # tools that really ran


class Session(Protocol):
    """One conversation with one agent of the framework, which has the tools `lookup` (returns "tool-says-<q>") and
    `exec` (returns "ran <command>"), and what `tools` adds. It works in its own time: other sessions may run beside it.
    """

    async def run(self, text: str, script: Sequence[Step], *, stream: bool = False, abandon: bool = False) -> Ran:
        """A turn. With `abandon` its stream is left after the first piece. Errors of the model come back in `Ran`."""
        ...


class Harness(Protocol):
    """A framework, `HARNESS` of its module; `name` is what is recorded of its turns as their runtime."""

    name: str
    can: frozenset[Can]

    def session(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        session_id: str,
        *,
        system: str = "base",
        nested: Session | None = None,
        models: Sequence[str] = (),
        model: str | None = None,
        tools: Mapping[str, str] = NONE,
        history: Sequence[tuple[str, str]] = (),
    ) -> Session:
        """A conversation. With `nested`, a tool `delegate(q)` runs that session with the script [Say("delegated")].

        `models` are the names of further models that a plan may ask for, `model` what the adapter is told of the main
        one. `tools` are further tools by description: each takes `q` and returns "tool-says-<q>". `history` are
        exchanges, user's and assistant's words, that the framework's own history begins with.
        """
        ...


class _Running(Protocol):
    """A session whose tools say there that they ran."""

    ran: Ran


def functions(session: _Running, nested: Session | None, further: Mapping[str, str]) -> list[Callable[..., Any]]:
    """The tools of a session, each named and described as the model is to know it; frameworks wrap them as theirs."""

    def exec(command: str) -> str:
        """Runs a shell command."""
        session.ran.called.append("exec")
        return f"ran {command}"

    async def delegate(q: str) -> str:
        """Asks another agent."""
        session.ran.called.append("delegate")
        return (await nested.run(q, [Say("delegated")])).response or "nothing" if nested is not None else "nobody"

    lookup = _saying(session, "lookup", "Looks something up.")
    more = [_saying(session, *each) for each in further.items()]
    return [lookup, exec, *([delegate] if nested is not None else []), *more]


def _saying(session: _Running, name: str, description: str) -> Callable[..., Any]:
    def saying(q: str) -> str:
        session.ran.called.append(name)
        return f"tool-says-{q}"

    saying.__name__, saying.__doc__ = name, description
    return saying
