-- name: save
-- Save a policy version; an existing one with the same version is not changed.
INSERT INTO cognitive.policy_version (agent_id, version, base, changes, author, note)
    VALUES (:agent_id, :version, :base, :changes, :author, :note)
ON CONFLICT DO NOTHING

-- name: versions
-- The saved policy versions, latest first, or one of them.
SELECT version, base, changes, created_at, author, note FROM cognitive.policy_version
WHERE agent_id = :agent_id AND (:version::text IS NULL OR version = :version::text)
    ORDER BY created_at DESC, version LIMIT :limit

-- name: in_turn
-- Serialize activations, so that each sees the previous one.
SELECT pg_advisory_xact_lock(hashtextextended('cognitive choice ' || :agent_id, 0))

-- name: activate
-- Add an activation.
INSERT INTO cognitive.policy_activation (agent_id, role, number, version, author, note)
    VALUES (:agent_id, :role, :number, :version, :author, :note)
RETURNING role, number, version, activated_at, author, note

-- name: activations
-- The activations of a role, latest first.
SELECT role, number, version, activated_at, author, note FROM cognitive.policy_activation
WHERE agent_id = :agent_id AND role = :role ORDER BY number DESC LIMIT :limit

-- name: active
-- The current activation of each role, with the changes of its version; read from the end of the primary key's
-- index.
SELECT c.role, c.number, c.version, c.activated_at, c.author, c.note, k.changes
FROM unnest(ARRAY['live', 'shadow']) AS wanted(role)
CROSS JOIN LATERAL (
    SELECT * FROM cognitive.policy_activation WHERE agent_id = :agent_id AND role = wanted.role
        ORDER BY number DESC LIMIT 1) AS c
LEFT JOIN cognitive.policy_version AS k ON k.agent_id = :agent_id AND k.version = c.version

-- name: shadowed
-- The latest results of a shadow policy, with the memories that the turns showed and used.
SELECT s.turn_id, s.policy, s.shown AS shadow, s.tokens, t.policy AS beside,
       ARRAY(SELECT memory_id FROM cognitive.exposure
             WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id AND via = 'prompt'
             ORDER BY slot) AS shown,
       ARRAY(SELECT memory_id FROM cognitive.exposure
             WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id AND via = 'prompt' AND used
             ORDER BY slot) AS used
FROM (SELECT * FROM cognitive.shadow WHERE agent_id = :agent_id AND policy = :policy
      ORDER BY at DESC, turn_id LIMIT :limit) AS s
JOIN cognitive.turn AS t ON t.agent_id = :agent_id AND t.user_id = s.user_id AND t.turn_id = s.turn_id
ORDER BY s.at DESC, s.turn_id

-- name: content
-- The content of a policy that turns were planned with.
SELECT content FROM cognitive.policy WHERE agent_id = :agent_id AND version = :version

-- name: runs
-- The policies of the latest turns, that of the latest turn first.
SELECT p.version, p.content, p.first_used_at, r.turns, r.last_at
FROM (SELECT policy, count(*) AS turns, max(at) AS last_at FROM (
          SELECT own.policy, own.at FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
              SELECT policy, at, turn_id FROM cognitive.turn AS t WHERE t.agent_id = :agent_id AND <of_scope>
              ORDER BY at DESC, turn_id DESC LIMIT :latest) AS own
          ORDER BY own.at DESC, own.turn_id DESC LIMIT :latest) AS latest
      GROUP BY policy) AS r
JOIN cognitive.policy AS p ON p.agent_id = :agent_id AND p.version = r.policy
ORDER BY r.last_at DESC, p.version

-- name: used
-- Policies by version, with the time of their first use.
SELECT version, content, first_used_at, 0 AS turns, first_used_at AS last_at FROM cognitive.policy
WHERE agent_id = :agent_id AND version = ANY(:versions::text[]) ORDER BY version

