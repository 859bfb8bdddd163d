-- Assign shared captured memories and turns to the users who spoke, in the operator's view. Their sessions stay shared.

-- name: captured
-- The shared memories that were captured from turns, oldest first, each with the recorded user of its turn; if that is
-- not recorded any more, with the speaker of the user's line, which was the user's id.
WITH line AS MATERIALIZED (
    SELECT id, seq, speaker, part[1] AS turn_id, part[2] AS role
    FROM (SELECT id, seq, speaker, regexp_match(source, '^turn/(.*)/(user|assistant)$') AS part FROM cognitive.memory
          WHERE agent_id = :agent_id AND user_id = '' AND source IS NOT NULL) AS m
    WHERE part IS NOT NULL),
spoke AS (
    SELECT turn_id, min(speaker) AS name FROM line WHERE role = 'user' AND speaker <> 'user' GROUP BY turn_id)
SELECT line.id, coalesce(t.recorded_user, spoke.name) AS name
FROM line LEFT JOIN spoke ON spoke.turn_id = line.turn_id
LEFT JOIN cognitive.turn AS t ON t.agent_id = :agent_id AND t.user_id = '' AND t.turn_id = line.turn_id
ORDER BY line.seq

-- name: sessions
-- The sessions of shared turns that recorded a user, oldest first, each with all names that its turns recorded, and
-- whether a turn of it is going on. A turn that stays open for a day was abandoned.
SELECT session_id, array_agg(DISTINCT recorded_user) AS names, count(*) AS turns,
       bool_or(status = 'open' AND opened_at > now() - interval '1 day') AS open
FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = ''
GROUP BY session_id HAVING count(recorded_user) > 0 ORDER BY min(at), session_id

-- name: links
-- The pairs of memories of which one replaced the other, or the other was merged into it, with their users.
SELECT a.id, a.user_id, b.id AS other_id, b.user_id AS other_user_id
FROM cognitive.memory AS a JOIN cognitive.memory AS b
    ON b.agent_id = :agent_id AND b.id IN (a.replaced_by, a.supersedes)
WHERE a.agent_id = :agent_id AND (a.replaced_by IS NOT NULL OR a.supersedes IS NOT NULL)

-- name: stored_memories
-- Those of the memories of which these users have an equal one.
SELECT w.id FROM unnest(:memory_ids::uuid[], :user_ids::text[]) AS w(id, user_id)
JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.id = w.id
JOIN cognitive.memory AS own
    ON own.agent_id = :agent_id AND own.user_id = w.user_id AND own.identity = m.identity AND own.id <> m.id

-- name: stored_sessions
-- Those of the sessions of which these users have turns, or of which a turn has the id of one of theirs.
SELECT w.session_id FROM unnest(:session_ids::text[], :user_ids::text[]) AS w(session_id, user_id)
WHERE EXISTS (SELECT 1 FROM cognitive.turn AS own
              WHERE own.agent_id = :agent_id AND own.user_id = w.user_id AND own.session_id = w.session_id)
   OR EXISTS (SELECT 1 FROM cognitive.turn AS t JOIN cognitive.turn AS own
                  ON own.agent_id = :agent_id AND own.user_id = w.user_id AND own.turn_id = t.turn_id
              WHERE t.agent_id = :agent_id AND t.user_id = '' AND t.session_id = w.session_id)

-- name: movable
-- Those of the memories that are still shared, and of which the user has no equal one, with what they count.
SELECT m.id, m.session_id, m.occurred_at, p.passages, p.content_lexemes, p.context_lexemes
FROM cognitive.memory AS m CROSS JOIN LATERAL (
    SELECT count(*) AS passages, coalesce(sum(content_length), 0)::bigint AS content_lexemes,
           coalesce(sum(context_length), 0)::bigint AS context_lexemes
    FROM cognitive.passage WHERE agent_id = :agent_id AND user_id = '' AND memory_id = m.id) AS p
