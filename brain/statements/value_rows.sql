-- The values of memories by which filters find them, as migration 0103 defines them. Rows are deleted by computing them
-- again, so that the function must not change while there are rows.

-- name: insert_values
-- Insert the values of memories.
INSERT INTO cognitive.memory_value (agent_id, user_id, type, path, value, memory_id)
SELECT :agent_id, cognitive.scope(), m.type, v.path, v.value, m.id
FROM unnest(:memory_ids::uuid[], :types::text[], :tags::jsonb[], :attributes::jsonb[], :metadata::jsonb[])
     AS m(id, type, tags, attributes, metadata)
CROSS JOIN LATERAL cognitive.memory_values(
    ARRAY(SELECT jsonb_array_elements_text(m.tags)), m.attributes, m.metadata) AS v
ON CONFLICT DO NOTHING

-- name: delete_values
-- Delete the values of memories. Run it before their tags, attributes or metadata change.
DELETE FROM cognitive.memory_value AS v
USING (SELECT m.id, m.type, c.path, c.value
       FROM cognitive.memory AS m CROSS JOIN LATERAL cognitive.memory_values(m.tags, m.attributes, m.metadata) AS c
       WHERE m.agent_id = :agent_id AND m.user_id = cognitive.scope() AND m.id = ANY(:memory_ids::uuid[])) AS gone
WHERE v.agent_id = :agent_id AND v.user_id = cognitive.scope() AND v.type = gone.type AND v.path = gone.path
  AND v.value = gone.value AND v.memory_id = gone.id
