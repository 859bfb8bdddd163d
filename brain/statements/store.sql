-- name: share_agent
-- Take the locks of the agent and of the transaction's user in shared mode, to record a turn or to store memories: this
-- excludes erasure of the same user's rows or of the agent's, not other writers. Advisory locks, because an agent
-- without memories has no row to lock. Every transaction takes the agent's lock before a user's, and both before the
-- agent's row.
SELECT pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || :agent_id, 0)),
       CASE WHEN cognitive.scope() <> '' THEN pg_advisory_xact_lock_shared(
           hashtextextended('cognitive ' || :agent_id || chr(10) || cognitive.scope(), 0)) END

-- name: share_agent_briefly
-- Take the same locks, but fail if an erasure holds one for 25 ms more, which is less than the shortest delay that
-- counts as a failure of Postgres (`brain.postgres.database`). It is one statement, because each statement costs a
-- cluster a round trip. Columns are evaluated from left to right; the last one lifts the limit for the statements that
-- follow.
SELECT set_config('lock_timeout', '25ms', true),
       pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || :agent_id, 0)),
       CASE WHEN cognitive.scope() <> '' THEN pg_advisory_xact_lock_shared(
           hashtextextended('cognitive ' || :agent_id || chr(10) || cognitive.scope(), 0)) END,
       set_config('lock_timeout', '0', true)

-- name: share_users
-- Take the locks of these users in shared mode, to write rows of theirs in the operator's view.
SELECT pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || :agent_id || chr(10) || user_id, 0))
FROM (SELECT DISTINCT user_id FROM unnest(:user_ids::text[]) AS u(user_id) WHERE user_id <> '' ORDER BY 1) AS named

-- name: own_rows
-- Take the lock exclusively to erase: the user's, or without a user the agent's. It waits until no transaction shares
-- it (see `share_agent`).
SELECT CASE WHEN cognitive.scope() = '' THEN pg_advisory_xact_lock(hashtextextended('cognitive ' || :agent_id, 0))
            ELSE pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || :agent_id, 0)) END,
       CASE WHEN cognitive.scope() <> '' THEN pg_advisory_xact_lock(
           hashtextextended('cognitive ' || :agent_id || chr(10) || cognitive.scope(), 0)) END

-- name: lock_agent_row
-- Lock the agent's row and create it if necessary. Writers of one agent run one after another, so that sequence
-- numbers and counters are exact. The advisory lock before it keeps a place in the queue (`queue_for_agent_row` in
-- turns.sql). Its result is never NULL, so that the column is false.
INSERT INTO cognitive.agent_state AS c (agent_id, language_chosen)
VALUES (:agent_id, pg_advisory_xact_lock(hashtextextended('cognitive ' || :agent_id, 1)) IS NULL)
ON CONFLICT (agent_id) DO UPDATE SET agent_id = excluded.agent_id
RETURNING next_seq, next_session, language, pending_language, language_chosen

-- name: lock_existing_agent_row
-- Lock the agent's row against writers. Returns nothing for an erased agent, so that nothing is stored for it again.
SELECT next_seq, next_session, language, pending_language, language_chosen FROM cognitive.agent_state
WHERE agent_id = :agent_id AND pg_advisory_xact_lock(hashtextextended('cognitive ' || :agent_id, 1)) IS NOT NULL
FOR UPDATE

-- name: recognise_language
-- Set the language of an agent that never had a memory. Requires the lock of the agent's row.
UPDATE cognitive.agent_state SET language = :language WHERE agent_id = :agent_id

-- name: has_turn
-- Whether a turn exists, and since `read_at` none of the memories that it may have read were erased: shared ones and
-- its user's. The operator's view sees erasures of other users too, which do not concern the turn.
SELECT EXISTS (SELECT 1 FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = cognitive.scope()
                   AND turn_id = :turn_id)
   AND NOT EXISTS (SELECT 1 FROM cognitive.erasure WHERE agent_id = :agent_id
                       AND user_id = ANY (ARRAY['', cognitive.scope()]) AND what = 'memories' AND at >= :read_at)

-- name: existing_identities
-- The memories of the transaction's scope with these identities.
SELECT identity, id FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND identity = ANY(:identities::bytea[])

