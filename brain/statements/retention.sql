-- Rows older than a time: oldest first, a limited number per call. Dependent rows are deleted in the same statement.

-- name: old_memories
-- Memories by the time of their last change, not of the event they describe. Pinned memories are never deleted by
-- age.
SELECT id, user_id FROM cognitive.memory
WHERE agent_id = :agent_id AND updated_at < :until AND type = :type AND NOT pinned ORDER BY updated_at, id LIMIT :limit

-- name: hidden_memories
-- Memories by the time since which they are hidden.
SELECT id, user_id FROM cognitive.memory
WHERE agent_id = :agent_id AND hidden_at < :until ORDER BY hidden_at, id LIMIT :limit

-- name: still_old
-- Those of a user's memories that `old_memories` would still return.
SELECT id FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = ANY(:memory_ids::uuid[])
    AND updated_at < :until AND NOT pinned

-- name: still_hidden
-- Those of a user's memories that `hidden_memories` would still return.
SELECT id FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = ANY(:memory_ids::uuid[]) AND hidden_at < :until

-- name: old_turns
-- Lock turns that are older than `until`, the oldest first. Locked ones are skipped: another process deletes them, or
-- they are being closed. Their exposures are deleted after the lock, since transactions that add exposures lock the
-- turn first.
SELECT user_id, turn_id, turn_id AS id FROM cognitive.turn WHERE agent_id = :agent_id AND opened_at < :until
ORDER BY opened_at LIMIT :limit FOR UPDATE SKIP LOCKED

-- name: delete_turns
-- Delete the rows of turns in one table.
DELETE FROM cognitive.<table> AS t USING unnest(:user_ids::text[], :turn_ids::text[]) AS old(user_id, turn_id)
WHERE t.agent_id = :agent_id AND t.user_id = old.user_id AND t.turn_id = old.turn_id

-- name: delete_exposures
-- Delete exposures without a turn: it was never recorded, or was deleted before they were added.
DELETE FROM cognitive.exposure WHERE agent_id = :agent_id AND (user_id, turn_id, memory_id) IN (
    SELECT e.user_id, e.turn_id, e.memory_id FROM cognitive.exposure AS e
    WHERE e.agent_id = :agent_id AND e.at < :until AND NOT EXISTS (
        SELECT 1 FROM cognitive.turn AS t
        WHERE t.agent_id = :agent_id AND t.user_id = e.user_id AND t.turn_id = e.turn_id)
    LIMIT :limit)

-- name: delete_artifacts
-- Delete artifacts.
DELETE FROM cognitive.artifact WHERE agent_id = :agent_id AND (user_id, id) IN (
    SELECT user_id, id FROM cognitive.artifact WHERE agent_id = :agent_id AND created_at < :until
        ORDER BY created_at LIMIT :limit)
RETURNING id

-- name: delete_subtasks
-- Delete finished subtasks.
DELETE FROM cognitive.subtask WHERE agent_id = :agent_id AND (user_id, id) IN (
    SELECT user_id, id FROM cognitive.subtask WHERE agent_id = :agent_id AND completed_at < :until
        ORDER BY completed_at LIMIT :limit)
RETURNING id

-- name: clear_sessions
-- Clear the texts of sessions; the row stays, because BM25 counts sessions.
UPDATE cognitive.session SET summary = DEFAULT, summarized_until = NULL, plan = DEFAULT, step = DEFAULT,
    recent_messages = NULL
WHERE agent_id = :agent_id AND (user_id, session_id) IN (
    SELECT user_id, session_id FROM cognitive.session
    WHERE agent_id = :agent_id AND last_at < :until
        AND (summary <> '' OR recent_messages IS NOT NULL OR cardinality(plan) > 0)
    ORDER BY last_at LIMIT :limit)
RETURNING session_id AS id

-- name: delete_erasures
-- Delete entries of the erasure log.
DELETE FROM cognitive.erasure WHERE agent_id = :agent_id AND (user_id, at) IN (
    SELECT user_id, at FROM cognitive.erasure WHERE agent_id = :agent_id AND at < :until ORDER BY at LIMIT :limit)
RETURNING at AS id

-- name: count_memories
-- Count the memories that `old_memories` would return.
SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id AND updated_at < :until AND type = :type AND NOT pinned

-- name: count_hidden
-- Count the memories that `hidden_memories` would return.
SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id AND hidden_at < :until

-- name: count_turns
-- Count the turns that would be deleted.
SELECT count(*) FROM cognitive.turn WHERE agent_id = :agent_id AND opened_at < :until

-- name: count_artifacts
-- Count the artifacts that would be deleted.
SELECT count(*) FROM cognitive.artifact WHERE agent_id = :agent_id AND created_at < :until

-- name: count_subtasks
-- Count the subtasks that would be deleted.
SELECT count(*) FROM cognitive.subtask WHERE agent_id = :agent_id AND completed_at < :until

-- name: count_sessions
-- Count the sessions that would be cleared.
SELECT count(*) FROM cognitive.session
WHERE agent_id = :agent_id AND last_at < :until
    AND (summary <> '' OR recent_messages IS NOT NULL OR cardinality(plan) > 0)

-- name: count_erasures
-- Count the log entries that would be deleted.
SELECT count(*) FROM cognitive.erasure WHERE agent_id = :agent_id AND at < :until
