"""Find the formed memory that has a value which a message corrects: "No, it's 14", "It's 14, not 12"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.text import STOP_WORDS, sentences, stem_counts
from brain.types import Memory
from cognitive.context.talk import kind
from cognitive.formation.rules.words import WEEKDAY

_MAX_CORRECTION = 160  # characters of what corrects a value
_MAX_SENTENCES = 3  # of what corrects a value: "Sorry. That's wrong. It's 14."
_WRONG = (
    r"(?:(?:no+|nope|sorry|oops|wait|typo|actually|wrong|correction|not quite"
    r"|(?:that|this|it)(?: is|['’]s| was) (?:wrong|incorrect|not (?:right|correct|true)|outdated|out of date)"
    r"|you(?: are|['’]re) (?:wrong|mistaken)"
    # "ok i put it up, 380 from now on"
    r"|(?:(?:ok(?:ay)?|so|btw|well),? )?(?:i|we|they)(?: have|['’]ve)? (?:just )?(?:put|raised|lowered|moved|changed"
    r"|pushed|cut|bumped|increased|reduced) it(?: (?:up|down|back|again))*(?: to| and)?)\b[\s,.:;!–—-]*)"
)
_IT_IS = r"(?:it|that)(?: is|['’]s| was| should be) (?:actually |really |now |in fact )*"
_VALUE = r"(?:[^,;:?!]|(?<=\d)[,:](?=\d)){1,40}?"  # "8:15", "1,200"
_CORRECTED = re.compile(
    rf"(?P<wrong>{_WRONG}*)(?P<named>{_IT_IS})?(?P<new>{_VALUE})"
    rf"(?:,? (?:and )?not (?P<old>{_VALUE}))?(?:,? sorry|,? from now on|,? now)?[.!]*",
    re.IGNORECASE,
)
_VALUES = {  # what may stand for what: a number for a number, a day for a day, a name for a name
    "number": re.compile(r"(?<![\w.,:])(?:\d[\d.,:/]*\d|\d)(?:(?:st|nd|rd|th)\b)?(?: \d{3,})*"),  # "0170 555"
    "day": re.compile(rf"\b{WEEKDAY}\b", re.IGNORECASE),
    "name": re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*"),
}
# Without a comma, "Wait 10 minutes" is a request and "Actually 10 minutes" may be one.
_UNPARTED = re.compile(r"\b(?:wait|actually)\s+$", re.IGNORECASE)
_PROPOSES = re.compile(r"\?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|an hour|half)\b", re.IGNORECASE)
_NO_NAMES = STOP_WORDS | frozenset("noted ok okay sure done great nice right understood thanks".split())  # "Noted."
_BEFORE_VALUES = frozenset(("the", "on", "at"))  # "it's on the 14th" corrects "it is due 12th"


@dataclass(frozen=True, slots=True)
class CorrectedValue:
    """A value that a message corrects: the new one and, if it is named, the old one.

    `is_bare` if the message has hardly more words: "Sorry, 14", "14, not 12". It may then concern something else.
    """

    new: str
    old: str | None
    is_bare: bool


def corrected_value(message: str) -> CorrectedValue | None:
    """Return the value that a message begins by correcting, such as "No. It's 14. Thanks", or None."""
    said = sentences(message)[:_MAX_SENTENCES]
    for count in range(1, len(said) + 1):
        text = " ".join(" ".join(said[:count]).split())
        found = _CORRECTED.fullmatch(text) if len(text) <= _MAX_CORRECTION else None
        if found is not None and (found["wrong"] or found["old"]):
            old = found["old"].strip() if found["old"] else None
            value = CorrectedValue(found["new"].strip(), old, found["named"] is None)
            if not value.is_bare or (_may_be_bare(value) and not _may_be_request(found["wrong"], value)):
                return value
    return None


def corrected(
    value: CorrectedValue, used: Sequence[Memory], near: Sequence[Memory], message: str, answer: str
) -> tuple[Memory, str] | None:
    """Return the memory that a corrected value is about, with its text as corrected, or None if that is not certain.

    If the old value is named, it is the one memory of `near` that has this value. Otherwise it is the only memory of
    `used`, if that has exactly one value of the same form. Nothing is returned if the new value may correct `answer`,
    the last answer, which was given to `message`.
    """
    memories = used if value.old is None else near
    if value.old is None and (len(memories) != 1 or (value.is_bare and _PROPOSES.search(answer))):
        return None  # "No, 14" may answer a proposal
    texts = [(memory, text) for memory in memories if (text := _replaced(memory.content, value)) is not None]
    return texts[0] if len(texts) == 1 and _is_about(value, texts[0][0].content, message, answer) else None


def _is_about(value: CorrectedValue, text: str, message: str, answer: str) -> bool:
    """Return True if a value corrects a text, and not the answer to a message, such as a wrong sum."""
    repeats = _repeats(answer, text, value.new)
    if value.old is not None and (repeats or not _has(answer, value.old)):
        return True
    may_correct_answer = _answers_otherwise(answer, text, value.new) or (_asks(message) and not repeats)
    return not may_correct_answer and (value.old is None or _has(message, value.old))


def _has(text: str, value: str) -> bool:
    return any(_places(value, text))


def _places(value: str, text: str) -> Iterator[re.Match[str]]:
    """Yield the places where a text has a value."""
    return re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)


def _may_be_request(before: str, value: CorrectedValue) -> bool:
    unparted = _UNPARTED.search(before)
    return unparted is not None and (value.old is None or unparted[0].lower().startswith("wait"))


def _may_be_bare(value: CorrectedValue) -> bool:
    """Return True if the form of a value shows that it is one: "No, 14", but not "No, Tom", which may address Tom."""
    form, _ = _form(value.new)
    return form in ("number", "day") if value.old is None else form is not None and form == _form(value.old)[0]


def _asks(message: str) -> bool:
    return any("?" in sentence or kind(sentence) == "asks" for sentence in sentences(message))


def _repeats(answer: str, text: str, new: str) -> bool:
    """Return True if an answer gives the value of a text, and says what it is of by another word of the text.

    "Today is Friday" is no answer about "My exam is on Friday".
    """
    form, _ = _form(new)
    value = _VALUES[form].search(text) if form is not None else None
    if value is None:
        return False
    others = stem_counts(text).keys() - stem_counts(value[0]).keys()
    said = [sentence for sentence in sentences(answer) if value[0].lower() in sentence.lower()]
    return bool(said) and all(others & stem_counts(sentence).keys() for sentence in said)


def _answers_otherwise(answer: str, text: str, new: str) -> bool:
    """Return True if an answer has values of the form of a new one and none of them is in a text.

    The new value then corrects the answer, such as a wrong sum, and not the text.
    """
    form, _ = _form(new)
    if form is None:
        return False
    if form == "name":
        said = _names(answer)
        return bool(said) and said.isdisjoint(re.findall(r"[\w’'-]+", text))
    said = set(_VALUES[form].findall(answer.lower()))
    return bool(said) and said.isdisjoint(_VALUES[form].findall(text.lower()))


def _names(answer: str) -> set[str]:
    """Return the words of an answer that have a capital letter and do not merely begin a sentence."""
    names: set[str] = set()
    said = sentences(answer)
    for sentence in said:
        first, *others = re.findall(r"[\w’'-]+", sentence) or [""]
        named = [word for word in others if word[0].isupper()]
        is_name = len(named) == len(others) and (bool(others) or len(said) == 1)  # "Jane Austen. Anything else?"
        names.update([first, *named] if is_name else named)
    return {name for name in names if name.lower() not in _NO_NAMES}


def _replaced(text: str, value: CorrectedValue) -> str | None:
    """Return a text with the new value in place of the old one, or None if there is not exactly one place for it."""
    form, new = _form(value.new)
    old_form, old = _form(value.old) if value.old is not None else (None, "")
    others = set(value.new.replace(new, " ").lower().split()) - _BEFORE_VALUES
    says_more = not others <= set(re.findall(r"\w+", text.lower()))  # "It's 12 km to the lake, not 10"
    if value.old is None or (form in ("number", "day") and form == old_form):
        if form is None or says_more:
            return None
        found = _VALUES[form].finditer(text)
        places = [place for place in found if value.old is None or place[0].lower() == old.lower()]
    elif value.is_bare and (form is None or says_more):
        return None
    else:
        places, new = list(_places(value.old, text)), value.new
        first, _, rest = new.partition(" ")
        if rest and len(places) == 1 and text[: places[0].start()].lower().split()[-1:] == [first.lower()]:
            new = rest  # "on the 14th" for "12th" in "on the 12th" is "14th"
    if len(places) != 1 or places[0][0].lower() == new.lower():
        return None
    return text[: places[0].start()] + new + text[places[0].end() :]


def _form(value: str) -> tuple[str | None, str]:
    """Return the form of a value, and the part of the value that has it."""
    for form in ("number", "day"):
        if len(found := _VALUES[form].findall(value)) == 1:
            return form, found[0]
    return ("name", value) if all(word[:1].isupper() for word in value.split()) else (None, value)
