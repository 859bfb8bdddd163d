-- name: nearest
-- The ten nearest memories, from the vectors without a cell and the nearest `cells` cells, or all cells if that is
-- NULL.
SELECT memory_id FROM (
    SELECT memory_id, embedding <#> :embedding::halfvec AS distance FROM cognitive.embedding
    WHERE agent_id = :agent_id AND model = :model AND field = 'content' AND type = 'episode' AND dimension <= 1200
        AND cell IS NULL
    UNION ALL
    SELECT memory_id, embedding <#> :embedding::halfvec FROM cognitive.embedding
    WHERE agent_id = :agent_id AND model = :model AND field = 'content' AND type = 'episode' AND dimension <= 1200
      AND cell = ANY(ARRAY(SELECT number FROM cognitive.cell
                           WHERE agent_id = :agent_id AND model = :model AND field = 'content' AND type = 'episode'
                           ORDER BY centre <#> :embedding::halfvec LIMIT :cells::int))
    OFFSET 0) AS e
ORDER BY distance LIMIT 10

-- name: there_was_a_turn
-- Write one row for a turn: the third step of the benchmark's floor.
INSERT INTO cognitive.turn (agent_id, user_id, turn_id, session_id, at, status, message, policy, frame, trace)
VALUES (:agent_id, cognitive.scope(), :turn_id, 'floor', :at, 'abandoned', :message, '', '', '{}')
