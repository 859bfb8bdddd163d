"""The suites of `python -m benchmarks.chaos` at their smallest: the same faults and invariants, in seconds.

Faults of other tests (a stopped or killed server, the embedder, killed clients) are left out.
"""

from __future__ import annotations

import asyncio
from itertools import islice

import pytest

from benchmarks.chaos import deadlines, feedback, isolation, mixed, pooler
from benchmarks.chaos.faults import FAULTS
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.run import run_suite
from benchmarks.chaos.scenarios import AMBIENT_FAULTS
from benchmarks.chaos.site import Site

BY_NETWORK = [f"Postgres behind a network: {fault}" for fault in FAULTS]
OTHERS = [
    "its backends are terminated",
    "the pool is exhausted",
    "max_connections is reached",
    "the host blocks the event loop",
    "the clock jumps",
]


@pytest.fixture(scope="module")
async def site():
    async with Site.opened() as site:
        yield site


@pytest.mark.promise(number=2)
@pytest.mark.parametrize("name", [*BY_NETWORK, *OTHERS])
async def test_turns_under_faults_report_them_and_leave_nothing_running(site, name):
    """Late turns are not checked here, since other load on the machine causes them; the long tier checks them."""
    ledger = SuiteReport()
    await deadlines.suite(ledger, 20261122, 4, site, names=[name], breakers=[0])
    assert {wrong for wrong in +ledger.violations if ": late beyond" not in wrong} == set()
    assert ledger.counts[f"deadlines: {name}"] == 4


@pytest.mark.promise(number=3)
async def test_concurrent_outcomes_on_the_same_memories_are_all_counted(site):
    ledger = SuiteReport()
    await feedback.hot(ledger, 20261122, 60, site)
    assert dict(+ledger.violations) == {}
    assert ledger.counts["feedback: hot outcomes"] == 60


NO_POOLER = pytest.mark.skipif(pooler.installed() is None, reason="PgBouncer is not installed")
WAYS = [
    pytest.param("directly", marks=pytest.mark.promise(number=4)),
    pytest.param("through PgBouncer", marks=NO_POOLER),
]


@pytest.mark.parametrize("way", WAYS)
async def test_cancelled_queries_never_return_rows_of_another_agent(site, way):
    ledger = SuiteReport()
    await isolation.suite(ledger, 20261122, 200, site, ways=[way])
    assert dict(+ledger.violations) == {}
    assert ledger.counts[f"isolation: answers with rows, {way}"] > 50


async def test_broken_invariant_is_reported():
    ledger = SuiteReport()
    ledger.require(True, "fine")
    assert not ledger.broken
    ledger.require(False, "a row of another agent's")
    assert ledger.broken
    assert ledger.as_json()["violations"] == {"a row of another agent's": 1}


async def test_suite_reports_errors_and_interruptions():
    ledger, lines = SuiteReport(), []

    async def fails():
        raise RuntimeError("the harness itself")

    assert await run_suite(ledger, "deadlines", fails(), lines.append)
    assert ledger.broken
    assert "the harness itself" in lines[0]

    async def interrupted():
        raise asyncio.CancelledError

    assert not await run_suite(SuiteReport(), "deadlines", interrupted(), lines.append)


def test_seed_determines_the_faults_and_each_occurs_before_any_repeats():
    first = list(islice(mixed.episodes(7), len(AMBIENT_FAULTS)))
    assert first == list(islice(mixed.episodes(7), len(AMBIENT_FAULTS)))
    assert first != list(islice(mixed.episodes(8), len(AMBIENT_FAULTS)))
    assert sorted(episode.fault for episode in first) == sorted(AMBIENT_FAULTS)


async def test_mixed_load_breaks_no_invariant(site):
    ledger = SuiteReport()
    await mixed.suite(ledger, 20261199, 0.05, site)  # a seed whose first episode is short and kills a client
    assert {wrong for wrong in +ledger.violations if ": late beyond" not in wrong} == set()
    assert ledger.counts["mixed: marks seen"] > 0
