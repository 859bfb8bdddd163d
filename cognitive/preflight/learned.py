"""What past turns of an agent teach about its categories: which tools were really called after such a message.

Two lessons, both bounded. A tool that keeps being called in turns of a category belongs to it for this agent: it stays
where the category fires. And a category whose own tools are called nearly always may fire on less. Nothing here takes a
tool away or raises a threshold: a tool that was filtered out could not be called, so its absence proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from brain.ledger import Calls
from cognitive.policy import Policy
from cognitive.preflight.categories import table

MOST_FACTOR = 1.5  # of a score: from there one row of two points suffices, and more could not be undone by another row
MOST_TOOLS = 5  # gained by a category at most
_PRIOR = 10  # turns without evidence are added: a category that fired twice tells nothing yet


@dataclass(frozen=True, slots=True)
class Habit:
    """How often a tool was called in a category's completed turns, where no other category of the turn names it."""

    category: str
    tool: str
    called: int
    turns: int


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learnt of an agent, with its evidence.

    `factors` multiply a category's score, in [1, 1.5]; `tools` are what a category gains; `users` is how many turns of
    each category each user had.
    """

    factors: Mapping[str, float] = field(default_factory=dict)
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    habits: tuple[Habit, ...] = ()
    users: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def wanted(self, categories: Sequence[str]) -> tuple[str, ...]:
        """The tools that these categories have gained."""
        return tuple(dict.fromkeys(tool for name in categories for tool in self.tools.get(name, ())))


NOTHING = Learned()


def learn(turns: Sequence[Calls], policy: Policy) -> Learned:
    """What an agent's completed turns teach, whatever their order."""
    known = table(policy)
    seen = Counter(name for turn in turns for name in turn.categories)
    named = {need.name: frozenset(need.tools) for need in known.needs}
    called = Counter(each for turn in turns for each in _unexplained(turn, named))
    habits = tuple(
        Habit(name, tool, times, seen[name])
        for (name, tool), times in sorted(called.items(), key=lambda each: (each[0][0], -each[1], each[0][1]))
    )
    own = {name: tools.difference(policy.always_include) for name, tools in named.items()}
    factors = {name: _factor(turns, name, tools, seen[name]) for name, tools in own.items() if tools and seen[name]}
    gained = {name: _gained(habits, name, tools, policy) for name, tools in named.items() if tools}
    return Learned(
        factors={name: factor for name, factor in factors.items() if factor > 1.0},
        tools={name: tools for name, tools in gained.items() if tools},
        habits=habits,
        users=_users(turns),
    )


def prior(learned: Learned, user_id: str | None, policy: Policy) -> Mapping[str, float]:
    """What a user's own turns multiply each category's score by: at most 1 + profile_weight, by the category's share.

    Nothing for a user of few turns. A score of zero stays zero: a profile decides doubts, it starts nothing.
    """
    counts = learned.users.get(user_id, {}) if user_id is not None else {}
    turns = sum(counts.values())
    return {name: 1.0 + policy.profile_weight * count / (turns + _PRIOR) for name, count in counts.items()}


def _unexplained(turn: Calls, named: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """The calls of a turn by category. A tool that one of its categories names says nothing of the others."""
    calls = [(name, tool) for name in turn.categories for tool in sorted(set(turn.called))]
    by = {tool: {name for name in turn.categories if tool in named.get(name, ())} for tool in turn.called}
    return [(name, tool) for name, tool in calls if not by[tool] or name in by[tool]]


def _factor(turns: Sequence[Calls], category: str, tools: frozenset[str], seen: int) -> float:
    """1 for a category whose tools are called in half of its turns or less, up to MOST_FACTOR; shrunk by few turns."""
    used = sum(category in turn.categories and not tools.isdisjoint(turn.called) for turn in turns)
    share = used / (seen + _PRIOR)
    return 1.0 + (MOST_FACTOR - 1.0) * max(0.0, 2 * share - 1.0)


def _gained(habits: Sequence[Habit], category: str, own: frozenset[str], policy: Policy) -> tuple[str, ...]:
    return tuple(
        habit.tool
        for habit in habits
        if habit.category == category
        and habit.tool not in own
        and habit.called >= policy.learned_calls
        and habit.called >= policy.learned_share * habit.turns
    )[:MOST_TOOLS]


def _users(turns: Sequence[Calls]) -> Mapping[str, Mapping[str, int]]:
    users: dict[str, Counter[str]] = {}
    for turn in turns:
        if turn.user_id is not None:
            users.setdefault(turn.user_id, Counter()).update(turn.categories)
    return users
