-- name: groups
-- The vectors of an agent that one search reads together: how many there are, how many lie in no cell, and how many
-- centres there are.
SELECT e.model, e.field, e.type, e.vectors, e.unsorted, (
           SELECT count(*) FROM cognitive.cell AS c
           WHERE c.agent_id = $1 AND c.model = e.model AND c.field = e.field AND c.type = e.type) AS centres
FROM (SELECT model, field, type, count(*) AS vectors, count(*) FILTER (WHERE cell IS NULL) AS unsorted
      FROM cognitive.embedding WHERE agent_id = $1 GROUP BY model, field, type) AS e
ORDER BY e.model, e.field, e.type

-- name: sample
-- The first by id, which is a hash: as good as drawn.
SELECT embedding FROM cognitive.embedding WHERE agent_id = $1 AND model = $2 AND field = $3 AND type = $4
ORDER BY memory_id, ordinal LIMIT $5

-- name: add_centres
INSERT INTO cognitive.cell (agent_id, model, field, type, no, centre)
SELECT $1, $2, $3, $4, $5 + c.n - 1, c.centre FROM unnest($6::halfvec[]) WITH ORDINALITY AS c(centre, n)
ON CONFLICT (agent_id, model, field, type, no) DO UPDATE SET centre = excluded.centre

-- name: centres
SELECT no, centre FROM cognitive.cell WHERE agent_id = $1 AND model = $2 AND field = $3 AND type = $4 ORDER BY no

-- name: unsorted
-- Vectors of a group that lie in no cell, behind a place in the order of their ids.
SELECT memory_id, ordinal, embedding FROM cognitive.embedding
WHERE agent_id = $1 AND model = $2 AND field = $3 AND type = $4 AND cell IS NULL AND (memory_id, ordinal) > ($5, $6)
ORDER BY memory_id, ordinal LIMIT $7

-- name: put
-- Puts vectors into cells, if they lie where they lay ($6, NULL in none) when they were read.
UPDATE cognitive.embedding AS e SET cell = p.cell
FROM unnest($5::uuid[], $7::integer[], $8::integer[]) AS p(memory_id, ordinal, cell)
WHERE e.agent_id = $1 AND e.memory_id = p.memory_id AND e.ordinal = p.ordinal AND e.field = $3 AND e.model = $2
  AND e.type = $4 AND e.cell IS NOT DISTINCT FROM $6

-- name: overfull
-- Cells that hold more than so many.
SELECT cell, count(*) AS vectors FROM cognitive.embedding
WHERE agent_id = $1 AND model = $2 AND field = $3 AND type = $4 AND cell IS NOT NULL
GROUP BY cell HAVING count(*) > $5 ORDER BY cell

-- name: held
SELECT memory_id, ordinal, embedding FROM cognitive.embedding
WHERE agent_id = $1 AND model = $2 AND field = $3 AND type = $4 AND cell = $5 ORDER BY memory_id, ordinal

-- name: next_no
SELECT coalesce(max(no), -1) + 1 FROM cognitive.cell WHERE agent_id = $1 AND model = $2 AND field = $3 AND type = $4
