-- The rows of an agent, or of one user of it. The slot `own` says which: all of the agent's in the operator's view, or those
-- of the transaction's user.

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
-- Delete the rows. Foreign keys delete passages and vectors with a memory, the vectors with a turn, and the chunks with
-- an artifact.
WITH posting AS (DELETE FROM cognitive.posting WHERE agent_id = :agent_id AND <own>),
     cell AS (DELETE FROM cognitive.cell WHERE agent_id = :agent_id AND <own>),
     corpus AS (DELETE FROM cognitive.corpus WHERE agent_id = :agent_id AND <own>),
     value AS (DELETE FROM cognitive.memory_value WHERE agent_id = :agent_id AND <own>),
     exposure AS (DELETE FROM cognitive.exposure WHERE agent_id = :agent_id AND <own>),
     usage AS (DELETE FROM cognitive.usage WHERE agent_id = :agent_id AND <own>),
     revision AS (DELETE FROM cognitive.revision WHERE agent_id = :agent_id AND <own>),
     base AS (DELETE FROM cognitive.usage_base WHERE agent_id = :agent_id AND <own>),
     turn AS (DELETE FROM cognitive.turn WHERE agent_id = :agent_id AND <own>),
     session AS (DELETE FROM cognitive.session WHERE agent_id = :agent_id AND <own>),
     artifact AS (DELETE FROM cognitive.artifact WHERE agent_id = :agent_id AND <own>),
     subtask AS (DELETE FROM cognitive.subtask WHERE agent_id = :agent_id AND <own>),
     shadow AS (DELETE FROM cognitive.shadow WHERE agent_id = :agent_id AND <own>),
     erasure AS (DELETE FROM cognitive.erasure WHERE agent_id = :agent_id AND <own>)
DELETE FROM cognitive.memory WHERE agent_id = :agent_id AND <own>

-- name: erase_policies
-- Delete the rows of an agent that have no user, and return the number of policies and activations.
WITH rollups AS (DELETE FROM cognitive.rollup WHERE agent_id = :agent_id),
     policy AS (DELETE FROM cognitive.policy WHERE agent_id = :agent_id),
     activations AS (DELETE FROM cognitive.policy_activation WHERE agent_id = :agent_id RETURNING 1),
     versions AS (DELETE FROM cognitive.policy_version WHERE agent_id = :agent_id RETURNING 1),
     model AS (DELETE FROM cognitive.embedding_model WHERE agent_id = :agent_id),
     state AS (DELETE FROM cognitive.agent_state WHERE agent_id = :agent_id)
SELECT (SELECT count(*) FROM activations) + (SELECT count(*) FROM versions) AS policies

-- name: erase_recorded
-- Delete the turns that a user had before turns were kept apart by users, and return their number. They are shared rows
-- that record the user. The texts of their sessions are cleared.
WITH old AS MATERIALIZED (
    SELECT turn_id, session_id FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = '' AND recorded_user = cognitive.scope()),
shown AS (
    DELETE FROM cognitive.exposure
    WHERE agent_id = :agent_id AND user_id = '' AND turn_id IN (SELECT turn_id FROM old)),
beside AS (
    DELETE FROM cognitive.shadow
    WHERE agent_id = :agent_id AND user_id = '' AND turn_id IN (SELECT turn_id FROM old)),
texts AS (
    UPDATE cognitive.session SET summary = DEFAULT, summarized_until = NULL, plan = DEFAULT, step = DEFAULT,
        recent_messages = NULL
    WHERE agent_id = :agent_id AND user_id = '' AND session_id IN (SELECT session_id FROM old)),
gone AS (
    DELETE FROM cognitive.turn
    WHERE agent_id = :agent_id AND user_id = '' AND turn_id IN (SELECT turn_id FROM old) RETURNING 1)
SELECT count(*) FROM gone
