"""What past turns of an agent teach about its categories: which tools were really called after such a message.

Two lessons, both bounded. A tool that keeps being called in turns of a category belongs to it for this agent: it stays
where the category fires. And a category whose own tools are called nearly always may fire on less. Nothing here takes a
tool away or raises a threshold: a tool that was filtered out could not be called, so its absence proves nothing.

`learn` is a pure function of completed turns; `CategoryLearner` reads these in the background and keeps
the result for a minute.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from brain.deadline import Deadline
from brain.errors import StoreError
from brain.turn_records import TurnToolCalls
from brain.turns import TurnLog
from cognitive.policy import Policy
from cognitive.preflight.classification import category_table

log = logging.getLogger(__name__)

MAX_FACTOR = 1.5  # of a score: from there one row of two points suffices, and more could not be undone by another row
MAX_TOOLS = 5  # gained by a category at most
MAX_TURNS = 500  # the latest completed ones are learnt from
MIN_CALLS = 3  # of a tool, until a category gains it: once may be an accident
MIN_SHARE = 0.05  # of a category's turns that called a tool, until it gains it; rarer is noise
PROFILE_WEIGHT = 0.25  # of the share that a category has of a user's turns
_FRESH = 60.0  # seconds; what is learnt changes over days
_MAX_AGENTS = 1_000  # whose lessons are kept
_PRIOR = 10  # turns without evidence are added: a category that fired twice tells nothing yet


@dataclass(frozen=True, slots=True)
class ToolUsage:
    """How often a tool was called in a category's completed turns, where no other category of the turn names it."""

    category: str
    tool: str
    called: int
    turns: int


@dataclass(frozen=True, slots=True)
class CategoryLearning:
    """What was learnt of an agent, with its evidence.

    `factors` multiply a category's score, in [1, 1.5]; `tools` are what a category gains; `users` is how many turns of
    each category each user had.
    """

    factors: Mapping[str, float] = field(default_factory=dict)
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tool_usage: tuple[ToolUsage, ...] = ()
    users: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def tools_for(self, categories: Sequence[str]) -> tuple[str, ...]:
        """The tools that these categories have gained."""
        return tuple(dict.fromkeys(tool for name in categories for tool in self.tools.get(name, ())))


NOTHING_LEARNED = CategoryLearning()


def learn(
    turns: Sequence[TurnToolCalls], policy: Policy, *, min_calls: int = MIN_CALLS, min_share: float = MIN_SHARE
) -> CategoryLearning:
    """What an agent's completed turns teach, whatever their order."""
    known = category_table(policy)
    seen = Counter(name for turn in turns for name in turn.categories)
    named = {need.name: frozenset(need.tools) for need in known.definitions}
    called = Counter(each for turn in turns for each in _unexplained(turn, named))
    tool_usage = tuple(
        ToolUsage(name, tool, times, seen[name])
        for (name, tool), times in sorted(called.items(), key=lambda each: (each[0][0], -each[1], each[0][1]))
    )
    own = {name: tools.difference(policy.categories.always_include) for name, tools in named.items()}
    factors = {name: _factor(turns, name, tools, seen[name]) for name, tools in own.items() if tools and seen[name]}
    gained = {name: _gained(tool_usage, name, tools, min_calls, min_share) for name, tools in named.items() if tools}
    return CategoryLearning(
        factors={name: factor for name, factor in factors.items() if factor > 1.0},
        tools={name: tools for name, tools in gained.items() if tools},
        tool_usage=tool_usage,
        users=_users(turns),
    )


def prior(learned: CategoryLearning, user_id: str | None) -> Mapping[str, float]:
    """What a user's own turns multiply each category's score by: at most 1 + PROFILE_WEIGHT, by the category's share.

    Nothing for a user of few turns. A score of zero stays zero: a profile decides doubts, it starts nothing.
    """
    counts = learned.users.get(user_id, {}) if user_id is not None else {}
    turns = sum(counts.values())
    return {name: 1.0 + PROFILE_WEIGHT * count / (turns + _PRIOR) for name, count in counts.items()}


