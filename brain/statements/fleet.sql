-- Daily counts (UTC) of all agents, read as the role cognitive_overview. A policy gives it these rows and nothing else.

-- name: worst
-- The agents with the largest shares of degraded turns among those with at least `min_turns` turns of [since, until),
-- and the sums of these turns.
SELECT agent_id, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(pinned_tokens)::bigint AS pinned_tokens, sum(milliseconds) AS milliseconds, max(at) AS last_at
FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since AND at < :until
GROUP BY agent_id HAVING sum(degraded) > 0 AND sum(turns) >= :min_turns
ORDER BY sum(degraded)::float8 / sum(turns) DESC, agent_id LIMIT :limit

-- name: listed
-- A page of the agents whose names match the patterns (NULL: all), those with the latest turns first, and those without
-- turns last.
SELECT agent_id, sum(turns)::bigint AS turns, max(at) AS last_day FROM (
    SELECT agent_id, 0 AS turns, NULL::timestamptz AS at FROM cognitive.agent_state
    UNION ALL SELECT agent_id, turns, at FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all') AS each
WHERE :patterns::text[] IS NULL OR agent_id ILIKE ALL(:patterns::text[])
GROUP BY agent_id ORDER BY max(at) DESC NULLS LAST, agent_id LIMIT :limit OFFSET :offset

-- name: across_series
-- The sums of all agents together, per day.
SELECT at AS step, sum(turns)::bigint AS turns,
       sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
       sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
       sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
       sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
       sum(trimmed)::bigint AS trimmed, sum(pinned_tokens)::bigint AS pinned_tokens, sum(milliseconds) AS milliseconds
FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since AND at < :until
GROUP BY at ORDER BY at

-- name: across_count
-- The number of agents that had turns in [since, until).
SELECT count(DISTINCT agent_id) FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since
    AND at < :until

-- name: agent_list
-- All agents whose names match all `patterns` (NULL: all agents), with the sums of their turns of [since, until), which
-- may be zero, and the day of their latest turn at any time. Sorted by `order`: name, turns, used, degraded or last.
WITH known AS (
    SELECT agent_id, max(last_at) AS last_at FROM (
        SELECT agent_id, NULL::timestamptz AS last_at FROM cognitive.agent_state
        UNION ALL SELECT agent_id, max(at) FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all'
        GROUP BY agent_id) AS each
    WHERE :patterns::text[] IS NULL OR agent_id ILIKE ALL (:patterns) GROUP BY agent_id),
counted AS (
    SELECT agent_id, sum(turns)::bigint AS turns, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
           sum(abandoned)::bigint AS abandoned, sum(degraded)::bigint AS degraded, sum(abstained)::bigint AS abstained,
           sum(found)::bigint AS found, sum(shown)::bigint AS shown, sum(used)::bigint AS used,
           sum(tokens)::bigint AS tokens, sum(used_tokens)::bigint AS used_tokens, sum(deduped)::bigint AS deduped,
           sum(trimmed)::bigint AS trimmed, sum(pinned_tokens)::bigint AS pinned_tokens,
           sum(milliseconds) AS milliseconds
    FROM cognitive.rollup WHERE span = 'day' AND dimension = 'all' AND at >= :since AND at < :until GROUP BY agent_id)
SELECT k.agent_id, k.last_at, count(*) OVER () AS matching, coalesce(c.turns, 0) AS turns,
       coalesce(c.completed, 0) AS completed, coalesce(c.failed, 0) AS failed, coalesce(c.abandoned, 0) AS abandoned,
       coalesce(c.degraded, 0) AS degraded, coalesce(c.abstained, 0) AS abstained, coalesce(c.found, 0) AS found,
       coalesce(c.shown, 0) AS shown, coalesce(c.used, 0) AS used, coalesce(c.tokens, 0) AS tokens,
       coalesce(c.used_tokens, 0) AS used_tokens, coalesce(c.deduped, 0) AS deduped, coalesce(c.trimmed, 0) AS trimmed,
       coalesce(c.pinned_tokens, 0) AS pinned_tokens, coalesce(c.milliseconds, 0) AS milliseconds
FROM known AS k LEFT JOIN counted AS c ON c.agent_id = k.agent_id
ORDER BY CASE :order WHEN 'turns' THEN c.turns::float8 WHEN 'used' THEN c.used::float8 / nullif(c.shown, 0)
         WHEN 'degraded' THEN c.degraded::float8 / nullif(c.turns, 0)
         WHEN 'last' THEN extract(epoch FROM k.last_at)::float8 END DESC NULLS LAST, k.agent_id
LIMIT :limit
