"""Where in the prompt the memories stand: rows of a table, a function of strings for each placement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cognitive.policy.defaults import Placement
from cognitive.prompt.markup import tail


@dataclass(frozen=True, slots=True)
class Parts:
    """What a prompt is made of, beside the conversation. Empty strings and a hint of None leave nothing behind."""

    system: str
    prefix: str
    message: str
    hint: str | None
    block: str


@dataclass(frozen=True, slots=True)
class Placed:
    """The system message, the user's message as it is sent, and as the host should keep it."""

    system: str
    sent: str
    kept: str


def place(parts: Parts, placement: Placement) -> Placed:
    """The parts where the placement says."""
    return _PLACEMENTS[placement](parts)


def _user_tail(parts: Parts) -> Placed:
    return Placed(_stable(parts), tail(parts.message, parts.hint, parts.block), parts.message)


def _journaled(parts: Parts) -> Placed:
    sent = tail(parts.message, parts.hint, parts.block)
    return Placed(_stable(parts), sent, sent)


def _system(parts: Parts) -> Placed:
    return Placed(tail(_stable(parts), parts.hint, parts.block), parts.message, parts.message)


def _stable(parts: Parts) -> str:
    return "\n\n".join(part for part in (parts.system, parts.prefix) if part)


_PLACEMENTS: Mapping[Placement, Callable[[Parts], Placed]] = {
    "user_tail": _user_tail,
    "journaled": _journaled,
    "system": _system,
}