class CategoryLearner:
    """Learned weights and profiles per agent. `cached` never waits: what is not known yet counts in a later turn."""

    def __init__(self, turns: TurnLog, policy: Policy) -> None:
        self._turns = turns
        self._policy = policy
        self._kept: OrderedDict[str, tuple[float, CategoryLearning]] = OrderedDict()
        self._reading: dict[str, asyncio.Task[None]] = {}

    def cached(self, agent_id: str) -> CategoryLearning:
        """What is known of an agent; read again in the background when that is old."""
        policy = self._policy.for_agent(agent_id)
        if not (policy.categories.learned_weights or policy.categories.user_profiles):
            return NOTHING_LEARNED
        read_at, learned = self._kept.get(agent_id, (float("-inf"), NOTHING_LEARNED))
        if monotonic() - read_at > _FRESH and agent_id not in self._reading:
            task = asyncio.create_task(self._refresh(agent_id), name=f"learning of {agent_id}")
            self._reading[agent_id] = task
            task.add_done_callback(lambda _: self._reading.pop(agent_id, None))
        return learned

    async def tool_usage(self, agent_id: str) -> tuple[ToolUsage, ...]:
        """How often each tool was called in the turns of each category, as of now."""
        return (await self._read(agent_id)).tool_usage

    async def learning(self, agent_id: str) -> CategoryLearning:
        """All that an agent's turns taught, as of now."""
        return await self._read(agent_id)

    async def user_profile(self, agent_id: str, user_id: str) -> Mapping[str, int]:
        """How many of a user's completed turns were of each category, as of now."""
        return (await self._read(agent_id)).users.get(user_id, {})

    async def reset(self, agent_id: str, user_id: str | None = None) -> int:
        """Forgets the categories of an agent's turns, or of one user's, and returns of how many. Their calls stay."""
        forgotten = await self._turns.forget_categories(agent_id, user_id)
        if agent_id in self._reading:  # it may have read before this was forgotten
            await asyncio.wait({self._reading[agent_id]})
        self._kept.pop(agent_id, None)
        return forgotten

    async def drain(self) -> None:
        """Returns when nothing is being read."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    async def _refresh(self, agent_id: str) -> None:
        try:
            learned = await Deadline(self._policy.for_agent(agent_id).deadlines.post_turn_ms).within(
                self._read(agent_id)
            )
        except (StoreError, TimeoutError) as error:
            log.warning("the learning of agent %s stay as they were: %s", agent_id, str(error) or "no answer in time")
            learned = self._kept.get(agent_id, (0.0, NOTHING_LEARNED))[1]
        self._kept[agent_id] = (monotonic(), learned)
        self._kept.move_to_end(agent_id)
        while len(self._kept) > _MAX_AGENTS:
            self._kept.popitem(last=False)

    async def _read(self, agent_id: str) -> CategoryLearning:
        policy = self._policy.for_agent(agent_id)
        return learn(await self._turns.calls(agent_id, MAX_TURNS), policy)


def _unexplained(turn: TurnToolCalls, named: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """The calls of a turn by category. A tool that one of its categories names says nothing of the others."""
    calls = [(name, tool) for name in turn.categories for tool in sorted(set(turn.tools_called))]
    by = {tool: {name for name in turn.categories if tool in named.get(name, ())} for tool in turn.tools_called}
    return [(name, tool) for name, tool in calls if not by[tool] or name in by[tool]]


def _factor(turns: Sequence[TurnToolCalls], category: str, tools: frozenset[str], seen: int) -> float:
    """1 for a category whose tools are called in half of its turns or less, up to MAX_FACTOR; shrunk by few turns."""
    used = sum(category in turn.categories and not tools.isdisjoint(turn.tools_called) for turn in turns)
    share = used / (seen + _PRIOR)
    return 1.0 + (MAX_FACTOR - 1.0) * max(0.0, 2 * share - 1.0)


def _gained(
    tool_usage: Sequence[ToolUsage], category: str, own: frozenset[str], min_calls: int, min_share: float
) -> tuple[str, ...]:
    return tuple(
        usage.tool
        for usage in tool_usage
        if usage.category == category
        and usage.tool not in own
        and usage.called >= min_calls
        and usage.called >= min_share * usage.turns
    )[:MAX_TOOLS]


def _users(turns: Sequence[TurnToolCalls]) -> Mapping[str, Mapping[str, int]]:
    users: dict[str, Counter[str]] = {}
    for turn in turns:
        if turn.user_id is not None:
            users.setdefault(turn.user_id, Counter()).update(turn.categories)
    return users
