-- A change of embedding model: first memories and past turns get vectors of the new model, then one row says which
-- model searches use. Every statement is for one model, and for all users of the agent.

-- name: kept
-- The stored models.
SELECT model, dimension, started_at, completed_at, live_at FROM cognitive.embedding_model
WHERE agent_id = :agent_id ORDER BY started_at, model

-- name: memories
-- The number of memories.
SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id

-- name: lacking
-- The number of memories without vectors of a model. A memory's vectors are written together, so the first one is
-- checked.
SELECT count(*) FROM cognitive.memory AS m
WHERE m.agent_id = :agent_id AND NOT EXISTS (
    SELECT 1 FROM cognitive.embedding AS e
    WHERE e.agent_id = :agent_id AND e.user_id = m.user_id AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'content' AND e.model = :model)

-- name: hold
-- Lock the place where the next worker continues, so that two workers process different memories.
SELECT last_memory_id FROM cognitive.embedding_model WHERE agent_id = :agent_id AND model = :model FOR UPDATE

-- name: reach
-- Set the place where the next worker continues.
UPDATE cognitive.embedding_model SET last_memory_id = :memory_id WHERE agent_id = :agent_id AND model = :model

-- name: next_lacking
-- The next memories after an id without vectors of a model, with their texts and row versions; any change gives a
-- row a new version.
SELECT m.id, m.user_id, m.type, m.content, m.speaker, m.context, m.entities, m.attributes, m.occurred_at, m.xmin::text AS version
FROM cognitive.memory AS m
WHERE m.agent_id = :agent_id AND m.id > :after_id AND NOT EXISTS (
    SELECT 1 FROM cognitive.embedding AS e
    WHERE e.agent_id = :agent_id AND e.user_id = m.user_id AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'content' AND e.model = :model)
ORDER BY m.id LIMIT :limit

-- name: unchanged
-- Those of these memories whose row version is unchanged; none if the model is no longer stored.
SELECT m.id FROM unnest(:memory_ids::uuid[], :versions::text[]) AS read(id, version)
JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.id = read.id AND m.xmin::text = read.version
WHERE EXISTS (SELECT 1 FROM cognitive.embedding_model WHERE agent_id = :agent_id AND model = :model)

-- name: complete
-- Mark a model as complete.
UPDATE cognitive.embedding_model SET completed_at = now()
WHERE agent_id = :agent_id AND model = :model AND completed_at IS NULL

-- name: next_turns
-- Some of the `latest` completed turns with a query vector that have no vector of a model.
SELECT user_id, turn_id, at, message, trace ->> 'record' AS record FROM (
    SELECT t.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
        SELECT user_id, turn_id, at, message, trace, model FROM cognitive.turn
        WHERE agent_id = :agent_id AND user_id = scope.of_user AND status = 'completed' AND query IS NOT NULL
        ORDER BY at DESC, turn_id LIMIT :latest::int) AS t
    ORDER BY t.at DESC, t.turn_id LIMIT :latest::int OFFSET 0) AS latest
WHERE model <> :model AND NOT EXISTS (
    SELECT 1 FROM cognitive.turn_embedding AS e
    WHERE e.agent_id = :agent_id AND e.user_id = latest.user_id AND e.turn_id = latest.turn_id AND e.model = :model)
ORDER BY at DESC, turn_id LIMIT :limit::int

-- name: insert_turns
-- Store vectors of turns that still exist and whose text was not erased meanwhile, if their model is still stored.
INSERT INTO cognitive.turn_embedding (agent_id, user_id, turn_id, model, at, embedding)
SELECT :agent_id, t.user_id, t.turn_id, :model, t.at, asked.embedding
FROM unnest(:user_ids::text[], :turn_ids::text[], :embeddings::halfvec[]) AS asked(user_id, turn_id, embedding)
JOIN cognitive.turn AS t ON t.agent_id = :agent_id AND t.user_id = asked.user_id AND t.turn_id = asked.turn_id
WHERE t.query IS NOT NULL
  AND EXISTS (SELECT 1 FROM cognitive.embedding_model WHERE agent_id = :agent_id AND model = :model)
ON CONFLICT DO NOTHING

