-- Properties of the latest turns of a period that no rollup counts. Each statement reads an index backwards from the
-- end of the period, up to a limit.

-- name: latest
-- For the slot `latest`: the latest <most> turns of [since, until).
SELECT latest.* FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
    SELECT user_id, turn_id, at, measures, degraded_codes, model_state FROM cognitive.turn AS t
    WHERE t.agent_id = :agent_id AND <of_scope> AND at >= :since AND at < :until
    ORDER BY at DESC, turn_id DESC LIMIT <most>) AS latest
ORDER BY latest.at DESC, latest.turn_id DESC LIMIT <most>

-- name: turn_models
-- The language models of the latest <most> turns of [since, until), and how many of their tools were removed to fit.
SELECT l.looked, l.back_to, m.* FROM (
    SELECT count(*) AS looked, min(at) AS back_to FROM (
        SELECT at FROM (<latest>) AS latest) AS walked) AS l
LEFT JOIN (
    SELECT coalesce(measures ->> 'model', '') AS model, count(*) AS turns, max(at) AS last_at,
           count(*) FILTER (WHERE (measures ->> 'tools_cut')::int > 0) AS trimmed,
           coalesce(sum((measures ->> 'tools_cut')::int), 0)::bigint AS cut
    FROM (<latest>) AS walked
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT :limit) AS m ON true
ORDER BY m.turns DESC, m.model

-- name: degradations
-- The degradation codes of the latest <most> turns of [since, until), by time steps in a time zone. The code ''
-- counts all turns of a step.
SELECT date_trunc(:step, at, :zone) AS step, reason, count(DISTINCT (user_id, turn_id)) AS turns
FROM (<latest>) AS walked
CROSS JOIN LATERAL unnest(degraded_codes || '{""}') AS reason
GROUP BY 1, 2 ORDER BY 1, 2

-- name: embedded
-- The number of passages with a vector by embedding model, in a random sample of <sample> passages (ids are hashes).
-- The row without a model is the size of the sample.
WITH sample AS MATERIALIZED (
    SELECT p.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
        SELECT user_id, memory_id, ordinal FROM cognitive.passage WHERE agent_id = :agent_id AND user_id = scope.of_user
        ORDER BY memory_id, ordinal LIMIT <sample>) AS p
    ORDER BY p.memory_id, p.ordinal LIMIT <sample>)
SELECT NULL AS model, count(*) AS passages FROM sample
UNION ALL
(SELECT e.model, count(*) FROM sample CROSS JOIN LATERAL (
     SELECT DISTINCT model FROM cognitive.embedding
     WHERE agent_id = :agent_id AND user_id = sample.user_id AND memory_id = sample.memory_id AND ordinal = sample.ordinal OFFSET 0) AS e
 GROUP BY e.model ORDER BY count(*) DESC, e.model)

-- name: state
-- The latest <most> turns since a time: how many there are, were degraded and failed, and how long they took.
SELECT count(*) AS turns, count(*) FILTER (WHERE cardinality(degraded) > 0) AS degraded,
       count(*) FILTER (WHERE status = 'failed') AS failed,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY (measures ->> 'elapsed')::float8) AS slow
FROM (SELECT own.* FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
          SELECT turn_id, at, degraded, status, measures FROM cognitive.turn AS t
          WHERE t.agent_id = :agent_id AND <of_scope> AND at >= :since
          ORDER BY at DESC, turn_id DESC LIMIT <most>) AS own
      ORDER BY own.at DESC, own.turn_id DESC LIMIT <most>) AS latest

-- name: model_readings
-- How many of the latest <most> turns of [since, until) a model read to form memories, the turns that wait and those
-- that it failed on, with exchanges of conversations without turns, and the tokens that it took today (UTC) for all
-- users.
SELECT count(*) FILTER (WHERE model_state = 'read') AS read,
       (SELECT count(*) FROM unnest(cognitive.scopes()) AS scope(of_user) JOIN cognitive.turn AS t
            ON t.agent_id = :agent_id AND t.user_id = scope.of_user AND t.model_state = 'waiting') AS waiting,
       (SELECT count(*) FROM unnest(cognitive.scopes()) AS scope(of_user) JOIN cognitive.turn AS t
            ON t.agent_id = :agent_id AND t.user_id = scope.of_user AND t.model_state = 'parked')
       + (SELECT count(*) FROM unnest(cognitive.scopes()) AS scope(of_user) JOIN cognitive.memory_value AS v
            ON v.agent_id = :agent_id AND v.user_id = scope.of_user AND v.type = 'episode'
           AND v.path = 'metadata.model_state' AND v.value = 'sparked') AS parked,
       coalesce((SELECT model_tokens FROM cognitive.agent_state
                 WHERE agent_id = :agent_id AND model_day = (now() AT TIME ZONE 'UTC')::date), 0) AS tokens
FROM (<latest>) AS walked
