"""Find the sentences of a message that are the user's own words: not code, quotations, given texts or fiction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain.language_detection import READ_CHARS, language_of_text
from brain.languages import ENGLISH
from brain.text import STOP_WORDS, sentences, words
from cognitive.formation.rules.messages import (
    EXERCISE,
    FICTION,
    FOR_OTHERS,
    GIVEN_TEXT,
    LABELLED,
    RETRACTION,
    SentenceRule,
)
from cognitive.prompt import without_injected

_MAX_READ = 3_000  # characters of a message; what is longer is mostly a text that the user pasted
_FENCE = re.compile(r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<(\w+)[^<>]*>.*?</\1>")
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*(?:>|\|).*$")
# A quotation of more than one sentence.
_QUOTATION = re.compile(r"(?<!\w)[\"“'‘][^\"“”\n]{4,}?[.!?] [^\"“”\n]*?[.!?…][\"”'’](?!\w)")
# A mail to someone else with words about it behind: from the salutation to the name that signs it, or, after
# "Dear", to an empty line.
_MAIL = re.compile(
    r"(?ms)^(?i:dear|hi|hello|hey|good \w+) [^\n!?]{1,40},.*?\b(?i:regards|wishes|sincerely|best|yours|cheers|thanks)"
    r"(?:,\s*|\s*\n\s*)[A-Z][\w'’]+(?: [A-Z][\w'’]+)*(?=\W+\w)|^(?i:dear) (?!(?i:assistant|ai|bot|chatbot|chatgpt"
    r"|claude|copilot)\b)[^\n!?]{1,40},.*\n\s*\n(?=\s*\w)"
)
# A line of a log, a table, a command or code: it begins with a mark or a time, or has many signs that prose lacks.
_IM = re.compile(r"^im\b")  # "im based in Hamburg" is English
_CODE_LINE = re.compile(
    r"^\s*(?:[$#%|{}<@/\\⎿✓✗]|\[?\d{2,4}[-:]\d\d[-:]\d\d|(?:traceback|error|warn(?:ing)?|info|debug)\b"
    r"|(?-i:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER) \S)",
    re.I,
)
_SIGNS = re.compile(r"[{}<>=\\|]|\w\(|;\s*$|::|->|https?:")
# "Scratch that, I live in Faro now" takes back the message before, not its own statement.
_AND_INSTEAD = re.compile(r"(?i)(\b(?:scratch|strike|forget|ignore) that)(?:,|:|;| -| –) (?=(?:i|i['’]m|we|my|our)\b)")
_MIN_ENGLISH = 0.3  # share of the words of a text that are common English ones
_MAX_SIGNS = 2  # signs of code in a sentence of prose


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message; `rejected` is why it forms nothing, or None if it may form something."""

    text: str
    rejected: str | None = None


def read_sentences(message: str) -> list[Sentence]:
    """Return the sentences of a user's message, in order, without code, quoted texts and mails to others.

    Sentences in another language than English, lines of code, texts that were given to work on, fiction, exercises and
    sentences that the next one takes back are returned as rejected.
    """
    prose = without_injected(message)[:_MAX_READ]
    for not_own in (_FENCE, _QUOTED_LINE, _QUOTATION, _MAIL):
        prose = not_own.sub("\n", prose)
    if _is_foreign(prose):
        return [Sentence(prose, "language")]
    found: list[Sentence] = []
    rest: str | None = None  # why all further sentences form nothing
    for text in sentences(_AND_INSTEAD.sub(r"\1. ", prose)):
        found.append(Sentence(text, rest or _own_reason(text)))
        if (invented := _first_match((FICTION, EXERCISE), text)) is not None:  # what led up to it is invented too
            found = [Sentence(each.text, invented) for each in found]
            rest = invented
        elif rest is None and (rest := _first_match((GIVEN_TEXT, LABELLED), text)) is not None:
            found[-1] = Sentence(text, rest)
        if RETRACTION.matches(text):
            found[-2:] = [Sentence(each.text, "retracted") for each in found[-2:]]
    return found


def _own_reason(text: str) -> str | None:
    """Return why a sentence by itself forms nothing, or None."""
    return "code" if _is_code(text) else _first_match((FOR_OTHERS,), text)


def _first_match(rules: Sequence[SentenceRule], text: str) -> str | None:
    """Return the name of the first rule that matches a sentence, or None."""
    return next((rule.name for rule in rules if rule.matches(text)), None)


def _is_foreign(text: str) -> bool:
    """Return True if a text is in another language than English; a short text with English words is not."""
    if language_of_text(_IM.sub("i'm", text)) in (None, ENGLISH):
        return False
    used = words(text[:READ_CHARS])
    return sum(word in STOP_WORDS for word in used) < _MIN_ENGLISH * len(used)


def _is_code(text: str) -> bool:
    return _CODE_LINE.match(text) is not None or len(_SIGNS.findall(text)) > _MAX_SIGNS
