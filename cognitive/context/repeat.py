"""What earlier turns showed: kept out of the conversation, or, where it stays there, not shown a second time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from brain.contents import Key
from brain.search import Hit
from cognitive.policy.defaults import Placement
from cognitive.prompt import records, without_injected
from cognitive.recording.stages import Standing
from cognitive.trace import PASSED_OVER, Candidate, Fate, Sifted
from cognitive.turn import Message

_CARRIERS = frozenset({"user", "system"})  # words of tools and of the model stay as they are, whatever they repeat


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
    distances = _distances(standing)
    return Sifted(
        tuple(candidate for candidate in candidates if _key(candidate) not in distances),
        tuple(_stands(each, distances[_key(each)]) for each in candidates if _key(each) in distances),
    )


def retold(dropped: Sequence[Fate], standing: Sequence[Standing]) -> tuple[Fate, ...]:
    """The fates, in which a memory that was passed over but still stands in the conversation is said to stand there.

    The model sees it, so it must not be tried by exploration, nor judged as a decoy.
    """
    distances = _distances(standing)
    return tuple(
        _stands(fate.candidate, distances[_key(fate.candidate)])
        if fate.disposition in PASSED_OVER and _key(fate.candidate) in distances
        else fate
        for fate in dropped
    )


def _distances(standing: Sequence[Standing]) -> Mapping[Key, int]:
    return {(memory_id, ordinal): distance for memory_id, ordinal, distance in standing}


def _key(candidate: Candidate) -> Key:
    return candidate.hit.memory_id, candidate.hit.ordinal


def _stands(candidate: Candidate, distance: int) -> Fate:
    return Fate(candidate, "standing", distance, f"the conversation still shows it, {distance} messages back")


def _cleared(message: Message) -> Message:
    """The message without what was injected into it; the same object if that is nothing."""
    if message.role not in _CARRIERS:
        return message
    content = without_injected(message.content)
    return message if content == message.content else message.model_copy(update={"content": content})
