-- name: open_turn
-- Record a prepared turn, its policy and the memories that it showed (migration 0109).
SELECT cognitive.open_turn(
    :agent_id, :turn_id, :session_id, :recorded_user, :at, :message, :policy, :policy_content, :frame, :degraded,
    :degraded_codes, :model, :embedding, :trace, :categories, :runtime, :measures, :received_at, :memory_ids,
    :memory_types, :slots, :propensities, :relevance_gaps, :tokens)

-- name: record_turn
-- Record a prepared turn as `open_turn` does, in the scope `view` of the agent. The call is a whole transaction
-- (migration 0113).
SELECT cognitive.record_turn(
    :agent_id, :view, :turn_id, :session_id, :recorded_user, :at, :message, :policy, :policy_content, :frame, :degraded,
    :degraded_codes, :model, :embedding, :trace, :categories, :runtime, :measures, :received_at, :memory_ids,
    :memory_types, :slots, :propensities, :relevance_gaps, :tokens)

-- name: erased_since
-- Whether the agent or the transaction's user was erased since a time, which may be NULL.
SELECT EXISTS (SELECT 1 FROM cognitive.erasure
               WHERE agent_id = :agent_id AND what IN ('agent', 'user') AND at >= to_timestamp(:since::float8))

-- name: expire
-- Abandon turns that were open for too long, oldest first, a limited number per call. Turns whose row is locked are
-- being closed and are skipped. `closed_at` stays NULL, because an outcome that arrives later still counts.
UPDATE cognitive.turn SET status = 'abandoned', expired = true
WHERE agent_id = :agent_id AND status = 'open' AND (user_id, turn_id) IN (
    SELECT user_id, turn_id FROM cognitive.turn
    WHERE agent_id = :agent_id AND status = 'open'
        AND opened_at < now() - make_interval(secs => :max_open_seconds::float8)
    ORDER BY opened_at LIMIT :limit::int FOR UPDATE SKIP LOCKED)
RETURNING turn_id

-- name: expose_recalled
-- Add memories that the recall tool returned to the exposures of a turn, in slots after those of the prompt. A turn
-- whose outcome is known is skipped, because nothing would judge them. A turn that is not recorded yet may be
-- recorded with its outcome, and judges them then; but if the user or the agent was erased before, it may be one of
-- the erased turns, of which nothing is stored again. The turn's row is locked in shared mode, so that closing it comes
-- before or sees them.
WITH open AS (
    SELECT turn_id FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id
          AND (status = 'open' OR expired) FOR SHARE)
INSERT INTO cognitive.exposure (agent_id, user_id, turn_id, memory_id, type, via, slot, propensity, at, relevance_gap,
    tokens)
SELECT :agent_id, cognitive.scope(), :turn_id, s.memory_id, s.type, 'recall', s.slot, 1.0, :at, s.relevance_gap,
    s.tokens
FROM unnest(:memory_ids::uuid[], :memory_types::text[], :relevance_gaps::real[], :tokens::integer[]) WITH ORDINALITY
    AS s(memory_id, type, relevance_gap, tokens, slot)
WHERE EXISTS (SELECT 1 FROM open)
   OR NOT EXISTS (SELECT 1 FROM cognitive.turn
                  WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id)
      AND NOT EXISTS (SELECT 1 FROM cognitive.erasure WHERE agent_id = :agent_id AND what IN ('agent', 'user'))
ORDER BY s.memory_id
ON CONFLICT DO NOTHING

-- name: turn_whole
-- A turn with its trace.
SELECT turn_id, session_id, recorded_user AS user_id, at, status, message, policy, frame, degraded, degraded_codes,
       trace, model, query
FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id

-- name: calls
-- The categories and called tools of turns with a known outcome.
SELECT t.user_id, t.categories, t.tools_called
FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT recorded_user AS user_id, categories, tools_called, at, turn_id FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND status = 'completed' AND cardinality(categories) > 0
    ORDER BY at DESC, turn_id LIMIT :limit) AS t
