-- name: facts
-- The statistics for scoring: the numbers of passages and sessions; the base rates of use by type, added with the
-- half-life `half_life_seconds`; for each lexeme of the query and each user that the transaction sees, the passages and
-- sessions that contain it. Counting stops after `max_postings` passages. For an agent with more than `large_passages`
-- it stops after `max_counted`, and the last memory counted is returned, from which the total is estimated (else NULL).
-- Also the models of the agent's vectors, and its languages.
-- `hidden` is true if some memories cannot be found at the time `at` (NULL: now), or if the agent has `max_hidden`
-- hidden ones, some of which may be such.
SELECT coalesce((SELECT sum(passages) FROM cognitive.corpus WHERE agent_id = :agent_id), 0)::bigint AS passages,
       coalesce((SELECT sum(sessions) FROM cognitive.corpus WHERE agent_id = :agent_id), 0)::bigint AS sessions,
       (SELECT jsonb_object_agg(type, jsonb_build_array(shown, used, latest, decoys, decoys_used)) FROM (
            SELECT type, latest, sum(cognitive.decay(shown, last_at, latest, :half_life_seconds::float8)) AS shown,
                   sum(cognitive.decay(used, last_at, latest, :half_life_seconds::float8)) AS used,
                   sum(cognitive.decay(decoys, last_at, latest, :half_life_seconds::float8)) AS decoys,
                   sum(cognitive.decay(decoys_used, last_at, latest, :half_life_seconds::float8)) AS decoys_used
            FROM (SELECT u.*, max(last_at) OVER (PARTITION BY type) AS latest FROM cognitive.usage_base AS u
                  WHERE agent_id = :agent_id) AS seen
            GROUP BY type, latest) AS added) AS base,
       coalesce((SELECT model FROM cognitive.agent_state WHERE agent_id = :agent_id),
           (SELECT model FROM (
                SELECT e.model FROM cognitive.corpus AS c CROSS JOIN LATERAL (
                    SELECT model FROM cognitive.embedding WHERE agent_id = :agent_id AND user_id = c.user_id
                    ORDER BY memory_id, ordinal, field, model LIMIT 200) AS e
                WHERE c.agent_id = :agent_id LIMIT 400) AS sample
            GROUP BY model ORDER BY count(*) DESC, model LIMIT 1)) AS live,
       (SELECT jsonb_agg(jsonb_build_array(model, dimension, completed_at IS NOT NULL) ORDER BY model)
        FROM cognitive.embedding_model WHERE agent_id = :agent_id) AS kept,
       (SELECT count(*) = :max_hidden::int OR bool_or(h.hidden_reason <> 'superseded'
                                                      AND h.hidden_at <= coalesce(:at::timestamptz, now()))
        FROM (SELECT hidden_at, hidden_reason FROM cognitive.memory
              WHERE agent_id = :agent_id AND hidden_at IS NOT NULL LIMIT :max_hidden::int) AS h) AS hidden,
       (SELECT ARRAY[language, pending_language] FROM cognitive.agent_state WHERE agent_id = :agent_id) AS indexed,
       (SELECT jsonb_object_agg(q.lexeme, (
            SELECT jsonb_agg(jsonb_build_array(d.content_passages, d.sessions, d.all_passages, d.last))
        FROM unnest(cognitive.scopes()) AS scope(of_user)
        CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE p.content_frequency > 0) AS content_passages,
                   count(DISTINCT p.session_number) FILTER (WHERE p.content_frequency > 0) AS sessions,
                   count(*) AS all_passages,
                   CASE WHEN count(*) >= :max_counted::int
                        THEN (array_agg(p.memory_id ORDER BY p.memory_id DESC) FILTER (WHERE c.large))[1] END AS last
            FROM (SELECT content_frequency, session_number, memory_id FROM cognitive.posting
                  WHERE agent_id = :agent_id AND user_id = scope.of_user AND lexeme = q.lexeme
                  ORDER BY memory_id, ordinal
                  LIMIT CASE WHEN c.large THEN :max_counted::int ELSE :max_postings::int END) AS p) AS d
        WHERE scope.of_user IS NOT NULL))
        FROM unnest(:lexemes::text[]) AS q(lexeme) CROSS JOIN (
            SELECT coalesce((SELECT sum(passages) FROM cognitive.corpus WHERE agent_id = :agent_id),
                0) > :large_passages::bigint AS large) AS c) AS terms

