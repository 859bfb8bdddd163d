-- All agents at once: for a role that may see them, as any other is refused.

-- name: agents
-- The names of all agents, for a role that may see them: any other is refused, and not told that there are none.
SELECT agent_id FROM cognitive.agent_state ORDER BY agent_id

-- name: unsorted
-- The agents of whose vectors at least `min_vectors` are read together and lie in no cell.
SELECT c.agent_id FROM cognitive.agent_state AS c
WHERE c.passages >= :min_vectors AND EXISTS (
    SELECT FROM cognitive.embedding AS e WHERE e.agent_id = c.agent_id AND e.cell IS NULL
    GROUP BY e.model, e.field, e.type HAVING count(*) >= :min_vectors)
ORDER BY c.agent_id

-- name: agents_by_model
-- How many agents are read by each model, and for how many it is kept beside, complete or not.
SELECT m.model, count(*) FILTER (WHERE c.model = m.model) AS live,
       count(*) FILTER (WHERE c.model <> m.model AND m.completed_at IS NULL) AS building,
       count(*) FILTER (WHERE c.model <> m.model AND m.completed_at IS NOT NULL AND m.live_at IS NULL) AS ready,
       count(*) FILTER (WHERE c.model <> m.model AND m.live_at IS NOT NULL) AS retired
FROM cognitive.embedding_model AS m JOIN cognitive.agent_state AS c ON c.agent_id = m.agent_id
GROUP BY m.model ORDER BY m.model
