"""Claims, and how the words of subject, attribute and value become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from brain.claims.vocabulary import ARTICLES, EMPTY, FIRST_PERSON, PREPOSITIONS, PROPERTIES, SAME
from brain.text import as_lexeme, normalise, stem

MAX_VALUE = 6  # words of a value that is neither a number nor a time
_MAX_KEY = 8  # stems of subject and attribute together; with more, two versions hardly agree in all
_UNSAID = ARTICLES | PREPOSITIONS | {"now", "currently", "again"}  # in a value


@dataclass(frozen=True, slots=True)
class Claim:
    """The value that a statement gives to an attribute of a subject. Each part is a text of stems.

    `subject` and `attribute` don't depend on the order of words, and synonyms have one stem. Only both together
    identify what is claimed: `key`. The attribute of a number or time without a name is its kind, such as "#duration".
    """

    subject: str
    attribute: str
    value: str

    @property
    def key(self) -> str:
        """Subject and attribute as one text, which is equal for versions of one statement."""
        return " ".join(sorted({*self.subject.split(), *self.attribute.split()}))


def person_of(speaker: str | None) -> str:
    """Return the name of a speaker by which speakers are compared; without a speaker, it is the user."""
    name = normalise(speaker or "").strip()
    return "user" if name in ("", "human") else name


@cache
def canonical(word: str) -> str:
    """Return the stem by which a word of subject or attribute is compared, or "" for a word that says nothing."""
    bare = word.removesuffix("'s").removesuffix("s'")
    bare = SAME.get(bare, bare)
    if bare in EMPTY:
        return ""
    lexeme = as_lexeme(bare) if bare.isalpha() else bare
    return SAME.get(lexeme, lexeme)


_PROPERTY_STEMS = frozenset(map(canonical, PROPERTIES)) - {""}


def claim_of_words(about: Sequence[str], attribute: str, value: Sequence[str], person: str) -> Claim | None:
    """Return a claim of these words. Without an `attribute`, it is the property that `about` names, or empty."""
    stems = {person if word in FIRST_PERSON else canonical(word) for word in about} - {""}
    said = sorted({stem(word.lower().removesuffix("'s")) for word in value if word not in _UNSAID})
    if not said or len(stems) > _MAX_KEY:
        return None
    if attribute:
        attribute = " ".join(word if word[0] == "#" else canonical(word) for word in attribute.split())
    else:
        attribute = min(stems & _PROPERTY_STEMS, default="")
    subject = stems.difference(attribute.split())
    return Claim(" ".join(sorted(subject)), attribute, " ".join(said)) if subject or attribute else None
