-- name: memories
-- Read an agent's memories back from (before_at, before_seq), in the order of one of the `walk_…` statements below,
-- and keep those that match the filters; a NULL filter matches all. At most <most> memories are read; the result
-- says how far. `patterns` are matched against the content. `owner` is the user whose own memories are wanted.
WITH page AS MATERIALIZED (
    SELECT walked.id, walked.occurred_at, walked.seq, walked.looked
    FROM (SELECT *, row_number() OVER (ORDER BY occurred_at DESC, seq DESC) AS looked FROM (<walk>) AS w) AS walked
    CROSS JOIN LATERAL (
        SELECT type = ANY(:types::text[]) AND (:session_id::text IS NULL OR session_id = :session_id)
               AND (:tag::text IS NULL OR tags @> ARRAY[:tag::text])
                   AND (:patterns::text[] IS NULL OR content ILIKE ALL (:patterns))
               AND (:pinned::boolean IS NULL OR pinned = :pinned)
                   AND (:hidden::boolean IS NULL OR (hidden_at IS NOT NULL AND hidden_at <= now()) = :hidden)
               AS kept
        FROM cognitive.memory WHERE agent_id = :agent_id AND id = walked.id OFFSET 0) AS m
    WHERE m.kept ORDER BY walked.occurred_at DESC, walked.seq DESC LIMIT :limit),
reach AS MATERIALIZED (
    SELECT count(*) AS looked, min(occurred_at) AS last_at, (array_agg(seq ORDER BY occurred_at, seq))[1] AS last_key
    FROM (<walk>) AS walked WHERE (SELECT count(*) FROM page) < :limit)
SELECT greatest(reach.looked, page.looked) AS looked, reach.last_at, reach.last_key, m.id, m.seq, m.type,
       left(m.content, 500) AS content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.replaced_by, m.hidden_at, m.hidden_reason,
           u.shown,
       u.used, u.times_shown, u.times_used, u.last_at AS shown_at, nullif(m.user_id, '') AS user_id
FROM reach LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.memory WHERE agent_id = :agent_id AND id = page.id OFFSET 0) AS m) ON true
LEFT JOIN LATERAL (
    SELECT * FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY m.occurred_at DESC, m.seq DESC

-- name: walk_types
-- Memories of some types in any session, merged from one index scan per type.
SELECT id, occurred_at, seq FROM (<each_type>) AS own
WHERE :session_id::text IS NULL ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: walk_type
-- Memories of one type, if `types` includes it.
SELECT m.id, m.occurred_at, m.seq FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT id, occurred_at, seq FROM cognitive.memory
    WHERE '<type>' = ANY(:types::text[]) AND agent_id = :agent_id AND user_id = scope.of_user AND type = '<type>'
          AND occurred_at <= :before_at AND (occurred_at < :before_at OR seq < :before_seq) AND occurred_at >= :since
    ORDER BY occurred_at DESC, seq DESC LIMIT <most>) AS m
WHERE :owner::text IS NULL OR scope.of_user = :owner
ORDER BY m.occurred_at DESC, m.seq DESC LIMIT <most>

-- name: walk_session
-- Memories of a session.
SELECT m.id, m.occurred_at, m.seq FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT id, occurred_at, seq FROM cognitive.memory
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND session_id = :session_id AND occurred_at <= :before_at
          AND (occurred_at < :before_at OR seq < :before_seq) AND occurred_at >= :since
    ORDER BY occurred_at DESC, seq DESC LIMIT <most>) AS m
WHERE :owner::text IS NULL OR scope.of_user = :owner
ORDER BY m.occurred_at DESC, m.seq DESC LIMIT <most>

-- name: walk_pinned
-- Pinned memories, at most <most>.
SELECT id, occurred_at, seq FROM (
    SELECT m.id, m.occurred_at, m.seq FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
        SELECT id, occurred_at, seq FROM cognitive.memory
        WHERE agent_id = :agent_id AND user_id = scope.of_user AND pinned ORDER BY seq DESC LIMIT <most>) AS m
    WHERE :owner::text IS NULL OR scope.of_user = :owner
    ORDER BY m.seq DESC LIMIT <most>) AS own
WHERE occurred_at <= :before_at AND (occurred_at < :before_at OR seq < :before_seq) AND occurred_at >= :since
ORDER BY occurred_at DESC, seq DESC LIMIT <most>

-- name: walk_hidden
-- Hidden memories.
SELECT m.id, m.occurred_at, m.seq FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT id, occurred_at, seq FROM cognitive.memory
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND hidden_at <= now() AND occurred_at <= :before_at
          AND (occurred_at < :before_at OR seq < :before_seq) AND occurred_at >= :since
    ORDER BY occurred_at DESC, seq DESC LIMIT <most>) AS m
