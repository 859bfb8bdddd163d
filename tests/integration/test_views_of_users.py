"""Promise P4 for users: no public method shows a user's words in the view of another user, or without a user.

The table has every public method of the layer. Each is called with the ids of bob's rows, in three views: that of ann,
who has rows of the same kind, that of nobody, and that of bob.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest

from cognitive import ALL_USERS, CognitiveLayer, Message, NewMemory, Outcome, Policy, ToolCall, Turn, TurnRef
from cognitive.errors import CognitiveError, InvalidInput
from tests.internals import internals

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
SINCE, UNTIL = AT - timedelta(days=1), AT + timedelta(days=1)
CANARY = {"ann": "zephyrquill", "bob": "marrowfinch", None: "everyonesword"}


def says(user: str | None, text: str) -> str:
    return f"The {CANARY[user]} {text}"


async def has_rows(layer: CognitiveLayer, agent: str, user: str | None) -> SimpleNamespace:
    """Give a user rows of every kind, each with the user's canary in its texts; return their ids."""
    texts = ("opens at nine.", "is opened by Otto.", "was moved to the quay.")
    memories = await layer.remember(
        agent,
        [
            NewMemory(type="fact", content=says(user, text), source=f"s{n}", occurred_at=AT, user_id=user, pinned=not n)
            for n, text in enumerate(texts)
        ],
    )
    await layer.update(agent, memories[1], content=says(user, "is opened by Ida."), user_id=user)
    log = "\n".join(f"{CANARY[user]} line {n}" for n in range(2_000))
    conversation = (
        Message(role="user", content=says(user, "has a log.")),
        Message(role="assistant", tool_calls=(ToolCall(id="c", name="read_log"),)),
        Message(role="tool", content=log, tool_call_id="c"),
        Message(role="assistant", content=says(user, "was read.")),
    )
    turn = Turn(
        agent_id=agent,
        session_id="s",
        turn_id="t",
        user_id=user,
        text=says(user, "is what I ask about: when does it open?"),
        conversation=conversation,
        now=AT,
    )
    context = await layer.pre_turn(turn)
    called = (ToolCall(name=f"tool_{CANARY[user]}"),)
    await layer.post_turn(context, Outcome(response=says(user, "opens at nine."), tool_calls=called))
    await internals(layer).background.drain()
    await layer.work.plan(agent, "s", [says(user, "is checked"), "done"], user_id=user)
    subtask = await layer.work.begin(agent, "s", says(user, "is painted"), user_id=user)
    await layer.work.complete(agent, subtask.id, says(user, "is green"), user_id=user)
    [artifact] = await layer.sessions.artifacts(agent, "s", user_id=user)
    waiting = await layer.pre_turn(turn.model_copy(update={"turn_id": "waiting", "conversation": ()}))
    return SimpleNamespace(memories=memories, artifact=artifact.id, subtask=subtask.id, waiting=waiting)


@pytest.fixture(scope="module")
async def house(urls, embedder) -> AsyncIterator[SimpleNamespace]:
    """Yield a layer that captures, an agent, and the ids of what ann, bob and nobody have there."""
    agent = f"house-{uuid4().hex[:8]}"
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(capture="exchange")) as layer:
        ids = {user: await has_rows(layer, agent, user) for user in CANARY}
        yield SimpleNamespace(layer=layer, agent=agent, ids=ids)


async def lines(exported) -> list[str]:
    return [line async for line in exported]


def ask(layer, agent, user, text, **fields):
    turn = Turn(agent_id=agent, session_id="s", user_id=user, turn_id=str(uuid4()), text=text, now=AT, **fields)
    return layer.pre_turn(turn)


async def fitted(layer, agent, user):
    context = await ask(layer, agent, user, "Go on.")
    return await layer.fit(context, [Message(role="user", content="Go on.")])


async def settled(layer, agent, user):
    layer.settle(TurnRef(agent, "t", user), Outcome(response="Yes."))
    await layer.flush()


