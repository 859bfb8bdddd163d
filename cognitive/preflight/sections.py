"""Parts of a system prompt, skills above all, by the same plan as the tools: what has no use here is left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.preflight.categories import table
from cognitive.preflight.needs import together


@dataclass(frozen=True, slots=True)
class Sections:
    """The names of the sections that stay, in the order given, and of those left out."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()


def sections(named: Mapping[str, Collection[str]], plan: Plan, policy: Policy) -> Sections:
    """Which sections a plan keeps, each given by its name with the categories it is for.

    As with tools: a section for no category, or for one that the policy does not have, stays; and so do all of them
    where the plan keeps every tool.
    """
    if not (policy.categories_enabled and policy.tool_filtering) or together(plan.categories, policy).whole:
        return Sections(tuple(named))
    known = {need.name for need in table(policy).needs}

    def stays(categories: Collection[str]) -> bool:
        return not known.issuperset(categories) or not categories or not set(plan.categories).isdisjoint(categories)

    return Sections(
        tuple(name for name, categories in named.items() if stays(categories)),
        tuple(name for name, categories in named.items() if not stays(categories)),
    )