WHERE :owner::text IS NULL OR scope.of_user = :owner
ORDER BY m.occurred_at DESC, m.seq DESC LIMIT <most>

-- name: group_sizes
-- The number of memories in each group, among the first <sample> memories by id; ids are hashes, so that is a random
-- sample. Only users with memories are searched: for another, Postgres may read the ids of all memories. Pinned and
-- hidden memories have indexes and are counted up to <most>. Pinned memories are in every prompt and are not expected
-- to be shown. Ignored memories had at least `min_shown` showings without a use. Memories with at least `min_used` uses
-- are rising if at least the share `fresh_share` of the decayed uses is left, and stale if less than the mass
-- `stale_mass` is.
SELECT count(*) AS looked, coalesce((SELECT sum(memories) FROM cognitive.corpus
    WHERE agent_id = :agent_id), 0)::bigint AS memories,
       count(*) FILTER (WHERE u.memory_id IS NULL AND NOT m.pinned) AS never,
       count(*) FILTER (WHERE u.times_used = 0 AND u.times_shown >= :min_shown) AS ignored,
       count(*) FILTER (WHERE u.times_used >= :min_used AND n.used >= :fresh_share::float8 * u.times_used) AS rising,
       count(*) FILTER (WHERE u.times_used >= :min_used AND n.used < :stale_mass::float8) AS stale,
       (SELECT count(*) FROM (
            SELECT 1 FROM cognitive.memory WHERE agent_id = :agent_id AND pinned LIMIT <most>) AS p) AS pinned,
       (SELECT count(*) FROM (
            SELECT 1 FROM cognitive.memory WHERE agent_id = :agent_id
                AND hidden_at <= now() LIMIT <most>) AS s) AS hidden
FROM (SELECT m.* FROM (SELECT user_id FROM cognitive.corpus
                         WHERE agent_id = :agent_id AND memories > 0) AS scope(of_user) CROSS JOIN LATERAL (
          SELECT user_id, id, pinned FROM cognitive.memory WHERE agent_id = :agent_id AND user_id = scope.of_user
          ORDER BY id LIMIT <sample>) AS m
      ORDER BY m.id LIMIT <sample>) AS m
LEFT JOIN LATERAL (
    SELECT * FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id OFFSET 0) AS u ON true
CROSS JOIN LATERAL (SELECT cognitive.decay(u.used, u.last_at, :now, :half_life_seconds::float8) AS used) AS n

-- name: group
-- The members of a group among the <sample> memories of a walk whose ids follow `after_id`, in descending order of
-- score from (before_score, after_scored_id) on. The parameters are those of `group_sizes`. Scores do not depend on
-- the time of the query, so that pages fit together: all masses decay alike, so their logarithms at time 0 are
-- compared.
WITH walked AS MATERIALIZED (
    SELECT w.id, CASE :group WHEN 'never' THEN -extract(epoch FROM w.created_at)::float8
                         WHEN 'ignored' THEN w.times_shown::float8
                         WHEN 'rising' THEN ln(greatest(w.used, 1e-300)) / ln(2.0) + extract(epoch
                             FROM w.last_at)::float8 / :half_life_seconds
                         ELSE w.times_used::float8 END AS score,
           CASE :group WHEN 'never' THEN w.times_shown IS NULL AND NOT w.pinned
                   WHEN 'ignored' THEN w.times_used = 0 AND w.times_shown >= :min_shown
                   WHEN 'rising' THEN w.times_used >= :min_used AND n.used >= :fresh_share::float8 * w.times_used
                   WHEN 'stale' THEN w.times_used >= :min_used AND n.used < :stale_mass::float8 END AS kept
    FROM (<walk>) AS w
    CROSS JOIN LATERAL (SELECT cognitive.decay(w.used, w.last_at, :now, :half_life_seconds::float8) AS used) AS n),
page AS (
    SELECT walked.id, walked.score FROM walked CROSS JOIN LATERAL (
        SELECT type = ANY(:types::text[]) AND (:tag::text IS NULL OR tags @> ARRAY[:tag::text]) AS wanted
        FROM cognitive.memory WHERE agent_id = :agent_id AND id = walked.id OFFSET 0) AS m
    WHERE walked.kept AND (:before_score::float8 IS NULL OR walked.score < :before_score
        OR walked.score = :before_score AND walked.id > :after_scored_id) AND m.wanted
    ORDER BY walked.score DESC, walked.id LIMIT :limit)
