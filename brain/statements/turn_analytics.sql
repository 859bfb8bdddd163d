-- name: totals
-- Sums of the counts of [since, until), in whole hours, by value; the most frequent values first. The whole days
-- [first_day, last_day) are read from the daily rows, the rest from the hourly ones.
SELECT value, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(pinned_tokens)::bigint AS pinned_tokens, sum(milliseconds) AS milliseconds
FROM cognitive.rollup
WHERE agent_id = :agent_id AND dimension = :dimension
  AND (span = 'day' AND at >= :first_day AND at < :last_day
       OR span = 'hour' AND at >= :since AND at < :first_day OR span = 'hour' AND at >= :last_day AND at < :until)
GROUP BY value ORDER BY sum(turns) DESC, value LIMIT :limit

-- name: latencies
-- The latency histograms of the same period, one row per hour or day.
SELECT value, latency FROM cognitive.rollup
WHERE agent_id = :agent_id AND dimension = :dimension AND value = ANY(:values::text[]) AND cardinality(latency) > 0
  AND (span = 'day' AND at >= :first_day AND at < :last_day
       OR span = 'hour' AND at >= :since AND at < :first_day OR span = 'hour' AND at >= :last_day AND at < :until)

-- name: series
-- The counts of [since, until) by time step ('hour' or 'day') in a time zone, for one value, or for all if `value`
-- is NULL. The days [first_day, last_day) are read from the daily rows, as in `totals`.
SELECT date_trunc(:step, at, :zone) AS step, value, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed,
    sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(pinned_tokens)::bigint AS pinned_tokens, sum(milliseconds) AS milliseconds
FROM cognitive.rollup
WHERE agent_id = :agent_id AND dimension = :dimension AND (:value::text IS NULL OR value = :value)
  AND (span = 'day' AND at >= :first_day AND at < :last_day
       OR span = 'hour' AND at >= :since AND at < :first_day OR span = 'hour' AND at >= :last_day AND at < :until)
GROUP BY step, value ORDER BY step, value LIMIT :limit

-- name: series_latencies
-- The latency histograms of [since, until) by time step, for one value or all.
SELECT date_trunc(:step, at, :zone) AS step, value, latency FROM cognitive.rollup
WHERE agent_id = :agent_id AND dimension = :dimension AND (:value::text IS NULL OR value = :value)
  AND cardinality(latency) > 0
  AND (span = 'day' AND at >= :first_day AND at < :last_day
       OR span = 'hour' AND at >= :since AND at < :first_day OR span = 'hour' AND at >= :last_day AND at < :until)

