"""Learn from an agent's completed turns which tools its message categories need.

A category is a kind of work, such as research, that rules detect in a message. It has a score and a threshold, and
names the tools that the work needs. Two things are learned, both bounded. A tool that is often called in turns of a
category is added to the category for this agent, so that the plan keeps the tool when the category is detected. A
category whose own tools are called in most of its turns gets a factor above 1 on its score, so that weaker evidence
reaches its threshold. Learning never removes a tool and never raises a threshold: a tool that was filtered out could
not be called, so its absence proves nothing.

`learn` is a pure function of completed turns. `CategoryLearner` reads the turns in the background and caches the result
for a minute.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from brain.deadline import Deadline
from brain.errors import StoreError
from brain.turn_records import TurnToolCalls
from brain.turns import TurnLog
from brain.users import Scope
from cognitive.policy import Policy
from cognitive.preflight.category_table import CategoryTable, category_table
from cognitive.preflight.tool_categories import is_named

log = logging.getLogger(__name__)

# Largest factor on a category's score. With 1.5, a single rule of weight 2 reaches a threshold of 3; a larger factor
# would outweigh the other rules.
MAX_FACTOR = 1.5
MAX_TOOLS = 5  # tools that a category can gain
MAX_TURNS = 500  # latest completed turns to learn from
MIN_CALLS = 3  # turns that called a tool before its category gains the tool: a single call may be an accident
MIN_SHARE = 0.05  # share of a category's turns that called a tool before the category gains it; below is noise
PROFILE_WEIGHT = 0.25  # weight of a category's share of a user's turns
_CACHE_SECONDS = 60.0  # the learned values change over days
_MAX_AGENTS = 1_000  # agents in the cache
_PRIOR_TURNS = 10  # turns without evidence that are added to the count: a category that fired twice proves nothing yet


@dataclass(frozen=True, slots=True)
class ToolUsage:
    """The number of completed turns of a message category in which a tool was called.

    Of the category's `turns` completed turns, `called` called the tool. If a message has several categories, and only
    some of them name the tool, the call counts for these only.
    """

    category: str
    tool: str
    called: int
    turns: int


@dataclass(frozen=True, slots=True)
class CategoryLearning:
    """Values learned from an agent's completed turns about message categories (kinds of work, such as research).

    Attributes:
        factors: by category, the factor on the category's score, in [1, 1.5]. A category applies if its score reaches a
            threshold.
        tools: by category, the tools that learning adds to the category.
        tool_usage: the evidence: how many turns of each category called each tool.
        users: by user id, the number of the user's turns in each category.
    """

    factors: Mapping[str, float] = field(default_factory=dict)
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tool_usage: tuple[ToolUsage, ...] = ()
    users: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def tools_for(self, categories: Sequence[str]) -> tuple[str, ...]:
        """Return the tools that learning adds to the given categories, without duplicates."""
        return tuple(dict.fromkeys(tool for name in categories for tool in self.tools.get(name, ())))


NOTHING_LEARNED = CategoryLearning()


def learn(turns: Sequence[TurnToolCalls], policy: Policy) -> CategoryLearning:
    """Learn from an agent's completed turns which tools and score factors its message categories get.

    The order of the turns does not matter. A category gets a tool if at least `MIN_CALLS` of the category's turns, and
    at least the share `MIN_SHARE` of them, called the tool.
    """
    table = category_table(policy)
    turn_counts = Counter(name for turn in turns for name in turn.categories)
    call_counts = Counter(call for turn in turns for call in _attributed_calls(turn, table))
    tool_usage = tuple(
        ToolUsage(name, tool, times, turn_counts[name])
        for (name, tool), times in sorted(call_counts.items(), key=lambda each: (each[0][0], -each[1], each[0][1]))
    )
    names = [each.name for each in table.definitions if each.tools]
    always = policy.categories.always_include
    factors = {name: _factor(turns, name, table, always, turn_counts[name]) for name in names if turn_counts[name]}
    new_tools = {name: _new_tools(tool_usage, name, table) for name in names}
    return CategoryLearning(
        factors={name: factor for name, factor in factors.items() if factor > 1.0},
        tools={name: tools for name, tools in new_tools.items() if tools},
        tool_usage=tool_usage,
        users=_users(turns),
    )


def user_factors(learned: CategoryLearning, user_id: str | None) -> Mapping[str, float]:
    """Return, by category, a factor on the category's score that follows from a user's own past turns.

    The factor is 1 + PROFILE_WEIGHT times the category's share of the user's turns. It is close to 1 for a user with
    few turns. It can only tip a doubtful category over its threshold: a score of zero stays zero.
    """
    counts = learned.users.get(user_id, {}) if user_id is not None else {}
    turns = sum(counts.values())
    return {name: 1.0 + PROFILE_WEIGHT * count / (turns + _PRIOR_TURNS) for name, count in counts.items()}


class CategoryLearner:
    """Learns from an agent's completed turns which tools the turns of a message category use, and its score factor.

    `cached` never waits: it returns the values of the last refresh and starts a new one in the background.
    """

    def __init__(self, turns: TurnLog, policy: Policy) -> None:
        self._turns = turns
        self._policy = policy
        self._cache: OrderedDict[Scope, tuple[float, CategoryLearning]] = OrderedDict()
        self._refreshes: dict[Scope, asyncio.Task[None]] = {}
        self._erasures = 0  # a refresh that began before an erasure may have read what was erased

    def cached(self, scope: Scope) -> CategoryLearning:
        """Return the values learned for an agent from the cache.

        If they are more than a minute old, a refresh is started in the background.
        """
        policy = self._policy.for_agent(scope.agent_id)
        if not (policy.categories.learned_weights or policy.categories.user_profiles):
            return NOTHING_LEARNED
        read_at, learned = self._cache.get(scope, (float("-inf"), NOTHING_LEARNED))
        if monotonic() - read_at > _CACHE_SECONDS and scope not in self._refreshes:
            task = asyncio.create_task(self._refresh(scope), name=f"learning of {scope.agent_id}")
            self._refreshes[scope] = task
            task.add_done_callback(lambda _: self._refreshes.pop(scope, None))
        return learned

    async def tool_usage(self, scope: Scope) -> tuple[ToolUsage, ...]:
        """Read the agent's turns and return in how many turns of each message category each tool was called.

        Raises:
            StoreError: Postgres failed or did not answer.
        """
        return (await self.learning(scope)).tool_usage

    async def learning(self, scope: Scope) -> CategoryLearning:
        """Read the agent's turns and return the values learned from them about its message categories.

        Raises:
            StoreError: Postgres failed or did not answer.
        """
        policy = self._policy.for_agent(scope.agent_id)
        return learn(await self._turns.calls(scope, MAX_TURNS), policy)

    async def user_profile(self, scope: Scope) -> Mapping[str, int]:
        """Read the turns that a user's view sees, and return how many completed ones the user has in each category.

        Raises:
            StoreError: Postgres failed or did not answer.
        """
        return (await self.learning(scope)).users.get(scope.user or "", {})

    async def reset(self, scope: Scope) -> int:
        """Delete the categories recorded for the turns of all users, or of one, so that learning starts anew.

        The recorded tool calls stay. Turns from before users were kept apart are shared, but name their user.

        Returns:
            The number of turns whose categories were deleted.

        Raises:
            StoreError: Postgres failed or did not answer.
        """
        forgotten = await self._turns.forget_categories(scope, None)
        if scope.user is not None:
            forgotten += await self._turns.forget_categories(scope.as_user(None), scope.user)
        own = [key for key in {*self._refreshes, *self._cache} if key.agent_id == scope.agent_id]
        if reading := {self._refreshes[key] for key in own if key in self._refreshes}:
            await asyncio.wait(reading)  # a refresh may have read the turns before the deletion
        for key in own:
            self._cache.pop(key, None)
        return forgotten

    def forget(self, scope: Scope) -> None:
        """Remove what was learned from an agent's turns from the cache, because some of them may be erased."""
        self._erasures += 1
        for key in [key for key in self._cache if key.agent_id == scope.agent_id]:
            del self._cache[key]

    async def drain(self) -> None:
        """Wait until no background refresh is running."""
        await asyncio.gather(*self._refreshes.values(), return_exceptions=True)

    async def _refresh(self, scope: Scope) -> None:
        """Learn from the agent's turns anew, and cache the result; if Postgres fails, keep what was learned before."""
        erasures = self._erasures
        try:
            learned = await Deadline(self._policy.for_agent(scope.agent_id).deadlines.post_turn_ms).within(
                self.learning(scope)
            )
        except (StoreError, TimeoutError) as error:
            reason = str(error) or "no answer in time"
            log.warning("could not refresh the learned categories of agent %s: %s", scope.agent_id, reason)
            learned = self._cache.get(scope, (0.0, NOTHING_LEARNED))[1]
        if erasures != self._erasures:
            return
        self._cache[scope] = (monotonic(), learned)
        self._cache.move_to_end(scope)
        while len(self._cache) > _MAX_AGENTS:
            self._cache.popitem(last=False)


