"""What was planned, in one line: for the model before the message, and for the log."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

from cognitive.plan import Plan
from cognitive.preflight.rules.matching import compile_pattern

MOST_NAMED = 12  # tools; the model sees all of them anyway

_plain = compile_pattern(r"^[\w.:/-]{1,64}$", name="hint.tool")


def hint(plan: Plan, wanted: Sequence[str]) -> str | None:
    """`[Context: research + crypto task | tools: exec, web_search | thinking: low]`; None where no rule fired.

    The tools are those that stay, the `wanted` first, in the order of the categories that want them. A tool's name is
    foreign text: one that is not plain is counted and not written.
    """
    if not plan.categories:
        return None
    parts = [f"Context: {' + '.join(plan.categories)} task"]
    if plan.tools:
        parts.append(f"tools: {_tools(plan.tools, wanted)}")
    if plan.thinking:
        parts.append(f"thinking: {plan.thinking}")
    return f"[{' | '.join(parts)}]"


def summary(plan: Plan, given: int, microseconds: float) -> str:
    """The line of the log: what was recognised, tools kept of those given, memories and tokens, how long it took."""
    caps = f"{plan.caps.facts}/{plan.caps.tokens}" if plan.caps else f"all/{plan.total}"
    return (
        f"classified: categories=[{','.join(plan.categories)}] tools={len(plan.tools)}/{given} "
        f"memory={caps} thinking={plan.thinking or 'unset'} ({microseconds:.0f} µs)"
    )


def _tools(kept: Sequence[str], wanted: Sequence[str]) -> str:
    there = frozenset(kept)
    first = dict.fromkeys(name for name in wanted if name in there)
    ordered = chain(first, (name for name in kept if name not in first))
    named = list(islice((name for name in ordered if _plain.match(name)), MOST_NAMED))
    more = len(kept) - len(named)
    return ", ".join([*named, f"{more} more"] if more else named)
