-- name: memories
-- Walks an agent's memories back from ($4, $5), over one of the walks below, and keeps those that the filters let through
-- (NULL: any). Looks at <most> of them, and says how far it came if that was not enough. $2 types, $3 a session, $6 the
-- oldest time, $7 a tag, $8 patterns of what it says, $9 pinned, $10 superseded, $11 how many rows.
WITH page AS MATERIALIZED (
    SELECT walked.id, walked.occurred_at, walked.seq, walked.looked
    FROM (SELECT *, row_number() OVER (ORDER BY occurred_at DESC, seq DESC) AS looked FROM (<walk>) AS w) AS walked
    CROSS JOIN LATERAL (
        SELECT type = ANY($2::text[]) AND ($3::text IS NULL OR session_id = $3)
               AND ($7::text IS NULL OR tags @> ARRAY[$7::text]) AND ($8::text[] IS NULL OR content ILIKE ALL ($8))
               AND ($9::boolean IS NULL OR pinned = $9) AND ($10::boolean IS NULL OR (superseded_by IS NOT NULL) = $10)
               AS kept
        FROM cognitive.memory WHERE agent_id = $1 AND id = walked.id OFFSET 0) AS m
    WHERE m.kept ORDER BY walked.occurred_at DESC, walked.seq DESC LIMIT $11),
reach AS MATERIALIZED (
    SELECT count(*) AS looked, min(occurred_at) AS last_at, (array_agg(seq ORDER BY occurred_at, seq))[1] AS last_key
    FROM (<walk>) AS walked WHERE (SELECT count(*) FROM page) < $11)
SELECT greatest(reach.looked, page.looked) AS looked, reach.last_at, reach.last_key, m.id, m.seq, m.type,
       left(m.content, 500) AS content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.superseded_by, u.shown,
       u.used, u.times_shown, u.times_used, u.last_at AS shown_at
FROM reach LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.memory WHERE agent_id = $1 AND id = page.id OFFSET 0) AS m) ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY m.occurred_at DESC, m.seq DESC

-- name: walk_types
-- Memories of types $2, each type from its index, merged as they come; of no session ($3).
SELECT id, occurred_at, seq FROM (
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'decision' = ANY($2::text[]) AND agent_id = $1 AND type = 'decision' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)
    UNION ALL
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'fact' = ANY($2::text[]) AND agent_id = $1 AND type = 'fact' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)
    UNION ALL
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'procedure' = ANY($2::text[]) AND agent_id = $1 AND type = 'procedure' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)
    UNION ALL
    (SELECT id, occurred_at, seq FROM cognitive.memory
     WHERE 'episode' = ANY($2::text[]) AND agent_id = $1 AND type = 'episode' AND occurred_at <= $4
           AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
     ORDER BY occurred_at DESC, seq DESC LIMIT <most>)) AS own
WHERE $3::text IS NULL ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: walk_session
-- Memories in session $3.
SELECT id, occurred_at, seq FROM cognitive.memory
WHERE agent_id = $1 AND session_id = $3 AND occurred_at <= $4
      AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: walk_pinned
-- Pinned memories. Those of the latest <most> by their order; more are no prefix of a prompt.
SELECT id, occurred_at, seq FROM (
    SELECT id, occurred_at, seq FROM cognitive.memory WHERE agent_id = $1 AND pinned ORDER BY seq DESC LIMIT <most>) AS own
WHERE occurred_at <= $4 AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: walk_superseded
-- Memories that others replaced.
SELECT id, occurred_at, seq FROM cognitive.memory
WHERE agent_id = $1 AND superseded_by IS NOT NULL AND occurred_at <= $4
      AND (occurred_at < $4 OR seq < $5) AND occurred_at >= $6
ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: group_sizes
-- How many of the first <sample> memories by id are in each group; ids are hashes, so these are a random sample of all.
-- What is pinned needs no showing: it stands in every prompt.
-- Those that are pinned or superseded have indexes of their own, and are counted up to <most>. $2 now, $3 the half-life in seconds, $4 showings that tell, $5 uses that tell, $6 the share of fresh use of what rises,
-- $7 the mass of use that is left of what is stale.
SELECT count(*) AS looked, coalesce((SELECT memories FROM cognitive.corpus WHERE agent_id = $1), 0) AS memories,
       count(*) FILTER (WHERE u.memory_id IS NULL AND NOT m.pinned) AS never,
       count(*) FILTER (WHERE u.times_used = 0 AND u.times_shown >= $4) AS ignored,
       count(*) FILTER (WHERE u.times_used >= $5 AND n.used >= $6::float8 * u.times_used) AS rising,
       count(*) FILTER (WHERE u.times_used >= $5 AND n.used < $7::float8) AS stale,
       (SELECT count(*) FROM (
            SELECT 1 FROM cognitive.memory WHERE agent_id = $1 AND pinned LIMIT <most>) AS p) AS pinned,
       (SELECT count(*) FROM (
            SELECT 1 FROM cognitive.memory WHERE agent_id = $1 AND superseded_by IS NOT NULL LIMIT <most>) AS s) AS superseded
