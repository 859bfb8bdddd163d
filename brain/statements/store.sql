-- name: share_agent
-- Whoever records what was in a turn shares the agent with the others who do, and excludes whoever erases it. By its
-- name, since an agent without memories has no row to lock.
SELECT pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || $1, 0))

-- name: own_agent
-- Whoever erases an agent waits for those who record its turns, and they for it.
SELECT pg_advisory_xact_lock(hashtextextended('cognitive ' || $1, 0))

-- name: lock_corpus
-- Takes the agent's row, made if need be: writers of one agent take turns, so that its order and counters are exact.
INSERT INTO cognitive.corpus AS c (agent_id) VALUES ($1)
ON CONFLICT (agent_id) DO UPDATE SET agent_id = excluded.agent_id
RETURNING next_seq, next_session, language, becoming

-- name: has_turn
-- Whether a turn is there, and nothing was forgotten since it was read ($3).
SELECT EXISTS (SELECT 1 FROM cognitive.turn WHERE agent_id = $1 AND turn_id = $2)
   AND NOT EXISTS (SELECT 1 FROM cognitive.erasure WHERE agent_id = $1 AND what = 'memories' AND at >= $3)

-- name: existing_identities
SELECT identity, id FROM cognitive.memory WHERE agent_id = $1 AND identity = ANY($2::bytea[])

-- name: known_ids
SELECT id, trust FROM cognitive.memory WHERE agent_id = $1 AND id = ANY($2::uuid[])

-- name: insert_memories
INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, speaker, context, occurred_at, session_id,
                              session_no, source, tags, entities, confidence, pinned, supersedes, attributes, trust)
SELECT $1, m.id, m.seq, m.identity, m.type, m.content, m.speaker, m.context, m.occurred_at, m.session_id, m.session_no,
       m.source, ARRAY(SELECT jsonb_array_elements_text(m.labels -> 'tags')),
       ARRAY(SELECT jsonb_array_elements_text(m.labels -> 'entities')),
       m.confidence, m.pinned, m.supersedes, m.attributes, m.trust
