-- name: totals
-- Counts of a stretch of time [$3, $4) in whole hours, added up by value; the most frequent values, at most $7. The whole
-- days [$5, $6) in it are read as days, what is left before and after them as hours.
SELECT value, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds
FROM cognitive.tally
WHERE agent_id = $1 AND by = $2
  AND (span = 'day' AND at >= $5 AND at < $6
       OR span = 'hour' AND at >= $3 AND at < $5 OR span = 'hour' AND at >= $6 AND at < $4)
GROUP BY value ORDER BY sum(turns) DESC, value LIMIT $7

-- name: latencies
-- The times counted in the same stretch, one row for each hour or day, for the values $7.
SELECT value, latency FROM cognitive.tally
WHERE agent_id = $1 AND by = $2 AND value = ANY($7::text[]) AND cardinality(latency) > 0
  AND (span = 'day' AND at >= $5 AND at < $6
       OR span = 'hour' AND at >= $3 AND at < $5 OR span = 'hour' AND at >= $6 AND at < $4)

-- name: series
-- Counts of [$4, $5) by steps of time ('hour' or 'day') in a time zone ($7), of one value or of all ($8 NULL); at most
-- $9 rows.
SELECT date_trunc($6, at, $7) AS step, value, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds
FROM cognitive.tally
WHERE agent_id = $1 AND span = $2 AND by = $3 AND at >= $4 AND at < $5 AND ($8::text IS NULL OR value = $8)
GROUP BY step, value ORDER BY step, value LIMIT $9

-- name: series_latencies
SELECT date_trunc($6, at, $7) AS step, value, latency FROM cognitive.tally
WHERE agent_id = $1 AND span = $2 AND by = $3 AND at >= $4 AND at < $5 AND ($8::text IS NULL OR value = $8)
  AND cardinality(latency) > 0

-- name: agents
-- What each agent's turns came to; read as cognitive_overview, whom a policy of its own lets see the counts of all.
SELECT agent_id, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds, max(at) AS last_at
FROM cognitive.tally WHERE span = $1 AND by = 'all' AND at >= $2 AND at < $3
GROUP BY agent_id ORDER BY sum(turns) DESC, agent_id LIMIT $4

