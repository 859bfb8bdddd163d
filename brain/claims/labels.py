"""Recognise the claim of a label and a value, as in "Preferred temperature: 21 degrees"."""

from __future__ import annotations

from collections.abc import Sequence

from brain.claims.claim import MAX_VALUE, Claim, canonical, claim_of_words
from brain.claims.statement import split_words
from brain.claims.vocabulary import UNSURE, names_property

_MAX_WORDS = 8  # before the colon
_MIN_MATTER = 2  # stems of what a preference is about
_UNSURE = UNSURE - {"or", "either", "while"}  # "Preferred seat while travelling", "Preference for tea or coffee"


def labelled(content: str, person: str) -> Claim | None:
    """Return the claim of "Preferred temperature: 21 degrees", whose label names a property or a preference."""
    label, colon, value = content.partition(": ")
    if not colon or ":" in value:
        return None
    words, _ = split_words(label)
    said = value.partition(" (")[0]
    if not 1 < len(words) <= _MAX_WORDS or len(said.split()) > MAX_VALUE or not _UNSURE.isdisjoint(words):
        return None
    if words[0] not in ("preferred", "favorite", "favourite") and not names_property(words) and not _preference(words):
        return None
    return claim_of_words(words, "", split_words(said)[0], person)


def _preference(words: Sequence[str]) -> bool:
    """Return True if a label names a preference and its matter, as in "Fan speed preference".

    The matter has at least two words: under "Food preferences" a person has several, which are no versions.
    """
    stems = {canonical(word) for word in words} - {""}
    return canonical("preference") in stems and len(stems) > _MIN_MATTER