FROM unnest($2::uuid[], $3::bigint[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[],
            $10::text[], $11::integer[], $12::text[], $13::jsonb[], $14::real[], $15::boolean[], $16::uuid[],
            $17::jsonb[], $18::text[])
     AS m(id, seq, identity, type, content, speaker, context, occurred_at, session_id, session_no, source, labels,
          confidence, pinned, supersedes, attributes, trust)
RETURNING 1

-- name: mark_superseded
UPDATE cognitive.memory AS old SET superseded_by = new.id, updated_at = now()
FROM unnest($2::uuid[], $3::uuid[]) AS new(id, supersedes)
WHERE old.agent_id = $1 AND old.id = new.supersedes

-- name: touch_sessions
-- Counts memories and lexemes into their sessions; a session's number is given once, in the order of first sight.
INSERT INTO cognitive.session AS s (agent_id, session_id, no, memories, lexemes, started_at, last_at)
SELECT $1, t.session_id, t.no, t.memories, t.lexemes, t.started_at, t.last_at
FROM unnest($2::text[], $3::integer[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::timestamptz[])
     AS t(session_id, no, memories, lexemes, started_at, last_at)
ORDER BY t.session_id
ON CONFLICT (agent_id, session_id) DO UPDATE SET
    no = coalesce(s.no, excluded.no), memories = s.memories + excluded.memories, lexemes = s.lexemes + excluded.lexemes,
    started_at = least(s.started_at, excluded.started_at), last_at = greatest(s.last_at, excluded.last_at)
RETURNING s.session_id, s.no

-- name: session_numbers
SELECT session_id, no FROM cognitive.session WHERE agent_id = $1 AND session_id = ANY($2::text[]) AND no IS NOT NULL

-- name: insert_passages
-- Of one agent, whose writes are indexed in the languages $9.
INSERT INTO cognitive.passage (agent_id, memory_id, ordinal, start, stop, said_length, around_length, lexemes, languages)
SELECT $1, p.memory_id, p.ordinal, p.start, p.stop, p.said_length, p.around_length,
       string_to_array(p.lexemes, ' '), $9::text[]
FROM unnest($2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::text[])
     AS p(memory_id, ordinal, start, stop, said_length, around_length, lexemes)
RETURNING 1

-- name: insert_postings
INSERT INTO cognitive.posting (agent_id, lexeme, memory_id, ordinal, type, session_no, said, around, said_length,
                               around_length)
SELECT $1, p.lexeme, p.memory_id, p.ordinal, p.type, p.session_no, p.said, p.around, p.said_length, p.around_length
FROM unnest($2::text[], $3::uuid[], $4::integer[], $5::text[], $6::integer[], $7::smallint[], $8::smallint[],
            $9::integer[], $10::integer[])
     AS p(lexeme, memory_id, ordinal, type, session_no, said, around, said_length, around_length)
RETURNING 1

-- name: insert_embeddings
-- Of one model ($6) and its dimension ($7). What is there stays: two workers may have embedded the same text. Of an agent
-- whose vectors lie in cells, each goes to that of the nearest centre.
INSERT INTO cognitive.embedding (agent_id, memory_id, ordinal, field, model, dimension, type, embedding, cell)
SELECT $1, e.memory_id, e.ordinal, e.field, $6, $7, e.type, e.embedding, (
    SELECT no FROM cognitive.cell WHERE agent_id = $1 AND model = $6 AND field = e.field AND type = e.type
    ORDER BY centre <#> e.embedding, no LIMIT 1)
FROM unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $8::halfvec[])
     AS e(memory_id, ordinal, field, type, embedding)
ON CONFLICT DO NOTHING

-- name: spaces
-- The model that the agent's reads use, whether it was named, and those that its vectors are kept of.
SELECT coalesce(c.model, cognitive.model_of_most($1)) AS live, c.model IS NOT NULL AS named,
       (SELECT jsonb_agg(jsonb_build_array(model, dimension, completed_at IS NOT NULL) ORDER BY model)
        FROM cognitive.embedding_model WHERE agent_id = $1) AS kept
FROM (SELECT 1) AS always LEFT JOIN cognitive.corpus AS c ON c.agent_id = $1

-- name: keep_space
-- From now on what is written is embedded with model $2, too.
INSERT INTO cognitive.embedding_model (agent_id, model, dimension) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- name: name_live
-- Names the model that the agent's reads use; $3 its dimension, NULL where only the vectors that are there can tell.
WITH kept AS (
    INSERT INTO cognitive.embedding_model (agent_id, model, dimension, completed_at, live_at)
    SELECT $1, $2, coalesce($3::smallint, (SELECT dimension FROM cognitive.embedding
                                           WHERE agent_id = $1 AND model = $2 LIMIT 1)), now(), now()
    ON CONFLICT (agent_id, model) DO UPDATE SET live_at = excluded.live_at)
UPDATE cognitive.corpus SET model = $2 WHERE agent_id = $1

-- name: grow_corpus
UPDATE cognitive.corpus SET
    next_seq = next_seq + $2, next_session = next_session + $3, memories = memories + $4, passages = passages + $5,
    sessions = sessions + $6, said_lexemes = said_lexemes + $7, around_lexemes = around_lexemes + $8
WHERE agent_id = $1

-- name: get_memories
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, superseded_by, attributes, trust
FROM cognitive.memory WHERE agent_id = $1 AND id = ANY($2::uuid[]) ORDER BY seq

-- name: tagged_memories
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, superseded_by, attributes, trust
FROM cognitive.memory WHERE agent_id = $1 AND tags @> $2::text[] ORDER BY seq LIMIT $3 OFFSET $4

-- name: versioned_memory
-- With the version of its row, which any change to it replaces.
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, superseded_by, attributes, trust, xmin::text AS version
FROM cognitive.memory WHERE agent_id = $1 AND id = $2

-- name: version
SELECT xmin::text FROM cognitive.memory WHERE agent_id = $1 AND id = $2

-- name: pinned_memories
SELECT id, type, content, speaker, context, occurred_at, session_id, source, tags, entities, confidence, pinned,
       supersedes, superseded_by, attributes, trust
FROM cognitive.memory WHERE agent_id = $1 AND pinned AND superseded_by IS NULL ORDER BY seq

-- name: replace_memory
UPDATE cognitive.memory SET
    content = $3, speaker = $4, context = $5, occurred_at = $6, tags = $7, entities = $8, confidence = $9, pinned = $10,
    attributes = $11, identity = $12, trust = $13, updated_at = now()
WHERE agent_id = $1 AND id = $2

-- name: delete_postings
-- Takes back what the passages of these memories put into the lexical index; run before the passages go.
DELETE FROM cognitive.posting AS p
USING (SELECT memory_id, ordinal, unnest(lexemes) AS lexeme FROM cognitive.passage
       WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS gone
WHERE p.agent_id = $1 AND p.lexeme = gone.lexeme AND p.memory_id = gone.memory_id AND p.ordinal = gone.ordinal

-- name: delete_passages
WITH gone AS (
    DELETE FROM cognitive.passage WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])
    RETURNING memory_id, said_length, around_length),
session_loss AS (
    SELECT m.session_id, sum(g.said_length) AS lexemes
    FROM gone AS g JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = g.memory_id
    WHERE m.session_id IS NOT NULL GROUP BY m.session_id),
sessions AS (
    UPDATE cognitive.session AS s SET lexemes = s.lexemes - l.lexemes
    FROM session_loss AS l WHERE s.agent_id = $1 AND s.session_id = l.session_id)
SELECT count(*) AS passages, coalesce(sum(said_length), 0)::bigint AS said_lexemes,
       coalesce(sum(around_length), 0)::bigint AS around_lexemes
FROM gone

-- name: delete_embeddings
DELETE FROM cognitive.embedding WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])

