"""A database of the size that the dashboard must stay fast at: one agent with a million memories and turns, and small ones.

    python tests/bench/large.py /path/to/data 1000000 1000000

Arguments: the data directory of an embedded server, memories and turns of the agent `big`. What that directory holds of
`big` and of the small agents is replaced. Then `COGNITIVE_DATA_DIR=/path/to/data` is the way to it.

Synthetic: words by Zipf's law, random unit vectors, one passage per memory, one field per vector; every hundredth memory
nearly says what an earlier one does. Turns are spread over a year with messages, vectors, measures and showings of usual
size, and a trace of a few hundred bytes. Usage and tallies are computed from the turns by SQL, so every sum agrees. The
last turns are real: they went through the whole layer, with traces of full size. Needs 11 KB of disk per memory and turn.
"""

from __future__ import annotations

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

from brain.database import encode_halfvec
from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.migrate import upgrade
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
    "memory", "passage", "posting", "embedding", "session", "turn", "exposure", "usage", "usage_base", "tally", "corpus",
    "policy",
)  # fmt: skip

POLICIES = [Policy(half_life_days=days) for days in (3, 5)] + [Policy()]

# $1 agent, $2 turns, $3 since, $4 seconds of the whole stretch, $5 versions of policies, $6 the embedding model
TURNS = """
INSERT INTO cognitive.turn (agent_id, turn_id, session_id, user_id, at, status, message, policy, frame, degraded, model,
                            query, trace, closed_at, opened_at, called, categories, runtime, measures)
SELECT $1, gen_random_uuid()::text, 's' || n / 20, 'user-' || n % 7, f.at,
    CASE WHEN r.a < 0.005 THEN 'open' WHEN r.a < 0.02 THEN 'failed' WHEN r.a < 0.03 THEN 'abandoned' ELSE 'completed' END,
    m.content, ($5::text[])[1 + n * cardinality($5::text[]) / $2::int], f.frame,
    CASE WHEN r.b < 0.02 THEN ARRAY['retrieve: no answer within 300 ms'] ELSE '{}' END, $6, e.embedding,
    jsonb_build_object('query', m.content, 'now', f.at, 'channels', ARRAY['dense', 'lexical'], 'decoys', '[]'::jsonb,
        'plan', jsonb_build_object('frame', f.frame, 'categories', f.categories), 'record', NULL),
    f.at + interval '9 s', f.at,
    CASE WHEN r.c < 0.4 THEN (ARRAY['exec','read','grep','web_search','calendar','mail','write','browse'])[1 + (r.d * 8)::int % 8
         :1 + (r.d * 8)::int % 8] ELSE '{}' END, f.categories,
    (ARRAY['native','langchain','openai-agents','mcp'])[1 + (r.e * r.e * 4)::int % 4],
    jsonb_build_object('elapsed', ms, 'abstained', r.f < 0.08, 'tools_cut', CASE WHEN r.c < 0.05 THEN 4 ELSE 0 END,
        'stages', jsonb_build_object('embed', round(ms * 0.1, 3), 'retrieve', round(ms * 0.5, 3), 'dedup', round(ms * 0.2, 3),
            'rank', round(ms * 0.1, 3), 'render', round(ms * 0.02, 3), 'plan', round(ms * 0.03, 3)),
        'types', jsonb_build_object('fact', jsonb_build_object('found', 20 + n % 7, 'deduped', n % 2, 'trimmed', n % 5),
            'episode', jsonb_build_object('found', 30 + n % 11, 'deduped', n % 3, 'trimmed', n % 4)))
FROM generate_series(0, $2::int - 1) AS n
CROSS JOIN LATERAL (SELECT random() + 0 * n AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f) AS r
CROSS JOIN LATERAL (SELECT $3::timestamptz + make_interval(secs => $4::float8 * n / $2::int) AS at,
    round((20 * exp(1.2 * sqrt(-2 * ln(1 - r.b)) * cos(6.28318 * r.e)))::numeric, 3) AS ms,
    (ARRAY['conversation','question','task','decision','creative','debug'])[1 + (r.d * r.d * 6)::int % 6] AS frame,
    CASE WHEN r.e < 0.1 THEN '{}' ELSE (ARRAY['coding','research','memory','monitoring','complex'])[1 + (r.e * 5)::int % 5
         :1 + (r.e * 5)::int % 5] END AS categories) AS f
JOIN made AS m ON m.seq = n % $7::int
JOIN cognitive.embedding AS e ON e.agent_id = $1 AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'said' AND e.model = $6
"""

