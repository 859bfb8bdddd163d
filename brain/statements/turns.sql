-- name: open_turn
-- Records a turn as it was planned, and the policy ($17) it was planned under, once; a turn id that is there already
-- stays as it was recorded first.
WITH planned AS (
    INSERT INTO cognitive.policy (agent_id, version, content) SELECT $1, $7, $17::jsonb WHERE $17::jsonb IS NOT NULL
    ON CONFLICT DO NOTHING),
opened AS (
    INSERT INTO cognitive.turn (agent_id, turn_id, session_id, user_id, at, message, policy, frame, degraded, model,
                                query, trace)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (agent_id, turn_id) DO NOTHING RETURNING turn_id)
INSERT INTO cognitive.exposure (agent_id, turn_id, memory_id, type, via, slot, propensity, at)
SELECT $1, $2, s.memory_id, s.type, 'prompt', s.slot, s.propensity, $5
FROM opened, unnest($13::uuid[], $14::text[], $15::smallint[], $16::real[]) AS s(memory_id, type, slot, propensity)
ORDER BY s.memory_id
ON CONFLICT DO NOTHING

-- name: expose_recalled
-- Memories that the recall tool returned within a turn count as shown in it, in slots of their own.
INSERT INTO cognitive.exposure (agent_id, turn_id, memory_id, type, via, slot, propensity, at)
SELECT $1, $2, s.memory_id, s.type, 'recall', s.slot, 1.0, $5
FROM unnest($3::uuid[], $4::text[]) WITH ORDINALITY AS s(memory_id, type, slot)
ORDER BY s.memory_id
ON CONFLICT DO NOTHING

-- name: turn_whole
SELECT turn_id, session_id, user_id, at, status, message, policy, frame, degraded, trace
FROM cognitive.turn WHERE agent_id = $1 AND turn_id = $2

-- name: policy
SELECT content FROM cognitive.policy WHERE agent_id = $1 AND version = $2

-- name: turns_between
-- Ids of the turns of a time, oldest first.
SELECT turn_id FROM cognitive.turn
WHERE agent_id = $1 AND ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3)
ORDER BY at, turn_id

-- name: recent_turns
SELECT turn_id, session_id, at, status, message FROM cognitive.turn WHERE agent_id = $1
ORDER BY at DESC, turn_id DESC LIMIT $2

-- name: exposures
-- What a turn showed, with the words that were shown: the memory as it is now, or NULL if it was erased since.
SELECT e.memory_id, e.type, e.via, e.slot, e.propensity, e.overlap, e.used, e.rating, m.content, m.speaker, m.source
FROM cognitive.exposure AS e LEFT JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = e.memory_id
WHERE e.agent_id = $1 AND e.turn_id = $2 ORDER BY e.via, e.slot, e.memory_id

-- name: share_corpus
-- Whoever counts the use of memories shares the agent's row with the others who do, and excludes whoever writes or
-- erases memories: the two take the rows of a memory in different orders.
SELECT 1 FROM cognitive.corpus WHERE agent_id = $1 FOR SHARE

-- name: close_turn
-- One statement for all a turn teaches, so that it happens once or not at all. Only the first closing of a turn moves
-- its row and returns it; exposures, masses and base rates are fed from that. Rows are taken in the order of memory
-- ids, so that concurrent turns cannot deadlock. $3 the outcome's status, $4 when it counts, $5 memory ids,
-- $6 overlaps, $7 used or not, $8 the half-life in seconds.
WITH closed AS (
    UPDATE cognitive.turn SET status = $3, closed_at = now()
    WHERE agent_id = $1 AND turn_id = $2 AND status = 'open' RETURNING turn_id, session_id),
counted AS (
    INSERT INTO cognitive.session AS s (agent_id, session_id, turns, started_at, last_at)
    SELECT $1, session_id, 1, $4, $4 FROM closed
    ON CONFLICT (agent_id, session_id) DO UPDATE SET
        turns = s.turns + 1, last_at = greatest(s.last_at, excluded.last_at)),
judged AS (
    SELECT j.memory_id, j.overlap, j.used FROM closed, unnest($5::uuid[], $6::real[], $7::boolean[])
         AS j(memory_id, overlap, used)),
