"""A memory has one state: visible, or hidden since a time and for a reason. Every step can be undone but erasure."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from brain.memory_rows import SQL
from brain.states import MemoryStates
from brain.users import Scope
from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Policy, Turn
from cognitive.errors import InvalidInput, UnknownMemory
from tests.internals import internals

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
PATIENT = Policy(deadline_ms=10_000, abstention=False, deadlines={"recall_ms": 10_000})


@pytest.fixture
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=PATIENT, embedder=embedder) as layer:
        yield layer


def hour(n: int) -> datetime:
    return AT + timedelta(hours=n)


def fact(content: str, **fields) -> NewMemory:
    return NewMemory(type="fact", content=content, **{"occurred_at": AT, **fields})


async def states(layer, agent, ids) -> list[tuple]:
    return [(each.hidden_at, each.hidden_reason, each.replaced_by) for each in await layer.get(agent, ids)]


async def recalled(layer, agent, query="gate code", **arguments) -> list[UUID]:
    return [hit.memory_id for hit in await layer.recall(agent, query, limit=200, **arguments)]


async def shown(layer, agent, text="What is the gate code?") -> list[UUID]:
    context = await layer.pre_turn(Turn(agent_id=agent, session_id=str(uuid4()), text=text))
    return [each.memory_id for each in context.shown]


# --- each step alone ---


async def test_retired_memory_is_in_no_turn_or_search_until_restored(layer, agent):
    ids = await layer.remember(agent, [fact("The gate code is 4711."), fact("The gate code is kept by Ines.")])
    before = datetime.now(UTC)
    [retired] = await layer.retire(agent, ids[:1])
    assert before <= retired.hidden_at <= datetime.now(UTC)
    assert (retired.hidden_reason, retired.replaced_by) == ("retired", None)
    assert await recalled(layer, agent) == await shown(layer, agent) == ids[1:]

    [restored] = await layer.restore(agent, ids[:1])
    assert (restored.hidden_at, restored.hidden_reason) == (None, None)
    assert sorted(await recalled(layer, agent)) == sorted(await shown(layer, agent)) == sorted(ids)


async def test_merged_memories_name_the_one_that_is_kept(layer, agent):
    kept, *doubles = await layer.remember(
        agent, [fact("The gate code is 4711."), fact("Gate code: 4711."), fact("4711 is the gate code.")]
    )
    merged = await layer.merge(agent, doubles, kept)
    assert [(each.id, each.hidden_reason, each.replaced_by) for each in merged] == [
        (id, "merged", kept) for id in doubles
    ]
    assert await recalled(layer, agent) == await shown(layer, agent) == [kept]
    await layer.restore(agent, doubles)
    assert len(await recalled(layer, agent)) == 3


async def test_expired_memory_is_hidden_from_its_expiry_on(layer, agent):
    soon = datetime.now(UTC) + timedelta(hours=1)
    [id] = await layer.remember(agent, [fact("The gate code is 4711.", expires_at=soon)])
    assert await states(layer, agent, [id]) == [(soon, "expired", None)]
    assert await recalled(layer, agent) == await shown(layer, agent) == [id]
    assert await recalled(layer, agent, now=soon) == []
    assert (await layer.update(agent, id, expires_at=None)).hidden_at is None
    assert await recalled(layer, agent, now=soon) == [id]


async def test_superseded_memory_is_hidden_from_the_time_of_its_replacement(layer, agent):
    [old] = await layer.remember(agent, [fact("The gate code is 4711.")])
    [new] = await layer.remember(agent, [fact("The gate code is 4822.", occurred_at=hour(5), supersedes=old)])
    assert await states(layer, agent, [old]) == [(hour(5), "superseded", new)]
    hits = {hit.memory_id: hit for hit in await layer.recall(agent, "gate code")}
    assert (hits[old].hidden_reason, hits[old].hidden_at, hits[old].replaced_by) == ("superseded", hour(5), new)
    assert hits[new].hidden_reason is None
    await layer.update(agent, new, occurred_at=hour(7))
    assert await states(layer, agent, [old]) == [(hour(7), "superseded", new)]
    await layer.restore(agent, [old])
    assert await states(layer, agent, [old]) == [(None, None, None)]
    assert (await layer.get(agent, [new]))[0].supersedes is None


async def test_superseded_memory_stays_hidden_when_its_earlier_expiry_is_removed(layer, agent):
    [old] = await layer.remember(agent, [fact("The gate code is 4711.")])
    [new] = await layer.remember(agent, [fact("The gate code is 4822.", occurred_at=hour(5), supersedes=old)])
    await layer.update(agent, old, expires_at=hour(3))
    assert await states(layer, agent, [old]) == [(hour(3), "expired", new)]
    for expires_at in (hour(6), hour(4), None):
        await layer.update(agent, old, expires_at=expires_at)
        expected = (hour(4), "expired", new) if expires_at == hour(4) else (hour(5), "superseded", new)
        assert await states(layer, agent, [old]) == [expected]


async def test_memory_stays_visible_until_its_announced_replacement(layer, agent):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    [old] = await layer.remember(agent, [fact("The gate code is 4711.")])
    await layer.remember(agent, [fact("The gate code is 4822.", occurred_at=tomorrow, supersedes=old)])
    assert old in await shown(layer, agent)
    assert {hit.hidden_reason for hit in await layer.recall(agent, "gate code 4711")} == {None}
    [_, last] = await layer.recall(agent, "gate code 4711", now=tomorrow)
    assert (last.memory_id, last.hidden_reason) == (old, "superseded")


async def test_memory_of_an_erased_replacement_stays_hidden(layer, agent):
    [old] = await layer.remember(agent, [fact("The gate code is 4711.")])
    [new] = await layer.remember(agent, [fact("Nobody may use the gate.", occurred_at=hour(5), supersedes=old)])
    await layer.forget(agent, [new])
    assert await states(layer, agent, [old]) == [(hour(5), "superseded", None)]
    assert await shown(layer, agent) == []


async def test_pinned_memory_leaves_the_prefix_when_it_is_hidden(layer, agent):
    [id] = await layer.remember(agent, [fact("Always answer in French.", pinned=True)])
    turn = Turn(agent_id=agent, session_id="s", text="Hello, what is the gate code?")
    assert "French" in (await layer.pre_turn(turn)).prefix
    await layer.retire(agent, [id])
    assert (await layer.pre_turn(turn)).prefix == ""


async def test_why_says_that_a_memory_is_hidden(layer, agent):
    [id] = await layer.remember(agent, [fact("The gate code is 4711.")])
    await layer.retire(agent, [id])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="What is the gate code?"))
    explained = await layer.why(agent, context.turn_id, id)
    assert explained.summary.startswith("Not shown: it is hidden since")
    assert explained.summary.endswith(": retired.")


# --- bad input changes nothing ---


async def test_hiding_needs_visible_memories_of_one_type(layer, agent):
    a, b = await layer.remember(agent, [fact("The gate code is 4711."), fact("The gate is green.")])
    [episode] = await layer.remember(agent, [NewMemory(type="episode", content="Ines opened the gate.")])
    [gone] = await layer.remember(agent, [fact("The gate is shut.")])
    await layer.retire(agent, [gone])
    before = await states(layer, agent, [a, b, episode, gone])
    for call, message in (
        (layer.retire(agent, [a, gone]), "hidden since .* retired; `restore` shows it again"),
        (layer.merge(agent, [a, gone], b), "hidden since"),
        (layer.merge(agent, [a], gone), "into: .* hidden since"),
        (layer.merge(agent, [episode], a), f"memory {episode} is a episode, and {a} is a fact"),
        (layer.merge(agent, [a, b], a), "into itself"),
        (layer.restore(agent, [gone, a]), f"memory {a} is not hidden"),
        (layer.retire(agent, [a], by="agent"), "trust"),
        (layer.restore(agent, [gone], by="talk"), "trust"),
        (layer.merge(agent, [a], b, by="agent"), "trust"),
    ):
        with pytest.raises(InvalidInput, match=message):
            await call
    for call in (layer.retire(agent, [a, uuid4()]), layer.restore(agent, [uuid4()]), layer.merge(agent, [a], uuid4())):
        with pytest.raises(UnknownMemory):
            await call
    assert await states(layer, agent, [a, b, episode, gone]) == before


async def test_hidden_memory_of_one_user_keeps_those_of_others_visible(layer, agent):
    ids = [
        (await layer.remember(agent, [NewMemory(type="fact", content=f"{user} rows.", user_id=user)]))[0]
        for user in ("ada", "ben")
    ]
    await layer.retire(agent, ids[1:], user_id="ben")
    with pytest.raises(InvalidInput, match="hidden since"):
        await layer.retire(agent, ids, user_id=ALL_USERS)
    with pytest.raises(InvalidInput, match="is not hidden"):
        await layer.restore(agent, ids[::-1], user_id=ALL_USERS)
    found = await layer.admin.find(agent, {"type": {"eq": "fact"}}, user_id=ALL_USERS)
    assert {each.user_id: each.hidden_reason for each in found} == {"ada": None, "ben": "retired"}


async def test_formed_memory_and_its_line_are_hidden_and_shown_in_any_batches(layer, agent, monkeypatch):
    monkeypatch.setattr("cognitive.api.memories.BATCH", 1)
    line = NewMemory(type="episode", content="I work at the mill.", source="t1/user", speaker="user", user_id="ada")
    formed = NewMemory(**{**vars(line), "type": "fact", "tags": ("formed",), "attributes": {"formed_by": "fact/1"}})
    ids = await layer.remember(agent, [formed, line, NewMemory(type="fact", content="Ben left.", user_id="ben")])
    for change, reason in ((layer.retire, "retired"), (layer.restore, None)):
        assert {each.hidden_reason for each in await change(agent, ids, user_id=ALL_USERS)} == {reason}


async def test_memory_of_another_agent_cannot_be_hidden_or_shown(layer, agent):
    [id] = await layer.remember(f"{agent}-other", [fact("The gate code is 4711.")])
    [own] = await layer.remember(agent, [fact("The gate is green.")])
    for call in (layer.retire(agent, [id]), layer.restore(agent, [id]), layer.merge(agent, [own], id)):
        with pytest.raises(UnknownMemory):
            await call


async def test_memory_must_expire_after_it_occurred(layer, agent):
    for fields in ({"occurred_at": AT, "expires_at": AT}, {"occurred_at": None, "expires_at": AT}):
        with pytest.raises(InvalidInput, match="expires_at"):
            await layer.remember(agent, [fact("The gate is open."), fact("The gate is shut.", **fields)])
    [id] = await layer.remember(agent, [fact("The gate is green.", expires_at=hour(2))])
    for change in ({"occurred_at": hour(3)}, {"expires_at": hour(-1)}):
        with pytest.raises(InvalidInput, match="expires_at"):
            await layer.update(agent, id, **change)
    assert len(await layer.admin.find(agent)) == 1


# --- any sequence of steps ---


@dataclass(frozen=True)
class Expected:
    """What a memory's state should be. `hidden` is what hides it besides its expiry: time, reason, replacement.

    An expiry that comes earlier keeps only a replacement in `hidden`.
    """

    occurred_at: int
    expires_at: int | None = None
    hidden: tuple[int, str, int | None] | None = None

    def state(self) -> tuple[int, str, int | None] | None:
        by = self.hidden[2] if self.hidden is not None else None
        expiry = None if self.expires_at is None else (self.expires_at, "expired", by)
        both = [each for each in (self.hidden, expiry) if each is not None]
        return min(both, key=lambda each: each[0]) if both else None

    def hidden_at(self, hour: int) -> bool:
        return (state := self.state()) is not None and state[0] <= hour

    def hide(self, at: int, reason: str, by: int | None = None) -> Expected:
        state = self.state()
        return self if state is not None and state[0] < at else replace(self, hidden=(at, reason, by))

    def without_lost(self) -> Expected:
        expired = (state := self.state()) is not None and state[1] == "expired"
        kept = self.hidden is not None and self.hidden[1] == "superseded" and self.hidden[2] is not None
        return replace(self, hidden=None) if expired and not kept else self

    def restored(self, now: int) -> Expected:
        kept = self.expires_at if self.expires_at is not None and self.expires_at > now else None
        return replace(self, hidden=None, expires_at=kept)


MEMORIES = st.integers(0, 4)
LASTS = st.none() | st.integers(1, 30)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("supersede"), st.integers(1, 40), MEMORIES),
        st.tuples(st.just("supersede"), st.integers(1, 40), MEMORIES),
        st.tuples(st.just("retire"), MEMORIES),
        st.tuples(st.just("restore"), MEMORIES),
        st.tuples(st.just("merge"), MEMORIES, MEMORIES),
        st.tuples(st.just("expire"), MEMORIES, LASTS),
        st.tuples(st.just("erase"), MEMORIES),
    ),
    min_size=6,
    max_size=14,
)


class Run:
    """A store and the expected states of its memories, changed by the same steps; each step takes an hour."""

    def __init__(self, layer: CognitiveLayer, agent: str) -> None:
        self.layer, self.agent, self.now = layer, agent, 20
        self.states = MemoryStates(internals(layer).database)
        self.ids: list[UUID] = []
        self.expected: dict[int, Expected] = {}

    async def apply(self, name: str, *arguments) -> None:
        if name in ("store", "supersede") or arguments[0] in self.expected:
            await getattr(self, f"_{name}")(*arguments)
        self.now += 1

    async def _store(self, at: int, lasts: int | None, supersedes: int | None = None) -> None:
        expires = None if lasts is None else at + lasts
        memory = fact(
            f"Berth {len(self.ids)} has the gate code.",
            occurred_at=hour(at),
            expires_at=None if expires is None else hour(expires),
            supersedes=None if supersedes is None else self.ids[supersedes],
        )
        self.expected[len(self.ids)] = Expected(at, expires)
        self.ids += await self.layer.remember(self.agent, [memory])

    async def _supersede(self, at: int, old: int) -> None:
        if old in self.expected:
            await self._store(at, None, old)
            self.expected[old] = self.expected[old].hide(at, "superseded", len(self.ids) - 1)

    async def _retire(self, n: int) -> None:
        await self._refused_or(
            self.expected[n].hidden_at(self.now),
            self.states.retire(Scope(self.agent), [self.ids[n]], by="host", now=hour(self.now)),
            {n: self.expected[n].hide(self.now, "retired")},
        )

    async def _merge(self, n: int, into: int) -> None:
        if into in self.expected:
            await self._refused_or(
                n == into or any(self.expected[each].hidden_at(self.now) for each in (n, into)),
                self.states.merge(Scope(self.agent), [self.ids[n]], self.ids[into], by="host", now=hour(self.now)),
                {n: self.expected[n].hide(self.now, "merged", into)},
            )

    async def _restore(self, n: int) -> None:
        state = self.expected[n].state()
        await self._refused_or(
            state is None or (state[1] == "expired" and state[0] > self.now),
            self.states.restore(Scope(self.agent), [self.ids[n]], by="host", now=hour(self.now)),
            {n: self.expected[n].restored(self.now)},
        )

    async def _expire(self, n: int, lasts: int | None) -> None:
        old = self.expected[n]
        expires = None if lasts is None else old.occurred_at + lasts
        await self.layer.update(self.agent, self.ids[n], expires_at=None if expires is None else hour(expires))
        self.expected[n] = replace(old, expires_at=expires).without_lost()

    async def _erase(self, n: int) -> None:
        await self.layer.forget(self.agent, [self.ids[n]])
        del self.expected[n]
        for each, expected in self.expected.items():
            if expected.hidden is not None and expected.hidden[2] == n:
                self.expected[each] = replace(expected, hidden=(*expected.hidden[:2], None)).without_lost()

    async def _refused_or(self, refused: bool, call, changed: dict[int, Expected]) -> None:
        if refused:
            with pytest.raises(InvalidInput):
                await call
        else:
            await call
            self.expected |= changed

    async def check(self) -> None:
        known = list(self.expected)
        found = await states(self.layer, self.agent, [self.ids[n] for n in known])
        for n, (hidden_at, reason, replaced_by) in zip(known, found, strict=True):
            state = self.expected[n].state()
            wanted = (None, None, None) if state is None else (hour(state[0]), state[1], state[2])
            assert (hidden_at, reason) == wanted[:2], n
            assert replaced_by == (None if wanted[2] is None else self.ids[wanted[2]]), n

    async def check_history(self) -> None:
        """Compare what was visible at each hour with what a search as of this hour finds."""
        for at in range(8, 45, 4):
            visible = {
                self.ids[n]
                for n, expected in self.expected.items()
                if expected.occurred_at <= at and not expected.hidden_at(at)
            }
            assert set(await recalled(self.layer, self.agent, as_of=hour(at))) == visible, at


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lasts=st.tuples(LASTS, LASTS, LASTS), steps=STEPS)
@example(lasts=(None, None, None), steps=[("supersede", 35, 0), ("expire", 0, 5), ("expire", 0, None)])
async def test_any_sequence_of_steps_leaves_one_expected_state(layer, lasts, steps):
    run = Run(layer, f"state-{uuid4()}")
    for each in lasts:
        await run.apply("store", 10, each)
    for step in steps:
        await run.apply(*step)
        await run.check()
    await run.check_history()


# --- older databases ---


async def test_upgrade_dates_memories_that_were_superseded(urls):
    """Check the state that migration 0102 gives to memories superseded before it."""
    from brain.postgres.migrate import upgrade
    from tests.faults.test_upgrade import database_of

    async with database_of(urls) as database:
        await upgrade(database.owner, to="0101")
        connection = await asyncpg.connect(database.admin)
        old, new, lost = uuid4(), uuid4(), uuid4()
        for n, (id, replaced) in enumerate(((old, new), (new, None), (lost, uuid4()))):
            await connection.execute(
                "INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, occurred_at, superseded_by,"
                " updated_at) VALUES ('a', $1, $2, $3, 'fact', 'x', $4, $5, $6)",
                id,
                n,
                id.bytes,
                hour(n),
                replaced,
                hour(9),
            )
        await upgrade(database.owner)
        rows = await connection.fetch("SELECT id, hidden_at, hidden_reason, replaced_by FROM cognitive.memory")
        found = {row["id"]: tuple(row)[1:] for row in rows}
        assert found[old] == (hour(1), "superseded", new)
        assert found[new] == (None, None, None)
        assert found[lost][:2] == (hour(9), "superseded")
        await connection.close()


@pytest.mark.parametrize(
    ("statement", "indexes"),
    [
        (SQL.clear_pointers, {"memory_supersedes", "memory_replaced_by"}),
        (SQL.forget_replaced, {"memory_supersedes"}),
        (SQL.move_superseded.fill(key="replaced_by"), {"memory_replaced_by"}),
    ],
)
async def test_links_of_a_memory_are_found_by_indexes(urls, agent, statement, indexes):
    connection = await asyncpg.connect(urls.admin, server_settings={"plan_cache_mode": "force_generic_plan"})
    await connection.execute(
        "INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, occurred_at, supersedes,"
        f" replaced_by) SELECT '{agent}', gen_random_uuid(), n, int4send(n), 'fact', 'x', now(), other, other"
        " FROM generate_series(1, 5000) AS n"
        " CROSS JOIN LATERAL (SELECT CASE WHEN n % 50 = 0 THEN gen_random_uuid() END) AS linked(other)"
    )
    await connection.execute("ANALYZE cognitive.memory")
    await connection.execute(f"PREPARE links AS {statement.sql}")
    rows = await connection.fetch(f"EXPLAIN EXECUTE links ('{agent}', NULL)")
    await connection.close()
    assert {
        name for name in ("memory_supersedes", "memory_replaced_by") if any(name in row[0] for row in rows)
    } == indexes


async def test_import_dates_superseded_memories_of_an_older_export(layer, agent):
    old, new = uuid4(), uuid4()
    common = {"form": "cognitive-memory-2", "type": "fact", "created_at": hour(8), "updated_at": hour(9)}
    lines = [
        {**common, "id": old, "content": "The gate code is 4711.", "occurred_at": hour(0), "superseded_by": new},
        {**common, "id": new, "content": "The gate code is 4822.", "occurred_at": hour(5), "supersedes": old},
    ]
    await layer.admin.import_lines(agent, [json.dumps(line, default=str) for line in lines])
    assert await states(layer, agent, [old, new]) == [(hour(5), "superseded", new), (None, None, None)]


async def test_imported_memory_with_an_expiry_alone_expires(layer, agent):
    id = uuid4()
    line = {
        "form": "cognitive-memory-3",
        "type": "fact",
        "id": id,
        "content": "The gate is open.",
        "occurred_at": hour(0),
    }
    line |= {"created_at": hour(8), "updated_at": hour(9), "expires_at": hour(2)}
    await layer.admin.import_lines(agent, [json.dumps(line, default=str)])
    assert await states(layer, agent, [id]) == [(hour(2), "expired", None)]
    assert await layer.recall(agent, "Is the gate open?") == ()


async def test_hidden_neighbours_of_a_memory_are_not_shown(layer, agent):
    said = ["I moved to Berlin.", "The secret word is ratchet.", "Berlin is cold in winter.", "The other is flange."]
    lines = [
        NewMemory(type="episode", content=each, session_id="s", occurred_at=hour(n)) for n, each in enumerate(said)
    ]
    ids = await layer.remember(agent, lines)
    await layer.retire(agent, [ids[1], ids[3]])
    hits = await layer.recall(agent, "Where did I move, and is Berlin cold?")
    assert {hit.memory_id for hit in hits} == {ids[0], ids[2]}
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="t", text="Where did I move, and is Berlin cold?"))
    assert "Berlin" in context.text
    assert "ratchet" not in context.text
    assert "flange" not in context.text


async def test_export_and_import_keep_state_and_metadata(layer, agent):
    old, twin, kept, brief = await layer.remember(
        agent,
        [
            fact("The gate code is 4711.", metadata={"priority": 3}),
            fact("Gate: 4711."),
            fact("The gate is green."),
            fact("The gate is open.", expires_at=hour(2)),
        ],
    )
    await layer.retire(agent, [old])
    await layer.merge(agent, [twin], kept)
    lines = [line async for line in layer.admin.export(agent)]
    await layer.admin.import_lines(f"{agent}-copy", lines)
    ids = [old, twin, kept, brief]
    assert await layer.get(f"{agent}-copy", ids) == await layer.get(agent, ids)