-- name: base_rates
-- Showings and uses by type of the memories that the view sees, as decayed sums, each as of the latest one.
SELECT type, at, sum(cognitive.decay(shown, last_at, at, :half_life_seconds::float8)) AS shown,
       sum(cognitive.decay(used, last_at, at, :half_life_seconds::float8)) AS used,
       sum(cognitive.decay(decoys, last_at, at, :half_life_seconds::float8)) AS decoys,
       sum(cognitive.decay(decoys_used, last_at, at, :half_life_seconds::float8)) AS decoys_used
FROM (SELECT u.*, max(last_at) OVER (PARTITION BY type) AS at FROM cognitive.usage_base AS u
      WHERE agent_id = :agent_id) AS seen
GROUP BY type, at

-- name: sample
-- The latest completed turns of [since, until) with their records, newest first.
SELECT user_id, turn_id, at, message, policy, status, trace -> 'record' AS record FROM cognitive.turn
WHERE agent_id = :agent_id AND at >= :since AND at < :until AND status = 'completed'
    ORDER BY at DESC, turn_id DESC LIMIT :limit

-- name: completed
-- The number of turns with a known outcome, in whole days (UTC).
SELECT coalesce(sum(completed), 0)::bigint FROM cognitive.rollup
WHERE agent_id = :agent_id AND span = 'day' AND dimension = 'all'
    AND at >= date_trunc('day', :since::timestamptz, 'UTC')
    AND at < :until

-- name: count_existing
-- The numbers of these turns and of these memories that still exist, for checking a cached sample.
SELECT (SELECT count(*) FROM cognitive.turn WHERE agent_id = :agent_id AND turn_id = ANY(:turn_ids::text[])) AS turns,
       (SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[])) AS memories

-- name: verdicts_of
-- The judged memories of these turns in chronological order, with the threshold of each turn's policy.
WITH bar AS MATERIALIZED (
    SELECT version,
           (content #> '{feedback,attribution_thresholds}' ->> (content #>> '{feedback,attribution}'))::float8
               AS threshold
    FROM cognitive.policy WHERE agent_id = :agent_id)
SELECT e.user_id, e.turn_id, e.memory_id, e.type, e.via, t.at, e.propensity::float8 AS propensity, e.overlap::float8 AS overlap,
       e.used, e.rating, bar.threshold
FROM unnest(:turn_ids::text[]) AS own(turn_id)
JOIN cognitive.turn AS t ON t.agent_id = :agent_id AND t.turn_id = own.turn_id
JOIN cognitive.exposure AS e ON e.agent_id = :agent_id AND e.user_id = t.user_id AND e.turn_id = own.turn_id
LEFT JOIN bar ON bar.version = t.policy
WHERE e.used IS NOT NULL AND e.overlap IS NOT NULL
ORDER BY t.at, e.turn_id, e.via, e.slot, e.memory_id

-- name: verdicts_before
-- The judged memories of the latest completed turns before a time.
WITH bar AS MATERIALIZED (
    SELECT version,
           (content #> '{feedback,attribution_thresholds}' ->> (content #>> '{feedback,attribution}'))::float8
               AS threshold
    FROM cognitive.policy WHERE agent_id = :agent_id)
SELECT e.user_id, e.turn_id, e.memory_id, e.type, e.via, t.at, e.propensity::float8 AS propensity, e.overlap::float8 AS overlap,
       e.used, e.rating, bar.threshold
FROM (SELECT user_id, turn_id, at, policy FROM cognitive.turn
      WHERE agent_id = :agent_id AND at < :before AND status = 'completed'
          ORDER BY at DESC, turn_id DESC LIMIT :limit) AS t
CROSS JOIN LATERAL (
    SELECT * FROM cognitive.exposure
    WHERE agent_id = :agent_id AND user_id = t.user_id AND turn_id = t.turn_id OFFSET 0) AS e
LEFT JOIN bar ON bar.version = t.policy
WHERE e.used IS NOT NULL AND e.overlap IS NOT NULL
ORDER BY t.at, e.turn_id, e.via, e.slot, e.memory_id