SELECT l.looked, l.last_id, page.score, m.id, m.seq, m.type, left(m.content, 500) AS content, m.speaker, m.occurred_at,
       m.session_id, m.tags, m.pinned, m.replaced_by, m.hidden_at, m.hidden_reason, u.shown, u.used, u.times_shown, u.times_used,
           u.last_at AS shown_at, nullif(m.user_id, '') AS user_id
FROM (SELECT count(*) AS looked, (SELECT id FROM walked ORDER BY id DESC LIMIT 1) AS last_id FROM walked) AS l
LEFT JOIN (page CROSS JOIN LATERAL (
    SELECT * FROM cognitive.memory WHERE agent_id = :agent_id AND id = page.id OFFSET 0) AS m) ON true
LEFT JOIN LATERAL (
    SELECT * FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY page.score DESC, m.id

-- name: walk_stored
-- A random sample of all memories, by id, with their usage.
SELECT m.id, m.created_at, m.pinned, u.times_shown, u.times_used, u.used, u.last_at
FROM (SELECT m.* FROM (SELECT user_id FROM cognitive.corpus
                         WHERE agent_id = :agent_id AND memories > 0) AS scope(of_user) CROSS JOIN LATERAL (
          SELECT user_id, id, created_at, pinned FROM cognitive.memory
          WHERE agent_id = :agent_id AND user_id = scope.of_user AND id > :after_id ORDER BY id LIMIT <sample>) AS m
      ORDER BY m.id LIMIT <sample>) AS m
LEFT JOIN LATERAL (
    SELECT * FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id OFFSET 0) AS u ON true

-- name: walk_shown
-- A random sample of the memories that were shown, by id.
SELECT u.memory_id AS id, u.last_at AS created_at, false AS pinned, u.times_shown, u.times_used, u.used, u.last_at
FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
    SELECT memory_id, times_shown, times_used, used, last_at FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = scope.of_user AND memory_id > :after_id
    ORDER BY memory_id LIMIT <sample>) AS u
ORDER BY u.memory_id LIMIT <sample>

-- name: beginnings
-- The beginnings of memories by id, for lists.
SELECT m.id, m.seq, m.type, left(m.content, 500) AS content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned,
       m.replaced_by, m.hidden_at, m.hidden_reason, u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at, nullif(m.user_id, '') AS user_id
FROM cognitive.memory AS m LEFT JOIN cognitive.usage AS u
    ON u.agent_id = :agent_id AND u.user_id = m.user_id AND u.memory_id = m.id
WHERE m.agent_id = :agent_id AND m.id = ANY(:memory_ids::uuid[])

-- name: tags
-- The most frequent tags of a random sample of <sample> memories.
SELECT tag FROM (
    SELECT m.tags FROM (SELECT user_id FROM cognitive.corpus
                         WHERE agent_id = :agent_id AND memories > 0) AS scope(of_user) CROSS JOIN LATERAL (
        SELECT id, tags FROM cognitive.memory WHERE agent_id = :agent_id AND user_id = scope.of_user
        ORDER BY id LIMIT <sample>) AS m
    ORDER BY m.id LIMIT <sample>) AS m
CROSS JOIN LATERAL unnest(m.tags) AS tag
GROUP BY tag ORDER BY count(*) DESC, tag LIMIT :limit

-- name: life
-- The times at which a memory was stored and changed, its links to other memories, and its usage.
SELECT m.id, m.seq, m.type, m.content, m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.replaced_by, m.hidden_at, m.hidden_reason,
       m.supersedes, m.created_at, m.updated_at, m.confidence::float8 AS confidence, m.source, m.context, m.entities,
       u.shown, u.used, u.times_shown, u.times_used, u.last_at AS shown_at, nullif(m.user_id, '') AS user_id,
       (SELECT count(*) FROM cognitive.passage
        WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id) AS passages,
       (SELECT left(content, 500) FROM cognitive.memory WHERE agent_id = :agent_id AND id = m.supersedes) AS replaced,
       (SELECT left(content, 500) FROM cognitive.memory WHERE agent_id = :agent_id
           AND id = m.replaced_by) AS replacement
FROM cognitive.memory AS m LEFT JOIN cognitive.usage AS u
    ON u.agent_id = :agent_id AND u.user_id = m.user_id AND u.memory_id = m.id
WHERE m.agent_id = :agent_id AND m.id = :memory_id

-- name: showings
-- The turns that showed a memory, back from (before_at, before_turn_id).
SELECT e.turn_id, nullif(e.user_id, '') AS owner, e.at, e.via, e.slot, e.tokens, e.overlap::float8 AS overlap, e.used,
       e.rating,
       e.propensity::float8 AS propensity, e.relevance_gap::float8 AS relevance_gap, t.status, t.session_id,
           left(t.message, 500) AS message
