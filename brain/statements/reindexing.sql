-- A change of an agent's language: first passages are indexed in the new language too, then one row says which language
-- searches use, then the old language is removed. All of it is for all users of the agent.

-- name: language_status
-- The language of searches, the pending language, the numbers of memories, of those not indexed in `language` (NULL:
-- the language of searches) and of those indexed in further languages. A memory's passages are indexed together, so
-- the first one is checked.
SELECT coalesce(c.language, 'english') AS language, c.pending_language,
       coalesce(c.language_chosen, false) AS chosen, p.memories, p.lacking, p.leaving
FROM (SELECT coalesce(:language, (SELECT language FROM cognitive.agent_state WHERE agent_id = :agent_id),
    'english') AS name) AS asked
CROSS JOIN LATERAL (
    SELECT count(*) AS memories, count(*) FILTER (WHERE NOT languages @> ARRAY[asked.name]) AS lacking,
           count(*) FILTER (WHERE languages @> ARRAY[asked.name] AND languages <> ARRAY[asked.name]) AS leaving
    FROM cognitive.passage WHERE agent_id = :agent_id AND ordinal = 0) AS p
LEFT JOIN cognitive.agent_state AS c ON c.agent_id = :agent_id

-- name: begin
-- Index new memories in this language too, unless searches already use it. `chosen`: the host or operator chose it.
-- Once chosen, it stays chosen.
UPDATE cognitive.agent_state
SET pending_language = nullif(:language::text, language), language_chosen = language_chosen OR :chosen::boolean
WHERE agent_id = :agent_id AND (:chosen::boolean OR NOT language_chosen)

-- name: sampled_texts
-- Whether the agent's language was chosen, its language, and the beginnings of some memories' contents. Ids are hashes,
-- so the first ids are random.
SELECT language, pending_language, language_chosen AS chosen, ARRAY(
    SELECT left(content, :characters::int) FROM cognitive.memory WHERE agent_id = :agent_id
    ORDER BY id LIMIT :size::int) AS texts
FROM cognitive.agent_state WHERE agent_id = :agent_id

-- name: next_lacking
-- The next memories after an id that are not indexed in a language, with their texts and row versions; any change
-- gives a row a new version.
SELECT m.id, m.user_id, m.type, m.content, m.speaker, m.context, m.entities, m.attributes, m.occurred_at,
       m.session_number, m.xmin::text AS version
FROM cognitive.memory AS m CROSS JOIN LATERAL (
    SELECT languages FROM cognitive.passage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id AND ordinal = 0 OFFSET 0) AS p
WHERE m.agent_id = :agent_id AND m.id > :after_id AND NOT p.languages @> ARRAY[:language::text]
ORDER BY m.id LIMIT :limit

-- name: unchanged
-- Those of these memories whose row version is unchanged and that are not indexed in the language yet; none if the
-- agent no longer uses that language.
SELECT m.id FROM unnest(:memory_ids::uuid[], :versions::text[]) AS read(id, version)
JOIN cognitive.memory AS m ON m.agent_id = :agent_id AND m.id = read.id AND m.xmin::text = read.version
JOIN cognitive.passage AS p
    ON p.agent_id = :agent_id AND p.user_id = m.user_id AND p.memory_id = m.id AND p.ordinal = 0
WHERE NOT p.languages @> ARRAY[:language::text]
  AND EXISTS (SELECT 1 FROM cognitive.agent_state WHERE agent_id = :agent_id
      AND (language = :language OR pending_language = :language))

-- name: add_lexemes
-- Record that passages are indexed in this language, with their lexemes, by which an erasure finds the postings.
UPDATE cognitive.passage AS p
SET languages = p.languages || :language::text, lexemes = p.lexemes || string_to_array(n.lexemes, ' ')
FROM unnest(:memory_ids::uuid[], :ordinals::integer[], :lexemes::text[]) AS n(memory_id, ordinal, lexemes)
WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.memory_id = n.memory_id AND p.ordinal = n.ordinal

