-- Memories that newer ones replace. Each statement is for memories of the transaction's scope.

-- name: versions
-- The memories that state one of these claims, and that nothing hides, or only a replacement or their expiry after the
-- time `since`.
SELECT id, type, content, speaker, trust, attributes, occurred_at, hidden_at FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND claim = ANY(:claims::text[])
  AND (hidden_at IS NULL OR hidden_reason IN ('superseded', 'expired') AND hidden_at > :since)
ORDER BY occurred_at, seq

-- name: name_older
-- Let memories supersede these older ones, unless they supersede ones of another claim or ones that are not earlier
-- than these. Each of `newer` is given once.
UPDATE cognitive.memory AS m SET supersedes = n.older
FROM unnest(:older::uuid[], :newer::uuid[]) AS n(older, newer)
JOIN cognitive.memory AS o ON o.agent_id = :agent_id AND o.user_id = cognitive.scope() AND o.id = n.older
WHERE m.agent_id = :agent_id AND m.user_id = cognitive.scope() AND m.id = n.newer
  AND (m.supersedes IS NULL
       OR EXISTS (SELECT FROM cognitive.memory AS p WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope()
                      AND p.id = m.supersedes AND p.claim = o.claim AND p.occurred_at < o.occurred_at))
