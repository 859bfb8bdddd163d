-- name: turn_start
-- The state of a session that its next turn needs, in the first row, and the memories that may stand in the system
-- message; at least one row.
SELECT CASE WHEN row_number() OVER found = 1 THEN s.summary END AS summary,
       CASE WHEN row_number() OVER found = 1 THEN s.summarized_until END AS summarized_until, s.plan, s.step, m.*
FROM (SELECT) AS turn
LEFT JOIN LATERAL (
    SELECT summary, summarized_until, plan, step FROM cognitive.session
    WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = :session_id) AS s ON true
LEFT JOIN LATERAL (<pinned>) AS m ON true
WINDOW found AS (ORDER BY m.pinned DESC, m.seq)
ORDER BY m.pinned DESC, m.seq
