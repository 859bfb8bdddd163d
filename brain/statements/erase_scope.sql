-- The rows of an agent, or of one user of it. The slot `own` says which: all of the agent's in the operator's view, or
-- those of the transaction's user.

-- name: rows
-- Count the rows.
SELECT (SELECT count(*) FROM cognitive.memory WHERE agent_id = :agent_id AND <own>) AS memories,
       (SELECT count(*) FROM cognitive.passage WHERE agent_id = :agent_id AND <own>) AS passages,
       (SELECT count(*) FROM cognitive.embedding WHERE agent_id = :agent_id AND <own>)
       + (SELECT count(*) FROM cognitive.turn_embedding WHERE agent_id = :agent_id AND <own>) AS embeddings,
       (SELECT count(*) FROM cognitive.posting WHERE agent_id = :agent_id AND <own>) AS postings,
       (SELECT count(*) FROM cognitive.exposure WHERE agent_id = :agent_id AND <own>) AS exposures,
       (SELECT count(*) FROM cognitive.usage WHERE agent_id = :agent_id AND <own>) AS usage,
       (SELECT count(*) FROM cognitive.revision WHERE agent_id = :agent_id AND <own>) AS revisions,
       (SELECT count(*) FROM cognitive.turn WHERE agent_id = :agent_id AND <own>) AS turns,
       (SELECT count(*) FROM cognitive.turn WHERE agent_id = :agent_id AND <own> AND response <> '') AS responses,
       (SELECT count(*) FROM cognitive.session WHERE agent_id = :agent_id AND <own>) AS sessions,
       (SELECT count(*) FROM cognitive.artifact WHERE agent_id = :agent_id AND <own>) AS artifacts,
       (SELECT count(*) FROM cognitive.subtask WHERE agent_id = :agent_id AND <own>) AS subtasks

-- name: erase
-- Delete the rows of one table. Foreign keys delete passages and vectors with a memory, the vectors with a turn, and
-- the chunks with an artifact.
DELETE FROM cognitive.<table> WHERE agent_id = :agent_id AND <own>

-- name: recorded_turns
-- Lock the turns that a user had before turns were kept apart by users: shared rows that record the user.
SELECT turn_id, session_id FROM cognitive.turn
WHERE agent_id = :agent_id AND user_id = '' AND recorded_user = cognitive.scope() ORDER BY turn_id FOR UPDATE

-- name: erase_recorded
-- Delete the rows of such turns in one table.
DELETE FROM cognitive.<table> WHERE agent_id = :agent_id AND user_id = '' AND turn_id = ANY(:turn_ids::text[])
