"""Run two hundred concurrent conversations on one `cognitive serve`, and check that nothing leaks, mixes up or is lost.

    python -m benchmarks.soak --minutes 10 --seed 1

Twenty agents have ten sessions each, through `CognitiveClient` and MCP. Some outcomes are sent again, one after another
or at once, and some are of failed turns. Some clients abort a request and may come back. Every text contains the marker
of its session (a word that no other session uses). At the end Postgres must contain exactly the data of the calls that
were acknowledged. Prints a report as JSON; exits with 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from typing import Any

import httpx

from benchmarks.soak.checks import check_connections, check_journal, check_samples
from benchmarks.soak.report import SoakReport, compare
from benchmarks.soak.session import AGENTS, SoakRun, SoakSession
from brain.embedded import EmbeddedServer
from cognitive.client import CognitiveClient
from cognitive.server.tokens import create

SESSIONS = 10  # of each agent


async def run_sessions(soak: SoakRun, seed: int, timeout: float) -> None:
    """Run all conversations of the soak test to their end, within `timeout` seconds."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=60, trust_env=False))
        sessions = []
        for agent, token in soak.clients.items():
            for n in range(SESSIONS):
                opening = CognitiveClient.open(soak.url, token=token, pre_turn_seconds=timeout)
                sessions.append(SoakSession(soak, await stack.enter_async_context(opening), http, agent, n, seed))
        await asyncio.gather(*(session.run() for session in sessions))


def percentiles_ms(seconds: list[float]) -> dict[str, float]:
    """Return the percentiles of durations given in seconds, in milliseconds."""
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {"n": len(ordered)} | {
        name: round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000, 1) for name, share in at.items()
    }


async def run_soak(given: argparse.Namespace, directory: Path) -> int:
    """Start the server, run the conversations, compare the database with the clients' records, and stop the server."""
    ledger, tokens = SoakReport(), directory / "tokens.toml"
    clients = {f"agent{n}": create(tokens, f"agent{n}")[1] for n in range(AGENTS)}
    looks, log = directory / "looks", (directory / "server.log").open("wb")
    serving = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.soak.server",
        str(looks),
        "serve",
        "--port",
        "0",
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        env={**os.environ, "COGNITIVE_DATA_DIR": str(directory)},
        cwd=Path(__file__).parents[2],
    )
    postgres = EmbeddedServer(directory)
    try:
        assert serving.stdout is not None
        url = (await serving.stdout.readline()).decode().removeprefix("Listening on ").strip()
        assert url, (directory / "server.log").read_text()
        admin = (await asyncio.to_thread(postgres.acquire)).admin
        soak = SoakRun(ledger, url, monotonic() + given.minutes * 60, given.pause, clients)
        load = os.getloadavg()
        await run_sessions(soak, given.seed, given.timeout)
        await check_connections(admin, ledger)
        await check_journal(directory, ledger)
        await asyncio.sleep(2)  # another look or two
        held = check_samples(looks.with_suffix(".jsonl"), ledger)
        serving.terminate()
        began = monotonic()
        ledger.violations.update({f"server: ended with {await serving.wait()}": int(serving.returncode != 0)})
        ledger.seconds["until the server had stopped"].append(monotonic() - began)
        await compare(ledger, admin)
    finally:
        if serving.returncode is None:
            serving.kill()
            await serving.wait()
        await asyncio.to_thread(postgres.release)
    _print(given, ledger, held, load)
    return int(bool(+ledger.violations))


def _print(given: argparse.Namespace, ledger: SoakReport, held: dict[str, Any], load: tuple[float, ...]) -> None:
    statuses = [status for status, _ in ledger.closed.values()]
    lines = {
        "seed": given.seed,
        "minutes": given.minutes,
        "sessions": AGENTS * SESSIONS,
        "pause": given.pause,
        "load before and after": [load[0], os.getloadavg()[0]],
        "outcomes": {status: statuses.count(status) for status in sorted(set(statuses))},
        "memories": ledger.remembered.total(),
        "counts": dict(ledger.counts),
        "degraded": dict(ledger.degraded),
        "errors": dict(ledger.errors),
        "ms": {name: percentiles_ms(taken) for name, taken in ledger.seconds.items()},
        "server": held,
        "violations": dict(+ledger.violations),
    }
    sys.stdout.write("\n".join(f"{name}: {json.dumps(value)}" for name, value in lines.items()) + "\n")


def main() -> int:
    """Parse the command line and run the soak test, in a temporary directory unless one is given."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    asked.add_argument("--pause", type=float, default=20.0, help="seconds that the model takes, and then the user")
    asked.add_argument("--timeout", type=float, default=1.0, help="seconds that a client waits for pre_turn")
    asked.add_argument("--directory", type=Path, help="directory to run in; it is not removed")
    given = asked.parse_args()
    if given.directory is not None:
        return asyncio.run(run_soak(given, given.directory))
    with tempfile.TemporaryDirectory(prefix="cognitive-soak-") as place:
        Path(place).chmod(0o711)  # for root: the server runs as another user, who must reach the folder
        return asyncio.run(run_soak(given, Path(place)))


if __name__ == "__main__":
    sys.exit(main())
