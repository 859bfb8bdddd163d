-- name: groups
-- The vectors of an agent that one search reads together: how many there are, how many lie in no cell, and how many
-- centres there are.
SELECT e.model, e.field, e.type, e.vectors, e.unsorted, (
           SELECT count(*) FROM cognitive.cell AS c
           WHERE c.agent_id = :agent_id AND c.model = e.model AND c.field = e.field AND c.type = e.type) AS centres
FROM (SELECT model, field, type, count(*) AS vectors, count(*) FILTER (WHERE cell IS NULL) AS unsorted
      FROM cognitive.embedding WHERE agent_id = :agent_id GROUP BY model, field, type) AS e
ORDER BY e.model, e.field, e.type

-- name: sample
-- The first by id, which is a hash: as good as drawn.
SELECT embedding FROM cognitive.embedding WHERE agent_id = :agent_id AND model = :model AND field = :field
    AND type = :type
ORDER BY memory_id, ordinal LIMIT :limit

-- name: add_centres
INSERT INTO cognitive.cell (agent_id, model, field, type, number, centre)
SELECT :agent_id, :model, :field, :type, :first_number + c.n - 1, c.centre
    FROM unnest(:centres::halfvec[]) WITH ORDINALITY AS c(centre, n)
ON CONFLICT (agent_id, model, field, type, number) DO UPDATE SET centre = excluded.centre

-- name: centres
SELECT number, centre FROM cognitive.cell WHERE agent_id = :agent_id AND model = :model AND field = :field
    AND type = :type ORDER BY number

-- name: unsorted
-- Vectors of a group that lie in no cell, behind a place in the order of their ids.
SELECT memory_id, ordinal, embedding FROM cognitive.embedding
WHERE agent_id = :agent_id AND model = :model AND field = :field AND type = :type AND cell IS NULL
    AND (memory_id, ordinal) > (:after_memory_id, :after_ordinal)
ORDER BY memory_id, ordinal LIMIT :limit

-- name: put
-- Put vectors into cells, if they still lie where they lay when they were read (`current_cell`, NULL in none).
UPDATE cognitive.embedding AS e SET cell = p.cell
FROM unnest(:memory_ids::uuid[], :ordinals::integer[], :cells::integer[]) AS p(memory_id, ordinal, cell)
WHERE e.agent_id = :agent_id AND e.memory_id = p.memory_id AND e.ordinal = p.ordinal AND e.field = :field
    AND e.model = :model
  AND e.type = :type AND e.cell IS NOT DISTINCT FROM :current_cell

-- name: overfull
-- Cells that hold more than so many.
SELECT cell, count(*) AS vectors FROM cognitive.embedding
WHERE agent_id = :agent_id AND model = :model AND field = :field AND type = :type AND cell IS NOT NULL
GROUP BY cell HAVING count(*) > :max_vectors ORDER BY cell

-- name: held
SELECT memory_id, ordinal, embedding FROM cognitive.embedding
WHERE agent_id = :agent_id AND model = :model AND field = :field AND type = :type AND cell = :cell
    ORDER BY memory_id, ordinal

-- name: next_no
SELECT coalesce(max(number), -1) + 1 FROM cognitive.cell WHERE agent_id = :agent_id AND model = :model
    AND field = :field
    AND type = :type
