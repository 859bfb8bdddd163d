"""Patterns for ranking: who is asked about, standing instructions, the first person, and names of the two speakers."""

from __future__ import annotations

import re

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
