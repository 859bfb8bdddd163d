"""Show nothing twice: what the conversation says already, what a better candidate says, what earlier turns showed.

What earlier turns put into the conversation is kept out of it, or, where it stays there, not shown a second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from brain.passage_texts import Key
from brain.search import Hit
from brain.text import sentence_spans, sentences
from brain.types import Vector
from cognitive.context.sentences import ParsedSentence
from cognitive.context.similarity import SentenceSet
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.tables import Placement
from cognitive.prompt import memory_lines, without_injected
from cognitive.recording.record import AlreadyInPrompt
from cognitive.trace import PASSED_OVER, Candidate, CandidateResult, Disposition, StageResult, WindowSimilarity
from cognitive.turn import Message

_TOGETHER = 3  # consecutive sentences may say what a memory says
_CUT = " … "  # where sentences of a memory are left out

_CARRIERS = frozenset({"user", "system"})  # words of tools and of the model stay as they are, whatever they repeat
# Of the window this much is compared: a message of megabytes must not cost the turn its deadline.
_MAX_PER_MESSAGE = 20_000
_MAX_SENTENCES = 120
_MAX_SENTENCE_LENGTH = 2_000
# What asks without a question mark: "tell me about the glue", "can you find", "where did we put". A clause with "when"
# or "where" and no verb behind it ("when the server restarts, ...") states something.
_REQUEST = re.compile(
    r"\W*(?:(?:please|pls|hey|hi|hello|ok|okay|so|and|also|now|well|then)\W+)*"
    r"(?:(?:tell|remind|show|give|find|list|explain|describe|summari[sz]e|search|recall|help|look up|look for)\b"
    r"|(?:can|could|would|will|do|does|did|is|are|was|were|have|has|should) "
    r"(?:i|we|you|u|he|she|it|they|the|my|our|your|there|this|that|any|anyone|someone)\b"
    r"|(?:what|who|whom|whose|when|where|which|why|how)(?:'s|'re|'d|(?: \w+)? (?:is|are|was|were|do|does|did|has|have"
    r"|can|could|should|would|will|to))\b"
    r"|i (?:want|need|would like|'d like) (?:to (?:know|see|hear|find)|you to)\b|i (?:wonder|forgot|forget)\b)",
    re.IGNORECASE,
)
_CLOSERS = "\"'”’)]"

Compare = Callable[[Hit, ParsedSentence], WindowSimilarity | None]


def window_sentences(messages: Sequence[str]) -> list[str]:
    """What the window states, oldest first: its last sentences without questions and requests, which state nothing and
    name what they are about.
    """
    stated = [
        sentence[:_MAX_SENTENCE_LENGTH]
        for message in messages
        for sentence in sentences(message[-_MAX_PER_MESSAGE:])
        if not _asks(sentence)
    ]
    return stated[-_MAX_SENTENCES:]


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSERS).endswith(("?", "？")) or _REQUEST.match(sentence) is not None


def window(stated: Sequence[str], vectors: Mapping[str, Vector]) -> SentenceSet:
    """The sentences of the window with their vectors, and what neighbours say together."""
    return SentenceSet([ParsedSentence.of(sentence, vectors.get(sentence)) for sentence in stated], together=_TOGETHER)


def window_comparer(said: SentenceSet, policy: Policy) -> Compare:
    """How a memory is compared with a window; sentence by sentence too where a policy shortens."""

    def compare(hit: Hit, own: ParsedSentence) -> WindowSimilarity:
        like = said.similarity(own)
        if policy.dedup.mode == "drop" or hit.partial or not len(said):
            return like
        parts = [hit.content[start:end] for start, end in sentence_spans(hit.content)]
        if len(parts) < 2:
            return like
        return replace(like, parts=tuple(said.similarity(ParsedSentence.of(part)).containment for part in parts))

    return compare


def drop_restated(
    candidates: Sequence[Candidate],
    compare: Compare,
    policy: Policy,
    constants: Constants,
    already_in_prompt: Collection[Key] = (),
) -> StageResult:
    """Drops what the window says already, and what a better candidate says; or shortens it to what is not said yet.

    `compare` gives a memory's likeness to the window, None if that is not known: such a memory is kept. One that is
    dropped for the window's sake is eligible again once its twin has scrolled out. What stands in the conversation, by
    its keys, is said there, and stays a candidate itself.
    """
    own = [ParsedSentence.of(each.hit.content, each.hit.vector, each.hit.speaker) for each in candidates]
    among = SentenceSet(own)
    kept: list[Candidate] = []
    seen = [n for n, each in enumerate(candidates) if (each.hit.memory_id, each.hit.ordinal) in already_in_prompt]
    stands = frozenset(seen)
    dropped: list[CandidateResult] = []
    for n, given in enumerate(candidates):
        candidate = replace(given, similarity=compare(given.hit, own[n]))
        if n in stands:
            kept.append(candidate)
            continue
        result = _restated(candidate, own[n], policy, constants)
        result = result or _duplicate(candidate, own[n], among, seen, policy, constants)
        if result is None:
            kept.append(_shortened(candidate, policy))
            seen.append(n)
        else:
            dropped.append(result)
    return StageResult(tuple(kept), tuple(dropped))


def _restated(
    candidate: Candidate, own: ParsedSentence, policy: Policy, constants: Constants
) -> CandidateResult | None:
    like = candidate.similarity
    if like is not None and policy.dedup.mode == "shorten" and like.parts and not _unsaid(like, policy):
        least = min(like.parts)
        return CandidateResult(
            candidate, "restated", least, f"the conversation says each of its sentences (containment {least:.2f})"
        )
    verdict = same(own, like, policy, constants) if like is not None else None
    return _result(candidate, verdict, "restated", "the conversation says it")


def _duplicate(
    candidate: Candidate,
    own: ParsedSentence,
    among: SentenceSet,
    seen: Sequence[int],
    policy: Policy,
    constants: Constants,
) -> CandidateResult | None:
    like = (
        among.similarity_among(own, seen, lambda like: same(own, like, policy, constants) is not None) if seen else None
    )
    verdict = same(own, like, policy, constants) if like is not None else None
    return _result(candidate, verdict, "duplicate", "a better candidate says it")


def _result(
    candidate: Candidate, verdict: tuple[str, float] | None, disposition: Disposition, reason: str
) -> CandidateResult | None:
    if verdict is None:
        return None
    measure, value = verdict
    return CandidateResult(candidate, disposition, value, f"{reason} ({measure} {value:.2f})")


def same(
    memory: ParsedSentence, like: WindowSimilarity, policy: Policy, constants: Constants
) -> tuple[str, float] | None:
    """The measure and value by which a policy takes a memory for said, or None if it does not."""
    if like.cosine is not None and like.cosine > policy.dedup.threshold:
        return "cosine", like.cosine
    threshold = constants.lexical_dedup_threshold if memory.vector is None else policy.dedup.containment_threshold
    if like.containment >= threshold and like.containment > 0:
        return "containment", like.containment
    if like.agreement is not None and like.agreement >= policy.dedup.agreement_threshold:
        return "agreement", like.agreement
    return None


def _unsaid(like: WindowSimilarity, policy: Policy) -> list[int]:
    """The sentences of a memory, by number, that the window does not say."""
    return [n for n, containment in enumerate(like.parts) if containment < policy.dedup.containment_threshold]


def _shortened(candidate: Candidate, policy: Policy) -> Candidate:
    """A candidate without the sentences that the window says; as it is if that is none, or the policy drops whole."""
    like = candidate.similarity
    if policy.dedup.mode != "shorten" or like is None or not like.parts:
        return candidate
    unsaid = _unsaid(like, policy)
    if len(unsaid) == len(like.parts):
        return candidate
    spans = tuple(_joined([sentence_spans(candidate.hit.content)[n] for n in unsaid], candidate.hit.content))
    content = excerpt(candidate.hit.content, spans)
    return replace(candidate, hit=replace(candidate.hit, content=content, partial=True), excerpt=spans)


def excerpt(content: str, spans: Sequence[tuple[int, int]]) -> str:
    """The stretches of a text at these offsets, with a mark where something is left out between them."""
    return _CUT.join(content[start:end] for start, end in spans)


def _joined(spans: Sequence[tuple[int, int]], content: str) -> Iterator[tuple[int, int]]:
    """Neighbouring spans as one."""
    start, end = spans[0]
    for following, stop in spans[1:]:
        if content[end:following].strip():
            yield start, end
            start = following
        end = stop
    yield start, end


def without_injected_blocks(conversation: Sequence[Message], placement: Placement) -> tuple[Message, ...]:
    """The conversation as the model should see it again.

    Blocks and hints of earlier turns stand there for good where they are journaled, byte for byte. Elsewhere a host has
    kept them by mistake: they go, and so does a message that held nothing else.
    """
    if placement == "journaled":
        return tuple(conversation)
    cleared = [(_cleared(message), message) for message in conversation]
    return tuple(now for now, was in cleared if now is was or now.content.strip() or now.tool_calls)


def find_in_history(
    hits: Sequence[Hit], conversation: Sequence[Message], line: Callable[[Hit], str]
) -> tuple[AlreadyInPrompt, ...]:
    """Of what was found, what the conversation still shows as it would be rendered now, and how many messages back."""
    back: dict[str, int] = {}
    for distance, message in enumerate(reversed(conversation), 1):
        if message.role in _CARRIERS:
            for record in memory_lines(message.content):
                back.setdefault(record, distance)
    if not back:
        return ()
    found = ((hit, back.get(line(hit))) for hit in hits)
    return tuple((hit.memory_id, hit.ordinal, distance) for hit, distance in found if distance is not None)


def drop_in_history(candidates: Sequence[Candidate], already_in_prompt: Sequence[AlreadyInPrompt]) -> StageResult:
    """Leaves out what the conversation still shows. It has had its place among the candidates: nobody moves up."""
    distances = _distances(already_in_prompt)
    return StageResult(
        tuple(candidate for candidate in candidates if _key(candidate) not in distances),
        tuple(_in_prompt(each, distances[_key(each)]) for each in candidates if _key(each) in distances),
    )


def mark_in_prompt(
    dropped: Sequence[CandidateResult], already_in_prompt: Sequence[AlreadyInPrompt]
) -> tuple[CandidateResult, ...]:
    """The results, in which a memory that was passed over but still stands in the conversation is said to stand there.

    The model sees it, so it must not be tried by exploration, nor judged as a decoy.
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
    """The message without what was injected into it; the same object if that is nothing."""
    if message.role not in _CARRIERS:
        return message
    content = without_injected(message.content)
    return message if content == message.content else message.model_copy(update={"content": content})
