-- name: passages
SELECT passages FROM cognitive.corpus WHERE agent_id = $1

-- name: candidates
-- Every passage that one of the channels finds, with the raw score of each channel. Parameters:
-- $1 agent, $2 types, $3 lexemes of the query, $4 the query's vector or NULL, $5 the embedding model,
-- $6 how many per channel and type, $7 postings beyond which a lexeme is too common to be read,
-- $8 k1, $9 b; filters (NULL: none): $10 tags, $11 session, $12 since, $13 until;
-- $14 and $15 a date range that the query names (NULL: none).
WITH corpus AS MATERIALIZED (
    SELECT greatest(passages, 1)::float8 AS passages, greatest(sessions, 1)::float8 AS sessions,
           greatest(said_lexemes, 1)::float8 / greatest(passages, 1) AS said_average,
           greatest(said_lexemes, 1)::float8 / greatest(sessions, 1) AS session_average
    FROM cognitive.corpus WHERE agent_id = $1),
filtered AS MATERIALIZED (
    SELECT id FROM cognitive.memory
    WHERE agent_id = $1 AND type = ANY($2::text[])
      AND ($10::text[] IS NULL OR tags && $10::text[]) AND ($11::text IS NULL OR session_id = $11)
      AND ($12::timestamptz IS NULL OR occurred_at >= $12) AND ($13::timestamptz IS NULL OR occurred_at < $13)
      AND ($10::text[] IS NOT NULL OR $11::text IS NOT NULL OR $12::timestamptz IS NOT NULL
           OR $13::timestamptz IS NOT NULL)),
-- Document frequencies, counted only up to the bound: a lexeme that reaches it says little and costs much.
term AS MATERIALIZED (
    SELECT q.lexeme, ln(1 + (c.passages - d.said + 0.5) / (d.said + 0.5)) AS idf
    FROM corpus AS c, unnest($3::text[]) AS q(lexeme) CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE p.said > 0) AS said, count(*) AS around
        FROM (SELECT said FROM cognitive.posting WHERE agent_id = $1 AND lexeme = q.lexeme LIMIT $7) AS p) AS d
    WHERE d.around > 0 AND d.around < $7),
hit AS MATERIALIZED (
    SELECT p.memory_id, p.ordinal, p.type, p.session_no, p.lexeme, p.said, t.idf,
           t.idf * p.said * ($8::float8 + 1) / (p.said + $8::float8 * (1 - $9::float8 + $9::float8 * p.said_length / c.said_average)) AS bm25
    FROM corpus AS c, term AS t JOIN cognitive.posting AS p ON p.agent_id = $1 AND p.lexeme = t.lexeme
    WHERE p.type = ANY($2::text[])),
lexical AS MATERIALIZED (
    SELECT memory_id, ordinal, type, sum(bm25) AS said_bm25, sum(idf) FILTER (WHERE said > 0) AS said_matched,
           sum(idf) AS around_matched
    FROM hit
    WHERE ($10::text[] IS NULL AND $11::text IS NULL AND $12::timestamptz IS NULL AND $13::timestamptz IS NULL
           OR memory_id IN (SELECT id FROM filtered))
    GROUP BY memory_id, ordinal, type),
-- A session as one document: how often each lexeme stands in it, damped by its length.
session_term AS (
    SELECT h.session_no, h.lexeme, sum(h.said)::float8 AS said FROM hit AS h
    WHERE h.session_no IS NOT NULL AND h.said > 0 GROUP BY h.session_no, h.lexeme),
session_frequency AS (SELECT lexeme, count(*)::float8 AS sessions FROM session_term GROUP BY lexeme),
session_score AS MATERIALIZED (
    SELECT t.session_no,
           sum(ln(1 + (c.sessions - f.sessions + 0.5) / (f.sessions + 0.5)) * t.said * ($8::float8 + 1)
               / (t.said + $8::float8 * (1 - $9::float8 + $9::float8 * s.lexemes / c.session_average))) AS bm25
    FROM corpus AS c, session_term AS t JOIN session_frequency AS f USING (lexeme)
         JOIN cognitive.session AS s ON s.agent_id = $1 AND s.no = t.session_no
    GROUP BY t.session_no),
-- Exact nearest neighbours per field and type. OFFSET 0 keeps the planner from trading the exact scan of the covering
-- index for an approximate one behind a filter, which returns fewer rows than asked for.
dense AS MATERIALIZED (
    SELECT d.memory_id, d.ordinal
    FROM unnest($2::text[]) AS wanted(type), unnest(ARRAY['said', 'around']) AS channel(field)
    CROSS JOIN LATERAL (
        SELECT e.memory_id, e.ordinal, e.distance FROM (
            SELECT memory_id, ordinal, embedding <=> $4::halfvec AS distance FROM cognitive.embedding
            WHERE agent_id = $1 AND model = $5 AND field = channel.field AND type = wanted.type AND $4 IS NOT NULL
              AND ($10::text[] IS NULL AND $11::text IS NULL AND $12::timestamptz IS NULL AND $13::timestamptz IS NULL
                   OR memory_id IN (SELECT id FROM filtered))
            OFFSET 0) AS e
        ORDER BY e.distance, e.memory_id, e.ordinal LIMIT $6) AS d),
