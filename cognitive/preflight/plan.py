"""Make a turn's plan from the signals, frame and categories of its message.

The plan says which memories to retrieve, with which budgets, and which tools, thinking level, model and hint the turn
gets. `create_plan` plans the memory. `add_tools` plans the tools, the thinking level and the model by the requirements
of all categories (`merge_requirements`). `sections` selects parts of a system prompt, for example skills.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import THINKING, Caps, Frame, Plan, RetrievalQuery, Signals, Thinking
from cognitive.policy import Policy
from cognitive.preflight.category_table import category_table
from cognitive.preflight.hint import hint, wanted_tools
from cognitive.preflight.rules.categories import FALLBACK_THINKING, FULL
from cognitive.preflight.tool_categories import is_named
from cognitive.tool import Tool

# A message with more recency than `_MIN_RECENCY` gets at least this many tokens and memories of type episode.
_MIN_RECENCY, _RECENT_TOKENS, _RECENT_EPISODES = 0.5, 1000, 8

LISTED = 20  # memories of each type that a message asks to list; the token budgets apply too


@dataclass(frozen=True, slots=True)
class PlanRequirements:
    """The requirements of all categories of a message, merged.

    Attributes:
        whole: True if every tool of the turn is kept.
        caps: the limits on memories: the largest of all categories.
        thinking: the highest thinking level, or None if the message has no category.
        model: the model that the operator chose for one of the categories, or None.
        skip: True if no category of the message needs memory.
    """

    whole: bool
    caps: Caps
    thinking: Thinking | None
    model: str | None
    skip: bool


@dataclass(frozen=True, slots=True)
class SectionSelection:
    """The names of the prompt sections that a plan keeps, and of those that it drops, each in the order given."""

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
    """Return the plan of a turn's memory: queries, budgets and limits. A message that is only a greeting needs none.

    The token budgets are those of the message's frame (question, task, ...). A wish for recent memories and hints of
    memory types can raise them. The operator's overrides take precedence over all of these. The limits of the
    categories can lower the budgets of the frame, but not what the message explicitly asks for. `add_tools` adds the
    tools later.
    """
    budget = policy.budgets.frames[frame]
    tuned = policy.categories.enabled and policy.categories.memory_tuning
    needed = merge_requirements(categories, policy) if tuned else None
    skip = signals.greeting or (needed is not None and needed.skip and not _asks_for_memory(signals))
    queries = () if skip else _queries(signals, needed.caps if needed else FULL, policy)
    budgets = {} if skip else _budgets(signals, frame, queries, policy)
    caps = needed.caps if needed and categories else None
    max_memories, total = _capped(signals, budgets, budget.total, caps, policy)
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
        max_memories=max_memories,
        thinking=thinking,
    )


def add_tools(
    plan: Plan,
    available: Sequence[Tool],
    thinking: str | None,
    policy: Policy,
    learned: Collection[str] = (),
    possible: Collection[str] = (),
) -> Plan:
    """Add the tools, thinking level, model and hint to a plan.

    There is a hint only if the plan removes tools or changes the thinking level of the session.

    Args:
        plan: The plan of the turn's memory, with its categories.
        available: The turn's tools; the plan keeps some or all of them.
        thinking: The thinking level of the session, if it has one.
        policy: The policy of the turn.
        learned: The tools that past turns of these categories called; they are kept as if a category named them.
        possible: Further categories whose tools are kept; they affect nothing else.
    """
    if not policy.categories.enabled:
        return replace(plan, tools=tuple(tool.name for tool in available), thinking=thinking)
    needed = merge_requirements(plan.categories, policy)
    kept, removed = _split_tools(available, plan.categories, policy, learned, possible)
    equipped = replace(
        plan,
        tools=kept,
        removed=removed,
        thinking=_thinking(needed, thinking, policy),
        model=needed.model,
    )
    changes = bool(removed) or (thinking is not None and equipped.thinking != thinking)
    if not (changes and policy.categories.prompt_annotation):
        return equipped
    return replace(equipped, hint=hint(equipped, wanted_tools(available, plan.categories, policy)))


def summary(plan: Plan, available: int, microseconds: float) -> str:
    """Return a line for the log about a plan: categories, tools kept, limits on memory, thinking level, time.

    `available` is the number of tools before filtering, and `microseconds` the time that planning took.
    """
    caps = f"{plan.caps.memories}/{plan.caps.tokens}" if plan.caps else f"all/{plan.total}"
    return (
        f"classified: categories=[{','.join(plan.categories)}] tools={len(plan.tools)}/{available} "
        f"memory={caps} thinking={plan.thinking or 'unset'} ({microseconds:.0f} µs)"
    )


def sections(named: Mapping[str, Collection[str]], plan: Plan, policy: Policy) -> SectionSelection:
    """Select the sections of a system prompt, such as skills, that a plan keeps.

    `named` maps each section's name to the categories that it is for. A section is kept if it is for one of the plan's
    categories, for no category, or for a category that the policy does not have. All sections are kept if the plan
    keeps every tool or the policy filters no tools.
    """
    if (
        not (policy.categories.enabled and policy.categories.tool_filtering)
        or merge_requirements(plan.categories, policy).whole
    ):
        return SectionSelection(tuple(named))
    known = category_table(policy).names

    def is_kept(categories: Collection[str]) -> bool:
        return not known.issuperset(categories) or not categories or not set(plan.categories).isdisjoint(categories)

    return SectionSelection(
        tuple(name for name, categories in named.items() if is_kept(categories)),
        tuple(name for name, categories in named.items() if not is_kept(categories)),
    )


def merge_requirements(categories: Sequence[str], policy: Policy) -> PlanRequirements:
    """Merge the requirements of the given categories; if there are none, return those of an unclassified message.

    Categories that the policy does not have are ignored; a turn that is replayed under another policy may have some.
    """
    table = category_table(policy)
    matched = [each for each in table.definitions if each.name in categories]
    if not matched:
        return PlanRequirements(policy.categories.fallback_to_full, FULL, None, None, skip=False)
    return PlanRequirements(
        whole=any(each.whole for each in matched),
        caps=Caps(max(each.caps.memories for each in matched), max(each.caps.tokens for each in matched)),
        thinking=max((each.thinking for each in matched), key=THINKING.index),
        model=next((table.models[each.name] for each in matched if each.name in table.models), None),
        skip=all(each.caps.memories == 0 for each in matched),
    )


def _thinking(needed: PlanRequirements, session: str | None, policy: Policy) -> str | None:
    """Return the thinking level that the categories need, else the level of the session, else the default."""
    if not policy.categories.thinking_tuning:
        return session
    return needed.thinking or session or FALLBACK_THINKING


def _split_tools(
    available: Sequence[Tool],
    categories: Sequence[str],
    policy: Policy,
    learned: Collection[str],
    possible: Collection[str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the available tools to keep and of those to remove, each in the order given.

    A tool is removed if it has categories, stated or shown by its name, and none of them is the message's. A tool is
    kept if it has no category or states one that the policy does not define, because the rules cannot know the tools of
    every host. `learned` tools are kept too.
    """
    if not policy.categories.tool_filtering or merge_requirements(categories, policy).whole:
        return tuple(tool.name for tool in available), ()
    table, always = category_table(policy), policy.categories.always_include
    wanted = frozenset((*categories, *possible))

    def is_kept(tool: Tool) -> bool:
        owners = table.of_tool(tool)
        if not owners or not owners <= table.names or not owners.isdisjoint(wanted):
            return True
        return tool.name in learned or is_named(tool.name, always)

    kept = {tool.name for tool in available if is_kept(tool)}
    names = [tool.name for tool in available]
    return tuple(name for name in names if name in kept), tuple(name for name in names if name not in kept)