-- name: ids_of_users
-- The pairs of user and identity for which the view sees a memory, with its id.
SELECT m.user_id, m.identity, m.id
FROM unnest(:user_ids::text[], :identities::bytea[]) AS w(user_id, identity)
JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.user_id = w.user_id AND m.identity = w.identity

-- name: visible_sources
-- The pairs of user and source for which a visible memory, other than `memory_ids`, has the tag.
SELECT DISTINCT m.user_id, m.source FROM unnest(:user_ids::text[], :sources::text[]) AS w(user_id, source)
JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.user_id = w.user_id AND m.source = w.source
WHERE :tag = ANY(m.tags) AND m.hidden_at IS NULL AND m.id <> ALL(:memory_ids::uuid[])

-- name: states
-- What decides whether memories may be hidden, shown again or replaced.
SELECT id, user_id, type, trust, hidden_at, hidden_reason, expires_at FROM cognitive.memory
WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[])

-- name: insert_memories
-- Insert memories. One with `expires_at` is hidden from that time on.
INSERT INTO cognitive.memory (agent_id, user_id, id, seq, identity, type, content, speaker, context, occurred_at,
                              session_id, session_number, source, tags, entities, confidence, pinned, supersedes,
                              attributes, trust, metadata, claim, expires_at, hidden_at, hidden_reason)
SELECT :agent_id, cognitive.scope(), m.id, m.seq, m.identity, m.type, m.content, m.speaker, m.context, m.occurred_at,
       m.session_id, m.session_number, m.source,
       ARRAY(SELECT jsonb_array_elements_text(m.labels -> 'tags')),
       ARRAY(SELECT jsonb_array_elements_text(m.labels -> 'entities')),
       m.confidence, m.pinned, m.supersedes, m.attributes, m.trust, m.metadata, m.claim, m.expires_at, m.expires_at,
       CASE WHEN m.expires_at IS NOT NULL THEN 'expired' END
FROM unnest(:memory_ids::uuid[], :seqs::bigint[], :identities::bytea[], :types::text[], :contents::text[],
            :speakers::text[], :contexts::text[], :occurred_at::timestamptz[], :session_ids::text[],
            :session_numbers::integer[], :sources::text[], :labels::jsonb[], :confidences::real[], :pinned::boolean[],
            :supersedes::uuid[], :attributes::jsonb[], :trusts::text[], :metadata::jsonb[], :claims::text[],
            :expires_at::timestamptz[])
     AS m(id, seq, identity, type, content, speaker, context, occurred_at, session_id, session_number, source, labels,
          confidence, pinned, supersedes, attributes, trust, metadata, claim, expires_at)
RETURNING 1

-- name: hide
-- Hide memories that the view writes at a time and for a reason, unless they are hidden from an earlier time on.
UPDATE cognitive.memory AS m SET hidden_at = h.hidden_at, hidden_reason = :reason, replaced_by = h.replaced_by,
    updated_at = now()
FROM unnest(:memory_ids::uuid[], :hidden_at::timestamptz[], :replaced_by::uuid[]) AS h(id, hidden_at, replaced_by)
WHERE m.agent_id = :agent_id AND m.id = h.id
  AND (m.hidden_at IS NULL OR h.hidden_at <= m.hidden_at)

-- name: show
-- Show hidden memories again: until `expires_at`, if that is later than `now`, else without an end.
UPDATE cognitive.memory SET updated_at = now(), replaced_by = NULL,
    expires_at = CASE WHEN expires_at > :now THEN expires_at END,
    hidden_at = CASE WHEN expires_at > :now THEN expires_at END,
    hidden_reason = CASE WHEN expires_at > :now THEN 'expired' END
WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[])

-- name: forget_replaced
-- Clear `supersedes` of the memories that superseded these ones, which are shown again.
UPDATE cognitive.memory SET supersedes = NULL
WHERE agent_id = :agent_id AND supersedes = ANY(:memory_ids::uuid[])
  AND id <> ALL(:memory_ids::uuid[])

-- name: move_superseded
-- A superseded memory is hidden from the time of its replacement on, or from its expiry on if that is earlier. The slot
-- `key` says whose state is set after a time has changed: that of this memory (`id`), or of those that it superseded.
UPDATE cognitive.memory AS old SET hidden_at = least(new.occurred_at, old.expires_at),
    hidden_reason = CASE WHEN old.expires_at < new.occurred_at THEN 'expired' ELSE 'superseded' END
