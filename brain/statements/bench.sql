-- name: nearest
-- The ten nearest memories: of what lies in no cell, and of the $4 nearest cells, or of all if that is NULL.
SELECT memory_id FROM (
    SELECT memory_id, embedding <#> $3::halfvec AS distance FROM cognitive.embedding
    WHERE agent_id = $1 AND model = $2 AND field = 'said' AND type = 'episode' AND dimension <= 1200 AND cell IS NULL
    UNION ALL
    SELECT memory_id, embedding <#> $3::halfvec FROM cognitive.embedding
    WHERE agent_id = $1 AND model = $2 AND field = 'said' AND type = 'episode' AND dimension <= 1200
      AND cell = ANY(ARRAY(SELECT no FROM cognitive.cell
                           WHERE agent_id = $1 AND model = $2 AND field = 'said' AND type = 'episode'
                           ORDER BY centre <#> $3::halfvec LIMIT $4::int))
    OFFSET 0) AS e
ORDER BY distance LIMIT 10

-- name: there_was_a_turn
INSERT INTO cognitive.turn (agent_id, turn_id, session_id, at, status, message, policy, frame, trace)
VALUES ($1, $2, 'floor', $3, 'abandoned', $4, '', '', '{}')
