"""Complete a message that refers to what was said before, such as "and who fixed it?" or "what does the second cost?".

`follow_up` finds the rules by which a message is incomplete. `Earlier` holds what it can refer to: the user's last
complete request, past "ok" and "thanks", and the assistant's answers since then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from cognitive.preflight import smalltalk
from cognitive.preflight.classification import strongest_frame
from cognitive.preflight.rules.follow_ups import (
    ATTRIBUTE,
    CHOICE,
    CHOOSES,
    EXPLETIVE_RULES,
    FOLLOW_UP_RULES,
    NO_ATTRIBUTE,
    OFFER,
    PRONOUN_RULES,
    REFERS,
    SUBSTITUTES,
    UNIT,
)
from cognitive.preflight.rules.matching import Rule, RuleTable, compile_pattern, fold
from cognitive.preflight.topics import entities, keywords
from cognitive.prompt import without_injected
from cognitive.turn import Message

MAX_EARLIER = 12  # messages that are read, of both sides; older ones are mostly about something else
MAX_LENGTH = 80  # characters of an incomplete message
MAX_CHARS = 2_000  # characters that are read of an earlier message, since it only completes another one
MAX_REACTION = 2  # words of a statement that only reacts, such as "hm ok"
MAX_ANSWER = 5  # words of a statement that only answers the assistant's question
MAX_OFFERING = 2  # sentences at the end of an answer in which the assistant may offer something
MAX_NAMES = 6  # names that are taken from the assistant's answers

_rules, _expletive, _pronoun = RuleTable(FOLLOW_UP_RULES), RuleTable(EXPLETIVE_RULES), RuleTable(PRONOUN_RULES)
_choice, _offer, _attribute, _no_attribute = (
    compile_pattern(pattern, name=f"follow_ups.{name}")
    for name, pattern in (
        ("choice", CHOICE),
        ("offer", OFFER),
        ("attribute", ATTRIBUTE),
        ("no_attribute", NO_ATTRIBUTE),
    )
)
_unit = re.compile(UNIT)
_PLACES = {
    name: place
    for place, names in enumerate(
        ("first 1st former one a", "second 2nd two b", "third 3rd three c", "fourth 4th four d", "fifth 5th five e")
    )
    for name in names.split()
}
_PLACES |= {"last": -1, "latter": -1, **{str(number): number - 1 for number in range(1, 10)}}
_MARK = re.compile(r"(?P<opens>(?:^|[\n,;:.!?])\s{0,8})?(?<!\S)[(*_]{0,2}(?P<mark>\d{1,2}(?=[.)])|[a-e](?=\)))[.)]\s+")
_BULLET = re.compile(r"^[ \t]*[-*•]\s+(.+)$", re.MULTILINE)
# Not after an abbreviation: a capital and consonants, such as "Dr." and "Mrs.".
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[A-Z][b-df-hj-np-tv-z]\.)(?<!\bMrs\.)(?<!\bProf\.)\s+|\n+")
_ASIDE = re.compile(r"\([^()]*\)")
_SEPARATOR = re.compile(r"(\s*[,;]\s*(?:or|and)\s+|\s*[,;]\s+|\s+or\s+|\s+and\s+)")
_EXPLAINS = re.compile(r"(?:a|an|which|who|where|whose|with|in|at|near|about|though|but)\s")
_RESTARTS = re.compile(r"(?:so|then|because|since)\s")


@dataclass(frozen=True, slots=True)
class Earlier:
    """The user's last complete request and what was said since then, to which an incomplete message can refer.

    Attributes:
        request: the last complete request.
        answers: the assistant's messages since the request that say something, the latest first.
        latest: the latest incomplete message since the request that has topic words, or an empty string. If it does
            not name what it asks for, the latest one that does precedes it, on a line.
        offered: True if the last message is the assistant's, and asks or offers something.
    """

    request: str = ""
    answers: tuple[str, ...] = ()
    latest: str = ""
    offered: bool = False

    @classmethod
    def of(cls, conversation: Sequence[Message]) -> Earlier:
        """Find the request in a conversation. The answers of an aside, such as "nice, I'm starving", do not count."""
        answers: list[str] = []
        incomplete = newest = topical = ""
        recent = recent_messages(conversation)
        offered = bool(recent) and recent[0].role == "assistant" and _offers(recent[0].content)
        for message, before in zip_longest(recent, recent[1:]):
            text = without_injected(message.content)[:MAX_CHARS]
            if message.role == "assistant":
                if not smalltalk.acknowledges(text):
                    answers.append(text)
                continue
            newest, rest = newest or text.strip(), smalltalk.after_reaction(text)
            if not rest or smalltalk.read(text) is not None:
                continue
            states = (strongest_frame(rest) or ("conversation",))[0] == "conversation"
            asked = before is not None and before.role == "assistant" and before.content.rstrip().endswith("?")
            if states and len(rest) < len(text.strip()):
                answers.clear()
            elif states and len(rest.split()) <= (MAX_ANSWER if asked else MAX_REACTION):
                continue
            elif _states_topic(rest):
                return cls(rest, tuple(answers), topical, offered)
            elif keywords(rest) and not _names_attribute(topical) and (not topical or _names_attribute(rest)):
                topical = "\n".join(filter(None, (rest, topical)))
            incomplete = incomplete or rest
        return cls(incomplete or newest, tuple(answers), offered=offered)

    def topic(self, rules: Iterable[Rule]) -> str:
        """Return the request to which a message that matches these rules refers: from `request` and `latest`.

        The latest one replaces the request if it names what it asks for ("and how long are its backups kept?") and the
        message names another thing in its place ("and for staging?"). Else it adds to the request.
        """
        kinds = {rule.signal for rule in rules}
        replaces = SUBSTITUTES in kinds and REFERS not in kinds and _names_attribute(self.latest)
        return self.latest if replaces else "\n".join(filter(None, (self.request, self.latest)))


def messages_read(text: str, conversation: Sequence[Message]) -> list[Message]:
    """Return the messages that complete an incomplete message; none if the message is complete."""
    if len(text) > MAX_CHARS:
        return []
    small, content = smalltalk.read(text), smalltalk.peel(text)[0]
    incomplete = small.answers or small.accepts if small else follow_up(content, keywords(content))
    return recent_messages(conversation) if incomplete else []


def recent_messages(conversation: Sequence[Message]) -> list[Message]:
    """Return the messages that a follow-up can refer to: the user's and the assistant's, the latest first."""
    said = (each for each in reversed(conversation) if each.role in ("user", "assistant") and each.content)
    return [*islice(said, MAX_EARLIER)]


def follow_up(content: str, topics: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules by which a message is incomplete without what was said before; none if it is complete.

    `topics` are the message's topic words.
    """
    rest = smalltalk.after_reaction(content) or content
    if len(rest) > MAX_LENGTH:
        return ()
    lower = fold(rest).lower()
    chosen = _rules.fired(fold(content).lower()) if len(rest) < len(content) <= MAX_LENGTH else ()
    fired = (*_rules.fired(lower), *(rule for rule in chosen if rule.signal == CHOOSES))
    outweighed = {rule.signal for rule in _expletive.fired(lower)} if fired else set()
    fired = tuple(rule for rule in fired if rule.id not in outweighed)
    return fired or (() if topics else _pronoun.fired(lower))


