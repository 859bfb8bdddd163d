-- Texts that may hold what is being erased: $2 are words of which each such text has one. What they hold is decided in
-- brain/remains.py, and cut, dropped or made anew by brain/derived.py. With a transaction's number (the last parameter)
-- only of rows that were written since: all was looked through before, and who locks others out looks at what is new.
-- Numbers of 32 bits come around, and are compared in a circle.

-- name: running
-- The oldest transaction that is not over: what a look does not see was written by it, or by a later one.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint

-- name: turns_holding
SELECT turn_id, message, coalesce(trace ->> 'query', '') AS query, coalesce(response, '') AS response
FROM cognitive.turn AS t
WHERE agent_id = $1 AND ($3::bigint IS NULL OR ((t.xmin::text::bigint - $3) & 4294967295) < 2147483648) AND EXISTS (
    SELECT 1 FROM unnest($2::text[]) AS p(probe)
    WHERE strpos(lower(concat_ws(' ', t.message, t.trace ->> 'query', t.response)), p.probe) > 0)

-- name: cut_turn
-- The vectors and the record of a turn follow from its words, and cannot be cut.
WITH vectors AS (DELETE FROM cognitive.turn_embedding WHERE agent_id = $1 AND turn_id = $2)
UPDATE cognitive.turn SET message = $3, model = NULL, query = NULL,
    trace = trace - ARRAY['record', 'query'] || jsonb_build_object('query', '', 'record', NULL, 'erased', true)
WHERE agent_id = $1 AND turn_id = $2

-- name: drop_responses
UPDATE cognitive.turn SET response = NULL WHERE agent_id = $1 AND turn_id = ANY($2::text[])

-- name: revisions_holding
SELECT memory_id, number, was FROM cognitive.revision AS r
WHERE agent_id = $1 AND ($3::bigint IS NULL OR ((r.xmin::text::bigint - $3) & 4294967295) < 2147483648) AND EXISTS (
    SELECT 1 FROM unnest($2::text[]) AS p(probe) WHERE strpos(lower(r.was::text), p.probe) > 0)

-- name: drop_revisions
DELETE FROM cognitive.revision AS r USING unnest($2::uuid[], $3::int[]) AS gone(memory_id, number)
WHERE r.agent_id = $1 AND r.memory_id = gone.memory_id AND r.number = gone.number

-- name: sessions_kept
SELECT session_id, summary, plan, recent FROM cognitive.session AS s
WHERE agent_id = $1 AND ($2::bigint IS NULL OR ((s.xmin::text::bigint - $2) & 4294967295) < 2147483648)
  AND (summary <> '' OR recent IS NOT NULL OR cardinality(plan) > 0)

-- name: cut_session
UPDATE cognitive.session SET summary = $3, plan = $4, recent = $5 WHERE agent_id = $1 AND session_id = $2

-- name: pieces_holding
-- Each with the beginning of the next: what is looked for may stand in both.
SELECT artifact_id, content || coalesce((
    SELECT left(n.content, 2000) FROM cognitive.piece AS n
    WHERE n.agent_id = $1 AND n.artifact_id = p.artifact_id AND n.ordinal = p.ordinal + 1), '') AS content
FROM cognitive.piece AS p
WHERE agent_id = $1 AND ($3::bigint IS NULL OR ((p.xmin::text::bigint - $3) & 4294967295) < 2147483648) AND EXISTS (
    SELECT 1 FROM unnest($2::text[]) AS q(probe) WHERE strpos(lower(p.content), q.probe) > 0)

-- name: artifact_names
SELECT id, name FROM cognitive.artifact AS a
WHERE agent_id = $1 AND ($2::bigint IS NULL OR ((a.xmin::text::bigint - $2) & 4294967295) < 2147483648)

-- name: drop_artifacts
DELETE FROM cognitive.artifact WHERE agent_id = $1 AND id = ANY($2::uuid[])

-- name: subtasks_holding
SELECT id, title, result FROM cognitive.subtask AS s
WHERE agent_id = $1 AND ($3::bigint IS NULL OR ((s.xmin::text::bigint - $3) & 4294967295) < 2147483648) AND EXISTS (
    SELECT 1 FROM unnest($2::text[]) AS p(probe) WHERE strpos(lower(s.title || ' ' || s.result), p.probe) > 0)

-- name: cut_subtask
UPDATE cognitive.subtask SET title = $3, result = $4, lexemes = $5 WHERE agent_id = $1 AND id = $2

-- name: notes_holding
-- What somebody wrote beside a policy of the agent's: of a candidate (role NULL), or of a choice.
SELECT version, role, no, note FROM (
    SELECT version, NULL AS role, NULL::bigint AS no, note FROM cognitive.candidate WHERE agent_id = $1
    UNION ALL SELECT version, role, no, note FROM cognitive.choice WHERE agent_id = $1) AS n
WHERE EXISTS (SELECT 1 FROM unnest($2::text[]) AS p(probe) WHERE strpos(lower(n.note), p.probe) > 0)

-- name: cut_candidate
-- In one statement, since these rows are added and removed, and never changed.
WITH was AS (DELETE FROM cognitive.candidate WHERE agent_id = $1 AND version = $2 RETURNING *)
INSERT INTO cognitive.candidate (agent_id, version, base, changes, at, by, note)
SELECT agent_id, version, base, changes, at, by, $3 FROM was
RETURNING 1

-- name: cut_choice
WITH was AS (DELETE FROM cognitive.choice WHERE agent_id = $1 AND role = $2 AND no = $3 RETURNING *)
INSERT INTO cognitive.choice (agent_id, role, no, version, at, by, note)
SELECT agent_id, role, no, version, at, by, $4 FROM was
RETURNING 1

-- name: memories_holding
-- Other memories in which the words of the erased ones ($3) stand: what they say, what surrounds that, or what they
-- carry beside.
SELECT id, content, context, trust, attributes FROM cognitive.memory AS m
WHERE agent_id = $1 AND id <> ALL($3::uuid[])
  AND ($4::bigint IS NULL OR ((m.xmin::text::bigint - $4) & 4294967295) < 2147483648) AND EXISTS (
    SELECT 1 FROM unnest($2::text[]) AS p(probe)
    WHERE strpos(lower(concat_ws(' ', m.content, m.context, m.attributes)), p.probe) > 0)
ORDER BY seq

-- name: said_before
-- What memories said before they were changed.
SELECT was FROM cognitive.revision WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])

-- name: log_erasure
INSERT INTO cognitive.erasure (agent_id, what, counts) VALUES ($1, $2, $3)

-- name: erasures
SELECT at, what, counts FROM cognitive.erasure WHERE agent_id = $1 ORDER BY at, what
