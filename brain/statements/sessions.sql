-- name: carried
-- What the next turn of a session needs of it.
SELECT summary, covers, plan, step FROM cognitive.session WHERE agent_id = $1 AND session_id = $2

-- name: session
SELECT session_id, memories, turns, summary, covers, plan, step, started_at, last_at, ended_at, recent
FROM cognitive.session WHERE agent_id = $1 AND session_id = $2

-- name: session_turns
SELECT turn_id, at, status, message FROM cognitive.turn WHERE agent_id = $1 AND session_id = $2
ORDER BY at DESC, turn_id DESC LIMIT $3

-- name: keep
-- The last messages as of a turn that is there: of one that was erased meanwhile nothing is left behind, nor of words that
-- came in ($4) before memories were forgotten. What a later turn kept stays.
INSERT INTO cognitive.session AS s (agent_id, session_id, started_at, last_at, recent, recent_turn, recent_at)
SELECT $1, session_id, at, at, $3::bytea, turn_id, at FROM cognitive.turn
WHERE agent_id = $1 AND turn_id = $2 AND response IS DISTINCT FROM '' AND NOT EXISTS (
    SELECT 1 FROM cognitive.erasure WHERE agent_id = $1 AND what = 'memories' AND at >= to_timestamp($4::float8))
ON CONFLICT (agent_id, session_id) DO UPDATE SET
    recent = excluded.recent, recent_turn = excluded.recent_turn, recent_at = excluded.recent_at
WHERE s.recent_at IS NULL OR (s.recent_at, s.recent_turn) <= (excluded.recent_at, excluded.recent_turn)
RETURNING s.session_id

-- name: hold_recent
-- The last messages, if they are those of this turn, held for whoever adds its answer; unless that is withheld, or came
-- in ($3; again perhaps, then since the turn was closed) before memories were forgotten.
SELECT session_id, recent FROM cognitive.session
WHERE agent_id = $1 AND recent_turn = $2 AND session_id = (
    SELECT session_id FROM cognitive.turn AS t
    WHERE t.agent_id = $1 AND t.turn_id = $2 AND t.response IS DISTINCT FROM '' AND NOT EXISTS (
        SELECT 1 FROM cognitive.erasure AS e
        WHERE e.agent_id = $1 AND e.what = 'memories' AND e.at >= least(to_timestamp($3::float8), t.closed_at)))
FOR UPDATE

-- name: answer
UPDATE cognitive.session SET recent = $3 WHERE agent_id = $1 AND session_id = $2

-- name: roll
-- Puts a summary in the place of the one it was made from ($3, $4), if that is what stands there, and the turn that it
-- was made for ($7) is; not of words that came in ($8) before memories were forgotten.
UPDATE cognitive.session SET summary = $5, covers = $6
WHERE agent_id = $1 AND session_id = $2 AND summary = $3::text AND covers IS NOT DISTINCT FROM $4::text
  AND EXISTS (SELECT 1 FROM cognitive.turn WHERE agent_id = $1 AND turn_id = $7 AND response IS DISTINCT FROM '')
  AND NOT EXISTS (
    SELECT 1 FROM cognitive.erasure WHERE agent_id = $1 AND what = 'memories' AND at >= to_timestamp($8::float8))
RETURNING session_id

-- name: plan
-- A plan begins at its first step; the same plan again changes nothing.
INSERT INTO cognitive.session AS s (agent_id, session_id, plan, started_at, last_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (agent_id, session_id) DO UPDATE SET
    plan = excluded.plan, step = CASE WHEN s.plan = excluded.plan THEN s.step ELSE 0 END

-- name: advance
-- $3 is the step that is done, counted from 0: a step that was done before is not done twice.
UPDATE cognitive.session SET step = greatest(step, least($3::int + 1, cardinality(plan)))
WHERE agent_id = $1 AND session_id = $2 AND $3::int <= step AND $3::int < cardinality(plan)
RETURNING summary, covers, plan, step

-- name: end_session
UPDATE cognitive.session SET ended_at = coalesce(ended_at, $3) WHERE agent_id = $1 AND session_id = $2
RETURNING session_id

-- name: clear
-- What a session keeps of its talk and its work; its turns and memories stay.
WITH artifact AS (DELETE FROM cognitive.artifact WHERE agent_id = $1 AND session_id = $2 RETURNING id),
     subtask AS (DELETE FROM cognitive.subtask WHERE agent_id = $1 AND session_id = $2 RETURNING id),
     session AS (
         UPDATE cognitive.session SET summary = DEFAULT, covers = NULL, plan = DEFAULT, step = DEFAULT, recent = NULL
         WHERE agent_id = $1 AND session_id = $2 RETURNING session_id)
SELECT (SELECT count(*) FROM session) AS sessions, (SELECT count(*) FROM artifact) AS artifacts,
       (SELECT count(*) FROM subtask) AS subtasks