# These show bob's words to bob. In each: a is the agent, u the view, b has the ids of bob's rows.
READS = {
    "pre_turn": lambda layer, a, u, b: ask(layer, a, u, f"When does the {CANARY['bob']} open?"),
    "recall": lambda layer, a, u, b: layer.recall(a, CANARY["bob"], user_id=u),
    "get": lambda layer, a, u, b: layer.get(a, b.memories, user_id=u),
    "update": lambda layer, a, u, b: layer.update(a, b.memories[2], tags=("seen",), user_id=u),
    "retire": lambda layer, a, u, b: layer.retire(a, b.memories[2:], user_id=u),
    "restore": lambda layer, a, u, b: layer.restore(a, b.memories[2:], user_id=u),
    "resume": lambda layer, a, u, b: layer.resume(a, "s", user_id=u),
    "artifact": lambda layer, a, u, b: layer.artifact(a, b.artifact, user_id=u),
    "sessions.resume": lambda layer, a, u, b: layer.sessions.resume(a, "s", user_id=u),
    "sessions.artifact": lambda layer, a, u, b: layer.sessions.artifact(a, b.artifact, user_id=u),
    "sessions.search_artifact": lambda layer, a, u, b: layer.sessions.search_artifact(
        a, b.artifact, "line 7", user_id=u
    ),
    "explain.turn": lambda layer, a, u, b: layer.explain.turn(a, "t", user_id=u),
    "explain.turns": lambda layer, a, u, b: layer.explain.turns(a, user_id=u),
    "explain.replay": lambda layer, a, u, b: layer.explain.replay(a, "t", user_id=u),
    "explain.past_plans": lambda layer, a, u, b: layer.explain.past_plans(a, user_id=u),
    "admin.export": lambda layer, a, u, b: lines(layer.admin.export(a, user_id=u)),
    "admin.export_markdown": lambda layer, a, u, b: lines(layer.admin.export_markdown(a, user_id=u)),
    "admin.find": lambda layer, a, u, b: layer.admin.find(a, user_id=u),
    "admin.find_by_source": lambda layer, a, u, b: layer.admin.find_by_source(a, "fact", ["s0"], user_id=u),
    "admin.revisions": lambda layer, a, u, b: layer.admin.revisions(a, b.memories[1], user_id=u),
    "work.list_subtasks": lambda layer, a, u, b: layer.work.list_subtasks(a, "s", user_id=u),
    "work.search": lambda layer, a, u, b: layer.work.search(a, None, "is painted", user_id=u),
    "work.context_for": lambda layer, a, u, b: layer.work.context_for(a, "s", "is painted", user_id=u),
    "work.advance": lambda layer, a, u, b: layer.work.advance(a, "s", 0, user_id=u),
}
# These show no words of bob's rows to bob either, or nothing was found in this house.
OTHERS = {
    "sessions.list": lambda layer, a, u, b: layer.sessions.list(a, user_id=u),
    "policies.what_if": lambda layer, a, u, b: layer.policies.what_if(
        a, {"usage.half_life_days": 3.0}, SINCE, UNTIL, user_id=u
    ),
    "upkeep.duplicates": lambda layer, a, u, b: layer.upkeep.duplicates(a, user_id=u),
    "explain.why": lambda layer, a, u, b: layer.explain.why(a, "t", b.memories[0], user_id=u),
    "why": lambda layer, a, u, b: layer.why(a, "t", b.memories[0], user_id=u),
    "post_turn": lambda layer, a, u, b: layer.post_turn(TurnRef(a, b.waiting.turn_id, u), Outcome(response="At nine.")),
    "settle": lambda layer, a, u, b: settled(layer, a, u),
    "fit": lambda layer, a, u, b: fitted(layer, a, u),
    "rate": lambda layer, a, u, b: layer.rate(a, "t", b.memories[0], useful=True, user_id=u),
    "merge": lambda layer, a, u, b: layer.merge(a, b.memories[1:2], b.memories[2], user_id=u),
    "share": lambda layer, a, u, b: layer.share(a, [uuid4()], user_id=u),
    "forget": lambda layer, a, u, b: layer.forget(a, [uuid4()], user_id=u),
    "end_session": lambda layer, a, u, b: layer.end_session(a, "s", user_id=u),
    "remember": lambda layer, a, u, b: layer.remember(a, [NewMemory(type="fact", content="x", user_id=u, source="x")]),
    "sessions.end": lambda layer, a, u, b: layer.sessions.end(a, "s", user_id=u),
    "sessions.clear": lambda layer, a, u, b: layer.sessions.clear(a, "another", user_id=u),
    "sessions.artifacts": lambda layer, a, u, b: layer.sessions.artifacts(a, "s", user_id=u),
    "sessions.open_turns": lambda layer, a, u, b: layer.sessions.open_turns(a, user_id=u),
    "explain.candidates": lambda layer, a, u, b: layer.explain.candidates(a, "t", user_id=u),
    "explain.turn_ids": lambda layer, a, u, b: layer.explain.turn_ids(a, user_id=u),
    "explain.shadow_agreement": lambda layer, a, u, b: layer.explain.shadow_agreement(a, user_id=u),
    "explain.evaluation_cases": lambda layer, a, u, b: layer.explain.evaluation_cases(a, ["t"], user_id=u),
    "policies.shadow_agreement": lambda layer, a, u, b: layer.policies.shadow_agreement(a, "v", user_id=u),
    "policies.running": lambda layer, a, u, b: layer.policies.running(a, user_id=u),
    "policies.base_rates": lambda layer, a, u, b: layer.policies.base_rates(a, user_id=u),
    "upkeep.contradictions": lambda layer, a, u, b: layer.upkeep.contradictions(a, user_id=u),
    "upkeep.stale": lambda layer, a, u, b: layer.upkeep.stale(a, user_id=u),
    "admin.import_lines": lambda layer, a, u, b: layer.admin.import_lines(a, [], user_id=u),
    "admin.preview_import": lambda layer, a, u, b: layer.admin.preview_import(a, [], user_id=u),
    "admin.preview_forget": lambda layer, a, u, b: layer.admin.preview_forget(a, b.memories, user_id=u),
    "admin.erasures": lambda layer, a, u, b: layer.admin.erasures(a, user_id=u),
    "admin.tool_usage": lambda layer, a, u, b: layer.admin.tool_usage(a, user_id=u),
    "admin.category_learning": lambda layer, a, u, b: layer.admin.category_learning(a, user_id=u),
    "admin.user_profile": lambda layer, a, u, b: layer.admin.user_profile(a, u or "nobody"),
    "admin.reset_learning": lambda layer, a, u, b: layer.admin.reset_learning(a, u or "nobody"),
    "admin.journal_backlog": lambda layer, a, u, b: layer.admin.journal_backlog(a, whole=True, user_id=u),
    "work.plan": lambda layer, a, u, b: layer.work.plan(a, "another", ["x"], user_id=u),
    "work.begin": lambda layer, a, u, b: layer.work.begin(a, "another", "x", [b.subtask], user_id=u),
    "work.add_dependencies": lambda layer, a, u, b: layer.work.add_dependencies(a, b.subtask, [b.subtask], user_id=u),
    "work.complete": lambda layer, a, u, b: layer.work.complete(a, b.subtask, "x", user_id=u),
    "work.abandon": lambda layer, a, u, b: layer.work.abandon(a, b.subtask, user_id=u),
}
# They return no words of users, or belong to the operator.
OF_THE_AGENT = {
    "open", "flush", "health", "remember_conversation", "refine_tools", "erase_agent", "forget_user",
    "policies.activate", "policies.base", "policies.current", "policies.effective", "policies.get",
    "policies.history", "policies.list", "policies.load", "policies.roll_back", "policies.runs_of_candidates",
    "policies.save", "policies.shadow",
    "admin.apply_retention", "admin.assign_users", "admin.build_vector_index", "admin.compare_models",
    "admin.context_budgets", "admin.database_role", "admin.expire_turns", "admin.form_by_model", "admin.health",
    "admin.language", "admin.on_erasure", "admin.readiness", "admin.replica", "admin.set_language",
    "admin.users",
}  # fmt: skip


