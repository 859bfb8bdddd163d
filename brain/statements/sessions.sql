-- name: carried
-- The state of a session that its next turn needs.
SELECT summary, summarized_until, plan, step FROM cognitive.session
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id

-- name: session
-- A session.
SELECT session_id, memories, turns, summary, summarized_until, plan, step, started_at, last_at, ended_at,
    recent_messages
FROM cognitive.session WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id

-- name: sessions
-- A page of an agent's sessions whose ids match the patterns, last used in [since, until), the last used first. A NULL
-- filter matches all.
SELECT session_id, memories, turns, started_at, last_at, ended_at, nullif(user_id, '') AS user_id
FROM cognitive.session
WHERE agent_id = :agent_id AND (:patterns::text[] IS NULL OR session_id ILIKE ALL(:patterns::text[]))
  AND (:since::timestamptz IS NULL OR last_at >= :since) AND (:until::timestamptz IS NULL OR last_at < :until)
  AND (:ended::boolean IS NULL OR (ended_at IS NOT NULL) = :ended)
ORDER BY last_at DESC, session_id, user_id LIMIT :limit OFFSET :offset

-- name: session_turns
-- The latest turns of a session.
SELECT turn_id, at, status, message FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id
ORDER BY at DESC, turn_id DESC LIMIT :limit

-- name: keep
-- Store the last messages as of a turn. Nothing is stored if the turn was erased, if memories were erased after
-- the messages were received, or if a later turn has stored its messages.
INSERT INTO cognitive.session AS s (agent_id, user_id, session_id, started_at, last_at, recent_messages, recent_turn_id,
    recent_turn_at)
SELECT agent_id, user_id, session_id, at, at, :messages::bytea, turn_id, at FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND response IS DISTINCT FROM ''
  AND NOT EXISTS (
    SELECT 1 FROM cognitive.erasure WHERE agent_id = :agent_id AND what = 'memories'
        AND at >= to_timestamp(:received_at::float8))
ON CONFLICT (agent_id, user_id, session_id) DO UPDATE SET
    recent_messages = excluded.recent_messages, recent_turn_id = excluded.recent_turn_id,
    recent_turn_at = excluded.recent_turn_at
WHERE s.recent_turn_at IS NULL
   OR (s.recent_turn_at, s.recent_turn_id) <= (excluded.recent_turn_at, excluded.recent_turn_id)
RETURNING s.session_id

-- name: hold_recent
-- Lock and return the last messages if they are those of this turn, to add its answer. Returns nothing if they were
-- cleared, or if the answer is withheld or was received before memories were erased.
SELECT session_id, recent_messages FROM cognitive.session
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND recent_turn_id = :turn_id
  AND recent_messages IS NOT NULL AND session_id = (
    SELECT session_id FROM cognitive.turn AS t
    WHERE t.agent_id = :agent_id AND t.user_id = cognitive.scope() AND t.turn_id = :turn_id
          AND t.response IS DISTINCT FROM '' AND NOT EXISTS (
        SELECT 1 FROM cognitive.erasure AS e
        WHERE e.agent_id = :agent_id AND e.what = 'memories'
            AND e.at >= least(to_timestamp(:received_at::float8), t.closed_at)))
FOR UPDATE

-- name: answer
-- Replace the last messages.
UPDATE cognitive.session SET recent_messages = :messages
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id

-- name: roll
-- Replace a summary, if it is still the one that the new summary was made from and the turn still exists. Nothing is
-- stored if memories were erased after the messages were received.
UPDATE cognitive.session SET summary = :summary, summarized_until = :summarized_until
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id AND summary = :old_summary::text
  AND summarized_until IS NOT DISTINCT FROM :old_summarized_until::text
  AND EXISTS (
    SELECT 1 FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND turn_id = :turn_id AND response IS DISTINCT FROM '')
  AND NOT EXISTS (
    SELECT 1 FROM cognitive.erasure WHERE agent_id = :agent_id AND what = 'memories'
        AND at >= to_timestamp(:received_at::float8))
RETURNING session_id

-- name: plan
-- Set a session's plan, beginning at its first step; the same plan again changes nothing.
INSERT INTO cognitive.session AS s (agent_id, user_id, session_id, plan, started_at, last_at)
    VALUES (:agent_id, cognitive.scope(), :session_id, :plan, :at, :at)
ON CONFLICT (agent_id, user_id, session_id) DO UPDATE SET
    plan = excluded.plan, step = CASE WHEN s.plan = excluded.plan THEN s.step ELSE 0 END

-- name: advance
-- Mark a step, counted from 0, as done; a step that was done before stays done.
UPDATE cognitive.session SET step = greatest(step, least(:step::int + 1, cardinality(plan)))
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id
  AND :step::int <= step AND :step::int < cardinality(plan)
RETURNING summary, summarized_until, plan, step

-- name: end_session
-- Mark a session as ended.
UPDATE cognitive.session SET ended_at = coalesce(ended_at, :at)
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id
RETURNING session_id

-- name: clear
-- Clear the texts that sessions store; their turns and memories stay.
UPDATE cognitive.session SET summary = DEFAULT, summarized_until = NULL, plan = DEFAULT, step = DEFAULT,
    recent_messages = NULL
WHERE agent_id = :agent_id AND user_id = :user_id AND session_id = ANY(:session_ids::text[])

-- name: clear_rows
-- Delete the rows of a session in one table.
DELETE FROM cognitive.<table> WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id
