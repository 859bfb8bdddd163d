-- What has been kept since before a time, some of it at a time, the oldest first. What stands in a statement with
-- others goes with it.

-- name: old_memories
-- By when they last changed, not by when what they say happened. Pinned ones are kept on purpose.
SELECT id FROM cognitive.memory
WHERE agent_id = :agent_id AND updated_at < :until AND type = :type AND NOT pinned ORDER BY updated_at, id LIMIT :limit

-- name: delete_turns
WITH old AS (
    SELECT turn_id FROM cognitive.turn WHERE agent_id = :agent_id AND opened_at < :until
        ORDER BY opened_at LIMIT :limit),
shown AS (
    DELETE FROM cognitive.exposure WHERE agent_id = :agent_id AND turn_id IN (SELECT turn_id FROM old)),
beside AS (
    DELETE FROM cognitive.shadow WHERE agent_id = :agent_id AND turn_id IN (SELECT turn_id FROM old))
DELETE FROM cognitive.turn WHERE agent_id = :agent_id AND turn_id IN (SELECT turn_id FROM old) RETURNING turn_id AS id

-- name: delete_artifacts
DELETE FROM cognitive.artifact WHERE agent_id = :agent_id AND id IN (
    SELECT id FROM cognitive.artifact WHERE agent_id = :agent_id AND created_at < :until
        ORDER BY created_at LIMIT :limit)
RETURNING id

-- name: delete_subtasks
DELETE FROM cognitive.subtask WHERE agent_id = :agent_id AND id IN (
    SELECT id FROM cognitive.subtask WHERE agent_id = :agent_id AND completed_at < :until
        ORDER BY completed_at LIMIT :limit)
RETURNING id

-- name: clear_sessions
-- The row stays, since the search counts by it; of what was said in it nothing does.
UPDATE cognitive.session SET summary = DEFAULT, summarized_until = NULL, plan = DEFAULT, step = DEFAULT,
    recent_messages = NULL
WHERE agent_id = :agent_id AND session_id IN (
    SELECT session_id FROM cognitive.session
    WHERE agent_id = :agent_id AND last_at < :until
        AND (summary <> '' OR recent_messages IS NOT NULL OR cardinality(plan) > 0)
    ORDER BY last_at LIMIT :limit)
RETURNING session_id AS id

-- name: delete_erasures
DELETE FROM cognitive.erasure WHERE agent_id = :agent_id AND at IN (
    SELECT at FROM cognitive.erasure WHERE agent_id = :agent_id AND at < :until ORDER BY at LIMIT :limit)
RETURNING at AS id

-- name: count_memories
SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id AND updated_at < :until AND type = :type AND NOT pinned

-- name: count_turns
SELECT count(*) FROM cognitive.turn WHERE agent_id = :agent_id AND opened_at < :until

-- name: count_artifacts
SELECT count(*) FROM cognitive.artifact WHERE agent_id = :agent_id AND created_at < :until

-- name: count_subtasks
SELECT count(*) FROM cognitive.subtask WHERE agent_id = :agent_id AND completed_at < :until

-- name: count_sessions
SELECT count(*) FROM cognitive.session
WHERE agent_id = :agent_id AND last_at < :until
    AND (summary <> '' OR recent_messages IS NOT NULL OR cardinality(plan) > 0)

-- name: count_erasures
SELECT count(*) FROM cognitive.erasure WHERE agent_id = :agent_id AND at < :until