FROM cognitive.memory AS new
WHERE old.agent_id = :agent_id AND old.user_id = cognitive.scope() AND old.<key> = :memory_id
  AND (old.hidden_reason IS NULL OR old.hidden_reason IN ('superseded', 'expired'))
  AND new.agent_id = :agent_id AND new.user_id = old.user_id AND new.id = old.replaced_by

-- name: touch_sessions
-- Add memories and lexemes to the counts of their sessions. A session gets its number with its first memory.
INSERT INTO cognitive.session AS s (agent_id, user_id, session_id, number, memories, lexemes, started_at, last_at)
SELECT :agent_id, cognitive.scope(), t.session_id, t.number, t.memories, t.lexemes, t.started_at, t.last_at
FROM unnest(:session_ids::text[], :session_numbers::integer[], :memories::bigint[], :lexemes::bigint[],
            :started_at::timestamptz[], :last_at::timestamptz[])
     AS t(session_id, number, memories, lexemes, started_at, last_at)
ORDER BY t.session_id
ON CONFLICT (agent_id, user_id, session_id) DO UPDATE SET
    number = coalesce(s.number, excluded.number), memories = s.memories + excluded.memories,
    lexemes = s.lexemes + excluded.lexemes,
    started_at = least(s.started_at, excluded.started_at), last_at = greatest(s.last_at, excluded.last_at)
RETURNING s.session_id, s.number

-- name: session_numbers
-- The numbers of sessions.
SELECT session_id, number FROM cognitive.session
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = ANY(:session_ids::text[])
  AND number IS NOT NULL

-- name: write_state
-- What decides how memories are written, under the lock of the agent's row: its embedding models (`spaces`), which of
-- these identities other writers stored meanwhile in the transaction's scope, and the numbers of these sessions.
SELECT s.*,
       ARRAY(SELECT identity FROM cognitive.memory
             WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND identity = ANY(:identities::bytea[]))
           AS identities,
       (SELECT jsonb_object_agg(session_id, number) FROM cognitive.session
        WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND session_id = ANY(:session_ids::text[])
              AND number IS NOT NULL) AS session_numbers
FROM (<spaces>) AS s

-- name: insert_passages
-- Insert passages of memories, indexed in these languages.
INSERT INTO cognitive.passage (agent_id, user_id, memory_id, ordinal, start, stop, content_length, context_length,
                               lexemes, languages)
SELECT :agent_id, cognitive.scope(), p.memory_id, p.ordinal, p.start, p.stop, p.content_length, p.context_length,
       string_to_array(p.lexemes, ' '), :languages::text[]
FROM unnest(:memory_ids::uuid[], :ordinals::integer[], :starts::integer[], :stops::integer[],
            :content_lengths::integer[], :context_lengths::integer[], :lexemes::text[])
     AS p(memory_id, ordinal, start, stop, content_length, context_length, lexemes)
RETURNING 1

-- name: insert_postings
-- Insert postings of passages.
INSERT INTO cognitive.posting (agent_id, user_id, lexeme, memory_id, ordinal, type, session_number, content_frequency,
                               context_frequency, content_length, context_length)
SELECT :agent_id, cognitive.scope(), p.lexeme, p.memory_id, p.ordinal, p.type, p.session_number, p.content_frequency,
       p.context_frequency, p.content_length, p.context_length
FROM unnest(:lexemes::text[], :memory_ids::uuid[], :ordinals::integer[], :types::text[], :session_numbers::integer[],
            :content_frequencies::smallint[], :context_frequencies::smallint[], :content_lengths::integer[],
            :context_lengths::integer[])
     AS p(lexeme, memory_id, ordinal, type, session_number, content_frequency, context_frequency, content_length,
         context_length)
RETURNING 1

