"""Make a large database for measuring the dashboard: an agent with a million memories and turns, and small agents.

    python -m benchmarks.large /path/to/data --memories 1000000 --turns 1000000

The argument is the data directory of an embedded server. The options set the size of the large agent, `big`. Existing
rows of `big` and of the small agents are replaced. Use the database with `COGNITIVE_DATA_DIR=/path/to/data`.

The data is synthetic: words by Zipf's law, random unit vectors, one passage per memory, one field per vector; every
hundredth memory is nearly a copy of the previous one. Turns are spread over a year, with messages, vectors, measures
and showings of usual size, and a trace of a few hundred bytes. SQL computes usage and rollups from the turns, so that
all sums agree. The last turns are real turns of the layer, with traces of full size.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np

from brain import statements
from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from brain.postgres.wire_types import encode_halfvec
from brain.rollups import COLUMNS
from brain.text import lexemes
from cognitive import CognitiveLayer, Outcome, Policy, Tool, ToolCall, Turn

AGENT = "big"
SMALL, SMALLS, OF_SMALL = "small-", 200, (200, 300)
REAL_TURNS = 24
BATCH = 20_000
UNTIL = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
SINCE = UNTIL - timedelta(days=365)
SYLLABLES = "ba de ri mo tal ven kos lin par sut gar fel no shi tru wem pla dor esk hum".split()
TABLES = (
    "memory",
    "passage",
    "posting",
    "embedding",
    "session",
    "turn",
    "exposure",
    "usage",
    "usage_base",
    "rollup",
    "agent_state",
    "corpus",
    "policy",
)

POLICIES = [Policy(usage={"half_life_days": days}) for days in (3, 5)] + [Policy()]
_OWN = statements.parse(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
SQL = {name: statement.sql for name, statement in _OWN.items()}
_SUMS = [name for name in COLUMNS if name != "latency"]
TALLY = f"""
INSERT INTO cognitive.rollup (agent_id, span, dimension, at, value, {", ".join(_SUMS)}, latency)
SELECT $1, span, dimension, at, value, {", ".join(f"sum({name})" for name in _SUMS)},
       coalesce(('{{' || string_agg(repeat('0,', bucket - before - 1) || turns, ',' ORDER BY bucket) || '}}')::int[],
                '{{}}')
FROM (SELECT *, coalesce(lag(bucket) OVER (PARTITION BY span, dimension, at, value ORDER BY bucket), -1) AS before
      FROM (SELECT span, dimension, date_trunc(span, at, 'UTC') AS at, value, bucket,
                   {", ".join(f"coalesce(sum({name}), 0) AS {name}" for name in _SUMS)}
            FROM keyed CROSS JOIN (VALUES ('hour'), ('day')) AS s(span) GROUP BY 1, 2, 3, 4, 5) AS summed) AS spaced
