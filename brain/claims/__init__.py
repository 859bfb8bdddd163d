"""Recognise what a short statement is about, which property it gives and the value; equal keys are versions.

Modules, in order of execution:

- `recognise`: recognise the form of a statement, and return its claim.
- `answers`: instructions about the language and the length of answers.
- `labels`: values with a label, as in "Preferred temperature: 21 degrees".
- `spelling_out`: spell out casual statements: "btw, moved to Hamburg" becomes "I moved to Hamburg".
- `names`: tell names of people from what else one is.
- `statement`: take a statement apart at its verb, and find numbers, times and dates.
- `contacts`: recognise street addresses and telephone numbers of people.
- `places`: tell towns from countries, and from what else one moves to.
- `claim`: what a claim is, and how words become one.
- `relations`: the phrases that name an attribute, such as "works at", with examples.
- `vocabulary`: the English words that the other modules need.
- `changes`: find what a statement is about, and whether it denies, announces a change or states a wish.
"""

from brain.claims.changes import announces_change, denies, states_wish, subject_stems
from brain.claims.claim import Claim, person_of
from brain.claims.names import gives_own_name
from brain.claims.recognise import claim_key, claim_of
from brain.claims.spelling_out import restated

__all__ = [
    "Claim",
    "announces_change",
    "claim_key",
    "claim_of",
    "denies",
    "gives_own_name",
    "person_of",
    "restated",
    "states_wish",
    "subject_stems",
]
