"""One tool's output as the prompt shows it: bounded, without noise; the whole is kept aside, found by pointer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID, uuid5

from cognitive.window import cutting
from cognitive.window.output_limits import OutputLimit, OutputLimits

_NAMESPACE = UUID("6f0d8a52-6a0e-5c1c-9d0e-0d6c3c0f7b11")  # of whole outputs; changing it orphans every pointer
_POINTER = re.compile(
    r"\[\.\.\. [\d,]{1,20} of [\d,]{1,20} characters left out; whole: artifact:"
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\]"
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Output:
    """A tool's output as the prompt shows it. `whole` is what to store under `pointer`; None if nothing was left out.

    `before` is the length of what came in, in characters; `notes` say what was done to it.
    """

    text: str
    whole: str | None
    pointer: UUID | None
    before: int
    notes: tuple[str, ...] = ()


def normalise(output: str, *, tool: str, session_id: str, limits: OutputLimits) -> Output:
    """The output within the limit of its tool; a function of its arguments.

    Applied to its own text it changes nothing.
    """
    whole = _UNSTORABLE.sub("\ufffd", output)
    limit = limits.of(tool)
    if len(whole) <= limit.characters:
        return Output(whole, None, None, len(output))
    pointer = uuid5(_NAMESPACE, f"{session_id}\0{whole}")
    text = _cut(whole, limit, pointer)
    return Output(text, whole, pointer, len(output), ("cut",))


def pointers(text: str) -> tuple[UUID, ...]:
    """The ids of the whole outputs that a text points to, in order."""
    return tuple(UUID(id) for id in _POINTER.findall(text))


def marker(left_out: int, before: int, pointer: UUID) -> str:
    """The fixed form in which a shortened output says where the whole is."""
    return f"[... {left_out:,} of {before:,} characters left out; whole: artifact:{pointer}]"


def _cut(whole: str, limit: OutputLimit, pointer: UUID) -> str:
    room = limit.characters - len(marker(len(whole), len(whole), pointer)) - 2
    head, tail = cutting.head(whole, room - room // 2), cutting.tail(whole, room // 2)
    return "\n".join([head, marker(len(whole) - len(head) - len(tail), len(whole), pointer), tail])
