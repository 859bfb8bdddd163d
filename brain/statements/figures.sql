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

-- name: turns
-- Walks an agent's turns, here those of session $2, back from ($3, $4), and keeps those that the filters let through
-- (NULL: any). Looks at <most> of them, and says how far it came if that was not enough: a filter that keeps few costs
-- no more than that. $5 the oldest time, which is never NULL: only as it stands does the index know it; $6 status, $7 frame, $8 category, $9 runtime, $10 policy, $11 degraded,
-- $12 abstained, $13 a tool that was called, $14 patterns of its message, $15 milliseconds at least, $16 how many rows, $17
-- the user, $18 the type and $19 the verdict of a memory that it showed, $20 a stage that ran, which $15 is of then, $21
-- what became of a memory that it found,
-- $22 the language model that it was for ('': none was named), $23 whether tools were cut to fit it, $24 the code
-- of a degradation.
WITH page AS MATERIALIZED (
    SELECT turn_id, at, looked FROM (
        SELECT turn_id, at, status, frame, categories, runtime, policy, degraded, degraded_codes, measures, called, message, user_id,
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
      AND ($22::text IS NULL OR coalesce(measures ->> 'model', '') = $22)
      AND ($23::boolean IS NULL OR (coalesce((measures ->> 'tools_cut')::int, 0) > 0) = $23)
      AND ($24::text IS NULL OR degraded_codes @> ARRAY[$24::text])
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
       t.at, t.status, left(t.message, 500) AS message, t.frame, t.categories, t.runtime, t.policy, t.degraded, t.degraded_codes, t.called,
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
       t.categories, t.runtime, t.policy, t.degraded, t.degraded_codes, t.called, t.model, t.measures, t.trace -> 'timings' AS timings,
       t.trace -> 'trim' AS trim, t.trace -> 'window' AS "window", t.trace -> 'sections' AS sections, t.trace -> 'excerpts' AS excerpts,
       nullif(t.response, '') AS response, pg_column_size(t.trace) AS bytes,
       (SELECT content ->> 'attribution' FROM cognitive.policy WHERE agent_id = $1 AND version = t.policy) AS attribution,
       (SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND session_id = t.session_id AND at < t.at
        ORDER BY at DESC, turn_id DESC LIMIT 1) AS previous,
       (SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND session_id = t.session_id AND at > t.at
        ORDER BY at, turn_id LIMIT 1) AS next
FROM cognitive.turn AS t WHERE t.agent_id = $1 AND t.turn_id = $2

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
-- Tools that the latest $2 turns (in [$4, $5), NULL: any) went without, by category: removed by the plan, cut to fit the
-- model; how often the model called one of them nonetheless, or the message has its name; and the latest 5 such turns.
WITH latest AS MATERIALIZED (
    SELECT turn_id, at, message, categories, called, trace -> 'plan' -> 'removed' AS removed, trace -> 'trim' -> 'cut' AS cut
    FROM cognitive.turn
    WHERE agent_id = $1 AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5)
    ORDER BY at DESC LIMIT $2),
gone AS (
    SELECT latest.*, name, 1 AS was_removed, 0 AS was_cut
    FROM latest CROSS JOIN LATERAL jsonb_array_elements_text(removed) AS name WHERE jsonb_typeof(removed) = 'array'
    UNION ALL
    SELECT latest.*, name, 0, 1
    FROM latest CROSS JOIN LATERAL jsonb_array_elements_text(cut) AS name WHERE jsonb_typeof(cut) = 'array'),
judged AS (
    SELECT *, called @> ARRAY[name] AS was_called,
           length(name) >= 4 AND (strpos(lower(message), lower(name)) > 0
               OR strpos(lower(message), lower(replace(name, '_', ' '))) > 0) AS was_named
    FROM gone),
counted AS (
    SELECT category, name, sum(was_removed) AS removed, sum(was_cut) AS cut, count(*) FILTER (WHERE was_called) AS asked,
           count(*) FILTER (WHERE was_named AND NOT was_called) AS named,
           coalesce((array_agg(turn_id ORDER BY at DESC, turn_id) FILTER (WHERE was_called OR was_named))[1:5], '{}') AS wanted_in,
           (array_agg(turn_id ORDER BY at DESC, turn_id))[1:5] AS left_out_in
    FROM judged CROSS JOIN LATERAL unnest(CASE WHEN categories = '{}' THEN '{none}' ELSE categories END) AS category
    GROUP BY category, name
    ORDER BY count(*) FILTER (WHERE was_called OR was_named) DESC, count(*) DESC, category, name LIMIT $3)
SELECT l.looked, counted.* FROM (SELECT count(*) AS looked FROM latest) AS l LEFT JOIN counted ON true
ORDER BY counted.asked + counted.named DESC, removed + cut DESC, category, name

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
-- Counters of the agent, and open turns (counted up to $2).
SELECT coalesce(c.memories, 0) AS memories, coalesce(c.passages, 0) AS passages, coalesce(c.sessions, 0) AS sessions,
       (SELECT count(*) FROM (SELECT 1 FROM cognitive.turn WHERE agent_id = $1 AND status = 'open' LIMIT $2) AS o) AS open_turns
FROM (SELECT 1) AS always LEFT JOIN cognitive.corpus AS c ON c.agent_id = $1

-- name: server
-- By itself: in a cluster, what only the coordinator has cannot be read beside an agent's rows.
SELECT current_setting('server_version') AS postgres, pg_database_size(current_database()) AS bytes,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT version_num FROM cognitive.alembic_version) AS revision
