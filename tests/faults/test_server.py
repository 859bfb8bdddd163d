"""Stopping the server loses no outcome, and a server without Postgres journals outcomes and reports the outage."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import asyncpg
import httpx

from cognitive import CognitiveLayer, Policy
from cognitive.server.config import ServerConfig
from tests.serving import inside, running

_HOLD = "SELECT 1 FROM cognitive.turn WHERE agent_id = $1 AND turn_id = 't' FOR UPDATE"
_WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted"
TURN = {"session_id": "s", "text": "Where does the spare key hang?", "turn_id": "t"}
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


async def waiting(connection):
    """Wait until another session waits for a lock of this connection."""
    while not await connection.fetchval(_WAITS):
        pass


async def closed(url):
    """Wait until the port no longer accepts connections."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        except OSError:
            return
        writer.close()
        await writer.wait_closed()


async def test_stopping_server_finishes_the_outcome_in_progress(layer, urls, agent):
    turns = f"/api/v1/agents/{agent}/turns"
    other = await asyncpg.connect(urls.app)
    async with httpx.AsyncClient() as http, running(layer, ServerConfig(port=0)) as (url, served):
        await http.post(url + turns, json=TURN)
        async with other.transaction():
            await other.execute("SELECT set_config('cognitive.agent_id', $1, true)", agent)
            assert await other.fetch(_HOLD, agent)
            outcome = asyncio.create_task(
                http.put(f"{url}{turns}/t/outcome", json={"response": "Behind the barometer"})
            )
            await waiting(other)
            served.should_exit = True
            await closed(url)
            assert not outcome.done()
        assert (await outcome).json()["recorded"]
    await other.close()
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


async def test_server_without_postgres_answers_turns_and_journals_outcomes(embedder, agent):
    at = f"/api/v1/agents/{agent}"
    policy = Policy(deadline_ms=500, deadlines={"post_turn_ms": 500, "recall_ms": 500})
    async with CognitiveLayer.open(NOWHERE, embedder=embedder, policy=policy) as layer, inside(layer) as http:
        prepared = await http.post(f"{at}/turns", json=TURN)
        assert prepared.status_code == 200
        assert prepared.json()["degraded"]
        report = (await http.put(f"{at}/turns/t/outcome", json={"response": "Behind it"})).json()
        assert not report["recorded"]
        assert not report["duplicate"]
        assert (await http.put(f"{at}/turns/t/outcome", json={"response": "Behind it"})).json()["duplicate"]

        recalled = await http.post(f"{at}/memories/search", json={"query": "spare key"})
        assert (recalled.status_code, recalled.headers["retry-after"]) == (503, "1")
        assert recalled.json()["type"].endswith("StoreUnavailable")
        assert "127.0.0.1" not in recalled.text, "errors do not reveal the address of Postgres"
        ready = await http.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["parts"] == {"database": "unavailable", "schema": "unavailable", "model": "ok"}
        assert (await http.get("/healthz")).status_code == 200


async def started(*options, **environment):
    """Start `cognitive serve`; return the process and the address that it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "cognitive.cli.main",
        "serve",
        *options,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    line = (await process.stdout.readline()).decode()
    return process, line.removeprefix("Listening on ").strip()


async def test_signal_stops_the_serve_command_cleanly(urls, agent):
    signals = [signal.SIGTERM, signal.SIGINT]
    serving = (started("--port", "0", "--verbose", COGNITIVE_DATABASE_URL=urls.app) for _ in signals)
    for by, (process, url) in zip(signals, await asyncio.gather(*serving), strict=True):
        async with httpx.AsyncClient() as http:
            prepared = await http.post(f"{url}/api/v1/agents/{agent}/turns", json=TURN | {"turn_id": by.name})
            assert prepared.status_code == 200
            process.send_signal(by)
            _, stderr = await process.communicate()
        assert process.returncode == 0, stderr.decode()
        assert b"requests are done; closing" in stderr


async def test_serve_command_reports_why_it_cannot_start(urls):
    wrong = {
        ("--host", "0.0.0.0"): "cognitive token create",
        ("--host", "127.0.0.1", "--port", "1x"): "1x",
        ("--socket", "/nowhere/s"): "/nowhere/s",
    }
    starting = await asyncio.gather(*(started(*options, COGNITIVE_DATABASE_URL=urls.app) for options in wrong))
    for (process, _), message in zip(starting, wrong.values(), strict=True):
        _, stderr = await process.communicate()
        assert process.returncode not in (0, None)
        assert message in stderr.decode()
        assert "Traceback" not in stderr.decode()
