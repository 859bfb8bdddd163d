-- Statements over all agents. They need a role that bypasses row level security; any other role gets an error.

-- name: agents
-- The names of all agents.
SELECT agent_id FROM cognitive.agent_state ORDER BY agent_id

-- name: degraded_turns
-- The turns of all agents since `since`, a midnight (UTC), and how many of them were degraded.
SELECT coalesce(sum(turns), 0)::bigint AS turns, coalesce(sum(degraded), 0)::bigint AS degraded
FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since

-- name: unsorted
-- The agents with a group of at least `min_vectors` vectors (of one user, model, field and type) that are in no cell.
SELECT DISTINCT c.agent_id FROM cognitive.corpus AS c
WHERE c.passages >= :min_vectors AND EXISTS (
    SELECT FROM cognitive.embedding AS e WHERE e.agent_id = c.agent_id AND e.user_id = c.user_id AND e.cell IS NULL
    GROUP BY e.model, e.field, e.type HAVING count(*) >= :min_vectors)
ORDER BY c.agent_id

-- name: without_users
-- The agents that captured messages of several speakers, and have no users.
SELECT m.agent_id FROM cognitive.memory AS m WHERE m.user_id = '' AND m.source LIKE 'turn/%/user'
GROUP BY m.agent_id
HAVING count(DISTINCT m.speaker) > 1
   AND NOT EXISTS (SELECT FROM cognitive.session AS s WHERE s.agent_id = m.agent_id AND s.user_id <> '')
ORDER BY m.agent_id

-- name: parked_turns
-- The agents with turns that a model failed to read three times, how many, and the first of these. An exchange of a
-- conversation without turns counts as one; it is named by the id of its user's line.
SELECT agent_id, sum(turns)::bigint AS turns, min(first) AS first FROM (
    SELECT agent_id, count(*) AS turns, min(turn_id) AS first FROM cognitive.turn WHERE model_state = 'parked'
    GROUP BY agent_id
    UNION ALL
    SELECT c.agent_id, count(*) AS turns, 'memory ' || min(v.memory_id::text) AS first
    FROM cognitive.corpus AS c JOIN cognitive.memory_value AS v ON v.agent_id = c.agent_id AND v.user_id = c.user_id
    WHERE v.type = 'episode' AND v.path = 'metadata.model_state' AND v.value = 'sparked'
    GROUP BY c.agent_id) AS parked
GROUP BY agent_id ORDER BY agent_id

-- name: agents_by_model
-- The number of agents that search with each model, and of those that store its vectors besides, complete or not.
SELECT m.model, count(*) FILTER (WHERE c.model = m.model) AS live,
       count(*) FILTER (WHERE c.model <> m.model AND m.completed_at IS NULL) AS building,
       count(*) FILTER (WHERE c.model <> m.model AND m.completed_at IS NOT NULL AND m.live_at IS NULL) AS ready,
       count(*) FILTER (WHERE c.model <> m.model AND m.live_at IS NOT NULL) AS retired
FROM cognitive.embedding_model AS m JOIN cognitive.agent_state AS c ON c.agent_id = m.agent_id
GROUP BY m.model ORDER BY m.model