-- name: turns
-- Walks an agent's turns, here those of session $2, back from ($3, $4), and keeps those that the filters let through
-- (NULL: any). Looks at <most> of them, and says how far it came if that was not enough: a filter that keeps few costs
-- no more than that. $5 the oldest time, which is never NULL: only as it stands does the index know it; $6 status, $7 frame, $8 category, $9 runtime, $10 policy, $11 degraded,
-- $12 abstained, $13 a tool that was called, $14 patterns of its message, $15 milliseconds at least, $16 how many rows, $17
-- the user, $18 the type and $19 the verdict of a memory that it showed, $20 a stage that ran, which $15 is of then, $21
-- what became of a memory that it found.
WITH page AS MATERIALIZED (
    SELECT turn_id, at, looked FROM (
        SELECT turn_id, at, status, frame, categories, runtime, policy, degraded, measures, called, message, user_id,
               row_number() OVER (ORDER BY at DESC, turn_id DESC) AS looked
        FROM cognitive.turn
        WHERE agent_id = $1 AND session_id = $2 AND at <= $3 AND (at < $3 OR turn_id < $4)
              AND at >= $5
        ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked
    WHERE ($6::text IS NULL OR status = $6 OR $6 = 'unfinished' AND status IN ('failed', 'abandoned')) AND ($7::text IS NULL OR frame = $7)
      AND ($8::text IS NULL OR categories @> ARRAY[$8::text]) AND ($9::text IS NULL OR runtime = $9)
      AND ($10::text IS NULL OR policy = $10) AND ($11::boolean IS NULL OR (cardinality(degraded) > 0) = $11)
      AND ($12::boolean IS NULL OR coalesce((measures ->> 'abstained')::boolean, false) = $12)
      AND ($13::text IS NULL OR called @> ARRAY[$13::text]) AND ($14::text[] IS NULL OR message ILIKE ALL ($14))
      AND ($15::float8 IS NULL
           OR (CASE WHEN $20::text IS NULL THEN measures ->> 'elapsed' ELSE measures -> 'stages' ->> $20 END)::float8 >= $15)
      AND ($17::text IS NULL OR user_id = $17) AND ($20::text IS NULL OR measures -> 'stages' ? $20)
      AND ($21::text IS NULL OR EXISTS (
          SELECT 1 FROM jsonb_each(measures -> 'types') AS own WHERE (own.value ->> $21)::int > 0))
      AND ($18::text IS NULL AND $19::boolean IS NULL OR EXISTS (
          SELECT 1 FROM cognitive.exposure AS e WHERE e.agent_id = $1 AND e.turn_id = walked.turn_id
                 AND ($18::text IS NULL OR e.type = $18) AND ($19::boolean IS NULL OR e.used = $19) OFFSET 0))
    ORDER BY at DESC, turn_id DESC LIMIT $16),
-- Only asked where the page is not full: how many there were to look at, and the last of them.
reach AS MATERIALIZED (
    SELECT count(*) AS looked, (array_agg(at ORDER BY at, turn_id))[1] AS last_at,
           (array_agg(turn_id ORDER BY at, turn_id))[1] AS last_key
    FROM (SELECT at, turn_id FROM cognitive.turn
          WHERE (SELECT count(*) FROM page) < $16 AND agent_id = $1 AND session_id = $2 AND at <= $3
                AND (at < $3 OR turn_id < $4) AND at >= $5
          ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked)
SELECT greatest(reach.looked, page.looked) AS looked, reach.last_at, reach.last_key, t.turn_id, t.session_id, t.user_id,
       t.at, t.status, left(t.message, 500) AS message, t.frame, t.categories, t.runtime, t.policy, t.degraded, t.called,
       (t.measures ->> 'elapsed')::float8 AS milliseconds,
       (SELECT sum((own.value ->> 'found')::int) FROM jsonb_each(t.measures -> 'types') AS own) AS found,
       coalesce((t.measures ->> 'abstained')::boolean, false) AS abstained, e.shown, e.used, e.tokens
FROM reach LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.turn WHERE agent_id = $1 AND turn_id = page.turn_id OFFSET 0) AS t) ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS shown, count(*) FILTER (WHERE used) AS used, coalesce(sum(tokens), 0) AS tokens
    FROM cognitive.exposure WHERE agent_id = $1 AND turn_id = t.turn_id OFFSET 0) AS e ON true
ORDER BY t.at DESC, t.turn_id DESC

-- name: turn
-- A turn's numbers beside its trace, and the turns before and after it in its session.
SELECT t.turn_id, t.session_id, t.user_id, t.at, t.opened_at, t.closed_at, t.reaped, t.status, t.message, t.frame,
       t.categories, t.runtime, t.policy, t.degraded, t.called, t.model, t.measures, t.trace -> 'timings' AS timings,
       t.trace -> 'trim' AS trim, t.trace -> 'window' AS "window", t.trace -> 'sections' AS sections, t.trace -> 'excerpts' AS excerpts,
       nullif(t.response, '') AS response, pg_column_size(t.trace) AS bytes,
       (SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND session_id = t.session_id AND at < t.at
        ORDER BY at DESC, turn_id DESC LIMIT 1) AS previous,
       (SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND session_id = t.session_id AND at > t.at
        ORDER BY at, turn_id LIMIT 1) AS next
FROM cognitive.turn AS t WHERE t.agent_id = $1 AND t.turn_id = $2