WHERE m.agent_id = :agent_id AND m.user_id = '' AND m.id = ANY(:memory_ids::uuid[])
      AND NOT EXISTS (SELECT 1 FROM cognitive.memory AS own
                      WHERE own.agent_id = :agent_id AND own.user_id = :user_id AND own.identity = m.identity)

-- name: move_memories
-- Give shared memories to a user, with everything that is found by them: one statement, since foreign keys are checked
-- at its end. The user's sessions must have numbers. Usage rows are deleted and inserted, as their user cannot change.
WITH chosen AS MATERIALIZED (
    SELECT m.id, m.type, m.tags, m.attributes, m.metadata, s.number
    FROM cognitive.memory AS m LEFT JOIN cognitive.session AS s
        ON s.agent_id = :agent_id AND s.user_id = :user_id AND s.session_id = m.session_id
    WHERE m.agent_id = :agent_id AND m.user_id = '' AND m.id = ANY(:memory_ids::uuid[])),
lexeme AS MATERIALIZED (
    SELECT p.memory_id, p.ordinal, l.lexeme, chosen.number
    FROM chosen JOIN cognitive.passage AS p
        ON p.agent_id = :agent_id AND p.user_id = '' AND p.memory_id = chosen.id
    CROSS JOIN LATERAL unnest(p.lexemes) AS l(lexeme)),
stated AS MATERIALIZED (
    SELECT chosen.id, chosen.type, v.path, v.value
    FROM chosen CROSS JOIN LATERAL cognitive.memory_values(chosen.tags, chosen.attributes, chosen.metadata) AS v),
posting AS (
    UPDATE cognitive.posting AS p SET user_id = :user_id, session_number = lexeme.number FROM lexeme
    WHERE p.agent_id = :agent_id AND p.user_id = '' AND p.lexeme = lexeme.lexeme AND p.memory_id = lexeme.memory_id
          AND p.ordinal = lexeme.ordinal),
value AS (
    UPDATE cognitive.memory_value AS v SET user_id = :user_id FROM stated
    WHERE v.agent_id = :agent_id AND v.user_id = '' AND v.type = stated.type AND v.path = stated.path
          AND v.value = stated.value AND v.memory_id = stated.id),