-- name: sampled_matching
-- The memories in a random sample of `size` memories, and how many of them meet the condition, by type; `last` is the
-- last id of the sample. Ids are hashes, so the first ids are random.
SELECT m.type, count(*) AS memories, count(*) FILTER (WHERE <condition>) AS matching,
       (array_agg(m.id ORDER BY m.id DESC))[1] AS last
FROM (SELECT m.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
          SELECT * FROM cognitive.memory
          WHERE agent_id = :agent_id AND user_id = scope.of_user AND type = ANY(:types::text[])
          ORDER BY id LIMIT :size::int OFFSET 0) AS m
      ORDER BY m.id LIMIT :size::int OFFSET 0) AS m
GROUP BY m.type

-- name: matching_ids
-- The memories of these types that meet the condition.
SELECT m.id, m.type FROM cognitive.memory AS m
WHERE m.agent_id = :agent_id AND m.type = ANY(:types::text[]) AND (<condition>)

-- name: indexed_ids
-- The memories of these types that the query in the slot finds; one row of nulls if it finds more than `limit`. A
-- memory may be found repeatedly.
WITH c AS MATERIALIZED (
    SELECT memory_id AS id, type FROM (<candidates>) AS m LIMIT :limit::int + 1)
SELECT DISTINCT id, type FROM c WHERE (SELECT count(*) FROM c) <= :limit
UNION ALL SELECT NULL, NULL WHERE (SELECT count(*) FROM c) > :limit

-- name: counted_ids
-- The number of rows that the query in the slot finds, counted up to one more than `limit`.
SELECT count(*) FROM (SELECT FROM (<candidates>) AS m LIMIT :limit::int + 1) AS found

-- name: candidates
-- The best passages that the channels find, with the raw score of each channel. `limits` are the passages per channel
-- for each of the `types`. A channel ranks `examined` passages of a type, and takes those that are admitted, up to the
-- limit; it reads `cells` cells per field. Without an embedding the dense channel finds nothing. [date_from,
-- date_until) is a date range named by the query; the temporal channel finds the newest memories of it. `lexemes` are
-- the lexemes whose postings are read, and `lexeme_passages` their document frequencies. `common_lexemes` are too
-- frequent to be read, and are looked up only in the passages found otherwise. The slots admit memories: all of them
-- here, or those of the statements `filtered_...` below. Of the memories that words and meaning find, the `kept` best
-- are returned, and of each type the `kept_of_type` best, by a weighted sum of three scores: BM25 as a share of the
-- best one, and the cosines of content and context. `crowded` are the types of which the maximum of passages was found,
-- but of fewer than `wanted` memories.
--
-- The first row also has the past turns similar to the query (none without an embedding): the `max_similar` most
-- similar of the latest `max_turns` completed turns, from the cosine `min_cosine` on, with the memories they showed and
-- the tools they called. The memories that a turn used are candidates, too, if its cosine is at least `used_cosine`. If
-- no passage is found, there is one row without a memory.
WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(:types::text[], :limits::int[], :examined::int[], :cells::int[])
        AS w(type, most, examined, cells)),
agent AS MATERIALIZED (
    SELECT greatest(passages, 1)::float8 AS passages, greatest(sessions, 1)::float8 AS sessions,
           greatest(content_lexemes, 1)::float8 / greatest(passages, 1) AS content_average,
           greatest(content_lexemes, 1)::float8 / greatest(sessions, 1) AS session_average
    FROM (SELECT sum(passages)::bigint AS passages, sum(sessions)::bigint AS sessions,
                 sum(content_lexemes)::bigint AS content_lexemes
          FROM cognitive.corpus WHERE agent_id = :agent_id) AS c),
