-- name: read
-- Passages by memory and ordinal, in the form of the search.
SELECT p.memory_id, p.ordinal, m.seq, m.type, substr(m.content, p.start + 1, p.stop - p.start) AS content,
       p.start > 0 OR p.stop < length(m.content) AS partial, m.speaker, m.occurred_at, m.session_id, m.source,
       m.confidence::float8 AS confidence, m.pinned, p.content_length AS length, e.embedding AS vector,
       m.attributes, m.claim
FROM unnest(:memory_ids::uuid[], :ordinals::integer[]) AS wanted(memory_id, ordinal)
JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.id = wanted.memory_id
JOIN cognitive.passage AS p
    ON p.agent_id = :agent_id AND p.user_id = m.user_id AND p.memory_id = wanted.memory_id
       AND p.ordinal = wanted.ordinal
LEFT JOIN cognitive.embedding AS e
    ON e.agent_id = :agent_id AND e.user_id = m.user_id AND e.memory_id = p.memory_id AND e.ordinal = p.ordinal
     AND e.field = 'content' AND e.model = :model
