-- What has been kept for longer than until $2, some at a time, the oldest first. What stands in a statement with others
-- goes with it.

-- name: old_memories
-- By when they last changed, not by when what they say happened. Pinned ones are kept on purpose.
SELECT id FROM cognitive.memory
WHERE agent_id = $1 AND updated_at < $2 AND type = $4 AND NOT pinned ORDER BY updated_at, id LIMIT $3

-- name: delete_turns
WITH old AS (
    SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND opened_at < $2 ORDER BY opened_at LIMIT $3),
shown AS (
    DELETE FROM cognitive.exposure WHERE agent_id = $1 AND turn_id IN (SELECT turn_id FROM old)),
beside AS (
    DELETE FROM cognitive.shadow WHERE agent_id = $1 AND turn_id IN (SELECT turn_id FROM old))
DELETE FROM cognitive.turn WHERE agent_id = $1 AND turn_id IN (SELECT turn_id FROM old) RETURNING turn_id AS id

-- name: delete_artifacts
DELETE FROM cognitive.artifact WHERE agent_id = $1 AND id IN (
    SELECT id FROM cognitive.artifact WHERE agent_id = $1 AND created_at < $2 ORDER BY created_at LIMIT $3)
RETURNING id

-- name: delete_subtasks
DELETE FROM cognitive.subtask WHERE agent_id = $1 AND id IN (
    SELECT id FROM cognitive.subtask WHERE agent_id = $1 AND completed_at < $2 ORDER BY completed_at LIMIT $3)
RETURNING id

-- name: clear_sessions
-- The row stays, since the search counts by it; of what was said in it nothing does.
UPDATE cognitive.session SET summary = DEFAULT, covers = NULL, plan = DEFAULT, step = DEFAULT, recent = NULL
WHERE agent_id = $1 AND session_id IN (
    SELECT session_id FROM cognitive.session
    WHERE agent_id = $1 AND last_at < $2 AND (summary <> '' OR recent IS NOT NULL OR cardinality(plan) > 0)
    ORDER BY last_at LIMIT $3)
RETURNING session_id AS id

-- name: delete_erasures
DELETE FROM cognitive.erasure WHERE agent_id = $1 AND at IN (
    SELECT at FROM cognitive.erasure WHERE agent_id = $1 AND at < $2 ORDER BY at LIMIT $3)
RETURNING at AS id

-- name: count_memories
SELECT count(*) FROM cognitive.memory WHERE agent_id = $1 AND updated_at < $2 AND type = $3 AND NOT pinned

-- name: count_turns
SELECT count(*) FROM cognitive.turn WHERE agent_id = $1 AND opened_at < $2

-- name: count_artifacts
SELECT count(*) FROM cognitive.artifact WHERE agent_id = $1 AND created_at < $2

-- name: count_subtasks
SELECT count(*) FROM cognitive.subtask WHERE agent_id = $1 AND completed_at < $2

-- name: count_sessions
SELECT count(*) FROM cognitive.session
WHERE agent_id = $1 AND last_at < $2 AND (summary <> '' OR recent IS NOT NULL OR cardinality(plan) > 0)

-- name: count_erasures
SELECT count(*) FROM cognitive.erasure WHERE agent_id = $1 AND at < $2