FROM (SELECT e.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
          SELECT * FROM cognitive.exposure
          WHERE agent_id = :agent_id AND user_id = scope.of_user AND memory_id = :memory_id AND at <= :before_at
                AND (at < :before_at OR turn_id < :before_turn_id)
          ORDER BY at DESC, turn_id DESC LIMIT :limit) AS e
      ORDER BY e.at DESC, e.turn_id DESC LIMIT :limit) AS e
LEFT JOIN LATERAL (
    SELECT status, session_id, message FROM cognitive.turn WHERE agent_id = :agent_id AND user_id = e.user_id
        AND turn_id = e.turn_id OFFSET 0) AS t ON true
ORDER BY e.at DESC, e.turn_id DESC

-- name: shown_at
-- The latest showings of a memory in chronological order, with their results.
SELECT at, used, rating FROM (
    SELECT e.* FROM unnest(cognitive.scopes()) AS scope(of_user) CROSS JOIN LATERAL (
        SELECT at, used, rating, turn_id FROM cognitive.exposure
        WHERE agent_id = :agent_id AND user_id = scope.of_user AND memory_id = :memory_id
        ORDER BY at DESC, turn_id DESC LIMIT :limit) AS e
    ORDER BY e.at DESC, e.turn_id DESC LIMIT :limit) AS latest
ORDER BY at, turn_id

-- name: near_by_words
-- The memories most similar to a memory, by the vectors of their first passages. Candidates are the memories with
-- one of its rare lexemes: at most `max_postings` postings per lexeme are read and at most `max_compared` vectors
-- compared. A near-duplicate without a common rare lexeme is missed. The model is one that the memory has a vector of.
WITH own AS MATERIALIZED (
    SELECT p.lexemes, e.embedding, e.model FROM cognitive.passage AS p JOIN cognitive.embedding AS e
        ON e.agent_id = :agent_id AND e.user_id = p.user_id AND e.memory_id = p.memory_id AND e.ordinal = 0
           AND e.field = 'content'
    WHERE p.agent_id = :agent_id AND p.memory_id = :memory_id AND p.ordinal = 0
    ORDER BY e.model LIMIT 1),
rare AS MATERIALIZED (
    SELECT lexeme, d.passages FROM own CROSS JOIN LATERAL unnest(own.lexemes) AS word(lexeme) CROSS JOIN LATERAL (
        SELECT count(*) AS passages FROM (
            SELECT 1 FROM cognitive.posting WHERE agent_id = :agent_id
                AND posting.lexeme = word.lexeme LIMIT :max_postings) AS p) AS d
    ORDER BY d.passages, lexeme),
candidate AS MATERIALIZED (
    SELECT memory_id FROM rare CROSS JOIN LATERAL (
        SELECT memory_id FROM cognitive.posting
        WHERE agent_id = :agent_id AND lexeme = rare.lexeme AND ordinal = 0 LIMIT :max_postings) AS p
    WHERE memory_id <> :memory_id ORDER BY rare.passages LIMIT :max_compared),
compared AS MATERIALIZED (
    SELECT c.memory_id, -(e.embedding <#> own.embedding) AS cosine
    FROM own CROSS JOIN (SELECT DISTINCT memory_id FROM candidate) AS c CROSS JOIN LATERAL (
        SELECT embedding FROM cognitive.embedding
        WHERE agent_id = :agent_id AND memory_id = c.memory_id AND ordinal = 0 AND field = 'content'
            AND model = own.model OFFSET 0) AS e)
SELECT (SELECT count(*) FROM compared) AS looked, near.cosine, m.id, m.seq, m.type, left(m.content, 500) AS content,
       m.speaker, m.occurred_at, m.session_id, m.tags, m.pinned, m.replaced_by, m.hidden_at, m.hidden_reason, u.shown, u.used, u.times_shown,
       u.times_used, u.last_at AS shown_at, nullif(m.user_id, '') AS user_id
FROM (SELECT 1) AS always
LEFT JOIN (SELECT * FROM compared WHERE cosine >= :min_cosine
    ORDER BY cosine DESC, memory_id LIMIT :limit) AS near ON true
LEFT JOIN LATERAL (SELECT * FROM cognitive.memory WHERE agent_id = :agent_id
    AND id = near.memory_id OFFSET 0) AS m ON true
LEFT JOIN LATERAL (
    SELECT * FROM cognitive.usage
    WHERE agent_id = :agent_id AND user_id = m.user_id AND memory_id = m.id OFFSET 0) AS u ON true
ORDER BY near.cosine DESC, m.id