-- name: delete_usage
DELETE FROM cognitive.usage WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])

-- name: insert_revision
-- What a memory said before a change ($3), under the next number; the latest $4 are kept.
WITH numbered AS (
    INSERT INTO cognitive.revision (agent_id, memory_id, number, was)
    SELECT $1, $2, coalesce(max(number), 0) + 1, $3
    FROM cognitive.revision WHERE agent_id = $1 AND memory_id = $2
    RETURNING number)
DELETE FROM cognitive.revision AS r USING numbered AS n
WHERE r.agent_id = $1 AND r.memory_id = $2 AND r.number <= n.number - $4

-- name: revisions
-- The changes of a memory, the latest first; one row without a number if it was never changed, none if there is none.
SELECT m.id AS memory_id, r.number, r.was, r.at
FROM cognitive.memory AS m LEFT JOIN cognitive.revision AS r ON r.agent_id = $1 AND r.memory_id = m.id
WHERE m.agent_id = $1 AND m.id = $2 ORDER BY r.number DESC

-- name: delete_revisions
DELETE FROM cognitive.revision WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])

-- name: withhold_responses
-- Takes away the responses of turns that were shown these memories, and of those that followed in their sessions: what a
-- conversation holds may be said again. A pinned memory stands in the prefix of every turn since it was stored. That of
-- an open turn is marked, so that it is not kept when it comes. Run before the exposures go.
WITH pinned AS MATERIALIZED (
    SELECT created_at FROM cognitive.memory WHERE agent_id = $1 AND id = ANY($2::uuid[]) AND pinned),
told AS (
    SELECT t.session_id, min(t.at) AS since FROM cognitive.exposure AS e
    JOIN cognitive.turn AS t ON t.agent_id = $1 AND t.turn_id = e.turn_id
    WHERE e.agent_id = $1 AND e.memory_id = ANY($2::uuid[]) GROUP BY t.session_id),
held AS (
    SELECT t.turn_id FROM told JOIN cognitive.turn AS t
        ON t.agent_id = $1 AND t.session_id = told.session_id AND t.at >= told.since
    UNION
    SELECT t.turn_id FROM cognitive.turn AS t
    WHERE t.agent_id = $1 AND t.opened_at >= (SELECT min(created_at) FROM pinned)
          AND EXISTS (SELECT 1 FROM pinned)),  -- asked once: without one no turn is looked at
gone AS (
    UPDATE cognitive.turn AS t SET response = CASE WHEN t.status = 'open' OR t.reaped THEN '' END
    FROM (SELECT turn_id, response FROM cognitive.turn
          WHERE agent_id = $1 AND turn_id = ANY(ARRAY(SELECT turn_id FROM held))
                AND (response <> '' OR response IS NULL AND (status = 'open' OR reaped))
          ORDER BY turn_id FOR UPDATE) AS was
    WHERE t.agent_id = $1 AND t.turn_id = was.turn_id RETURNING was.response IS NOT NULL AS kept)
