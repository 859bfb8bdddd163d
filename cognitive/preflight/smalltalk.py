"""Messages made of nothing but greeting, thanks, goodbye, an answer or a "go on".

Rows hold the phrases that make a message small talk. They are matched on bare lower-case words: punctuation and
apostrophes are gone ("what's up?" is "whats up"). What they leave over may only be filler ("so much", "you too"), so
one word of content is enough to keep a message.
"""

from __future__ import annotations

from dataclasses import dataclass

from cognitive.preflight.fillers import ANAPHORA, ASKING, FILLERS, VOCATIVES
from cognitive.preflight.matching import Rule, RuleTable, compile_pattern
from cognitive.preflight.smalltalk_rules import ADDRESSED, ANSWER, ASKS, CONTINUE, PHRASES, SOCIAL

LONGEST = 240  # characters; a longer message says something


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """What a message without content is: `kind` says whether the previous turn gives it a meaning."""

    kind: str
    fired: tuple[Rule, ...]

    @property
    def answers(self) -> bool:
        """Whether it says something about the previous turn: yes, go on, the second one."""
        return self.kind != SOCIAL


_table = RuleTable(PHRASES)
_phrase = compile_pattern("|".join(rule.pattern for rule in PHRASES), name="smalltalk", longest=True)
_BEFORE_TOPICS = frozenset("a an the in on about with for of to at from my your our is are via and or".split())
_EMPTY = SmallTalk(ANSWER, ())


def read(text: str) -> SmallTalk | None:
    """The small talk that the whole message is, or None as soon as one word of it is content."""
    if len(text) > LONGEST:
        return None
    written = bare_words(text)
    if not written:  # a thumb up, an ellipsis: it answers the previous turn or nothing
        return _EMPTY
    words = " ".join(written).lower().encode()
    fired = _table.fired(words)
    if not fired:
        return None
    rest = _phrase.sub(b" ", words).decode().split()
    if _addressed(written, rest, fired):
        rest.pop()
    if not FILLERS.issuperset(rest) or _asks(text, rest, fired):
        return None
    return SmallTalk(_kind(fired, rest), fired)


def bare_words(text: str) -> list[str]:
    """The words as written, without apostrophes and punctuation, in any script."""
    joined = text.replace("'", "").replace("\u2019", "")
    return "".join(char if char.isalnum() else " " for char in joined).encode(errors="replace").decode().split()


def _kind(fired: tuple[Rule, ...], rest: list[str]) -> str:
    kinds = {rule.signal for rule in fired}
    if CONTINUE in kinds:
        return CONTINUE
    social = SOCIAL in kinds
    if ANSWER in kinds or not social or not ANAPHORA.isdisjoint(rest):
        return ANSWER
    return SOCIAL


def _addressed(written: list[str], rest: list[str], fired: tuple[Rule, ...]) -> bool:
    """Whether the message ends with the name of whom it greets: "Hi Bob", "thank you Zoë"."""
    if not rest or len(written) < 2 or any(rule.id not in ADDRESSED for rule in fired):
        return False
    before, name = written[-2], written[-1]
    return name.lower() == rest[-1] and name.istitle() and before.lower() not in _BEFORE_TOPICS


def _asks(text: str, rest: list[str], fired: tuple[Rule, ...]) -> bool:
    """Whether the filler forms a question of its own ("hey, do you know me?"), which memory may answer."""
    if any(rule.id in ASKS or rule.signal == CONTINUE for rule in fired):
        return False
    left = [word for word in rest if word not in VOCATIVES]
    return bool(left) and ("?" in text or left[0] in ASKING)