# A few memories are shown all the time; of the others those that are in season, the season moving over the year.
EXPOSURES = """
INSERT INTO cognitive.exposure (agent_id, turn_id, memory_id, type, via, slot, propensity, at, overlap, used, lacked, tokens)
SELECT $1, turn_id, m.id, m.type, CASE WHEN slot = 7 THEN 'recall' ELSE 'prompt' END, slot, 1, d.at,
    CASE WHEN status = 'completed' THEN (d.chance * 0.9)::real END,
    CASE WHEN status = 'completed' THEN m.useful AND d.chance > 0.6 END, (d.chance * 0.3)::real, length(m.content) / 4
FROM (
    SELECT DISTINCT ON (t.turn_id, seq) t.turn_id, t.at, t.status, slot, seq, random() AS chance
    FROM cognitive.turn AS t CROSS JOIN generate_series(0, 7) AS slot CROSS JOIN LATERAL (
        SELECT CASE WHEN u.a < 0.02 THEN (u.b * 20)::int ELSE (power(u.b, 4) * $2::int
                    + extract(epoch FROM t.at - $3::timestamptz) / $4::float8 * $2::int / 2)::int % $2::int END AS seq, u.a
        FROM (SELECT random() + 0 * slot AS a, random() AS b) AS u) AS c
    WHERE t.agent_id = $1 AND c.a < 0.65 AND NOT (t.measures ->> 'abstained')::boolean) AS d
JOIN made AS m ON m.seq = d.seq
"""

USAGE = """
INSERT INTO cognitive.usage (agent_id, memory_id, shown, used, times_shown, times_used, last_at)
SELECT $1, memory_id, sum(cognitive.decayed(1, at, last_at, $2::float8)),
       coalesce(sum(cognitive.decayed(1, at, last_at, $2::float8)) FILTER (WHERE used), 0), count(*),
       count(*) FILTER (WHERE used), min(last_at)
FROM (SELECT memory_id, at, used, max(at) OVER (PARTITION BY memory_id) AS last_at
      FROM cognitive.exposure WHERE agent_id = $1 AND used IS NOT NULL) AS e
GROUP BY memory_id
"""

BASE = """
INSERT INTO cognitive.usage_base (agent_id, type, shown, used, last_at)
SELECT $1, m.type, sum(cognitive.decayed(u.shown, u.last_at, $3::timestamptz, $2::float8)),
       sum(cognitive.decayed(u.used, u.last_at, $3::timestamptz, $2::float8)), $3::timestamptz
FROM cognitive.usage AS u JOIN made AS m ON m.id = u.memory_id WHERE u.agent_id = $1 GROUP BY m.type
"""

