-- name: groups
-- The groups of the agent's vectors (user, model, field, type) with their vectors, vectors without a cell, and centres.
SELECT e.user_id, e.model, e.field, e.type, e.vectors, e.unsorted, (
           SELECT count(*) FROM cognitive.cell AS c
           WHERE c.agent_id = :agent_id AND c.user_id = e.user_id AND c.model = e.model AND c.field = e.field
               AND c.type = e.type) AS centres
FROM (SELECT e.user_id, e.model, e.field, e.type, count(*) AS vectors, count(*) FILTER (WHERE e.cell IS NULL) AS unsorted
      FROM cognitive.corpus AS c JOIN cognitive.embedding AS e ON e.agent_id = :agent_id AND e.user_id = c.user_id
      WHERE c.agent_id = :agent_id AND (c.passages >= :min_passages OR EXISTS (
          SELECT FROM cognitive.cell AS k WHERE k.agent_id = :agent_id AND k.user_id = c.user_id))
      GROUP BY e.user_id, e.model, e.field, e.type) AS e
ORDER BY e.user_id, e.model, e.field, e.type

-- name: sample
-- A random sample of a group: ids are hashes, so the first ids are random.
SELECT m.id AS memory_id, e.embedding FROM cognitive.memory AS m CROSS JOIN LATERAL (
    SELECT ordinal, embedding FROM cognitive.embedding
    WHERE agent_id = :agent_id AND user_id = :user_id AND memory_id = m.id AND field = :field AND model = :model
    OFFSET 0) AS e
WHERE m.agent_id = :agent_id AND m.user_id = :user_id AND m.type = :type
ORDER BY m.id, e.ordinal LIMIT :limit

-- name: has_sampled
-- Whether a group still has a vector of one of these memories.
SELECT EXISTS (SELECT 1 FROM cognitive.embedding
               WHERE agent_id = :agent_id AND user_id = :user_id AND model = :model AND field = :field AND type = :type
                   AND memory_id = ANY(:memory_ids::uuid[]))

-- name: add_centres
-- Add or replace centres, numbered from `first_number`.
INSERT INTO cognitive.cell (agent_id, user_id, model, field, type, number, centre)
SELECT :agent_id, :user_id, :model, :field, :type, :first_number + c.n - 1, c.centre
    FROM unnest(:centres::halfvec[]) WITH ORDINALITY AS c(centre, n)
ON CONFLICT (agent_id, user_id, model, field, type, number) DO UPDATE SET centre = excluded.centre

-- name: centres
-- The centres of a group.
SELECT number, centre FROM cognitive.cell
WHERE agent_id = :agent_id AND user_id = :user_id AND model = :model AND field = :field AND type = :type ORDER BY number

-- name: unsorted
-- Vectors of a group without a cell, after a place in the order of their ids.
SELECT memory_id, ordinal, embedding FROM cognitive.embedding
WHERE agent_id = :agent_id AND user_id = :user_id AND model = :model AND field = :field AND type = :type AND cell IS NULL
    AND (memory_id, ordinal) > (:after_memory_id, :after_ordinal)
ORDER BY memory_id, ordinal LIMIT :limit

-- name: put
-- Assign vectors to cells, if their cell is still `current_cell` (NULL: none).
UPDATE cognitive.embedding AS e SET cell = p.cell
FROM unnest(:memory_ids::uuid[], :ordinals::integer[], :cells::integer[]) AS p(memory_id, ordinal, cell)
WHERE e.agent_id = :agent_id AND e.user_id = :user_id AND e.memory_id = p.memory_id AND e.ordinal = p.ordinal
    AND e.field = :field AND e.model = :model
  AND e.type = :type AND e.cell IS NOT DISTINCT FROM :current_cell

-- name: overfull
-- The cells with more than `max_vectors` vectors.
SELECT cell, count(*) AS vectors FROM cognitive.embedding
WHERE agent_id = :agent_id AND user_id = :user_id AND model = :model AND field = :field AND type = :type
    AND cell IS NOT NULL
GROUP BY cell HAVING count(*) > :max_vectors ORDER BY cell

-- name: held
-- The vectors of a cell.
SELECT memory_id, ordinal, embedding FROM cognitive.embedding
WHERE agent_id = :agent_id AND user_id = :user_id AND model = :model AND field = :field AND type = :type AND cell = :cell
    ORDER BY memory_id, ordinal

-- name: next_number
-- The next free number of a cell. No two users' cells share a number, since a search selects cells by number.
SELECT coalesce(max(number), -1) + 1 FROM cognitive.cell
WHERE agent_id = :agent_id AND model = :model AND field = :field AND type = :type
