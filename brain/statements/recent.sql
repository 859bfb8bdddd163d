-- What the latest turns of a stretch of time say that no counter keeps: each walks an index back from the
-- end of it, up to a bound.

-- name: turn_models
-- The language models of the latest <most> turns of [since, until), and what of their tools was cut to fit.
SELECT l.looked, l.back_to, m.* FROM (
    SELECT count(*) AS looked, min(at) AS back_to FROM (
        SELECT at FROM cognitive.turn WHERE agent_id = :agent_id AND at >= :since AND at < :until
        ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked) AS l
LEFT JOIN (
    SELECT coalesce(measures ->> 'model', '') AS model, count(*) AS turns, max(at) AS last_at,
           count(*) FILTER (WHERE (measures ->> 'tools_cut')::int > 0) AS trimmed,
           coalesce(sum((measures ->> 'tools_cut')::int), 0)::bigint AS cut
    FROM (SELECT measures, at FROM cognitive.turn WHERE agent_id = :agent_id AND at >= :since AND at < :until
          ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT :limit) AS m ON true
ORDER BY m.turns DESC, m.model

-- name: degradations
-- Why the latest <most> turns of [since, until) were degraded, by steps of time in a time zone: a reason is its
-- code. Turns in all by step under the reason ''.
SELECT date_trunc(:step, at, :zone) AS step, reason, count(DISTINCT turn_id) AS turns
FROM (SELECT turn_id, at, degraded_codes FROM cognitive.turn WHERE agent_id = :agent_id AND at >= :since AND at < :until
      ORDER BY at DESC, turn_id DESC LIMIT <most>) AS walked
CROSS JOIN LATERAL unnest(degraded_codes || '{""}') AS reason
GROUP BY 1, 2 ORDER BY 1, 2

-- name: embedded
-- How many of the first <sample> passages by the memory's id, which is a hash, have vectors, by embedding model: a
-- random
-- sample. Without a model: how many were looked at.
WITH sample AS MATERIALIZED (
    SELECT memory_id, ordinal FROM cognitive.passage WHERE agent_id = :agent_id
        ORDER BY memory_id, ordinal LIMIT <sample>)
SELECT NULL AS model, count(*) AS passages FROM sample
UNION ALL
(SELECT e.model, count(*) FROM sample CROSS JOIN LATERAL (
     SELECT DISTINCT model FROM cognitive.embedding
     WHERE agent_id = :agent_id AND memory_id = sample.memory_id AND ordinal = sample.ordinal OFFSET 0) AS e
 GROUP BY e.model ORDER BY count(*) DESC, e.model)