def _states_topic(rest: str) -> bool:
    """Return True if a message is complete, or names what it asks for and its owner: "what about Rita's number?"."""
    rules = follow_up(rest, keywords(rest))
    refers = any(rule.signal != SUBSTITUTES for rule in rules)
    return not rules or (not refers and _names_attribute(rest))


def _names_attribute(text: str) -> bool:
    lower = _no_attribute.sub(b"x", fold(text).lower())
    return _attribute.search(lower) is not None


def _offers(answer: str) -> bool:
    """Return True if one of the last sentences of an answer asks or offers something, other than further help."""
    sentences = _SENTENCE.split(answer[-MAX_CHARS:].strip())[-MAX_OFFERING:]
    return any(_offer.search(fold(each).lower()) and not smalltalk.acknowledges(each) for each in sentences)


def referents(content: str, rules: Iterable[Rule], answers: Sequence[str]) -> str:
    """Return what an incomplete message refers to in the assistant's answers: the option that it chooses, or names."""
    kinds = {rule.signal for rule in rules}
    chosen = _chosen(content, answers)
    if chosen or CHOOSES in kinds:
        return chosen
    if REFERS not in kinds:
        return ""
    names = dict.fromkeys(name for answer in answers for name in entities(_unit.sub("", answer)))
    return " ".join(islice(names, MAX_NAMES))