<listed>
term AS MATERIALIZED (
    SELECT q.lexeme, ln(1 + (c.passages - q.passages + 0.5) / (q.passages + 0.5)) AS idf
    FROM agent AS c, unnest(:lexemes::text[], :lexeme_passages::bigint[]) AS q(lexeme, passages)),
hit AS MATERIALIZED (
    SELECT p.memory_id, p.ordinal, p.type, p.session_number, p.lexeme, p.content_frequency, t.idf,
           t.idf * p.content_frequency * (:k1::float8 + 1)
               / (p.content_frequency
                  + :k1::float8 * (1 - :b::float8 + :b::float8 * p.content_length / c.content_average)) AS bm25
    FROM agent AS c, term AS t CROSS JOIN LATERAL (
        SELECT memory_id, ordinal, type, session_number, lexeme, content_frequency, content_length
        FROM cognitive.posting
        WHERE agent_id = :agent_id AND lexeme = t.lexeme AND type = ANY(:types::text[]) OFFSET 0) AS p),
lexical AS MATERIALIZED (
    SELECT memory_id, ordinal, type, sum(bm25) AS bm25,
           sum(idf) FILTER (WHERE content_frequency > 0) AS content_matched, sum(idf) AS context_matched
    FROM hit GROUP BY memory_id, ordinal, type),
worded AS (
    SELECT w.type, l.memory_id, l.ordinal FROM wanted AS w CROSS JOIN LATERAL (
        SELECT e.memory_id, e.ordinal FROM (
            SELECT memory_id, ordinal, bm25 FROM lexical WHERE type = w.type <indexed>
            ORDER BY bm25 DESC, memory_id, ordinal LIMIT w.examined) AS e <admitted>
        ORDER BY e.bm25 DESC, e.memory_id, e.ordinal LIMIT w.most) AS l
    <listed_words>),
-- Each session is one document: the frequency of each lexeme in it, and the number of sessions found with the lexeme.
-- Frequencies are looked up and never joined: on tables without statistics a join would be planned as nested loops that
-- repeat the grouping.
session_term AS MATERIALIZED (
    SELECT session_number, sum(content_frequency)::float8 AS frequency,
           (count(*) OVER (PARTITION BY lexeme))::float8 AS sessions
    FROM hit WHERE session_number IS NOT NULL AND content_frequency > 0 GROUP BY session_number, lexeme),