embedding AS (
    UPDATE cognitive.embedding AS e SET user_id = :user_id, cell = (
        SELECT c.number FROM cognitive.cell AS c
        WHERE c.agent_id = :agent_id AND c.user_id = :user_id AND c.model = e.model AND c.field = e.field
              AND c.type = e.type
        ORDER BY c.centre <#> e.embedding, c.number LIMIT 1)
    WHERE e.agent_id = :agent_id AND e.user_id = '' AND e.memory_id = ANY(:memory_ids::uuid[])),
passage AS (
    UPDATE cognitive.passage SET user_id = :user_id
    WHERE agent_id = :agent_id AND user_id = '' AND memory_id = ANY(:memory_ids::uuid[])),
revision AS (
    UPDATE cognitive.revision SET user_id = :user_id
    WHERE agent_id = :agent_id AND user_id = '' AND memory_id = ANY(:memory_ids::uuid[])),
counter AS (
    DELETE FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = '' AND memory_id = ANY(:memory_ids::uuid[])
    RETURNING memory_id, shown, used, times_shown, times_used, last_at),
usage AS (
    INSERT INTO cognitive.usage (agent_id, user_id, memory_id, shown, used, times_shown, times_used, last_at)
    SELECT :agent_id, :user_id, memory_id, shown, used, times_shown, times_used, last_at FROM counter
    ORDER BY memory_id
    RETURNING 1)
UPDATE cognitive.memory AS m SET user_id = :user_id, session_number = chosen.number FROM chosen
WHERE m.agent_id = :agent_id AND m.user_id = '' AND m.id = chosen.id

-- name: leave_sessions
-- Subtract memories and their lexemes from the counts of shared sessions.
UPDATE cognitive.session AS s SET memories = s.memories - l.memories, lexemes = s.lexemes - l.lexemes
FROM unnest(:session_ids::text[], :memories::bigint[], :lexemes::bigint[]) AS l(session_id, memories, lexemes)
WHERE s.agent_id = :agent_id AND s.user_id = '' AND s.session_id = l.session_id

-- name: move_session
-- Give the turns of a shared session to a user, with its summary, plan and last messages, its artifacts and subtasks;
-- return the number of turns. The shared session stays for memories that the host stored in it, without texts.
WITH turn AS (
    UPDATE cognitive.turn SET user_id = :user_id, recorded_user = :user_id
    WHERE agent_id = :agent_id AND user_id = '' AND session_id = :session_id RETURNING turn_id),
vector AS (
    UPDATE cognitive.turn_embedding AS e SET user_id = :user_id FROM turn
    WHERE e.agent_id = :agent_id AND e.user_id = '' AND e.turn_id = turn.turn_id),
exposure AS (
    UPDATE cognitive.exposure AS e SET user_id = :user_id FROM turn
    WHERE e.agent_id = :agent_id AND e.user_id = '' AND e.turn_id = turn.turn_id),
shadow AS (
    UPDATE cognitive.shadow AS s SET user_id = :user_id FROM turn
    WHERE s.agent_id = :agent_id AND s.user_id = '' AND s.turn_id = turn.turn_id),
artifact AS (
    UPDATE cognitive.artifact SET user_id = :user_id
    WHERE agent_id = :agent_id AND user_id = '' AND session_id = :session_id RETURNING id),
chunk AS (
    UPDATE cognitive.artifact_chunk AS c SET user_id = :user_id FROM artifact
    WHERE c.agent_id = :agent_id AND c.user_id = '' AND c.artifact_id = artifact.id),
subtask AS (
    UPDATE cognitive.subtask SET user_id = :user_id
    WHERE agent_id = :agent_id AND user_id = '' AND session_id = :session_id),
emptied AS (
    UPDATE cognitive.session SET turns = 0, summary = DEFAULT, summarized_until = NULL, plan = DEFAULT, step = DEFAULT,
        recent_messages = NULL, recent_turn_id = NULL, recent_turn_at = NULL
    WHERE agent_id = :agent_id AND user_id = '' AND session_id = :session_id),
own AS (
    INSERT INTO cognitive.session AS s (agent_id, user_id, session_id, turns, summary, summarized_until, plan, step,
        recent_messages, recent_turn_id, recent_turn_at, started_at, last_at, ended_at)
    SELECT :agent_id, :user_id, session_id, turns, summary, summarized_until, plan, step, recent_messages,
           recent_turn_id, recent_turn_at, started_at, last_at, ended_at
    FROM cognitive.session WHERE agent_id = :agent_id AND user_id = '' AND session_id = :session_id
    ON CONFLICT (agent_id, user_id, session_id) DO UPDATE SET
        turns = excluded.turns, summary = excluded.summary, summarized_until = excluded.summarized_until,
        plan = excluded.plan, step = excluded.step, recent_messages = excluded.recent_messages,
        recent_turn_id = excluded.recent_turn_id, recent_turn_at = excluded.recent_turn_at,
        started_at = least(s.started_at, excluded.started_at), last_at = greatest(s.last_at, excluded.last_at),
        ended_at = excluded.ended_at)
SELECT count(*) FROM turn

-- name: rename_recorded
-- Record user ids in place of names in turns that stay shared, so that an erasure of the user finds them.
UPDATE cognitive.turn AS t SET recorded_user = w.user_id FROM unnest(:names::text[], :user_ids::text[]) AS w(name, user_id)
WHERE t.agent_id = :agent_id AND t.user_id = '' AND t.recorded_user = w.name
