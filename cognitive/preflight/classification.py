"""Classify a message by rules: its frame, and the categories of work that it asks for.

The frame (conversation, question, task, decision, creative or debug) is the one with most votes of matching rows. For
the categories, rows and form give each a score, and from its threshold on it fires.

A category that fires wrongly only adds tools; one that is missed takes tools away. So a message that the rules cannot
read keeps all of them: one in another language, or an elliptic answer to something that no rule knew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from cognitive.plan import Caps, Frame, Signals
from cognitive.policy import Policy
from cognitive.policy.tables import CategoryChange
from cognitive.preflight import message_shape, smalltalk
from cognitive.preflight.rules.categories import (
    CATEGORY_DEFINITIONS,
    FALLBACK_THINKING,
    FULL,
    RULES,
    CategoryDefinition,
)
from cognitive.preflight.rules.frames import NEUTRAL, PRIORITY, ROWS
from cognitive.preflight.rules.matching import Rule, RuleTable, compile_pattern, fold

# A frame is told by how a message begins and what it wants, not by the log that is pasted below it.
_MAX_FRAMED_LENGTH = 4_000

_frame_rows = RuleTable(ROWS)
_neutral = compile_pattern("|".join(rule.pattern for rule in NEUTRAL), name="frames.neutral")
_FRAMES: dict[str, Frame] = {frame: frame for frame in PRIORITY}

# Characters read of a message for its categories, at its head and its tail; what people want stands there, and between
# them what they pasted. Length, code fences and attachments are seen whatever their place.
HEAD, TAIL = 800, 400
MAX_TURNS = 4  # looked back from a message that leans on them; what is further back is another topic

_WHERE_TO_LOOK = frozenset({"research", "memory"})
NO_FACTORS: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class CategoryTable:
    """The categories as a policy has them: what each needs, and the rows that tell them, compiled."""

    definitions: tuple[CategoryDefinition, ...]
    models: Mapping[str, str]
    rows: tuple[RuleTable, ...]  # one per category: together their automaton would have a hundred times the states
    extra: RuleTable  # an operator's, on the message as it is written

    @property
    def known(self) -> frozenset[str]:
        """Every tool that some category names; no category takes away any other."""
        return frozenset(tool for need in self.definitions for tool in need.tools)


@dataclass(frozen=True, slots=True)
class Classification:
    """The categories of a message in the order of their table, every category's score, and what it comes from.

    `inherited` says that they are also those of a turn before.
    """

    categories: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    inherited: bool = False


def select_frame(text: str, signals: Signals) -> tuple[Frame, tuple[str, ...]]:
    """The frame with the highest sum of matching rows, and their ids.

    Ties go to the frame where a mistake costs more (see `PRIORITY`). An elliptic message without a frame of its own
    takes that of the message it leans on; a question that matches nothing else is a question; the default is
    conversation.
    """
    if signals.greeting:
        return "conversation", ("signal.greeting",)
    texts = (text, signals.text) if signals.elliptic else (text,)
    for candidate in texts:
        chosen = _strongest(candidate)
        if chosen is not None:
            return chosen
    if signals.question:
        return "question", ("signal.question",)
    return "conversation", ("frame.default",)


def _strongest(text: str) -> tuple[Frame, tuple[str, ...]] | None:
    lower = fold(text[:_MAX_FRAMED_LENGTH].strip()).lower()
    fired = _frame_rows.fired(_neutral.sub(b" ", lower) if _neutral.search(lower) else lower)
    if not fired:
        return None
    scores = dict.fromkeys(PRIORITY, 0.0)
    for rule in fired:
        scores[_FRAMES[rule.signal]] += rule.weight
    frame = max(PRIORITY, key=lambda each: (scores[each], PRIORITY.index(each)))
    return frame, tuple(rule.id for rule in fired if rule.signal == frame)


def category_table(policy: Policy) -> CategoryTable:
    """The categories under a policy, compiled once per set of changes."""
    return _compiled(tuple(policy.categories.rules.items()))


def classify(
    text: str,
    read: Signals,
    policy: Policy,
    *,
    attachments: Sequence[Any] = (),
    factors: Mapping[str, float] = NO_FACTORS,
) -> Classification:
    """What a message is about, by itself.

    Args:
        text: The message.
        read: Its signals.
        policy: Whose categories and thresholds count.
        attachments: What hangs on the message.
        factors: By category, what past turns multiply its score by; 1 where nothing is said.
    """
    seen = _seen(text)
    folded = fold(seen)
    if message_shape.foreign(seen, folded):
        return Classification(reasons=("category.unread",))
    greeted = smalltalk.peel(seen)[0]
    if greeted and len(greeted) < len(seen):  # rows about how a message begins are matched behind its greeting
        seen, folded = greeted, fold(greeted)
    known = category_table(policy)
    votes = [(rule.signal, rule.id, rule.weight) for rule in _fired(known, seen, folded)]
    shape = message_shape.signals(text, folded, read, attachments, policy.categories.complex_threshold)
    votes += [
        (need.name, f"{need.name}.{name}", weight)
        for need in known.definitions
        for name, weight in need.structure.items()
        if name in shape
    ]
    scores = {
        need.name: factors.get(need.name, 1.0) * sum(weight for category, _, weight in votes if category == need.name)
        for need in known.definitions
    }
    active = tuple(need.name for need in known.definitions if scores[need.name] >= need.threshold)
    active = next(((need.name,) for need in known.definitions if need.alone and need.name in active), active)
    active = active if shape & {"question"} else _with_doubtful(active, scores, known)
    because = tuple(id for category, id, _ in votes if category in active)
    return Classification(active, {name: score for name, score in scores.items() if score > 0}, because)


def _with_doubtful(active: tuple[str, ...], scores: Mapping[str, float], known: CategoryTable) -> tuple[str, ...]:
    """The categories with those added that one row speaks for, where the certain ones say only where to look: "restart
    what we spoke of", "find the leak".

    One row is enough there, since a category too many only adds tools.
    """
    if not active or not _WHERE_TO_LOOK.issuperset(active):
        return active
    return tuple(
        need.name
        for need in known.definitions
        if need.name in active or (scores[need.name] >= need.weight and not need.alone and not need.whole)
    )


def classify_turn(
    text: str,
    read: Signals,
    said: Iterable[str],
    attachments: Sequence[Any],
    policy: Policy,
    factors: Mapping[str, float] = NO_FACTORS,
) -> Classification:
    """What a turn is about: its message, and the user's messages before it (latest first) if it leans on them."""
    if not policy.categories.enabled:
        return Classification()
    own = classify(text, read, policy, attachments=attachments, factors=factors)
    if not (policy.categories.session_awareness and read.elliptic):
        return own
    before = (classify(each, _alone(each), policy, factors=factors) for each in islice(said, MAX_TURNS))
    return inherit(own, before, policy)


