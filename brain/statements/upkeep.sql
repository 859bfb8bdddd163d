-- Memories that may need attention: what they say, what they claim, and how they were used. Hidden ones are left out.

-- name: texts
-- The beginnings of the newest memories, as columns.
SELECT array_agg(seq) AS seqs, array_agg(type) AS types, array_agg(content) AS contents,
       array_agg(speaker) AS speakers, array_agg(claim) AS claims, array_agg(source) AS sources FROM (
    SELECT seq, type, left(content, :length) AS content, speaker, claim, source FROM cognitive.memory
    WHERE agent_id = :agent_id AND (hidden_at IS NULL OR hidden_at > :now) ORDER BY seq DESC LIMIT :limit) AS newest

-- name: by_seq
-- Memories by their sequence numbers.
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, replaced_by, attributes, trust, metadata, expires_at, hidden_at, hidden_reason, seq,
       nullif(user_id, '') AS user_id
FROM cognitive.memory WHERE agent_id = :agent_id AND seq = ANY(:seqs::bigint[])

-- name: vectors
-- The vectors of the first passages of memories.
SELECT m.seq, e.embedding AS vector
FROM cognitive.memory AS m JOIN cognitive.embedding AS e
    ON e.agent_id = :agent_id AND e.user_id = m.user_id AND e.memory_id = m.id AND e.ordinal = 0 AND e.field = 'content'
     AND e.model = :model
WHERE m.agent_id = :agent_id AND m.seq = ANY(:seqs::bigint[])

-- name: claimed
-- Memories that claim the same attribute of the same subject as another one, oldest first. In the operator's view both
-- are of one user, because "my" names another subject for each user.
WITH visible AS (
    SELECT seq, claim, content, speaker, occurred_at,
           CASE WHEN current_user = 'cognitive_operator' THEN user_id ELSE '' END AS user_id
    FROM cognitive.memory WHERE agent_id = :agent_id AND claim IS NOT NULL AND (hidden_at IS NULL OR hidden_at > :now))
SELECT seq, claim, content, speaker, user_id FROM visible
WHERE (user_id, claim) IN (SELECT user_id, claim FROM visible GROUP BY user_id, claim HAVING count(*) > 1)
ORDER BY user_id, claim, occurred_at, seq LIMIT :limit

-- name: stale
-- Memories that were shown `min_shown` times and never used, or of whose uses (at least `min_used`) less than the mass
-- `max_left` is left. Those that were shown most come first.
SELECT m.id, m.type, m.content, m.speaker, m.context, m.occurred_at, m.session_id, m.source, m.tags, m.entities,
       m.confidence, m.pinned, m.supersedes, m.replaced_by, m.attributes, m.trust, m.metadata, m.expires_at,
       m.hidden_at, m.hidden_reason, nullif(m.user_id, '') AS user_id, u.times_shown, u.times_used, u.last_at
FROM cognitive.usage AS u JOIN cognitive.memory AS m
    ON m.agent_id = :agent_id AND m.user_id = u.user_id AND m.id = u.memory_id
WHERE u.agent_id = :agent_id AND NOT m.pinned AND (m.hidden_at IS NULL OR m.hidden_at > :now)
  AND (u.times_used = 0 AND u.times_shown >= :min_shown OR u.times_used >= :min_used
       AND cognitive.decay(u.used, u.last_at, :now, :half_life_seconds::float8) < :max_left::float8)
ORDER BY u.times_shown DESC, m.id OFFSET :offset LIMIT :limit
