"""From signals, frame and categories to a declarative plan: what is looked for, how much is shown, what works on it.

`create_plan` plans the memory. `add_tools` plans the tools, the thinking level and the model, by what the categories
need together (`merge_requirements`). `hint` writes the plan in one line, and `sections` picks parts of a system prompt,
skills above all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import THINKING, Caps, Frame, Plan, RetrievalQuery, Signals, Thinking
from cognitive.policy import Policy
from cognitive.preflight.classification import category_table
from cognitive.preflight.rules.categories import FALLBACK_THINKING, FULL
from cognitive.preflight.rules.matching import compile_pattern

# A signal of recency makes room for episodes, whatever the frame: (from this recency, tokens, memories).
RECENCY_ROW = (0.5, 1000, 8)

MAX_NAMED = 12  # tools; the model sees all of them anyway

_plain = compile_pattern(r"^[\w.:/-]{1,64}$", name="hint.tool")


@dataclass(frozen=True, slots=True)
class PlanRequirements:
    """What a message needs by its categories.

    `tools` are names in the order of the categories; with `whole` every tool stays. `thinking` is None where no rule
    fired. `skip` is True if every category that matched asks for no memory.
    """

    tools: tuple[str, ...]
    whole: bool
    caps: Caps
    thinking: Thinking | None
    model: str | None
    skip: bool


@dataclass(frozen=True, slots=True)
class SectionSelection:
    """The names of the sections that stay, in the order given, and of those left out."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()


def create_plan(
    signals: Signals,
    frame: Frame,
    reasons: tuple[str, ...],
    policy: Policy,
    thinking: str | None = None,
    categories: tuple[str, ...] = (),
) -> Plan:
    """The plan of a message's memory. A mere greeting asks for nothing.

    The precedence is frame, plan rows, operator; the caps of the categories narrow what a frame gives and never what
    the message asks for. Tools pass untouched until `add_tools`.
    """
    budget = policy.budgets.frames[frame]
    tuned = policy.categories.enabled and policy.categories.memory_tuning
    needed = merge_requirements(categories, policy) if tuned else None
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
        dedup=policy.dedup.enabled,
        reasons=tuple(dict.fromkeys((*signals.fired, *reasons))),
        policy=policy.version,
        categories=categories,
        caps=caps,
        max_memories=most,
        thinking=thinking,
    )


