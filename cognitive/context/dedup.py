"""Deduplication: drop the candidate memories that would repeat text that the model sees already.

A candidate is a duplicate if the conversation window restates it, if a better candidate of the same turn says the same,
or if the memory block of an earlier turn that is still in the conversation shows it. `similarity.Thresholds` decides
whether two texts say the same. This module also removes the blocks of earlier turns from a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from brain.passage_texts import Key
from brain.search import Hit
from brain.text import sentence_spans, sentences
from brain.types import Vector
from cognitive.context import talk
from cognitive.context.duplicates import Distinct
from cognitive.context.sentences import ParsedSentence
from cognitive.context.similarity import SentenceSet, Thresholds
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.tables import Placement
from cognitive.prompt import memory_lines, without_injected
from cognitive.recording.record import AlreadyInPrompt
from cognitive.trace import PASSED_OVER, Candidate, CandidateResult, StageResult, WindowSimilarity
from cognitive.turn import Message

_TOGETHER = 3  # maximum number of consecutive sentences that are compared with a memory as one text
_KEY_WORD = r"[A-Za-zÀ-ɏ\d_'’-]{1,60}"  # of a script with spaces, where a message of one word is no sentence
_KEY_WORDS = re.compile(rf"\s*{_KEY_WORD}(?: {_KEY_WORD}){{0,2}}\s*")  # "guest wifi password"
_CUT = " … "  # replaces the sentences that an excerpt leaves out

_CARRIERS = frozenset({"user", "system"})  # roles of messages that may contain blocks; other messages never change
# Limits of what is compared with memories, so that a message of megabytes cannot exceed the deadline.
_MAX_PER_MESSAGE = 20_000  # characters, from the end of the message
_MAX_SENTENCES = 120
_MAX_SENTENCE_LENGTH = 2_000  # characters

Compare = Callable[[Sequence[Hit], Sequence[ParsedSentence]], Sequence[WindowSimilarity | None]]


def window_sentences(messages: Sequence[str]) -> list[str]:
    """Return the last statements in the messages of the conversation window, oldest first, to compare memories with.

    Questions, requests and messages of a few key words are left out: they contain the words of a memory without
    stating it.
    """
    stated = [
        sentence[:_MAX_SENTENCE_LENGTH]
        for message in messages
        if not _KEY_WORDS.fullmatch(message)
        for sentence in sentences(message[-_MAX_PER_MESSAGE:])
        if talk.states(sentence[:_MAX_SENTENCE_LENGTH])
    ]
    return stated[-_MAX_SENTENCES:]


def window(stated: Sequence[str], vectors: Mapping[str, Vector]) -> SentenceSet:
    """Return the statements of the conversation window in a form with which memories can be compared.

    Each statement is compared alone, and together with up to two statements before or after it. `vectors` has the
    embeddings by statement; a statement without one is compared by its word stems.
    """
    return SentenceSet([ParsedSentence.of(sentence, vectors.get(sentence)) for sentence in stated], together=_TOGETHER)


def window_comparer(statements: SentenceSet, policy: Policy) -> Compare:
    """Return a function that measures how similar memories are to the statements of the conversation window.

    If the policy shortens memories instead of dropping them, the function also compares each sentence of a memory.
    """

    def compare(hits: Sequence[Hit], own: Sequence[ParsedSentence]) -> Sequence[WindowSimilarity]:
        return [with_parts(hit, like) for hit, like in zip(hits, statements.similarities(own), strict=True)]

    def with_parts(hit: Hit, like: WindowSimilarity) -> WindowSimilarity:
        if policy.dedup.mode == "drop" or hit.partial or not len(statements):
            return like
        parts = [ParsedSentence.of(hit.content[start:end]) for start, end in sentence_spans(hit.content)]
        if len(parts) < 2:
            return like
        return replace(like, parts=tuple(part.containment for part in statements.similarities(parts)))

    return compare


def drop_restated(
    candidates: Sequence[Candidate],
    compare: Compare,
    policy: Policy,
    constants: Constants,
    already_in_prompt: Sequence[AlreadyInPrompt] = (),
) -> StageResult:
    """Drop the candidates that the window restates ("restated") or that repeat a better candidate ("duplicate").

    If the policy shortens memories, a candidate that the window restates in part is kept as an excerpt of the other
    sentences. A dropped memory can be shown again in a later turn, when the restating messages have left the window.

    A superseded memory is no duplicate, and none is a duplicate of it.

    Args:
        candidates: the candidates, best first.
        compare: returns the similarity of each memory to the window, or None if it is unknown. A memory with unknown
            similarity does not count as restated.
        policy: the thresholds and the mode, "drop" or "shorten".
        constants: the threshold for memories without a vector.
        already_in_prompt: the memories that blocks of earlier turns in the conversation show. This function keeps them,
            because `drop_in_history` drops them later, and compares all other candidates with them.
    """
    own = [ParsedSentence.of(each.hit.content, each.hit.vector, each.hit.speaker) for each in candidates]
    similarities = compare([each.hit for each in candidates], own)
    compared = [each._replace(similarity=like) for each, like in zip(candidates, similarities, strict=True)]
    thresholds = Thresholds.of(policy, constants)
    distinct = Distinct(candidates, own, thresholds)
    distances = _distances(already_in_prompt)
    in_prompt = {n for n, each in enumerate(candidates) if _key(each) in distances}
    for n in sorted(in_prompt):
        hit = compared[n].hit
        distinct.keep(n, compared[n], compared=hit.hidden_reason is None and not talk.states_nothing(hit))
    dropped: list[CandidateResult] = []
    for n, candidate in enumerate(compared):
        if n in in_prompt:
            continue
        restated = _restated(candidate, own[n], policy, thresholds)
        if restated is not None:
            dropped.append(restated)
        elif candidate.hit.hidden_reason is not None:
            distinct.keep(n, _shortened(candidate, policy), compared=False)
        else:
            dropped += distinct.add(n, _shortened(candidate, policy), in_prompt)
    return StageResult(distinct.kept, tuple(dropped))


def _restated(
    candidate: Candidate, own: ParsedSentence, policy: Policy, thresholds: Thresholds
) -> CandidateResult | None:
    """Return the result "restated" for a candidate if the conversation window already states it, and else None."""
    like = candidate.similarity
    if like is not None and policy.dedup.mode == "shorten" and like.parts and not _new_sentences(like, policy):
        lowest = min(like.parts)
        return CandidateResult(
            candidate,
            "restated",
            lowest,
            f"the conversation contains each of its sentences (lowest containment {lowest:.2f})",
        )
    verdict = thresholds.verdict(own, like) if like is not None else None
    if verdict is None:
        return None
    measure, value = verdict
    return CandidateResult(candidate, "restated", value, f"the conversation contains it ({measure} {value:.2f})")


def _new_sentences(like: WindowSimilarity, policy: Policy) -> list[int]:
    """Return the indexes of a memory's sentences that the conversation window does not contain."""
    return [n for n, containment in enumerate(like.parts) if containment < policy.dedup.containment_threshold]


