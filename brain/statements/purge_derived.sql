-- Texts that may contain erased text: each meets the condition `may_contain`. brain/erasure/residue.py decides which
-- do, and purge_derived.py edits, deletes or rebuilds them. With `since_transaction` only rows written since are read:
-- the rest was searched before, so that the locked part is short. Transaction ids of 32 bits wrap around; they are
-- compared modulo 2^32. The slot `searched` says whose rows are searched: those of the transaction's user, or those of
-- all users for erased shared memories, which every user's rows may quote.

-- name: may_contain
-- A condition on `said.text`: it contains one of `probes`, if words are compared as `brain.text.normalise` does. The
-- letters in the slot `not_compared` are not compared, nor are those that JSON escapes by number: a text with one of
-- them meets the condition. So does a text with other letters than ASCII where the locale of the database has unusual
-- lower-case letters. A text of ASCII letters alone is folded without the locale, in half the time.
(SELECT NOT folded.plain AND folded.text ~ CASE lower('IÄ') WHEN 'iä' THEN '[<not_compared>]' WHEN 'iÄ' THEN '[^[:ascii:]]' ELSE '' END
        OR folded.text ~ '\\u[0-9a-f]{4}' OR EXISTS (SELECT 1 FROM unnest(:probes::text[]) AS p(probe) WHERE strpos(folded.text, p.probe) > 0)
 FROM (SELECT plain, CASE WHEN plain THEN lower(said.text COLLATE "C")
                   ELSE replace(replace(lower(replace(said.text, 'İ', 'i̇')), 'ß', 'ss'), 'ς', 'σ') END AS text
       FROM (SELECT getdatabaseencoding() = 'UTF8' AND octet_length(said.text) = length(said.text) AS plain OFFSET 0)
           AS letters OFFSET 0) AS folded)

-- name: running
-- The oldest running transaction: rows that a search does not see were written by it or a later one.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint

-- name: turns_holding
-- Turns whose text may contain erased text.
SELECT user_id, turn_id, message, coalesce(trace ->> 'query', '') AS query, coalesce(response, '') AS response
FROM cognitive.turn AS t
    CROSS JOIN LATERAL (SELECT concat_ws(' ', t.message, t.trace ->> 'query', t.response) AS text) AS said
