"""A captured turn without a user is warned about once per agent that has users, and few agents are remembered."""

from __future__ import annotations

import logging

from brain.users import Scope
from cognitive.background import Background
from cognitive.feedback import shared_turns
from cognitive.feedback.shared_turns import SharedTurns


class UsersOf:
    """Stands in for the database: the agents that have users, and how often they were asked for."""

    def __init__(self, *agents: str) -> None:
        self._agents = agents
        self.asked: list[str] = []

    async def list(self, agent_id: str, *, limit: int) -> list[str]:
        self.asked.append(agent_id)
        return ["ann"][:limit] if agent_id in self._agents else []


async def captured(shared: SharedTurns, background: Background, *scopes: Scope) -> None:
    for scope in scopes:
        shared.on_capture(scope)
        await background.drain()


def warned(caplog) -> list[str]:
    """Return the agents that were warned about; layers of other tests may log, too."""
    return [record.args[0] for record in caplog.records if record.name == shared_turns.__name__]


async def test_agent_with_users_is_warned_about_once(caplog):
    users, background = UsersOf("desk"), Background()
    shared = SharedTurns(users, background)
    with caplog.at_level(logging.WARNING):
        await captured(shared, background, *[Scope("desk"), Scope("alone")] * 3)
    assert warned(caplog) == ["desk"]
    assert users.asked == ["desk", "alone"]


async def test_user_seen_after_a_shared_turn_makes_the_next_one_warn(caplog):
    users, background = UsersOf(), Background()
    shared = SharedTurns(users, background)
    with caplog.at_level(logging.WARNING):
        await captured(shared, background, Scope("desk"), Scope("desk", "ann"))
        assert warned(caplog) == []
        await captured(shared, background, Scope("desk"), Scope("desk", "ann"), Scope("desk"))
    assert warned(caplog) == ["desk"]


async def test_agent_noted_first_is_forgotten_when_there_are_too_many(caplog):
    users, background = UsersOf("a"), Background()
    shared = SharedTurns(users, background, max_agents=2)
    with caplog.at_level(logging.WARNING):
        await captured(shared, background, *map(Scope, ("a", "b", "c", "c", "a")))
    assert users.asked == ["a", "b", "c", "a"]
    assert warned(caplog) == ["a", "a"]