-- The cells nearest to the query, for types that have cells.
probed AS MATERIALIZED (
    SELECT w.type, w.most, w.examined, channel.field, near.cells
    FROM wanted AS w, unnest(ARRAY['content', 'context']) AS channel(field) CROSS JOIN LATERAL (
        SELECT array_agg(c.number ORDER BY c.number) AS cells FROM (
            SELECT number FROM cognitive.cell
            WHERE agent_id = :agent_id AND model = :model AND field = channel.field AND type = w.type
                AND :embedding::halfvec IS NOT NULL
            ORDER BY centre <#> :embedding::halfvec, number LIMIT w.cells) AS c) AS near),
-- Nearest neighbours per field and type, exact among the vectors without a cell and those in the chosen cells. Vectors
-- have unit length, so the inner product is the cosine. If the cells have too few vectors, others fill up the number.
-- OFFSET 0 keeps the planner from replacing the scan of the covering index by an approximate scan with a filter, which
-- returns fewer rows than the limit. The covering index has vectors of up to 1,200 dimensions; for larger ones the slot
-- is "dimension > 1200".
dense AS (
    SELECT p.type, p.field, d.memory_id, d.ordinal
    FROM probed AS p CROSS JOIN LATERAL (
        SELECT e.memory_id, e.ordinal FROM (
            SELECT memory_id, ordinal, embedding <#> :embedding::halfvec AS distance FROM (
                SELECT memory_id, ordinal, embedding FROM cognitive.embedding
                WHERE agent_id = :agent_id AND model = :model AND field = p.field AND type = p.type
                    AND :embedding IS NOT NULL AND p.examined > 0
                  AND <dimensions> AND cell IS NULL
                UNION ALL
                SELECT memory_id, ordinal, embedding FROM cognitive.embedding
                WHERE agent_id = :agent_id AND model = :model AND field = p.field AND type = p.type
                    AND :embedding IS NOT NULL AND p.examined > 0
                  AND <dimensions> AND cell = ANY(p.cells)
                UNION ALL (
                SELECT memory_id, ordinal, embedding FROM cognitive.embedding
                WHERE agent_id = :agent_id AND model = :model AND field = p.field AND type = p.type
                    AND :embedding IS NOT NULL
                  AND <dimensions> AND p.cells IS NOT NULL AND cell IS NOT NULL AND cell <> ALL(p.cells)
                LIMIT CASE WHEN p.examined > 0 THEN p.most ELSE 0 END)
                OFFSET 0) AS v
            WHERE TRUE <indexed>
            ORDER BY distance, memory_id, ordinal LIMIT p.examined) AS e <admitted>
        ORDER BY e.distance, e.memory_id, e.ordinal LIMIT p.most) AS d
    <listed_vectors>),
dated AS (
    SELECT d.id AS memory_id FROM wanted AS w CROSS JOIN LATERAL (
        SELECT o.id FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
            SELECT m.id, m.occurred_at, m.seq FROM cognitive.memory AS m
            WHERE m.agent_id = :agent_id AND m.user_id = scope.of_user AND m.type = w.type
                AND m.occurred_at >= :date_from AND m.occurred_at < :date_until AND (<condition>)
            ORDER BY m.occurred_at DESC, m.seq DESC LIMIT w.most) AS o
        ORDER BY o.occurred_at DESC, o.seq DESC LIMIT w.most) AS d),
similar_turn AS MATERIALIZED (
    SELECT user_id, turn_id, similarity FROM (
        SELECT past.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
            SELECT user_id, turn_id, at, similarity FROM (
                SELECT user_id, turn_id, at, -(query <#> :embedding::halfvec) AS similarity
                FROM cognitive.turn
                WHERE agent_id = :agent_id AND user_id = scope.of_user AND model = :model
                    AND status = 'completed' AND query IS NOT NULL AND at <= :now
                    AND :embedding IS NOT NULL
                UNION ALL  -- turns recorded with another model, before a change of models
                SELECT user_id, turn_id, at, -(embedding <#> :embedding::halfvec)
                FROM cognitive.turn_embedding
                WHERE agent_id = :agent_id AND user_id = scope.of_user AND model = :model AND at <= :now
                    AND :embedding IS NOT NULL) AS recorded
            ORDER BY at DESC, turn_id LIMIT :max_turns::int OFFSET 0) AS past
        ORDER BY past.at DESC, past.turn_id LIMIT :max_turns::int OFFSET 0) AS latest
    WHERE similarity >= :min_cosine::float8
    ORDER BY similarity DESC, turn_id LIMIT :max_similar::int),
past AS MATERIALIZED (
    SELECT jsonb_agg(jsonb_build_array(s.turn_id, t.at, s.similarity, left(t.message, 500), e.shown, t.tools_called)
                     ORDER BY s.similarity DESC, s.turn_id) AS turns
    FROM similar_turn AS s CROSS JOIN LATERAL (
        SELECT at, message, tools_called FROM cognitive.turn
        WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id OFFSET 0) AS t
    CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_array(memory_id, used, relevance_gap, rating IS NOT NULL)
                         ORDER BY memory_id) AS shown
        FROM cognitive.exposure
        WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id AND used IS NOT NULL) AS e),
