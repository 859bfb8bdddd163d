"""The rules of users: whose memories a call reads and writes, and the errors of calls that break them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from brain.search import Query
from brain.users import Scope
from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Outcome, Policy, Turn, TurnRef
from cognitive.errors import InvalidInput, UnknownMemory, UnknownTurn
from tests.internals import internals

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
ANSWER = Outcome(response="The kettle of the kitchen leaks at the lid, so order a new lid.")


def fact(content: str, user: str | None = None, **fields) -> NewMemory:
    return NewMemory(type="fact", content=content, user_id=user, occurred_at=AT, **fields)


def turn(agent: str, user: str | None, text: str = "Where does the kettle of the kitchen leak?", **fields) -> Turn:
    return Turn(agent_id=agent, session_id="s", user_id=user, text=text, **fields)


async def contents(layer: CognitiveLayer, agent: str, user) -> set[str]:
    return {memory.content for memory in await layer.admin.find(agent, user_id=user)}


@pytest.fixture(scope="module")
async def capturing(urls, embedder) -> AsyncIterator[CognitiveLayer]:
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(capture="exchange")) as layer:
        yield layer


# --- reading and writing ---


@pytest.mark.parametrize("has_users_before", [True, False])
async def test_captured_turn_without_user_warns_once(urls, embedder, agent, caplog, has_users_before):
    policy = Policy(capture="exchange", deadline_ms=10_000)
    if has_users_before:
        async with CognitiveLayer.open(urls.app, embedder=embedder) as earlier:
            await earlier.remember(agent, [fact("Ann rides a red bike.", "ann")])
            await earlier.post_turn(await earlier.pre_turn(turn(agent, "ann")), ANSWER)
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        for user in (None, None) if has_users_before else (None, "ann", None, None):
            await layer.post_turn(await layer.pre_turn(turn(agent, user)), ANSWER)
    warnings = [record.getMessage() for record in caplog.records if "without user_id" in record.getMessage()]
    assert len(warnings) == 1
    assert repr(agent) in warnings[0]


async def test_agent_without_users_is_captured_without_warning(urls, embedder, agent, caplog):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(capture="exchange")) as layer:
        await layer.post_turn(await layer.pre_turn(turn(agent, None)), ANSWER)
    assert "without user_id" not in caplog.text


async def test_turn_captures_memories_of_its_user(capturing, agent):
    for user in ("ann", None):
        context = await capturing.pre_turn(turn(agent, user, turn_id="t"))
        await capturing.post_turn(context, Outcome(response=f"Answer to {user}: the lid leaks."))
    by_user = {user: await contents(capturing, agent, user) for user in ("ann", "bob", None)}
    assert (
        by_user["bob"]
        == by_user[None]
        == {"Where does the kettle of the kitchen leak?", "Answer to None: the lid leaks."}
    )
    assert by_user["ann"] - by_user[None] == {"Answer to ann: the lid leaks."}
    assert {memory.user_id for memory in await capturing.admin.find(agent, user_id="ann")} == {"ann", None}


async def test_capture_scope_agent_stores_shared_memories_only(urls, embedder, agent):
    policy = Policy(capture="exchange", capture_scope="agent")
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        for user in ("ann", "bob"):  # with equal turn ids
            context = await layer.pre_turn(turn(agent, user, f"I am {user} and it leaks.", turn_id="t"))
            await layer.post_turn(context, Outcome(response=f"Thank you {user}."))
        found = await layer.admin.find(agent, user_id="cyn")
        stored = {text.format(user) for user in ("ann", "bob") for text in ("I am {} and it leaks.", "Thank you {}.")}
        assert {memory.content for memory in found} == stored
        assert {memory.user_id for memory in found} == {None}
        assert [row.turn_id for row in await layer.explain.turns(agent, user_id="cyn")] == []
        assert (await layer.resume(agent, "s", user_id="ann")).turns == 1


async def test_users_turn_adds_to_the_usage_of_shared_memories(layer, agent):
    [shared] = await layer.remember(agent, [fact("The kettle of the kitchen leaks at the lid.")])
    for user in ("ann", "bob"):
        context = await layer.pre_turn(turn(agent, user))
        assert [shown.memory_id for shown in context.shown] == [shared]
        assert (await layer.post_turn(context, ANSWER)).attributions[0].referenced
    search = internals(layer).engine._retriever._search
    [hit] = (await search.find(Scope(agent), Query({"fact": 9}, "kettle", None, ""))).hits
    assert (hit.times_shown, hit.times_used) == (2, 2)


async def test_equal_memories_of_two_users_are_two(layer, agent):
    ids = await layer.remember(agent, [fact("The bike is red.", user) for user in ("ann", "bob", None, "ann")])
    assert len(set(ids)) == 3
    assert ids[0] == ids[3]


async def test_shared_copy_names_its_origin(layer, agent):
    [own] = await layer.remember(agent, [fact("The bike is red.", "ann", pinned=True, session_id="s", tags=("bike",))])
    [copy] = await layer.share(agent, [own], user_id="ann")
    assert await layer.share(agent, [own], user_id=ALL_USERS) == [copy]
    [shared] = await layer.get(agent, [copy])
    assert (shared.content, shared.user_id, shared.source, shared.tags) == (
        "The bike is red.",
        None,
        f"shared:{own}",
        ("bike",),
    )
    assert (shared.pinned, shared.session_id) == (False, None)
    with pytest.raises(InvalidInput, match="is shared already"):
        await layer.share(agent, [copy], user_id="ann")
    with pytest.raises(UnknownMemory):
        await layer.share(agent, [own], user_id="bob")


async def test_forgotten_user_is_gone_and_others_stay(capturing, agent):
    for user in ("ann", "bob", None):
        await capturing.remember(agent, [fact(f"The bike of {user} is red.", user)])
        context = await capturing.pre_turn(turn(agent, user))
        await capturing.post_turn(context, Outcome(response=f"Yes {user}, it leaks."))
    before = {user: await contents(capturing, agent, user) for user in ("bob", None)}
    receipt = await capturing.forget_user(agent, "ann")
    assert (receipt.user_id, receipt.turns, receipt.sessions) == ("ann", 1, 1)
    assert receipt.memories == 3
    assert await contents(capturing, agent, "ann") == before[None]
    assert {user: await contents(capturing, agent, user) for user in ("bob", None)} == before
    assert await capturing.resume(agent, "s", user_id="ann") is None
    assert await capturing.resume(agent, "s", user_id="bob") is not None
    assert (await capturing.forget_user(agent, "ann")).memories == 0
    for invalid in (None, "", ALL_USERS):
        with pytest.raises(InvalidInput, match="user_id"):
            await capturing.forget_user(agent, invalid)


async def test_forgotten_user_leaves_nothing_that_plans_learned(urls, embedder, agent):
    policy = Policy(categories={"user_profiles": True})
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        text = "gpu status"
        context = await layer.pre_turn(turn(agent, "ann", text))
        await layer.post_turn(context, Outcome(response="All is well."))
        learner, ann = internals(layer).planner._category_learner, Scope(agent, "ann")
        learner.forget(ann)  # what the turn itself read
        learner.cached(ann)
        await learner.drain()
        assert learner.cached(ann).users.keys() == {"ann"}
        await layer.forget_user(agent, "ann")
        assert learner.cached(ann).users == {}
        await learner.drain()
        assert learner.cached(ann).users == {}


async def test_operator_changes_memories_of_any_user(layer, agent):
    ids = await layer.remember(agent, [fact("The bike is red.", user) for user in ("ann", "bob", None)])
    assert (await layer.update(agent, ids[0], content="The bike is blue.", user_id=ALL_USERS)).user_id == "ann"
    assert {memory.user_id for memory in await layer.retire(agent, ids, user_id=ALL_USERS)} == {"ann", "bob", None}
    with pytest.raises(InvalidInput, match="cannot be merged"):
        await layer.merge(agent, ids[:1], ids[1], user_id=ALL_USERS)
    assert (await layer.forget(agent, ids, user_id=ALL_USERS)).memories == 3


# --- refused ---


@pytest.mark.parametrize("user", ["", " ", "x" * 1_001, "\ud800"])
async def test_invalid_users_are_refused_before_anything_is_read(layer, agent, user):
    for call in (
        lambda: layer.get(agent, [], user_id=user),
        lambda: layer.recall(agent, "bike", user_id=user),
        lambda: layer.resume(agent, "s", user_id=user),
        lambda: layer.work.plan(agent, "s", ["x"], user_id=user),
        lambda: layer.admin.find(agent, user_id=user),
        lambda: layer.forget_user(agent, user),
    ):
        with pytest.raises(InvalidInput, match="user_id"):
            await call()


async def test_operators_view_is_refused_where_a_user_is_needed(layer, agent):
    for call in (
        lambda: layer.recall(agent, "bike", turn_id="t", user_id=ALL_USERS),
        lambda: layer.why(agent, "t", "00000000-0000-0000-0000-000000000000", user_id=ALL_USERS),
        lambda: layer.resume(agent, "s", user_id=ALL_USERS),
        lambda: layer.work.plan(agent, "s", ["x"], user_id=ALL_USERS),
    ):
        with pytest.raises(InvalidInput, match=r"user_id: .* needs the view of one user"):
            await call()


async def test_memory_supersedes_only_memories_of_its_user(layer, agent):
    shared, ann, bob = await layer.remember(agent, [fact(f"The bike of {u} is red.", u) for u in (None, "ann", "bob")])
    for user, old in (("ann", shared), ("ann", bob), (None, ann)):
        with pytest.raises(InvalidInput, match="supersedes"):
            await layer.remember(agent, [fact("The bike is blue.", user, supersedes=old)])
    assert len(await layer.admin.find(agent, user_id=ALL_USERS)) == 3
    [new] = await layer.remember(agent, [fact("The bike is blue.", "ann", supersedes=ann)])
    assert [memory.replaced_by for memory in await layer.get(agent, [ann], user_id="ann")] == [new]


async def test_invalid_supersedes_is_refused_before_any_memory_is_stored(layer, agent):
    [first, anns] = await layer.remember(agent, [fact("The bike is red."), fact("The car is red.", "ann")])
    second = fact("The bike is blue.", supersedes=first)
    for wrong in (anns, UUID(int=7)):
        with pytest.raises(InvalidInput, match="supersedes"):
            await layer.remember(agent, [second, fact("The car is blue.", "bob", supersedes=wrong)])
    assert len(await layer.admin.find(agent, user_id=ALL_USERS)) == 2
    stored = await layer.remember(agent, [second])
    await layer.forget(agent, [first])
    assert await layer.remember(agent, [second]) == stored


async def test_users_view_does_not_change_shared_memories(layer, agent):
    [shared, own] = await layer.remember(agent, [fact("The bike is red."), fact("The bike is old.", "ann")])
    for call in (
        lambda: layer.update(agent, shared, content="stolen", user_id="ann"),
        lambda: layer.retire(agent, [shared], user_id="ann"),
        lambda: layer.restore(agent, [shared], user_id="ann"),
        lambda: layer.merge(agent, [own], shared, user_id="ann"),
        lambda: layer.forget(agent, [own, shared], user_id="ann"),
    ):
        with pytest.raises(InvalidInput, match="shared"):
            await call()
    for call in (lambda: layer.update(agent, own, content="x"), lambda: layer.forget(agent, [own])):
        with pytest.raises(UnknownMemory):
            await call()
    assert await contents(layer, agent, "ann") == {"The bike is red.", "The bike is old."}


async def test_turn_is_unknown_without_its_user(layer, agent):
    [shared] = await layer.remember(agent, [fact("The kettle of the kitchen leaks at the lid.")])
    context = await layer.pre_turn(turn(agent, "ann"))
    for user in (None, "bob"):
        reference = TurnRef(agent, context.turn_id, user)
        for call in (
            lambda reference=reference: layer.post_turn(reference, ANSWER),
            lambda user=user: layer.rate(agent, context.turn_id, shared, useful=True, user_id=user),
            lambda user=user: layer.why(agent, context.turn_id, shared, user_id=user),
            lambda user=user: layer.explain.replay(agent, context.turn_id, user_id=user),
        ):
            with pytest.raises(UnknownTurn, match="user_id of the turn"):
                await call()
    assert internals(layer).journal.count() == 0
    assert (await layer.post_turn(TurnRef(agent, context.turn_id, "ann"), ANSWER)).recorded
    await layer.rate(agent, context.turn_id, shared, useful=True, user_id="ann")


async def test_journaled_outcome_without_its_user_is_set_aside(layer, agent, caplog):
    context = await layer.pre_turn(turn(agent, "ann"))
    journal, outcome = internals(layer).journal, ANSWER.model_dump_json()
    for user in (None, "ann"):
        scope = Scope.of(agent, user)
        journal.put(scope, context.turn_id, outcome=outcome)
        await internals(layer).outcomes.drain(journal.find(scope, context.turn_id))
    [parked] = journal.parked(Scope(agent))
    assert "pass the user_id of the turn" in parked.error
    assert "stays in the journal" in caplog.text
    assert journal.find(Scope(agent, "ann"), context.turn_id) is None
    [row] = await layer.explain.turns(agent, user_id="ann")
    assert row.status == "completed"
    assert journal.erase(Scope(agent)) == 1


# --- export and import ---


async def test_exported_lines_name_their_user(layer, agent):
    await layer.remember(agent, [fact(f"The bike of {user} is red.", user) for user in ("ann", "bob", None)])
    lines = [line async for line in layer.admin.export(agent)]
    users = [json.loads(line)["user_id"] for line in lines if "content" in json.loads(line)]
    assert users == ["ann", "bob", None]
    for user in ("ann", None):
        narrowed = [json.loads(line) async for line in layer.admin.export(agent, user_id=user)]
        assert {line["user_id"] for line in narrowed if "content" in line} == {user}
    copy = f"{agent}-copy"
    await layer.admin.import_lines(copy, lines)
    for user in ("ann", "bob", None, ALL_USERS):
        assert await contents(layer, copy, user) == await contents(layer, agent, user)
    older = [json.dumps({k: v for k, v in json.loads(line).items() if k != "user_id"}) for line in lines]
    await layer.admin.import_lines(f"{agent}-older", older)
    assert len(await contents(layer, f"{agent}-older", None)) == 3


async def test_import_into_a_users_view_refuses_lines_of_others(layer, agent):
    def line(user: str | None) -> str:
        return json.dumps({"form": "cognitive-memory-1", "id": str(UUIDS[user]), "type": "fact", "content": f"{user}."}
                          | ({"user_id": user} if user is not None else {}))  # fmt: skip

    await layer.admin.import_lines(agent, [line(None), line("ann")], user_id="ann")
    assert await contents(layer, agent, None) == set()
    assert await contents(layer, agent, "ann") == {"None.", "ann."}
    with pytest.raises(InvalidInput, match="line 2: user_id: 'bob'"):
        await layer.admin.import_lines(f"{agent}-new", [line("ann"), line("bob")], user_id="ann")
    with pytest.raises(InvalidInput, match=r"line 1.*user_id"):
        await layer.admin.import_lines(f"{agent}-new", [line(" ")])
    assert await contents(layer, f"{agent}-new", ALL_USERS) == set()


UUIDS = {
    None: "00000000-0000-4000-8000-000000000001",
    "ann": "00000000-0000-4000-8000-000000000002",
    "bob": "00000000-0000-4000-8000-000000000003",
    " ": "00000000-0000-4000-8000-000000000004",
}