def add_tools(
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
    if not policy.categories.enabled:
        return replace(plan, tools=tuple(given), thinking=thinking)
    needed = merge_requirements(plan.categories, policy)
    kept, removed = _keep(given, needed, policy, learned)
    equipped = replace(
        plan,
        tools=kept,
        removed=removed,
        thinking=_thinking(needed, thinking, policy),
        model=needed.model,
    )
    return replace(equipped, hint=hint(equipped, needed.tools) if policy.categories.prompt_annotation else None)


def hinted(plan: Plan, offered: Sequence[str], policy: Policy) -> Plan:
    """The plan with a hint that names the tools the model really gets: they may be fewer than those the plan keeps."""
    if plan.hint is None or len(offered) == len(plan.tools):
        return plan
    wanted = merge_requirements(plan.categories, policy).tools
    return replace(plan, hint=hint(replace(plan, tools=tuple(offered)), wanted))


def hint(plan: Plan, wanted: Sequence[str]) -> str | None:
    """`[Context: research + crypto task | tools: exec, web_search | thinking: low]`; None where no rule fired.

    The tools are those that stay, the `wanted` first, in the order of the categories that want them. A tool's name is
    foreign text: one that is not plain is counted and not written.
    """
    if not plan.categories:
        return None
    parts = [f"Context: {' + '.join(plan.categories)} task"]
    if plan.tools:
        parts.append(f"tools: {_tools_named(plan.tools, wanted)}")
    if plan.thinking:
        parts.append(f"thinking: {plan.thinking}")
    return f"[{' | '.join(parts)}]"


def summary(plan: Plan, given: int, microseconds: float) -> str:
    """The line of the log: what was recognised, tools kept of those given, memories and tokens, how long it took."""
    caps = f"{plan.caps.memories}/{plan.caps.tokens}" if plan.caps else f"all/{plan.total}"
    return (
        f"classified: categories=[{','.join(plan.categories)}] tools={len(plan.tools)}/{given} "
        f"memory={caps} thinking={plan.thinking or 'unset'} ({microseconds:.0f} µs)"
    )


def sections(named: Mapping[str, Collection[str]], plan: Plan, policy: Policy) -> SectionSelection:
    """Which sections a plan keeps, each given by its name with the categories it is for.

    As with tools: a section for no category, or for one that the policy does not have, stays; and so do all of them
    where the plan keeps every tool.
    """
    if (
        not (policy.categories.enabled and policy.categories.tool_filtering)
        or merge_requirements(plan.categories, policy).whole
    ):
        return SectionSelection(tuple(named))
    known = {need.name for need in category_table(policy).definitions}

    def stays(categories: Collection[str]) -> bool:
        return not known.issuperset(categories) or not categories or not set(plan.categories).isdisjoint(categories)

    return SectionSelection(
        tuple(name for name, categories in named.items() if stays(categories)),
        tuple(name for name, categories in named.items() if not stays(categories)),
    )


def merge_requirements(categories: Sequence[str], policy: Policy) -> PlanRequirements:
    """The needs of a message of these categories; without any, those of a message that no rule understood.

    A category that the policy does not have (one of a recorded turn, replayed) needs nothing of its own.
    """
    known = category_table(policy)
    matched = [need for need in known.definitions if need.name in categories]
    if not matched:
        return PlanRequirements((), policy.categories.fallback_to_full, FULL, None, None, skip=False)
    return PlanRequirements(
        tools=tuple(dict.fromkeys(tool for need in matched for tool in need.tools)),
        whole=any(need.whole for need in matched),
        caps=Caps(max(need.caps.memories for need in matched), max(need.caps.tokens for need in matched)),
        thinking=max((need.thinking for need in matched), key=THINKING.index),
        model=next((known.models[need.name] for need in matched if need.name in known.models), None),
        skip=all(need.caps.memories == 0 for need in matched),
    )


def _thinking(needs: PlanRequirements, session: str | None, policy: Policy) -> str | None:
    """How hard to think. Where no rule fired, the session's own level stands, and only without one the fallback's."""
    if not policy.categories.thinking_tuning:
        return session
    return needs.thinking or session or FALLBACK_THINKING


def _keep(
    given: Sequence[str], needs: PlanRequirements, policy: Policy, learned: Collection[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the tools kept of those given and of those taken away, in their order: this can only take away.

    A tool that no category names stays: an allow-list would take away every tool that its author did not think of.
    `learned` are kept as if a category named them.
    """
    if not policy.categories.tool_filtering or needs.whole:
        return tuple(given), ()
    unwanted = category_table(policy).known.difference(needs.tools, policy.categories.always_include, learned)
    return tuple(n for n in given if n not in unwanted), tuple(n for n in given if n in unwanted)


def _tools_named(kept: Sequence[str], wanted: Sequence[str]) -> str:
    there = frozenset(kept)
    first = dict.fromkeys(name for name in wanted if name in there)
    ordered = chain(first, (name for name in kept if name not in first))
    named = list(islice((name for name in ordered if _plain.match(name)), MAX_NAMED))
    more = len(kept) - len(named)
    return ", ".join([*named, f"{more} more"] if more else named)


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
        None if facts is None or caps.memories >= FULL.memories else max(caps.memories, facts),
        total if caps.tokens >= FULL.tokens else min(total, max(caps.tokens, tokens)),
    )


def _asked_for(signals: Signals, budgets: Mapping[MemoryType, int], policy: Policy) -> tuple[int | None, int]:
    """The memories and tokens that no cap takes away; None memories means as many as are found.

    A question keeps what its frame gives, a hint its type's limit and section, a time the episodes' row.
    """
    if signals.question:
        return None, policy.budgets.frames["question"].total
    hints = dict(signals.hints)
    hinted = [type_ for type_ in budgets if type_ in hints]
    min_recency, recent_tokens, recent_episodes = RECENCY_ROW
    recent = signals.dates is not None or signals.recency > min_recency
    facts = max(policy.limits.hinted_type * len(hinted), recent_episodes if recent else 0)
    return facts, max(sum(budgets[type_] for type_ in hinted), recent_tokens if recent else 0)


def _queries(signals: Signals, caps: Caps, policy: Policy) -> tuple[RetrievalQuery, ...]:
    return tuple(
        RetrievalQuery(type_, signals.text, limit, recency_weight=signals.recency, dates=signals.dates)
        for type_, limit in _limits(signals, caps, policy).items()
        if limit > 0 and policy.budgets.overrides.get(type_) != 0  # the operator's word is final
    )


def _limits(signals: Signals, caps: Caps, policy: Policy) -> Mapping[MemoryType, int]:
    """Memories per type. Caps above the full ones (memory is what the message is about) widen all alike."""
    hints = dict(signals.hints)
    if not hints:
        limits = dict.fromkeys(MEMORY_TYPES, policy.limits.default)
    else:
        strongest = max(hints.values())
        limits = {
            type_: policy.limits.hinted_type if hints.get(type_, 0.0) == strongest else policy.limits.other_types
            for type_ in MEMORY_TYPES
        }
    min_recency, _, episodes = RECENCY_ROW
    if signals.recency > min_recency or signals.dates is not None:
        limits["episode"] = max(limits["episode"], episodes)
    wider = max(1.0, caps.memories / FULL.memories)
    return {type_: int(limit * wider) for type_, limit in limits.items()}


def _budgets(
    signals: Signals, frame: Frame, queries: tuple[RetrievalQuery, ...], policy: Policy
) -> Mapping[MemoryType, int]:
    row = policy.budgets.frames[frame]
    budgets: dict[MemoryType, int] = {query.type: getattr(row, query.type) for query in queries}
    min_recency, tokens, _ = RECENCY_ROW
    if signals.recency > min_recency and "episode" in budgets:
        budgets["episode"] = max(budgets["episode"], tokens)
    for type_, _weight in signals.hints:
        if type_ in budgets:  # no row zeroes a type that is asked for
            budgets[type_] = max(budgets[type_], _least_asked_for(type_, policy))
    return {type_: policy.budgets.overrides.get(type_, tokens) for type_, tokens in budgets.items()}


def _least_asked_for(type_: MemoryType, policy: Policy) -> int:
    return int(getattr(policy.budgets.frames["question"], type_))