# As brain.tally counts a turn, for all turns at once: what each adds (`told`), under which keys, by bucket, in arrays.
TOLD = """
CREATE TEMP TABLE told ON COMMIT DROP AS
SELECT t.turn_id, t.at, t.status, t.frame, t.policy, t.categories, t.runtime, t.called, t.measures,
    cardinality(t.degraded) > 0 AS degraded, (t.measures ->> 'elapsed')::float8 AS ms,
    coalesce((t.measures ->> 'abstained')::boolean, false) AS abstained
FROM cognitive.turn AS t WHERE t.agent_id = $1 AND t.status <> 'open'
"""
COUNTED = """
CREATE TEMP TABLE counted ON COMMIT DROP AS
WITH shown AS (
    SELECT turn_id, type, count(*) AS shown, count(*) FILTER (WHERE used) AS used, sum(tokens) AS tokens,
           coalesce(sum(tokens) FILTER (WHERE used), 0) AS used_tokens
    FROM cognitive.exposure WHERE agent_id = $1 AND used IS NOT NULL GROUP BY turn_id, type),
found AS (
    SELECT t.turn_id, k.key AS type, (k.value ->> 'found')::int AS found, (k.value ->> 'deduped')::int AS deduped,
           (k.value ->> 'trimmed')::int AS trimmed
    FROM told AS t CROSS JOIN LATERAL jsonb_each(t.measures -> 'types') AS k)
SELECT turn_id, type, coalesce(found, 0) AS found, coalesce(deduped, 0) AS deduped, coalesce(trimmed, 0) AS trimmed,
       coalesce(shown, 0) AS shown, coalesce(used, 0) AS used, coalesce(tokens, 0) AS tokens,
       coalesce(used_tokens, 0) AS used_tokens
FROM shown FULL JOIN found USING (turn_id, type)
"""
KEYED = """
CREATE TEMP TABLE keyed ON COMMIT DROP AS
WITH summed AS (
    SELECT turn_id, sum(found) AS found, sum(deduped) AS deduped, sum(trimmed) AS trimmed, sum(shown) AS shown,
           sum(used) AS used, sum(tokens) AS tokens, sum(used_tokens) AS used_tokens
    FROM counted GROUP BY turn_id),
added AS (
    SELECT k.by, k.value, t.at, t.status, t.degraded, t.abstained, c.found, c.shown, c.used, c.tokens, c.used_tokens,
           c.deduped, c.trimmed, t.ms
    FROM told AS t LEFT JOIN summed AS c USING (turn_id) CROSS JOIN LATERAL (
        SELECT 'all' AS by, '' AS value UNION ALL SELECT 'frame', t.frame UNION ALL SELECT 'policy', t.policy
        UNION ALL SELECT 'runtime', t.runtime UNION ALL SELECT 'category', unnest(t.categories)) AS k
    UNION ALL
    SELECT 'type', c.type, t.at, NULL, false, false, c.found, c.shown, c.used, c.tokens, c.used_tokens, c.deduped,
           c.trimmed, NULL
    FROM told AS t JOIN counted AS c USING (turn_id)
    UNION ALL
    SELECT 'stage', s.key, t.at, NULL, false, false, 0, 0, 0, 0, 0, 0, 0, s.value::float8
    FROM told AS t CROSS JOIN LATERAL jsonb_each_text(t.measures -> 'stages') AS s
    UNION ALL
    SELECT 'tool', category || '/' || tool, t.at, NULL, false, false, 0, 0, 0, 0, 0, 0, 0, NULL
    FROM told AS t CROSS JOIN LATERAL unnest(CASE WHEN t.categories = '{}' THEN '{none}' ELSE t.categories END) AS category
         CROSS JOIN LATERAL unnest(t.called) AS tool)
SELECT date_trunc('hour', at, 'UTC') AS at, by, value,
       CASE WHEN ms >= 1 THEN least(79, floor(4 * ln(ms) / ln(2::float8))::int + 1) WHEN ms IS NOT NULL THEN 0 END AS bucket,
       count(*) AS turns, count(*) FILTER (WHERE status = 'completed') AS completed,
       count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'abandoned') AS abandoned,
       count(*) FILTER (WHERE degraded) AS degraded, count(*) FILTER (WHERE abstained) AS abstained, sum(found) AS found,
       sum(shown) AS shown, sum(used) AS used, sum(tokens) AS tokens, sum(used_tokens) AS used_tokens,
       sum(deduped) AS deduped, sum(trimmed) AS trimmed, coalesce(sum(ms), 0) AS milliseconds
FROM added GROUP BY 1, 2, 3, 4
"""
_SUMS = (
    "turns", "completed", "failed", "abandoned", "degraded", "abstained", "found", "shown", "used", "tokens",
    "used_tokens", "deduped", "trimmed", "milliseconds",
)  # fmt: skip
TALLY = f"""
INSERT INTO cognitive.tally (agent_id, span, by, at, value, {", ".join(_SUMS)}, latency)
SELECT $1, span, by, at, value, {", ".join(f"sum({name})" for name in _SUMS)},
       coalesce(('{{' || string_agg(repeat('0,', bucket - before - 1) || turns, ',' ORDER BY bucket) || '}}')::int[], '{{}}')
FROM (SELECT *, coalesce(lag(bucket) OVER (PARTITION BY span, by, at, value ORDER BY bucket), -1) AS before
      FROM (SELECT span, by, date_trunc(span, at, 'UTC') AS at, value, bucket,
                   {", ".join(f"coalesce(sum({name}), 0) AS {name}" for name in _SUMS)}
            FROM keyed CROSS JOIN (VALUES ('hour'), ('day')) AS s(span) GROUP BY 1, 2, 3, 4, 5) AS summed) AS spaced
GROUP BY span, by, at, value
"""  # noqa: S608