-- name: past_requests
-- The latest completed turns, with the memories that they used and that still exist.
SELECT t.user_id, t.message, t.trace ->> 'record' AS record, ARRAY(
    SELECT e.memory_id FROM cognitive.exposure AS e
    JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.id = e.memory_id
    WHERE e.agent_id = :agent_id AND e.user_id = t.user_id AND e.turn_id = t.turn_id AND e.used ORDER BY e.memory_id) AS used
FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT user_id, turn_id, at, message, trace FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND status = 'completed' AND query IS NOT NULL
    ORDER BY at DESC, turn_id LIMIT :limit) AS t
ORDER BY t.at DESC, t.turn_id LIMIT :limit

-- name: release
-- Stop storing vectors of a model.
DELETE FROM cognitive.embedding_model WHERE agent_id = :agent_id AND model = :model

-- name: release_cells
-- Delete the cells of a model.
DELETE FROM cognitive.cell WHERE agent_id = :agent_id AND model = :model

-- name: stored
-- The models of the agent's vectors, registered or not; read by skipping through index keys, not through vectors.
WITH RECURSIVE seen AS (
    SELECT c.user_id, (
        SELECT e.model FROM cognitive.embedding AS e
        WHERE e.agent_id = :agent_id AND e.user_id = c.user_id AND e.dimension <= 1200 ORDER BY e.model LIMIT 1) AS model
    FROM cognitive.corpus AS c WHERE c.agent_id = :agent_id
    UNION ALL
    SELECT seen.user_id, (
        SELECT e.model FROM cognitive.embedding AS e
        WHERE e.agent_id = :agent_id AND e.user_id = seen.user_id AND e.model > seen.model AND e.dimension <= 1200
        ORDER BY e.model LIMIT 1)
    FROM seen WHERE seen.model IS NOT NULL),
large AS (
    SELECT c.user_id, (
        SELECT e.model FROM cognitive.embedding AS e
        WHERE e.agent_id = :agent_id AND e.user_id = c.user_id AND e.dimension > 1200 ORDER BY e.model LIMIT 1) AS model
    FROM cognitive.corpus AS c WHERE c.agent_id = :agent_id
    UNION ALL
    SELECT large.user_id, (
        SELECT e.model FROM cognitive.embedding AS e
        WHERE e.agent_id = :agent_id AND e.user_id = large.user_id AND e.model > large.model AND e.dimension > 1200
        ORDER BY e.model LIMIT 1)
    FROM large WHERE large.model IS NOT NULL)
SELECT model FROM seen WHERE model IS NOT NULL UNION SELECT model FROM large WHERE model IS NOT NULL ORDER BY model

-- name: delete_vectors
-- Delete some vectors of a model.
DELETE FROM cognitive.embedding WHERE agent_id = :agent_id AND model = :model AND ctid = ANY(ARRAY(
    SELECT ctid FROM cognitive.embedding WHERE agent_id = :agent_id AND model = :model LIMIT :limit))

-- name: own_turns
-- For turns recorded with one model that also have a vector of the live model: make that the turn's own vector.
UPDATE cognitive.turn AS t SET model = e.model, query = e.embedding FROM cognitive.turn_embedding AS e
WHERE t.agent_id = :agent_id AND t.model = :model AND e.agent_id = :agent_id AND e.user_id = t.user_id
    AND e.turn_id = t.turn_id AND e.model = :live_model

-- name: delete_own_vectors
-- Delete the vectors of a model of the turns that have it as their own vector.
DELETE FROM cognitive.turn_embedding AS e USING cognitive.turn AS t
WHERE e.agent_id = :agent_id AND t.agent_id = :agent_id AND e.user_id = t.user_id AND e.turn_id = t.turn_id
    AND e.model = :model AND t.model = :model

-- name: delete_turn_vectors
-- Delete some vectors of turns of a model.
DELETE FROM cognitive.turn_embedding WHERE agent_id = :agent_id AND model = :model

-- name: clear_turns
-- Delete the query vectors of some further turns that were recorded with a model.
UPDATE cognitive.turn SET query = NULL WHERE agent_id = :agent_id AND (user_id, turn_id) IN (
    SELECT user_id, turn_id FROM cognitive.turn WHERE agent_id = :agent_id AND model = :model
        AND query IS NOT NULL LIMIT :limit)