ranked AS (
    SELECT memory_id, ordinal, row_number() OVER (PARTITION BY type ORDER BY said_bm25 DESC, memory_id, ordinal) AS place
    FROM lexical WHERE said_matched IS NOT NULL),
dated AS (
    SELECT m.id AS memory_id FROM unnest($2::text[]) AS wanted(type) CROSS JOIN LATERAL (
        SELECT id FROM cognitive.memory
        WHERE agent_id = $1 AND type = wanted.type AND occurred_at >= $14 AND occurred_at < $15
          AND ($10::text[] IS NULL AND $11::text IS NULL AND $12::timestamptz IS NULL AND $13::timestamptz IS NULL
               OR id IN (SELECT id FROM filtered))
        ORDER BY occurred_at, seq LIMIT $6) AS m),
found AS (
    SELECT memory_id, ordinal FROM dense
    UNION SELECT memory_id, ordinal FROM ranked WHERE place <= $6
    UNION SELECT memory_id, 0 FROM dated)
SELECT f.memory_id, f.ordinal, m.seq, m.type, substr(m.content, p.start + 1, p.stop - p.start) AS content,
       p.start > 0 OR p.stop < length(m.content) AS partial, m.speaker, m.occurred_at, m.session_id, m.source,
       m.superseded_by, m.confidence, m.pinned, p.said_length,
       l.said_bm25, l.said_matched, l.around_matched, s.bm25 AS session_bm25,
       1 - (said.embedding <=> $4::halfvec) AS said_cosine, 1 - (around.embedding <=> $4::halfvec) AS around_cosine,
       said.embedding AS vector, before.id AS previous_id, after.id AS next_id,
       u.shown, u.used, u.times_shown, u.times_used
FROM found AS f
JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = f.memory_id
JOIN cognitive.passage AS p ON p.agent_id = $1 AND p.memory_id = f.memory_id AND p.ordinal = f.ordinal
LEFT JOIN lexical AS l ON l.memory_id = f.memory_id AND l.ordinal = f.ordinal
LEFT JOIN cognitive.session AS n ON n.agent_id = $1 AND n.session_id = m.session_id
LEFT JOIN session_score AS s ON s.session_no = n.no
LEFT JOIN cognitive.embedding AS said ON said.agent_id = $1 AND said.memory_id = f.memory_id
     AND said.ordinal = f.ordinal AND said.field = 'said' AND said.model = $5
LEFT JOIN cognitive.embedding AS around ON around.agent_id = $1 AND around.memory_id = f.memory_id
     AND around.ordinal = f.ordinal AND around.field = 'around' AND around.model = $5
LEFT JOIN LATERAL (
    SELECT b.id FROM cognitive.memory AS b
    WHERE b.agent_id = $1 AND b.session_id = m.session_id AND (b.occurred_at, b.seq) < (m.occurred_at, m.seq)
    ORDER BY b.occurred_at DESC, b.seq DESC LIMIT 1) AS before ON true
LEFT JOIN LATERAL (
    SELECT a.id FROM cognitive.memory AS a
    WHERE a.agent_id = $1 AND a.session_id = m.session_id AND (a.occurred_at, a.seq) > (m.occurred_at, m.seq)
    ORDER BY a.occurred_at, a.seq LIMIT 1) AS after ON true
LEFT JOIN cognitive.usage AS u ON u.agent_id = $1 AND u.memory_id = f.memory_id
ORDER BY m.seq, f.ordinal

-- name: query_terms
-- The idf of each lexeme of the query among passages and among sessions, found or not: what share of it a memory
-- matches is a measure of its own.
SELECT q.lexeme, ln(1 + (n.passages - d.said + 0.5) / (d.said + 0.5)) AS idf,
       ln(1 + (n.sessions - d.sessions + 0.5) / (d.sessions + 0.5)) AS session_idf
FROM unnest($2::text[]) AS q(lexeme) CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE p.said > 0)::float8 AS said,
           count(DISTINCT p.session_no) FILTER (WHERE p.said > 0)::float8 AS sessions
    FROM (SELECT said, session_no FROM cognitive.posting WHERE agent_id = $1 AND lexeme = q.lexeme LIMIT $3) AS p) AS d
CROSS JOIN (SELECT coalesce(max(passages), 0)::float8 AS passages, coalesce(max(sessions), 0)::float8 AS sessions
            FROM cognitive.corpus WHERE agent_id = $1) AS n

-- name: usage_base
SELECT type, shown, used FROM cognitive.usage_base WHERE agent_id = $1
