"""Patterns for ranking: the type of answer that a question asks for, and texts that may contain such an answer.

A text that names a day is likelier to answer "when" than one that does not. A standing instruction concerns every
request. The patterns are general rules about English and not made for particular memories. Each adds only one factor to
a candidate's relevance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A type of answer, such as a date or a place, to rank memories that may contain the answer to a question.

    `question_pattern` matches questions that ask for this type, and `answer_pattern` matches texts that may contain
    such an answer. `weight`, from 0 to 1, is the value that such a text gets for the relevance factor `answer_type`.
    """

    name: str
    question_pattern: re.Pattern[str]
    answer_pattern: re.Pattern[str]
    weight: float


ANSWER_TYPES = (
    AnswerType(
        "time",
        re.compile(
            r"\b(?:when|what (?:date|day|time|month|year|week)|which (?:date|day|month|year|week)|how long"
            r"|how (?:many|much) (?:days?|weeks?|months?|years?|time)|since when)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|recently|soon|(?:week|month|year|day)s?|weekend"
            r"|morning|afternoon|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april"
            r"|june|july|august|september|october|november|december|summer|winter|spring|fall|autumn|(?:19|20)\d\d"
            r"|\d+(?:st|nd|rd|th)|\d{1,2}[:/.]\d{1,2})\b",
            re.IGNORECASE,
        ),
        1.0,
    ),
    AnswerType(
        "amount",
        re.compile(
            r"\bhow (?:many|much|long|old|often|far|big|tall)\b|\bwhat (?:number|amount|percentage|price|age|time)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million"
            r"|couple|few|several|first|second|third|once|twice)\b",
            re.IGNORECASE,
        ),
        0.6,
    ),
    AnswerType(
        "name",
        re.compile(r"\b(?:who|whom|whose|where|which|what (?:is|was|are|were) the names?)\b", re.IGNORECASE),
        re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+"),
        0.6,
    ),
)

# Questions about what the assistant said before: lines of the assistant answer them, and not lines of the user.
ASKS_ASSISTANT = re.compile(
    r"\b(?:(?:did|have|had) you\b|you (?:ha(?:ve|d) )?(?:recommended|suggested|advised|said|told|mentioned|explained"
    r"|proposed|gave|given|provided|described|showed|wrote|answered)\b"
    r"|your (?:earlier |previous |last )?(?:advice|suggestions?|recommendations?|answers?|explanations?)\b)",
    re.IGNORECASE,
)
# Standing instructions, which concern every later request.
INSTRUCTS = re.compile(
    r"(?:^|[.!?]\s+)(?:please\s+|and\s+|so\s+)?(?:always|never|from now on|whenever i|when i ask|going forward"
    r"|in (?:the )?future,? (?:please|always|never|don.?t)|make sure (?:you|to) always|remember to)\b"
    r"|\bwhen(?:ever)? i ask\b",
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our|ours|us)\b", re.IGNORECASE)

USERS = frozenset({"user", "human", "customer", "client", "me", "i"})
ASSISTANTS = frozenset({"assistant", "ai", "bot", "agent", "system", "model"})
