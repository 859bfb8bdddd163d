"""Classify a message by rules: its frame (the kind of message), and the categories of work that it asks for.

The frames are conversation, question, task, decision, creative and debug. A message gets the frame whose matching rules
have the greatest sum of weights. Each category, such as research, gets a score from its matching rules and from
structural signals of the message, and applies if the score reaches its threshold.

A category that applies wrongly only adds tools; a category that is missed removes tools. A message that the rules
cannot classify therefore keeps all tools: a message in another language, or an elliptic answer to an unclassified
message.
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

# Only the beginning of a message decides its frame: long messages end with pasted logs or code.
_MAX_FRAMED_LENGTH = 4_000

_frame_rows = RuleTable(ROWS)
_neutral = compile_pattern("|".join(rule.pattern for rule in NEUTRAL), name="frames.neutral")
_FRAMES: dict[str, Frame] = {frame: frame for frame in PRIORITY}

# Characters at the head and the tail of a message in which the categories' rules are matched. The request is usually
# there, and pasted text between them. Length, code fences and attachments of the whole message are considered.
HEAD, TAIL = 800, 400
MAX_TURNS = 4  # earlier messages that an elliptic message can inherit categories from; older ones are another topic

_LOOKUP_CATEGORIES = frozenset({"research", "memory"})
NO_FACTORS: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class CategoryTable:
    """The categories of work that a policy defines, such as research: their definitions and compiled rules.

    `models` maps a category to the model that the operator chose for it.
    """

    definitions: tuple[CategoryDefinition, ...]
    models: Mapping[str, str]
    rows: tuple[RuleTable, ...]  # one per category: a joint automaton would have a hundred times the states
    extra: RuleTable  # the operator's patterns, matched on the message without folding

    @property
    def known(self) -> frozenset[str]:
        """The names of all tools that a category names; filtering can remove only these."""
        return frozenset(tool for need in self.definitions for tool in need.tools)


@dataclass(frozen=True, slots=True)
class Classification:
    """The categories of work that a message asks for, in the order of their table, with scores and reasons.

    `scores` maps each category to its score if that is above 0. `reasons` are the ids of the rules that made the
    categories apply. `inherited` is True if categories of an earlier message were considered.
    """

    categories: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    inherited: bool = False


def select_frame(text: str, signals: Signals) -> tuple[Frame, tuple[str, ...]]:
    """Return the frame of a message (question, task, ...), and the ids of the rules that decided it.

    The frame is the one whose matching rules have the greatest sum of weights. Ties go to the frame that would be the
    worst to miss (see `PRIORITY`). An elliptic message that matches no rule takes the frame of the message before it. A
    message that still has no frame is a question if it has the signal of one, else a conversation.
    """
    if signals.greeting:
        return "conversation", ("signal.greeting",)
    texts = (text, signals.text) if signals.elliptic else (text,)
    for candidate in texts:
        frame = strongest_frame(candidate)
        if frame is not None:
            return frame
    if signals.question:
        return "question", ("signal.question",)
    return "conversation", ("frame.default",)


def strongest_frame(text: str) -> tuple[Frame, tuple[str, ...]] | None:
    """Return the frame that the rules give a text, and the ids of the rules that decided it; None if none matches."""
    lower = fold(text[:_MAX_FRAMED_LENGTH].strip()).lower()
    fired = _frame_rows.fired(_neutral.sub(b" ", lower) if _neutral.search(lower) else lower)
    if not fired:
        return None
    scores = dict.fromkeys(PRIORITY, 0.0)
    for rule in fired:
        scores[_FRAMES[rule.signal]] += rule.weight
    frame = max(PRIORITY, key=lambda each: (scores[each], PRIORITY.index(each)))
    if scores[frame] <= 0:
        return None
    return frame, tuple(rule.id for rule in fired if rule.signal == frame)


def category_table(policy: Policy) -> CategoryTable:
    """Return the categories of work that a policy defines, with compiled rules.

    They are compiled once for each set of the operator's changes.
    """
    return _compiled(tuple(policy.categories.rules.items()))


def classify(
    text: str,
    read: Signals,
    policy: Policy,
    *,
    attachments: Sequence[Any] = (),
    factors: Mapping[str, float] = NO_FACTORS,
) -> Classification:
    """Return the categories of work that a message asks for, without regard to earlier messages.

    Args:
        text: The message.
        read: The signals that the rules read in the message.
        policy: The policy whose categories and thresholds apply.
        attachments: The attachments of the message, in any form.
        factors: By category, the factor on its score that was learned from past turns; 1 for others.
    """
    excerpt = _excerpt(text)
    folded = fold(excerpt)
    if message_shape.foreign(excerpt, folded):
        return Classification(reasons=("category.unread",))
    content = smalltalk.peel(excerpt)[0]
    if content and len(content) < len(excerpt):  # rules on a message's beginning are matched behind its greeting
        excerpt, folded = content, fold(content)
    table = category_table(policy)
    votes = [(rule.signal, rule.id, rule.weight) for rule in _fired(table, excerpt, folded)]
    shape = message_shape.signals(text, folded, read, attachments, policy.categories.complex_threshold)
    votes += [
        (need.name, f"{need.name}.{name}", weight)
        for need in table.definitions
        for name, weight in need.structure.items()
        if name in shape
    ]
    scores = {
        need.name: factors.get(need.name, 1.0) * sum(weight for category, _, weight in votes if category == need.name)
        for need in table.definitions
    }
    active = tuple(need.name for need in table.definitions if scores[need.name] >= need.threshold)
    active = next(((need.name,) for need in table.definitions if need.alone and need.name in active), active)
    active = active if shape & {"question"} else _with_doubtful(active, scores, table)
    reasons = tuple(id for category, id, _ in votes if category in active)
    return Classification(active, {name: score for name, score in scores.items() if score > 0}, reasons)


def _with_doubtful(active: tuple[str, ...], scores: Mapping[str, float], table: CategoryTable) -> tuple[str, ...]:
    """Add categories for which only one rule votes, if so far only research or memory apply.

    Research and memory say where to look, not which work is meant: "restart what we spoke of", "find the leak". The
    work itself then often matches one rule, and its score stays below the threshold. One rule is enough here, since a
    superfluous category only adds tools.
    """
    if not active or not _LOOKUP_CATEGORIES.issuperset(active):
        return active
    return tuple(
        need.name
        for need in table.definitions
        if need.name in active or (scores[need.name] >= need.weight and not need.alone and not need.whole)
    )


def classify_turn(
    text: str,
    read: Signals,
    earlier: Iterable[str],
    attachments: Sequence[Any],
    policy: Policy,
    factors: Mapping[str, float] = NO_FACTORS,
) -> Classification:
    """Return the categories of work that a turn's message asks for.

    An elliptic message, such as "and the other one?", inherits the categories of an earlier message. `earlier` are the
    user's earlier messages, latest first; at most `MAX_TURNS` of them are classified. `factors` are learned factors on
    the categories' scores.
    """
    if not policy.categories.enabled:
        return Classification()
    own = classify(text, read, policy, attachments=attachments, factors=factors)
    if not (policy.categories.session_awareness and read.elliptic):
        return own
    before = (
        classify(message, _smalltalk_signals(message), policy, factors=factors)
        for message in islice(earlier, MAX_TURNS)
    )
    return inherit(own, before, policy)


def inherit(own: Classification, before: Iterable[Classification], policy: Policy) -> Classification:
    """Add the categories of an earlier message to those of an elliptic message, such as "and the other one?".

    The earlier message is the latest in `before` (latest first) that was more than small talk. If that message has no
    category, the elliptic message gets none either.
    """
    order = [need.name for need in category_table(policy).definitions]
    previous = next((each for each in before if each.categories != ("casual",)), None)
    if previous is None:
        return own
    own_work = [name for name in own.categories if name != "casual"]
    inherited = [name for name in previous.categories if name != "casual"]
    merged = tuple(sorted({*own_work, *inherited}, key=order.index)) if inherited else ()
    reasons = tuple(f"session.{name}" for name in inherited if name not in own_work) or (
        () if inherited else ("session.unknown",)
    )
    return replace(own, categories=merged, reasons=(*own.reasons, *reasons), inherited=True)


def _smalltalk_signals(text: str) -> Signals:
    """Return the signals that are needed to classify an earlier message.

    The signals say whether the message is small talk, and which rules recognise it.
    """
    small = smalltalk.read(text.strip())
    return Signals(text, greeting=small is not None, fired=tuple(rule.id for rule in small.fired) if small else ())


def _fired(table: CategoryTable, excerpt: str, folded: bytes) -> tuple[Rule, ...]:
    lower = folded.lower()
    own = [rule for rows in table.rows for rule in rows.fired(lower)]
    return (*own, *table.extra.fired(excerpt.lower().encode()))


def _excerpt(text: str) -> str:
    """Return a message without characters that UTF-8 cannot encode; of a long message, only its head and tail."""
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
        Rule(f"{need.name}.extra_{n}", need.name, f"(?s:{pattern})", _extra_weight(need, changed[need.name]))
        for need in needs
        if need.name in changed
        for n, pattern in enumerate(changed[need.name].extra_patterns, 1)
    ]
    return CategoryTable(
        definitions=needs,
        models={name: change.model for name, change in changed.items() if change.model and name in names},
        rows=tuple(
            RuleTable(_reweighted(rule, changed) for rule in RULES if rule.signal == name)
            for name in (need.name for need in needs)
            if name in _NAMES
        ),
        extra=RuleTable(extra),
    )


_NAMES = frozenset(need.name for need in CATEGORY_DEFINITIONS)


def _disabled(change: CategoryChange | None) -> bool:
    return change is not None and change.disabled


def _new(name: str) -> CategoryDefinition:
    """Return the definition of a category that the operator added.

    One matching pattern makes the category apply. The category keeps every tool unless the operator names its tools.
    """
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


def _extra_weight(need: CategoryDefinition, change: CategoryChange) -> float:
    """Return the weight of a pattern that the operator added to a category.

    If the operator set no weight, it is high enough for one match to make the category apply.
    """
    return change.weight or max(need.weight, need.threshold)


def _reweighted(rule: Rule, changed: Mapping[str, CategoryChange]) -> Rule:
    """Return a rule with the weight that the operator set for the rules of its category.

    A rule that has its own weight, different from its category's default, keeps its own.
    """
    change = changed.get(rule.signal)
    usual = next(need.weight for need in CATEGORY_DEFINITIONS if need.name == rule.signal)
    return replace(rule, weight=change.weight) if change and change.weight and rule.weight == usual else rule