-- name: memories
-- Walks an agent's memories back from ($4, $5) as `turns` does, over one of the walks below. $6 the oldest time; $7 a
-- tag, $8 patterns of what it says, $9 pinned, $10 superseded, $11 how many rows.
WITH page AS MATERIALIZED (
    SELECT walked.id, walked.occurred_at, walked.seq, walked.looked
    FROM (SELECT *, row_number() OVER (ORDER BY occurred_at DESC, seq DESC) AS looked FROM (<walk>) AS w) AS walked
    CROSS JOIN LATERAL (
        SELECT ($7::text IS NULL OR tags @> ARRAY[$7::text]) AND ($8::text[] IS NULL OR content ILIKE ALL ($8))
               AND ($9::boolean IS NULL OR pinned = $9) AND ($10::boolean IS NULL OR (superseded_by IS NOT NULL) = $10)
               AS kept
        FROM cognitive.memory WHERE agent_id = $1 AND id = walked.id OFFSET 0) AS m
    WHERE m.kept ORDER BY walked.occurred_at DESC, walked.seq DESC LIMIT $11),
reach AS MATERIALIZED (
    SELECT count(*) AS looked, min(occurred_at) AS last_at, (array_agg(seq ORDER BY occurred_at, seq))[1] AS last_key
    FROM (<walk>) AS walked WHERE (SELECT count(*) FROM page) < $11)
SELECT greatest(reach.looked, page.looked) AS looked, reach.last_at, reach.last_key, m.id, m.seq, m.type,
       left(m.content, 500) AS content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.superseded_by, u.shown,
       u.used, u.times_shown, u.times_used, u.last_at AS shown_at
FROM reach LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.memory WHERE agent_id = $1 AND id = page.id OFFSET 0) AS m) ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY m.occurred_at DESC, m.seq DESC

-- name: walk_types
-- Memories of types $2, each type from its index, merged as they come; of no session ($3).
SELECT id, occurred_at, seq FROM (
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'decision' = ANY($2::text[]) AND agent_id = $1 AND type = 'decision' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND ($6::timestamptz IS NULL OR occurred_at >= $6)
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)
    UNION ALL
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'fact' = ANY($2::text[]) AND agent_id = $1 AND type = 'fact' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND ($6::timestamptz IS NULL OR occurred_at >= $6)
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)
    UNION ALL
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'procedure' = ANY($2::text[]) AND agent_id = $1 AND type = 'procedure' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND ($6::timestamptz IS NULL OR occurred_at >= $6)
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)
    UNION ALL
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'episode' = ANY($2::text[]) AND agent_id = $1 AND type = 'episode' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND ($6::timestamptz IS NULL OR occurred_at >= $6)
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)) AS own
WHERE $3::text IS NULL ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: walk_session
-- Memories of types $2 in session $3.
SELECT id, occurred_at, seq FROM cognitive.memory
WHERE agent_id = $1 AND session_id = $3 AND type = ANY($2::text[]) AND occurred_at <= $4
      AND (occurred_at < $4 OR seq < $5) AND ($6::timestamptz IS NULL OR occurred_at >= $6)
ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: group_sizes
-- How many of the first <sample> memories by id are in each group; ids are hashes, so these are a random sample of all.
-- $2 now, $3 the half-life in seconds, $4 showings that tell, $5 uses that tell, $6 the share of fresh use of what rises,
-- $7 the mass of use that is left of what is stale.
SELECT count(*) AS looked, coalesce((SELECT memories FROM cognitive.corpus WHERE agent_id = $1), 0) AS memories,
       count(*) FILTER (WHERE u.memory_id IS NULL) AS never,
       count(*) FILTER (WHERE u.times_used = 0 AND u.times_shown >= $4) AS ignored,
       count(*) FILTER (WHERE u.times_used >= $5 AND n.used >= $6::float8 * u.times_used) AS rising,
       count(*) FILTER (WHERE u.times_used >= $5 AND n.used < $7::float8) AS stale
