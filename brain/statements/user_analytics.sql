-- name: users
-- The users of an agent whose ids match the patterns, in an order, after `after` and `skip` more, with their counts. It
-- runs in the operator's view, whose `scopes` are the users with turns or memories. Each row has the number of all
-- users that match; if no user is left, there is a single row that has nothing else.
WITH known AS MATERIALIZED (
    SELECT user_id FROM unnest(cognitive.scopes()) AS known(user_id)
    WHERE user_id <> '' AND (:patterns::text[] IS NULL OR user_id ILIKE ALL(:patterns::text[])))
SELECT m.matching, u.user_id, coalesce(c.memories, 0) AS memories, s.sessions, s.turns, t.last_at
FROM (SELECT count(*) AS matching FROM known) AS m
LEFT JOIN (
    SELECT known.user_id, CASE :ordered_by::text
        WHEN 'memories' THEN (SELECT memories::float8 FROM cognitive.corpus
                              WHERE agent_id = :agent_id AND user_id = known.user_id)
        WHEN 'latest' THEN (SELECT extract(epoch FROM max(at))::float8 FROM cognitive.turn
                            WHERE agent_id = :agent_id AND user_id = known.user_id)
        END AS rank
    FROM known WHERE user_id > :after
    ORDER BY rank DESC NULLS LAST, user_id LIMIT :limit OFFSET :skip) AS u ON true
LEFT JOIN cognitive.corpus AS c ON c.agent_id = :agent_id AND c.user_id = u.user_id
CROSS JOIN LATERAL (
    SELECT count(*) AS sessions, coalesce(sum(turns), 0)::bigint AS turns
    FROM cognitive.session WHERE agent_id = :agent_id AND user_id = u.user_id) AS s
CROSS JOIN LATERAL (
    SELECT max(at) AS last_at FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = u.user_id) AS t
ORDER BY u.rank DESC NULLS LAST, u.user_id

-- name: counts
-- The counts of the view's user.
SELECT cognitive.scope() AS user_id, coalesce((SELECT memories FROM cognitive.corpus
           WHERE agent_id = :agent_id AND user_id = cognitive.scope()), 0) AS memories,
       count(*) AS sessions, coalesce(sum(turns), 0)::bigint AS turns,
       (SELECT max(at) FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = cognitive.scope()) AS last_at
FROM cognitive.session WHERE agent_id = :agent_id AND user_id = cognitive.scope()

-- name: sessions
-- The latest sessions of the view's user, with their summaries.
SELECT session_id, turns, memories, summary, started_at, last_at, ended_at
FROM cognitive.session WHERE agent_id = :agent_id AND user_id = cognitive.scope()
ORDER BY last_at DESC, session_id LIMIT :limit OFFSET :skip