-- name: turns
-- Read an agent's turns, or those of one session, back from (before_at, before_turn_id), and keep those that match
-- the filters; a NULL filter matches all. At most <most> turns are read, which bounds the cost of a filter that
-- matches few; the result says how far. `since` is never NULL, because only a plain comparison uses the index.
-- `patterns` are matched against the message and the response. `min_milliseconds` is the duration of `stage`, or of
-- the whole turn without one. `shown_type`, `used` (whether any of them was), `used_unshown` (one that only recall
-- returned) and `rating` refer to the memories that the turn showed, `held_back` to the disposition of a memory that
-- it found. `model` '' means turns without a language model. `degradation` is a code.
-- With `whole`, all turns that match are counted, and the page is the one after `skip` of them in another order.
WITH matched AS MATERIALIZED (
    SELECT user_id, turn_id, at, looked, CASE :ordered_by::text
        WHEN 'oldest' THEN -extract(epoch FROM at)::float8
        WHEN 'slowest' THEN (measures ->> 'elapsed')::float8
        WHEN 'tokens' THEN coalesce((measures ->> 'pinned_tokens')::int, 0) + (
            SELECT coalesce(sum(e.tokens), 0) FROM cognitive.exposure AS e
            WHERE e.agent_id = :agent_id AND e.user_id = walked.user_id AND e.turn_id = walked.turn_id OFFSET 0)
        WHEN 'used' THEN (
            SELECT count(*) FILTER (WHERE e.used) FROM cognitive.exposure AS e
            WHERE e.agent_id = :agent_id AND e.user_id = walked.user_id AND e.turn_id = walked.turn_id OFFSET 0)
        END AS rank FROM (
        SELECT turn_id, at, status, frame, categories, runtime, policy, degraded, degraded_codes, measures,
            tools_called,
               message, response, recorded_user, user_id,
               row_number() OVER (ORDER BY at DESC, turn_id DESC) AS looked
        FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
            SELECT * FROM cognitive.turn AS t
            WHERE t.agent_id = :agent_id AND <of_scope> AND <session> AND at <= :before_at
                  AND (at < :before_at OR turn_id < :before_turn_id) AND at >= :since
            ORDER BY at DESC, turn_id DESC LIMIT <most>) AS turn
        ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked
    WHERE (:status::text IS NULL OR status = :status OR :status = 'unfinished' AND status IN ('failed', 'abandoned'))
        AND (:frame::text IS NULL OR frame = :frame)
      AND (:category::text IS NULL OR categories @> ARRAY[:category::text])
          AND (:runtime::text IS NULL OR runtime = :runtime)
      AND (:policies::text[] IS NULL OR policy = ANY(:policies)) AND (:degraded::boolean IS NULL
          OR (cardinality(degraded) > 0) = :degraded)
      AND (:abstained::boolean IS NULL OR coalesce((measures ->> 'abstained')::boolean, false) = :abstained)
      AND (:tool::text IS NULL OR tools_called @> ARRAY[:tool::text])
          AND (:patterns::text[] IS NULL OR concat_ws(' ', message, response) ILIKE ALL (:patterns))
      AND (:min_milliseconds::float8 IS NULL
           OR (CASE WHEN :stage::text IS NULL THEN measures ->> 'elapsed'
               ELSE measures -> 'stages' ->> :stage END)::float8 >= :min_milliseconds)
      AND (:user_id::text IS NULL OR recorded_user = :user_id) AND (:stage::text IS NULL OR measures -> 'stages' ? :stage)
      AND (:held_back::text IS NULL OR EXISTS (
          SELECT 1 FROM jsonb_each(measures -> 'types') AS own WHERE (own.value ->> :held_back)::int > 0))
      AND (:shown_type::text IS NULL AND :used::boolean IS NULL AND NOT :used_unshown::boolean AND :rating::boolean IS NULL
           OR EXISTS (
          SELECT 1 FROM cognitive.exposure AS e
          WHERE e.agent_id = :agent_id AND e.user_id = walked.user_id AND e.turn_id = walked.turn_id
                 AND (:shown_type::text IS NULL OR e.type = :shown_type)
          HAVING count(*) > 0 AND (:used::boolean IS NULL OR bool_or(e.used) = :used)
             AND (NOT :used_unshown::boolean OR bool_or(e.used AND e.via = 'recall'))
             AND (:rating::boolean IS NULL OR bool_or(e.rating = :rating)) OFFSET 0))
      AND (:model::text IS NULL OR coalesce(measures ->> 'model', '') = :model)
      AND (:tools_cut::boolean IS NULL OR (coalesce((measures ->> 'tools_cut')::int, 0) > 0) = :tools_cut)
      AND (:degradation::text IS NULL OR degraded_codes @> ARRAY[:degradation::text])
    ORDER BY at DESC, turn_id DESC LIMIT CASE WHEN :whole::boolean THEN <most> ELSE :limit END),
page AS MATERIALIZED (
    SELECT * FROM matched ORDER BY rank DESC NULLS LAST, at DESC, turn_id DESC LIMIT :limit OFFSET :skip),
-- Only asked where the page is not full, or with `whole`: how many there were to look at, and the last of them.
reach AS MATERIALIZED (
    SELECT count(*) AS looked, (array_agg(at ORDER BY at, turn_id))[1] AS last_at,
           (array_agg(turn_id ORDER BY at, turn_id))[1] AS last_key
    FROM (SELECT at, turn_id FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
              SELECT at, turn_id FROM cognitive.turn AS t
              WHERE (:whole::boolean OR (SELECT count(*) FROM page) < :limit) AND t.agent_id = :agent_id AND <of_scope>
                    AND <session> AND at <= :before_at AND (at < :before_at OR turn_id < :before_turn_id)
                    AND at >= :since
              ORDER BY at DESC, turn_id DESC LIMIT <most>) AS turn
          ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked)
SELECT greatest(reach.looked, page.looked) AS looked, reach.last_at, reach.last_key,
       CASE WHEN :whole::boolean THEN (SELECT count(*) FROM matched) END AS matching, t.turn_id, t.session_id,
       t.recorded_user AS user_id, nullif(t.user_id, '') AS owner,
       t.at, t.status, left(t.message, 500) AS message, t.frame, t.categories, t.runtime, t.policy, t.degraded,
       t.degraded_codes,
           t.tools_called,
       (t.measures ->> 'elapsed')::float8 AS milliseconds,
       (SELECT sum((own.value ->> 'found')::int) FROM jsonb_each(t.measures -> 'types') AS own) AS found,
       coalesce((t.measures ->> 'abstained')::boolean, false) AS abstained, e.shown, e.used,
       e.tokens + coalesce((t.measures ->> 'pinned_tokens')::int, 0) AS tokens,
       coalesce((t.measures ->> 'pinned')::int, 0) AS pinned
