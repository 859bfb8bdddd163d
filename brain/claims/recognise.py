"""Recognise what a short English statement is about, which property of it the statement gives, and the value.

A statement is taken apart at its verb: the subject is before it, and the value behind it. A value that is a number,
a time or a date is found in any statement, and all other words belong to subject and attribute. Other values are only
recognised behind the phrases and properties that are listed. Whatever is unsure states no claim: a question, an
assumption, an event that may happen again, a text of several clauses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from brain.claims.answers import style_of_answers
from brain.claims.claim import MAX_VALUE, Claim, canonical, claim_of_words, person_of
from brain.claims.contacts import is_own_phone, street_address
from brain.claims.labels import labelled
from brain.claims.places import is_country, is_town
from brain.claims.relations import PHRASES, PhraseRow
from brain.claims.spelling_out import spelled_out
from brain.claims.statement import TypedValue, Verb, find_verb, has_several_sentences, split_words, typed_value
from brain.claims.vocabulary import (
    ARTICLES,
    BESIDE,
    CHOICES,
    PLACE,
    PREPOSITIONS,
    SAME,
    STATES,
    UNSURE,
    VERBS,
    has_property,
    names_person,
    names_property,
    names_thing,
)

_MAX_LENGTH = 160  # characters; a longer text is hardly one statement
_MAX_WORDS = 24
# Verbs that say nothing beside a number, a time or a date.
_MOVED = frozenset("move push postpone reschedule shift slip delay".split())
_LIGHT = _MOVED | frozenset("be have keep set happen occur schedule plan run change switch need require meet".split())
_CHANGED = _MOVED | frozenset("set change switch rename update".split())
# "was raised to 25 MB" states the new value, "was raised by 25 MB" does not.
_ADJUSTED = frozenset("raised lowered reduced increased decreased extended shortened scaled cut".split())
_STATES_PAST = _CHANGED | {"be", "have", "schedule"}  # verbs whose past form may still state what holds
_OTHERS = frozenset("new current same own to when".split())  # "I like the new logo" says nothing of the one before
# Verbs whose past form states what holds since then.
_BEGUN = _MOVED | frozenset("relocate settle start begin marry".split())
# After "work for" or "live in" these name no employer and no place.
_NO_NAMES = ARTICLES | frozenset(
    """her his their myself himself herself themselves ourselves night home school lunch dawn dusk free fun
    hope fear peace peanuts tips charity commission""".split()
)
_NO_THINGS = frozenset("to lot bit".split())  # "I drive a lot", "I drive my aunt to church"
# What is "in" these is in a state and not in a place.
_IN_STATES = frozenset("shape condition trouble danger order use need debt pain love progress demand tears".split())
_WHEN = frozenset("for in on as at after before during with".split())  # "I prefer coffee at work"
# With these words another value may hold at the same time: "I also work at Bosch".
_PARTLY = frozenset("also too well most during half part spring summer autumn winter term".split())
# The period belongs to the value of these: "rent is 900 a month" and "our rent is 950" are versions.
_PAID = frozenset(map(canonical, ("rent", "salary", "mortgage")))
_PERIODS = frozenset(map(canonical, ("month", "year", "week")))
_RELATING = PREPOSITIONS | {"than"}
_MODEL = "#model"  # which one a thing is, in addition to its name, since "my phone" may also mean its number
_NO_VALUES = frozenset("a an for from of as to".split())  # "X is a Y" is no value of X


def claim_of(content: str, speaker: str | None = None) -> Claim | None:
    """Return the claim of a statement, or None if it states none for certain.

    `speaker` is who says "I"; without one, "I" is the user.
    """
    if len(content) > _MAX_LENGTH or "?" in content or "\n" in content or ";" in content:
        return None
    if has_several_sentences(content):
        return None
    if (style := style_of_answers(content)) is not None:
        return Claim("answers", *style)
    person = person_of(speaker)
    if (claim := labelled(content, person)) is not None:
        return claim
    words, capitals = split_words(spelled_out(content))
    if not 3 <= len(words) <= _MAX_WORDS or not UNSURE.isdisjoint(words) or _has_clauses(words):
        return None
    verb = find_verb(words)
    if verb is None or (verb.start and words[0] in PREPOSITIONS):
        return None
    return _Statement(words, capitals, verb, person).claim()


def claim_key(content: str, speaker: str | None = None) -> str | None:
    """Return subject and attribute of a statement as one text, or None if it states nothing for certain.

    The text is equal for versions of one statement ("The door code is 1", "The code of the door is now 2"), and differs
    for statements about different things.
    """
    claim = claim_of(content, speaker)
    return claim.key if claim else None


def _has_clauses(words: Sequence[str]) -> bool:
    return any(word == "and" and following in ("i", "we", "you") for word, following in pairwise(words))


@dataclass(frozen=True, slots=True)
class _Statement:
    """The words of a statement, whether each has a capital letter, its verb, and who says "I"."""

    words: Sequence[str]
    capitals: Sequence[bool]
    verb: Verb
    person: str

    def claim(self) -> Claim | None:
        """Return what the statement claims: of all forms that a claim can have, the first that fits."""
        subject, rest, lemma = self.words[: self.verb.start], self.words[self.verb.end :], self.verb.lemma
        is_past = self.words[self.verb.start] in ("was", "were", "had") and not self.verb.passive
        if is_past and _ADJUSTED.isdisjoint(rest[:1]):
            return None  # "My rent was 800" may have been before
        state = self._state(subject) or self._liked(subject, rest, lemma)
        if state is not None or self.verb.negated:
            return state
        if lemma == "take" and rest[:1] == ["place"]:
            lemma, rest = "be", rest[1:]
        if not rest:
            return None
        if lemma == "be" and rest[0] in _ADJUSTED and "to" in rest[1:3]:
            adjusted = rest[rest.index("to") + 1 :]
            rest = adjusted if typed_value(adjusted) is not None else rest
        if lemma == "go" and rest[0] in ("up", "down") and rest[1:2] == ["to"] and len(rest) > 2:
            lemma, rest = "be", rest[2:]  # "goes up to 950" states the new value
        current = rest[:-1] if rest[-1] == "now" and len(rest) > 1 else rest
        if lemma == "turn" and len(current) == 1:
            lemma = "be"  # "Rosa turned 34"
        if (address := street_address(subject, current, lemma)) is not None:
            return self._make([word for word in subject if canonical(word) != "address"], "address", address)
        if lemma == "be" and names_thing(subject) and current[0] not in PREPOSITIONS:
            is_named = current[0] in ("a", "an") and self._is_named(self.verb.end, current)
            if is_named or typed_value(current) is None:  # "my phone is silent" says nothing of which it is
                return self._make(subject, _MODEL, current) if is_named else None
        typed = typed_value(current)
        if typed is not None:
            return self._typed(subject, current, lemma, typed)
        return (
            self._related(subject, rest)
            or self._changed(subject, rest, lemma)
            or self._is(subject, current, lemma)
            or self._preferred(subject, rest, lemma)
            or self._used(subject, rest, lemma)
            or self._done(subject, rest, lemma)
        )

    def _make(self, about: Sequence[str], attribute: str, value: Sequence[str]) -> Claim | None:
        return claim_of_words(about, attribute, value, self.person)

    @property
    def _last_verb(self) -> str:
        return self.words[self.verb.end - 1]

    def _state(self, subject: Sequence[str]) -> Claim | None:
        """Return the claim of "is open on Sundays", "is not enabled"."""
        if self.words[self.verb.start] not in ("is", "are"):
            return None
        for at in (self.verb.end - 1, self.verb.end):
            word = self.words[at] if self.verb.start < at < len(self.words) else ""
            if word not in STATES:
                continue
            others = self.words[at + 1 :]
            if others and (others[0] in ("to", "by") or (word in ("on", "off") and others[0] not in PREPOSITIONS)):
                return None
            axis, side = STATES[word]
            return self._make([*subject, *others], f"#{axis}", ["not", side] if self.verb.negated else [side])
        return None

    def _liked(self, subject: Sequence[str], rest: Sequence[str], lemma: str) -> Claim | None:
        """Return the claim of "likes X", "hates X" and "doesn't like X", whose attribute is X."""
        if lemma not in ("like", "love", "hate") or not rest or not _OTHERS.isdisjoint(rest):
            return None
        if self.verb.negated and lemma != "like":  # what is not loved may be liked
            return None
        return self._make([*subject, *rest], "#like", ["hate" if self.verb.negated or lemma == "hate" else "like"])

    def _typed(self, subject: Sequence[str], rest: Sequence[str], lemma: str, found: TypedValue) -> Claim | None:
        """Return the claim whose value is a number, a time or a date."""
        relation = PHRASES.get(f"be {self._last_verb} {rest[0]}") if self.verb.passive else None
        if relation is not None:
            return self._make([*subject, *found.others], relation.attribute, found.words)
        if self._is_event() and lemma not in _STATES_PAST:
            return None
        about = [word for word in (*subject, *found.others) if word != "back" or lemma not in _MOVED]
        if lemma not in _LIGHT and not (lemma == "start" and found.kind in ("time", "date")):
            about.append(self._last_verb)
        if "until" in rest:
            about.append("end")
        if found.kind == "time":
            about = [word for word in about if canonical(word) not in ("day", "night")]
        if is_own_phone(about, found.words):
            return self._make(["my"], "phone", found.words)
        if not any(map(canonical, about)) and about != ["i"]:  # "I am 33"
            return None
        if has_property(about):
            if not _PAID.isdisjoint(map(canonical, about)):
                about = [word for word in about if canonical(word) not in _PERIODS]
            return self._make(about, "", found.words)
        bare_number = found.kind == "number" and len(rest) == len(subject) == 1
        if lemma == "be" and ("old" in found.others or bare_number):
            return self._make([word for word in about if word != "old"], "age", found.words[:1])
        return self._make(about, f"#{SAME.get(found.kind, found.kind)}", found.words)

    def _is_event(self) -> bool:
        """Return True if the statement reports something that may happen again: it is in the past or progressive."""
        form = VERBS[self._last_verb][1] if self._last_verb in VERBS else "s"
        return self.words[self.verb.start] in ("was", "were", "got") if self.verb.passive else form in ("past", "ing")

    def _related(self, subject: Sequence[str], rest: Sequence[str]) -> Claim | None:
        """Return the claim of a phrase that names its attribute, such as "works at"."""
        passive = self.verb.passive
        verb = f"be {self._last_verb}" if passive else self.verb.lemma
        relation, value = PHRASES.get(f"{verb} {' '.join(rest[:2])}"), rest[2:]
        if relation is None:
            relation, value = PHRASES.get(f"{verb} {rest[0]}"), rest[1:]
        if relation is None and rest[0] not in PREPOSITIONS:
            relation, value = PHRASES.get(verb), rest
        if relation is None or not 0 < len(value) <= MAX_VALUE or not self._is_only(relation, rest, value):
            return None
        if relation.inverse and not passive:
            return self._make(value, relation.attribute, subject)
        purpose = [] if rest[0] in PREPOSITIONS else _from_preposition(value)  # "drives a van for work"
        if relation.attribute == "place":
            return self._located(subject, value)
        about, attribute = [*subject, *purpose], relation.attribute
        if attribute == "drive" and self._is_named(len(self.words) - len(value), value):
            about, attribute = [*about, "car"], _MODEL  # "I drive a Golf", but "I drive a bus"
        return self._make(about, attribute, value[: len(value) - len(purpose)])

    def _is_named(self, start: int, value: Sequence[str]) -> bool:
        """Return True if a value that begins with the word `start` is a name: not "a present from Ana"."""
        own = len(value) - len(_from_preposition(value, _RELATING))
        return any(self.capitals[start : start + own])

    def _located(self, subject: Sequence[str], value: Sequence[str]) -> Claim | None:
        if subject[:1] == ["my"] and not any(map(canonical, subject)):
            return None  # "My name is in the book" says nothing of where I am
        return self._make(subject, "#country" if is_country(value) else "place", value)

    def _is_only(self, relation: PhraseRow, rest: Sequence[str], value: Sequence[str]) -> bool:
        """Return True if the value of a phrase is the one that holds: not "worked at X", not "lives in a flat"."""
        if not self.verb.passive and VERBS[self._last_verb][1] == "past" and self.verb.lemma not in _BEGUN:
            return False
        if rest[0] == "as":  # "works as a nurse", but not "works as expected"
            return value[0] in ("a", "an") and PREPOSITIONS.isdisjoint(value) and _PARTLY.isdisjoint(self.words)
        if rest[0] in PREPOSITIONS and value[0] in ("a", "an"):
            return False
        if not relation.named:
            return _NO_THINGS.isdisjoint(value)
        at = len(self.words) - len(value)
        is_name = any(self.capitals[at:])
        if not _PARTLY.isdisjoint(self.words):
            return False
        if self.verb.lemma in ("move", "relocate"):  # "to nights", "to Postgres"
            return is_town(value, self.capitals[at:])
        if value[0] in _NO_NAMES:
            return any(self.capitals[at + 1 :])
        return is_name or not any(self.capitals[:at])

    def _changed(self, subject: Sequence[str], rest: Sequence[str], lemma: str) -> Claim | None:
        """Return the claim of "was changed to X" and "is called X"."""
        if self.verb.passive and lemma in ("call", "name"):
            return self._make(subject, "", rest)
        if lemma in _MOVED and not has_property(subject) and (not self.verb.passive or subject[0] != "the"):
            return None  # "I moved to nights" says nothing of who I am
        if lemma in _CHANGED and rest[0] == "to" and len(rest) <= MAX_VALUE:
            return self._make(subject, "", rest[1:])
        return None

    def _is(self, subject: Sequence[str], rest: Sequence[str], lemma: str) -> Claim | None:
        """Return the claim of "X is Y", "X is in Y"."""
        if lemma not in ("be", "become") or self.verb.passive or rest[0] in _NO_VALUES:
            return None
        if names_property(rest) and not names_property(subject):
            certain = any(self.capitals[: self.verb.start]) or rest[0] in ARTICLES
            return self._make(rest, "", subject) if certain else None
        if len(rest) > MAX_VALUE:
            return None
        if rest[0] in PLACE and len(rest) > 1:
            is_state = rest[1] in ("a", "an") or not _IN_STATES.isdisjoint(rest)  # "in a mess", "in good shape"
            return None if is_state else self._located(subject, rest[1:])
        if rest[0] in BESIDE and len(rest) > 1:
            return self._make(subject, f"#{rest[0]}", rest[1:])
        if rest[0] == "on" and len(rest) > 2:
            return self._make(subject, f"#on-{canonical(rest[-1])}", rest[1:])
        if names_person(subject) and not any(self.capitals[self.verb.end :]):
            return None
        if names_property(subject):
            return self._make(subject, "", rest[1:] if rest[0] in PREPOSITIONS else rest)
        is_name = self.capitals[self.verb.end] or rest[0] == "the"
        return self._make(subject, "", rest) if subject and subject[0] in ARTICLES and is_name else None

    def _preferred(self, subject: Sequence[str], rest: Sequence[str], lemma: str) -> Claim | None:
        """Return the claim of a preference among things of one sort, such as drinks."""
        sort = next((CHOICES[word] for word in rest if word in CHOICES), None)
        if lemma not in ("prefer", "want") or not subject or sort is None:
            return None
        compared = next((n for n, word in enumerate(rest) if word in ("over", "than")), len(rest))
        value = [word for word in rest[:compared] if CHOICES.get(word) == sort]
        return self._make([*subject, *_from_preposition(rest, _WHEN)], f"prefer {sort}", value)

    def _used(self, subject: Sequence[str], rest: Sequence[str], lemma: str) -> Claim | None:
        """Return the claim of "use X for Y" and "Y uses X"."""
        if lemma != "use":
            return None
        purpose = _from_preposition(rest)
        value = rest[: len(rest) - len(purpose)]
        if len(value) > MAX_VALUE or not any(map(canonical, [*subject, *purpose])):
            return None
        return self._make([*subject, *purpose], "use", value)

    def _done(self, subject: Sequence[str], rest: Sequence[str], lemma: str) -> Claim | None:
        """Return the claim of what is regularly done: "is collected by X", "is signed with X"."""
        if not self.verb.passive or self._is_event() or not 1 < len(rest) <= MAX_VALUE:
            return None
        if rest[0] not in ("by", "with", "in", "on", "to", "under"):
            return None
        return self._make(subject, f"{canonical(lemma) or lemma} #{rest[0]}", rest[1:])


def _from_preposition(words: Sequence[str], prepositions: Collection[str] = ("for", "in", "on", "as")) -> Sequence[str]:
    """Return the words from the first of some prepositions on."""
    return words[next((n for n, word in enumerate(words) if word in prepositions), len(words)) :]