FROM (SELECT id, pinned FROM cognitive.memory WHERE agent_id = $1 ORDER BY id LIMIT <sample>) AS m
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
CROSS JOIN LATERAL (SELECT cognitive.decayed(u.used, u.last_at, $2, $3::float8) AS used) AS n

-- name: group
-- The members of group $8 among the <sample> memories of a walk whose ids follow $9, those that deserve it most first,
-- from behind ($10, $11) on; $12 how many rows, $13 types, $14 a tag. Scores do not depend on when they are asked for, so
-- that pages follow one another: masses decay alike, and are compared by the logarithm of what they were at time 0.
WITH walked AS MATERIALIZED (
    SELECT w.id, CASE $8 WHEN 'never' THEN -extract(epoch FROM w.created_at)::float8
                         WHEN 'ignored' THEN w.times_shown::float8
                         WHEN 'rising' THEN ln(greatest(w.used, 1e-300)) / ln(2.0) + extract(epoch FROM w.last_at)::float8 / $3
                         ELSE w.times_used::float8 END AS score,
           CASE $8 WHEN 'never' THEN w.times_shown IS NULL AND NOT w.pinned
                   WHEN 'ignored' THEN w.times_used = 0 AND w.times_shown >= $4
                   WHEN 'rising' THEN w.times_used >= $5 AND n.used >= $6::float8 * w.times_used
                   WHEN 'stale' THEN w.times_used >= $5 AND n.used < $7::float8 END AS kept
    FROM (<walk>) AS w
    CROSS JOIN LATERAL (SELECT cognitive.decayed(w.used, w.last_at, $2, $3::float8) AS used) AS n),
page AS (
    SELECT walked.id, walked.score FROM walked CROSS JOIN LATERAL (
        SELECT type = ANY($13::text[]) AND ($14::text IS NULL OR tags @> ARRAY[$14::text]) AS wanted
        FROM cognitive.memory WHERE agent_id = $1 AND id = walked.id OFFSET 0) AS m
    WHERE walked.kept AND ($10::float8 IS NULL OR walked.score < $10 OR walked.score = $10 AND walked.id > $11) AND m.wanted
    ORDER BY walked.score DESC, walked.id LIMIT $12)
SELECT l.looked, l.last_id, page.score, m.id, m.seq, m.type, left(m.content, 500) AS content, m.speaker, m.occurred_at,
       m.session_id, m.tags, m.pinned, m.superseded_by, u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at
FROM (SELECT count(*) AS looked, (SELECT id FROM walked ORDER BY id DESC LIMIT 1) AS last_id FROM walked) AS l
LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.memory WHERE agent_id = $1 AND id = page.id OFFSET 0) AS m) ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY page.score DESC, m.id

-- name: walk_stored
-- Memories by id, which is a hash: a random sample of all. With their use, if they were ever shown.
SELECT m.id, m.created_at, m.pinned, u.times_shown, u.times_used, u.used, u.last_at
FROM (SELECT id, created_at, pinned FROM cognitive.memory WHERE agent_id = $1 AND id > $9 ORDER BY id LIMIT <sample>) AS m
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true

-- name: walk_shown
-- Memories that were shown, likewise.
SELECT memory_id AS id, last_at AS created_at, false AS pinned, times_shown, times_used, used, last_at
FROM cognitive.usage WHERE agent_id = $1 AND memory_id > $9 ORDER BY memory_id LIMIT <sample>

-- name: beginnings
-- Memories by their ids $2 as lists show them.
SELECT m.id, m.seq, m.type, left(m.content, 500) AS content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned,
       m.superseded_by, u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at
FROM cognitive.memory AS m LEFT JOIN cognitive.usage AS u ON u.agent_id = $1 AND u.memory_id = m.id
WHERE m.agent_id = $1 AND m.id = ANY($2::uuid[])

-- name: tags
-- The most frequent tags, at most $2, of the first <sample> memories by id, which are a random sample of all.
SELECT tag FROM (SELECT tags FROM cognitive.memory WHERE agent_id = $1 ORDER BY id LIMIT <sample>) AS m
CROSS JOIN LATERAL unnest(m.tags) AS tag
GROUP BY tag ORDER BY count(*) DESC, tag LIMIT $2

-- name: base
-- How often memories were shown and used, by type.
SELECT type, shown, used, last_at AS at, decoys, decoys_used FROM cognitive.usage_base WHERE agent_id = $1