FROM reach LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = page.user_id AND turn_id = page.turn_id OFFSET 0) AS t) ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS shown, count(*) FILTER (WHERE used) AS used, coalesce(sum(tokens), 0) AS tokens
    FROM cognitive.exposure
    WHERE agent_id = :agent_id AND user_id = t.user_id AND turn_id = t.turn_id OFFSET 0) AS e ON true
ORDER BY page.rank DESC NULLS LAST, t.at DESC, t.turn_id DESC

-- name: turn
-- The measured values of a turn, and the turns before and after it in its session.
SELECT t.turn_id, t.session_id, t.recorded_user AS user_id, t.at, t.opened_at, t.closed_at, t.expired, t.status, t.message, t.frame,
       t.categories, t.runtime, t.policy, t.degraded, t.degraded_codes, t.tools_called, t.model, t.measures,
       t.trace -> 'timings' AS timings,
       t.trace -> 'trim' AS trim, t.trace -> 'window' AS "window", t.trace -> 'sections' AS sections,
           t.trace -> 'excerpts' AS excerpts,
       nullif(t.response, '') AS response, pg_column_size(t.trace) AS bytes,
       (SELECT content #>> '{feedback,attribution}' FROM cognitive.policy WHERE agent_id = :agent_id
           AND version = t.policy) AS attribution,
       (SELECT turn_id FROM cognitive.turn
        WHERE agent_id = :agent_id AND user_id = t.user_id AND session_id = t.session_id AND at < t.at
        ORDER BY at DESC, turn_id DESC LIMIT 1) AS previous,
       (SELECT turn_id FROM cognitive.turn
        WHERE agent_id = :agent_id AND user_id = t.user_id AND session_id = t.session_id AND at > t.at
        ORDER BY at, turn_id LIMIT 1) AS next
FROM cognitive.turn AS t
WHERE t.agent_id = :agent_id AND t.user_id = cognitive.scope() AND t.turn_id = :turn_id

-- name: conversation
-- The turns of a session from a position on, oldest first, with their responses and what their memories came to.
SELECT t.turn_id, t.at, t.recorded_user AS user_id, t.status, t.message, nullif(t.response, '') AS response, t.degraded, t.frame,
       coalesce((t.measures ->> 'abstained')::boolean, false) AS abstained,
       (t.measures ->> 'elapsed')::float8 AS milliseconds, e.shown, e.used,
       e.tokens + coalesce((t.measures ->> 'pinned_tokens')::int, 0) AS tokens
FROM (SELECT * FROM cognitive.turn
      WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id AND at >= :after_at
      AND (at > :after_at OR turn_id > :after_turn_id) ORDER BY at, turn_id LIMIT :limit) AS t
LEFT JOIN LATERAL (
    SELECT count(*) AS shown, count(*) FILTER (WHERE used) AS used, coalesce(sum(tokens), 0) AS tokens
    FROM cognitive.exposure
    WHERE agent_id = :agent_id AND user_id = t.user_id AND turn_id = t.turn_id OFFSET 0) AS e ON true
ORDER BY t.at, t.turn_id

-- name: policies
-- Every policy that a turn was planned with, latest first, with the results of its turns.
SELECT p.version, p.first_used_at, c.*
FROM (SELECT version, first_used_at FROM cognitive.policy WHERE agent_id = :agent_id
      ORDER BY first_used_at DESC, version LIMIT :limit) AS p
CROSS JOIN LATERAL (
    SELECT coalesce(sum(turns), 0)::bigint AS turns, coalesce(sum(completed), 0)::bigint AS completed,
           coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(abandoned), 0)::bigint AS abandoned,
           coalesce(sum(degraded), 0)::bigint AS degraded, coalesce(sum(abstained), 0)::bigint AS abstained,
           coalesce(sum(found), 0)::bigint AS found, coalesce(sum(shown), 0)::bigint AS shown,
           coalesce(sum(used), 0)::bigint AS used, coalesce(sum(tokens), 0)::bigint AS tokens,
           coalesce(sum(used_tokens), 0)::bigint AS used_tokens, coalesce(sum(deduped), 0)::bigint AS deduped,
           coalesce(sum(trimmed), 0)::bigint AS trimmed, coalesce(sum(pinned_tokens), 0)::bigint AS pinned_tokens,
           coalesce(sum(milliseconds), 0)::float8 AS milliseconds,
           max(at) AS last_at
    FROM cognitive.rollup WHERE agent_id = :agent_id AND span = 'day' AND dimension = 'policy'
        AND value = p.version) AS c
ORDER BY p.first_used_at DESC, p.version

