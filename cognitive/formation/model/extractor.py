"""Ask a model of the host's which memories exchanges form, and read its answer.

An answer is JSON, alone or within other text, as an object or as a list of entries.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brain.errors import InvalidInput
from cognitive.errors import CognitiveError
from cognitive.formation.extract import KINDS
from cognitive.formation.model.checks import FormedByModel, Rejection, allowed
from cognitive.formation.model.prompt import Exchange, Nearby, request
from cognitive.policy.outcomes import FormationKind as Kind
from cognitive.tokens import count
from cognitive.validation import require_label

Ask = Callable[[str], Awaitable[str]]
Moment = int | Literal["idle", "session_end"]

_MAX_ANSWER = 100_000  # characters that are read
_MAX_TRIED = 50  # brackets at which JSON may begin
_LISTS = ("memories", "additions", "add", "facts", "entries")  # names that models give to the list
_NOTHING = frozenset({"", "none", "nothing", "null", "n/a", "no memories"})


class UnreadableAnswer(CognitiveError):
    """The model's answer has no JSON of the requested form."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply about exchanges: the memories, why others were rejected, and the tokens that it cost."""

    formed: Sequence[FormedByModel]
    rejected: Sequence[Rejection]
    tokens: int


class ModelExtractor:
    """Forms memories with a model: any async callable from a prompt to the model's text.

    Args:
        ask: sends a prompt to a model and returns its text. If it raises an error, the exchanges are tried again later.
        name: names the model in `formed_by` of the memories.
        after: when the model reads a session: after a number of turns (1: after each), when the session was "idle"
            for `idle_seconds`, or at "session_end". What is left is read when the session ends, or by a later process.
        idle_seconds: seconds without a turn after which a session is idle.
        tokens_per_day: estimated tokens of requests and answers per agent and day (UTC); the rest waits for the next.
        timeout: seconds after which a request has failed.

    Raises:
        InvalidInput: an argument is out of range.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        name: str = "model",
        after: Moment = 1,
        idle_seconds: float = 600.0,
        tokens_per_day: int = 500_000,
        timeout: float = 60.0,
    ) -> None:
        if not callable(ask):
            raise InvalidInput("ask: expected an async function from a prompt to the model's text")
        if after not in ("idle", "session_end") and not (isinstance(after, int) and after >= 1):
            raise InvalidInput(f"after: expected a number of turns, 'idle' or 'session_end', got {after!r}")
        for field, value in (("idle_seconds", idle_seconds), ("tokens_per_day", tokens_per_day), ("timeout", timeout)):
            if not value > 0:
                raise InvalidInput(f"{field}: expected a positive number, got {value!r}")
        self._ask = ask
        self.name = require_label("name", name)
        self.after = after
        self.idle_seconds = idle_seconds
        self.tokens_per_day = tokens_per_day
        self.timeout = timeout

    async def read(
        self,
        exchanges: Sequence[Exchange],
        nearby: Sequence[Nearby] = (),
        *,
        kinds: Sequence[Kind] = KINDS,
        instructions: str = "",
    ) -> ModelReply:
        """Return what the model forms of exchanges, within the bounds of `checks`.

        Args:
            exchanges: what was said, oldest first.
            nearby: stored memories of the same user on the same matter; only these may be replaced.
            kinds: the kinds that may be formed.
            instructions: the host's instructions to the model.

        Raises:
            UnreadableAnswer: the model's answer has no list of memories.
            Exception: whatever `ask` raises.
        """
        prompt = request(exchanges, nearby, kinds=kinds, instructions=instructions)
        answer = await self._ask(prompt)
        formed, rejected = allowed(entries(answer), exchanges, nearby, kinds)
        return ModelReply(formed, rejected, count(prompt) + count(answer))


def entries(answer: str) -> list[Mapping[str, Any]]:
    """Return the entries of a model's answer, unchecked; an empty list if it says that there is nothing.

    Raises:
        UnreadableAnswer: the answer has no list of entries.
    """
    if not isinstance(answer, str):
        raise UnreadableAnswer(f"the model returned {type(answer).__name__}, expected text")
    if answer.strip("`. \n").lower() in _NOTHING:
        return []
    for value in _values(answer[:_MAX_ANSWER]):
        found = _listed(value)
        if found is not None:
            return [each for each in found if isinstance(each, dict)]
    raise UnreadableAnswer(f"no list of memories in the answer: {answer[:80]!r}")


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values that begin at a bracket, the outermost first."""
    decoder, start, tried = json.JSONDecoder(), 0, 0
    while tried < _MAX_TRIED:
        places = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
        if not places:
            return
        start, tried = min(places), tried + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        yield value
        start = end


def _listed(value: Any) -> list[Any] | None:
    """Return the list of entries in a JSON value, or None if it has none."""
    if isinstance(value, list):
        return value if all(isinstance(each, dict) for each in value) else None
    for name in _LISTS:
        if isinstance(value.get(name), list):
            return list(value[name])
    return [value] if "text" in value else None