-- Memories that similar turns used are candidates even if no other channel finds them, by the passage nearest to the
-- query.
associated AS (
    SELECT m.id AS memory_id, coalesce((
        SELECT ordinal FROM cognitive.embedding
        WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id AND field = 'content'
            AND model = :model AND :embedding IS NOT NULL
        ORDER BY embedding <#> :embedding::halfvec, ordinal LIMIT 1), 0) AS ordinal
    FROM cognitive.memory AS m
    WHERE m.agent_id = :agent_id AND m.type = ANY(:types::text[]) AND (<condition>) AND m.id = ANY(ARRAY(
        SELECT e.memory_id FROM similar_turn AS s CROSS JOIN LATERAL (
            SELECT memory_id FROM cognitive.exposure
            WHERE agent_id = :agent_id AND user_id = s.user_id AND turn_id = s.turn_id AND used OFFSET 0) AS e
        WHERE s.similarity >= :used_cosine::float8))),
-- One row per passage, by grouping and lookup: a join of these lists would be planned as nested loops. Most passages
-- with a lexeme of the query are found by no channel; they are neither sorted nor carried along.
listed AS MATERIALIZED (
    SELECT memory_id, ordinal FROM worded UNION ALL SELECT memory_id, ordinal FROM dense
    UNION ALL SELECT memory_id, 0 FROM dated UNION ALL SELECT memory_id, ordinal FROM associated),
pooled AS (
    SELECT memory_id, ordinal, max(bm25) AS bm25, max(content_matched) AS content_matched,
           max(context_matched) AS context_matched
    FROM (SELECT memory_id, ordinal, NULL::float8 AS bm25, NULL::float8 AS content_matched,
                 NULL::float8 AS context_matched FROM listed
          UNION ALL SELECT memory_id, ordinal, bm25, content_matched, context_matched FROM lexical
          WHERE ((memory_id, ordinal) IN (SELECT memory_id, ordinal FROM listed)) IS TRUE) AS p
    GROUP BY memory_id, ordinal),
-- Rows are looked up by key, and OFFSET 0 enforces it: on tables without statistics a join would be planned as a scan
-- of all the agent's rows for each passage.
scored AS MATERIALIZED (
    SELECT f.ordinal, f.bm25, f.content_matched, f.context_matched, m.*, vectors.*
    FROM pooled AS f CROSS JOIN LATERAL (
        SELECT id AS memory_id, user_id, seq, type, content, speaker, occurred_at, session_id, session_number, source,
               confidence, pinned, trust, attributes, claim, h.*
        FROM cognitive.memory CROSS JOIN LATERAL (
            SELECT CASE WHEN hidden THEN memory.hidden_at END AS hidden_at,
                   CASE WHEN hidden THEN memory.hidden_reason END AS hidden_reason,
                   CASE WHEN hidden THEN memory.replaced_by END AS replaced_by
            FROM (SELECT memory.hidden_at <= coalesce(:at::timestamptz, now()) AS hidden) AS s) AS h
        WHERE agent_id = :agent_id AND id = f.memory_id
          AND (h.hidden_reason IS NULL OR h.hidden_reason = 'superseded') OFFSET 0) AS m
    CROSS JOIN LATERAL (
        SELECT any_value(embedding) FILTER (WHERE field = 'content') AS embedding,
               -min(embedding <#> :embedding::halfvec) FILTER (WHERE field = 'content') AS content_cosine,
               -min(embedding <#> :embedding::halfvec) FILTER (WHERE field = 'context') AS context_cosine
        FROM cognitive.embedding
        WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.memory_id AND ordinal = f.ordinal
            AND model = :model) AS vectors),
best AS MATERIALIZED (
    SELECT memory_id FROM (
        SELECT memory_id, row_number() OVER (ORDER BY score DESC, memory_id) AS place,
               row_number() OVER (PARTITION BY type ORDER BY score DESC, memory_id) AS place_of_type
        FROM (SELECT memory_id, type,
                     max(:by_words::float8 * coalesce(scored.bm25 / nullif(first.bm25, 0), 0)
                         + :by_content::float8 * coalesce(content_cosine, 0)
                         + :by_context::float8 * coalesce(context_cosine, content_cosine, 0)) AS score
              FROM scored CROSS JOIN (SELECT max(bm25) AS bm25 FROM scored) AS first
              GROUP BY memory_id, type) AS m) AS p
    WHERE place <= :kept::int OR place_of_type <= :kept_of_type::int),
kept AS MATERIALIZED (
    SELECT * FROM scored
    WHERE (memory_id IN (SELECT memory_id FROM best UNION ALL SELECT memory_id FROM dated
                         UNION ALL SELECT memory_id FROM associated)) IS TRUE),
-- Most sessions with a lexeme of the query contain no passage that is kept, and are not scored. `IS TRUE` keeps the
-- planner from turning the lookup into a join, as above.
session_score AS (
    SELECT t.session_number,
           sum(ln(1 + (c.sessions - t.sessions + 0.5) / (t.sessions + 0.5)) * t.frequency * (:k1::float8 + 1)
               / (t.frequency + :k1::float8 * (1 - :b::float8 + :b::float8 * s.lexemes / c.session_average))) AS bm25
    FROM agent AS c, session_term AS t CROSS JOIN LATERAL (
        SELECT lexemes FROM cognitive.session WHERE agent_id = :agent_id AND number = t.session_number OFFSET 0) AS s
    WHERE (t.session_number IN (SELECT session_number FROM kept)) IS TRUE
    GROUP BY t.session_number),
-- One array value for lookups: a join with a list of unknown length would be planned as nested loops.
session_map AS MATERIALIZED (SELECT jsonb_object_agg(session_number::text, bm25) AS scores FROM session_score)
SELECT f.memory_id, f.ordinal, f.seq, f.type, substr(f.content, p.start + 1, p.stop - p.start) AS content,
       p.start > 0 OR p.stop < length(f.content) AS partial, f.speaker, f.occurred_at, f.session_id, f.source,
       f.hidden_at, f.hidden_reason, f.replaced_by, f.confidence, f.pinned, f.trust, f.attributes, f.claim,
       nullif(f.user_id, '') AS user_id, p.content_length,
       CASE WHEN common.idf IS NULL THEN f.bm25 ELSE coalesce(f.bm25, 0) + common.bm25 END AS content_bm25,
       CASE WHEN common.content_matched IS NULL THEN f.content_matched
            ELSE coalesce(f.content_matched, 0) + common.content_matched END AS content_matched,
       CASE WHEN common.idf IS NULL THEN f.context_matched
            ELSE coalesce(f.context_matched, 0) + common.idf END AS context_matched,
       ((SELECT scores FROM session_map) -> f.session_number::text)::float8 AS session_bm25,
       f.content_cosine, f.context_cosine, halfvec_send(f.embedding) AS vector,
       u.shown, u.used, u.times_shown, u.times_used, u.last_at, <short> AS short,
       (SELECT array_agg(type) FROM (
            SELECT w.type FROM wanted AS w JOIN scored AS f ON f.type = w.type
            GROUP BY w.type, w.most
            HAVING count(*) >= w.most AND count(DISTINCT f.memory_id) < :wanted::int) AS c) AS crowded,
       CASE WHEN row_number() OVER () = 1 THEN past.turns END AS past
FROM past LEFT JOIN (kept AS f CROSS JOIN LATERAL (
    SELECT start, stop, content_length FROM cognitive.passage
    WHERE agent_id = :agent_id AND user_id = f.user_id AND memory_id = f.memory_id AND ordinal = f.ordinal
    OFFSET 0) AS p) ON true
LEFT JOIN LATERAL (
    SELECT sum(idf) AS idf, sum(idf) FILTER (WHERE content_frequency > 0) AS content_matched,
           sum(idf * content_frequency * (:k1::float8 + 1)
               / (content_frequency + :k1::float8 * (1 - :b::float8 + :b::float8 * content_length / average)))
               AS bm25
    FROM (SELECT h.content_frequency, h.content_length, c.content_average AS average,
                 ln(1 + (c.passages - q.passages + 0.5) / (q.passages + 0.5)) AS idf
          FROM unnest(:common_lexemes::text[], :common_passages::bigint[]) AS q(lexeme, passages)
          CROSS JOIN agent AS c CROSS JOIN LATERAL (
              SELECT content_frequency, content_length FROM cognitive.posting
              WHERE agent_id = :agent_id AND user_id = f.user_id AND lexeme = q.lexeme AND memory_id = f.memory_id
                  AND ordinal = f.ordinal
              OFFSET 0) AS h) AS t) AS common ON true
LEFT JOIN LATERAL (
    SELECT shown, used, times_shown, times_used, last_at FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = f.user_id AND memory_id = f.memory_id OFFSET 0) AS u ON true

-- name: filtered_listed
-- For the slot `listed`: the memories of types of which few are admitted. All of them are compared with the query, and
-- then looked up in the order of a channel, as above, since some of them may not be admitted.
<narrowed>
listed_memory AS MATERIALIZED (
    SELECT l.id, l.type FROM unnest(:listed_ids::uuid[], :listed_types::text[]) AS l(id, type)),
listed_vector AS MATERIALIZED (
    SELECT l.type, e.field, e.memory_id, e.ordinal, e.distance FROM listed_memory AS l CROSS JOIN LATERAL (
        SELECT memory_id, ordinal, field, embedding <#> :embedding::halfvec AS distance FROM cognitive.embedding
        WHERE agent_id = :agent_id AND memory_id = l.id AND model = :model AND :embedding IS NOT NULL OFFSET 0) AS e),

-- name: filtered_narrowed
-- For the slot `narrowed`: the memories that an index finds. They were counted, so that the limit is never reached; it
-- limits the planner's estimate, so that they are looked up in a hash table.
indexed AS MATERIALIZED (SELECT memory_id FROM (<found>) AS m LIMIT <most>),

-- name: filtered_indexed
-- For the slot `indexed`: leave out the memories that the index does not find. `IS TRUE` keeps the planner from turning
-- the lookup into a join, as above.
AND (memory_id IN (SELECT memory_id FROM indexed)) IS TRUE

-- name: filtered_admitted
-- For the slot `admitted`, after a list `e` in the order of a channel: look up the memories one after another until
-- enough are admitted.
CROSS JOIN LATERAL (
    SELECT FROM cognitive.memory AS m WHERE m.agent_id = :agent_id AND m.id = e.memory_id AND (<condition>)
    OFFSET 0) AS admitted

-- name: filtered_listed_words
UNION ALL
SELECT w.type, l.memory_id, l.ordinal FROM wanted AS w CROSS JOIN LATERAL (
    SELECT e.memory_id, e.ordinal FROM (
        SELECT memory_id, ordinal, bm25 FROM lexical
        WHERE type = w.type AND memory_id IN (SELECT id FROM listed_memory)
        ORDER BY bm25 DESC, memory_id, ordinal OFFSET 0) AS e <admitted>
    ORDER BY e.bm25 DESC, e.memory_id, e.ordinal LIMIT w.most) AS l

-- name: filtered_listed_vectors
UNION ALL
SELECT p.type, p.field, d.memory_id, d.ordinal FROM probed AS p CROSS JOIN LATERAL (
    SELECT e.memory_id, e.ordinal FROM (
        SELECT memory_id, ordinal, distance FROM listed_vector WHERE type = p.type AND field = p.field
        ORDER BY distance, memory_id, ordinal OFFSET 0) AS e <admitted>
    ORDER BY e.distance, e.memory_id, e.ordinal LIMIT p.most) AS d

-- name: filtered_short
-- For the slot `short`: the types of which a channel examined too few passages to find enough that are admitted.
(SELECT array_agg(w.type) FROM wanted AS w
 WHERE w.examined > 0
   AND ((SELECT count(*) FROM worded WHERE type = w.type) < w.most
        AND (SELECT count(*) FROM lexical WHERE type = w.type) > w.examined
        AND (SELECT count(*) FROM lexical WHERE type = w.type <indexed>) > w.examined
     OR :embedding::halfvec IS NOT NULL
        AND (SELECT count(*) FROM dense WHERE type = w.type AND field = 'content') < w.most))
