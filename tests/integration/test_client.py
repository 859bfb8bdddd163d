"""The client: it has the methods and values of a local layer, and its turns go on without the server."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, ToolCall, Turn, TurnRef
from cognitive.api.admin import AdminApi
from cognitive.api.explain import ExplainApi
from cognitive.api.policies import PoliciesApi
from cognitive.api.sessions import SessionsApi
from cognitive.client import CognitiveClient, NotAllowed
from cognitive.client.namespaces import RemoteAdmin, RemoteExplain, RemotePolicies, RemoteSessions
from cognitive.client.transport import ApiTransport
from cognitive.degradation import Degradation
from cognitive.errors import InvalidInput, StoreUnavailable, UnknownMemory, UnknownTurn
from cognitive.server.config import ServerConfig
from cognitive.wire.context import PreparedTurn, to_prepared_turn, to_turn_context, without_memory
from tests.internals import internals
from tests.serving import running, token_for

CHOSEN = NewMemory(type="decision", content="We chose Postgres over MongoDB for the billing service.")
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
QUESTION = "Which database did we choose for the billing service?"


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    patient = Policy(deadline_ms=10_000)  # these tests do not measure time
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=patient) as layer:
        yield layer


@pytest.fixture(scope="module")
async def served(layer):
    async with running(layer, ServerConfig(port=0)) as (url, _):
        yield url


@pytest.fixture
async def client(served):
    async with CognitiveClient.open(served, pre_turn_seconds=30) as client:
        yield client


@pytest.fixture
async def away():
    async with CognitiveClient.open("http://127.0.0.1:1", attempts=1) as client:
        yield client


OF_THE_SERVER = ("by",)  # the token determines the author


def test_client_methods_match_the_layer():
    """Compare names and parameters. Return types differ for windows and turns."""
    own = {name: method for name, method in vars(CognitiveClient).items() if inspect.iscoroutinefunction(method)}
    for name, method in own.items():
        if not name.startswith("_"):
            ours, theirs = inspect.signature(method), inspect.signature(getattr(CognitiveLayer, name))
            wanted = {name: given for name, given in theirs.parameters.items() if name not in OF_THE_SERVER}
            assert dict(ours.parameters) == wanted, name


NAMESPACES = {
    RemoteSessions: SessionsApi,
    RemotePolicies: PoliciesApi,
    RemoteExplain: ExplainApi,
    RemoteAdmin: AdminApi,
}


@pytest.mark.parametrize("remote", NAMESPACES, ids=lambda remote: remote.__name__)
def test_client_namespaces_match_the_layer(remote):
    """Policies lack `by` and `name`: the token determines the author, and samples are not cached by name."""
    own = {name: method for name, method in vars(remote).items() if inspect.iscoroutinefunction(method)}
    for name, method in own.items():
        if not name.startswith("_"):
            ours, theirs = inspect.signature(method), inspect.signature(getattr(NAMESPACES[remote], name))
            left_out = (*OF_THE_SERVER, "name") if remote is RemotePolicies else ()
            wanted = [each for each in theirs.parameters if each not in left_out]
            assert list(ours.parameters) == wanted, name


async def test_client_and_layer_prepare_the_same_turn(client, layer, agent, now):
    await layer.remember(agent, [CHOSEN, NewMemory(type="fact", content="I am a careful assistant.", pinned=True)])
    search = Tool(name="search", description="Search", parameters={"type": "object", "properties": {}})
    tools = (search, Tool(name="mixer", category=("media", "crypto")))
    conversation = (Message(role="user", content="Hello"), Message(role="assistant", content="Hello."))
    asked = Turn(
        agent_id=agent,
        session_id="s",
        text=QUESTION,
        tools=tools,
        conversation=conversation,
        now=now,
        turn_id="t",
        model="openai/gpt-4o",
        user_id="u",
    )
    here = await client.pre_turn(asked)
    there = await layer.pre_turn(asked)
    assert here.shown
    assert [tool.name for tool in here.tools] == ["search"], "the question is of none of the mixer's categories"
    assert here.prompt("You are.") == there.prompt("You are.")
    for name in (
        "user_message",
        "shown",
        "plan",
        "messages",
        "tools",
        "degraded",
        "now",
        "language_model",
        "user_id",
        "placement",
        "thinking",
        "trim",
    ):
        assert getattr(here, name) == getattr(there, name), name


async def test_turn_through_the_client_records_its_outcome(client, agent):
    (id,) = await client.remember(agent, [CHOSEN])
    context = await client.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION))
    grown = [
        Message(role="user", content=QUESTION),
        Message(role="assistant", tool_calls=(ToolCall(name="ls", id="1"),)),
        Message(role="tool", content="a.txt", tool_call_id="1"),
    ]
    assert len((await client.fit(context, grown, iteration=1)).messages) == 3
    calls = (ToolCall(name="ls", arguments={}, result="a.txt"),)
    report = await client.post_turn(context, Outcome(response="We chose Postgres over MongoDB.", tool_calls=calls))
    assert report.recorded
    assert [each.memory_id for each in report.attributions if each.referenced] == [id]
    assert (await client.post_turn(TurnRef(agent, context.turn_id), Outcome(response="x"))).duplicate
    await client.rate(agent, context.turn_id, id, useful=True)
    assert (await client.why(agent, context.turn_id, id)).used
    assert [result.disposition for result in await client.explain.candidates(agent, context.turn_id)] == ["shown"]
    assert [turn.status for turn in await client.explain.turns(agent)] == ["completed"]
    assert [plan.tools for plan in await client.explain.past_plans(agent)] == [(("ls", 1),)]
    assert [plan.turns for plan in await client.explain.past_plans(agent, QUESTION)] == [1]


@pytest.mark.parametrize("result", [object(), b"\xff", "half \ud83d"], ids=["object", "bytes", "surrogate"])
async def test_outcome_that_json_cannot_express_is_recorded(client, layer, agent, result):
    context = await client.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION))
    calls = [
        ToolCall(name="ls", id="1", arguments={"path": "/srv", "at": result}, result=result),
        ToolCall(name="cat", id="2", result={"lines": ["Postgres"]}),
    ]
    assert (await client.post_turn(context, Outcome(response="It is Postgres.", tool_calls=calls))).recorded
    await internals(layer).background.drain()
    [_, called, _, listed, _] = (await client.resume(agent, "s")).messages
    assert (called.tool_calls[0].arguments["path"], called.tool_calls[1].id) == ("/srv", "2")
    assert listed.content == '{"lines": ["Postgres"]}'


async def test_client_stores_a_conversation_once(client, agent):
    messages = [{"role": "user", "content": "I can't stand the smell of lavender."}]
    stored = await client.remember_conversation(agent, messages, user_id="ada", session_id="c")
    assert (len(stored.lines), len(stored.formed), stored.known) == (1, 1, 0)
    again = await client.remember_conversation(agent, messages, user_id="ada", session_id="c")
    assert (again.lines, again.formed, again.known) == ((), (), 1)
    assert await client.get(agent, list(stored.formed)) == []


async def test_client_manages_memories_and_sessions(client, layer, agent):
    progress_calls = []
    ids = await client.remember(agent, [CHOSEN], progress=lambda done, total: progress_calls.append((done, total)))
    assert progress_calls == [(1, 1)]
    assert await client.get(agent, ids) == await layer.get(agent, ids)
    assert (await client.update(agent, ids[0], pinned=True)).pinned
    assert not (await client.update(agent, ids[0], pinned=False)).pinned
    assert (await client.update(agent, ids[0], metadata={"priority": 3})).metadata == {"priority": 3}
    doubles = await client.remember(agent, [CHOSEN.model_copy(update={"source": "double"})])
    assert (await client.merge(agent, doubles, ids[0]))[0].replaced_by == ids[0]
    assert (await client.restore(agent, doubles))[0].hidden_at is None
    for name in ("duplicates", "contradictions", "stale"):
        assert await getattr(client.upkeep, name)(agent, 5) == await getattr(layer.upkeep, name)(agent, 5)
    assert await client.retire(agent, doubles) == await layer.get(agent, doubles)
    hits = await client.recall(agent, QUESTION, "decision", 3)
    assert [(hit.memory_id, hit.content) for hit in hits] == [(ids[0], CHOSEN.content)]
    context = await client.pre_turn(Turn(agent_id=agent, session_id="s/1", text="Hello", turn_id="t"))
    assert (await client.post_turn(context, Outcome(response="Hello."))).recorded
    assert (await client.resume(agent, "s/1")).recent[0][0] == "t"
    assert await client.resume(agent, "never") is None
    assert await client.sessions.artifacts(agent, "s/1") == ()
    assert await client.end_session(agent, "s/1")
    assert (await client.sessions.clear(agent, "s/1")).sessions == 1
    assert (await client.forget(agent, ids)).memories == 1
    assert (await client.erase_agent(agent)).turns == 1
    assert await client.admin.context_budgets() == layer.admin.context_budgets()


async def test_client_manages_policies(client, layer, agent):
    base = layer.policies.base(agent).version
    saved = await client.policies.save(agent, {"usage.half_life_days": 3}, note="shorter")
    assert saved == await layer.policies.get(agent, saved.version) == await client.policies.get(agent, saved.version)
    assert await client.policies.list(agent) == (saved,)
    assert await client.policies.load(agent, saved.version) == await layer.policies.load(agent, saved.version)

    await client.policies.shadow(agent, saved.version)
    chosen = await client.policies.activate(agent, saved.version, note="it kept more", after=0)
    assert layer.policies.current(agent).version == saved.version
    holds = await client.policies.effective(agent)
    assert (holds.base, holds.live, holds.shadow) == (base, saved.version, saved.version)
    assert (holds.changes, holds.activations["live"]) == ({"usage.half_life_days": 3.0}, chosen)
    assert (chosen.author, chosen.note) == (saved.author, "it kept more")
    for choose in (client.policies.activate(agent, None, after=0), client.policies.roll_back(agent, after=0)):
        with pytest.raises(InvalidInput, match="latest activation of the live policy is 1"):
            await choose
    assert (await client.policies.roll_back(agent)).version is None
    assert layer.policies.current(agent).version == base
    assert await client.policies.history(agent) == await layer.policies.history(agent)
    back = await client.policies.roll_back(agent, "shadow", note="it said enough")
    assert (back.role, back.version, back.note) == ("shadow", None, "it said enough")
    assert len(await client.policies.history(agent, "shadow")) == 2


async def test_client_computes_what_if_and_shadow_agreement(client, layer, agent):
    await client.remember(agent, [CHOSEN])
    context = await client.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION, now=NOW))
    await client.post_turn(context, Outcome(response=CHOSEN.content))
    nothing, period = (
        dict.fromkeys(("limits.default", "limits.hinted_type", "limits.other_types"), 0),
        (NOW - timedelta(days=1), NOW + timedelta(days=1)),
    )

    asked = await client.policies.what_if(agent, nothing, *period)
    assert (asked.turns, asked.left, asked.used, asked.kept) == (1, 1, 1, 0)
    assert asked == await layer.policies.what_if(agent, nothing, *period)
    assert (await client.policies.what_if(agent, nothing, period[0], NOW)).turns == 0, "the period ends before the turn"
    assert await client.policies.shadow_agreement(agent, layer.policies.current(agent).version) is None
    with pytest.raises(InvalidInput, match="deadline_ms: cannot be changed"):
        await client.policies.what_if(agent, {"deadline_ms": 1}, *period)


async def test_client_returns_the_revisions_of_a_memory(client, layer, agent):
    [id] = await client.remember(agent, [CHOSEN])
    await client.update(agent, id, content="We chose MongoDB after all.")
    [changed] = await client.admin.revisions(agent, id)
    assert changed.previous["content"] == CHOSEN.content
    assert [changed] == await layer.admin.revisions(agent, id)


async def test_client_splits_large_batches_of_memories(client, agent):
    many = [NewMemory(type="fact", content=f"Fact {n} " + "x" * 60_000) for n in range(20)]
    ids = await client.remember(agent, many)
    assert len(set(ids)) == 20
    assert [memory.content for memory in await client.get(agent, ids)] == [memory.content for memory in many]


async def test_client_raises_the_same_errors_as_the_layer(client, agent):
    with pytest.raises(UnknownMemory, match="memory"):
        await client.update(agent, uuid4(), pinned=True)
    with pytest.raises(InvalidInput, match="never"):
        await client.why(agent, "never", uuid4())
    with pytest.raises(InvalidInput, match="limit"):
        await client.recall(agent, "x", limit=1000)
    with pytest.raises(InvalidInput, match="tags: expected a list"):
        await client.recall(agent, "x", tags="billing")
    with pytest.raises(InvalidInput, match="no artifact"):
        await client.artifact(agent, uuid4())
    with pytest.raises(InvalidInput, match="no artifact"):
        await client.sessions.search_artifact(agent, uuid4(), "x")


async def test_client_searches_for_a_long_text(client, agent):
    await client.remember(agent, [CHOSEN])
    [hit] = await client.recall(agent, f"{QUESTION} {'It must be durable. ' * 100}")
    assert hit.content == CHOSEN.content
    assert await client.explain.past_plans(agent, f"{QUESTION} {'It must be durable. ' * 100}") == ()


async def test_foreign_token_fails_a_recall_but_only_degrades_a_turn(layer, tmp_path, agent):
    file = tmp_path / "tokens.toml"
    token = token_for(file, "another")["Authorization"].removeprefix("Bearer ")
    async with (
        running(layer, ServerConfig(port=0, tokens=file)) as (url, _),
        CognitiveClient.open(url, token=token) as client,
    ):
        with pytest.raises(NotAllowed):
            await client.recall(agent, "x")
        context = await client.pre_turn(Turn(agent_id=agent, session_id="s", text="Hello"))
    assert "NotAllowed" in context.degraded[0]


async def test_outcome_of_a_turn_with_a_used_id_is_not_that_of_the_first(client, agent):
    first, second = [
        await client.pre_turn(Turn(agent_id=agent, session_id="s", text=text, turn_id="t"))
        for text in ("Hello, which tea is left?", "Tell me about penguins.")
    ]
    assert "opened with another text" in second.degraded[0]
    assert not (await client.post_turn(second, Outcome(response="They cannot fly."))).recorded
    assert not (await client.post_turn(first, Outcome(response="The green one."))).duplicate


async def test_turn_is_degraded_when_the_server_is_unreachable(away, agent):
    tools = (Tool(name="search", parameters={"type": "object"}),)
    conversation = (Message(role="user", content="Hello"), Message(role="assistant", content="Hello."))
    turn = Turn(
        agent_id=agent, session_id="s", text=QUESTION, tools=tools, conversation=conversation, model="openai/gpt-4o"
    )
    context = await away.pre_turn(turn)
    assert [message.content for message in context.prompt("You are.")] == ["You are.", "Hello", "Hello.", QUESTION]
    assert [tool.name for tool in context.tools] == ["search"]
    assert "cannot be reached" in context.degraded[0]
    for asked in (away.recall(agent, "x"), away.post_turn(context, Outcome(response="x"))):
        with pytest.raises(StoreUnavailable, match=r"the server http://\S+ cannot be reached"):
            await asked
    with pytest.raises(InvalidInput, match=r"url: '127.0.0.1:8792' has no http:// or https://; write http://127"):
        async with CognitiveClient.open("127.0.0.1:8792"):
            pass


async def test_outcome_of_a_turn_unknown_to_the_server_is_not_recorded(away, client, agent):
    context = await away.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION))
    report = await client.post_turn(context, Outcome(response="x"))
    assert not report.recorded
    with pytest.raises(UnknownTurn, match="no turn"):
        await client.post_turn(TurnRef(agent, context.turn_id), Outcome(response="x"))


def answering(*answers):
    """Return a client of a server that gives these responses in order, and the responses not yet used."""
    unused = list(answers)
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda request: unused.pop(0)), base_url="http://localhost")
    return CognitiveClient(ApiTransport(http, 5, attempts=3), 5), unused


async def test_client_retries_busy_responses_up_to_its_limit(agent):
    busy = httpx.Response(503, headers={"Retry-After": "0"})
    found = httpx.Response(200, json={"memories": [], "more": 0})
    client, unused = answering(busy, httpx.Response(400), found)
    with pytest.raises(InvalidInput):
        await client.recall(agent, "x")
    assert len(unused) == 1, "a status that may be permanent is not retried"
    client, unused = answering(busy, httpx.Response(429, headers={"Retry-After": "0"}), found)
    assert await client.recall(agent, "x") == ()
    client, unused = answering(busy, busy, busy, busy)
    with pytest.raises(StoreUnavailable):
        await client.recall(agent, "x")
    assert len(unused) == 1
    client, unused = answering(busy, busy)
    with pytest.raises(StoreUnavailable):
        await client.policies.roll_back(agent)
    assert len(unused) == 1, "a second rollback would undo the first"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, content=b"<html>"),
        httpx.Response(200, json={"a": 1}),
        httpx.Response(502, content=b"Bad"),
        httpx.Response(404, content=b"{", headers={"Content-Type": "application/problem+json"}),
    ],
)
async def test_turn_is_degraded_by_an_invalid_response(agent, answer):
    client, _ = answering(answer)
    assert (await client.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION))).degraded


async def test_degraded_turn_without_codes_is_decoded(agent):
    turn = Turn(agent_id=agent, session_id="s", text=QUESTION)
    sent = to_prepared_turn(without_memory(turn, "t", NOW, Degradation("record_late", "not in time")))
    body = {
        name: value
        for name, value in TypeAdapter(PreparedTurn).dump_python(sent, mode="json").items()
        if name != "degraded_codes"
    }
    client, _ = answering(httpx.Response(200, json=body))
    context = await client.pre_turn(turn)
    assert context.turn_id == "t"
    assert [(each, each.code) for each in context.degraded] == [("record: not in time", "record_failed")]


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=50))
def test_any_text_survives_serialization_of_a_turn(text):
    turn = Turn(agent_id="a", session_id="s", text=text, conversation=(Message(role="user", content=text or "x"),))
    context, adapter = without_memory(turn, "t", NOW, Degradation("server_failed", text)), TypeAdapter(PreparedTurn)
    crossed = to_turn_context(adapter.validate_json(adapter.dump_json(to_prepared_turn(context))))
    assert crossed == context
    assert [each.code for each in crossed.degraded] == ["server_failed"]


@pytest.mark.parametrize("name", [".", "..", "../..", "a/.."])
async def test_a_name_of_dots_is_no_way_to_another_resource(layer, client, agent, name):
    memories = [NewMemory(type="fact", content="The office is in Berlin."), CHOSEN.model_copy(update={"user_id": name})]
    [shared, _] = await layer.remember(agent, memories)
    turn = Turn(agent_id=agent, session_id=name, turn_id=name, text=QUESTION, user_id=name)
    await client.post_turn(await client.pre_turn(turn), Outcome(response="Postgres."))
    resumed = await client.resume(agent, name, user_id=name)
    assert resumed is not None
    assert resumed.session_id == name
    await client.sessions.clear(agent, name, user_id=name)
    assert (await client.forget_user(agent, name)).user_id == name
    assert [each.id for each in await layer.get(agent, [shared])] == [shared]
