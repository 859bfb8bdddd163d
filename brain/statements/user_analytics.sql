-- name: users
-- The users of an agent whose ids match the patterns, by id, after `after`, with their counts. It runs in the
-- operator's view, whose `scopes` are the users with turns or memories.
SELECT u.user_id, coalesce(c.memories, 0) AS memories, s.sessions, s.turns, s.last_at
FROM (SELECT user_id FROM unnest(cognitive.scopes()) AS known(user_id)
      WHERE user_id <> '' AND user_id > :after AND (:patterns::text[] IS NULL OR user_id ILIKE ALL(:patterns::text[]))
      ORDER BY user_id LIMIT :limit) AS u
LEFT JOIN cognitive.corpus AS c ON c.agent_id = :agent_id AND c.user_id = u.user_id
CROSS JOIN LATERAL (
    SELECT count(*) AS sessions, coalesce(sum(turns), 0)::bigint AS turns, max(last_at) AS last_at
    FROM cognitive.session WHERE agent_id = :agent_id AND user_id = u.user_id) AS s
ORDER BY u.user_id

-- name: counts
-- The counts of the view's user.
SELECT cognitive.scope() AS user_id, coalesce((SELECT memories FROM cognitive.corpus
           WHERE agent_id = :agent_id AND user_id = cognitive.scope()), 0) AS memories,
       count(*) AS sessions, coalesce(sum(turns), 0)::bigint AS turns, max(last_at) AS last_at
FROM cognitive.session WHERE agent_id = :agent_id AND user_id = cognitive.scope()

-- name: sessions
-- The latest sessions of the view's user, with their summaries.
SELECT session_id, turns, memories, summary, started_at, last_at, ended_at
FROM cognitive.session WHERE agent_id = :agent_id AND user_id = cognitive.scope()
ORDER BY last_at DESC, session_id LIMIT :limit
