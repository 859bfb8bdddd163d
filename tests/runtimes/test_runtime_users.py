"""Users of the runtimes: each case runs several users at once through one object of a framework."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from harness import Endless, RunResult, Say, SharedSession

from cognitive import ALL_USERS, CognitiveLayer, Message, NewMemory, Policy
from cognitive.errors import InvalidInput
from cognitive.prompt import OPENING
from cognitive.runtimes.identity import NO_USER, RunIdentity
from cognitive.runtimes.tools import RECALL_UNAVAILABLE
from cognitive.runtimes.turn_session import AgentBinding

PLACES = {"ada": "barometer", "bob": "accordion", "cleo": "telescope"}
SHARED = "The boat house of the harbour is locked with a spare key at night."


def key_of(user: str) -> str:
    return f"The spare key of the boat house hangs behind the {PLACES[user]}."


def question_of(user: str) -> str:
    return f"I am {user}. Do you remember where the spare key of the boat house hangs?"


async def ask_all(
    session: SharedSession, text_of: Callable[[str], str] = question_of, times: int = 2
) -> dict[str, list[str]]:
    """Send each user's text several times, all users at once, and return the texts of the model's requests by user."""
    session.run_result, session.script = RunResult(), Endless([Say("It hangs there.")])
    for _ in range(times):
        await asyncio.gather(*(session.ask(user, text_of(user)) for user in PLACES))
    texts = [request.text for request in session.run_result.requests]
    assert len(texts) == times * len(PLACES)
    by_user = {user: [text for text in texts if f"I am {user}." in text] for user in PLACES}
    assert [len(each) for each in by_user.values()] == [times] * len(PLACES), "no request has texts of two users"
    return by_user


async def statuses(layer: CognitiveLayer, agent: str, user: str | None) -> list[str]:
    """Return the status of each turn of a user."""
    await layer.flush()
    shared = {turn.turn_id for turn in await layer.explain.turns(agent)} if user is not None else set()
    turns = await layer.explain.turns(agent, user_id=user)
    return [turn.status for turn in turns if turn.turn_id not in shared]


async def test_users_at_once_get_their_own_memories(harness, layer, agent):
    own = [NewMemory(type="fact", content=key_of(user), user_id=user) for user in PLACES]
    await layer.remember(agent, [NewMemory(type="fact", content=SHARED), *own])
    by_user = await ask_all(harness.session(layer, agent, "s"))
    for user, texts in by_user.items():
        others = [place for each, place in PLACES.items() if each != user]
        for text in texts:
            assert key_of(user) in text
            assert SHARED in text
            assert not any(place in text for place in others)
        assert await statuses(layer, agent, user) == ["completed"] * 2
    assert await statuses(layer, agent, None) == []


async def test_users_at_once_are_answered_by_what_each_said_before(harness, urls, embedder, agent):
    policy = Policy(capture="user", abstention=False, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as capturing:
        await ask_all(harness.session(capturing, agent, "monday"), lambda user: f"I am {user}. {key_of(user)}", times=1)
        await capturing.flush()
        by_user = await ask_all(harness.session(capturing, agent, "tuesday"), times=1)
    for user, [text] in by_user.items():
        assert [each for each, place in PLACES.items() if place in text] == [user]


async def test_functions_name_the_agent_and_user_of_each_run(harness, layer, agent):
    for user in PLACES:
        memory = NewMemory(type="fact", content=key_of(user), user_id=f"user-of-tenant-{user}")
        await layer.remember(f"{agent}-tenant-{user}", [memory])
    session = harness.session(
        layer,
        lambda run: f"{agent}-{harness.tenant(run)}",
        "s",
        user_id=lambda run: f"user-of-{harness.tenant(run)}",
    )
    by_user = await ask_all(session)
    for user, texts in by_user.items():
        assert all(key_of(user) in text for text in texts)
        assert await statuses(layer, f"{agent}-tenant-{user}", f"user-of-tenant-{user}") == ["completed"] * 2


async def test_run_whose_user_is_not_found_has_no_memory(harness, layer, agent, caplog):
    def fails_for_bob(run: Any) -> Any:
        if harness.tenant(run) == "tenant-bob":
            raise KeyError("no such tenant")
        return None if harness.tenant(run) == "tenant-cleo" else "ada"

    own = [NewMemory(type="fact", content=key_of(user), user_id=user) for user in PLACES]
    await layer.remember(agent, [NewMemory(type="fact", content=SHARED), *own])
    with caplog.at_level(logging.WARNING):
        by_user = await ask_all(harness.session(layer, agent, "s", user_id=fails_for_bob))
    assert all(key_of("ada") in text for text in by_user["ada"])
    assert not any(OPENING in text for user in ("bob", "cleo") for text in by_user[user])
    assert len(await layer.explain.turns(agent, user_id=ALL_USERS)) == 2
    assert await statuses(layer, agent, "ada") == ["completed"] * 2
    assert caplog.text.count("the turn continues without memory") == 4
    assert "no such tenant" in caplog.text


async def test_run_whose_agent_is_not_found_has_no_memory(harness, layer, agent, caplog):
    def fails_for_bob(run: Any) -> Any:
        if harness.tenant(run) == "tenant-bob":
            raise KeyError("no such tenant")
        return None if harness.tenant(run) == "tenant-cleo" else agent

    await layer.remember(agent, [NewMemory(type="fact", content=SHARED)])
    with caplog.at_level(logging.WARNING):
        by_user = await ask_all(harness.session(layer, fails_for_bob, "s"))
    assert all(SHARED in text for text in by_user["ada"])
    assert not any(OPENING in text for user in ("bob", "cleo") for text in by_user[user])
    assert len(await layer.explain.turns(agent, user_id=ALL_USERS)) == 2
    assert "no such tenant" in caplog.text


# --- agents and users of a run ---


def _raises(run: Any) -> str:
    raise KeyError("tenant")


NO_IDS: list[Callable[[Any], Any]] = [
    _raises,
    lambda run: None,
    lambda run: "",
    lambda run: " ",
    lambda run: ALL_USERS,
    lambda run: ["ada"],
    lambda run: True,
    lambda run: "x" * 1_001,
]


@pytest.mark.parametrize("function", NO_IDS)
def test_function_without_a_valid_id_is_an_error(function):
    with pytest.raises(InvalidInput, match="user_id"):
        RunIdentity("agent", function).scope(None)
    with pytest.raises(InvalidInput, match="agent_id"):
        RunIdentity(function).scope(None)


@pytest.mark.parametrize("user", ["", " ", ALL_USERS, ["ada"], True, "x" * 1_001])
def test_invalid_fixed_or_named_user_is_an_error(user):
    with pytest.raises(InvalidInput, match="user_id"):
        RunIdentity("agent", user)
    with pytest.raises(InvalidInput, match="user_id"):
        RunIdentity("agent", "ada").scope(None, user)


def test_user_is_named_by_function_framework_adapter_or_outer_run():
    outer = RunIdentity("outer", "eve").scope(None)
    assert RunIdentity("agent", lambda run: run["who"]).scope({"who": 7}, "bob", outer).user == "7"
    assert RunIdentity("agent", lambda run: NO_USER).scope(None, "bob", outer).user is None
    assert RunIdentity("agent", "ada").scope(None, "bob", outer).user == "bob"
    assert RunIdentity("agent", "ada").scope(None, None, outer).user == "ada"
    assert RunIdentity("agent").scope(None, None, outer).user == "eve"
    assert RunIdentity("agent").scope(None).user is None


async def test_run_inside_another_run_has_its_user(layer, agent):
    await layer.remember(f"{agent}-inner", [NewMemory(type="fact", content=key_of("ada"), user_id="ada")])
    outer = AgentBinding(layer, agent, runtime="test").turn("s", user_id="ada")
    with outer.as_parent():
        inner = AgentBinding(layer, f"{agent}-inner", runtime="test").turn("s")
    await inner.begin(question_of("ada"))
    assert key_of("ada") in inner.context.text


async def test_later_prompts_lack_what_was_forgotten(urls, embedder, agent):
    policy = Policy(placement="journaled", abstention=False, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        ids = await layer.remember(agent, [NewMemory(type="fact", content=key_of(u), user_id=u) for u in PLACES])
        binding = AgentBinding(layer, agent, runtime="test")

        async def prompt(user: str) -> str:
            """Return the user's earlier message as the next model call sends it."""
            turn = binding.turn("s", user_id=user)
            await turn.begin("And now?")
            said = [Message(role="user", content=question_of(user)), Message(role="user", content="And now?")]
            return (await turn.messages(said))[0].content

        for user in PLACES:
            turn = binding.turn("s", user_id=user)
            await turn.begin(question_of(user))
            turn.end("completed", "It hangs there.")
        await layer.flush()
        assert all([key_of(user) in await prompt(user) for user in PLACES])
        await layer.forget_user(agent, "ada")
        await layer.forget(agent, ids[1:2], user_id="bob")
        assert [user for user in PLACES if key_of(user) in await prompt(user)] == ["cleo"]


async def test_recall_without_a_known_user_finds_nothing(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=SHARED)])
    unknown = AgentBinding(layer, agent, runtime="test", user_id=_raises).turn("s")
    assert await unknown.recall("spare key of the boat house") == RECALL_UNAVAILABLE
    with unknown.as_parent():
        inner = AgentBinding(layer, f"{agent}-inner", runtime="test").turn("s")
    assert await inner.recall("spare key of the boat house") == RECALL_UNAVAILABLE


async def test_recall_searches_the_memory_of_the_turns_user(layer, agent):
    own = [NewMemory(type="fact", content=key_of(user), user_id=user) for user in PLACES]
    await layer.remember(agent, own)
    turn = AgentBinding(layer, agent, runtime="test", user_id="bob").turn("s", user_id="ada")
    answer = await turn.recall("spare key of the boat house")  # also before the turn begins, or if it failed to
    assert "barometer" in answer
    assert "accordion" not in answer