def public_methods(layer: CognitiveLayer) -> set[str]:
    found = set()
    for prefix in ("", "sessions", "policies", "explain", "upkeep", "admin", "work"):
        owner = getattr(layer, prefix) if prefix else layer
        names = (name for name, value in inspect.getmembers(type(owner), callable) if not name.startswith("_"))
        found |= {f"{prefix}.{name}" if prefix else name for name in names}
    return found


async def test_table_has_every_public_method(house):
    assert public_methods(house.layer) == {*READS, *OTHERS, *OF_THE_AGENT}


async def shown(house, name: str, user: str | None) -> str:
    """Return what a method returns or raises in a view, as text."""
    call = {**READS, **OTHERS}[name]
    try:
        return repr(await call(house.layer, house.agent, user, house.ids["bob"]))
    except CognitiveError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", [*READS, *OTHERS])
async def test_words_of_a_user_are_shown_in_no_other_view(house, name):
    before = await house.layer.get(house.agent, house.ids["bob"].memories, user_id="bob")
    for user in ("ann", None):
        text = (await shown(house, name, user)).replace(f"When does the {CANARY['bob']} open?", "")
        text = text.replace(f"'{CANARY['bob']}'", "")
        assert CANARY["bob"] not in text, (name, user)
        if user is None:
            assert CANARY["ann"] not in text, name
    assert await house.layer.get(house.agent, house.ids["bob"].memories, user_id="bob") == before


@pytest.mark.parametrize("name", READS)
async def test_users_own_words_are_shown_in_the_users_view(house, name):
    assert CANARY["bob"] in (await shown(house, name, "bob")).replace(f"When does the {CANARY['bob']} open?", "")


async def test_operators_view_shows_the_memories_of_all(house):
    exported = "\n".join(await lines(house.layer.admin.export(house.agent)))
    found = repr(await house.layer.admin.find(house.agent, limit=999, user_id=ALL_USERS))
    for word in CANARY.values():
        assert word in exported
        assert word in found


async def test_turn_reads_shared_memories_and_those_of_its_user(house):
    for user in CANARY:
        context = await ask(house.layer, house.agent, user, "When does it open?")
        assert CANARY[None] in context.prefix
        assert [name for name in ("ann", "bob") if CANARY[name] in f"{context.prefix}{context.text}"] == (
            [user] if user else []
        )


@pytest.mark.parametrize("user", ["", "  ", "x" * 1_001, "a\x00", ALL_USERS])
def test_turn_of_an_invalid_user_is_refused(user):
    with pytest.raises(InvalidInput, match="user_id"):
        TurnRef("a", "t", user)
    with pytest.raises(InvalidInput, match="user_id"):
        Turn(agent_id="a", session_id="s", text="x", user_id=user)
    with pytest.raises(InvalidInput, match="user_id"):
        NewMemory(type="fact", content="x", user_id=user)
