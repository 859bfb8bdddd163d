-- Export and import: an agent's memories with their metadata, and the base rates of their use.

-- name: page
-- The next memories in the order of `seq` that meet the condition of a filter, with metadata, usage and revisions.
SELECT m.seq, m.id, m.type, m.content, m.speaker, m.context, m.occurred_at, m.session_id, m.source, m.tags, m.entities,
       m.confidence, m.pinned, m.supersedes, m.replaced_by, m.attributes, m.trust, m.metadata, m.expires_at, m.hidden_at,
       m.hidden_reason, m.created_at, m.updated_at, nullif(m.user_id, '') AS user_id,
       (SELECT jsonb_build_object('shown', u.shown, 'used', u.used, 'times_shown', u.times_shown,
                                  'times_used', u.times_used, 'last_at', u.last_at)
        FROM cognitive.usage AS u
        WHERE u.agent_id = :agent_id AND u.user_id = m.user_id AND u.memory_id = m.id) AS usage,
       (SELECT jsonb_agg(jsonb_build_object('number', r.number, 'previous', r.previous, 'changed_at',
           r.changed_at) ORDER BY r.number)
        FROM cognitive.revision AS r
        WHERE r.agent_id = :agent_id AND r.user_id = m.user_id AND r.memory_id = m.id) AS revisions
FROM cognitive.memory AS m
WHERE m.agent_id = :agent_id AND m.seq > :after_seq AND (:of_user::text IS NULL OR m.user_id = :of_user)
    AND (<condition>) ORDER BY m.seq LIMIT :limit

-- name: bases
-- The base rates of use, by user and memory type.
SELECT nullif(user_id, '') AS user_id, type, shown, used, decoys, decoys_used, last_at FROM cognitive.usage_base
WHERE agent_id = :agent_id AND (:of_user::text IS NULL OR user_id = :of_user) ORDER BY usage_base.user_id, type

-- name: put_base
-- Store a base rate, unless the agent already has one for the type.
INSERT INTO cognitive.usage_base (agent_id, user_id, type, shown, used, decoys, decoys_used, last_at)
VALUES (:agent_id, cognitive.scope(), :type, :shown, :used, :decoys, :decoys_used, :last_at) ON CONFLICT DO NOTHING

-- name: put_kept
-- Set the metadata of memories that were stored just now.
UPDATE cognitive.memory AS m SET replaced_by = k.replaced_by, hidden_at = k.hidden_at, hidden_reason = k.hidden_reason,
    created_at = k.created_at, updated_at = k.updated_at
FROM unnest(:memory_ids::uuid[], :replaced_by::uuid[], :hidden_at::timestamptz[], :hidden_reasons::text[],
            :created_at::timestamptz[], :updated_at::timestamptz[])
     AS k(id, replaced_by, hidden_at, hidden_reason, created_at, updated_at)
WHERE m.agent_id = :agent_id AND m.user_id = cognitive.scope() AND m.id = k.id

-- name: put_usage
-- Set the usage of imported memories.
INSERT INTO cognitive.usage (agent_id, user_id, memory_id, shown, used, times_shown, times_used, last_at)
SELECT :agent_id, cognitive.scope(), u.* FROM unnest(:memory_ids::uuid[], :shown::float8[], :used::float8[], :times_shown::bigint[],
    :times_used::bigint[], :last_at::timestamptz[])
     AS u(memory_id, shown, used, times_shown, times_used, last_at)
ORDER BY u.memory_id
ON CONFLICT DO NOTHING

-- name: put_revisions
-- Add the revisions of imported memories.
INSERT INTO cognitive.revision (agent_id, user_id, memory_id, number, previous, changed_at)
SELECT :agent_id, cognitive.scope(), r.* FROM unnest(:memory_ids::uuid[], :numbers::integer[], :contents::jsonb[],
    :changed_at::timestamptz[]) AS r
ON CONFLICT DO NOTHING

-- name: repoint
-- Replace ids of the exporting database by the ids here, in `supersedes` and `replaced_by`.
UPDATE cognitive.memory AS m SET
    supersedes = coalesce(older.id, m.supersedes), replaced_by = coalesce(newer.id, m.replaced_by)
FROM cognitive.memory AS was
LEFT JOIN unnest(:old_ids::uuid[], :new_ids::uuid[]) AS older(old_id, id) ON older.old_id = was.supersedes
LEFT JOIN unnest(:old_ids::uuid[], :new_ids::uuid[]) AS newer(old_id, id) ON newer.old_id = was.replaced_by
WHERE m.agent_id = :agent_id AND m.user_id = cognitive.scope() AND m.id = was.id
  AND was.agent_id = :agent_id AND was.user_id = cognitive.scope() AND (older.id IS NOT NULL OR newer.id IS NOT NULL)

-- name: date_superseded
-- Set when superseded memories were replaced: the time of their replacements.
UPDATE cognitive.memory AS old SET hidden_at = new.occurred_at
FROM cognitive.memory AS new
WHERE old.agent_id = :agent_id AND old.user_id = cognitive.scope() AND old.id = ANY(:memory_ids::uuid[])
  AND old.hidden_reason = 'superseded'
  AND new.agent_id = :agent_id AND new.user_id = old.user_id AND new.id = old.replaced_by
