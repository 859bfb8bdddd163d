-- Daily counts (UTC) of all agents, read as the role cognitive_overview. A policy gives it these rows and nothing else.

-- name: across_agents
-- Sum each agent's turns of [since, until). The busiest agents come first or, with the order 'degraded', those with
-- the largest share of degraded turns among agents with at least `min_turns` turns.
SELECT agent_id, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds, max(at) AS last_at
FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since AND at < :until
GROUP BY agent_id HAVING :order <> 'degraded' OR sum(degraded) > 0 AND sum(turns) >= :min_turns
ORDER BY CASE WHEN :order = 'degraded' THEN sum(degraded)::float8 / sum(turns) ELSE sum(turns)::float8 END DESC,
    agent_id
LIMIT :limit

-- name: listed
-- A page of the agents that had turns, those with the latest turns first.
SELECT agent_id, sum(turns)::bigint AS turns, max(at) AS last_day FROM cognitive.rollup
WHERE span = 'day' AND dimension = 'all' GROUP BY agent_id ORDER BY max(at) DESC, agent_id LIMIT :limit OFFSET :offset

-- name: across_series
-- The sums of all agents together, per day.
SELECT at AS step, sum(turns)::bigint AS turns,
       sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds
FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since AND at < :until
GROUP BY at ORDER BY at

-- name: across_courses
-- Shown and used memories of these agents, per day.
SELECT agent_id, at AS step, turns, shown, used FROM cognitive.rollup
WHERE span = 'day' AND dimension = 'all' AND at >= :since AND at < :until AND agent_id = ANY(:agent_ids::text[])
    ORDER BY agent_id, at

-- name: across_count
-- The number of agents that had turns in [since, until).
SELECT count(DISTINCT agent_id) FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since
    AND at < :until
