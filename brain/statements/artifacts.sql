-- name: known
SELECT id FROM cognitive.artifact WHERE agent_id = $1 AND id = ANY($2::uuid[])

-- name: put
-- Artifacts with their pieces; one that is there already stays as it is. With $4, only those of a turn that is there: of
-- one that was erased meanwhile nothing is left behind. Neither is of texts that came in ($16) before an erasure.
WITH new AS (
    INSERT INTO cognitive.artifact (agent_id, id, session_id, turn_id, kind, name, tool, characters, stand_ins)
    SELECT $1, a.id, $2, $3, a.kind, a.name, a.tool, a.characters,
           ARRAY(SELECT jsonb_array_elements_text(a.stand_ins -> 'pairs')::integer)
    FROM unnest($5::uuid[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::jsonb[])
         AS a(id, kind, name, tool, characters, stand_ins)
    WHERE NOT EXISTS (
        SELECT 1 FROM cognitive.erasure
        WHERE agent_id = $1 AND what <> 'retention' AND at >= to_timestamp($16::float8))
      AND (NOT $4::boolean OR EXISTS (
        SELECT 1 FROM cognitive.turn WHERE agent_id = $1 AND turn_id = $3::text AND response IS DISTINCT FROM ''))
    ORDER BY a.id
    ON CONFLICT DO NOTHING RETURNING id),
pieces AS (
    INSERT INTO cognitive.piece (agent_id, artifact_id, ordinal, start, line, content)
    SELECT $1, p.artifact_id, p.ordinal, p.start, p.line, p.content
    FROM unnest($11::uuid[], $12::integer[], $13::bigint[], $14::bigint[], $15::text[])
         AS p(artifact_id, ordinal, start, line, content)
    WHERE p.artifact_id IN (SELECT id FROM new)
    RETURNING 1)
SELECT id FROM new

-- name: of_session
SELECT id, session_id, turn_id, kind, name, tool, subtask_id, characters, created_at
FROM cognitive.artifact WHERE agent_id = $1 AND session_id = $2 ORDER BY created_at, id

-- name: artifact
SELECT id, session_id, turn_id, kind, name, tool, subtask_id, characters, created_at, stand_ins
FROM cognitive.artifact WHERE agent_id = $1 AND id = $2

-- name: pieces
SELECT content FROM cognitive.piece
WHERE agent_id = $1 AND artifact_id = $2 AND ordinal BETWEEN $3 AND $4 ORDER BY ordinal

-- name: holding
-- The pieces in which a literal begins, each with as much of the next as a literal that begins in it may need.
SELECT start, line, content, following FROM (
    SELECT ordinal, start, line, content,
           left(coalesce(lead(content) OVER (ORDER BY ordinal), ''), $4::int) AS following
    FROM cognitive.piece WHERE agent_id = $1 AND artifact_id = $2) AS p
WHERE position($3::text IN content || following) > 0
ORDER BY ordinal LIMIT $5

-- name: delete
DELETE FROM cognitive.artifact WHERE agent_id = $1 AND id = ANY($2::uuid[])
