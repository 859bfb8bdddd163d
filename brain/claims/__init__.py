"""Recognise what a short statement is about, which property it gives and the value; equal keys are versions.

Modules, in order of execution:

- `recognise`: recognise the form of a statement, and return its claim.
- `statement`: take a statement apart at its verb, and find numbers, times and dates.
- `relations`: the phrases that name an attribute, such as "works at", with examples.
- `vocabulary`: the English words that the other modules need.
"""

from brain.claims.recognise import Claim, claim_key, claim_of

__all__ = ["Claim", "claim_key", "claim_of"]