FROM (SELECT id FROM cognitive.memory WHERE agent_id = $1 ORDER BY id LIMIT <sample>) AS m
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
CROSS JOIN LATERAL (SELECT cognitive.decayed(u.used, u.last_at, $2, $3::float8) AS used) AS n

-- name: group
-- The members of group $8 among the <sample> memories whose ids follow $9, those that deserve it most first, from behind
-- ($10, $11) on; $12 how many rows.
WITH walked AS MATERIALIZED (
    SELECT m.id, CASE $8 WHEN 'never' THEN extract(epoch FROM $2 - m.created_at)::float8
                         WHEN 'ignored' THEN u.times_shown::float8 WHEN 'rising' THEN n.used
                         ELSE u.times_used::float8 END AS score,
           CASE $8 WHEN 'never' THEN u.memory_id IS NULL
                   WHEN 'ignored' THEN u.times_used = 0 AND u.times_shown >= $4
                   WHEN 'rising' THEN u.times_used >= $5 AND n.used >= $6::float8 * u.times_used
                   WHEN 'stale' THEN u.times_used >= $5 AND n.used < $7::float8 END AS kept
    FROM (SELECT id, created_at FROM cognitive.memory WHERE agent_id = $1 AND id > $9 ORDER BY id LIMIT <sample>) AS m
    LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
    CROSS JOIN LATERAL (SELECT cognitive.decayed(u.used, u.last_at, $2, $3::float8) AS used) AS n),
page AS (
    SELECT id, score FROM walked
    WHERE kept AND ($10::float8 IS NULL OR score < $10 OR score = $10 AND id > $11)
    ORDER BY score DESC, id LIMIT $12)
SELECT l.looked, l.last_id, page.score, m.id, m.seq, m.type, left(m.content, 500) AS content, m.speaker, m.occurred_at,
       m.session_id, m.tags, m.pinned, m.superseded_by, u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at
FROM (SELECT count(*) AS looked, (SELECT id FROM walked ORDER BY id DESC LIMIT 1) AS last_id FROM walked) AS l
LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.memory WHERE agent_id = $1 AND id = page.id OFFSET 0) AS m) ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY page.score DESC, m.id

-- name: life
-- When a memory was stored and changed, what it replaced and what replaced it, and its use so far.
SELECT m.id, m.seq, m.type, m.content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.superseded_by,
       m.supersedes, m.created_at, m.updated_at, m.confidence::float8 AS confidence, m.source, m.context, m.entities,
       u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at,
       (SELECT count(*) FROM cognitive.passage WHERE agent_id = $1 AND memory_id = m.id) AS passages,
       (SELECT left(content, 500) FROM cognitive.memory WHERE agent_id = $1 AND id = m.supersedes) AS replaced,
       (SELECT left(content, 500) FROM cognitive.memory WHERE agent_id = $1 AND id = m.superseded_by) AS replacement
FROM cognitive.memory AS m LEFT JOIN cognitive.usage AS u ON u.agent_id = $1 AND u.memory_id = m.id
WHERE m.agent_id = $1 AND m.id = $2

-- name: showings
-- The turns that showed a memory, back from ($3, $4).
SELECT e.turn_id, e.at, e.via, e.slot, e.tokens, e.overlap::float8 AS overlap, e.used, e.rating,
       e.propensity::float8 AS propensity, e.lacked::float8 AS lacked, t.status, t.session_id, left(t.message, 500) AS message
FROM (SELECT * FROM cognitive.exposure
      WHERE agent_id = $1 AND memory_id = $2 AND at <= $3 AND (at < $3 OR turn_id < $4)
      ORDER BY at DESC, turn_id DESC LIMIT $5) AS e
LEFT JOIN LATERAL (
    SELECT status, session_id, message FROM cognitive.turn WHERE agent_id = $1 AND turn_id = e.turn_id OFFSET 0) AS t ON true
ORDER BY e.at DESC, e.turn_id DESC

