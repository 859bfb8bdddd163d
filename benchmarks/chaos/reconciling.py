"""Compare the store with the acknowledged calls: each outcome must be counted exactly once, also in totals."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from time import monotonic

from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.sample_data import WordEmbedder
from benchmarks.chaos.site import Site
from brain.journal import Journal, journal_name
from cognitive import CognitiveLayer, Policy

PATIENT = Policy(abstention=False, deadline_ms=5_000)
_DRAINED_WITHIN = 1_800.0  # seconds: some thousand turns, on a machine that has other things to do

_LOST = """
SELECT count(*) FROM unnest($2::text[]) AS promised (turn_id)
LEFT JOIN cognitive.turn AS t ON t.agent_id = $1 AND t.turn_id = promised.turn_id
WHERE t.status IS DISTINCT FROM 'completed'
"""
_SHOWN_OTHERWISE = """
SELECT count(*) FROM unnest($2::text[], $3::int[]) AS promised (turn_id, shown)
WHERE shown <> (SELECT count(*) FROM cognitive.exposure AS e
                WHERE e.agent_id = $1 AND e.turn_id = promised.turn_id AND e.used IS NOT NULL)
"""
_COUNTED_WRONGLY = """
WITH events AS (
    SELECT e.agent_id, e.memory_id, count(*) AS shown, count(*) FILTER (WHERE e.used) AS used
    FROM cognitive.exposure AS e JOIN cognitive.turn AS t USING (agent_id, turn_id)
    WHERE t.status = 'completed' AND e.used IS NOT NULL GROUP BY 1, 2),
counted AS (SELECT agent_id, memory_id, times_shown, times_used FROM cognitive.usage WHERE times_shown > 0)
SELECT (SELECT count(*) FROM (TABLE events EXCEPT TABLE counted) AS a)
     + (SELECT count(*) FROM (TABLE counted EXCEPT TABLE events) AS b)
"""
_TALLIED_WRONGLY = """
WITH events AS (SELECT agent_id, count(*) FILTER (WHERE status = 'completed') AS n FROM cognitive.turn GROUP BY 1),
tallied AS (
    SELECT agent_id, sum(completed) AS n FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' GROUP BY 1)
SELECT count(*) FROM events FULL JOIN tallied USING (agent_id) WHERE coalesce(events.n, 0) <> coalesce(tallied.n, 0)
"""


async def drained(ledger: SuiteReport, suite: str, site: Site, url: str) -> None:
    """Open a layer, so that it delivers the outcomes left in the journal, and wait until the journal is empty."""
    journal = Journal(site.directory / "journal" / journal_name(url))
    ledger.counts[f"{suite}: in the journal at the end"] += journal.count()
    began = monotonic()
    async with CognitiveLayer.open(url, policy=PATIENT, embedder=WordEmbedder()):
        while await asyncio.to_thread(journal.count) and monotonic() - began < _DRAINED_WITHIN:
            await asyncio.sleep(0.05)
    ledger.milliseconds[f"{suite}: until the journal was empty"].append((monotonic() - began) * 1000)
    ledger.violations[f"{suite}: left in the journal"] += journal.count()
    ledger.violations[f"{suite}: parked in the journal"] += journal.count(parked=True)


async def kept(ledger: SuiteReport, suite: str, site: Site, agent: str, turns: Iterable[str]) -> None:
    """Check that each of these turns is stored as completed, because its outcome was acknowledged."""
    ledger.violations[f"{suite}: promised and lost"] += await site.ask(_LOST, agent, list(turns))


async def judged(ledger: SuiteReport, suite: str, site: Site, agent: str, turns: Mapping[str, int]) -> None:
    """Check that each of these turns has a verdict (used or not) on as many memories as it showed.

    `turns` maps the id of a turn to the number of memories that it showed.
    """
    otherwise = await site.ask(_SHOWN_OTHERWISE, agent, list(turns), list(turns.values()))
    ledger.violations[f"{suite}: turns that judged another number of memories than they showed"] += otherwise


async def counted(ledger: SuiteReport, suite: str, site: Site) -> None:
    """Check that the stored usage counts and totals equal those recomputed from the recorded turns."""
    completed = "SELECT count(*) FROM cognitive.turn WHERE status = 'completed'"
    ledger.counts[f"{suite}: completed, in the store"] = await site.ask(completed)
    otherwise = await site.ask(_COUNTED_WRONGLY)
    ledger.violations[f"{suite}: memories counted otherwise than a replay of the events"] += otherwise
    ledger.violations[f"{suite}: agents tallied otherwise than their turns"] += await site.ask(_TALLIED_WRONGLY)