def _attributed_calls(turn: TurnToolCalls, table: CategoryTable) -> list[tuple[str, str]]:
    """Return a turn's tool calls as pairs (category of the turn's message, tool).

    If the tool's name shows some of the message's categories, the call is attributed to those only, otherwise to all.
    """
    calls = [(name, tool) for name in turn.categories for tool in sorted(set(turn.tools_called))]
    named_by = {tool: table.categories_of(tool).intersection(turn.categories) for tool in turn.tools_called}
    return [(name, tool) for name, tool in calls if not named_by[tool] or name in named_by[tool]]


def _factor(
    turns: Sequence[TurnToolCalls], category: str, table: CategoryTable, always: Collection[str], turn_count: int
) -> float:
    """Return the learned factor on a category's score, in [1, MAX_FACTOR].

    The factor depends on the share of the category's turns that called one of the category's tools. It is 1 up to a
    share of one half, and then grows linearly. `_PRIOR_TURNS` turns without such a call are added, so that few turns
    prove little.
    """
    used = sum(
        category in turn.categories
        and any(category in table.categories_of(tool) and not is_named(tool, always) for tool in turn.tools_called)
        for turn in turns
    )
    share = used / (turn_count + _PRIOR_TURNS)
    return 1.0 + (MAX_FACTOR - 1.0) * max(0.0, 2 * share - 1.0)


def _new_tools(tool_usage: Sequence[ToolUsage], category: str, table: CategoryTable) -> tuple[str, ...]:
    """Return the tools that were called in enough turns of a category and are not its own yet."""
    return tuple(
        usage.tool
        for usage in tool_usage
        if usage.category == category
        and category not in table.categories_of(usage.tool)
        and usage.called >= MIN_CALLS
        and usage.called >= MIN_SHARE * usage.turns
    )[:MAX_TOOLS]


def _users(turns: Sequence[TurnToolCalls]) -> Mapping[str, Mapping[str, int]]:
    users: dict[str, Counter[str]] = {}
    for turn in turns:
        if turn.user_id is not None:
            users.setdefault(turn.user_id, Counter()).update(turn.categories)
    return users