def _shortened(candidate: Candidate, policy: Policy) -> Candidate:
    """Return a candidate as an excerpt, without the sentences that the conversation window contains.

    The candidate is unchanged if there are no such sentences, or if the policy does not shorten memories.
    """
    like = candidate.similarity
    if policy.dedup.mode != "shorten" or like is None or not like.parts:
        return candidate
    remaining = _new_sentences(like, policy)
    if len(remaining) == len(like.parts):
        return candidate
    spans = tuple(_joined([sentence_spans(candidate.hit.content)[n] for n in remaining], candidate.hit.content))
    content = excerpt(candidate.hit.content, spans)
    return candidate._replace(hit=candidate.hit._replace(content=content, partial=True), excerpt=spans)


def excerpt(content: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the parts of a text at these [start, end) character offsets, joined by " … " where text is left out."""
    return _CUT.join(content[start:end] for start, end in spans)


def _joined(spans: Sequence[tuple[int, int]], content: str) -> Iterator[tuple[int, int]]:
    """Merge the [start, end) spans of a text that only white space separates, and yield all spans in order."""
    start, end = spans[0]
    for following, stop in spans[1:]:
        if content[end:following].strip():
            yield start, end
            start = following
        end = stop
    yield start, end


def without_injected_blocks(conversation: Sequence[Message], placement: Placement) -> tuple[Message, ...]:
    """Remove the memory blocks and hints of earlier turns from a conversation.

    With the placement "journaled" these blocks belong to the conversation, which is then returned unchanged. With any
    other placement, the host has stored them by mistake. A message that contained nothing else is removed as a whole.
    """
    if placement == "journaled":
        return tuple(conversation)
    cleared = [(_cleared(message), message) for message in conversation]
    return tuple(now for now, was in cleared if now is was or now.content.strip() or now.tool_calls)


def find_in_history(
    hits: Sequence[Hit], conversation: Sequence[Message], line: Callable[[Hit], str]
) -> tuple[AlreadyInPrompt, ...]:
    """Find the search hits that the memory block of an earlier turn in the conversation still shows.

    Each hit is returned with the number of messages since that block. `line` returns the line by which a memory block
    shows a hit. A hit counts as shown only if a block contains this line, byte for byte.
    """
    distances: dict[str, int] = {}
    for distance, message in enumerate(reversed(conversation), 1):
        if message.role in _CARRIERS:
            for record in memory_lines(message.content):
                distances.setdefault(record, distance)
    if not distances:
        return ()
    shown = ((hit, distances.get(line(hit))) for hit in hits)
    return tuple((hit.memory_id, hit.ordinal, distance) for hit, distance in shown if distance is not None)


def drop_in_history(candidates: Sequence[Candidate], already_in_prompt: Sequence[AlreadyInPrompt]) -> StageResult:
    """Drop the candidates that a memory block in the conversation still shows, as "already_in_prompt".

    This stage runs after the limits by type. The dropped candidates therefore count towards these limits, and no other
    candidate takes their place.
    """
    distances = _distances(already_in_prompt)
    return StageResult(
        tuple(candidate for candidate in candidates if _key(candidate) not in distances),
        tuple(_in_prompt(each, distances[_key(each)]) for each in candidates if _key(each) in distances),
    )


def mark_in_prompt(
    dropped: Sequence[CandidateResult], already_in_prompt: Sequence[AlreadyInPrompt]
) -> tuple[CandidateResult, ...]:
    """Set the disposition "already_in_prompt" of dropped candidates that the conversation still shows.

    This applies to candidates that were dropped for too little evidence, a low rank or lack of room. The model sees
    these memories in an earlier block, so exploration must not show them, and they cannot serve as decoys (memories
    that were not shown, against which attribution is checked).
    """
    distances = _distances(already_in_prompt)
    return tuple(
        _in_prompt(result.candidate, distances[_key(result.candidate)])
        if result.disposition in PASSED_OVER and _key(result.candidate) in distances
        else result
        for result in dropped
    )


def _distances(already_in_prompt: Sequence[AlreadyInPrompt]) -> Mapping[Key, int]:
    return {(memory_id, ordinal): distance for memory_id, ordinal, distance in already_in_prompt}


def _key(candidate: Candidate) -> Key:
    return candidate.hit.memory_id, candidate.hit.ordinal


def _in_prompt(candidate: Candidate, distance: int) -> CandidateResult:
    return CandidateResult(
        candidate, "already_in_prompt", distance, f"the conversation still shows it, {distance} messages back"
    )


def _cleared(message: Message) -> Message:
    """Return a message without injected memory blocks and hints, or the same object if it contains none."""
    if message.role not in _CARRIERS:
        return message
    content = without_injected(message.content)
    return message if content == message.content else message.model_copy(update={"content": content})