def vocabulary(size: int) -> list[str]:
    """Words that nobody knows, each with a lexeme of its own."""
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
    """Rows of the temporary table `made`, in batches: seq, id, identity, type, content, at, session, useful, twin."""
    terms = np.array([lexemes(word)[0] for word in words])
    named = np.array(words)
    kinds = chance.choice(["episode", "fact", "decision", "procedure"], size, p=[0.6, 0.3, 0.06, 0.04])
    said: list[Any] = []
    for first in range(0, size, BATCH):
        rows = []
        for n in range(first, min(first + BATCH, size)):
            twin = n - 1 - int(chance.integers(0, min(n, 1000))) if n % 100 == 99 else None
            picked = (
                (chance.zipf(1.3, int(chance.integers(8, 14))) * 2654435761 % len(words)) if twin is None
                else np.append(said[twin % len(said)], int(chance.integers(0, len(words))))
            )  # fmt: skip
            said = [*said[-1999:], picked] if n % BATCH else [picked]
            identity = hashlib.sha256(f"{agent} {n}".encode()).digest()
            at = SINCE + (UNTIL - SINCE) * (n / size)
            rows.append((
                n, UUID(bytes=identity[:16]), identity, str(kinds[n]), " ".join(named[picked]).capitalize() + ".", at,
                n // 25, bool(chance.random() > 0.15), list(dict.fromkeys(terms[picked])),
            ))  # fmt: skip
        yield rows