ORDER BY t.at DESC, t.turn_id LIMIT :limit

-- name: forget_categories
-- Delete the data of category learning.
UPDATE cognitive.turn SET categories = DEFAULT
WHERE agent_id = :agent_id AND cardinality(categories) > 0
    AND (:recorded_user::text IS NULL OR recorded_user = :recorded_user::text) RETURNING turn_id

-- name: stored_after
-- The time at which a memory was stored, if that is after the turn was recorded.
SELECT m.created_at FROM cognitive.memory AS m JOIN cognitive.turn AS t
    ON t.agent_id = :agent_id AND t.user_id = cognitive.scope() AND t.turn_id = :turn_id
WHERE m.agent_id = :agent_id AND m.id = :memory_id AND m.created_at > t.opened_at

-- name: shadow
-- Store the result of a shadow policy, unless the turn was erased meanwhile.
INSERT INTO cognitive.shadow (agent_id, user_id, turn_id, policy, shown, tokens, at)
SELECT agent_id, user_id, turn_id, :policy, :memory_ids::uuid[], :tokens, :at FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id
ON CONFLICT DO NOTHING

-- name: verdicts
-- All judged memories in chronological order, with the threshold of each turn's policy.
WITH bar AS MATERIALIZED (
    SELECT version,
           (content #> '{feedback,attribution_thresholds}' ->> (content #>> '{feedback,attribution}'))::float8
               AS threshold
    FROM cognitive.policy WHERE agent_id = :agent_id)
SELECT e.user_id, e.turn_id, e.memory_id, e.type, e.via, t.at, e.propensity::float8 AS propensity,
       e.overlap::float8 AS overlap, e.used, e.rating, bar.threshold
FROM cognitive.exposure AS e JOIN cognitive.turn AS t
    ON t.agent_id = :agent_id AND t.user_id = e.user_id AND t.turn_id = e.turn_id
LEFT JOIN bar ON bar.version = t.policy
WHERE e.agent_id = :agent_id AND t.status = 'completed' AND e.used IS NOT NULL AND e.overlap IS NOT NULL
ORDER BY t.at, e.turn_id, e.via, e.slot, e.memory_id

-- name: shadows
-- All results of shadow policies, with the memories that the turns showed and used.
SELECT s.turn_id, s.policy, s.shown AS shadow, s.tokens,
       ARRAY(SELECT memory_id FROM cognitive.exposure
             WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id AND via = 'prompt'
             ORDER BY slot) AS shown,
       ARRAY(SELECT memory_id FROM cognitive.exposure
             WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id AND via = 'prompt' AND used
             ORDER BY slot) AS used
FROM cognitive.shadow AS s WHERE s.agent_id = :agent_id ORDER BY s.policy, s.at, s.turn_id

-- name: policy
-- A policy that turns were planned with.
SELECT content FROM cognitive.policy WHERE agent_id = :agent_id AND version = :version

-- name: turns_between
-- The ids of the scope's turns of a period, oldest first.
SELECT turn_id FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND (:since::timestamptz IS NULL OR at >= :since)
    AND (:until::timestamptz IS NULL OR at < :until)
ORDER BY at, turn_id

-- name: called_turns
-- The latest completed turns that called tools, newest first, with their vectors of one embedding model.
SELECT t.turn_id, t.at, t.message, t.tools_called, CASE WHEN t.model = :model THEN t.query ELSE (
           SELECT embedding FROM cognitive.turn_embedding AS e
           WHERE e.agent_id = :agent_id AND e.user_id = t.user_id AND e.turn_id = t.turn_id
                 AND e.model = :model) END AS query
FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT user_id, turn_id, at, message, tools_called, model, query FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND status = 'completed' AND cardinality(tools_called) > 0
    ORDER BY at DESC, turn_id DESC LIMIT :limit) AS t
ORDER BY t.at DESC, t.turn_id DESC LIMIT :limit

