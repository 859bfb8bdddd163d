"""What earlier turns showed: kept out of the conversation, or, where it stays there, not shown a second time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from brain.search import Hit
from cognitive.markup import records, without_injected
from cognitive.policy import Placement
from cognitive.recording import Standing
from cognitive.trace import Candidate, Fate, Sifted
from cognitive.turn import Message

_CARRIERS = frozenset({"user", "system"})  # what tools and the model said stays theirs, whatever it repeats


def history(conversation: Sequence[Message], placement: Placement) -> tuple[Message, ...]:
    """The conversation as the model should see it again.

    Blocks and hints of earlier turns stand there for good where they are journaled, byte for byte. Elsewhere a host has
    kept them by mistake: they go, and so does a message that held nothing else.
    """
    if placement == "journaled":
        return tuple(conversation)
    cleared = [(_cleared(message), message) for message in conversation]
    return tuple(now for now, was in cleared if now is was or now.content.strip() or now.tool_calls)


def standing(hits: Sequence[Hit], conversation: Sequence[Message], line: Callable[[Hit], str]) -> tuple[Standing, ...]:
    """Of what was found, what the conversation still shows as it would be rendered now, and how many messages back."""
    back: dict[str, int] = {}
    for distance, message in enumerate(reversed(conversation), 1):
        if message.role in _CARRIERS:
            for record in records(message.content):
                back.setdefault(record, distance)
    if not back:
        return ()
    found = ((hit, back.get(line(hit))) for hit in hits)
    return tuple((hit.memory_id, hit.ordinal, distance) for hit, distance in found if distance is not None)


def drop_standing(candidates: Sequence[Candidate], standing: Sequence[Standing]) -> Sifted:
    """Leaves out what the conversation still shows. It has had its place among the candidates: nobody moves up."""
    distances = {(memory_id, ordinal): distance for memory_id, ordinal, distance in standing}
    kept, dropped = [], []
    for candidate in candidates:
        distance = distances.get((candidate.hit.memory_id, candidate.hit.ordinal))
        if distance is None:
            kept.append(candidate)
        else:
            told = f"the conversation still shows it, {distance} messages back"
            dropped.append(Fate(candidate, "standing", distance, told))
    return Sifted(tuple(kept), tuple(dropped))


def _cleared(message: Message) -> Message:
    """The message without what was injected into it; the same object if that is nothing."""
    if message.role not in _CARRIERS:
        return message
    content = without_injected(message.content)
    return message if content == message.content else message.model_copy(update={"content": content})
