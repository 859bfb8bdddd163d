"""Classify a message by rules: its frame (the kind of message), and the categories of work that it asks for.

The frames are conversation, question, task, decision, creative and debug. A message gets the frame whose matching rules
have the greatest sum of weights. Each category, such as research, gets a score from its matching rules and from
structural signals of the message, and applies if the score reaches its threshold.

A category that applies wrongly only adds tools; a category that is missed removes tools. A message that the rules
cannot classify therefore keeps all tools: a message in another language, or an elliptic answer to an unclassified
message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from brain.caches import cached
from cognitive.plan import Frame, Signals
from cognitive.policy import Policy
from cognitive.preflight import message_shape, smalltalk
from cognitive.preflight.category_table import CategoryTable, category_table
from cognitive.preflight.rules.category_rules import ASKING, COMMON_VERBS
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
# Score from which a category that does not apply may still be meant: one rule, or a question mark for research.
_MIN_POSSIBLE = 2.0
_MAX_CACHED = 1_024  # earlier messages whose categories are cached, some 2 KB each
NO_FACTORS: Mapping[str, float] = {}

Vote = tuple[str, str, float]  # for a category: its name, the id of the rule or signal, the weight


@dataclass(frozen=True, slots=True)
class Classification:
    """The categories of work that a message asks for, in the order of their table, with scores and reasons.

    `scores` maps each category to its score if that is above 0. `reasons` are the ids of the rules that made the
    categories apply. `possible` are categories that do not apply but may be meant: the turn keeps their tools, and they
    affect nothing else.
    """

    categories: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


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


def classify_turn(
    text: str,
    signals: Signals,
    earlier: Iterable[str],
    attachments: Sequence[Any],
    policy: Policy,
    factors: Mapping[str, float] = NO_FACTORS,
) -> Classification:
    """Return the categories of work that a turn's message asks for.

    An elliptic message, such as "and the other one?", inherits the categories of an earlier message. Any message of
    work may continue what was done before: the categories of the earlier messages are `possible`. `earlier` are the
    user's earlier messages, latest first; at most `MAX_TURNS` of them are classified. `factors` are learned factors on
    the categories' scores.
    """
    if not policy.categories.enabled:
        return Classification()
    own = classify(text, signals, policy, attachments=attachments, factors=factors)
    if not policy.categories.session_awareness:
        return own
    key = (category_table(policy), policy.categories.complex_threshold, tuple(sorted(factors.items())))
    before = [_classify_earlier(_excerpt(message), *key) for message in islice(earlier, MAX_TURNS)]
    found = inherit(own, before, policy) if signals.elliptic else own
    if not found.categories or found.categories == ("casual",):
        return found
    topics = (name for each in before if each.categories != ("casual",) for name in each.categories)
    possible = dict.fromkeys((*found.possible, *topics))
    return replace(found, possible=tuple(name for name in possible if name not in found.categories))


def inherit(own: Classification, before: Iterable[Classification], policy: Policy) -> Classification:
    """Add the categories of an earlier message to those of an elliptic message, such as "and the other one?".

    The earlier message is the latest in `before` (latest first) that was more than small talk. If that message has no
    category, the elliptic message gets none either.
    """
    order = [each.name for each in category_table(policy).definitions]
    previous = next((each for each in before if each.categories != ("casual",)), None)
    if previous is None:
        return own
    own_work = [name for name in own.categories if name != "casual"]
    inherited = [name for name in previous.categories if name != "casual"]
    merged = tuple(sorted({*own_work, *inherited}, key=order.index)) if inherited else ()
    reasons = tuple(f"session.{name}" for name in inherited if name not in own_work) or (
        () if inherited else ("session.unknown",)
    )
    doubtful = (name for name, score in own.scores.items() if score >= _MIN_POSSIBLE)  # "use that", of what was found
    possible = tuple(dict.fromkeys((*own.possible, *doubtful, *previous.possible))) if merged else ()
    return replace(own, categories=merged, reasons=(*own.reasons, *reasons), possible=possible)


def classify(
    text: str,
    signals: Signals,
    policy: Policy,
    *,
    attachments: Sequence[Any] = (),
    factors: Mapping[str, float] = NO_FACTORS,
) -> Classification:
    """Return the categories of work that a message asks for, without regard to earlier messages.

    Args:
        text: The message.
        signals: The signals that the rules read in the message.
        policy: The policy whose categories and thresholds apply.
        attachments: The attachments of the message, in any form.
        factors: By category, the factor on its score that was learned from past turns; 1 for others.
    """
    return _classified(text, signals, category_table(policy), policy.categories.complex_threshold, attachments, factors)


@cached(_MAX_CACHED)
def _classify_earlier(
    text: str, table: CategoryTable, threshold: int, factors: tuple[tuple[str, float], ...]
) -> Classification:
    small = smalltalk.read(text.strip())
    signals = Signals(text, greeting=small is not None, fired=tuple(rule.id for rule in small.fired) if small else ())
    return _classified(text, signals, table, threshold, (), dict(factors))


def _classified(
    text: str,
    signals: Signals,
    table: CategoryTable,
    threshold: int,
    attachments: Sequence[Any],
    factors: Mapping[str, float],
) -> Classification:
    """Return the categories whose scores, from rules and structural signals, reach their thresholds."""
    excerpt = _excerpt(text)
    folded = fold(excerpt)
    if message_shape.foreign(excerpt, folded):
        return Classification(reasons=("category.unread",))
    content = smalltalk.peel(excerpt)[0]
    if content and len(content) < len(excerpt):  # rules on a message's beginning are matched behind its greeting
        excerpt, folded = content, fold(content)
    shape = message_shape.signals(text, folded, signals, attachments, threshold)
    votes = [(rule.signal, rule.id, rule.weight) for rule in _fired(table, excerpt, folded)]
    votes += _structural_votes(table, shape - message_shape.MEDIA)
    scores = _scores(votes, table, factors)
    active = tuple(each.name for each in table.definitions if scores[each.name] >= each.threshold)
    active = next(((each.name,) for each in table.definitions if each.alone and each.name in active), active)
    active = active if shape & {"question"} else _with_doubtful(active, scores, table)
    possible = _possible(active, votes, "question" in shape, table)
    if shape & message_shape.MEDIA and (active or signals.greeting or not text.strip()):
        # beside any other text, it is unknown what the attachments are for
        votes += _structural_votes(table, shape & message_shape.MEDIA)
        active, scores = _with_attachments(active, votes, table, factors)
    return Classification(
        active,
        {name: score for name, score in scores.items() if score > 0},
        reasons=tuple(id for category, id, _ in votes if category in active),
        possible=tuple(name for name in possible if name not in active),
    )


def _structural_votes(table: CategoryTable, shape: Collection[str]) -> list[Vote]:
    return [
        (each.name, f"{each.name}.{name}", weight)
        for each in table.definitions
        for name, weight in each.structure.items()
        if name in shape
    ]


def _scores(votes: Sequence[Vote], table: CategoryTable, factors: Mapping[str, float]) -> dict[str, float]:
    return {
        each.name: factors.get(each.name, 1.0) * sum(weight for category, _, weight in votes if category == each.name)
        for each in table.definitions
    }


def _possible(active: Collection[str], votes: Sequence[Vote], asks: bool, table: CategoryTable) -> tuple[str, ...]:
    """Return the categories that do not apply but may be meant, of a message with categories other than small talk.

    They score `_MIN_POSSIBLE`. Verbs such as "make" count only if just research or memory apply, question signals only
    if memory doesn't. A question with just these may be for memory too.
    """
    if not any(not each.alone and each.name in active for each in table.definitions):
        return ()
    only_lookup = _LOOKUP_CATEGORIES.issuperset(active)
    ignored = (frozenset() if only_lookup else COMMON_VERBS) | (ASKING if "memory" in active else frozenset())
    evidence = {
        each.name: sum(weight for category, id, weight in votes if category == each.name and id not in ignored)
        for each in table.definitions
        if not (each.whole or each.name in active)
    }
    to_memory = asks and only_lookup
    return tuple(name for name, score in evidence.items() if score >= _MIN_POSSIBLE or (name == "memory" and to_memory))


def _with_doubtful(active: tuple[str, ...], scores: Mapping[str, float], table: CategoryTable) -> tuple[str, ...]:
    """Add categories for which only one rule votes, if so far only research or memory apply.

    Research and memory say where to look, not which work is meant: "restart what we spoke of", "find the leak". The
    work itself then often matches one rule, and its score stays below the threshold. One rule is enough here, since a
    superfluous category only adds tools.
    """
    if not active or not _LOOKUP_CATEGORIES.issuperset(active):
        return active
    return tuple(
        each.name
        for each in table.definitions
        if each.name in active or (scores[each.name] >= each.weight and not each.alone and not each.whole)
    )


def _with_attachments(
    active: tuple[str, ...], votes: Sequence[Vote], table: CategoryTable, factors: Mapping[str, float]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Add the categories that reach their thresholds with the votes of attachments; return all, and the new scores."""
    scores = _scores(votes, table, factors)
    names = (each.name for each in table.definitions if each.name in active or scores[each.name] >= each.threshold)
    return tuple(names), scores


def _fired(table: CategoryTable, excerpt: str, folded: bytes) -> tuple[Rule, ...]:
    lower = folded.lower()
    own = [rule for rows in table.rows for rule in rows.fired(lower)]
    return (*own, *table.extra.fired(excerpt.lower().encode()))


def _excerpt(text: str) -> str:
    """Return a message without characters that UTF-8 cannot encode; of a long message, only its head and tail."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[len(text) - TAIL :]}"
    return text.encode("utf-8", "ignore").decode()