-- name: recent_turns
-- The latest turns of an agent or a session.
SELECT t.* FROM <scopes> AS scope(of_user) CROSS JOIN LATERAL (
    SELECT turn_id, session_id, at, status, message, degraded, nullif(user_id, '') AS user_id FROM cognitive.turn AS t
    WHERE t.agent_id = :agent_id AND <of_scope> AND (:session_id::text IS NULL OR session_id = :session_id::text)
    ORDER BY at DESC, turn_id DESC LIMIT :limit) AS t
ORDER BY t.at DESC, t.turn_id DESC LIMIT :limit

-- name: open_turns
-- The latest open turn of each session, or of one session, among those opened in the last `max_age_seconds`.
SELECT DISTINCT ON (session_id) turn_id FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND status = 'open'
  AND (:session_id::text IS NULL OR session_id = :session_id::text)
  AND opened_at > now() - make_interval(secs => :max_age_seconds::float8)
ORDER BY session_id, opened_at DESC, turn_id DESC

-- name: exposures
-- The memories that a turn showed, with their present text, NULL if the memory was erased.
SELECT e.memory_id, e.type, e.via, e.slot, e.propensity, e.overlap, e.used, e.rating, m.content, m.speaker, m.source,
       e.tokens
FROM cognitive.exposure AS e LEFT JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.id = e.memory_id
WHERE e.agent_id = :agent_id AND e.user_id = cognitive.scope() AND e.turn_id = :turn_id
ORDER BY e.via, e.slot, e.memory_id

-- name: decoys
-- Memories that a turn's search found but did not show, with their texts: the control group of attribution. They are
-- looked up by key; a join would read all memories of the agent.
SELECT m.type, m.content, m.speaker
FROM cognitive.turn AS t
CROSS JOIN LATERAL jsonb_array_elements_text(t.trace -> 'decoys') WITH ORDINALITY AS d(id, place)
CROSS JOIN LATERAL (
    SELECT id, type, content, speaker FROM cognitive.memory
    WHERE agent_id = :agent_id AND id = d.id::uuid OFFSET 0) AS m
WHERE t.agent_id = :agent_id AND t.user_id = cognitive.scope() AND t.turn_id = :turn_id AND NOT EXISTS (
    SELECT 1 FROM cognitive.exposure AS e
    WHERE e.agent_id = :agent_id AND e.user_id = cognitive.scope() AND e.turn_id = :turn_id AND e.memory_id = m.id)
ORDER BY d.place

-- name: queue_for_agent_row
-- Wait behind the transactions that wait to lock the agent's row for writing (`lock_agent_row` in store.sql). A row lock
-- alone lets every shared locker overtake them: beside many turns of one agent, its writers would wait without end.
SELECT pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || :agent_id, 1))

-- name: share_agent_row
-- Lock the agent's row in shared mode, to count usage: it excludes writing and erasing memories, which lock the rows
-- of memories in another order, but not other counting.
SELECT 1 FROM cognitive.agent_state WHERE agent_id = :agent_id FOR SHARE

-- name: lock_turn
-- Lock a turn's row, to judge or rate its memories. What is read afterwards includes changes that the lock waited for.
SELECT FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id FOR UPDATE

-- name: turn_to_close
-- A locked turn (`held_turn`) and, if it is open, the memories that it showed (`exposures`) and did not (`decoys`).
SELECT t.*, CASE WHEN open THEN ARRAY(SELECT to_jsonb(e) FROM (<exposures>) AS e) END AS shown,
       CASE WHEN open THEN ARRAY(SELECT to_jsonb(d) FROM (<decoys>) AS d) END AS decoys
FROM (<held_turn>) AS t