GROUP BY span, dimension, at, value
"""


def vocabulary(size: int) -> list[str]:
    """Return `size` invented words that remain different after stemming."""
    words: dict[str, str] = {}
    n = 0
    while len(words) < size:
        digits = [SYLLABLES[n // len(SYLLABLES) ** place % len(SYLLABLES)] for place in range(4)]
        found = lexemes("".join(digits))
        if found:
            words.setdefault(found[0], "".join(digits))
        n += 7
    return list(words.values())


def memories(agent: str, size: int, words: list[str], chance: np.random.Generator) -> Iterator[list[tuple[Any, ...]]]:
    """Generate memories and yield them in batches, as rows of the temporary table `made`.

    Every hundredth memory repeats the previous one with one more word.
    """
    terms, named = np.array([lexemes(word)[0] for word in words]), np.array(words)
    kinds = chance.choice(["episode", "fact", "decision", "procedure"], size, p=[0.6, 0.3, 0.06, 0.04])
    for first in range(0, size, BATCH):
        picked = chance.zipf(1.3, (min(BATCH, size - first), 11)) * 2654435761 % len(words)
        picked[99::100, :10] = picked[98::100, :10][: len(picked[99::100])]
        said, stems = named[picked].tolist(), terms[picked].tolist()
        useful = (chance.random(len(picked)) > 0.15).tolist()
        rows = []
        for n, (spoken, lexemes_of) in enumerate(zip(said, stems, strict=True), first):
            identity = hashlib.sha256(f"{agent} {n}".encode()).digest()
            rows.append(
                (
                    n,
                    UUID(bytes=identity[:16]),
                    identity,
                    str(kinds[n]),
                    " ".join(spoken).capitalize() + ".",
                    SINCE + (UNTIL - SINCE) * (n / size),
                    n // 25,
                    useful[n - first],
                    list(dict.fromkeys(lexemes_of)),
                )
            )
        yield rows


def directions(count: int, chance: np.random.Generator) -> np.ndarray:
    """Return `count` random unit vectors; every hundredth is near the previous one."""
    vectors = chance.standard_normal((count, MiniLM.dimension), dtype=np.float32)
    vectors[99::100] = vectors[98::100][: len(vectors[99::100])] + vectors[99::100] * 0.3
    found: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


STORE = ("memory", "superseded", "supersedes", "passage", "posting", "session", "agent_state", "corpus")


async def store(c: asyncpg.Connection, agent: str, size: int, words: list[str]) -> None:
    """Insert generated memories of an agent with their word index and vectors.

    The memories are also left in the temporary table `made`.
    """
    chance = np.random.default_rng(size)
    await c.execute(SQL["made"])
    for rows in memories(agent, size, words, chance):
        await c.copy_records_to_table("made", records=rows)
        vectors = directions(len(rows), chance)
        await c.copy_records_to_table(
            "embedding",
            schema_name="cognitive",
            columns=["agent_id", "memory_id", "ordinal", "field", "model", "dimension", "type", "embedding"],
            records=[
                (agent, row[1], 0, "content", MiniLM.model, MiniLM.dimension, row[3], encode_halfvec(vector))
                for row, vector in zip(rows, vectors, strict=True)
            ],
        )
    await c.execute("CREATE INDEX ON made (seq)")
    await c.execute("ANALYZE made, cognitive.embedding")
    for name in STORE:
        await timed(c, SQL[name], agent)
        await c.execute("ANALYZE cognitive.memory")


async def turns(c: asyncpg.Connection, agent: str, size: int, many: int) -> None:
    """Insert `many` recorded turns of an agent with `size` memories, and compute usage and daily totals from them."""
    versions = [policy.for_agent(agent).version for policy in POLICIES]
    whole, half_life = (UNTIL - SINCE).total_seconds(), Policy().usage.half_life_days * 86_400
    for n, policy in enumerate(POLICIES):
        own, first = policy.for_agent(agent), SINCE + (UNTIL - SINCE) * n / len(POLICIES)
        await c.execute(SQL["policy"], agent, own.version, own.model_dump_json(), first)
    await timed(c, SQL["turn"], agent, many, SINCE, whole, versions, MiniLM.model, size)
    await c.execute("ANALYZE cognitive.turn")
    await timed(c, SQL["exposure"], agent, size, SINCE, whole)
    await c.execute("ANALYZE cognitive.exposure")
    await timed(c, SQL["usage"], agent, half_life)
    await timed(c, SQL["base"], agent, half_life, UNTIL)
    for statement in (SQL["counted_turns"], SQL["counted"], SQL["keyed"], TALLY):
        await timed(c, statement, *([agent] if "$1" in statement else []))


async def timed(c: asyncpg.Connection, statement: str, *arguments: Any) -> None:
    """Execute an SQL statement, and print its duration if it was long."""
    start = perf_counter()
    if statement.lstrip().startswith("CREATE TEMP"):  # which takes no parameters; the agent's name is one of ours
        await c.execute(statement.replace("$1", f"'{arguments[0]}'") if arguments else statement)
    else:
        await c.execute(statement, *arguments)
    took = perf_counter() - start
    if took > 5:
        say(f"  {took:.0f} s: {' '.join(statement.split())[:90]}")


async def copy_small(c: asyncpg.Connection) -> None:
    """Copy the rows of the first small agent for all other small agents."""
    for table in TABLES:
        rows = await c.fetch(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0"
            " AND attname <> 'agent_id' AND NOT attisdropped",
            f"cognitive.{table}",
        )
        names = ", ".join(f'"{row["attname"]}"' for row in rows)
        await c.execute(
            f"INSERT INTO cognitive.{table} (agent_id, {names}) SELECT '{SMALL}' || lpad(n::text, 3, '0'), {names}"
            f" FROM cognitive.{table}, generate_series(1, {SMALLS - 1}) AS n WHERE agent_id = '{SMALL}000'"
        )


async def fill(admin: str, size: int, many: int) -> None:
    """Insert all agents as the superuser, with indexes dropped and foreign key checks off meanwhile."""
    words = vocabulary(20_000)
    c = await asyncpg.connect(admin)
    await c.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")
    await c.execute(
        "SET session_replication_role = replica; SET maintenance_work_mem = '2GB'; SET work_mem = '1GB';"
        "SET synchronous_commit = off; SET max_parallel_maintenance_workers = 0"
    )
    for table in TABLES:
        await c.execute(f"DELETE FROM cognitive.{table} WHERE agent_id = $1 OR agent_id LIKE $2", AGENT, SMALL + "%")
    dropped = await drop_indexes(c)
    for agent, stored, taken in ((f"{SMALL}000", *OF_SMALL), (AGENT, size, many)):
        start = perf_counter()
        async with c.transaction():
            await store(c, agent, stored, words)
            await turns(c, agent, stored, taken)
            await c.execute("DROP TABLE made")
        say(f"{agent}: {stored} memories, {taken} turns in {perf_counter() - start:.0f} s")
    await copy_small(c)
    for statement in dropped:
        await timed(c, statement)
    await timed(c, "VACUUM ANALYZE")
    await c.close()


async def drop_indexes(c: asyncpg.Connection) -> list[str]:
    """Drop the indexes that inserting rows does not need. Return the statements that create these indexes again."""
    rows = await c.fetch(
        """
        SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
        FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
        WHERE t.relnamespace = 'cognitive'::regnamespace AND t.relname = ANY($1)
          AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)""",
        list(TABLES),
    )
    for row in rows:
        await c.execute(f"DROP INDEX {row['name']}")
    return [row["definition"] for row in rows]


async def real_turns(url: str, agent: str) -> None:
    """Run a few turns of the agent through the whole layer, so that the database has some traces of full size."""
    names = ("exec", "read", "grep", "web_search", "calendar", "mail", "write", "browse")
    tools = tuple(Tool(name=name, description=f"{name} does what its name says", parameters={}) for name in names)
    async with CognitiveLayer.open(url, policy=Policy(deadline_ms=60_000)) as layer:
        recent = await layer.explain.turns(agent, REAL_TURNS)
        for n, row in enumerate(recent):
            text = f"Debug the build: what did we say about {row.message[:80]}"
            turn = Turn(agent_id=agent, session_id=f"real-{n // 6}", text=text, tools=tools, runtime="native")
            context = await layer.pre_turn(turn)
            answer = " ".join(shown.content for shown in context.shown[:2]) or "Nothing is known of that."
            await layer.post_turn(context, Outcome(response=answer, tool_calls=[ToolCall(name="grep", result="ok")]))


async def make(directory: Path, size: int, many: int) -> None:
    """Create the large database in a directory and print the durations of slow steps."""
    server = EmbeddedServer(directory)
    urls = server.acquire()
    try:
        await upgrade(urls.owner)
        await fill(urls.admin, size, many)
        await real_turns(urls.app, AGENT)
    finally:
        server.release()


def say(line: str) -> None:
    """Print a line at once, without buffering."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Parse the command line and make the large database."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data directory of an embedded server")
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=1_000_000)
    given = parser.parse_args()
    asyncio.run(make(given.data, given.memories, given.turns))


if __name__ == "__main__":
    main()
