"""Find the formed memory that a statement takes back: "I no longer drink coffee", "Forget my old address"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.claims import denies
from brain.text import stem_counts
from brain.types import Memory
from cognitive.formation.own_words import read_sentences
from cognitive.formation.statements import FoldedStatement, split_statements

_ENDED = re.compile(
    r"i (?:no longer|(?:have )?(?:stopped|quit|given up)|gave up) (?P<gone>[^,;:?]+)"
    r"|i do not (?P<ended>[^,;:?]+?) any ?(?:more|longer)\b"
)
_FORGET = re.compile(r"(?:please )?forget (?:about )?my (?P<gone>[^,;:?]+)")
_SAYS_NOTHING = frozenset(stem_counts("my old previous former please now again"))
_MAX_WORDS = 6  # of what is taken back; more are hardly the words of the memory


def taken_back(message: str) -> list[frozenset[str]]:
    """Return the stems of each thing that the user's own words in a message take back."""
    found: list[frozenset[str]] = []
    for sentence in read_sentences(message):
        if sentence.rejected is not None or sentence.text.rstrip().endswith("?"):
            continue
        for text in split_statements(sentence.text):
            statement = FoldedStatement.of(text)
            match = _ENDED.match(statement.plain) or _FORGET.match(statement.opened)
            gone = next((part for part in match.groups() if part), "") if match else ""
            stems = frozenset(stem_counts(gone)) - _SAYS_NOTHING
            if stems and len(gone.split()) <= _MAX_WORDS:
                found.append(stems)
    return found


def meant(stems: frozenset[str], memories: Sequence[Memory]) -> Memory | None:
    """Return the one affirmative memory that has all of these stems, or None if it is not certain which is meant."""
    matching = [
        memory for memory in memories if stems <= stem_counts(memory.content).keys() and not denies(memory.content)
    ]
    return matching[0] if len(matching) == 1 else None