-- name: held_turn
-- A turn whose row the transaction has locked, so that each change sees the previous one. The text of an outcome
-- is withheld if it may contain a memory erased after `received_at` (NULL: at any time): one that the turn
-- showed, which an empty response or an exposure without its memory indicates, or any.
SELECT session_id, recorded_user AS user_id, at, message, status = 'open' OR expired AS open, status, frame, categories,
       runtime, cardinality(degraded) > 0 AS degraded, measures, tools_called, policy, clock_timestamp() AS read_at,
       coalesce(response = '', false)
       OR EXISTS (
           SELECT 1 FROM cognitive.exposure AS e
           WHERE e.agent_id = :agent_id AND e.user_id = cognitive.scope() AND e.turn_id = :turn_id AND NOT EXISTS (
               SELECT 1 FROM cognitive.memory AS m WHERE m.agent_id = :agent_id AND m.id = e.memory_id))
       OR EXISTS (
           SELECT 1 FROM cognitive.erasure AS e WHERE e.agent_id = :agent_id AND e.what = 'memories' AND e.at >= CASE
               WHEN status = 'open' OR expired THEN coalesce(to_timestamp(:received_at::float8), opened_at)
                   ELSE closed_at END)
       AS withheld,
       (SELECT content FROM cognitive.policy AS p WHERE p.agent_id = :agent_id
           AND p.version = turn.policy) AS planned_under
FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id

-- name: add_to_rollups
-- Add to the counts of a turn's hour and day, after the transaction's other writes and in one order, so that
-- transactions do not deadlock.
INSERT INTO cognitive.rollup AS t (agent_id, span, at, dimension, value, turns, completed, failed, abandoned, degraded,
    abstained, found, shown, used, tokens, used_tokens, deduped, trimmed, pinned_tokens, milliseconds, latency)
SELECT :agent_id, s.span, date_trunc(s.span, :at::timestamptz, 'UTC'), r.dimension, r.value, r.turns, r.completed,
    r.failed, r.abandoned, r.degraded, r.abstained, r.found, r.shown, r.used, r.tokens, r.used_tokens, r.deduped,
    r.trimmed, r.pinned_tokens, r.milliseconds, r.latency
FROM jsonb_to_recordset(:rows::jsonb) AS r(dimension text, value text, turns bigint, completed bigint, failed bigint,
    abandoned bigint, degraded bigint, abstained bigint, found bigint, shown bigint, used bigint, tokens bigint,
    used_tokens bigint, deduped bigint, trimmed bigint, pinned_tokens bigint, milliseconds float8, latency integer[])
CROSS JOIN (VALUES ('hour'), ('day')) AS s(span)
ORDER BY s.span, r.dimension, r.value
ON CONFLICT (agent_id, span, dimension, at, value) DO UPDATE SET
    turns = t.turns + excluded.turns, completed = t.completed + excluded.completed,
    failed = t.failed + excluded.failed, abandoned = t.abandoned + excluded.abandoned,
    degraded = t.degraded + excluded.degraded, abstained = t.abstained + excluded.abstained,
    found = t.found + excluded.found, shown = t.shown + excluded.shown, used = t.used + excluded.used,
    tokens = t.tokens + excluded.tokens, used_tokens = t.used_tokens + excluded.used_tokens,
    deduped = t.deduped + excluded.deduped, trimmed = t.trimmed + excluded.trimmed,
    pinned_tokens = t.pinned_tokens + excluded.pinned_tokens,
    milliseconds = t.milliseconds + excluded.milliseconds,
    latency = cognitive.add_counts(t.latency, excluded.latency)

-- name: close_turn
-- Apply everything that a turn's outcome changes, so that it happens exactly once (migration 0109).
SELECT cognitive.close_turn(
    :agent_id, :turn_id, :status, :at, :tools, :response, :memory_ids, :overlaps, :used, :ratings, :decoy_types,
    :decoys_credited, :half_life_seconds, :rating_weight)

-- name: attributions
-- The measured memories of a turn, with their overlaps.
SELECT memory_id, overlap, used, type FROM cognitive.exposure
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND overlap IS NOT NULL
ORDER BY via, slot, memory_id

-- name: rate
-- Store a rating of a shown memory, which replaces the measured verdict (migration 0109). NULL if it was not shown.
SELECT cognitive.rate_memory(:agent_id, :turn_id, :memory_id, :useful, :half_life_seconds, :rating_weight)
