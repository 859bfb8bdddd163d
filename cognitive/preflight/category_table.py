"""Build the table of a policy's categories of work: the built-in ones, with the operator's changes and additions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from cognitive.plan import Caps
from cognitive.policy import Policy
from cognitive.policy.tables import CategoryChange
from cognitive.preflight import tool_categories
from cognitive.preflight.rules.categories import (
    CATEGORY_DEFINITIONS,
    FALLBACK_THINKING,
    FULL,
    CategoryDefinition,
)
from cognitive.preflight.rules.category_rules import RULES
from cognitive.preflight.rules.matching import Rule, RuleTable
from cognitive.tool import Tool

_NAMES = frozenset(each.name for each in CATEGORY_DEFINITIONS)


@dataclass(frozen=True, slots=True, eq=False)
class CategoryTable:
    """The categories of work that a policy defines, such as research: their definitions and compiled rules.

    `models` maps a category to the model that the operator chose for it.
    """

    definitions: tuple[CategoryDefinition, ...]
    models: Mapping[str, str]
    rows: tuple[RuleTable, ...]  # one per category: a joint automaton would have a hundred times the states
    extra: RuleTable  # the operator's patterns, matched on the message without folding
    tools: Mapping[str, frozenset[str]]  # the categories of each tool that a definition names

    @property
    def names(self) -> frozenset[str]:
        """The names of the categories."""
        return frozenset(each.name for each in self.definitions)

    def categories_of(self, tool: str) -> frozenset[str]:
        """Return the categories whose turns need the tool of this name; none if no rule recognises the name."""
        return tool_categories.categories_of(tool, self.tools, self.names)

    def of_tool(self, tool: Tool) -> frozenset[str]:
        """Return the categories of a tool: those that it states, of any name, and those that its name shows."""
        return tool_categories.stated_by(tool, self.names) | self.categories_of(tool.name)


def category_table(policy: Policy) -> CategoryTable:
    """Return the categories of work that a policy defines, with compiled rules.

    They are compiled once for each set of the operator's changes.
    """
    return _compiled(tuple(policy.categories.rules.items()))


@lru_cache(maxsize=32)
def _compiled(changes: tuple[tuple[str, CategoryChange], ...]) -> CategoryTable:
    """Return the table of the built-in categories with the operator's changes and additions."""
    changed = dict(changes)
    base = {each.name: each for each in CATEGORY_DEFINITIONS} | {
        name: _new(name) for name in changed if name not in _NAMES
    }
    categories = tuple(
        _changed(each, changed.get(name)) for name, each in base.items() if not _disabled(changed.get(name))
    )
    names = {each.name for each in categories}
    extra = [
        Rule(f"{each.name}.extra_{n}", each.name, f"(?s:{pattern})", _extra_weight(each, changed[each.name]))
        for each in categories
        if each.name in changed
        for n, pattern in enumerate(changed[each.name].extra_patterns, 1)
    ]
    return CategoryTable(
        definitions=categories,
        models={name: change.model for name, change in changed.items() if change.model and name in names},
        rows=tuple(
            RuleTable(_reweighted(rule, changed) for rule in RULES if rule.signal == name)
            for name in (each.name for each in categories)
            if name in _NAMES
        ),
        extra=RuleTable(extra),
        tools=tool_categories.by_name({each.name: each.tools for each in categories}),
    )


def _disabled(change: CategoryChange | None) -> bool:
    return change is not None and change.disabled


def _new(name: str) -> CategoryDefinition:
    """Return the definition of a category that the operator added.

    One matching pattern makes the category apply. The category keeps every tool unless the operator names its tools.
    """
    return CategoryDefinition(name, 3, 3, (), FULL, FALLBACK_THINKING)


def _changed(category: CategoryDefinition, change: CategoryChange | None) -> CategoryDefinition:
    """Return a category's definition with the operator's changes."""
    if change is None:
        return category
    facts = category.caps.memories if change.facts is None else change.facts
    tokens = category.caps.tokens if change.tokens is None else change.tokens
    tools = tuple(dict.fromkeys((*category.tools, *change.extra_tools)))
    return replace(
        category,
        whole=category.whole or not tools,
        weight=change.weight or category.weight,
        threshold=change.threshold or category.threshold,
        tools=tools,
        caps=Caps(facts, tokens),
        thinking=change.thinking_level or category.thinking,
    )


def _extra_weight(category: CategoryDefinition, change: CategoryChange) -> float:
    """Return the weight of a pattern that the operator added to a category.

    If the operator set no weight, it is high enough for one match to make the category apply.
    """
    return change.weight or max(category.weight, category.threshold)


def _reweighted(rule: Rule, changed: Mapping[str, CategoryChange]) -> Rule:
    """Return a rule with the weight that the operator set for the rules of its category.

    A rule that has its own weight, different from its category's default, keeps its own.
    """
    change = changed.get(rule.signal)
    usual = next(each.weight for each in CATEGORY_DEFINITIONS if each.name == rule.signal)
    return replace(rule, weight=change.weight) if change and change.weight and rule.weight == usual else rule