-- name: removal
-- The rows that go with memories $2 when they are erased.
SELECT (SELECT count(*) FROM cognitive.memory WHERE agent_id = $1 AND id = ANY($2::uuid[])) AS memories,
       (SELECT count(*) FROM cognitive.passage WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS passages,
       (SELECT count(*) FROM cognitive.embedding WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS embeddings,
       (SELECT coalesce(sum(cardinality(lexemes)), 0) FROM cognitive.passage
        WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS postings,
       (SELECT count(*) FROM cognitive.exposure WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS exposures,
       (SELECT count(*) FROM cognitive.usage WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS usage,
       (SELECT count(*) FROM cognitive.revision WHERE agent_id = $1 AND memory_id = ANY($2::uuid[])) AS revisions

-- name: life
-- When a memory was stored and changed, what it replaced and what replaced it, and its use so far.
SELECT m.id, m.seq, m.type, m.content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.superseded_by,
       m.supersedes, m.created_at, m.updated_at, m.confidence::float8 AS confidence, m.source, m.context, m.entities,
       u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at,
       (SELECT count(*) FROM cognitive.passage WHERE agent_id = $1 AND memory_id = m.id) AS passages,
       (SELECT left(content, 500) FROM cognitive.memory WHERE agent_id = $1 AND id = m.supersedes) AS replaced,
       (SELECT left(content, 500) FROM cognitive.memory WHERE agent_id = $1 AND id = m.superseded_by) AS replacement
FROM cognitive.memory AS m LEFT JOIN cognitive.usage AS u ON u.agent_id = $1 AND u.memory_id = m.id
WHERE m.agent_id = $1 AND m.id = $2

-- name: showings
-- The turns that showed a memory, back from ($3, $4).
SELECT e.turn_id, e.at, e.via, e.slot, e.tokens, e.overlap::float8 AS overlap, e.used, e.rating,
       e.propensity::float8 AS propensity, e.lacked::float8 AS lacked, t.status, t.session_id, left(t.message, 500) AS message
FROM (SELECT * FROM cognitive.exposure
      WHERE agent_id = $1 AND memory_id = $2 AND at <= $3 AND (at < $3 OR turn_id < $4)
      ORDER BY at DESC, turn_id DESC LIMIT $5) AS e
LEFT JOIN LATERAL (
    SELECT status, session_id, message FROM cognitive.turn WHERE agent_id = $1 AND turn_id = e.turn_id OFFSET 0) AS t ON true
ORDER BY e.at DESC, e.turn_id DESC

-- name: shown_at
-- When a memory was shown lately, and what came of it: the latest $3, in the order of time.
SELECT at, used, rating FROM (
    SELECT at, used, rating, turn_id FROM cognitive.exposure WHERE agent_id = $1 AND memory_id = $2
    ORDER BY at DESC, turn_id DESC LIMIT $3) AS latest
ORDER BY at, turn_id

-- name: near_by_words
-- The memories most like one by the vectors of their first passages, among those that have one of its rarest words:
-- of each of its words up to $3 passages are read, of all $4. A near-duplicate without a rare word in common is missed.
-- $5 the embedding model; NULL: one that the memory has a vector of.
WITH own AS MATERIALIZED (
    SELECT p.lexemes, e.embedding, e.model FROM cognitive.passage AS p JOIN cognitive.embedding AS e
        ON e.agent_id = $1 AND e.memory_id = p.memory_id AND e.ordinal = 0 AND e.field = 'said'
    WHERE p.agent_id = $1 AND p.memory_id = $2 AND p.ordinal = 0 AND ($5::text IS NULL OR e.model = $5)
    ORDER BY e.model LIMIT 1),
rare AS MATERIALIZED (
    SELECT lexeme, d.passages FROM own CROSS JOIN LATERAL unnest(own.lexemes) AS word(lexeme) CROSS JOIN LATERAL (
        SELECT count(*) AS passages FROM (
            SELECT 1 FROM cognitive.posting WHERE agent_id = $1 AND posting.lexeme = word.lexeme LIMIT $3) AS p) AS d
    ORDER BY d.passages, lexeme),
candidate AS MATERIALIZED (
    SELECT memory_id FROM rare CROSS JOIN LATERAL (
        SELECT memory_id FROM cognitive.posting
        WHERE agent_id = $1 AND lexeme = rare.lexeme AND ordinal = 0 LIMIT $3) AS p
    WHERE memory_id <> $2 ORDER BY rare.passages LIMIT $4),
compared AS MATERIALIZED (
    SELECT c.memory_id, -(e.embedding <#> own.embedding) AS cosine
    FROM own CROSS JOIN (SELECT DISTINCT memory_id FROM candidate) AS c CROSS JOIN LATERAL (
        SELECT embedding FROM cognitive.embedding
        WHERE agent_id = $1 AND memory_id = c.memory_id AND ordinal = 0 AND field = 'said' AND model = own.model OFFSET 0) AS e)
SELECT (SELECT count(*) FROM compared) AS looked, near.cosine, m.id, m.seq, m.type, left(m.content, 500) AS content,
       m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.superseded_by, u.shown, u.used, u.times_shown,
       u.times_used, u.last_at AS shown_at
FROM (SELECT 1) AS always
LEFT JOIN (SELECT * FROM compared WHERE cosine >= $6 ORDER BY cosine DESC, memory_id LIMIT $7) AS near ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.memory WHERE agent_id = $1 AND id = near.memory_id OFFSET 0) AS m ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.usage WHERE agent_id = $1 AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY near.cosine DESC, m.id
