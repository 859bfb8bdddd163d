-- A change of embedding model: memories and past turns that lack vectors of a model get them, then one row says which
-- model reads use. Every statement names one model.

-- name: lock
-- Holds off the agent's writers. Of an agent that was erased nothing is made anew.
SELECT 1 FROM cognitive.corpus WHERE agent_id = $1 FOR UPDATE

-- name: kept
-- What is kept of each model.
SELECT model, dimension, begun_at, completed_at, live_at FROM cognitive.embedding_model
WHERE agent_id = $1 ORDER BY begun_at, model

-- name: memories
-- How many memories there are.
SELECT count(*) FROM cognitive.memory WHERE agent_id = $1

-- name: lacking
-- How many memories have no vectors of model $2. Those of one memory come and go together: the first tells of all.
SELECT count(*) FROM cognitive.memory AS m
WHERE m.agent_id = $1 AND NOT EXISTS (
    SELECT 1 FROM cognitive.embedding AS e
    WHERE e.agent_id = $1 AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'said' AND e.model = $2)

-- name: hold
-- Where the next worker begins; the row is held, so that two take different memories.
SELECT reached FROM cognitive.embedding_model WHERE agent_id = $1 AND model = $2 FOR UPDATE

-- name: reach
UPDATE cognitive.embedding_model SET reached = $3 WHERE agent_id = $1 AND model = $2

-- name: next_lacking
-- The next $4 memories behind id $3 that have no vectors of model $2, with what is embedded of them and the version of
-- their rows, which any change to them replaces.
SELECT m.id, m.type, m.content, m.speaker, m.context, m.occurred_at, m.xmin::text AS version
FROM cognitive.memory AS m
WHERE m.agent_id = $1 AND m.id > $3 AND NOT EXISTS (
    SELECT 1 FROM cognitive.embedding AS e
    WHERE e.agent_id = $1 AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'said' AND e.model = $2)
ORDER BY m.id LIMIT $4

-- name: unchanged
-- Those of the memories $3 that are still of the versions $4; none, if model $2 is no longer kept.
SELECT m.id FROM unnest($3::uuid[], $4::text[]) AS read(id, version)
JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = read.id AND m.xmin::text = read.version
WHERE EXISTS (SELECT 1 FROM cognitive.embedding_model WHERE agent_id = $1 AND model = $2)

-- name: complete
UPDATE cognitive.embedding_model SET completed_at = now()
WHERE agent_id = $1 AND model = $2 AND completed_at IS NULL

-- name: next_turns
-- Of the $3 latest completed turns that can be compared with, $4 that have no vector of model $2.
SELECT turn_id, at, message, trace ->> 'record' AS record FROM (
    SELECT turn_id, at, message, trace, model FROM cognitive.turn
    WHERE agent_id = $1 AND status = 'completed' AND query IS NOT NULL
    ORDER BY at DESC, turn_id LIMIT $3::int OFFSET 0) AS latest
WHERE model <> $2 AND NOT EXISTS (
    SELECT 1 FROM cognitive.turn_embedding AS e
    WHERE e.agent_id = $1 AND e.turn_id = latest.turn_id AND e.model = $2)
ORDER BY at DESC, turn_id LIMIT $4::int

-- name: insert_turns
-- Vectors of turns that are still there, by model $2, while that is kept; of none whose words were cut meanwhile.
INSERT INTO cognitive.turn_embedding (agent_id, turn_id, model, at, embedding)
SELECT $1, t.turn_id, $2, t.at, asked.embedding
FROM unnest($3::text[], $4::halfvec[]) AS asked(turn_id, embedding)
JOIN cognitive.turn AS t ON t.agent_id = $1 AND t.turn_id = asked.turn_id
WHERE t.query IS NOT NULL
  AND EXISTS (SELECT 1 FROM cognitive.embedding_model WHERE agent_id = $1 AND model = $2)
ON CONFLICT DO NOTHING

-- name: asked_turns
-- The latest $2 completed turns with what they used of what is still there.
SELECT t.message, t.trace ->> 'record' AS record, ARRAY(
    SELECT e.memory_id FROM cognitive.exposure AS e
    JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = e.memory_id
    WHERE e.agent_id = $1 AND e.turn_id = t.turn_id AND e.used ORDER BY e.memory_id) AS used
FROM cognitive.turn AS t
WHERE t.agent_id = $1 AND t.status = 'completed' AND t.query IS NOT NULL
ORDER BY t.at DESC, t.turn_id LIMIT $2

-- name: release
-- From now on nothing is embedded with model $2 any more, nor sorted into its cells.
WITH cell AS (DELETE FROM cognitive.cell WHERE agent_id = $1 AND model = $2)
DELETE FROM cognitive.embedding_model WHERE agent_id = $1 AND model = $2

-- name: stored
-- The models that the agent's vectors are of, kept or not: a walk over the keys of the indexes, not over the vectors.
WITH RECURSIVE seen AS (
    (SELECT model FROM cognitive.embedding WHERE agent_id = $1 AND dimension <= 1200 ORDER BY model LIMIT 1)
    UNION ALL
    SELECT (SELECT e.model FROM cognitive.embedding AS e
            WHERE e.agent_id = $1 AND e.model > seen.model AND e.dimension <= 1200 ORDER BY e.model LIMIT 1)
    FROM seen WHERE seen.model IS NOT NULL),
large AS (
    (SELECT model FROM cognitive.embedding WHERE agent_id = $1 AND dimension > 1200 ORDER BY model LIMIT 1)
    UNION ALL
    SELECT (SELECT e.model FROM cognitive.embedding AS e
            WHERE e.agent_id = $1 AND e.model > large.model AND e.dimension > 1200 ORDER BY e.model LIMIT 1)
    FROM large WHERE large.model IS NOT NULL)
SELECT model FROM seen WHERE model IS NOT NULL UNION SELECT model FROM large WHERE model IS NOT NULL ORDER BY model

-- name: delete_vectors
-- Up to $3 vectors of model $2.
DELETE FROM cognitive.embedding WHERE agent_id = $1 AND model = $2 AND ctid = ANY(ARRAY(
    SELECT ctid FROM cognitive.embedding WHERE agent_id = $1 AND model = $2 LIMIT $3))

-- name: own_turns
-- Turns that were recorded with model $2 and have a vector of the live model $3 too: that one becomes their own.
WITH moved AS (
    UPDATE cognitive.turn AS t SET model = e.model, query = e.embedding FROM cognitive.turn_embedding AS e
    WHERE t.agent_id = $1 AND t.model = $2 AND e.agent_id = $1 AND e.turn_id = t.turn_id AND e.model = $3
    RETURNING t.turn_id)
DELETE FROM cognitive.turn_embedding AS e USING moved
WHERE e.agent_id = $1 AND e.turn_id = moved.turn_id AND e.model = $3

-- name: delete_turn_vectors
DELETE FROM cognitive.turn_embedding WHERE agent_id = $1 AND model = $2

-- name: clear_turns
-- Takes the vectors of up to $3 further turns that were recorded with model $2.
UPDATE cognitive.turn SET query = NULL WHERE agent_id = $1 AND turn_id = ANY(ARRAY(
    SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND model = $2 AND query IS NOT NULL LIMIT $3))
