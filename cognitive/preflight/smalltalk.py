"""Recognise small talk: messages that are only a greeting, thanks, a goodbye, an answer or a "go on".

`acknowledges` recognises further lines without content, also of an assistant.

The rules match phrases on lower-case words without punctuation and apostrophes ("what's up?" is "whats up"). A message
is small talk if the words outside the matched phrases are only filler ("so much", "you too"): a single word of content
makes it an ordinary message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain.caches import cached
from cognitive.preflight.rules.acknowledgements import ACKNOWLEDGEMENTS
from cognitive.preflight.rules.matching import Rule, RuleTable, compile_pattern
from cognitive.preflight.rules.smalltalk import (
    ACCEPTS,
    ADDRESSED,
    ANSWER,
    ASKS,
    CONTINUE,
    PEELED,
    PHRASES,
    SOCIAL,
    THANKS,
)
from cognitive.preflight.rules.words import ANAPHORA, ASKING, FILLERS, OPENERS, REQUESTS, VOCATIVES, listed

MAX_CHARS = 240  # a longer message is never small talk
_MAX_CACHED = 256  # messages and their parts: a turn reads some of them when it is planned and when it is captured


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """The result for a message that is only small talk: its kind and the rules that matched.

    The kind is "social", "answer" or "continue".
    """

    kind: str
    fired: tuple[Rule, ...]
    name: str = ""  # of the person greeted

    @property
    def answers(self) -> bool:
        """True if the message refers to the previous turn: "yes", "go on", "the second one"."""
        return self.kind != SOCIAL

    @property
    def accepts(self) -> bool:
        """True if the message is a consent directly after an offer: "great, thanks"."""
        return ACCEPTS.issuperset(rule.id for rule in self.fired)


_table = RuleTable(PHRASES)
_phrase = compile_pattern("|".join(rule.pattern for rule in PHRASES), name="smalltalk", prefer_longest=True)
_SEGMENT, _MAX_PEELED = 160, 4  # characters searched for one pleasantry; pleasantries removed in a row
_first_segment = compile_pattern(
    r"^[^,.!?;:\n]{1,80}?(?:[,.!?;:\n\x{2026}]+|\s[-\x{2013}\x{2014}]+\s)\s*", name="peel.first"
)
_last_segment = compile_pattern(r"[,.!?;\n]\s*([^,.!?;\n]{1,80}[.!?\s]*)$", name="peel.last")
_bare_greeting = compile_pattern(
    r"(?i)^(?:he+y+|hi+|hiya|hello+|yo|howdy|good (?:morning|afternoon|evening)|thanks|thank you)(?: (?:there|again|all"
    r"|everyone|guys|folks|team|buddy))?\W+",
    name="peel.bare",
)
# After these words, a name at the end of a message is not that of the person addressed: "Hi, I'm Tom".
_BEFORE_OTHER_NAMES = listed("""
    a an the in on about with for of to at from my your our is are im am via and or
