"""From signals, frame and categories to a declarative plan: what is looked for, how much is shown, what works on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import Caps, Frame, Plan, RetrievalQuery, Signals
from cognitive.policy import Policy
from cognitive.preflight import needs, tools
from cognitive.preflight.hint import hint
from cognitive.preflight.rules.categories import FULL

# A signal of recency makes room for episodes, whatever the frame: (from this recency, tokens, memories).
RECENCY_ROW = (0.5, 1000, 8)


def make(
    signals: Signals,
    frame: Frame,
    reasons: tuple[str, ...],
    policy: Policy,
    thinking: str | None = None,
    categories: tuple[str, ...] = (),
) -> Plan:
    """The plan of a message's memory. A mere greeting asks for nothing.

    The precedence is frame, plan rows, operator; the caps of the categories narrow what a frame gives and never what
    the message asks for. Tools pass untouched until `equip`.
    """
    budget = policy.frames[frame]
    tuned = policy.categories_enabled and policy.memory_tuning
    needed = needs.together(categories, policy) if tuned else None
    skip = signals.greeting or (needed is not None and needed.skip and not _asks(signals))
    queries = () if skip else _queries(signals, needed.caps if needed else FULL, policy)
    budgets = {} if skip else _budgets(signals, frame, queries, policy)
    caps = needed.caps if needed and categories else None
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
        thinking=thinking,
    )


def equip(
    plan: Plan,
    given: Sequence[str],
    thinking: str | None,
    policy: Policy,
    learned: Collection[str] = (),
) -> Plan:
    """The plan with what works on the message: tools to keep of those given, thinking, model, hint.

    `thinking` is the session's own level. `learned` are tools that past turns of these categories called: they stay as
    if a category named them.
    """
    if not policy.categories_enabled:
        return replace(plan, tools=tuple(given), thinking=thinking)
    needed = needs.together(plan.categories, policy)
    kept, removed = tools.keep(given, needed, policy, learned)
    equipped = replace(
        plan,
        tools=kept,
        removed=removed,
        thinking=needs.thinking(needed, thinking, policy),
        model=needed.model,
    )
    return replace(equipped, hint=hint(equipped, needed.tools) if policy.prompt_annotation else None)


def hinted(plan: Plan, offered: Sequence[str], policy: Policy) -> Plan:
    """The plan with a hint that names the tools the model really gets: they may be fewer than those the plan keeps."""
    if plan.hint is None or len(offered) == len(plan.tools):
        return plan
    wanted = needs.together(plan.categories, policy).tools
    return replace(plan, hint=hint(replace(plan, tools=tuple(offered)), wanted))


def _asks(signals: Signals) -> bool:
    """Whether the message asks for something that memory may know."""
    return bool(signals.question or signals.hints) or signals.dates is not None or signals.recency > 0


def _capped(
    signals: Signals, budgets: Mapping[MemoryType, int], total: int, caps: Caps | None, policy: Policy
) -> tuple[int | None, int]:
    """How many memories, and how many tokens of them: the frame's, or the caps' where they are less than full."""
    if caps is None:
        return None, total
    facts, tokens = _asked_for(signals, budgets, policy)
    return (
        None if facts is None or caps.facts >= FULL.facts else max(caps.facts, facts),
        total if caps.tokens >= FULL.tokens else min(total, max(caps.tokens, tokens)),
    )


def _asked_for(signals: Signals, budgets: Mapping[MemoryType, int], policy: Policy) -> tuple[int | None, int]:
    """The memories and tokens that no cap takes away; None memories means as many as are found.

    A question keeps what its frame gives, a hint its type's limit and section, a time the episodes' row.
    """
    if signals.question:
        return None, policy.frames["question"].total
    hints = dict(signals.hints)
    hinted = [type_ for type_ in budgets if type_ in hints]
    least_recency, recent_tokens, recent_episodes = RECENCY_ROW
    recent = signals.dates is not None or signals.recency > least_recency
    facts = max(policy.hinted_limit * len(hinted), recent_episodes if recent else 0)
    return facts, max(sum(budgets[type_] for type_ in hinted), recent_tokens if recent else 0)


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