-- name: shown_at
-- When a memory was shown lately, and what came of it: the latest $3, in the order of time.
SELECT at, used, rating FROM (
    SELECT at, used, rating, turn_id FROM cognitive.exposure WHERE agent_id = $1 AND memory_id = $2
    ORDER BY at DESC, turn_id DESC LIMIT $3) AS latest
ORDER BY at, turn_id

-- name: near_by_words
-- The memories most like one by the vectors of their first passages, among those that have one of its rarest words:
-- of each of its words up to $3 passages are read, of all $4. A near-duplicate without a rare word in common is missed.
WITH own AS MATERIALIZED (
    SELECT p.lexemes, e.embedding FROM cognitive.passage AS p JOIN cognitive.embedding AS e
        ON e.agent_id = $1 AND e.memory_id = p.memory_id AND e.ordinal = 0 AND e.field = 'said' AND e.model = $5
    WHERE p.agent_id = $1 AND p.memory_id = $2 AND p.ordinal = 0),
rare AS MATERIALIZED (
    SELECT lexeme, d.passages FROM own CROSS JOIN LATERAL unnest(own.lexemes) AS word(lexeme) CROSS JOIN LATERAL (
        SELECT count(*) AS passages FROM (
            SELECT 1 FROM cognitive.posting WHERE agent_id = $1 AND posting.lexeme = word.lexeme LIMIT $3) AS p) AS d
    ORDER BY d.passages, lexeme),
candidate AS MATERIALIZED (
    SELECT memory_id FROM rare CROSS JOIN LATERAL (
        SELECT memory_id FROM cognitive.posting
        WHERE agent_id = $1 AND lexeme = rare.lexeme AND ordinal = 0 LIMIT $3) AS p
    WHERE memory_id <> $2 ORDER BY rare.passages LIMIT $4),
compared AS MATERIALIZED (
    SELECT c.memory_id, -(e.embedding <#> own.embedding) AS cosine
    FROM own CROSS JOIN (SELECT DISTINCT memory_id FROM candidate) AS c CROSS JOIN LATERAL (
        SELECT embedding FROM cognitive.embedding
        WHERE agent_id = $1 AND memory_id = c.memory_id AND ordinal = 0 AND field = 'said' AND model = $5 OFFSET 0) AS e)
SELECT (SELECT count(*) FROM compared) AS looked, near.cosine, m.id, m.seq, m.type, left(m.content, 500) AS content,
       m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.superseded_by, u.shown, u.used, u.times_shown,
       u.times_used, u.last_at AS shown_at
FROM (SELECT 1) AS always
LEFT JOIN (SELECT * FROM compared WHERE cosine >= $6 ORDER BY cosine DESC, memory_id LIMIT $7) AS near ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.memory WHERE agent_id = $1 AND id = near.memory_id OFFSET 0) AS m ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY near.cosine DESC, m.id

-- name: policies
-- Every policy that some turn was planned under, the latest first, with what its turns came to.
SELECT p.version, p.first_used_at, c.*
FROM (SELECT version, first_used_at FROM cognitive.policy WHERE agent_id = $1
      ORDER BY first_used_at DESC, version LIMIT $2) AS p
CROSS JOIN LATERAL (
    SELECT coalesce(sum(turns), 0)::bigint AS turns, coalesce(sum(completed), 0)::bigint AS completed,
           coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(abandoned), 0)::bigint AS abandoned,
           coalesce(sum(degraded), 0)::bigint AS degraded, coalesce(sum(abstained), 0)::bigint AS abstained,
           coalesce(sum(found), 0)::bigint AS found, coalesce(sum(shown), 0)::bigint AS shown,
           coalesce(sum(used), 0)::bigint AS used, coalesce(sum(tokens), 0)::bigint AS tokens,
           coalesce(sum(used_tokens), 0)::bigint AS used_tokens, coalesce(sum(deduped), 0)::bigint AS deduped,
           coalesce(sum(trimmed), 0)::bigint AS trimmed, coalesce(sum(milliseconds), 0)::float8 AS milliseconds,
           max(at) AS last_at
    FROM cognitive.tally WHERE agent_id = $1 AND span = 'day' AND by = 'policy' AND value = p.version) AS c