-- name: insert_embeddings
-- Insert vectors of one model. Existing ones stay, since two workers may embed the same text. If the vectors of the
-- transaction's scope have cells, each new one goes to the cell of the nearest centre.
INSERT INTO cognitive.embedding (agent_id, user_id, memory_id, ordinal, field, model, dimension, type, embedding, cell)
SELECT :agent_id, cognitive.scope(), e.memory_id, e.ordinal, e.field, :model, :dimension, e.type, e.embedding, (
    SELECT number FROM cognitive.cell
    WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND model = :model AND field = e.field AND type = e.type
    ORDER BY centre <#> e.embedding, number LIMIT 1)
FROM unnest(:memory_ids::uuid[], :ordinals::integer[], :fields::text[], :types::text[], :embeddings::halfvec[])
     AS e(memory_id, ordinal, field, type, embedding)
ON CONFLICT DO NOTHING

-- name: spaces
-- The agent's embedding models: the live one, whether it is set explicitly, and those whose vectors are stored.
SELECT coalesce(c.model, (
           SELECT model FROM (
               SELECT e.model FROM cognitive.corpus AS o CROSS JOIN LATERAL (
                   SELECT model FROM cognitive.embedding WHERE agent_id = :agent_id AND user_id = o.user_id
                   ORDER BY memory_id, ordinal, field, model LIMIT 200) AS e
               WHERE o.agent_id = :agent_id LIMIT 400) AS sample
           GROUP BY model ORDER BY count(*) DESC, model LIMIT 1)) AS live, c.model IS NOT NULL AS named,
       (SELECT jsonb_agg(jsonb_build_array(model, dimension, completed_at IS NOT NULL) ORDER BY model)
        FROM cognitive.embedding_model WHERE agent_id = :agent_id) AS kept
FROM (SELECT 1) AS always LEFT JOIN cognitive.agent_state AS c ON c.agent_id = :agent_id

-- name: keep_space
-- Register a model, so that new memories are embedded with it too.
INSERT INTO cognitive.embedding_model (agent_id, model, dimension)
    VALUES (:agent_id, :model, :dimension) ON CONFLICT DO NOTHING

-- name: name_live
-- Set the agent's live model.
UPDATE cognitive.agent_state SET model = :model WHERE agent_id = :agent_id

-- name: keep_live
-- Register the agent's live model. A NULL `dimension` is taken from the stored vectors.
INSERT INTO cognitive.embedding_model (agent_id, model, dimension, completed_at, live_at)
SELECT :agent_id, :model, coalesce(:dimension::smallint, (
    SELECT dimension FROM cognitive.embedding WHERE agent_id = :agent_id AND model = :model LIMIT 1)), now(), now()
ON CONFLICT (agent_id, model) DO UPDATE SET live_at = excluded.live_at

-- name: add_to_counts
-- Add to the counters of the agent and of the transaction's scope (migration 0109).
SELECT cognitive.add_to_counts(
    :agent_id, :seqs, :session_numbers, :memories, :passages, :sessions, :content_lexemes, :context_lexemes)

-- name: get_memories
-- Memories by id, in the order of `seq`.
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, replaced_by, attributes, trust, metadata, expires_at, hidden_at, hidden_reason,
       nullif(user_id, '') AS user_id
FROM cognitive.memory WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[]) ORDER BY seq

-- name: find_memories
-- Memories that meet the condition of a filter. Their ids alone are sorted.
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, replaced_by, attributes, trust, metadata, expires_at, hidden_at, hidden_reason,
       nullif(user_id, '') AS user_id
FROM (SELECT id AS page_id FROM cognitive.memory AS m WHERE agent_id = :agent_id AND (<condition>)
      ORDER BY seq LIMIT :limit OFFSET :offset) AS page
CROSS JOIN LATERAL (SELECT * FROM cognitive.memory WHERE agent_id = :agent_id AND id = page.page_id OFFSET 0) AS m
ORDER BY seq

-- name: versioned_memory
-- A memory with the version of its row, which any change replaces.
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, replaced_by, attributes, trust, metadata, expires_at, hidden_at, hidden_reason,
       nullif(user_id, '') AS user_id,
       xmin::text AS version
FROM cognitive.memory WHERE agent_id = :agent_id AND id = :memory_id

-- name: version
-- The version of a memory's row.
SELECT xmin::text FROM cognitive.memory WHERE agent_id = :agent_id AND id = :memory_id

