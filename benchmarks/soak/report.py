"""Record which calls the clients of a soak test saw acknowledged, and compare this with the contents of Postgres."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg

from cognitive.turn import Report, TurnContext
from cognitive.wire.context import UNPREPARED

_MARK = re.compile(r"zq-(agent\d+)-(s\d+)-zq")
_TURNS = "SELECT agent_id, turn_id, status FROM cognitive.turn"
_MEMORIES = "SELECT agent_id, count(*) AS n FROM cognitive.memory GROUP BY 1"
_USAGE = "SELECT agent_id, memory_id, times_shown, times_used FROM cognitive.usage"
_SESSIONS = "SELECT agent_id, session_id, turns FROM cognitive.session WHERE turns > 0"
_TALLY = """
SELECT agent_id, sum(turns)::int AS turns, sum(completed)::int AS completed, sum(failed)::int AS failed,
       sum(abandoned)::int AS abandoned FROM cognitive.rollup WHERE span = $1 AND dimension = 'all' GROUP BY 1
"""
_CONNECTED = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
_JUDGED = """
SELECT e.agent_id, e.turn_id, e.memory_id, e.used
FROM cognitive.exposure e JOIN cognitive.turn t USING (agent_id, turn_id)
WHERE t.status = 'completed' AND e.used IS NOT NULL
"""
_STRAYS = """
SELECT count(*) FROM cognitive.exposure e JOIN cognitive.memory m ON m.id = e.memory_id WHERE m.agent_id <> e.agent_id
"""

Key = tuple[str, str]  # agent and turn


def mark(agent: str, session: str) -> str:
    """Return the marker of a session: a word that each of its texts contains, and no text of another session."""
    return f"zq-{agent}-{session}-zq"


@dataclass(slots=True)
class SoakReport:
    """The record of a soak test: acknowledged calls, calls without an answer, and the violations found."""

    closed: dict[Key, tuple[str, str]] = field(default_factory=dict)  # status and session
    left_open: set[Key] = field(default_factory=set)  # prepared, and never closed
    uncertain: set[Key] = field(default_factory=set)  # requested by a client that aborted
    attributions_of: dict[Key, Report] = field(
        default_factory=dict
    )  # as reported; an outcome from the journal has none
    unknown: set[Key] = field(default_factory=set)  # prepared without an answer: the server may not know them
    remembered: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    degraded: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def check_markers(self, what: str, agent: str, session: str | None, texts: Iterable[str]) -> None:
        """Check that texts shown to an agent or a session contain no marker of another agent or session."""
        for text in texts:
            for found in _MARK.finditer(text):
                self.counts[f"markers in {what}"] += 1
                if found.group(1) != agent or session not in (None, found.group(2)):
                    self.violations[f"mixed up: {what} of {agent} {session} shows {found.group(0)}"] += 1

    def add_context(self, context: TurnContext) -> None:
        """Record a prepared turn, and check that it shows only memories of its agent and messages of its session."""
        agent, session = context.agent_id, context.session_id
        self.check_markers("memories", agent, None, [context.text, context.prefix, context.sent(), *_contents(context)])
        self.check_markers("windows", agent, session, [message.model_dump_json() for message in context.messages])
        self.degraded.update({because.split(":")[0] for because in context.degraded})
        self.counts["turns degraded"] += bool(context.degraded)
        if context.session_id != session or not context.message.endswith(mark(agent, session)):
            self.violations["mixed up: another turn's answer"] += 1

    def add_outcome(self, context: TurnContext, status: str, report: Report, recalled: Sequence[UUID]) -> None:
        """Record that the server acknowledged a turn's outcome.

        Only the first outcome of a turn counts. If the outcome is repeated, its report must equal the first report.
        """
        key = context.agent_id, context.turn_id
        self.counts["outcomes journalled"] += not report.recorded
        if not report.recorded and late(context):
            self.unknown.add(key)
        self.closed.setdefault(key, (status, context.session_id))
        if not report.recorded:
            return
        known = self.attributions_of.setdefault(key, report)
        if _judged(known) != _judged(report):
            self.violations["post_turn: another verdict than before"] += 1
        if status == "completed" and self.closed[key][0] == status and not late(context) and key not in self.uncertain:
            judged, shown = {id for id, _ in _judged(report)}, {each.memory_id for each in context.shown}
            if not shown <= judged <= shown | set(recalled):
                self.violations["post_turn: judged something else than what was shown"] += 1


def late(context: TurnContext) -> bool:
    """Return True if the client did not get the turn's context from the server in time and continued without it."""
    return UNPREPARED in context.plan.reasons


