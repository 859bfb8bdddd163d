-- Counts of all agents, by days of UTC; read as cognitive_overview, whom a policy of its own lets see them, and nothing else.

-- name: across_agents
-- What each agent's turns came to in [$1, $2), at most $4 agents: the busiest first, or ($3 'degraded') those with the
-- largest share of degraded turns, of $5 turns at least.
SELECT agent_id, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds, max(at) AS last_at
FROM cognitive.tally WHERE span = 'day' AND by = 'all' AND at >= $1 AND at < $2
GROUP BY agent_id HAVING $3 <> 'degraded' OR sum(degraded) > 0 AND sum(turns) >= $5
ORDER BY CASE WHEN $3 = 'degraded' THEN sum(degraded)::float8 / sum(turns) ELSE sum(turns)::float8 END DESC, agent_id
LIMIT $4

-- name: across_series
-- The same of all agents together, day by day.
SELECT at AS step, sum(turns)::bigint AS turns,
       sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(milliseconds) AS milliseconds
FROM cognitive.tally WHERE span = 'day' AND by = 'all' AND at >= $1 AND at < $2
GROUP BY at ORDER BY at

-- name: across_courses
-- Shown and used memories of the agents $3, day by day.
SELECT agent_id, at AS step, turns, shown, used FROM cognitive.tally
WHERE span = 'day' AND by = 'all' AND at >= $1 AND at < $2 AND agent_id = ANY($3::text[]) ORDER BY agent_id, at

-- name: across_count
-- How many agents had turns in [$1, $2).
SELECT count(DISTINCT agent_id) FROM cognitive.tally WHERE span = 'day' AND by = 'all' AND at >= $1 AND at < $2