MADE = """
CREATE TEMP TABLE made (seq bigint, id uuid, identity bytea, type text, content text, at timestamptz, session integer,
                        useful boolean, lexemes text[])
"""
STORE = (
    """INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, speaker, occurred_at, session_id, session_no,
                                     tags, entities, confidence, pinned, created_at, updated_at)
       SELECT $1, id, seq, identity, type, content, CASE WHEN type = 'episode' THEN 'Ines' END, at, 's' || session, session,
              CASE WHEN seq % 10 = 0 THEN ARRAY['tag-' || seq % 70] ELSE '{}' END, '{}', 1, seq < 5, at, at FROM made""",
    """UPDATE cognitive.memory AS old SET superseded_by = new.id
       FROM made AS new JOIN made AS was ON was.seq = new.seq - 40
       WHERE new.seq % 200 = 50 AND old.agent_id = $1 AND old.id = was.id""",
    """UPDATE cognitive.memory AS new SET supersedes = old.id FROM cognitive.memory AS old
       WHERE old.agent_id = $1 AND old.superseded_by IS NOT NULL AND new.agent_id = $1 AND new.id = old.superseded_by""",
    """INSERT INTO cognitive.passage (agent_id, memory_id, ordinal, start, stop, said_length, around_length, lexemes)
       SELECT $1, id, 0, 0, length(content), cardinality(lexemes), cardinality(lexemes), lexemes FROM made""",
    """INSERT INTO cognitive.posting (agent_id, lexeme, memory_id, ordinal, type, session_no, said, around, said_length,
                                      around_length)
       SELECT $1, unnest(lexemes), id, 0, type, session, 1, 1, cardinality(lexemes), cardinality(lexemes) FROM made""",
    """INSERT INTO cognitive.session (agent_id, session_id, no, memories, lexemes, turns, started_at, last_at)
       SELECT $1, 's' || session, session, count(*), sum(cardinality(lexemes)), 20, min(at), max(at) FROM made
       GROUP BY session""",
    """INSERT INTO cognitive.corpus (agent_id, next_seq, next_session, memories, passages, sessions, said_lexemes,
                                     around_lexemes)
       SELECT $1, max(seq) + 1, max(session) + 1, count(*), count(*), count(DISTINCT session), sum(cardinality(lexemes)),
              sum(cardinality(lexemes)) FROM made""",
)