def _asks_for_memory(signals: Signals) -> bool:
    """Return True if the message asks for something that memory may contain."""
    asked = signals.question or signals.hints or signals.listing
    return bool(asked) or signals.dates is not None or signals.recency > 0


def _capped(
    signals: Signals, budgets: Mapping[MemoryType, int], total: int, caps: Caps | None, policy: Policy
) -> tuple[int | None, int]:
    """Return the maximum number of memories, or None for no limit, and the maximum number of their tokens.

    The categories' `caps` lower the frame's `total`, unless they are at least `FULL`. They leave room for what the
    message explicitly asks for (see `_uncapped`).
    """
    if caps is None:
        return None, total
    memories, tokens = _uncapped(signals, budgets, policy)
    return (
        None if memories is None or caps.memories >= FULL.memories else max(caps.memories, memories),
        total if caps.tokens >= FULL.tokens else min(total, max(caps.tokens, tokens)),
    )


def _uncapped(signals: Signals, budgets: Mapping[MemoryType, int], policy: Policy) -> tuple[int | None, int]:
    """Return how many memories and tokens the message explicitly asks for. The categories' limits never go below this.

    A question or a list asks for the budget of a question, and a hint for the limit and budget of its memory type. A
    date or a wish for recent memories asks for `_RECENT_EPISODES` and `_RECENT_TOKENS`. None in place of the number of
    memories means no limit.
    """
    if signals.question or signals.listing:
        return None, policy.budgets.frames["question"].total
    hints = dict(signals.hints)
    hinted = [type_ for type_ in budgets if type_ in hints]
    recent = signals.dates is not None or signals.recency > _MIN_RECENCY
    memories = max(policy.limits.hinted_type * len(hinted), _RECENT_EPISODES if recent else 0)
    return memories, max(sum(budgets[type_] for type_ in hinted), _RECENT_TOKENS if recent else 0)