def inherit(own: Classification, before: Iterable[Classification], policy: Policy) -> Classification:
    """The categories of a message that leans on the turns before it, latest first: its own and those of the last turn
    that was more than small talk. If no rule knew that turn, this message stays unclassified too.
    """
    order = [need.name for need in category_table(policy).definitions]
    lender = next((each for each in before if each.categories != ("casual",)), None)
    if lender is None:
        return own
    own_work = [name for name in own.categories if name != "casual"]
    lent = [name for name in lender.categories if name != "casual"]
    merged = tuple(sorted({*own_work, *lent}, key=order.index)) if lent else ()
    because = tuple(f"session.{name}" for name in lent if name not in own_work) or (
        () if lent else ("session.unknown",)
    )
    return replace(own, categories=merged, reasons=(*own.reasons, *because), inherited=True)


def _alone(text: str) -> Signals:
    """The signals of an earlier message that its category depends on: whether it was small talk, and of which kind."""
    small = smalltalk.read(text.strip())
    return Signals(text, greeting=small is not None, fired=tuple(rule.id for rule in small.fired) if small else ())


def _fired(known: CategoryTable, seen: str, folded: bytes) -> tuple[Rule, ...]:
    lower = folded.lower()
    own = [rule for rows in known.rows for rule in rows.fired(lower)]
    return (*own, *known.extra.fired(seen.lower().encode()))


def _seen(text: str) -> str:
    """Head and tail of a long message, without what UTF-8 cannot hold."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[len(text) - TAIL :]}"
    return text.encode("utf-8", "ignore").decode()


@lru_cache(maxsize=32)
def _compiled(changes: tuple[tuple[str, CategoryChange], ...]) -> CategoryTable:
    changed = dict(changes)
    base = {need.name: need for need in CATEGORY_DEFINITIONS} | {
        name: _new(name) for name in changed if name not in _NAMES
    }
    needs = tuple(_changed(need, changed.get(name)) for name, need in base.items() if not _disabled(changed.get(name)))
    names = {need.name for need in needs}
    extra = [
        Rule(f"{need.name}.extra_{n}", need.name, f"(?s:{pattern})", _of_extra(need, changed[need.name]))
        for need in needs
        if need.name in changed
        for n, pattern in enumerate(changed[need.name].extra_patterns, 1)
    ]
    return CategoryTable(
        definitions=needs,
        models={name: change.model for name, change in changed.items() if change.model and name in names},
        rows=tuple(
            RuleTable(_weighed(rule, changed) for rule in RULES if rule.signal == name)
            for name in (need.name for need in needs)
            if name in _NAMES
        ),
        extra=RuleTable(extra),
    )


_NAMES = frozenset(need.name for need in CATEGORY_DEFINITIONS)


def _disabled(change: CategoryChange | None) -> bool:
    return change is not None and change.disabled


def _new(name: str) -> CategoryDefinition:
    """A category that only the operator knows: one pattern is enough, and it keeps every tool unless it names some."""
    return CategoryDefinition(name, 3, 3, (), FULL, FALLBACK_THINKING)


def _changed(need: CategoryDefinition, change: CategoryChange | None) -> CategoryDefinition:
    if change is None:
        return need
    facts = need.caps.memories if change.facts is None else change.facts
    tokens = need.caps.tokens if change.tokens is None else change.tokens
    tools = tuple(dict.fromkeys((*need.tools, *change.extra_tools)))
    return replace(
        need,
        whole=need.whole or not tools,
        weight=change.weight or need.weight,
        threshold=change.threshold or need.threshold,
        tools=tools,
        caps=Caps(facts, tokens),
        thinking=change.thinking_level or need.thinking,
    )


def _of_extra(need: CategoryDefinition, change: CategoryChange) -> float:
    """The weight of an operator's pattern: one match makes the category fire, unless a weight says otherwise."""
    return change.weight or max(need.weight, need.threshold)


def _weighed(rule: Rule, changed: Mapping[str, CategoryChange]) -> Rule:
    """The row with the operator's weight, if it had its category's usual one; one with a weight of its own keeps it."""
    change = changed.get(rule.signal)
    usual = next(need.weight for need in CATEGORY_DEFINITIONS if need.name == rule.signal)
    return replace(rule, weight=change.weight) if change and change.weight and rule.weight == usual else rule