async def store(c: asyncpg.Connection, agent: str, size: int, words: list[str]) -> None:
    """Memories with their index entries and vectors, and the temporary table `made` of them."""
    chance = np.random.default_rng(size)
    await c.execute(MADE)
    for rows in memories(agent, size, words, chance):
        await c.copy_records_to_table("made", records=rows)
        vectors = chance.standard_normal((len(rows), MiniLM.dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        for n in range(99, len(rows), 100):
            vectors[n] = vectors[n - 1] + vectors[n] * 0.02  # nearly the same direction as the one before
            vectors[n] /= np.linalg.norm(vectors[n])
        await c.copy_records_to_table(
            "embedding", schema_name="cognitive",
            columns=["agent_id", "memory_id", "ordinal", "field", "model", "dimension", "type", "embedding"],
            records=[(agent, row[1], 0, "said", MiniLM.model, MiniLM.dimension, row[3], encode_halfvec(vector))
                     for row, vector in zip(rows, vectors, strict=True)],
        )  # fmt: skip
    await c.execute("CREATE INDEX ON made (seq)")
    await c.execute("ANALYZE made")
    for statement in STORE:
        await timed(c, statement, agent)


async def turns(c: asyncpg.Connection, agent: str, size: int, many: int) -> None:
    """Turns, what they showed, usage and tallies."""
    versions = [policy.for_agent(agent).version for policy in POLICIES]
    whole, half_life = (UNTIL - SINCE).total_seconds(), Policy().half_life_days * 86_400
    for n, policy in enumerate(POLICIES):
        own = policy.for_agent(agent)
        await c.execute(
            "INSERT INTO cognitive.policy (agent_id, version, content, first_used_at) VALUES ($1, $2, $3::text::jsonb, $4)",
            agent, own.version, own.model_dump_json(), SINCE + (UNTIL - SINCE) * n / len(POLICIES),
        )  # fmt: skip
    await timed(c, TURNS, agent, many, SINCE, whole, versions, MiniLM.model, size)
    await timed(c, EXPOSURES, agent, size, SINCE, whole)
    await timed(c, USAGE, agent, half_life)
    await timed(c, BASE, agent, half_life, UNTIL)
    for statement in (TOLD, COUNTED, KEYED, TALLY):
        await timed(c, statement, *([agent] if "$1" in statement else []))


async def timed(c: asyncpg.Connection, statement: str, *arguments: Any) -> None:
    start = perf_counter()
    if statement.lstrip().startswith("CREATE TEMP"):  # which takes no parameters; the agent's name is one of ours
        await c.execute(statement.replace("$1", f"'{arguments[0]}'") if arguments else statement)
    else:
        await c.execute(statement, *arguments)
    took = perf_counter() - start
    if took > 5:
        say(f"  {took:.0f} s: {' '.join(statement.split())[:90]}")


async def copy_small(c: asyncpg.Connection) -> None:
    """The first small agent again, under the other names."""
    for table in TABLES:
        rows = await c.fetch(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND attname <> 'agent_id'"
            " AND NOT attisdropped", f"cognitive.{table}"
        )  # fmt: skip
        names = ", ".join(f'"{row["attname"]}"' for row in rows)
        await c.execute(
            f"INSERT INTO cognitive.{table} (agent_id, {names}) SELECT '{SMALL}' || lpad(n::text, 3, '0'), {names}"  # noqa: S608
            f" FROM cognitive.{table}, generate_series(1, {SMALLS - 1}) AS n WHERE agent_id = '{SMALL}000'"
        )


async def fill(admin: str, size: int, many: int) -> None:
    """All agents, as superuser: without indexes while rows come in, and without a look at foreign keys."""
    words = vocabulary(20_000)
    c = await asyncpg.connect(admin)
    await c.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")
    await c.execute("SET session_replication_role = replica; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB';"
                    "SET synchronous_commit = off; SET max_parallel_maintenance_workers = 0")  # fmt: skip
    for table in TABLES:
        await c.execute(f"DELETE FROM cognitive.{table} WHERE agent_id = $1 OR agent_id LIKE $2", AGENT, SMALL + "%")  # noqa: S608
    dropped = await drop_indexes(c)
    for agent, size, many in ((f"{SMALL}000", *OF_SMALL), (AGENT, size, many)):
        start = perf_counter()
        async with c.transaction():
            await store(c, agent, size, words)
            await turns(c, agent, size, many)
            await c.execute("DROP TABLE made")
        say(f"{agent}: {size} memories, {many} turns in {perf_counter() - start:.0f} s")
    await copy_small(c)
    for statement in dropped:
        await timed(c, statement)
    await timed(c, "VACUUM ANALYZE")
    await c.close()


async def drop_indexes(c: asyncpg.Connection) -> list[str]:
    """Drops what is not needed while rows come in, and returns the statements that make it again."""
    rows = await c.fetch("""
        SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
        FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
        WHERE t.relnamespace = 'cognitive'::regnamespace AND t.relname = ANY($1)
          AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)""", list(TABLES))  # fmt: skip
    for row in rows:
        await c.execute(f"DROP INDEX {row['name']}")
    return [row["definition"] for row in rows]


async def real_turns(url: str, agent: str) -> None:
    """Turns through the whole layer, so that there are traces of full size."""
    names = ("exec", "read", "grep", "web_search", "calendar", "mail", "write", "browse")
    tools = tuple(Tool(name=name, description=f"{name} does what its name says", parameters={}) for name in names)
    async with CognitiveLayer.open(url, policy=Policy(deadline_ms=60_000)) as layer:
        recent = await layer.turns(agent, REAL_TURNS)
        for n, row in enumerate(recent):
            text = f"Debug the build: what did we say about {row['message'][:80]}"
            turn = Turn(agent_id=agent, session_id=f"real-{n // 6}", text=text, tools=tools, runtime="native")
            context = await layer.pre_turn(turn)
            answer = " ".join(shown.content for shown in context.shown[:2]) or "Nothing is known of that."
            await layer.post_turn(context, Outcome(response=answer, tool_calls=[ToolCall(name="grep", result="ok")]))


async def main(directory: Path, size: int, many: int) -> None:
    """Makes it all; prints what took long."""
    server = EmbeddedServer(directory)
    urls = server.acquire()
    try:
        await upgrade(urls.owner)
        await fill(urls.admin, size, many)
        await real_turns(urls.app, AGENT)
    finally:
        server.release()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *(int(each) for each in sys.argv[2:4])))
