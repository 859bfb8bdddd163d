"""Recognise the street addresses and telephone numbers of people in the words of a statement."""

from __future__ import annotations

from collections.abc import Sequence

from brain.claims.claim import canonical
from brain.claims.vocabulary import PREPOSITIONS

_MAX_WORDS = 6  # of an address
_MIN_DIGITS = 7  # of a telephone number
_ADDRESS = canonical("address")
_MINE = frozenset(("my", "new", "own"))
_STREETS = frozenset("street st road rd avenue ave lane drive hill terrace gardens crescent boulevard quay".split())


def street_address(subject: Sequence[str], rest: Sequence[str], lemma: str) -> Sequence[str] | None:
    """Return the words of the address in "my address is 5 Elm Street" or "I live at 5 Elm Street", or None.

    `subject` is before the verb with this `lemma`, `rest` behind it. Other words than "address" need a street.
    """
    value = rest[1:] if rest[0] in PREPOSITIONS else rest
    if lemma not in ("be", "live") or not 1 < len(value) <= _MAX_WORDS or not value[0][:1].isdigit():
        return None
    if lemma == "be" and _ADDRESS in map(canonical, subject):
        return value
    end = next((n for n, word in enumerate(value) if word in PREPOSITIONS), len(value))
    return value if not _STREETS.isdisjoint(value[1:end]) else None


def is_own_phone(about: Sequence[str], value: Sequence[str]) -> bool:
    """Return True for "my new number" and a value that is long enough for a telephone number."""
    digits = sum(map(str.isdigit, "".join(value)))
    return about[-1] == "number" and _MINE.issuperset(about[:-1]) and digits >= _MIN_DIGITS
