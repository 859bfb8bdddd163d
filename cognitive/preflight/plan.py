"""From signals, frame and categories to a declarative plan: what is looked for, how much is shown, what works on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import Caps, Frame, Plan, RetrievalQuery, Signals
from cognitive.policy import Policy
from cognitive.preflight import tools
from cognitive.preflight.hint import hint
from cognitive.preflight.needs import thinking, together
from cognitive.preflight.rules.categories import FULL

# A signal of recency makes room for episodes, whatever the frame: (from this recency, tokens, memories).
RECENCY_ROW = (0.5, 1000, 8)


def make(
    signals: Signals,
    frame: Frame,
    reasons: tuple[str, ...],
    policy: Policy,
    session_thinking: str | None = None,
    categories: tuple[str, ...] = (),
) -> Plan:
    """The plan of a message's memory. A mere greeting asks for nothing.

    The precedence is frame, plan rows, operator; the caps of the categories narrow what a frame gives and never what
    the message asks for. Tools pass untouched until `equip`.
    """
    budget = policy.frames[frame]
    tuned = policy.categories_enabled and policy.memory_tuning
    needs = together(categories, policy) if tuned else None
    skip = signals.greeting or (needs is not None and needs.skip and not _asks(signals))
    queries = () if skip else _queries(signals, needs.caps if needs else FULL, policy)
    budgets = {} if skip else _budgets(signals, frame, queries, policy)
    caps = needs.caps if needs and categories else None
    most, total = _capped(signals, budgets, budget.total, caps, policy)
    return Plan(
        signals=signals,
        frame=frame,
        retrieval=queries,
        budgets=budgets,
        total=0 if skip else total,
        window=budget.window,
        dedup=policy.dedup,
        reasons=tuple(dict.fromkeys((*signals.fired, *reasons))),
        policy=policy.version,
        categories=categories,
        caps=caps,
        most=most,
        thinking=session_thinking,
    )


def equip(
    plan: Plan,
    given: Sequence[str],
    session_thinking: str | None,
    policy: Policy,
    learned: Collection[str] = (),
) -> Plan:
    """The plan with what works on the message: tools to keep of those given, thinking, model, hint.

    `learned` are tools that past turns of these categories called; they stay as if a category named them.
    """
    if not policy.categories_enabled:
        return replace(plan, tools=tuple(given), thinking=session_thinking)
    needs = together(plan.categories, policy)
    kept, removed = tools.keep(given, needs, policy, learned)
    equipped = replace(
        plan,
        tools=kept,
        removed=removed,
        thinking=thinking(needs, session_thinking, policy),
        model=needs.model,
    )
    return replace(equipped, hint=hint(equipped, needs.tools) if policy.prompt_annotation else None)


def _asks(signals: Signals) -> bool:
    """Whether the message asks for something that memory may know."""
    return bool(signals.question or signals.hints) or signals.dates is not None or signals.recency > 0


def _capped(
    signals: Signals, budgets: Mapping[MemoryType, int], total: int, caps: Caps | None, policy: Policy
) -> tuple[int | None, int]:
    """How many memories, and how many tokens of them: the frame's, or the caps' where they are less.

    A question keeps what the frame of a question gives, and as many memories as are found; a hint keeps its type's
    section and limit; what is recent, or of a date, keeps the episodes' row.
    """
    if caps is None or caps.tokens >= FULL.tokens or signals.question:
        narrowed = caps is not None and caps.tokens < FULL.tokens
        return None, min(total, policy.frames["question"].total) if narrowed else total
    hints = dict(signals.hints)
    hinted = [type_ for type_ in budgets if type_ in hints]
    least_recency, recent_tokens, recent_episodes = RECENCY_ROW
    recent = signals.dates is not None or signals.recency > least_recency
    tokens = max(caps.tokens, sum(budgets[type_] for type_ in hinted), recent_tokens if recent else 0)
    facts = max(caps.facts, policy.hinted_limit * len(hinted), recent_episodes if recent else 0)
    return facts, min(total, tokens)


def _queries(signals: Signals, caps: Caps, policy: Policy) -> tuple[RetrievalQuery, ...]:
    return tuple(
        RetrievalQuery(type_, signals.text, limit, recency_weight=signals.recency, dates=signals.dates)
        for type_, limit in _limits(signals, caps, policy).items()
        if limit > 0 and policy.budget_overrides.get(type_) != 0  # the operator's word is final
    )


def _limits(signals: Signals, caps: Caps, policy: Policy) -> Mapping[MemoryType, int]:
    """Memories per type. Caps above the full ones (memory is what the message is about) widen all alike."""
    hints = dict(signals.hints)
    if not hints:
        limits = dict.fromkeys(MEMORY_TYPES, policy.default_limit)
    else:
        strongest = max(hints.values())
        limits = {
            type_: policy.hinted_limit if hints.get(type_, 0.0) == strongest else policy.other_limit
            for type_ in MEMORY_TYPES
        }
    least_recency, _, episodes = RECENCY_ROW
    if signals.recency > least_recency or signals.dates is not None:
        limits["episode"] = max(limits["episode"], episodes)
    wider = max(1.0, caps.facts / FULL.facts)
    return {type_: int(limit * wider) for type_, limit in limits.items()}


def _budgets(
    signals: Signals, frame: Frame, queries: tuple[RetrievalQuery, ...], policy: Policy
) -> Mapping[MemoryType, int]:
    row = policy.frames[frame]
    budgets: dict[MemoryType, int] = {query.type: getattr(row, query.type) for query in queries}
    least_recency, tokens, _ = RECENCY_ROW
    if signals.recency > least_recency and "episode" in budgets:
        budgets["episode"] = max(budgets["episode"], tokens)
    for type_, _weight in signals.hints:
        if type_ in budgets:  # no row zeroes a type that is asked for
            budgets[type_] = max(budgets[type_], _least_asked_for(type_, policy))
    return {type_: policy.budget_overrides.get(type_, tokens) for type_, tokens in budgets.items()}


def _least_asked_for(type_: MemoryType, policy: Policy) -> int:
    return int(getattr(policy.frames["question"], type_))