seen AS (
    UPDATE cognitive.exposure AS e SET overlap = j.overlap, used = coalesce(e.rating, j.used)
    FROM judged AS j WHERE e.agent_id = $1 AND e.turn_id = $2 AND e.memory_id = j.memory_id
    RETURNING e.memory_id, e.type, e.used),
taught AS (
    SELECT memory_id, type, used FROM seen WHERE $3 = 'completed'
      AND EXISTS (SELECT 1 FROM cognitive.memory AS m WHERE m.agent_id = $1 AND m.id = seen.memory_id)),
masses AS (
    INSERT INTO cognitive.usage AS u (agent_id, memory_id, shown, used, times_shown, times_used, last_at)
    SELECT $1, memory_id, 1, used::int, 1, used::int, $4 FROM taught ORDER BY memory_id
    ON CONFLICT (agent_id, memory_id) DO UPDATE SET
        shown = cognitive.decayed(u.shown, u.last_at, excluded.last_at, $8::float8)
              + cognitive.decayed(excluded.shown, excluded.last_at, u.last_at, $8::float8),
        used = cognitive.decayed(u.used, u.last_at, excluded.last_at, $8::float8)
             + cognitive.decayed(excluded.used, excluded.last_at, u.last_at, $8::float8),
        times_shown = u.times_shown + 1, times_used = u.times_used + excluded.times_used,
        last_at = greatest(u.last_at, excluded.last_at)
    RETURNING memory_id),
base AS (
    INSERT INTO cognitive.usage_base AS u (agent_id, type, shown, used, last_at)
    SELECT $1, type, count(*), count(*) FILTER (WHERE used), $4 FROM taught GROUP BY type ORDER BY type
    ON CONFLICT (agent_id, type) DO UPDATE SET
        shown = cognitive.decayed(u.shown, u.last_at, excluded.last_at, $8::float8)
              + cognitive.decayed(excluded.shown, excluded.last_at, u.last_at, $8::float8),
        used = cognitive.decayed(u.used, u.last_at, excluded.last_at, $8::float8)
             + cognitive.decayed(excluded.used, excluded.last_at, u.last_at, $8::float8),
        last_at = greatest(u.last_at, excluded.last_at))
SELECT count(*) > 0 AS closed, (SELECT count(*) FROM masses) AS taught FROM closed

-- name: attributions
SELECT memory_id, overlap, used FROM cognitive.exposure
WHERE agent_id = $1 AND turn_id = $2 AND overlap IS NOT NULL ORDER BY via, slot, memory_id

-- name: rate
-- An explicit verdict on a shown memory takes the place of the measured one; it is no second showing. Before the turn
-- is closed it only stands there for the closing to see. $4 the verdict, $5 the half-life in seconds.
WITH before AS (
    SELECT memory_id, type, at, used, ($4::boolean)::int - used::int AS change FROM cognitive.exposure
    WHERE agent_id = $1 AND turn_id = $2 AND memory_id = $3 FOR UPDATE),
rated AS (
    UPDATE cognitive.exposure AS e SET rating = $4, used = CASE WHEN e.used IS NULL THEN NULL ELSE $4::boolean END
    FROM before WHERE e.agent_id = $1 AND e.turn_id = $2 AND e.memory_id = before.memory_id),
masses AS (
    UPDATE cognitive.usage AS u SET
        used = greatest(0, u.used + b.change * cognitive.decayed(1, b.at, u.last_at, $5::float8)),
        times_used = u.times_used + b.change
    FROM before AS b WHERE u.agent_id = $1 AND u.memory_id = b.memory_id AND b.change <> 0),
base AS (
    UPDATE cognitive.usage_base AS u SET
        used = greatest(0, u.used + b.change * cognitive.decayed(1, b.at, u.last_at, $5::float8))
    FROM before AS b WHERE u.agent_id = $1 AND u.type = b.type AND b.change <> 0)
SELECT count(*) AS rated FROM before

-- name: session
SELECT session_id, memories, turns, summary, plan_step, started_at, last_at, ended_at
FROM cognitive.session WHERE agent_id = $1 AND session_id = $2

-- name: session_turns
SELECT turn_id, at, status, message FROM cognitive.turn WHERE agent_id = $1 AND session_id = $2
ORDER BY at DESC, turn_id DESC LIMIT $3

-- name: end_session
UPDATE cognitive.session SET ended_at = coalesce(ended_at, $3) WHERE agent_id = $1 AND session_id = $2
RETURNING session_id