async def compare(ledger: SoakReport, url: str) -> None:
    """Compare the calls in `ledger` with the contents of Postgres, and record every difference as a violation."""
    postgres = await asyncpg.connect(url)
    try:
        ledger.counts["connections made"] = await postgres.fetchval(_CONNECTED)
        await _turns(ledger, postgres)
        await _use(ledger, postgres)
        for span in ("hour", "day"):
            for row in await postgres.fetch(_TALLY, span):
                ours = Counter(status for (agent, _), (status, _) in ledger.closed.items() if agent == row["agent_id"])
                if ours != +Counter({each: row[each] for each in ("completed", "failed", "abandoned")}):
                    ledger.violations[f"counts of the {span} of {row['agent_id']}: {dict(row)}, not {dict(ours)}"] += 1
        stored = Counter({row["agent_id"]: row["n"] for row in await postgres.fetch(_MEMORIES)})
        if stored != ledger.remembered:
            ledger.violations[f"memories: {stored.total()}, not {ledger.remembered.total()}"] += 1
        if strays := await postgres.fetchval(_STRAYS):
            ledger.violations["mixed up: exposures of another agent's memories"] += strays
    finally:
        await postgres.close()


async def _turns(ledger: SoakReport, postgres: asyncpg.Connection) -> None:
    held = {(row["agent_id"], row["turn_id"]): row["status"] for row in await postgres.fetch(_TURNS)}
    for key in ledger.unknown - held.keys():
        ledger.counts["outcomes of turns that the server never knew"] += 1
        del ledger.closed[key]
    for key, (status, _) in ledger.closed.items():
        if held.get(key) != status:
            ledger.violations[f"turns: {held.get(key)}, and acknowledged as {status}"] += 1
    for key in held.keys() - ledger.closed.keys():
        if key not in ledger.left_open | ledger.uncertain or held[key] != "open":
            ledger.violations[f"turns: {held[key]}, and no client did it"] += 1
    ledger.violations.update({"turns: prepared, and not recorded": len(ledger.left_open - held.keys())})
    ours = Counter((agent, session) for (agent, _), (_, session) in ledger.closed.items())
    theirs = {(row["agent_id"], row["session_id"]): row["turns"] for row in await postgres.fetch(_SESSIONS)}
    if ours != theirs:
        ledger.violations[f"sessions: {sum(theirs.values())} turns, not {ours.total()}"] += 1


async def _use(ledger: SoakReport, postgres: asyncpg.Connection) -> None:
    shown, used = Counter[tuple[str, UUID]](), Counter[tuple[str, UUID]]()
    for (agent, turn_id), report in ledger.attributions_of.items():
        if ledger.closed[agent, turn_id][0] == "completed":
            shown.update((agent, id) for id, _ in _judged(report))
            used.update((agent, id) for id, referenced in _judged(report) if referenced)
    for row in await postgres.fetch(_JUDGED):
        if (row["agent_id"], row["turn_id"]) not in ledger.attributions_of:  # from the journal: no report
            shown[row["agent_id"], row["memory_id"]] += 1
            used[row["agent_id"], row["memory_id"]] += row["used"]
    rows = await postgres.fetch(_USAGE)
    for what, ours in (("times_shown", shown), ("times_used", used)):
        theirs = +Counter({(row["agent_id"], row["memory_id"]): row[what] for row in rows})
        ledger.counts[what] = theirs.total()
        if theirs != ours:
            ledger.violations[f"usage: {what} {theirs.total()}, not {ours.total()}"] += 1


def _contents(context: TurnContext) -> list[str]:
    return [each.content for each in context.shown]


def _judged(report: Report) -> set[tuple[UUID, bool]]:
    return {(each.memory_id, each.referenced) for each in report.attributions}