ORDER BY p.first_used_at DESC, p.version

-- name: left_out
-- Tools that the latest $2 turns went without, by category: removed by the plan, cut to fit the model; and how often the
-- model asked for one of them nonetheless.
WITH latest AS MATERIALIZED (
    SELECT categories, called, trace -> 'plan' -> 'removed' AS removed, trace -> 'trim' -> 'cut' AS cut
    FROM cognitive.turn WHERE agent_id = $1 ORDER BY at DESC LIMIT $2),
gone AS (
    SELECT categories, called, name, 1 AS removed, 0 AS cut
    FROM latest CROSS JOIN LATERAL jsonb_array_elements_text(removed) AS name WHERE jsonb_typeof(removed) = 'array'
    UNION ALL
    SELECT categories, called, name, 0, 1
    FROM latest CROSS JOIN LATERAL jsonb_array_elements_text(cut) AS name WHERE jsonb_typeof(cut) = 'array'),
counted AS (
    SELECT category, name, sum(removed) AS removed, sum(cut) AS cut, count(*) FILTER (WHERE called @> ARRAY[name]) AS asked
    FROM gone CROSS JOIN LATERAL unnest(CASE WHEN categories = '{}' THEN '{none}' ELSE categories END) AS category
    GROUP BY category, name ORDER BY count(*) DESC, category, name LIMIT $3)
SELECT l.looked, counted.* FROM (SELECT count(*) AS looked FROM latest) AS l LEFT JOIN counted ON true
ORDER BY removed + cut DESC, category, name

-- name: relations
-- Tables and indexes: bytes, rows as estimated, whether an index is valid, when a table was last analysed.
SELECT c.relname AS name, CASE c.relkind WHEN 'i' THEN 'index' ELSE 'table' END AS kind, t.relname AS of_table,
       CASE c.relkind WHEN 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END AS bytes,
       c.reltuples::bigint AS rows, coalesce(i.indisvalid AND i.indisready, true) AS valid,
       greatest(s.last_analyze, s.last_autoanalyze) AS analyzed_at, coalesce(s.n_dead_tup, 0) AS dead
FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
LEFT JOIN pg_class AS t ON t.oid = i.indrelid LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
WHERE c.relnamespace = 'cognitive'::regnamespace AND c.relkind IN ('r', 'i')
ORDER BY bytes DESC, c.relname

-- name: models
-- Embedding models of the vectors of the first <sample> passages by the memory's id, which is a hash: a random sample.
SELECT model, count(*) AS vectors, (sum(count(*)) OVER ())::bigint AS looked
FROM (SELECT model FROM cognitive.embedding WHERE agent_id = $1 ORDER BY memory_id, ordinal, field, model LIMIT <sample>) AS sample
GROUP BY model ORDER BY count(*) DESC, model

-- name: oldest_open
SELECT turn_id, session_id, opened_at, left(message, 500) AS message FROM cognitive.turn
WHERE agent_id = $1 AND status = 'open' ORDER BY opened_at LIMIT $2

-- name: standing
-- Counters of the agent, open turns (counted up to $2), and the server.
SELECT coalesce(c.memories, 0) AS memories, coalesce(c.passages, 0) AS passages, coalesce(c.sessions, 0) AS sessions,
       (SELECT count(*) FROM (SELECT 1 FROM cognitive.turn WHERE agent_id = $1 AND status = 'open' LIMIT $2) AS o) AS open_turns,
       current_setting('server_version') AS postgres,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT version_num FROM cognitive.alembic_version) AS revision, pg_database_size(current_database()) AS bytes
FROM (SELECT 1) AS always LEFT JOIN cognitive.corpus AS c ON c.agent_id = $1