SELECT count(*) FILTER (WHERE kept) FROM gone

-- name: delete_exposures
DELETE FROM cognitive.exposure WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])

-- name: delete_memories
WITH gone AS (
    DELETE FROM cognitive.memory WHERE agent_id = $1 AND id = ANY($2::uuid[]) RETURNING id, session_id),
per_session AS (
    SELECT session_id, count(*) AS memories FROM gone WHERE session_id IS NOT NULL GROUP BY session_id),
sessions AS (
    UPDATE cognitive.session AS s SET memories = s.memories - p.memories
    FROM per_session AS p WHERE s.agent_id = $1 AND s.session_id = p.session_id)
SELECT count(*) AS memories FROM gone

-- name: clear_pointers
-- What an erased memory had replaced stays replaced: forgetting the new must not bring back the old.
UPDATE cognitive.memory SET supersedes = NULL WHERE agent_id = $1 AND supersedes = ANY($2::uuid[])

-- name: agent_rows
SELECT (SELECT count(*) FROM cognitive.memory WHERE agent_id = $1) AS memories,
       (SELECT count(*) FROM cognitive.passage WHERE agent_id = $1) AS passages,
       (SELECT count(*) FROM cognitive.embedding WHERE agent_id = $1)
       + (SELECT count(*) FROM cognitive.turn_embedding WHERE agent_id = $1) AS embeddings,
       (SELECT count(*) FROM cognitive.posting WHERE agent_id = $1) AS postings,
       (SELECT count(*) FROM cognitive.exposure WHERE agent_id = $1) AS exposures,
       (SELECT count(*) FROM cognitive.usage WHERE agent_id = $1) AS usage,
       (SELECT count(*) FROM cognitive.revision WHERE agent_id = $1) AS revisions,
       (SELECT count(*) FROM cognitive.turn WHERE agent_id = $1) AS turns,
       (SELECT count(response) FROM cognitive.turn WHERE agent_id = $1 AND response <> '') AS responses,
       (SELECT count(*) FROM cognitive.session WHERE agent_id = $1) AS sessions,
       (SELECT count(*) FROM cognitive.artifact WHERE agent_id = $1) AS artifacts,
       (SELECT count(*) FROM cognitive.subtask WHERE agent_id = $1) AS subtasks,
       (SELECT count(*) FROM cognitive.candidate WHERE agent_id = $1)
       + (SELECT count(*) FROM cognitive.choice WHERE agent_id = $1) AS policies

-- name: erase_agent
-- Every row of the agent, in every table that has one; memory takes its passages and vectors with it, a turn its
-- vectors by further models, an artifact its pieces.
WITH posting AS (DELETE FROM cognitive.posting WHERE agent_id = $1),
     exposure AS (DELETE FROM cognitive.exposure WHERE agent_id = $1),
     usage AS (DELETE FROM cognitive.usage WHERE agent_id = $1),
     revision AS (DELETE FROM cognitive.revision WHERE agent_id = $1),
     base AS (DELETE FROM cognitive.usage_base WHERE agent_id = $1),
     tallies AS (DELETE FROM cognitive.tally WHERE agent_id = $1),
     turn AS (DELETE FROM cognitive.turn WHERE agent_id = $1),
     session AS (DELETE FROM cognitive.session WHERE agent_id = $1),
     artifact AS (DELETE FROM cognitive.artifact WHERE agent_id = $1),
     subtask AS (DELETE FROM cognitive.subtask WHERE agent_id = $1),
     policy AS (DELETE FROM cognitive.policy WHERE agent_id = $1),
     shadow AS (DELETE FROM cognitive.shadow WHERE agent_id = $1),
     choice AS (DELETE FROM cognitive.choice WHERE agent_id = $1),
     candidate AS (DELETE FROM cognitive.candidate WHERE agent_id = $1),
     model AS (DELETE FROM cognitive.embedding_model WHERE agent_id = $1),
     erasure AS (DELETE FROM cognitive.erasure WHERE agent_id = $1),
     cell AS (DELETE FROM cognitive.cell WHERE agent_id = $1),
     corpus AS (DELETE FROM cognitive.corpus WHERE agent_id = $1)
DELETE FROM cognitive.memory WHERE agent_id = $1