-- name: pinned_memories
-- The memories that may stand in the system message: those that are pinned, and the latest preferences and standing
-- instructions of the user. They are visible at a time and meet the condition of a filter.
SELECT * FROM (
    SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
           supersedes, replaced_by, attributes, trust, metadata, expires_at, hidden_at, hidden_reason,
           nullif(user_id, '') AS user_id, seq
    FROM cognitive.memory AS m
    WHERE agent_id = :agent_id AND pinned AND (hidden_at IS NULL OR hidden_at > :now) AND (<condition>)
    UNION ALL
    (SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
            supersedes, replaced_by, attributes, trust, metadata, expires_at, hidden_at, hidden_reason, user_id, seq
     FROM cognitive.memory AS m
     WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND user_id <> '' AND NOT pinned
           AND attributes ->> 'kind' IN ('preference', 'instruction')
           AND (hidden_at IS NULL OR hidden_at > :now) AND (<condition>)
     ORDER BY occurred_at DESC, seq DESC LIMIT :wishes)) AS found
ORDER BY pinned DESC, seq

-- name: replace_memory
-- Replace the fields of a memory. Its expiry hides it if nothing does so at an earlier time. `replaced_by` then stays
-- for a superseded memory only (see `move_superseded`).
UPDATE cognitive.memory SET
    content = :content, speaker = :speaker, context = :context, occurred_at = :occurred_at, tags = :tags,
    entities = :entities, confidence = :confidence, pinned = :pinned, attributes = :attributes, metadata = :metadata,
    identity = :identity, trust = :trust, claim = :claim, updated_at = now(), expires_at = :expires_at::timestamptz,
    hidden_at = CASE WHEN hidden_reason <> 'expired' AND (:expires_at IS NULL OR hidden_at <= :expires_at)
                     THEN hidden_at ELSE :expires_at END,
    hidden_reason = CASE WHEN hidden_reason <> 'expired' AND (:expires_at IS NULL OR hidden_at <= :expires_at)
                         THEN hidden_reason WHEN :expires_at IS NOT NULL THEN 'expired' END,
    replaced_by = CASE WHEN hidden_reason <> 'merged' OR :expires_at IS NULL OR hidden_at <= :expires_at
                       THEN replaced_by END
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = :memory_id

-- name: delete_postings
-- Delete the postings of memories. Run it before `delete_passages`, which deletes their lexemes.
DELETE FROM cognitive.posting AS p
USING (SELECT memory_id, ordinal, unnest(lexemes) AS lexeme FROM cognitive.passage
       WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = ANY(:memory_ids::uuid[])) AS gone
WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.lexeme = gone.lexeme
  AND p.memory_id = gone.memory_id AND p.ordinal = gone.ordinal

-- name: delete_passages
-- Delete the passages of memories, and return the numbers of their lexemes.
DELETE FROM cognitive.passage
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = ANY(:memory_ids::uuid[])
RETURNING memory_id, content_length, context_length

-- name: session_of
-- The session of a memory, NULL if it has none.
SELECT id, session_id FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = :memory_id

-- name: subtract_from_sessions
-- Subtract deleted memories and lexemes from the counts of their sessions.
UPDATE cognitive.session AS s SET memories = s.memories - l.memories, lexemes = s.lexemes - l.lexemes
FROM unnest(:session_ids::text[], :memories::integer[], :lexemes::bigint[]) AS l(session_id, memories, lexemes)
WHERE s.agent_id = :agent_id AND s.user_id = cognitive.scope() AND s.session_id = l.session_id

-- name: delete_embeddings
-- Delete the vectors of memories.
DELETE FROM cognitive.embedding
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = ANY(:memory_ids::uuid[])

-- name: delete_usage
-- Delete the usage of memories.
DELETE FROM cognitive.usage
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = ANY(:memory_ids::uuid[])

-- name: insert_revision
-- Store the previous fields of a changed memory under the next number, and return this number.
INSERT INTO cognitive.revision (agent_id, user_id, memory_id, number, previous)
SELECT :agent_id, cognitive.scope(), :memory_id, coalesce(max(number), 0) + 1, :changed
FROM cognitive.revision WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = :memory_id
RETURNING number

-- name: drop_old_revisions
-- Delete the revisions of a memory up to a number.
DELETE FROM cognitive.revision
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = :memory_id AND number <= :until_number

