"""Apply the rules to an exchange: return what its user's statements form, and count what is rejected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from brain.text import normalise
from cognitive.context.talk import kind as talk_kind
from cognitive.formation.own_words import read_sentences
from cognitive.formation.rules import RULES
from cognitive.formation.rules.guards import GUARDS, LAUGHS, TAKEN_BACK
from cognitive.formation.rules.matching import FormationRule, compiled
from cognitive.formation.statements import MAX_WORDS, FoldedStatement, split_statements
from cognitive.policy.outcomes import FormationKind as Kind
from cognitive.policy.outcomes import FormationSettings

KINDS: tuple[Kind, ...] = FormationSettings().kinds
MAX_FORMED = 10  # memories of one exchange; a message with more is a pasted list
_MIN_WORDS = 2
_CONDITION = re.compile(r"(?:when|where|if|once)\b[^?]+,")  # "When a parcel is lost, call the depot" asks nothing
_OF_CONDITIONS: tuple[Kind, ...] = ("instruction", "procedure")
# The consequence of a statement: "I'm a nurse, so it would help", "I'm vegan, in case you cook".
_FOLLOWS = re.compile(r"(?<!\bdo),? (?:so (?!that\b|far\b|much\b|many\b|as\b)|in case (?:you|u)\b)")
_CONFIRMED_WITHIN = 400  # first characters of an answer, in which it says what was done
_CONFIRMS = re.compile(
    r"\b(?:i've|i have|i just|we've|we have|has been|have been|is now|are now|it's) (?:\w+ )?(?:put|added|booked"
    r"|scheduled|created|set|saved|reserved|made|noted|updated|changed|moved|confirmed)"
    r"|\b(?:setting|scheduling|adding|creating|booking|reserving)\b (?!up\b)|\bwill (?:be )?(?:set|scheduled"
    r"|added|remind)|\b(?:reminder|alarm|event|meeting|appointment) (?:is |has been )?(?:set|created|added"
    r"|scheduled)\b|\b(?:is|are) (?:set|scheduled|booked|on your calendar)\b"
    r"|^(?:done|added|booked|scheduled|saved|noted|reminder set|your \w+ (?:is|has been) (?:set|booked|scheduled"
    r"|saved|added))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A memory that an exchange forms: its kind, its text, the rule, and its position among the statements."""

    kind: Kind
    text: str
    rule: str
    position: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """The memories that the rules form from an exchange, and how many statements each guard rejected."""

    proposals: tuple[Proposal, ...] = ()
    rejected: Counter[str] = field(default_factory=Counter)


def compile_rules() -> None:
    """Compile the patterns of all rules. This takes half a second, for which the first turn should not wait."""
    for pattern in (*(rule.pattern for rule in RULES), *(guard.pattern for guard in GUARDS)):
        compiled(pattern)


def extract(user: str, assistant: str, kinds: Collection[Kind] = KINDS) -> Extraction:
    """Return what the user's message forms, of the kinds in `kinds`; the assistant's answer only confirms."""
    proposals: list[Proposal] = []
    rejected: Counter[str] = Counter()
    message = normalise(user)
    confirmed = _CONFIRMS.search(assistant[:_CONFIRMED_WITHIN].replace("’", "'")) is not None
    position = 0
    for sentence in read_sentences(user):
        if len(proposals) == MAX_FORMED:
            break
        statements = split_statements(sentence.text)
        for n, text in enumerate(statements):
            position += 1
            statement = FoldedStatement.of(text)
            rule = _matched(statement, message, confirmed=confirmed)
            if rule is None or rule.kind not in kinds:
                continue
            reason = sentence.rejected or _rejection(statement, rule, sentence.text, is_last=n == len(statements) - 1)
            if reason is not None:
                rejected[reason] += 1
            else:
                proposals.append(Proposal(rule.kind, text, rule.name, position))
    return Extraction(tuple(proposals[:MAX_FORMED]), rejected)


def _matched(statement: FoldedStatement, message: str, *, confirmed: bool) -> FormationRule | None:
    """Return the first rule that matches a statement of a message, or None."""
    if not _MIN_WORDS <= len(statement.written.split()) <= MAX_WORDS:
        return None
    for rule in RULES:
        if (rule.confirmed and not confirmed) or not compiled(rule.pattern).match(getattr(statement, rule.on)):
            continue
        if rule.within is None or compiled(rule.within).search(message):
            return rule
    return None


def _rejection(statement: FoldedStatement, rule: FormationRule, sentence: str, *, is_last: bool) -> str | None:
    """Return why a statement that a rule matches forms nothing, or None."""
    if not rule.confirmed:
        if is_last and sentence.rstrip(" \"'”’)*!").endswith(("?", "？")):
            return "question"
        kind = talk_kind(statement.written)
        if kind == "asks" and rule.kind in _OF_CONDITIONS and _CONDITION.match(statement.opened):
            kind = "states"
        if kind in ("asks", "unknown") or (kind == "requests" and rule.kind != "instruction"):
            return kind
    if TAKEN_BACK.search(sentence.lower()) or LAUGHS.search(statement.written):
        return "taken_back"
    stated = _stated(statement.plain, rule)
    for guard in GUARDS:
        if not (rule.kind in guard.except_for or rule.confirmed) and compiled(guard.pattern).search(stated):
            return guard.name
    return None


def _stated(plain: str, rule: FormationRule) -> str:
    """Return a folded statement without its consequence, unless the rule matches only with it."""
    stated = _FOLLOWS.split(plain, maxsplit=1)[0]
    return stated if rule.on == "plain" and compiled(rule.pattern).match(stated) else plain
