-- name: known
-- Those of these artifacts that exist in the transaction's scope.
SELECT id FROM cognitive.artifact
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = ANY(:artifact_ids::uuid[])

-- name: put
-- Store artifacts, and return the new ones; existing ones are not changed. With `only_of_turn`, store them only if the
-- turn exists, so that nothing is left of an erased turn. Texts received before an erasure are not stored.
INSERT INTO cognitive.artifact (agent_id, user_id, id, session_id, turn_id, kind, name, tool, characters, replacements)
SELECT :agent_id, cognitive.scope(), a.id, :session_id, :turn_id, a.kind, a.name, a.tool, a.characters,
       ARRAY(SELECT jsonb_array_elements_text(a.replacements -> 'pairs')::integer)
FROM unnest(:artifact_ids::uuid[], :kinds::text[], :names::text[], :tools::text[], :lengths::bigint[],
    :replacements::jsonb[])
     AS a(id, kind, name, tool, characters, replacements)
WHERE NOT EXISTS (
    SELECT 1 FROM cognitive.erasure
    WHERE agent_id = :agent_id AND what <> 'retention' AND at >= to_timestamp(:received_at::float8))
  AND (NOT :only_of_turn::boolean OR EXISTS (
    SELECT 1 FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = cognitive.scope()
        AND turn_id = :turn_id::text AND response IS DISTINCT FROM ''))
ORDER BY a.id
ON CONFLICT DO NOTHING RETURNING id

-- name: put_chunks
-- Store the chunks of new artifacts.
INSERT INTO cognitive.artifact_chunk (agent_id, user_id, artifact_id, ordinal, start, line, content)
SELECT :agent_id, cognitive.scope(), p.artifact_id, p.ordinal, p.start, p.line, p.content
FROM unnest(:artifact_ids::uuid[], :ordinals::integer[], :starts::bigint[], :lines::bigint[], :contents::text[])
     AS p(artifact_id, ordinal, start, line, content)
RETURNING ordinal

-- name: of_session
-- The artifacts of a session of the transaction's scope, oldest first.
SELECT id, session_id, turn_id, kind, name, tool, subtask_id, characters, created_at
FROM cognitive.artifact
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id ORDER BY created_at, id

-- name: artifact
-- An artifact without its text. Of a shared one and a user's with the same id, it is the user's.
SELECT id, session_id, turn_id, kind, name, tool, subtask_id, characters, created_at, replacements
FROM cognitive.artifact WHERE agent_id = :agent_id AND id = :artifact_id ORDER BY user_id DESC LIMIT 1

-- name: pieces
-- The chunks of an artifact from `first` to `last`, of the same user as its row.
SELECT content FROM cognitive.artifact_chunk
WHERE agent_id = :agent_id AND user_id = (
        SELECT max(user_id) FROM cognitive.artifact WHERE agent_id = :agent_id AND id = :artifact_id)
    AND artifact_id = :artifact_id AND ordinal BETWEEN :first AND :last ORDER BY ordinal

-- name: holding
-- The chunks in which the literal begins, each with the `overlap` first characters of the next chunk.
SELECT start, line, content, following FROM (
    SELECT ordinal, start, line, content,
           left(coalesce(lead(content) OVER (ORDER BY ordinal), ''), :overlap::int) AS following
    FROM cognitive.artifact_chunk
    WHERE agent_id = :agent_id AND artifact_id = :artifact_id AND user_id = (
        SELECT max(user_id) FROM cognitive.artifact WHERE agent_id = :agent_id AND id = :artifact_id)) AS p
WHERE position(:literal::text IN content || following) > 0
ORDER BY ordinal LIMIT :limit

-- name: delete
-- Delete artifacts.
DELETE FROM cognitive.artifact WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = ANY(:artifact_ids::uuid[])
