"""What a dashboard reads: counts over time, lists of turns and memories, a memory's life, the state of the store.

Every read is a statement with a bound of its own, whatever an agent has stored: sums come from the tally, lists are
walked in the order of an index up to so many rows and say how far they came, shares are of a random sample that says of
how many. Nothing here writes; a role that may only read will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from brain import roles, statements, tally
from brain.database import Connection, Database
from brain.errors import InvalidInput
from brain.figure_rows import (
    By,
    Group,
    GroupSizes,
    Habit,
    Health,
    LeftOut,
    Life,
    MemoryFilter,
    MemoryRow,
    Near,
    OpenTurnRow,
    Page,
    Period,
    Point,
    PolicySeen,
    Relation,
    Row,
    Showing,
    Total,
    TurnFilter,
    TurnNumbers,
    TurnRow,
)

MOST_VALUES = 200  # of one kind, in a table; the rest is less frequent
MOST_POINTS = 4_000  # of a series, over all its values
MOST_LOOKED = 5_000  # turns or memories that a page of a list looks at: what a rare filter may cost
MOST_SAMPLED = 5_000  # memories or vectors of which shares are told
MOST_SHOWINGS = 1_000  # of one memory, over which its use is drawn
MOST_TRACES = 200  # turns whose traces are opened for the tools they went without
MOST_POSTINGS = 300  # passages read of each word of a memory, to find others like it
MOST_COMPARED = 2_000  # memories compared with one by their vectors
MOST_OPEN = 1_000  # open turns that are counted
MOST_ROWS = 500  # of one page
# Bounds that choose a plan are written out: of a parameter Postgres supposes that a tenth of the rows is wanted.
SQL = {
    name: statement.replace("<most>", str(MOST_LOOKED)).replace("<sample>", str(MOST_SAMPLED))
    for name, statement in statements.load("figures").items()
}
# By whether they are those of one session: each is walked in an index of its own.
_TURNS = {True: SQL["turns"], False: SQL["turns"].replace("session_id = $2", "$2::text IS NULL")}
_MEMORIES = {
    of_session: SQL["memories"].replace("<walk>", SQL[walk])
    for of_session, walk in ((True, "walk_session"), (False, "walk_types"))
}
_ANY_TURN, _ANY_MEMORY = TurnFilter(), MemoryFilter()
_EARLIEST, _LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
_NO_ID = UUID(int=0)
_SECONDS = 10.0  # a page that takes longer is given up
_DAY = 86_400.0


class Figures:
    """Reads of one agent's record, under row level security; `agents` alone looks across them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def totals(self, agent_id: str, period: Period, by: By = "all", *, timed: bool = True) -> list[Total]:
        """What the turns of a period came to: one total of all, or one per value, the most frequent first.

        Under "tool" a value is "category/name". The period is widened to whole hours. Not `timed`, they have no times.
        """

        async def work(c: Connection) -> list[Total]:
            rows = await c.fetch(SQL["totals"], agent_id, by, *period.days, MOST_VALUES)
            values = [row["value"] for row in rows] if timed else []
            times = _added(
                await c.fetch(SQL["latencies"], agent_id, by, *period.days, values) if values else (), "value"
            )
            return [_total(row, latency=times.get((row["value"],), ())) for row in rows]

        return await self._database.run(agent_id, work, timeout=_SECONDS)

    async def series(self, agent_id: str, period: Period, by: By = "all", value: str | None = None) -> list[Point]:
        """The same by steps of time, in order; steps without turns are left out.

        Raises:
            InvalidInput: a time zone that Postgres does not know.
        """
        asked = (agent_id, period.span, by, period.begin, period.until, period.step, period.zone, value)

        async def work(c: Connection) -> list[Point]:
            times = _added(await c.fetch(SQL["series_latencies"], *asked), "step", "value")
            rows = await c.fetch(SQL["series"], *asked, MOST_POINTS)
            return [Point(row["step"], _total(row, latency=times.get((row["step"], row["value"]), ()))) for row in rows]

        return await self._database.run(agent_id, work, timeout=_SECONDS)

    async def agents(self, period: Period, limit: int = 200) -> list[Total]:
        """What each agent's turns came to on the days of a period, the busiest first; `value` is the agent. No times.

        Raises:
            StoreError: this connection's user was not granted the role that may see it (`brain.roles`).
        """

        async def work(c: Connection) -> list[Any]:
            await c.execute(f"SET LOCAL ROLE {roles.OVERVIEW}")
            return list(await c.fetch(SQL["agents"], "day", period.begin_of_day, period.until, _rows(limit)))

        return [_total(row, "agent_id") for row in await self._database.run("", work, timeout=_SECONDS)]

    async def turns(
        self, agent_id: str, wanted: TurnFilter = _ANY_TURN, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> Page[TurnRow]:
        """Turns that a filter lets through, newest first; looks at `MOST_LOOKED` of them at most."""
        start = _start(after, wanted.until)
        rows = await self._fetch(
            agent_id, _TURNS[wanted.session_id is not None], wanted.session_id, start[0], start[1] or "",
            wanted.since or _EARLIEST, wanted.status, wanted.frame, wanted.category, wanted.runtime, wanted.policy,
            wanted.degraded, wanted.abstained, wanted.tool, _patterns(wanted.words), wanted.at_least_ms, _rows(limit),
            wanted.user_id, wanted.showed, wanted.used, wanted.stage, wanted.held_back,
        )  # fmt: skip
        return _page(rows, limit, _turn_row, "turn_id", "at")

    async def turn(self, agent_id: str, turn_id: str) -> TurnNumbers | None:
        """A turn's numbers, or None if the agent has no such turn."""
        row = await self._row(agent_id, "turn", turn_id)
        if row is None:
            return None
        told = {name: row[name] or {} for name in ("measures", "timings", "trim", "window", "sections", "excerpts")}
        return TurnNumbers(**{**_made(TurnNumbers, row), **told})

    async def memories(
        self,
        agent_id: str,
        wanted: MemoryFilter = _ANY_MEMORY,
        *,
        limit: int = 50,
        after: tuple[Any, ...] | None = None,
    ) -> Page[MemoryRow]:
        """Memories that a filter lets through, by when they happened, latest first; looks at `MOST_LOOKED` at most."""
        start = _start(after, wanted.until)
        rows = await self._fetch(
            agent_id, _MEMORIES[wanted.session_id is not None], list(wanted.types), wanted.session_id, start[0],
            start[1] or 0, wanted.since, wanted.tag, _patterns(wanted.words), wanted.pinned, wanted.superseded,
            _rows(limit),
        )  # fmt: skip
        return _page(rows, limit, _memory_row, "seq", "occurred_at")

    async def group_sizes(self, agent_id: str, habit: Habit, now: datetime) -> GroupSizes:
        """How many memories were never shown, are ignored, rise, went stale: of a sample of `MOST_SAMPLED`."""
        row = await self._row(agent_id, "group_sizes", *_habit(habit, now))
        return GroupSizes(**dict(row))

    async def group(
        self,
        agent_id: str,
        group: Group,
        habit: Habit,
        now: datetime,
        *,
        limit: int = 50,
        after: tuple[Any, ...] | None = None,
    ) -> Page[MemoryRow]:
        """The memories of a group, window by window of `MOST_SAMPLED` memories by id, within each the clearest first:
        what was stored longest ago, shown or used most often, or rises most.
        """
        window, score, last = after or (_NO_ID, None, None)
        rows = await self._fetch(
            agent_id, "group", *_habit(habit, now), group, window, score, last, _rows(limit)
        )  # fmt: skip
        found = [row for row in rows if row["id"] is not None]
        looked = rows[0]["looked"]
        following = (rows[0]["last_id"], None, None) if looked == MOST_SAMPLED else None
        if len(found) == limit:
            following = (window, found[-1]["score"], found[-1]["id"])
        return Page(tuple(map(_memory_row, found)), looked, following)

    async def life(self, agent_id: str, memory_id: UUID) -> Life | None:
        """A memory with all that is known of it but its turns, or None if the agent has no such memory."""
        row = await self._row(agent_id, "life", memory_id)
        return (
            Life(**{**_made(Life, row, leaving=("memory",)), "memory": _memory_row(row)}) if row is not None else None
        )

    async def showings(
        self, agent_id: str, memory_id: UUID, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> Page[Showing]:
        """The turns that showed a memory, newest first, with their questions."""
        at, turn_id = after or (_LATEST, "")
        rows = await self._fetch(agent_id, "showings", memory_id, at, turn_id, _rows(limit))
        following = (rows[-1]["at"], rows[-1]["turn_id"]) if len(rows) == limit else None
        return Page(tuple(Showing(**dict(row)) for row in rows), len(rows), following)

    async def shown_at(self, agent_id: str, memory_id: UUID) -> list[tuple[datetime, bool | None, bool | None]]:
        """When a memory was shown, whether it was used, and how it was rated: the latest `MOST_SHOWINGS`, in order."""
        rows = await self._fetch(agent_id, "shown_at", memory_id, MOST_SHOWINGS)
        return [tuple(row) for row in rows]

    async def near(self, agent_id: str, memory_id: UUID, model: str, *, least: float = 0.8, limit: int = 10) -> Near:
        """Memories whose first passage is like that of this one, by vectors of an embedding model, most like first.

        Compared are those that share its rarest words, `MOST_COMPARED` at most.
        """
        rows = await self._fetch(
            agent_id, "near_by_words", memory_id, MOST_POSTINGS, MOST_COMPARED, model, least, _rows(limit)
        )
        found = tuple((_memory_row(row), row["cosine"]) for row in rows if row["id"] is not None)
        return Near(found, rows[0]["looked"])

    async def policies(self, agent_id: str, limit: int = 100) -> list[PolicySeen]:
        """The policies that the agent's turns were planned under, the latest first, with what those turns came to."""
        rows = await self._fetch(agent_id, "policies", _rows(limit))
        return [PolicySeen(row["version"], row["first_used_at"], _total(row, "version")) for row in rows]

    async def left_out(self, agent_id: str) -> tuple[list[LeftOut], int]:
        """Tools that the latest turns went without, the most often first, and how many turns were looked at."""
        rows = await self._fetch(agent_id, "left_out", MOST_TRACES, MOST_VALUES)
        return [LeftOut(**_made(LeftOut, row)) for row in rows if row["name"] is not None], rows[0]["looked"]

    async def health(self, agent_id: str) -> Health:
        """Server, tables, indexes, embedding models and open turns."""

        async def work(c: Connection) -> Health:
            standing = await c.fetchrow(SQL["standing"], agent_id, MOST_OPEN)
            models = await c.fetch(SQL["models"], agent_id)
            return Health(
                **dict(standing),
                relations=tuple(Relation(**dict(row)) for row in await c.fetch(SQL["relations"])),
                models={row["model"]: row["vectors"] for row in models},
                vectors_looked=models[0]["looked"] if models else 0,
                oldest_open=tuple(OpenTurnRow(**dict(row)) for row in await c.fetch(SQL["oldest_open"], agent_id, 20)),
            )

        return await self._database.run(agent_id, work, timeout=_SECONDS)

    async def _fetch(self, agent_id: str, name: str, *arguments: Any) -> Sequence[Any]:
        return list(
            await self._database.run(
                agent_id, lambda c: c.fetch(SQL.get(name, name), agent_id, *arguments), timeout=_SECONDS
            )
        )

    async def _row(self, agent_id: str, name: str, *arguments: Any) -> Any:
        rows = await self._fetch(agent_id, name, *arguments)
        return rows[0] if rows else None


def _added(rows: Sequence[Any], *keys: str) -> dict[tuple[Any, ...], tuple[int, ...]]:
    """Counts of times, added place by place, by key: faster here than by unnesting them in Postgres."""
    sums: dict[tuple[Any, ...], NDArray[np.int64]] = {}
    for row in rows:
        counts = sums.setdefault(tuple(row[key] for key in keys), np.zeros(tally.BUCKETS, dtype=np.int64))
        counts[: len(row["latency"])] += row["latency"]
    return {key: tuple(counts.tolist()) for key, counts in sums.items()}


def _total(row: Mapping[str, Any], named: str = "value", latency: tuple[int, ...] = ()) -> Total:
    told = {name: row[name] for name in tally.COLUMNS if name != "latency"}
    return Total(row[named], tally.Numbers(**told, latency=latency), row.get("last_at"))


def _start(after: tuple[Any, ...] | None, until: datetime | None) -> tuple[Any, Any]:
    """Where a walk begins: behind the last row of the page before, or before `until`."""
    return (after[0], after[1]) if after is not None else (until or _LATEST, None)


def _page(rows: Sequence[Any], limit: int, made: Callable[[Any], Row], key: str, at: str) -> Page[Row]:
    found = [row for row in rows if row[key] is not None]
    looked = max(row["looked"] for row in rows)
    following = (rows[0]["last_at"], rows[0]["last_key"]) if looked == MOST_LOOKED else None
    if len(found) == limit:
        following = (found[-1][at], found[-1][key])
    back_to = found[-1][at] if len(found) == limit else rows[0]["last_at"]
    return Page(tuple(map(made, found)), looked, following, back_to)


def _patterns(words: str | None) -> list[str] | None:
    """A pattern per word, in which nothing but the word counts."""
    if not words or not words.split():
        return None
    escaped = [word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for word in words.split()]
    return [f"%{word}%" for word in escaped]


def _habit(habit: Habit, now: datetime) -> tuple[Any, ...]:
    return (
        now, habit.half_life_days * _DAY, habit.showings, habit.uses, habit.fresh, habit.left,
    )  # fmt: skip


def _rows(limit: int) -> int:
    if not 0 < limit <= MOST_ROWS:
        raise InvalidInput(f"limit: expected a number from 1 to {MOST_ROWS}, got {limit}")
    return limit


def _turn_row(row: Any) -> TurnRow:
    return TurnRow(**_made(TurnRow, row))


def _memory_row(row: Any) -> MemoryRow:
    counts = {name: row[name] or 0 for name in ("shown", "used", "times_shown", "times_used")}
    return MemoryRow(**{**_made(MemoryRow, row), **counts})


def _made(kind: type, row: Any, leaving: Sequence[str] = ()) -> dict[str, Any]:
    """A row's fields as a value has them: what Postgres returns as a list is a tuple."""
    told = {each.name: row[each.name] for each in fields(kind) if each.name not in leaving}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
