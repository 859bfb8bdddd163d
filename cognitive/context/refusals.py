"""Recognise refusals: clauses in which a response declines, or says that something is not known.

"I can't tell you where the billing backups are kept" has the words of the memory about these backups and uses nothing
of it. "No, you can't: backups are kept for 30 days" answers a question, and is no refusal. The rules are about English.
Attribution leaves such clauses out, and retrieval the captured lines that consist of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brain.caches import cached
from brain.search import Hit
from brain.text import normalise, sentences
from cognitive.context import talk
from cognitive.context.speakers import ASKS_ASSISTANT, ASSISTANTS
from cognitive.context.talk_rules import DETAIL
from cognitive.trace import Candidate, CandidateResult, StageResult

_MAX_READ = 4_096  # sentences whose result is cached
# Where a refusal ends and a statement may begin: "I can't deploy today: releases on Fridays need an approval".
_BREAK = re.compile(
    r"[;–—]|:\s|\s-\s|,?\s\b(?:but|because|since|although|though|however)\b|,\s(?:as|so)\b"
    r"|,\s(?=(?:it|they|this|that|there|he|she|you|we|the)\b)",
    re.IGNORECASE,
)
_NOT = r"(?:can't|cannot|can not|won't|will not|couldn't|could not|mustn't|must not)"
_BE_NOT = r"(?:(?:is|are|was|were)(?:n't| not))"
_DECLINES = re.compile(
    rf"\bi {_NOT}\b"
    r"|\bi(?:'m| am) (?:\w+ ){0,2}?(?:unable|unwilling|not (?:able|allowed|permitted|authori[sz]ed|comfortable|going"
    r"|at liberty|in a position|supposed|willing))\b"
    r"|\bi (?:don't|do not) (?:give out|hand out|share|disclose|reveal|discuss)\b"
    r"|\bi(?:'d| would) (?:rather|prefer) not\b"
    r"|\bi (?:must |have to |need to )?(?:politely |respectfully )?(?:decline|refuse)\b"
    rf"|\bwe {_NOT} (?:tell|say|share|disclose|reveal|confirm)\b(?!.* with (?!you\b))"
    rf"|\b{_BE_NOT} (?:\w+ )?(?:available to me|accessible to me|for me to)\b"
    rf"|\b(?:{_NOT} be (?:shared|disclosed|revealed|given out|confirmed|discussed)|{_BE_NOT} (?:\w+ )?known"
    r"|(?:is|are) unknown)(?: yet| here| now| to me| with you| at the moment)?\W*$"
)
# What else makes a clause one about the speaker's knowledge. "There's no release before 4 January" is about releases.
_KNOWING = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|know|known|recall|sure|certain|idea|clue|record|notes?|info|information|details?"
    r"|mention|mentioned|data|trace|said|given|shared|specified|stored|saved|noted|on file)\b"
)


def only_refuses(hit: Hit) -> bool:
    """Return True if a memory is an assistant's line that only refuses, or says that something is not known."""
    if hit.type != "episode" or hit.partial or (hit.speaker or "").casefold() not in ASSISTANTS:
        return False
    return _only_refuses(hit.content)


def drop_refusals(candidates: Sequence[Candidate], message: str) -> StageResult:
    """Drop the candidates that only refuse, unless the message asks what the assistant said.

    This stage runs before abstention, whose thresholds depend on the best match.
    """
    if ASKS_ASSISTANT.search(message):
        return StageResult(tuple(candidates))
    refused = [candidate for candidate in candidates if only_refuses(candidate.hit)]
    return StageResult(
        tuple(candidate for candidate in candidates if candidate not in refused),
        tuple(CandidateResult(each, "irrelevant", 0.0, "it only refuses, and answers nothing") for each in refused),
    )


def without_refusals(response: Sequence[str]) -> list[str]:
    """Return the sentences of a response without the clauses that refuse, or say that something is not known.

    A sentence that only refuses becomes "". So does a question before a refusal, which repeats what was asked.
    """
    kept = [_kept(sentence) for sentence in response]
    return [
        "" if following == "" and sentence.rstrip().endswith("?") else own
        for sentence, own, following in zip(response, kept, [*kept, None][1:], strict=True)
    ]


@cached(_MAX_READ)
def _only_refuses(text: str) -> bool:
    """Return True if a text refuses, and all that is left without its refusals asks, offers or has no detail."""
    parts = sentences(text)
    left = without_refusals(parts)
    if not any(_refuses(clause) for part in parts for clause in _clauses(part)):
        return False
    return not any(each and (DETAIL.search(each) or _states(each)) for each in left)


def _states(sentence: str) -> bool:
    return talk.kind(sentence, assistant=True) == "states" and not sentence.lower().startswith("please")


@cached(_MAX_READ)
def _kept(sentence: str) -> str:
    """Return a sentence without its clauses that refuse; " - " becomes a mark that ends a clause."""
    clauses = list(_clauses(sentence))
    kept = [clause for clause in clauses if not _refuses(clause)]
    return "; ".join(kept) if len(kept) < len(clauses) else sentence.replace(" - ", "; ")


def _clauses(sentence: str) -> Iterator[str]:
    start = 0
    for end in _BREAK.finditer(sentence):
        yield sentence[start : end.start()].strip()
        start = end.end()
    yield sentence[start:].strip()


def _refuses(clause: str) -> bool:
    plain = normalise(clause)
    if _DECLINES.search(plain):
        return True
    return _KNOWING.search(plain) is not None and talk.kind(clause, assistant=True) == "unknown"
