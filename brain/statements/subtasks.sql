-- name: own_work
-- Serialize changes of dependencies between a user's subtasks; other work is not blocked.
SELECT pg_advisory_xact_lock(hashtextextended('cognitive work ' || :agent_id || chr(10) || cognitive.scope(), 0))

-- name: begin
-- Add a subtask; an existing one is not changed.
INSERT INTO cognitive.subtask (agent_id, user_id, id, session_id, title, depends_on, lexemes)
    VALUES (:agent_id, cognitive.scope(), :subtask_id, :session_id, :title, :depends_on, :lexemes)
ON CONFLICT DO NOTHING

-- name: subtasks
-- Subtasks by id. Of a shared one and a user's with the same id, it is the user's.
SELECT DISTINCT ON (id) id, session_id, title, status, depends_on, artifacts, result, facts, created_at, completed_at
FROM cognitive.subtask WHERE agent_id = :agent_id AND id = ANY(:subtask_ids::uuid[]) ORDER BY id, user_id DESC

-- name: of_session
-- The subtasks of a session of the transaction's scope.
SELECT id, session_id, title, status, depends_on, artifacts, result, facts, created_at, completed_at
FROM cognitive.subtask
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id ORDER BY created_at, id

-- name: needed
-- All subtasks that these depend on, directly or indirectly.
WITH RECURSIVE needed AS (
    SELECT unnest(:subtask_ids::uuid[]) AS id
    UNION
    SELECT unnest(s.depends_on) FROM needed JOIN cognitive.subtask AS s ON s.agent_id = :agent_id AND s.id = needed.id)
SELECT id FROM needed

-- name: depend
-- Add dependencies.
UPDATE cognitive.subtask SET depends_on = ARRAY(SELECT DISTINCT unnest(depends_on || :depends_on::uuid[]) ORDER BY 1)
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = :subtask_id AND status = 'open'
RETURNING id

-- name: finish
-- Finish an open subtask. The first result is final.
UPDATE cognitive.subtask SET status = :status, result = :result, artifacts = :artifact_ids, lexemes = :lexemes,
    completed_at = now()
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = :subtask_id AND status = 'open' RETURNING id

-- name: give_artifacts
-- Record in artifacts the id of the finished subtask that made them.
UPDATE cognitive.artifact SET subtask_id = :subtask_id
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = ANY(:artifact_ids::uuid[])

-- name: archived
-- Set the memories with a finished subtask's result.
UPDATE cognitive.subtask SET facts = :memory_ids
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = :subtask_id

-- name: known_artifacts
-- Those of these artifacts that exist.
SELECT id FROM cognitive.artifact WHERE agent_id = :agent_id AND id = ANY(:artifact_ids::uuid[])

-- name: search
-- Completed subtasks, of a session or of all, that contain lexemes of a query; rare lexemes weigh more.
WITH finished AS (
    SELECT id, session_id, title, status, depends_on, artifacts, result, facts, created_at, completed_at, lexemes
    FROM cognitive.subtask
    WHERE agent_id = :agent_id AND status = 'completed' AND (:session_id::text IS NULL OR session_id = :session_id)),
asked AS (
    SELECT q.lexeme, ln(1 + (SELECT count(*) FROM finished)::float8 / count(*)) AS weight
    FROM unnest(:lexemes::text[]) AS q(lexeme) JOIN finished ON q.lexeme = ANY(finished.lexemes) GROUP BY q.lexeme)
SELECT f.id, f.session_id, f.title, f.status, f.depends_on, f.artifacts, f.result, f.facts, f.created_at, f.completed_at
FROM finished AS f CROSS JOIN LATERAL (SELECT sum(weight) AS score FROM asked WHERE lexeme = ANY(f.lexemes)) AS s
WHERE s.score > 0
ORDER BY s.score DESC, f.completed_at DESC, f.id LIMIT :limit