def _chosen(content: str, answers: Iterable[str]) -> str:
    """Return the option of the latest list in the answers that a message chooses by its place ("the second one")."""
    match = _choice.search(fold(content).lower())
    if match is None:
        return ""
    place = _PLACES[next(group for group in match.groups() if group).decode()]
    listed = next((found for answer in answers if len(found := options(answer)) > 1), [])
    return listed[place] if listed and place < len(listed) else ""


def options(answer: str) -> list[str]:
    """Return the options that a text lists: numbered, as bullets, or in a sentence ("A, B or C")."""
    answer = re.sub(r"\s+", lambda run: "\n" if "\n" in run[0] else " ", answer)  # the patterns are quadratic in runs
    for marked in (_numbered(answer), [item.strip(" .,;") for item in _BULLET.findall(answer)]):
        if len(marked) > 1:
            return marked
    sentences = _SENTENCE.split(answer)
    # "Sure, I can help with that" lists nothing: an offer has "or" or a colon, and ends the answer
    offers = [each for each in reversed(sentences) if ":" in each or " or " in each]
    listed = map(_enumerated, (*offers, *sentences))
    return next((found for found in listed if len(found) > 1), [])


def _numbered(answer: str) -> list[str]:
    """Return the items of a list with numbers or letters that count up, on lines or in a sentence.

    The last item ends with its sentence.
    """
    marks: list[re.Match[str]] = []
    for match in _MARK.finditer(answer):
        if marks and _count(match) == _count(marks[-1]) + 1:
            marks.append(match)
        elif len(marks) < 2 and match["opens"] is not None:
            marks = [match]
    if len(marks) < 2:
        return []
    ends = (*(match.start() for match in marks[1:]), len(answer))
    items = [answer[match.end() : end].split("\n")[0].replace("**", "") for match, end in zip(marks, ends, strict=True)]
    items[-1] = _SENTENCE.split(items[-1])[0]
    return [re.sub(r"\W+(?:and|or)$", "", item.strip(" .,;?!(*_")) for item in items]


def _count(mark: re.Match[str]) -> int:
    return int(mark["mark"]) if mark["mark"].isdigit() else ord(mark["mark"])


def _enumerated(sentence: str) -> list[str]:
    """Return the parts of a sentence that lists things, each with the words that explain it."""
    listed = sentence.rpartition(": ")[2]
    remarks = _ASIDE.findall(listed)
    parts = _SEPARATOR.split(_ASIDE.sub("\x00", listed))
    alternatives = any(" or " in f" {separator} " or "or " in separator for separator in parts[1::2])
    items = [parts[0]]
    for separator, part in zip(parts[1::2], parts[2::2], strict=True):
        word = separator.strip(" ,;\n")
        joins = word == "and" and alternatives
        explains = not word and _EXPLAINS.match(part) and not _EXPLAINS.match(items[0])
        if joins or explains:
            items[-1] += separator + part
        elif not word and _RESTARTS.match(part):
            items = [part]
        else:
            items.append(part)
    found = "\n".join(items)
    for remark in remarks:
        found = found.replace("\x00", remark, 1)
    return [item.strip(" .!?") for item in found.split("\n")] if len(items) > 1 else []