-- name: switch
-- Make the pending language that of searches; keep the language if it already is.
UPDATE cognitive.agent_state SET language = :language, pending_language = NULL
WHERE agent_id = :agent_id AND :language::text = coalesce(pending_language, language)

-- name: next_leaving
-- The next memories after an id that are also indexed in another language.
SELECT m.id, m.user_id FROM cognitive.memory AS m CROSS JOIN LATERAL (
    SELECT languages FROM cognitive.passage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id AND ordinal = 0 OFFSET 0) AS p
WHERE m.agent_id = :agent_id AND m.id > :after_id AND p.languages @> ARRAY[:language::text]
    AND p.languages <> ARRAY[:language::text]
ORDER BY m.id LIMIT :limit

-- name: leave
-- Remove the lexemes of other languages of these memories from the index. Lexemes of the remaining language begin
-- with `label`, or have no label if it is ''. Requires the lock of the agent's writers.
WITH lexeme AS MATERIALIZED (
    SELECT p.memory_id, p.ordinal, l.lexeme,
           CASE WHEN :label::text = '' THEN strpos(l.lexeme, '/') = 0 ELSE starts_with(l.lexeme, :label) END AS stays
    FROM cognitive.passage AS p, unnest(p.lexemes) AS l(lexeme)
    WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.memory_id = ANY(:memory_ids::uuid[])
      AND p.languages @> ARRAY[:language::text] AND p.languages <> ARRAY[:language::text])
DELETE FROM cognitive.posting AS p USING lexeme AS l
WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.lexeme = l.lexeme
      AND p.memory_id = l.memory_id AND p.ordinal = l.ordinal AND NOT l.stays

-- name: shorten
-- Recompute the lexemes and lengths of these memories' passages from the postings that `leave` left; return by how much
-- the lengths changed, and the sessions.
WITH lexeme AS MATERIALIZED (
    SELECT p.memory_id, p.ordinal, l.lexeme FROM cognitive.passage AS p, unnest(p.lexemes) AS l(lexeme)
    WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.memory_id = ANY(:memory_ids::uuid[])
      AND p.languages @> ARRAY[:language::text] AND p.languages <> ARRAY[:language::text]),
new AS (
    SELECT l.memory_id, l.ordinal, array_agg(l.lexeme) AS lexemes, max(p.content_length) AS content_length,
           max(p.context_length) AS context_length
    FROM lexeme AS l JOIN cognitive.posting AS p
        ON p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.lexeme = l.lexeme AND p.memory_id = l.memory_id AND p.ordinal = l.ordinal
    GROUP BY l.memory_id, l.ordinal),
old AS (
    SELECT p.memory_id, p.ordinal, p.content_length, p.context_length, m.session_id
    FROM cognitive.passage AS p JOIN cognitive.memory AS m
        ON m.agent_id = :agent_id AND m.user_id = cognitive.scope() AND m.id = p.memory_id
    WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.memory_id = ANY(:memory_ids::uuid[]))
UPDATE cognitive.passage AS p
SET languages = ARRAY[:language::text], lexemes = n.lexemes, content_length = n.content_length,
    context_length = n.context_length
FROM new AS n JOIN old AS o ON o.memory_id = n.memory_id AND o.ordinal = n.ordinal
WHERE p.agent_id = :agent_id AND p.user_id = cognitive.scope() AND p.memory_id = n.memory_id
    AND p.ordinal = n.ordinal
RETURNING o.session_id, n.content_length - o.content_length AS content_change,
    n.context_length - o.context_length AS context_change

-- name: change_sessions
-- Add the changes of their memories' lengths to the counts of sessions.
UPDATE cognitive.session AS s SET lexemes = s.lexemes + l.change
FROM unnest(:session_ids::text[], :changes::bigint[]) AS l(session_id, change)
WHERE s.agent_id = :agent_id AND s.user_id = cognitive.scope() AND s.session_id = l.session_id

-- name: change_counts
-- Add the changes of lengths to the counts of the scope.
UPDATE cognitive.corpus SET content_lexemes = content_lexemes + :content_change::bigint,
    context_lexemes = context_lexemes + :context_change::bigint
WHERE agent_id = :agent_id AND user_id = cognitive.scope()
