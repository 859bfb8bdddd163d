"""Find what an English statement is about, and the words by which it denies, announces a change or states a wish."""

from __future__ import annotations

import re

from brain.claims.statement import find_verb, split_words
from brain.claims.vocabulary import EMPTY, UNSURE
from brain.text import lexemes

_MAX_LENGTH = 240  # characters of a statement that denies something; a longer text is not one statement
_MAX_SUBJECT = 4  # stems; what comes before the verb of a longer one is a clause
_FIRST = 2  # stems of a statement whose verb is not found that name its subject
_DENIES = re.compile(
    r"\b(?:not|no|never|neither|nor|none|without|cannot|instead|stopped|quit)\b|n['’]t\b", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(?:now|from now on|as of|since|no longer|any ?more|instead|rather|actually|these days|permanent(?:ly)?|new"
    r"|chang(?:ed?|es|ing)|switch(?:ed|ing)|mov(?:ed|ing)|updated?|replac(?:ed|ing)|renamed|swapped|started|stopped"
    r"|quit|dropped|retired|promoted|set|adjust|always|(?:up|down)graded|raised|reduced|lowered|increased|decreased"
    r"|extended|cut to|pushed|relocated|scaled|joined|took over|went (?:up|down))\b",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"\b(?:prefer\w*|always|usually|never|favou?rite|rather|want|like|need|only|from now on|make sure|please"
    r"|don['’]t (?:mind|care)|let['’]?s|can you|could you|i['’]d)\b"
    r"|^(?:\w+[,.] )?(?:set|change|switch|update|make|find|show|search|adjust|avoid|use|play|plan|keep|prioriti[sz]e"
    r"|locate|stream|direct|start|stop|give|take|turn|put|send|call|write|add|remove|choose|pick|book|order|navigate|remind"
    r"|tell|increase|decrease|route|maintain|do|don['’]t|no|stick|go|get)\b",
    re.IGNORECASE,
)


def denies(content: str) -> bool:
    """Return True if a statement denies something: "Ana has never been to Rome", "Ben, not Ana, leads the team"."""
    return len(content) <= _MAX_LENGTH and "?" not in content and _DENIES.search(content) is not None


def announces_change(content: str) -> bool:
    """Return True if a statement says that something changes or has changed: "I've switched to the night train"."""
    return _CHANGES.search(content) is not None


def states_wish(content: str) -> bool:
    """Return True if a line says what its speaker wants or prefers: "Find the cheapest one", "I'd rather walk"."""
    return _WISHES.search(content) is not None


def subject_stems(content: str) -> tuple[str, ...]:
    """Return the stems of the words before the verb of a statement, at most four; without a verb, its first two."""
    words, _ = split_words(content[:_MAX_LENGTH])
    verb = find_verb(words) if len(words) > 2 else None
    named = [word for word in words[: verb.start] if word not in UNSURE | EMPTY] if verb is not None else []
    before = lexemes(" ".join(named))
    return tuple(before[:_MAX_SUBJECT] or lexemes(content)[:_FIRST])