-- name: omitted_tools
-- The tools that the latest `max_turns` turns of [since, until) were not offered (a NULL bound is open), by
-- category: removed by the plan, or to fit the model. Counts the turns in which the model called such a tool anyway
-- or the message names it, and lists the latest 5 of them.
WITH latest AS MATERIALIZED (
    SELECT user_id, turn_id, at, message, categories, tools_called, trace -> 'plan' -> 'removed' AS removed,
        trace -> 'trim' -> 'cut' AS cut
    FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
        SELECT user_id, turn_id, at, message, categories, tools_called, trace FROM cognitive.turn AS t
        WHERE t.agent_id = :agent_id AND <of_scope> AND (:since::timestamptz IS NULL OR at >= :since)
            AND (:until::timestamptz IS NULL OR at < :until)
        ORDER BY at DESC, turn_id DESC LIMIT :max_turns) AS turn
    ORDER BY at DESC, turn_id DESC LIMIT :max_turns),
gone AS (
    SELECT latest.*, name, 1 AS was_removed, 0 AS was_cut
    FROM latest CROSS JOIN LATERAL jsonb_array_elements_text(removed) AS name WHERE jsonb_typeof(removed) = 'array'
    UNION ALL
    SELECT latest.*, name, 0, 1
    FROM latest CROSS JOIN LATERAL jsonb_array_elements_text(cut) AS name WHERE jsonb_typeof(cut) = 'array'),
judged AS (
    SELECT *, tools_called @> ARRAY[name] AS was_called,
           length(name) >= 4 AND (strpos(lower(message), lower(name)) > 0
               OR strpos(lower(message), lower(replace(name, '_', ' '))) > 0) AS was_named
    FROM gone),
counted AS (
    SELECT category, name, sum(was_removed) AS removed, sum(was_cut) AS cut,
        count(*) FILTER (WHERE was_called) AS asked,
           count(*) FILTER (WHERE was_named AND NOT was_called) AS named,
           (array_agg(ARRAY[user_id, turn_id] ORDER BY at DESC, turn_id) FILTER (WHERE was_called OR was_named))[1:5]
               AS wanted_in,
           (array_agg(ARRAY[user_id, turn_id] ORDER BY at DESC, turn_id))[1:5] AS left_out_in
    FROM judged CROSS JOIN LATERAL unnest(CASE WHEN categories = '{}' THEN '{none}' ELSE categories END) AS category
    GROUP BY category, name
    ORDER BY count(*) FILTER (WHERE was_called OR was_named) DESC, count(*) DESC, category, name LIMIT :limit)
SELECT l.looked, counted.* FROM (SELECT count(*) AS looked FROM latest) AS l LEFT JOIN counted ON true
ORDER BY counted.asked + counted.named DESC, removed + cut DESC, category, name

-- name: relations
-- Tables and indexes: size in bytes, estimated rows, validity of indexes.
SELECT c.relname AS name, CASE c.relkind WHEN 'i' THEN 'index' ELSE 'table' END AS kind,
       CASE c.relkind WHEN 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END AS bytes,
       c.reltuples::bigint AS rows, coalesce(i.indisvalid AND i.indisready, true) AS valid,
       coalesce(s.n_dead_tup, 0) AS dead
FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
WHERE c.relnamespace = 'cognitive'::regnamespace AND c.relkind IN ('r', 'i')
ORDER BY bytes DESC, c.relname

-- name: models
-- The embedding models of the vectors in a random sample of <sample> passages (ids are hashes).
SELECT model, count(*) AS vectors
FROM (SELECT model FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
          SELECT model, memory_id FROM cognitive.embedding WHERE agent_id = :agent_id AND user_id = scope.of_user
          ORDER BY memory_id, ordinal, field, model LIMIT <sample>) AS embedding
      ORDER BY memory_id LIMIT <sample>) AS sample
GROUP BY model ORDER BY count(*) DESC, model

-- name: oldest_open
-- The oldest open turn.
SELECT t.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT turn_id, session_id, opened_at, left(message, 500) AS message FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND status = 'open' ORDER BY opened_at LIMIT :limit) AS t
ORDER BY t.opened_at LIMIT :limit

-- name: agent_counts
-- The counters of the agent, and the number of its open turns up to `max_open`.
SELECT coalesce(sum(c.memories), 0)::bigint AS memories, coalesce(sum(c.passages), 0)::bigint AS passages,
       coalesce(sum(c.sessions), 0)::bigint AS sessions,
       (SELECT count(*) FROM (SELECT 1 FROM cognitive.turn WHERE agent_id = :agent_id
           AND status = 'open' LIMIT :max_open) AS o) AS open_turns
FROM cognitive.corpus AS c WHERE c.agent_id = :agent_id

-- name: server
-- The state of the server. A separate statement, because a cluster cannot read the coordinator's catalogs beside an
-- agent's rows.
SELECT current_setting('server_version') AS postgres, pg_database_size(current_database()) AS bytes,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT version_num FROM cognitive.alembic_version) AS revision