WHERE agent_id = :agent_id AND <searched> AND (:since_transaction::bigint IS NULL
    OR ((t.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648) AND <may_contain>

-- name: drop_turn_vectors
-- Delete the vectors of a turn, which are derived from its text.
DELETE FROM cognitive.turn_embedding WHERE agent_id = :agent_id AND user_id = :user_id AND turn_id = :turn_id

-- name: cut_turn
-- Replace the text of a turn. Its vector and record are derived from the text and are deleted.
UPDATE cognitive.turn SET message = :message, model = NULL, query = NULL,
    trace = trace - ARRAY['record', 'query'] || jsonb_build_object('query', '', 'record', NULL, 'erased', true)
WHERE agent_id = :agent_id AND user_id = :user_id AND turn_id = :turn_id

-- name: drop_responses
-- Delete the responses of turns.
UPDATE cognitive.turn AS t SET response = NULL
FROM unnest(:user_ids::text[], :turn_ids::text[]) AS held(user_id, turn_id)
WHERE t.agent_id = :agent_id AND t.user_id = held.user_id AND t.turn_id = held.turn_id

-- name: revisions_holding
-- Revisions that may contain erased text.
SELECT user_id, memory_id, number, previous
FROM cognitive.revision AS r CROSS JOIN LATERAL (SELECT r.previous::text AS text) AS said
WHERE agent_id = :agent_id AND <searched> AND (:since_transaction::bigint IS NULL
    OR ((r.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648) AND <may_contain>

-- name: drop_revisions
-- Delete revisions.
DELETE FROM cognitive.revision AS r
USING unnest(:user_ids::text[], :memory_ids::uuid[], :numbers::int[]) AS gone(user_id, memory_id, number)
WHERE r.agent_id = :agent_id AND r.user_id = gone.user_id AND r.memory_id = gone.memory_id AND r.number = gone.number

-- name: sessions_kept
-- Sessions with a summary, plan or last messages.
SELECT user_id, session_id, summary, plan, recent_messages FROM cognitive.session AS s
WHERE agent_id = :agent_id AND <searched> AND (:since_transaction::bigint IS NULL
    OR ((s.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648)
  AND (summary <> '' OR recent_messages IS NOT NULL OR cardinality(plan) > 0)

-- name: cut_session
-- Replace the texts of a session.
UPDATE cognitive.session SET summary = :summary, plan = :plan, recent_messages = :recent_messages
WHERE agent_id = :agent_id AND user_id = :user_id AND session_id = :session_id

-- name: pieces_holding
-- Chunks of artifacts that may contain erased text, each with the beginning of the next, since text may span both.
SELECT p.user_id, p.artifact_id, said.text AS content
FROM cognitive.artifact_chunk AS p CROSS JOIN LATERAL (SELECT p.content || coalesce((
    SELECT left(n.content, 2000) FROM cognitive.artifact_chunk AS n
    WHERE n.agent_id = :agent_id AND n.user_id = p.user_id AND n.artifact_id = p.artifact_id
        AND n.ordinal = p.ordinal + 1), '') AS text) AS said
WHERE agent_id = :agent_id AND <searched> AND (:since_transaction::bigint IS NULL
    OR ((p.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648) AND <may_contain>

-- name: artifact_names
-- The names of artifacts.
SELECT user_id, id, name FROM cognitive.artifact AS a
WHERE agent_id = :agent_id AND <searched> AND (:since_transaction::bigint IS NULL
    OR ((a.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648)

-- name: drop_artifacts
-- Delete artifacts.
DELETE FROM cognitive.artifact AS a USING unnest(:user_ids::text[], :artifact_ids::uuid[]) AS held(user_id, id)
WHERE a.agent_id = :agent_id AND a.user_id = held.user_id AND a.id = held.id

-- name: subtasks_holding
-- Subtasks that may contain erased text.
SELECT user_id, id, title, result
FROM cognitive.subtask AS s CROSS JOIN LATERAL (SELECT s.title || ' ' || s.result AS text) AS said
WHERE agent_id = :agent_id AND <searched> AND (:since_transaction::bigint IS NULL
    OR ((s.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648) AND <may_contain>

-- name: cut_subtask
-- Replace the texts of a subtask.
UPDATE cognitive.subtask SET title = :title, result = :result, lexemes = :lexemes
WHERE agent_id = :agent_id AND user_id = :user_id AND id = :subtask_id

-- name: notes_holding
-- The authors' notes on policies: on a saved version (role NULL) or an activation.
SELECT version, role, number, text AS note FROM (
    SELECT version, NULL AS role, NULL::bigint AS number, note FROM cognitive.policy_version WHERE agent_id = :agent_id
    UNION ALL SELECT version, role, number, note FROM cognitive.policy_activation WHERE agent_id = :agent_id)
    AS said(version, role, number, text)
WHERE <may_contain>

-- name: cut_candidate
-- Replace a note by deleting and adding the row in one statement, because these rows are never updated.
WITH previous AS (DELETE FROM cognitive.policy_version WHERE agent_id = :agent_id AND version = :version RETURNING *)
INSERT INTO cognitive.policy_version (agent_id, version, base, changes, created_at, author, note)
SELECT agent_id, version, base, changes, created_at, author, :note FROM previous
RETURNING 1

-- name: cut_choice
-- Replace the note of an activation likewise.
WITH previous AS (DELETE FROM cognitive.policy_activation WHERE agent_id = :agent_id AND role = :role
    AND number = :number RETURNING *)
INSERT INTO cognitive.policy_activation (agent_id, role, number, version, activated_at, author, note)
SELECT agent_id, role, number, version, activated_at, author, :note FROM previous
RETURNING 1

-- name: memories_holding
-- Other memories that contain text of the erased ones (`memory_ids`) in their content, context, attributes or
-- metadata.
SELECT id, user_id, content, context, trust, attributes, metadata
FROM cognitive.memory AS m
    CROSS JOIN LATERAL (SELECT concat_ws(' ', m.content, m.context, m.attributes, m.metadata) AS text) AS said
WHERE agent_id = :agent_id AND <searched> AND id <> ALL(:memory_ids::uuid[])
  AND (:since_transaction::bigint IS NULL OR ((m.xmin::text::bigint - :since_transaction) & 4294967295) < 2147483648)
  AND <may_contain>
ORDER BY seq

-- name: rows_of_memories
-- The number of rows that belong to memories.
SELECT (SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[])) AS memories,
       (SELECT count(*) FROM cognitive.passage WHERE agent_id = :agent_id
           AND memory_id = ANY(:memory_ids::uuid[])) AS passages,
       (SELECT count(*) FROM cognitive.embedding WHERE agent_id = :agent_id
           AND memory_id = ANY(:memory_ids::uuid[])) AS embeddings,
       (SELECT coalesce(sum(cardinality(lexemes)), 0) FROM cognitive.passage
        WHERE agent_id = :agent_id AND memory_id = ANY(:memory_ids::uuid[])) AS postings,
       (SELECT count(*) FROM cognitive.exposure WHERE agent_id = :agent_id
           AND memory_id = ANY(:memory_ids::uuid[])) AS exposures,
       (SELECT count(*) FROM cognitive.usage WHERE agent_id = :agent_id
           AND memory_id = ANY(:memory_ids::uuid[])) AS usage,
       (SELECT count(*) FROM cognitive.revision WHERE agent_id = :agent_id
           AND memory_id = ANY(:memory_ids::uuid[])) AS revisions

-- name: said_before
-- The contents of earlier revisions of memories.
SELECT previous FROM cognitive.revision
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = ANY(:memory_ids::uuid[])

-- name: log_erasure
-- Log an erasure.
INSERT INTO cognitive.erasure (agent_id, user_id, what, counts) VALUES (:agent_id, cognitive.scope(), :what, :counts)

-- name: erasures
-- The log of erasures.
SELECT at, what, counts, nullif(user_id, '') AS user_id FROM cognitive.erasure WHERE agent_id = :agent_id ORDER BY at, what

-- name: forget_erasures
-- Delete the log of an agent's erasures. Only for an agent whose turns have all ended.
DELETE FROM cognitive.erasure WHERE agent_id = :agent_id
