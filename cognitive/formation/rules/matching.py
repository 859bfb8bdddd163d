"""The rows of the rule tables: what forms a memory of a kind, what forms none, and what takes one back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from cognitive.policy.outcomes import FormationKind as Kind

Form = Literal["plain", "opened", "written"]


@dataclass(frozen=True, slots=True)
class FormationRule:
    """A pattern of statements that form a memory of a kind.

    The pattern is matched at the beginning of a statement in the form `on`: "plain" (folded, from its subject on),
    "opened" (folded, with the words before its subject) or "written" (as it was written). With `within`, this pattern
    must also be found in the message, in lower case. With `confirmed`, the assistant's answer must also report that it
    is done. `examples` and `counterexamples` are whole messages, which the tests check.
    """

    name: str
    kind: Kind
    pattern: str
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()
    on: Form = "plain"
    within: str | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class GuardRule:
    """A pattern of statements that form nothing; it is searched in the folded statement.

    `except_for` are the kinds that the guard doesn't stop. `examples` are messages from which nothing is formed, and
    `counterexamples` messages from which something is.
    """

    name: str
    pattern: str
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()
    except_for: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class EndingRow:
    """A form in which a user says that something ended, and the beginning of a memory that states it.

    `said` is matched on a statement folded from its subject on. Its group `gone`, `left` or `was` is what ended, and
    `who`, if there is one, the subject, which replaces "{who}" in `memory`. With `of_plans`, only plans are taken back.
    With `done`, it has ended for good, and a time such as "last week" says when; otherwise it may have paused then.
    With `instead`, the rest of the sentence must say in this form what holds now. With `alike`, it must also have
    another word of the memory. An example is what is said and a memory that it takes back, a counterexample what is
    said and a memory that stays.
    """

    said: str
    memory: str
    examples: tuple[tuple[str, str], ...]
    counterexamples: tuple[tuple[str, str], ...] = ()
    of_plans: bool = False
    done: bool = False
    instead: str = ""
    alike: bool = False


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a rule's pattern, compiled at its first use, since compiling all of them takes half a second."""
    return re.compile(pattern)