-- name: revisions
-- The revisions of a memory, latest first; one row without a number if it was never changed, none if it does not
-- exist.
SELECT m.id AS memory_id, r.number, r.previous, r.changed_at
FROM cognitive.memory AS m LEFT JOIN cognitive.revision AS r
    ON r.agent_id = :agent_id AND r.user_id = m.user_id AND r.memory_id = m.id
WHERE m.agent_id = :agent_id AND m.id = :memory_id ORDER BY r.number DESC

-- name: delete_revisions
-- Delete the revisions of memories.
DELETE FROM cognitive.revision
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND memory_id = ANY(:memory_ids::uuid[])

-- name: withhold_responses
-- Delete the responses of turns that were shown these memories and of later turns in their sessions, because a
-- conversation may repeat what it contains. A pinned memory is in the prompt of every turn since it was stored. An
-- open turn is marked with an empty response, so that its response is not stored. A shared memory was shown in turns of
-- all users, a user's only in the user's. Run it before `delete_exposures`. Return per turn whether it had a response.
WITH pinned AS MATERIALIZED (
    SELECT created_at FROM cognitive.memory WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[]) AND pinned),
told AS (
    SELECT t.user_id, t.session_id, min(t.at) AS since FROM cognitive.exposure AS e
    JOIN cognitive.turn AS t ON t.agent_id = :agent_id AND t.user_id = e.user_id AND t.turn_id = e.turn_id
    WHERE e.agent_id = :agent_id AND e.memory_id = ANY(:memory_ids::uuid[])
    GROUP BY t.user_id, t.session_id),
held AS (
    SELECT t.user_id, t.turn_id FROM told JOIN cognitive.turn AS t
        ON t.agent_id = :agent_id AND t.user_id = told.user_id AND t.session_id = told.session_id
           AND t.at >= told.since
    UNION
    SELECT t.user_id, t.turn_id FROM cognitive.turn AS t
    WHERE t.agent_id = :agent_id AND (cognitive.scope() = '' OR t.user_id = cognitive.scope())
          AND t.opened_at >= (SELECT min(created_at) FROM pinned)
          AND EXISTS (SELECT 1 FROM pinned))  -- evaluated once; without a pinned memory no turn is read
UPDATE cognitive.turn AS t SET response = CASE WHEN t.status = 'open' OR t.expired THEN '' END
FROM (SELECT user_id, turn_id, response FROM cognitive.turn
      WHERE agent_id = :agent_id AND (user_id, turn_id) IN (SELECT user_id, turn_id FROM held)
            AND (response <> '' OR response IS NULL AND (status = 'open' OR expired))
      ORDER BY user_id, turn_id FOR UPDATE) AS was
WHERE t.agent_id = :agent_id AND t.user_id = was.user_id AND t.turn_id = was.turn_id
RETURNING was.response IS NOT NULL AS kept

-- name: delete_exposures
-- Delete the exposures of memories: those of shared ones in the turns of all users.
DELETE FROM cognitive.exposure WHERE agent_id = :agent_id AND memory_id = ANY(:memory_ids::uuid[])

-- name: delete_memories
-- Delete memories, and return them with their sessions.
DELETE FROM cognitive.memory
WHERE agent_id = :agent_id AND user_id = cognitive.scope() AND id = ANY(:memory_ids::uuid[])
RETURNING id, session_id

-- name: clear_pointers
-- Clear the ids of erased memories in others. Memories that an erased one had replaced stay hidden: erasing the new
-- version must not bring back the old.
UPDATE cognitive.memory SET
    supersedes = CASE WHEN supersedes <> ALL(:memory_ids::uuid[]) THEN supersedes END,
    replaced_by = CASE WHEN replaced_by <> ALL(:memory_ids::uuid[]) THEN replaced_by END
WHERE agent_id = :agent_id AND user_id = cognitive.scope()
      AND (supersedes = ANY(:memory_ids::uuid[]) OR replaced_by = ANY(:memory_ids::uuid[]))

-- name: owners
-- The users of memories.
SELECT id, user_id FROM cognitive.memory WHERE agent_id = :agent_id AND id = ANY(:memory_ids::uuid[])
