"""From signals and frame to a declarative plan: rows decide what is looked for, and how much of it may be shown."""

from __future__ import annotations

from collections.abc import Mapping

from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import Frame, Plan, RetrievalQuery, Signals
from cognitive.policy import Policy

# A signal of recency makes room for episodes, whatever the frame: (from this recency, tokens, memories).
RECENCY_ROW = (0.5, 1000, 8)


def make(signals: Signals, frame: Frame, reasons: tuple[str, ...], policy: Policy, thinking: str | None = None) -> Plan:
    """The plan of a message. A mere greeting asks for nothing; the precedence is frame, plan rows, operator."""
    budget = policy.frames[frame]
    skip = signals.greeting
    queries = () if skip else _queries(signals, policy)
    return Plan(
        signals=signals,
        frame=frame,
        retrieval=queries,
        budgets={} if skip else _budgets(signals, frame, queries, policy),
        total=0 if skip else budget.total,
        window=budget.window,
        dedup=policy.dedup,
        reasons=tuple(dict.fromkeys((*signals.fired, *reasons))),
        policy=policy.version,
        thinking=thinking,
    )


def _queries(signals: Signals, policy: Policy) -> tuple[RetrievalQuery, ...]:
    return tuple(
        RetrievalQuery(type_, signals.text, limit, recency_weight=signals.recency, dates=signals.dates)
        for type_, limit in _limits(signals, policy).items()
        if limit > 0 and policy.budget_overrides.get(type_) != 0  # the operator's word is final
    )


def _limits(signals: Signals, policy: Policy) -> Mapping[MemoryType, int]:
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
    return limits


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