""")
_EMPTY = SmallTalk(ANSWER, ())
_acknowledgements = RuleTable(ACKNOWLEDGEMENTS, whole=True)
_CLAUSE = re.compile(r"[.,!?;:\n…]+|\s[-–—]+\s|[–—]|\s(?:and|but|so)\s")


@cached(_MAX_CACHED)
def read(text: str) -> SmallTalk | None:
    """Return the kind of small talk that a message is, or None if any word of the message is content."""
    if len(text) > MAX_CHARS:
        return None
    written = bare_words(text)
    if not written:  # only emoji or punctuation: an answer to the previous turn, if there is one
        return _EMPTY
    words = " ".join(written).lower().encode()
    fired = _table.fired(words)
    if not fired:
        return None
    rest = _phrase.sub(b" ", words).decode().split()
    name = written[-1] if _addressed(written, rest, fired) else ""
    if name:
        rest.pop()
    if not FILLERS.issuperset(rest) or _filler_asks(text, rest, fired):
        return None
    kind = _kind(fired, rest)
    return SmallTalk(SOCIAL if kind == ANSWER and _only_closes(text) else kind, fired, name)


def peel(text: str) -> tuple[str, tuple[Rule, ...]]:
    """Remove greetings at a message's beginning and thanks at its end. Return the rest and the rules that matched.

    The name of a greeted person is kept: "Hey Caroline, when did you …" is about Caroline.
    """
    fired: list[Rule] = []
    for _ in range(_MAX_PEELED):
        segment = _first_segment.match(text[:_SEGMENT])
        small = _pleasantry(segment.group()) if segment else None
        if small is None:
            break
        fired.extend(small.fired)
        if small.name:
            text = text[segment.group().rindex(small.name) :]
            break
        text = text[segment.end() :]
    opening = _bare_greeting.match(text[:_SEGMENT])
    if opening and (bare_words(text[opening.end() : opening.end() + 24]) or [""])[0].lower() in OPENERS:
        text = text[opening.end() :]
    for _ in range(_MAX_PEELED):
        segment = _last_segment.search(text[-_SEGMENT:])
        small = _pleasantry(segment.group(1)) if segment else None
        if small is None:
            break
        fired.extend(small.fired)
        text = text[: len(text) - len(segment.group(1))].rstrip(" ,;\n")
    return text.strip(), tuple(fired)


def after_reaction(text: str) -> str:
    """Return a message without the clauses at its beginning that only react: "Oh right! And who is next?"."""
    for _ in range(_MAX_PEELED):
        segment = _first_segment.match(text[:_SEGMENT])
        if segment is None or not _reacts(segment.group()):
            break
        text = text[segment.end() :]
    return text.strip()


def _reacts(segment: str) -> bool:
    words = bare_words(segment.lower())
    return bool(words) and "?" not in segment and (FILLERS.issuperset(words) or read(segment) is not None)


def acknowledges(text: str) -> bool:
    """Return True if a line only acknowledges: it confirms, thanks or promises, like "Got it!" or "Sure, will do".

    Each of its clauses is small talk or an acknowledgement. A line without a word, such as an emoji, is one too.
    """
    if len(text) > MAX_CHARS:
        return False
    clauses = [" ".join(bare_words(part)).lower() for part in _CLAUSE.split(text)]
    return all(_acknowledges(clause) for clause in clauses if clause)


def _acknowledges(clause: str) -> bool:
    if _acknowledgements.fired(clause.encode()):
        return True
    small = read(clause)
    return small is not None and small.kind != CONTINUE  # "the second one" is an answer


def _pleasantry(segment: str) -> SmallTalk | None:
    small = read(segment) if any(char.isalnum() for char in segment) else None
    if small is None or small.kind != SOCIAL or PEELED.isdisjoint(rule.id for rule in small.fired):
        return None
    return small


def bare_words(text: str) -> list[str]:
    """Return the words of a text in any script, in their original case, without apostrophes and punctuation."""
    joined = text.replace("'", "").replace("\u2019", "")
    return "".join(char if char.isalnum() else " " for char in joined).encode(errors="replace").decode().split()


def _kind(fired: tuple[Rule, ...], rest: list[str]) -> str:
    kinds = {rule.signal for rule in fired}
    if CONTINUE in kinds:
        return CONTINUE
    answers = any(rule.signal == ANSWER and rule.id != "answer.ok" for rule in fired)  # "ok thanks" only closes
    if answers or SOCIAL not in kinds or not ANAPHORA.isdisjoint(rest):
        return ANSWER
    return SOCIAL


def _only_closes(text: str) -> bool:
    """Return True if each of several clauses is social alone, or an "ok": "Thanks, that's great!"."""
    clauses = [clause for clause in _CLAUSE.split(text) if bare_words(clause)]
    read_alone = [read(clause) for clause in clauses] if len(clauses) > 1 else []
    return any(small is not None and small.kind == SOCIAL for small in read_alone) and all(
        small is not None and (small.kind == SOCIAL or {rule.id for rule in small.fired} == {"answer.ok"})
        for small in read_alone
    )


def _addressed(written: list[str], rest: list[str], fired: tuple[Rule, ...]) -> bool:
    """Return True if a message ends with the name of the person it greets or thanks: "Hi Bob", "thank you Zoë"."""
    if not rest or len(written) < 2 or any(rule.id not in ADDRESSED for rule in fired):
        return False
    before, name = written[-2], written[-1]
    return name.lower() == rest[-1] and name.istitle() and before.lower() not in _BEFORE_OTHER_NAMES


def _filler_asks(text: str, rest: list[str], fired: tuple[Rule, ...]) -> bool:
    """Return True if the words around a greeting ask something that memory may answer ("hey, do you know me?")."""
    if any(rule.id in ASKS or rule.signal == CONTINUE for rule in fired):
        return False
    if not REQUESTS.isdisjoint(rest) and THANKS.isdisjoint(rule.id for rule in fired):
        return True
    left = [word for word in rest if word not in VOCATIVES]
    return bool(left) and ("?" in text or left[0] in ASKING)
