"""Recognise lines of a conversation that state nothing: they only ask, or say that something is not known.

A stored question matches the same question better than its answer does. Ranking, abstention and deduplication therefore
treat such lines apart from statements. The rules are about English; in other languages only the question mark counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.caches import cached
from brain.search import Hit
from brain.text import normalise, sentences, words
from cognitive.context.speakers import ASSISTANTS
from cognitive.context.talk_rules import BREAK, CLAUSE, DEPENDENT, DETAIL, FILLER, FILLERS, NEUTRAL, RULES, Kind
from cognitive.trace import Candidate, CandidateResult, StageResult

Sentence = tuple[str, ...]  # words, in order

_MAX_READ = 8_192  # texts whose result is cached, because an agent's turns retrieve the same memories again
_MAX_LENGTH = 1_000  # characters; a longer text states something, and a longer message is compared with no memory
_MIN_STATED = 4  # words of a clause that states something; "my sister Rita" names what the question is about
_MAX_FILLED = 40  # characters by which fillers make a text longer than a message that says the same
_EMPTY: frozenset[Sentence] = frozenset({()})
_STATING = ("states", "requests")  # kinds of a clause that says more than what is asked
_COMPILED = [(rule, re.compile(rule.pattern)) for rule in RULES]
_CLOSERS = "\"'”’)]*_ "


def states_nothing(hit: Hit) -> bool:
    """Return True if a memory is a line of a conversation that only asks, or says that something is not known."""
    if hit.type != "episode" or hit.speaker is None or hit.partial:
        return False
    return only_asks(hit.content, assistant=hit.speaker.casefold() in ASSISTANTS)


@cached(_MAX_READ)
def only_asks(text: str, *, assistant: bool = False) -> bool:
    """Return True if a text only asks, or says that something is not known. With `assistant`, an assistant said it."""
    if len(text) > _MAX_LENGTH:
        return False
    parts = sentences(text)
    kinds = ["states" if (k := kind(part, assistant=assistant)) == "requests" else k for part in parts]
    if assistant and "unknown" in kinds:  # advice beside it ("It is on the router") is no statement without a detail
        kinds = ["neutral" if k == "states" and not DETAIL.search(p) else k for k, p in zip(kinds, parts, strict=True)]
    return "states" not in kinds and ("asks" in kinds or "unknown" in kinds)


def states(sentence: str) -> bool:
    """Return True if a sentence is no question or request, which contain the words of a fact without stating it."""
    return not _is_question(sentence) and kind(sentence) in ("states", "neutral")


@cached(_MAX_READ)
def kind(sentence: str, *, assistant: bool = False) -> Kind:
    """Return what a sentence does: it states, asks, requests, says that something is not known, or none ("neutral").

    A request is no question, since a line with one may still say what its speaker wishes.

    A sentence that begins otherwise and ends with a statement states: "I forgot the code: it's 4471".
    """
    first = _kind(sentence, assistant=assistant)
    if first == "unknown" or (first == "asks" and not _is_question(sentence)):
        return "states" if _states_later(sentence, first, assistant=assistant) else first
    return first


def _kind(sentence: str, *, assistant: bool) -> Kind:
    """Return what a sentence does by its beginning and its question mark."""
    plain = normalise(sentence).strip(_CLOSERS)
    said = plain[filler.end() :] if (filler := FILLER.match(plain)) else plain
    if not said or NEUTRAL.fullmatch(plain):
        return "neutral"
    rule = next(
        (rule for rule, pattern in _COMPILED if (assistant or not rule.assistant) and pattern.match(said)), None
    )
    if rule is not None:
        return rule.kind
    return "asks" if _is_question(plain) and not _states_first(said, assistant=assistant) else "states"


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(_CLOSERS).endswith(("?", "？"))


def _states_first(question: str, *, assistant: bool) -> bool:
    """Return True if a question begins with a clause that is a statement: "Rita is coming, what does she eat?"."""
    name, colon, said = question.partition(": ")
    if colon and len(words(name)) < _MIN_STATED:  # "Rita: I'm coming, what is for lunch?"
        question = said
    end = CLAUSE.search(question)
    first = question[: end.start()].rstrip() if end else ""
    if len(words(first)) < _MIN_STATED or DEPENDENT.match(first):
        return False
    return _kind(first, assistant=assistant) in _STATING


def _states_later(sentence: str, first: Kind, *, assistant: bool) -> bool:
    """Return True if a clause after the first, whose kind is given, is a statement: "I forgot the code: it's 4471".

    After a request, and in an assistant's line, it must contain a number, name or quotation, because much that follows
    there is no statement: "Tell me the code, the one for the shed". A sentence of more than 1,000 characters is not
    read clause by clause, and states something.
    """
    if len(sentence) > _MAX_LENGTH:
        return True
    for found in BREAK.finditer(sentence):
        rest = sentence[found.end() :]
        if not (found["contrast"] or found["colon"]) and (len(words(rest)) < _MIN_STATED or DEPENDENT.match(rest)):
            continue
        needs_detail = first == "asks" or (assistant and not found["contrast"])
        if (not needs_detail or DETAIL.search(rest)) and _kind(rest, assistant=assistant) in _STATING:
            return True
    return False


def drop_repeated(candidates: Sequence[Candidate], message: str) -> StageResult:
    """Drop the candidates that the message repeats word for word, such as the same question asked before.

    This stage runs before abstention, whose thresholds depend on the best match.
    """
    same = repeated([candidate.hit for candidate in candidates], message)
    return StageResult(
        tuple(candidate for candidate, is_same in zip(candidates, same, strict=True) if not is_same),
        tuple(
            CandidateResult(candidate, "restated", 1.0, "the message says it word for word")
            for candidate, is_same in zip(candidates, same, strict=True)
            if is_same
        ),
    )


def repeated(hits: Sequence[Hit], message: str) -> list[bool]:
    """Return for each memory whether it says, word for word, only sentences of a message.

    Case, marks and fillers don't count. A question of the message ("The port is 8080?") does not repeat the statement
    in the same words, which is its answer.
    """
    if len(message) > _MAX_LENGTH:
        return [False] * len(hits)
    said, stated = _said(message)
    longest = len(message) + _MAX_FILLED
    return [len(hit.content) <= longest and _repeats(hit, said, stated) for hit in hits]


def _repeats(hit: Hit, said: frozenset[Sentence], stated: frozenset[Sentence]) -> bool:
    """Return True if a message that says and states these sentences repeats a memory."""
    own_said, own_stated = _said_by_memory(hit.content)
    return bool(own_said) and own_said <= said and (own_stated <= stated or states_nothing(hit))


@cached(_MAX_READ)
def _said_by_memory(content: str) -> tuple[frozenset[Sentence], frozenset[Sentence]]:
    return _said(content)


def _said(text: str) -> tuple[frozenset[Sentence], frozenset[Sentence]]:
    """Return the sentences of a text without fillers: all of them, and those without a question mark."""
    parts = sentences(text)
    said = [tuple(word for word in words(each) if word not in FILLERS) for each in parts]
    stated = (each for each, part in zip(said, parts, strict=True) if not _is_question(part))
    return frozenset(said) - _EMPTY, frozenset(stated) - _EMPTY
