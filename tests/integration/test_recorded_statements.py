"""The recorded statements of turns, outcomes and recalls: one machine of a cluster can run each of them."""

from __future__ import annotations

import re
from collections import Counter

import asyncpg
import pytest

from benchmarks.chaos.sample_data import WordEmbedder
from brain import statements
from brain.postgres.distribute import FUNCTIONS_OF_AGENT
from brain.postgres.transaction import beginning
from brain.users import Scope
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Turn
from tests.internals import internals
from tests.unit.test_statements import PORTS, TABLE, WRITES, bare, unrestricted_joins

POLICY = Policy(deadline_ms=20_000, deadlines={"post_turn_ms": 20_000}, capture="exchange", abstention=False)
CALLS = re.compile(r"\bcognitive\.(\w+)\(")
SETS = re.compile(r"\bSET LOCAL ([\w.]+)")
FACT = "The kettle in the boat house leaks."


class Recording:
    """The statements of each connection of a layer, in the order in which they were sent."""

    def __init__(self, layer: CognitiveLayer) -> None:
        self.by_connection: list[list[str]] = []
        for holder in internals(layer).database._pool._holders:
            sent: list[str] = []
            holder._con.add_query_logger(lambda query, sent=sent: sent.append(query.query))
            self.by_connection.append(sent)

    @property
    def statements(self) -> list[str]:
        return sorted({bare(each) for sent in self.by_connection for each in sent})

    @property
    def names(self) -> set[str]:
        """The names of the recorded statements that stand in files."""
        named = {bare(each.sql): each.name for port in PORTS for each in statements.load(port).values()}
        return {named[each] for each in self.statements if each in named}

    def transactions(self) -> list[str]:
        """Return the text of each transaction, from its BEGIN on."""
        return [part for sent in self.by_connection for part in bare(" ".join(sent)).split("BEGIN ")[1:]]


@pytest.fixture
async def recording(urls, agent, monkeypatch) -> Recording:
    """Record turns with and without a user, with outcomes, repeated outcomes, ratings and recalls."""
    monkeypatch.setenv("COGNITIVE_POOL_SIZE", "3")  # all of them are open from the beginning
    monkeypatch.setenv("COGNITIVE_CLUSTER", "citus")  # one server is sent several writes as one statement
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=WordEmbedder()) as layer:
        recording = Recording(layer)
        for user in (None, "ann"):
            await layer.remember(agent, [NewMemory(type="fact", content=f"{FACT} ({user})", user_id=user)])
            for n in range(3):
                await one_turn(layer, agent, user, f"Which kettle leaks in the boat house? ({n})")
            await layer.recall(agent, "kettle", user_id=user)
    return recording


async def one_turn(layer: CognitiveLayer, agent: str, user: str | None, text: str) -> None:
    conversation = [Message(role="user", content="Hello."), Message(role="assistant", content="Hello. What is it?")]
    turn = Turn(agent_id=agent, session_id="s", user_id=user, text=text, conversation=conversation)
    context = await layer.pre_turn(turn)
    assert context.degraded == ()
    await layer.recall(agent, "boat house", turn_id=context.turn_id, user_id=user)
    outcome = Outcome(response=FACT)
    assert (await layer.post_turn(context, outcome)).recorded
    assert (await layer.post_turn(context, outcome)).duplicate
    await layer.rate(agent, context.turn_id, context.shown[0].memory_id, useful=True, user_id=user)


@pytest.fixture
async def functions(urls) -> dict[str, str]:
    """Return the bodies of the schema's functions by name."""
    connection = await asyncpg.connect(urls.owner)
    rows = await connection.fetch(
        "SELECT proname, coalesce(pg_get_function_sqlbody(oid), prosrc) AS body FROM pg_proc"
        " WHERE pronamespace = 'cognitive'::regnamespace"
    )
    await connection.close()
    return {row["proname"]: row["body"] for row in rows}


def reading(functions: dict[str, str], tables: set[str]) -> set[str]:
    """Return the functions that read or write a table themselves."""
    return {name for name, body in functions.items() if tables & set(re.findall(r"\bcognitive\.(\w+)\b(?!\()", body))}


async def tables_of(urls) -> set[str]:
    connection = await asyncpg.connect(urls.owner)
    rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive'")
    await connection.close()
    return {row["tablename"] for row in rows}


async def test_statements_of_a_turn_write_one_table_each(recording):
    assert recording.names >= {"open_turn", "close_turn", "rate", "add_to_counts", "facts", "expose_recalled", "keep"}
    assert [each for each in recording.statements if len(set(WRITES.findall(each))) > 1] == []


async def test_statements_of_a_turn_join_tables_of_the_same_agent(recording):
    assert sum(" JOIN " in each for each in recording.statements) > 5
    assert [each for each in recording.statements if unrestricted_joins(each)] == []


async def test_functions_of_a_turn_that_read_tables_are_registered(recording, functions, urls):
    called = {name for each in recording.statements for name in CALLS.findall(each)}
    for _ in functions:  # functions call functions
        called |= {inner for name in called for inner in CALLS.findall(functions[name])}
    assert called >= {"scope", "scopes", "decay", "open_turn", "close_turn", "rate_memory", "add_to_counts"}
    assert called & reading(functions, await tables_of(urls)) <= set(FUNCTIONS_OF_AGENT)


async def test_statements_of_functions_concern_one_agent_and_write_one_table(functions, urls):
    """Each of them is a statement of its own for the coordinator, which finds the machine by the agent."""
    assert reading(functions, await tables_of(urls)) == set(FUNCTIONS_OF_AGENT)
    for name in FUNCTIONS_OF_AGENT:
        body = re.sub(r"\$\d", "agent", bare(functions[name]))
        assert not body.startswith("RETURN"), f"{name}: a shard cannot run such a body"
        for each in body.split(";"):
            assert len(set(WRITES.findall(each))) <= 1, each
            touched = re.findall(rf"\b(?:FROM|JOIN) {TABLE}|(?<!DO )\bUPDATE {TABLE}", each)
            restricted = re.findall(rf"\bagent_id = (?:{name}\.agent_id|agent)\b", each)
            assert len(restricted) >= len(touched), each
            if inserted := re.search(
                rf"\bINSERT INTO {TABLE}(?: AS \w+)? \(agent_id, .*?\) (?:VALUES \(|SELECT )(\S+),", each
            ):
                assert inserted[1] in {f"{name}.agent_id", "t.agent_id"}, each


async def test_transactions_of_a_turn_send_each_setting_once(recording):
    transactions = recording.transactions()
    assert len(transactions) > 20
    for each in transactions:
        assert max(Counter(SETS.findall(each)).values()) == 1, each


def test_one_setting_follows_the_command_that_hands_settings_on():
    """Citus hands on the whole text for each setting that follows."""
    begin = beginning(Scope("ada", "ann"), 1, role="cognitive_app", clustered=True)
    before, _, after = begin.partition("citus.propagate_set_commands TO 'local'")
    assert SETS.findall(after) == ["cognitive.agent_id"]
    assert {"cognitive.user_id", "ROLE", "citus.allow_nested_distributed_execution"} <= set(SETS.findall(before))


async def test_turns_do_not_ask_for_types(recording):
    assert [each for each in recording.statements if "typeinfo" in each or "pg_type" in each] == []