def _queries(signals: Signals, caps: Caps, policy: Policy) -> tuple[RetrievalQuery, ...]:
    """Return a query for each memory type of which memories may be shown."""
    newest = bool(_listed_types(signals))
    return tuple(
        RetrievalQuery(
            type_,
            signals.text,
            limit,
            recency_weight=signals.recency,
            dates=signals.dates,
            newest=newest,
        )
        for type_, limit in _limits(signals, caps, policy).items()
        if limit > 0 and policy.budgets.overrides.get(type_) != 0  # the operator's override of 0 disables a type
    )


def _limits(signals: Signals, caps: Caps, policy: Policy) -> Mapping[MemoryType, int]:
    """Return, for each memory type, the maximum number of memories to show.

    If the categories' `caps` are above `FULL`, as for the category memory, the limits of all types grow in proportion.
    """
    hints = dict(signals.hints)
    if not hints:
        limits = dict.fromkeys(MEMORY_TYPES, policy.limits.default)
    else:
        strongest = max(hints.values())
        limits = {
            type_: policy.limits.hinted_type if hints.get(type_, 0.0) == strongest else policy.limits.other_types
            for type_ in MEMORY_TYPES
        }
    if signals.recency > _MIN_RECENCY or signals.dates is not None:
        limits["episode"] = max(limits["episode"], _RECENT_EPISODES)
    wider = max(1.0, caps.memories / FULL.memories)
    limits = {type_: int(limit * wider) for type_, limit in limits.items()}
    return {**limits, **{type_: max(limits[type_], LISTED) for type_ in _listed_types(signals)}}


def _listed_types(signals: Signals) -> frozenset[MemoryType]:
    """Return the memory types of which the message asks for a long list."""
    listing = signals.listing
    return frozenset(chain.from_iterable(listing.types)) if listing is not None and listing.long else frozenset()


def _budgets(
    signals: Signals, frame: Frame, queries: tuple[RetrievalQuery, ...], policy: Policy
) -> Mapping[MemoryType, int]:
    """Return the tokens of each queried memory type: those of the frame, raised by what the message asks for."""
    row = policy.budgets.frames[frame]
    budgets: dict[MemoryType, int] = {query.type: getattr(row, query.type) for query in queries}
    if signals.recency > _MIN_RECENCY and "episode" in budgets:
        budgets["episode"] = max(budgets["episode"], _RECENT_TOKENS)
    for type_ in (*dict(signals.hints), *_listed_types(signals)):
        if type_ in budgets:  # a type that is asked for gets at least its budget in the frame of a question
            budgets[type_] = max(budgets[type_], _question_budget(type_, policy))
    return {type_: policy.budgets.overrides.get(type_, tokens) for type_, tokens in budgets.items()}


def _question_budget(type_: MemoryType, policy: Policy) -> int:
    return int(getattr(policy.budgets.frames["question"], type_))
