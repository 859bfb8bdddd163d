"""Reading with the reader role, and the fallback where that role was not granted."""

from __future__ import annotations

import asyncpg
import pytest

from brain.analytics.turn_rows import Period
from brain.analytics.turns import TurnAnalytics
from brain.errors import InvalidInput, StoreError
from brain.postgres import roles
from brain.postgres.reading import ReadDatabase
from brain.users import Scope
from cognitive import NewMemory, Outcome, Turn
from cognitive.doctor.examine import examine

WRITE = "INSERT INTO cognitive.agent_state (agent_id, language_chosen) VALUES ($1, true)"


@pytest.fixture
async def ungranted(urls):
    """Revoke the reader roles before and after the test."""

    async def revoke():
        admin = await asyncpg.connect(urls.admin)
        if await admin.fetchval("SELECT count(*) FROM pg_roles WHERE rolname = 'cognitive_reader'"):
            await admin.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
            await admin.execute("DROP POLICY IF EXISTS overview ON cognitive.rollup")
        await admin.close()

    await revoke()
    yield urls
    await revoke()


@pytest.fixture
async def reading(urls):
    made = []

    def reading(**more):
        made.append(ReadDatabase(urls.app, **more))
        return made[-1]

    yield reading
    for each in made:
        await each.close()


async def user(reading, agent):
    return await reading.run(Scope(agent), lambda c: c.fetchval("SELECT current_user::text"))


async def test_embedded_server_grants_the_reader_role_and_refuses_writes(ungranted, reading, agent):
    looking = reading(grant=lambda: roles.create(ungranted.admin, ["cognitive_app"]))

    assert await user(looking, agent) == roles.READER
    assert (await looking.granted()).overview
    with pytest.raises(StoreError, match="cannot execute INSERT in a read-only transaction"):
        await looking.run(Scope(agent), lambda c: c.execute(WRITE, agent))

    async def defiant(c):
        await c.execute("SET TRANSACTION READ WRITE")
        await c.execute(WRITE, agent)

    with pytest.raises(StoreError, match=r"permission denied|must be set before"):
        await looking.run(Scope(agent), defiant)


async def test_reader_role_cannot_write_in_a_writable_transaction(ungranted, agent):
    await roles.create(ungranted.admin, ["cognitive_app"])
    connection = await asyncpg.connect(ungranted.app)
    await connection.execute(f"SET ROLE {roles.READER}")
    await connection.execute("SELECT set_config('cognitive.agent_id', $1, false)", agent)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(WRITE, agent)
    await connection.close()


async def test_ungranted_reader_falls_back_to_the_application_role(ungranted, reading, agent):
    looking = reading()

    assert await user(looking, agent) == "cognitive_app"
    granted = await looking.granted()
    assert (granted.reader, granted.overview) == (False, False)
    assert granted.command.startswith("cognitive db roles cognitive_app --overview")
    with pytest.raises(StoreError, match="read-only transaction"):
        await looking.run(Scope(agent), lambda c: c.execute(WRITE, agent))


async def test_missing_grant_on_a_new_table_is_detected(ungranted, reading):
    await roles.create(ungranted.admin, ["cognitive_app"])
    admin = await asyncpg.connect(ungranted.admin)
    await admin.execute("REVOKE SELECT ON cognitive.artifact FROM cognitive_reader")
    try:
        assert not (await reading().granted()).reader
        again = reading(grant=lambda: roles.create(ungranted.admin, ["cognitive_app"]))
        assert (await again.granted()).reader
    finally:
        await admin.close()


async def test_fleet_counts_require_the_overview_role(ungranted, reading, layer, agent, now):
    for n in range(2):
        name = f"{agent}-{n}"
        await layer.remember(name, [NewMemory(type="fact", content="The pump was sealed.")])
        context = await layer.pre_turn(Turn(agent_id=name, session_id="s", text="Was the pump sealed?", now=now))
        await layer.post_turn(context, Outcome(response="The pump was sealed."))
    await roles.create(ungranted.admin, [])
    period = Period(now.replace(hour=0), now.replace(hour=23))
    with pytest.raises(StoreError, match="permission denied"):
        await TurnAnalytics(reading()).fleet.worst(period, 1)
    across = TurnAnalytics(reading(grant=lambda: roles.create(ungranted.admin, ["cognitive_app"]))).fleet

    assert len((await across.listed(period, limit=2))[0]) == 2
    assert await across.count(period) >= 2
    [day] = await across.days(period)
    assert day.total.numbers.turns >= 2
    listed, matching = await across.listed(period, "name", f"{agent}-")
    assert matching == 2
    assert {each.value: each.numbers.turns for each in listed} == {f"{agent}-0": 1, f"{agent}-1": 1}
    with pytest.raises(InvalidInput, match="limit"):
        await across.listed(period, limit=10_000)


async def test_doctor_reports_the_command_that_grants_the_roles(ungranted, monkeypatch, tmp_path):
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", ungranted.app)
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))

    async def dashboard_finding():
        return next(each for each in await examine() if each.check == "dashboard roles")

    before = await dashboard_finding()
    await roles.create(ungranted.admin, ["cognitive_app"])
    after = await dashboard_finding()

    assert (before.status, after.status) == ("ok", "ok")
    assert "cognitive db roles cognitive_app" in before.fix
    assert (after.fix, "cognitive_reader" in after.detail) == ("", True)
